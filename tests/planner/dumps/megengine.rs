//! MegEngine's static memory.

use std::fmt::Write as _;

use planner::deployed::{Deployed, Hold};
use planner::load::{Document, Fault, Format, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Handover, Options, Silent, Span, Strategy, plan};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

use super::hardships::{assert_refused, survives};

const INFO: &str = include_str!("../../data/plans/megengine/StaticMemoryInfo.json");
const INTERVALS: &str = include_str!("../../data/plans/megengine/mgb-interval-0.txt");
const RESULT: &str = include_str!("../../data/plans/megengine/result.txt");

fn document(text: &str) -> (Document, Vec<Warning>) {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("a dump");
    assert_eq!(format, Format::Megengine);
    (document, warnings)
}

fn read(text: &str) -> (Deployed, Vec<Warning>) {
    let (document, warnings) = document(text);
    (deployed(document), warnings)
}

/// Of three intervals the second is written over byte 1 of the first, the third over the
/// second: MegEngine's own test expects the 3 bytes of the first and no more.
const CHAIN: [Handover; 2] = [
    Handover {
        before: 0,
        after: 1,
        shift: Bytes(1),
    },
    Handover {
        before: 1,
        after: 2,
        shift: Bytes(0),
    },
];

/// The file names the first of each chain; which is before which follows from times and places.
#[test]
fn info_is_read() {
    let (deployed, warnings) = read(INFO);
    assert_eq!(warnings, []);
    let [chunks, weights] = &deployed.arenas[..] else {
        panic!("{} arenas", deployed.arenas.len());
    };
    assert_eq!(chunks.name, "static");
    assert_eq!(chunks.plan.arena, Bytes(3));
    assert_eq!(chunks.lifetimes.handovers, CHAIN);
    assert_eq!(
        chunks.lifetimes.step_names,
        ["opr0", "opr1", "opr2", "opr3"]
    );
    assert_eq!(violations(chunks), []);
    let waste = split(chunks);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
    // 3 and 1 bytes at step 1, the one written over a byte of the 3.
    assert_eq!(part(&waste, WasteKind::Needed), 3);
    // 16 and 8 bytes that stay, after the 3 of the others.
    assert_eq!(weights.name, "weights");
    assert_eq!(weights.plan.arena, Bytes(24));
    let held = weights.notes[0].held.expect("weights stay");
    assert_eq!((held.why, held.needed), (Hold::WholeLife, Span::new(0, 4)));
    assert_eq!(violations(weights), []);
    assert_eq!(part(&split(weights), WasteKind::Fragmentation), 0);
}

#[test]
fn the_printed_allocation_is_read() {
    let (deployed, warnings) = read(RESULT);
    let arena = &deployed.arenas[0];
    assert_eq!(arena.plan.arena, Bytes(3));
    assert_eq!(arena.lifetimes.handovers, CHAIN);
    assert_eq!(violations(arena), []);
    assert_eq!(part(&split(arena), WasteKind::Fragmentation), 0);
    let [unknown, taken] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert!(
        unknown.message.to_string().contains("looks whole"),
        "{unknown:?}"
    );
    assert!(
        taken
            .message
            .to_string()
            .starts_with("2 intervals lie on the bytes"),
        "{taken:?}"
    );
}

