//! Logs of TFLite Micro's planner.

use std::fmt::Write as _;

use planner::deployed::Deployed;
use planner::load::{Fault, Format, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Offset, Span};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

use super::hardships::{assert_refused, survives};

const PERSON_DETECT: &str = include_str!("../../data/plans/tflm/person_detect.log");

fn read(text: &str) -> (Deployed, Vec<Warning>) {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("a log");
    assert_eq!(format, Format::Tflm);
    (deployed(document), warnings)
}

/// 30 buffers; the largest are 36864 + 18432 + 9216 = 64,512 bytes at step 2, and the greedy
/// planner needs no more.
#[test]
fn person_detect_is_read() {
    let (deployed, warnings) = read(PERSON_DETECT);
    assert_eq!(warnings, []);
    assert_eq!(deployed.toolchain, "TFLite Micro");
    let [arena] = &deployed.arenas[..] else {
        panic!("{} arenas", deployed.arenas.len());
    };
    assert_eq!(arena.lifetimes.buffers.len(), 30);
    assert_eq!(arena.plan.arena, Bytes(64_512));
    let input = &arena.lifetimes.buffers[0];
    assert_eq!(
        (
            input.name.as_str(),
            input.size,
            input.span,
            arena.plan.offsets[0]
        ),
        ("buffer 0", Bytes(9_216), Span::new(0, 30), Offset(55_296))
    );
    assert_eq!(violations(arena), []);
    let waste = split(arena);
    assert_eq!(part(&waste, WasteKind::Needed), 64_512);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
}

#[test]
fn a_serial_console_adds_times_and_lines() {
    let plain = read(PERSON_DETECT).0;
    let mut log = String::from("\u{feff}booting\r\n");
    for (at, line) in PERSON_DETECT.lines().enumerate() {
        write!(log, "[00:00:01.{at:03}] {line}\r\n").expect("a string");
    }
    let (deployed, warnings) = read(&log);
    assert_eq!(deployed, plain);
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert_eq!(
        (
            warning.place.to_string().as_str(),
            warning.message.to_string().as_str()
        ),
        ("line 1", "1 line is no part of a plan")
    );
}

/// A plan that is printed again is the same plan; another one is another arena.
#[test]
fn a_log_may_hold_several_plans() {
    let again = format!("{PERSON_DETECT}{PERSON_DETECT}");
    let (deployed, warnings) = read(&again);
    assert_eq!(deployed.arenas.len(), 1);
    assert_eq!(warnings[0].message, "1 plan is the one before it once more");
    let other = "0 (id=0): size=16, offset=0, first_used=0 last_used=1\n";
    let (deployed, warnings) = read(&format!("{PERSON_DETECT}{other}{PERSON_DETECT}"));
    let names: Vec<_> = deployed.arenas.iter().map(|it| &it.name).collect();
    assert_eq!(names, ["plan 1", "plan 2", "plan 3"]);
    assert_eq!(deployed.arenas[1].plan.arena, Bytes(16));
    assert_eq!(warnings, []);
}

/// The picture says how many KiB are live at each step, which lost lines cannot.
#[test]
fn lost_lines_are_reported() {
    let lost = |number: usize| -> String {
        let lines = PERSON_DETECT.split_inclusive('\n').enumerate();
        lines
            .filter(|&(at, _)| at != number)
            .map(|(_, line)| line)
            .collect()
    };
    let (_, warnings) = read(&lost(27));
    let said: Vec<_> = warnings
        .iter()
        .map(|it| (it.place.to_string(), it.message.to_string()))
        .collect();
    let said: Vec<_> = said.iter().map(|it| (&*it.0, &*it.1)).collect();
    // Of the 64,512 bytes of step 2, 36,864 are gone.
    assert_eq!(
        said,
        [
            (
                "step 2 of the picture",
                "the log counts 63 KiB there, its buffers make 27648 bytes: some may be missing"
            ),
            (
                "line 28",
                "1 buffer does not follow the one before it: lines are missing"
            )
        ]
    );
    let (_, warnings) = read(&lost(29));
    assert!(
        warnings[0].message.to_string().contains("27 KiB"),
        "{warnings:?}"
    );
    let (_, warnings) = read(&lost(45));
    assert_eq!(warnings[0].message, "it has 29 lines for 30 steps");
}

#[test]
fn faults_name_their_line() {
    let good = "0 (id=0): size=16, offset=0, first_used=0 last_used=1\n";
    for (line, message) in [
        (
            "1 (id=1): size=-4, offset=0, first_used=0 last_used=1\n",
            "\"-4\"",
        ),
        (
            "1 (id=1): size=4, offset=-8, first_used=0 last_used=1\n",
            "\"-8\"",
        ),
        (
            "1 (id=1): size=4, offset=0, first_used=3 last_used=1\n",
            "last used at 1, before",
        ),
        (
            "1 (id=1): size=4, offset=0, first_used=-1 last_used=1\n",
            "\"-1\"",
        ),
        ("1 (id=1): size=4, offset=0\n", "first_used"),
        ("1 (id=1): size=4 first_used=0 last_used=1\n", "offset"),
    ] {
        let text = format!("{good}{line}{good}");
        assert_refused(&text, Fault::Malformed, "line 2", message);
    }
    let text = format!(
        "{good}1 (id=2): size=4, offset=16, first_used=0 last_used=1\n{}",
        good.replace("id=0", "id=1")
    );
    assert_refused(
        &text,
        Fault::Malformed,
        "line 3",
        "buffer 1 stands behind buffer 2",
    );
    let cut = format!("{good}1 (id=1): size=4, off");
    assert_refused(&cut, Fault::Truncated, "line 2", "offset");
    let far = "0 (id=0): size=4, offset=0, first_used=0 last_used=99999999999999999\n";
    assert_refused(far, Fault::Limit, "line 1", "the last step");
    let large = "0 (id=0): size=99999999999999999999, offset=0, first_used=0 last_used=1\n";
    assert_refused(large, Fault::Limit, "line 1", "the size");
}

#[test]
fn buffers_without_a_place_are_left_out_and_overlaps_are_the_plans_fault() {
    let text = "0 (id=0): size=16, offset=-1, first_used=0 last_used=1\n\
                1 (id=1): size=16, offset=0, first_used=0 last_used=1\n\
                * (id=2): size=16, offset=8, first_used=1 last_used=2\n";
    let (deployed, warnings) = read(text);
    assert_eq!(warnings[0].message, "1 buffer has no place and is left out");
    assert_eq!(deployed.arenas[0].lifetimes.buffers.len(), 2);
    assert_eq!(violations(&deployed.arenas[0]).len(), 1);
}

#[test]
fn it_survives_everything() {
    survives(PERSON_DETECT.as_bytes());
}

/// A console that runs for days prints other things too.
#[test]
fn a_million_lines_are_read() {
    let others = "I (4711) main: person 12 no person 244\n".repeat(1_000_000);
    let (deployed, warnings) = read(&format!("{PERSON_DETECT}{others}{PERSON_DETECT}"));
    assert_eq!(deployed, read(PERSON_DETECT).0);
    assert_eq!(warnings[1].message, "1000000 lines are no part of a plan");
}
