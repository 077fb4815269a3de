//! LiteRT's arena against addresses that LiteRT itself gave.
//!
//! `tests/data/litert_arenas.json` holds those of nine MediaPipe models, made by
//! `litert_arenas.py` beside it with the package `ai-edge-litert`; the files come with
//! `tests/fixtures.mjs`. More are in the shared folder, where there is one.

use std::collections::BTreeMap;

use planner::graph::Bindings;
use planner::load::load;
use planner::storage::StorageId;
use planner::{
    Buffer, Bytes, Handover, Io, Lifetimes, Options, Plan, Program, Settings, Silent, Span,
    Strategy, Subject, passes, plan, prepare,
};
use serde::Deserialize;
use tests::shared;
use tests::skipped::fixture;

/// LiteRT's default, `kDefaultTensorAlignment`.
const ALIGNMENT: Bytes = Bytes(64);

/// Tensor, bytes, first and last operator, the tensor that it is written over or −1, offset.
type Row = (u32, u64, u64, u64, i64, u64);

#[derive(Deserialize)]
struct Arenas {
    files: BTreeMap<String, Vec<Row>>,
}

fn arenas() -> BTreeMap<String, Vec<Row>> {
    let table = serde_json::from_str(include_str!("../../data/litert_arenas.json"));
    let Arenas { files } = table.expect("the table is committed with this test");
    assert_eq!(files.len(), 9);
    files
}

/// A tensor with the name of its index.
fn buffer(tensor: u32, bytes: u64, span: Span) -> Buffer {
    let size = Bytes(bytes).align_up(ALIGNMENT).expect("a small size");
    Buffer {
        payload: Bytes(bytes),
        storage: Some(StorageId(tensor)),
        ..Buffer::new(tensor.to_string(), size.0, span)
    }
}

fn of_rows(rows: &[Row]) -> Lifetimes {
    let buffers = rows
        .iter()
        .map(|&(tensor, bytes, first, last, ..)| buffer(tensor, bytes, Span::new(first, last + 1)));
    let index = |tensor: i64| rows.iter().position(|row| i64::from(row.0) == tensor);
    let handovers = rows.iter().enumerate().filter_map(|(after, row)| {
        let before = index(row.4)?;
        let shift = Bytes::ZERO;
        Some(Handover {
            before,
            after,
            shift,
        })
    });
    Lifetimes {
        handovers: handovers.collect(),
        ..Lifetimes::of(buffers)
    }
}

fn planned(lifetimes: &Lifetimes) -> Plan {
    let options = Options::aligned(ALIGNMENT);
    plan(Strategy::LitertArena, lifetimes, &options, &mut Silent).expect("a plan")
}

/// The model as LiteRT's planner sees it.
fn subject(bytes: &[u8]) -> Subject {
    let (_, document, _) = load(&bytes.to_vec()).expect("a model");
    let settings = Settings {
        alignment: ALIGNMENT,
        io: Io::Litert,
        passes: passes::parse("in_place").expect("a pass"),
        ..Settings::default()
    };
    prepare(&document, &Bindings::new(), &settings).expect("a model that can be planned")
}

/// With what a kernel asks for while it runs. Where it is as large as what its operator
/// writes, LiteRT's unstable sort decides which comes first: `ahead` says so.
fn with_scratch(mut lifetimes: Lifetimes, scratch: &[Buffer], ahead: bool) -> Lifetimes {
    if !ahead {
        lifetimes.buffers.extend_from_slice(scratch);
        return lifetimes;
    }
    for handover in &mut lifetimes.handovers {
        handover.before += scratch.len();
        handover.after += scratch.len();
    }
    lifetimes.buffers.splice(0..0, scratch.iter().cloned());
    lifetimes
}

/// Bytes and offset of every tensor.
type Places = BTreeMap<u32, (u64, u64)>;

/// Every address and the arena, against LiteRT's; the first few that differ.
fn differences(lifetimes: &Lifetimes, expected: &Places) -> Vec<String> {
    let plan = planned(lifetimes);
    let placed = lifetimes.buffers.iter().zip(&plan.offsets);
    let ours: Places = placed
        .map(|(buffer, offset)| {
            // Every tensor of a TFLite file has a storage of its own, in the file's order.
            let tensor = buffer.storage.expect("a tensor of the model");
            (tensor.0, (buffer.payload.0, offset.0))
        })
        .collect();
    let tensors = ours.keys().chain(expected.keys());
    let differ = tensors.filter(|tensor| ours.get(tensor) != expected.get(tensor));
    let say = |tensor: &u32| {
        let (ours, theirs) = (ours.get(tensor), expected.get(tensor));
        format!("tensor {tensor}: {ours:?} instead of {theirs:?}")
    };
    let mut said: Vec<String> = differ.take(5).map(say).collect();
    // The arena ends with the padding of its last tensor, which no address shows.
    let span = expected
        .values()
        .map(|(bytes, offset)| bytes + offset)
        .max();
    let arena = Bytes(span.unwrap_or(0)).align_up(ALIGNMENT);
    if Some(plan.arena) != arena {
        said.push(format!("arena {:?} instead of {arena:?}", plan.arena));
    }
    said
}