/// Every way to cut a file off: it is refused, or it is said what is missing, or that it is not
/// can know.
#[test]
fn what_is_cut_off_is_not_whole() {
    for end in 1..RESULT.len() {
        let Ok((_, document, warnings)) = load(&RESULT.as_bytes()[..end].to_vec()) else {
            continue;
        };
        let warning = warnings.iter().find(|it| it.place == "file").expect("told");
        let intervals = deployed(document).arenas[0].lifetimes.buffers.len();
        // The first interval alone reaches the total, so that nothing is missed.
        assert!(
            warning.message.to_string().contains("looks whole"),
            "{warning:?}"
        );
        let lines = RESULT[..end].matches("id=").count();
        assert_eq!(intervals, lines, "{:?}", &RESULT[..end]);
    }
    for end in 1..INTERVALS.len() {
        let read = load(&INTERVALS.as_bytes()[..end].to_vec());
        if let Ok((_, _, warnings)) = read {
            assert_eq!(end, INTERVALS.len() - 1, "{warnings:?}");
            assert_eq!(warnings[0].place, "line 7");
            assert!(
                warnings[0].message.to_string().contains("may be cut off"),
                "{warnings:?}"
            );
        }
    }
    let interval = |id: u64, low: u64| {
        let high = low + 4;
        format!("id={id} size=4(0.00MiB) time=[0, 2) addr=[{low}, {high})\n")
    };
    let total = "allocation result tot_alloc=12(0.00MiB):\n";
    let said = |lines: &[String]| {
        let (_, warnings) = read(&format!("{total}{}", lines.concat()));
        warnings[0].message.clone()
    };
    // 8 of 12 bytes; the second of three.
    let short = said(&[interval(0, 0), interval(1, 4)]);
    assert!(
        short.to_string().contains("total is 12 bytes") && short.to_string().contains("only 8"),
        "{short}"
    );
    let gap = said(&[interval(0, 0), interval(2, 8)]);
    assert!(gap.to_string().contains("an interval 2 but no 1"), "{gap}");
}

/// Intervals have no addresses: a problem, of which MegEngine's planner needs 3 bytes.
#[test]
fn intervals_are_a_problem() {
    let (document, warnings) = document(INTERVALS);
    assert_eq!(warnings, []);
    let Document::Problem(lifetimes) = document else {
        panic!("{document:?}");
    };
    assert_eq!(lifetimes.handovers, CHAIN);
    let options = Options::aligned(Bytes(1));
    let planned = plan(
        Strategy::MegenginePushdown,
        &lifetimes,
        &options,
        &mut Silent,
    );
    assert_eq!(planned.expect("three intervals").arena, Bytes(3));
}

/// MegEngine passes over what is not at the first and the last step.
#[test]
fn an_overwrite_at_another_step_is_reported() {
    let (_, warnings) = document("2\n0 3 4\n1 4 4\n1\n1 0 0\n");
    assert_eq!(warnings[0].place, "line 5");
    assert!(
        warnings[0].message.to_string().contains("passes over"),
        "{warnings:?}"
    );
}

#[test]
fn faults_of_intervals_name_their_line() {
    for (text, kind, place, message) in [
        ("2\n0 3 4\n1 x 4\n0\n", Fault::Malformed, "line 3", "\"x\""),
        (
            "2\n0 3 4\n1 1 4\n0\n",
            Fault::Malformed,
            "line 3",
            "which is no time",
        ),
        (
            "2\n0 3 4\n1 4 -4\n0\n",
            Fault::Malformed,
            "line 3",
            "\"-4\"",
        ),
        (
            "2\n0 3 4\n1 4\n0\n",
            Fault::Malformed,
            "line 3",
            "2 where three",
        ),
        ("2\n0 3 4\n", Fault::Truncated, "end of file", "line 2 of 2"),
        (
            "2\n0 3 4\n0 3 4\n",
            Fault::Truncated,
            "end of file",
            "a count",
        ),
        (
            "1\n0 3 4\n1\n0 1 0\n",
            Fault::Dangling,
            "line 4",
            "of 1 intervals",
        ),
        (
            "1\n0 3 4\n1\n0 0 0\n",
            Fault::Malformed,
            "line 4",
            "over itself",
        ),
        (
            "2\n0 3 4\n2 4 4\n1\n1 0 1\n",
            Fault::Malformed,
            "line 5",
            "no part of the 4",
        ),
        (
            "1\n0 3 4\n0\n1\n",
            Fault::Malformed,
            "line 4",
            "behind the last",
        ),
        ("9999999\n0 3 4\n0\n", Fault::Limit, "line 1", "at most"),
        (
            "1\n0 9007199254740992 4\n0\n",
            Fault::Limit,
            "line 2",
            "the end",
        ),
        (
            "2\n0 1 9223372036854775807\n0 1 9223372036854775807\n0\n",
            Fault::Limit,
            "interval 0",
            "",
        ),
    ] {
        assert_refused(text, kind, place, message);
    }
}

