//! What XLA says of each value, and what it sums its memory up to. The sums are compared with
//! those that jax itself prints (`memory_analysis`), which `make.py` keeps beside the dumps.

use std::cmp::Reverse;

use planner::bounds::{BoundKind as Bound, aligned};
use planner::deployed::{Arena, Deployed, IrValue, TotalKind};
use planner::waste::{WasteKind, waste};
use planner::{Bytes, Step};

use super::{
    LOOP, LOOP_PB, TRAIN, TRAIN_REPORT, TRAIN_VALUES, buffer, number, open, sound, temporary, text,
};

const SCANNED: [(&str, &[u8]); 2] = [
    sample!("scanned-buffer-assignment.txt"),
    sample!("scanned-live-range.txt"),
];
const SCANNED_VALUES: (&str, &[u8]) = sample!("scanned-buffer-assignment-values.txt");
const SCANNED_MODULE: (&str, &[u8]) = sample!("scanned.txt");
const SCANNED_PB: (&str, &[u8]) = sample!("scanned.hlo.pb");

fn value<'a>(arena: &'a Arena, name: &str) -> &'a IrValue {
    let note = &arena.notes[buffer(arena, name)];
    note.value.as_deref().expect("the dump says what it is")
}

/// Every value with its name, arena by arena.
fn values(found: &Deployed) -> Vec<(&str, &str, Option<&IrValue>)> {
    let arenas = found.arenas.iter();
    let all = arenas.flat_map(|arena| arena.lifetimes.buffers.iter().zip(&arena.notes));
    all.map(|(it, note)| (it.name.as_str(), note.op.as_str(), note.value.as_deref()))
        .collect()
}

/// Its line in the assignment: `(size=8192,offset=163968): f32[32,64]{1,0}`; in the module:
/// `%multiply_add_fusion = f32[32,64]{1,0} fusion(...), metadata={op_name="jit(scanned)/..."}`.
#[test]
fn a_value_is_what_its_line_says() {
    let (found, warnings) = open(&SCANNED).expect("the pair");
    sound(&found, &warnings);
    let fused = value(&found.arenas[0], "multiply_add_fusion");
    assert_eq!(
        (fused.dtype.as_str(), fused.shape.as_deref()),
        ("f32", Some(&[32, 64][..]))
    );
    assert_eq!(
        (fused.computation.as_str(), fused.source.as_str()),
        ("", "")
    );
    let flag = value(&found.arenas[0], "wrapped_compare");
    assert_eq!(
        (flag.dtype.as_str(), flag.shape.as_deref()),
        ("pred", Some(&[][..]))
    );
    let table = value(&found.arenas[0], "while.13");
    assert_eq!(
        (table.dtype.as_str(), table.shape.as_deref()),
        ("tuple", None)
    );

    let (found, warnings) = open(&[SCANNED[0], SCANNED[1], SCANNED_VALUES]).expect("three");
    sound(&found, &warnings);
    let fused = value(&found.arenas[0], "multiply_add_fusion");
    assert_eq!(
        fused.source,
        "jit(scanned)/transpose(jvp())/while/body/closed_call/add_any"
    );
    assert_eq!(fused.computation, "");
}

/// With the module's own text, all that the protobuf says is known.
#[test]
fn text_and_protobuf_say_the_same_of_values() {
    let (proto, warnings) = open(&[SCANNED_PB]).expect("the protobuf");
    sound(&proto, &warnings);
    for more in [&[SCANNED_MODULE][..], &[SCANNED_VALUES, SCANNED_MODULE]] {
        let (found, warnings) = open(&[&SCANNED, more].concat()).expect("texts of one module");
        sound(&found, &warnings);
        assert!(
            warnings
                .iter()
                .all(|it| !it.place.to_string().contains("HloModule")),
            "{warnings:?}"
        );
        assert_eq!(values(&found), values(&proto));
        assert_eq!(found.totals, proto.totals);
    }
    let entry = text(SCANNED_MODULE);
    let (_, entry) = entry.split_once("ENTRY %").expect("it has an entry");
    let entry = entry.split(' ').next().expect("a name");
    let given = value(proto.arenas.last().expect("parameters"), "weights.1");
    assert_eq!(
        (given.computation.as_str(), given.source.as_str()),
        (entry, "weights")
    );
    let (text, _) = open(&LOOP).expect("the pair");
    let (proto, _) = open(&[LOOP_PB]).expect("the protobuf");
    for (one, other) in values(&text).iter().zip(values(&proto)) {
        let type_of = |it: &IrValue| (it.dtype.clone(), it.shape.clone());
        assert_eq!(one.0, other.0);
        assert_eq!(one.2.map(type_of), other.2.map(type_of), "{}", one.0);
    }
}

