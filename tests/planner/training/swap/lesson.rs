//! The chain for which the twelfth lesson was drawn: what its scenes ask, played.

use planner::Bytes;
use planner::training::policies::swap::capuchin::{
    Candidate, Iteration, choices as choices_of, iterations as iterations_of,
};
use planner::training::swap::script::How;
use planner::training::swap::{Direction, judge};
use planner::training::{Policy, Problem};

use super::{MIB, lesson, name, run};

/// The ends of vDNN's layers. Each sends its input while it runs:
///
/// f1 0–10 · f2 10–20, a1 10–20 · f3 20–22, a2 20–40: 18 · f4 40–50, a3 40–60: 10 · f5 60–70,
/// a4 60–64 · b5 needs a4 at once: 4 · b5 74–94, a3 74–94 · b4 94–114, a2 94–114 · b3 114–118,
/// a1 114–124: 6 · b2 124–144 · b1 144–164.
#[test]
fn layers_of_vdnn_take_the_longer_of_computing_and_copying() {
    let problem = lesson();
    let played = run(Policy::VdnnAll, &problem, None).expect("a run");
    let ran: Vec<(u64, u64)> = played.run.ran.iter().map(|it| (it.start, it.end)).collect();
    let forward = [(0, 10), (10, 20), (20, 22), (40, 50), (60, 70)];
    let backward = [(74, 94), (94, 114), (114, 118), (124, 144), (144, 164)];
    assert_eq!(ran, [forward, backward].concat());
    // Scene 6: 0 + 18 + 10 + 0.
    let waits = |from: usize, to: usize| -> u64 {
        let ran = played.run.ran[from..to].iter();
        ran.map(|it| it.stall.layer).sum()
    };
    assert_eq!(waits(0, 5), 28);
    assert_eq!(waits(5, 10), 6);
    assert_eq!((played.run.stall.arrival, played.run.stall.room), (4, 0));
    let copies = played.run.transfers.iter();
    let copies: Vec<_> = copies
        .map(|it| (name(&problem, it.node), it.direction, it.start, it.end))
        .collect();
    let out = |name, start, end| (name, Direction::Out, start, end);
    let back = |name, start, end| (name, Direction::Back, start, end);
    assert_eq!(
        copies,
        [
            out("a1", 10, 20),
            out("a2", 20, 40),
            out("a3", 40, 60),
            out("a4", 60, 64),
            back("a4", 70, 74),
            back("a3", 74, 94),
            back("a2", 94, 114),
            back("a1", 114, 124),
        ]
    );
    // f3: a2 500 and a3 500; a1 has left at 20, and is 250 beside a2 and a3 in b3 again.
    assert_eq!(played.run.peak.0, 1_250 * MIB);
}

fn iterations(problem: &Problem, mib: u64) -> Vec<Iteration> {
    let found = iterations_of(problem, Some(Bytes(mib * MIB)), &mut |_, _| true);
    let found = found.expect("iterations");
    for it in &found {
        let judged = judge(
            problem,
            &it.played.walk,
            &it.played.run,
            Some(Bytes(mib * MIB)),
        );
        assert_eq!(judged, Ok(()));
    }
    found
}

/// FreeTime is the start of the latest copy back less the end of the earliest copy out:
///
/// a1 250 MiB, 10 ms: used until 20 and from 86, (86 − 10) − (20 + 10) = 46 ·
/// a2 500, 20 ms: until 22 and from 82, (82 − 20) − (22 + 20) = 20 ·
/// a3 500, 20 ms: until 32 and from 62, (62 − 20) − (32 + 20) = −10 ·
/// a4 100, 4 ms: until 42 and from 42, (42 − 4) − (42 + 4) = −8.
#[test]
fn a1_is_swapped_without_a_wait_and_b4_fetches_it() {
    let problem = lesson();
    let all = Policy::KeepAll.run(&problem, None, &mut |_, _| true);
    assert_eq!(all.needs.peak.0, 1_400 * MIB);
    let all = iterations(&problem, 1_350);
    assert_eq!(
        all.iter().map(|it| it.guided).collect::<Vec<_>>(),
        [false, true]
    );
    let free = |it: &Iteration, value: usize| {
        let found = it.candidates.iter().find(|it| it.value == value);
        found.and_then(|it| it.free_time)
    };
    let times = [0, 1, 2, 3].map(|value| free(&all[1], value));
    assert_eq!(times, [Some(46), Some(20), Some(-10), Some(-8)]);
    // Largest FreeTime first: a1 is enough. Its way back is due at 76: b5 starts at 42, b4 at 62,
    // b3 at 82. b4 it is.
    let chosen: Vec<_> = all[1]
        .candidates
        .iter()
        .filter(|it| it.how.is_some())
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].value, 0);
    assert_eq!(chosen[0].how, Some(How::Swap { copy: 1, fetch: 6 }));
    let copies: Vec<_> = all[1]
        .played
        .run
        .transfers
        .iter()
        .map(|it| (it.start, it.end))
        .collect();
    assert_eq!(copies, [(20, 30), (62, 72)]);
    assert_eq!(all[1].played.run.stall.sum(), 0);
    assert_eq!(all[1].played.run.time, 126);
    // f4 starts at 22 beside a1, which is on its way: 250 + 500 + 500 + 100.
    assert_eq!(all[1].played.run.peak.0, 1_350 * MIB);
}

/// Measured: at f5 (32) 50 MiB are too many. What was used longest ago is a1: it leaves from 32 to
/// 42, and f5 waits 10. b2, which reads it, waits for a copy of 10.
#[test]
fn the_measured_iteration_waits_where_there_is_no_room() {
    let problem = lesson();
    let all = iterations(&problem, 1_350);
    let measured = &all[0].played;
    assert_eq!(measured.evicted, [0]);
    let waits: Vec<_> = measured.run.ran.iter().map(|it| it.stall.sum()).collect();
    assert_eq!(waits, [0, 0, 0, 0, 10, 0, 0, 0, 10, 0]);
    assert_eq!(
        (measured.run.stall.room, measured.run.stall.arrival),
        (10, 10)
    );
}

/// Scenes 4 and 5: with a1 and a2 gone, 650 MiB are left at the peak. For 600, a3 has to leave as
/// well: waiting 10 ms or computing f3 for 2, so it is recomputed, from a2 at 62 − 2 = 60. That
/// leaves a2 (60 − 20) − (22 + 20) = −2.
#[test]
fn a3_is_recomputed_and_a2_has_less_time() {
    let problem = lesson();
    let choices = choices_of(&problem, Bytes(600 * MIB));
    let chosen: Vec<_> = choices.iter().filter(|it| it.how.is_some()).collect();
    let swap =
        |value, needed, free, copy, fetch| (value, needed, Some(free), How::Swap { copy, fetch });
    let of = |it: &&Candidate| (it.value, it.needed, it.free_time, it.how.expect("chosen"));
    let chosen: Vec<_> = chosen.iter().map(of).collect();
    // More than 600 MiB are there from f2 to b2: both are fetched by who needs them.
    assert_eq!(
        chosen,
        [
            swap(0, 86, 46, 1, 8),
            swap(1, 60, -2, 2, 6),
            (2, 62, Some(-10), How::Recompute),
        ]
    );
    // 1,400 − 250 − 500 = 650: for 900 MiB a3 stays.
    let choices = choices_of(&problem, Bytes(900 * MIB));
    let a3 = choices.iter().find(|it| it.value == 2).expect("a3");
    assert_eq!((a3.how, a3.free_time), (None, Some(-10)));
}
