//! Models that are exported with a plan: nothing but the plan changes, and what TFLite Micro would not
//! take is refused by name.

use planner::load::{Document, TfliteOutline, tflite_outline};
use planner::tflm_offline_plan::written;
use planner::{Bytes, Io, Offset, Options, Plan, Settings, Silent, Strategy, prepare, save};
use tests::chinese::load;
use tests::shared;

use super::schema::verify;
use super::{model, planned, read, subject};
use crate::tflite::builder::{Model, Operator, Tensor};

/// The plan for the model at these offsets, by tensors in order of first use.
fn at(offsets: &[u64]) -> Plan {
    Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        ..Plan::default()
    }
}

/// The file with a plan, in one piece, and what is promised.
fn take(bytes: &[u8], plan: &Plan) -> Result<(Vec<u8>, u64), String> {
    let source = bytes.to_vec();
    let lifetimes = subject(read(bytes).expect("a model").0).lifetimes;
    let written = written(&source, &lifetimes, plan).map_err(|error| error.to_string())?;
    let rest = usize::try_from(written.file.rest).expect("a small file");
    let whole = [&written.file.head, &bytes[rest..]].concat();
    Ok((whole, written.arena.0))
}

/// Everything that a plan must not change: the graph, and the bytes of the constants that
/// stay in the file, which move by a multiple of 64 bytes.
fn unchanged(before: &[u8], after: &[u8]) {
    use planner::graph::Content;
    let (mut one, _) = read(before).expect("a model");
    let (mut other, warnings) = read(after).expect("a model");
    assert_eq!(warnings, []);
    for (a, b) in one.tensors.iter_mut().zip(&mut other.tensors) {
        if let (Content::Range { start, len }, Content::Range { start: now, .. }) =
            (&mut a.content, &mut b.content)
        {
            let at = |start: u64| usize::try_from(start).expect("a small file");
            let bytes = |file: &[u8], from: u64| file[at(from)..at(from + *len)].to_vec();
            assert_eq!(bytes(before, *start), bytes(after, *now), "{}", a.name);
            assert_eq!((*now - *start) % 64, 0, "{}", a.name);
            *now = *start;
        }
    }
    one.offline.clear();
    other.offline.clear();
    assert_eq!(one, other);
}

#[test]
fn a_model_takes_a_plan_and_keeps_everything_else() {
    let mut original = model();
    original.buffers[0] = (0..5000_u32).map(|n| n.to_le_bytes()[0]).collect();
    original.description = Some("a model of two operators");
    original.signature = Some(0);
    original.metadata = vec![("min_runtime_version", b"1.5.0".to_vec())];
    let bytes = original.bytes();
    let (after, arena) = take(&bytes, &at(&[256, 0, 256])).expect("it takes the plan");
    assert_eq!(arena, 1024);
    verify(&bytes).expect("what the builder makes is sound");
    verify(&after).expect("a sound file");
    unchanged(&bytes, &after);
    let (graph, _) = read(&after).expect("a model");
    let given = [Some(256), None, None, Some(0), Some(256)];
    assert_eq!(graph.offline, given.map(|it| it.map(Offset)));
    let deployed = subject(graph).deployed.expect("it brings the plan");
    assert_eq!(deployed.arena, Bytes(1024));
    // Both metadata are there, and the body follows byte for byte.
    let outline = tflite_outline(&after).expect("a model");
    assert_eq!((outline.metadata.len(), outline.buffers.len()), (1, 5));
    assert!(after.ends_with(&bytes[8..]));
}

#[test]
fn a_plan_that_is_there_is_replaced() {
    let bytes = planned(&[0, -1, -1, 768, 0]).bytes();
    let (once, _) = take(&bytes, &at(&[256, 0, 256])).expect("it takes the plan");
    let (twice, _) = take(&once, &at(&[512, 0, 256])).expect("and another one");
    verify(&twice).expect("a sound file");
    unchanged(&bytes, &twice);
    let (graph, _) = read(&twice).expect("a model");
    assert_eq!(graph.offline[0], Some(Offset(512)));
    let outline = tflite_outline(&twice).expect("a model");
    assert_eq!(outline.metadata.len(), 0, "no older plan is left");
}

#[test]
fn a_model_without_metadata_or_buffers_takes_one_too() {
    let tensor = |name| Tensor {
        name,
        shape: vec![16],
        ..Tensor::default()
    };
    let bare = Model {
        tensors: vec![tensor("x"), tensor("y")],
        inputs: vec![0],
        outputs: vec![1],
        operators: vec![Operator {
            code: 1,
            inputs: vec![0],
            outputs: vec![1],
            options: None,
        }],
        buffers: Vec::new(),
        bare: true,
        ..Model::default()
    };
    let bytes = bare.bytes();
    let (after, arena) = take(&bytes, &at(&[64, 0])).expect("it takes the plan");
    verify(&after).expect("a sound file");
    unchanged(&bytes, &after);
    assert_eq!(arena, 128);
    // The plan's buffer is not buffer 0, which stays the empty one.
    let outline = tflite_outline(&after).expect("a model");
    assert_eq!(outline.buffers.len(), 2);
}