/// Instructions of another module have other names, or the same names for other things.
#[test]
fn another_module_says_nothing() {
    let (found, warnings) = open(&[TRAIN[0], TRAIN[1], SCANNED_MODULE]).expect("the pair");
    let told = warnings.iter().filter(|it| it.place == "HloModule");
    assert_eq!(told.count(), 1, "{warnings:?}");
    let (alone, _) = open(&TRAIN).expect("the pair");
    assert_eq!(found, alone);
}

/// The most bytes of XLA's own plan that are taken at one step, and where: what lies at one
/// address counts once, whatever it is called.
fn taken(assignment: &str, ranges: &str) -> (u64, u64) {
    let values = temporary(assignment, ranges);
    let steps = 0..=values.iter().map(|it| it.4).max().unwrap_or(0);
    let taken = steps.map(|step| {
        let live = values.iter().filter(|it| (it.3..=it.4).contains(&step));
        let mut blocks: Vec<_> = live.map(|it| (it.2, it.2 + it.1)).collect();
        blocks.sort_unstable();
        let (mut sum, mut top) = (0, 0);
        for (start, end) in blocks {
            sum += end.saturating_sub(start.max(top));
            top = top.max(end);
        }
        (sum, Reverse(step))
    });
    let most = taken.max().expect("there are steps");
    (most.0, most.1.0)
}

/// What a scan carries through its steps is handed over wherever it meets itself.
#[test]
fn what_a_scan_carries_counts_once() {
    let (bytes, step) = taken(&text(SCANNED[0]), &text(SCANNED[1]));
    for files in [&SCANNED[..], &[SCANNED_PB]] {
        let (found, _) = open(files).expect("a dump");
        let arena = &found.arenas[0];
        let bounds = aligned(&arena.lifetimes, Bytes(1));
        let split = waste(&arena.lifetimes, &arena.notes, &arena.plan, &bounds);
        let (needed, live) = (&split.parts[0], &bounds.list[0]);
        assert_eq!((needed.kind, live.kind), (WasteKind::Needed, Bound::Live));
        assert_eq!(u64::try_from(needed.bytes), Ok(bytes));
        assert_eq!(needed.step, Step(step));
        assert_eq!(Some(needed.step), live.step);
        assert_eq!(needed.buffers, live.witness);
        assert!(split.parts.iter().all(|part| part.bytes >= 0), "{split:?}");
    }
}

fn sum(found: &Deployed, kind: TotalKind) -> u64 {
    let mut sums = found.totals.iter().filter(|total| total.kind == kind);
    sums.next().expect("every kind is summed").bytes.0
}

/// jax prints the sums of the same compiled program; the report has that of all allocations.
#[test]
fn sums_are_those_that_xla_prints() {
    for (files, analysis) in [
        (
            &LOOP[..],
            include_str!("../../../data/plans/xla/loop-memory-analysis.json"),
        ),
        (
            &[LOOP_PB],
            include_str!("../../../data/plans/xla/loop-memory-analysis.json"),
        ),
        (
            &TRAIN,
            include_str!("../../../data/plans/xla/train-memory-analysis.json"),
        ),
        (
            &SCANNED,
            include_str!("../../../data/plans/xla/scanned-memory-analysis.json"),
        ),
        (
            &[SCANNED_PB],
            include_str!("../../../data/plans/xla/scanned-memory-analysis.json"),
        ),
    ] {
        let (found, _) = open(files).expect("a dump");
        let sums = [
            (TotalKind::Arguments, "\"argument\": "),
            (TotalKind::Outputs, "\"output\": "),
            (TotalKind::Aliased, "\"alias\": "),
            (TotalKind::Temporary, "\"temp\": "),
        ];
        for (kind, printed) in sums {
            assert_eq!(sum(&found, kind), number(analysis, printed), "{kind:?}");
        }
        let parts = [
            TotalKind::Outputs,
            TotalKind::Temporary,
            TotalKind::Constants,
            TotalKind::ThreadLocal,
        ];
        let parts = parts.map(|kind| sum(&found, kind)).iter().sum::<u64>();
        let own = sum(&found, TotalKind::Arguments) - sum(&found, TotalKind::Aliased);
        assert_eq!(sum(&found, TotalKind::All), own + parts);
    }
    let (train, _) = open(&[TRAIN[0], TRAIN[1], TRAIN_VALUES]).expect("three texts");
    let total = number(&text(TRAIN_REPORT), "Total bytes: ");
    assert_eq!(sum(&train, TotalKind::All), total);
    // The step donates weights and moments; nothing comes out that is as large as the data and the
    // target. The loops donate nothing: `x` and `w` go in, `y` and its double come out as large.
    assert_eq!(sum(&train, TotalKind::Donatable), 0);
    let (loops, _) = open(&LOOP).expect("texts");
    assert_eq!(
        sum(&loops, TotalKind::Donatable),
        sum(&loops, TotalKind::Arguments)
    );
    // One constant of 4 bytes and six of as many in the small computations.
    assert_eq!(sum(&train, TotalKind::Constants), 4);
    assert_eq!(sum(&train, TotalKind::ThreadLocal), 24);
}