fn compare(file: &str, lifetimes: &Lifetimes, scratch: &[Buffer], expected: &Places) {
    let either = [false, true].map(|ahead| {
        let lifetimes = with_scratch(lifetimes.clone(), scratch, ahead);
        differences(&lifetimes, expected)
    });
    assert!(either.iter().any(Vec::is_empty), "{file}: {either:#?}");
}

fn by_tensor(rows: &[Row]) -> Places {
    let places = rows.iter().map(|row| (row.0, (row.1, row.5)));
    places.collect()
}

#[test]
fn litert_gives_these_addresses() {
    for (file, rows) in arenas() {
        let differences = differences(&of_rows(&rows), &by_tensor(&rows));
        assert!(differences.is_empty(), "{file}: {differences:#?}");
    }
}

/// What the table itself says, so that the test above means something: most models run
/// operators in place, and fragmentation is real: 1,769,472 B where 1,507,328 would do.
#[test]
fn the_table_holds_hand_overs_and_a_fragmented_arena() {
    let arenas = arenas();
    let in_place = |rows: &Vec<Row>| rows.iter().filter(|row| row.4 >= 0).count();
    assert!(arenas.values().map(in_place).all(|count| count > 0));
    let lifetimes = of_rows(&arenas["face_detection_short_range.tflite"]);
    assert_eq!(planned(&lifetimes).arena, Bytes(1_769_472));
}

/// The same from the model files: our own liveness and our own in-place rule.
#[test]
fn models_get_the_addresses_that_litert_gives_them() {
    for (file, rows) in arenas() {
        let Some(bytes) = fixture(&file) else {
            continue;
        };
        let subject = subject(&bytes);
        let tensors = subject.graph().map_or(0, |graph| graph.tensors.len());
        let scratch = rows.iter().filter(|row| row.0 as usize >= tensors);
        let scratch = scratch.map(|row| buffer(row.0, row.1, Span::new(row.2, row.3 + 1)));
        compare(
            &file,
            &subject.lifetimes,
            &scratch.collect::<Vec<_>>(),
            &by_tensor(&rows),
        );
    }
}

#[derive(Deserialize)]
struct Runs {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    file: String,
    arena_span: u64,
    /// Offset, bytes, tensor, name, whether it is an input, an output or not used.
    offsets: Vec<(u64, u64, u32, String, bool)>,
}

/// Nine models with weights removed, two of them with what a reduction asks for while it runs.
#[test]
fn shared_models_get_the_addresses_that_litert_gives_them() {
    let Some((_, json)) = shared::files("vectors", "litert_arena.json").pop() else {
        return;
    };
    let Runs { runs } = serde_json::from_slice(&json).expect("a table of runs");
    let models = shared::models(".tflite");
    assert_eq!(runs.len(), 9);
    for run in runs {
        let name = run.file.trim_end_matches(".tflite");
        let found = models.iter().find(|(file, _)| file.contains(name));
        let (_, bytes) = found.expect("every run has its model");
        let subject = subject(bytes);
        let graph = subject.graph().expect("a model");
        let mean = subject.program.iter().flat_map(Program::operators);
        let mean: Vec<bool> = mean.map(|op| op.kind == "MEAN").collect();
        let step = mean.iter().position(|&mean| mean).unwrap_or(0) as u64;
        let own = |row: &&(u64, u64, u32, String, bool)| row.2 as usize >= graph.tensors.len();
        let scratch: Vec<Buffer> = run
            .offsets
            .iter()
            .filter(own)
            .map(|row| buffer(row.2, row.1, Span::new(step, step + 1)))
            .collect();
        assert_eq!(scratch.len(), 3 * mean.iter().filter(|&&mean| mean).count());
        let places = run.offsets.iter().map(|row| (row.2, (row.1, row.0)));
        let expected: Places = places.collect();
        let ends = expected.values().map(|(bytes, offset)| bytes + offset);
        assert_eq!(ends.max(), Some(run.arena_span));
        compare(&run.file, &subject.lifetimes, &scratch, &expected);
    }
}
