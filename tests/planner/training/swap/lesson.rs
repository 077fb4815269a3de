//! The twelfth lesson: what its scenes ask, played.

use planner::training::Policy;
use planner::training::swap::Direction;

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