#[test]
fn tensors_that_nobody_uses_lie_together_at_the_start() {
    let mut idle = model();
    for name in ["left over", "left over too"] {
        idle.tensors.push(Tensor {
            name,
            shape: vec![300],
            ..Tensor::default()
        });
    }
    let bytes = idle.bytes();
    let (after, arena) = take(&bytes, &at(&[256, 0, 256])).expect("it takes the plan");
    // 300 floats are 1,200 bytes, 75 times 16.
    assert_eq!(arena, 1200);
    let (graph, _) = read(&after).expect("a model");
    assert_eq!(graph.offline[5..], [Some(Offset(0)), Some(Offset(0))]);
}

/// What is done to a model, the offsets that it is to take, and the reason against it.
type Refused = (fn(&mut Model), [u64; 3], &'static str);

#[test]
fn what_tflite_micro_would_not_take_is_refused_by_name() {
    let refused: &[Refused] = &[
        (|_| (), [0, 0, 512], "needs more of a plan"),
        (|_| (), [264, 0, 256], "needs more of a plan"),
        (|_| (), [1 << 31, 0, 256], "an offset beyond 2 GiB"),
        (
            |m| m.tensors[2].buffer = 0,
            [256, 0, 256],
            "the elements of b were taken out",
        ),
        (
            |m| m.outside = true,
            [256, 0, 256],
            "behind the FlatBuffers part",
        ),
        (
            |m| m.unknown = true,
            [256, 0, 256],
            "fields that we do not know",
        ),
        (
            |m| m.beside = vec![m.tensors[0].clone()],
            [256, 0, 256],
            "several subgraphs",
        ),
    ];
    for (change, offsets, reason) in refused {
        let mut model = model();
        change(&mut model);
        let said = take(&model.bytes(), &at(offsets)).expect_err(reason);
        assert!(said.contains(reason), "{said}");
    }
    // A subgraph without tensors takes no memory.
    let mut model = model();
    model.others = 1;
    assert!(take(&model.bytes(), &at(&[256, 0, 256])).is_ok());
}

#[test]
fn a_plan_for_other_lifetimes_or_sizes_is_refused() {
    let mut open = model();
    open.tensors[0].signature = vec![-1, 8, 8, 3];
    let bytes = open.bytes();
    let document = Document::Model(read(&bytes).expect("a model").0);
    let plan_for = |batch: u64, io: Io| {
        let settings = Settings {
            alignment: Bytes(16),
            io,
            ..Settings::default()
        };
        let bindings = [("x.0".to_owned(), batch)].into_iter().collect();
        let lifetimes = prepare(&document, &bindings, &settings);
        let lifetimes = lifetimes.expect("small sizes").lifetimes;
        let options = Options::aligned(Bytes(16));
        let plan = planner::plan(Strategy::Naive, &lifetimes, &options, &mut Silent);
        written(&bytes, &lifetimes, &plan.expect("a plan")).map_err(|error| error.to_string())
    };
    let said = plan_for(1, Io::Beside).expect_err("inputs and outputs have no place");
    assert!(said.contains("no place for 2 of the 3 tensors"), "{said}");
    let said = plan_for(4, Io::Tflm).expect_err("other sizes");
    assert!(
        said.contains("the plan is for 3072 bytes of x, which has 768"),
        "{said}"
    );
    // Under LiteRT's lifetimes everything has a place, and a longer one.
    assert!(plan_for(1, Io::Litert).is_ok());
    assert_eq!(
        plan_for(1, Io::Tflm).expect("the file's own").arena,
        Bytes(1280)
    );
    let csv = b"id,lower,upper,size\na,0,1,4\n".to_vec();
    let said = written(&csv, &Default::default(), &Plan::default()).expect_err("no model");
    assert!(said.to_string().contains("only a TFLite model"));
}

#[test]
fn files_of_two_gigabytes_are_refused() {
    let outline = TfliteOutline {
        len: (1 << 31) - 64,
        ..TfliteOutline::default()
    };
    assert_eq!(save::tflite(&outline, &[]), None);
}

#[test]
fn real_models_stay_sound_and_the_same() {
    for (name, bytes) in shared::models(".tflite") {
        let graph = read(&bytes).expect("a model").0;
        // Some had their elements moved after the model before these were taken out.
        let outline = match tflite_outline(&bytes) {
            Err(error)
                if error
                    .message
                    .to_string()
                    .contains("behind the FlatBuffers part") =>
            {
                continue;
            }
            outline => outline.expect("a model"),
        };
        let offsets = vec![Some(Offset(16)); graph.tensors.len()];
        let file = save::tflite(&outline, &offsets).expect("below 2 GiB");
        let after = [file.head.as_slice(), &bytes[8..]].concat();
        verify(&after).unwrap_or_else(|error| panic!("{name}: {error}"));
        unchanged(&bytes, &after);
        assert!(load(&after).is_ok(), "{name}");
    }
}

#[test]
fn a_plan_does_not_move_what_an_operator_finds_by_its_address() {
    const VELA: &[u8] = include_bytes!("../../../data/plans/offline/conv.vela.tflite");
    let (after, arena) = take(VELA, &at(&[0, 4096, 8192, 0, 16_384])).expect("it takes the plan");
    verify(&after).expect("a sound file");
    unchanged(VELA, &after);
    assert_eq!(arena, 24_576);
    let said = take(VELA, &at(&[0, 4096, 6144, 0, 16_384])).expect_err("b has moved");
    assert!(said.contains("needs more of a plan"), "{said}");
    let said = take(VELA, &at(&[0, 4096, 8192, 0, 0])).expect_err("d over e");
    assert!(said.contains("needs more of a plan"), "{said}");
}
