//! A whole program at one look: its arenas, the worst first, and their sum.

use std::fs;

use planner::Bytes;
use planner::deployed::Deployed;
use planner::load::{Document, Part, load_parts};
use planner::overview::{Row, overview, total, worst_first};

const PLANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/plans/");

fn read(names: &[&str]) -> Deployed {
    let files: Vec<Vec<u8>> = names
        .iter()
        .map(|name| fs::read(format!("{PLANS}{name}")).expect("it is committed"))
        .collect();
    let parts = names.iter().zip(&files).map(|(name, source)| Part {
        name,
        source: source as _,
    });
    let parts: Vec<Part<'_>> = parts.collect();
    match load_parts(&parts).expect("it can be read") {
        (_, Document::Deployed(deployed), _) => deployed,
        _ => panic!("it brings a plan"),
    }
}

fn row(bytes: u64, bound: u64, naive: u64) -> Row {
    Row {
        bytes: Bytes(bytes),
        bound: Bytes(bound),
        naive: Bytes(naive),
        ..Row::default()
    }
}

/// By what each toolchain says itself: XLA "Total bytes used: 371800"; IREE allocates 7,296,
/// 3,712 and 64 bytes after the pass; the program of ExecuTorch has 32 bytes for each of two
/// memories, and one of 16 bytes lives in the second.
#[test]
fn the_sum_is_what_the_toolchain_says() {
    let xla = [
        "xla/train-buffer-assignment.txt",
        "xla/train-live-range.txt",
    ];
    let cases: [(&[&str], u64, u64, u32); 3] = [
        (&xla, 371_800, 0, 0),
        (&["iree/loop.ir.txt"], 7_296 + 3_712 + 64, 0, 2),
        (&["executorch/kinds.pte"], 64, 16, 1),
    ];
    for (files, bytes, avoidable, worst) in cases {
        let rows = overview(&read(files));
        assert_eq!(total(&rows), (Bytes(bytes), Bytes(avoidable)), "{files:?}");
        assert_eq!(worst_first(&rows).first(), Some(&worst), "{files:?}");
    }
}

/// Vela's weights are all there all the time: more bytes than the arena, and nothing to plan.
#[test]
fn what_is_planned_comes_before_constants() {
    let rows = overview(&read(&["vela/small_net.HillClimb.log"]));
    let names: Vec<_> = rows.iter().map(|row| &row.name).collect();
    assert_eq!(names, ["Sram", "read-only NPU tensors"]);
    assert_eq!(worst_first(&rows), [0, 1]);
    let [planned, constants] = [row(100, 100, 300), row(900, 900, 900)];
    assert_eq!(worst_first(&[constants, planned]), [1, 0]);
}

/// Of devices the one that failed is worth the first look, then the one that took most, however
/// little of it could be avoided.
#[test]
fn of_devices_the_one_that_failed_opens() {
    let device = |bytes, bound, failed| Row {
        device: true,
        failed,
        ..row(bytes, bound, 2_000)
    };
    let rows = [
        device(500, 100, 0),
        device(900, 890, 0),
        device(300, 290, 1),
    ];
    assert_eq!(worst_first(&rows), [2, 1, 0]);
}

#[test]
fn the_most_avoidable_bytes_come_first_and_separate_allocations_last() {
    let separate = Row {
        separate: true,
        ..row(10_000, 10_000, 10_000)
    };
    let rows = [
        separate,
        row(500, 500, 900),
        row(840, 695, 2_000),
        row(46, 46, 60),
        // Below its bound: a plan that breaks a rule, which saves nothing.
        row(40, 50, 60),
    ];
    assert_eq!(worst_first(&rows), [2, 1, 3, 4, 0]);
    assert_eq!(total(&rows), (Bytes(11_426), Bytes(145)));
}