fn chunk(id: u64, rest: &str) -> String {
    format!("{{\"chunk\":{{\"{id}\":{{\"id\":\"{id}\",\"type\":\"static_mem\",{rest}}}}}}}")
}

#[test]
fn faults_of_chunks_name_their_place() {
    let times = "\"time_begin\":\"2\",\"time_end\":\"1\"";
    let places = "\"logic_addr_begin\":\"0\",\"logic_addr_end\":\"8\",\"overwrite_dest_id\":\"-1\"";
    let backwards = chunk(5, &format!("{times},{places}"));
    assert_refused(&backwards, Fault::Malformed, "chunk 5", "end is before 2");
    let times = times.replace('2', "0");
    let lost = places.replace("-1", "7");
    let lost = chunk(5, &format!("{times},{lost}"));
    assert_refused(&lost, Fault::Dangling, "chunk 5", "is not there");
    let negative = chunk(5, &format!("{times},{}", places.replace("\"8\"", "\"-8\"")));
    // After the number, and after the chunk.
    let column = |text: &str, end: &str| text.find(end).expect("it is there") + end.len();
    let place = format!("line 1, column {}", column(&negative, "\"-8\""));
    assert_refused(&negative, Fault::Malformed, &place, "-8");
    let missing = chunk(5, &times);
    let place = format!("line 1, column {}", column(&missing, "}"));
    assert_refused(&missing, Fault::Malformed, &place, "logic_addr_begin");
    let kind = INFO.replacen("static_mem", "other_mem", 1);
    assert!(
        super::hardships::refused(&kind)
            .message
            .to_string()
            .contains("other_mem")
    );
    let twice = INFO.replacen("\"id\": \"1\"", "\"id\": \"0\"", 1);
    assert_refused(&twice, Fault::Duplicate, "chunk 0", "twice");
    assert_refused("{\"chunk\":{}}", Fault::Malformed, "chunk", "no chunk");
    let error = super::hardships::refused(&INFO[..INFO.len() / 2]);
    assert_eq!(error.kind, Fault::Truncated);
}

#[test]
fn faults_of_allocations_name_their_line() {
    let total = "allocation result tot_alloc=8(0.00MiB):\n";
    for (line, message) in [
        (
            "id=0 size=8(0.00MiB) time=[0, 2) addr=[8, 0)\n",
            "no room for 8",
        ),
        (
            "id=0 size=8(0.00MiB) time=[0, 2) addr=[0, 4)\n",
            "no room for 8",
        ),
        (
            "id=0 size=8(0.00MiB) time=[2, 2) addr=[0, 8)\n",
            "which is no time",
        ),
        ("id=0 size=-8(0.00MiB) time=[0, 2) addr=[0, 8)\n", "\"-8\""),
        ("id=0 size=8(0.00MiB) time=[0, 2)\n", "is not written as"),
    ] {
        assert_refused(
            &format!("{total}{line}"),
            Fault::Malformed,
            "line 2",
            message,
        );
    }
    assert_refused(&RESULT.repeat(2), Fault::Duplicate, "line 5", "second");
    assert_refused(total, Fault::Malformed, "file", "no buffer");
}

#[test]
fn it_survives_everything() {
    for text in [INFO, INTERVALS, RESULT] {
        survives(text.as_bytes());
    }
}

#[test]
fn a_million_lines_are_read() {
    let mut text = String::from("1000000\n");
    for at in 0..1_000_000_u64 {
        writeln!(text, "{at} {} 8", at + 2).expect("a string");
    }
    text.push_str("0\n");
    let Document::Problem(lifetimes) = document(&text).0 else {
        panic!("intervals are a problem");
    };
    assert_eq!(lifetimes.buffers.len(), 1_000_000);
}
