//! The same hardships for every format: cut off anywhere, damaged anywhere, far too large,
//! empty inside. Each file gives an error or a document that can be prepared and planned;
//! what counts is that all of them return. The tests of each reader hold the errors' words.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write as _;

use super::tflite::builder::{Level, Model};
use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::load::{Document, Fault, Format, Source};
use planner::{
    Buffer, Bytes, Handover, Lifetimes, Offset, Options, Pause, Pool, Pools, Settings, Silent,
    Span, Strategy, judged, prepare, save,
};
use tests::chinese::{assert_told, load};
use tests::deployed::only_plan;
use tests::onnx_builder::{DataType, OnnxBuilder, ints};
use tests::random::Random;

const OPTIONS: Options = Options::aligned(Bytes(64));

/// Damaged copies of each small file.
const DAMAGED: usize = 700;

/// A model with weights that are quantised and sparse.
fn tflite() -> Vec<u8> {
    let mut model = Model::default();
    let weights = &mut model.tensors[1];
    weights.quantization = Some((vec![0.5; 4], vec![0; 4], 0));
    let compressed = Level::Compressed(vec![0, 3, 3, 3, 3], vec![0, 1, 2]);
    let mut levels = vec![Level::Dense(4), compressed];
    levels.extend([Level::Dense(3), Level::Dense(3)]);
    weights.sparsity = Some((vec![0, 1, 2, 3], vec![], levels));
    model.bytes()
}

fn onnx() -> Vec<u8> {
    let mut net = OnnxBuilder::new("small", 17);
    let x = net.input("x", DataType::FLOAT, &["batch".into(), 8.into(), 3.into()]);
    let relu = net.op("relu", "Relu", &[&x], Vec::new());
    let perm = vec![ints("perm", &[0, 2, 1])];
    let turned = net.op("turned", "Transpose", &[&relu], perm);
    let shape = net.ints("shape", &[2], &[0, -1]);
    let flat = net.op("flat", "Reshape", &[&turned, &shape], Vec::new());
    let weight = net.weight("weight", &[24, 4]);
    let y = net.op("y", "MatMul", &[&flat, &weight], Vec::new());
    net.output(&y, DataType::FLOAT, &["batch".into(), 4.into()]);
    net.finish()
}

fn small_plan() -> (Lifetimes, String) {
    let buffers = [(64, 0, 3), (128, 1, 4), (64, 3, 6)];
    let buffers = buffers
        .map(|(size, start, end)| Buffer::new(format!("b{start}"), size, Span::new(start, end)));
    let mut lifetimes = Lifetimes::of(buffers);
    lifetimes.buffers[1].pauses = vec![Pause {
        span: Span::new(2, 3),
        window: Some((Bytes(64), Bytes(96))),
    }];
    lifetimes.handovers = vec![Handover {
        before: 1,
        after: 2,
        shift: Bytes(64),
    }];
    let made = judged(
        Strategy::GreedyBySize,
        &lifetimes,
        &bounds(&lifetimes),
        &OPTIONS,
        &mut Silent,
    );
    let mut plan = made.unwrap().plan;
    plan.pools = Some(Pools {
        declared: vec![Pool {
            name: "fast".into(),
            capacity: Some(Bytes(4096)),
        }],
        bases: vec![Offset(0)],
        sizes: vec![Bytes(plan.arena.0)],
        of_buffer: vec![0, 0, 0],
    });
    let json = save::plan_json(&lifetimes, &plan, &OPTIONS, &["CONV_2D", "ADD"]);
    (lifetimes, json)
}

/// A small file of every format.
fn small() -> [(Format, Vec<u8>); 6] {
    let csv = "id,lower,upper,size,offset,alignment,gaps,fixed,pools\n\
               a,0,3,64,0,8,1-2@8:64,,\nb,1,4,128,64,1,,64,1 0\n";
    let graph = "graph small\nlet N = 2\ninput x: f32[N, 8]\nconst w: f32[8, 4]\n\
                 a = MatMul(x, w)\ny = Reshape(a, [-1]) allowzero=0\noutput y\n";
    [
        (Format::Onnx, onnx()),
        (Format::Tflite, tflite()),
        (Format::Csv, csv.into()),
        (Format::PlanJson, small_plan().1.into_bytes()),
        (Format::GraphText, graph.into()),
        (
            Format::LayersJson,
            r#"{"model": "m", "layers": [["a", [-1], 8, 64, 3], ["b", [0], 4, 32, 0]]}"#.into(),
        ),
    ]
}

/// Loads, prepares and plans; says whether it came to a plan. A model's plan must be valid
/// whatever the file was.
fn planned(bytes: &dyn Source, bindings: impl Fn(usize) -> u64) -> bool {
    let Ok((_, document, _)) = load(bytes) else {
        return false;
    };
    let mut bound = Bindings::new();
    if let Document::Model(graph) = &document {
        let symbols = graph.symbols.iter().enumerate();
        bound.extend(symbols.map(|(index, symbol)| (symbol.name.clone(), bindings(index))));
    }
    let Ok(subject) = prepare(&document, &bound, &Settings::default()) else {
        return false;
    };
    let tensors = subject.graph().into_iter().flat_map(|it| &it.tensors);
    for missing in tensors.filter_map(|tensor| tensor.missing.as_ref()) {
        assert_told(&missing.detail);
    }
    let lifetimes = &subject.lifetimes;
    let bounds = bounds(lifetimes);
    for strategy in [Strategy::OffsetsBySize, Strategy::GreedyInOrder] {
        let made = judged(strategy, lifetimes, &bounds, &OPTIONS, &mut Silent);
        let valid = made.is_ok_and(|made| made.violations.is_empty());
        assert!(valid || subject.program.is_none(), "{strategy}");
    }
    true
}

#[test]
fn small_files_are_planned() {
    for (format, bytes) in small() {
        assert_eq!(load(&bytes).unwrap().0, format);
        assert!(planned(&bytes, |_| 1), "{format:?}");
    }
}

#[test]
fn every_prefix_returns() {
    for (_, bytes) in small() {
        for end in 0..bytes.len() {
            planned(&bytes[..end].to_vec(), |_| 1);
        }
    }
}

#[test]
fn random_damage_returns() {
    let mut random = Random::new(2026);
    for (format, bytes) in small() {
        let mut planned_ones = 0;
        for _ in 0..DAMAGED {
            let mut damaged = bytes.clone();
            for _ in 0..=random.index(4) {
                let at = random.index(damaged.len());
                match random.index(4) {
                    0 => damaged[at] ^= 1 << random.index(8),
                    1 => damaged[at] = [0, 1, 0x7f, 0x80, 0xff, b'9', b','][random.index(7)],
                    2 => {
                        damaged.remove(at);
                    }
                    _ => {
                        let twice = damaged[at..damaged.len().min(at + 8)].to_vec();
                        damaged.splice(at..at, twice);
                    }
                }
            }
            let large = random.bits() >> random.index(64);
            planned_ones += usize::from(planned(&damaged, |_| large));
        }
        // Some survive, some do not: neither way is left untried.
        assert!(
            (1..DAMAGED).contains(&planned_ones),
            "{format:?}: {planned_ones}"
        );
    }
}

#[test]
fn tensors_without_elements_take_no_room() {
    let mut net = OnnxBuilder::new("empty", 17);
    let x = net.input("x", DataType::FLOAT, &[0.into(), 3.into()]);
    let a = net.op("a", "Relu", &[&x], Vec::new());
    let b = net.op("b", "Relu", &[&a], Vec::new());
    net.output(&b, DataType::FLOAT, &[0.into(), 3.into()]);
    let mut model = Model::default();
    for tensor in [0, 3, 4] {
        model.tensors[tensor].shape[0] = 0;
    }
    let csv = "id,lower,upper,size\na,0,3,0\nb,1,4,0\n";
    let json = "{\"arenascope_plan\":1,\"arena\":0,\"buffers\":[{\"name\":\"a\",\"size\":0,\
                \"lower\":0,\"upper\":1,\"offset\":0}]}";
    for bytes in [net.finish(), model.bytes(), csv.into(), json.into()] {
        let (format, document, _) = load(&bytes).unwrap();
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).unwrap();
        let lifetimes = &subject.lifetimes;
        assert!(!lifetimes.buffers.is_empty(), "{format:?}");
        for strategy in Strategy::ALL {
            let made = judged(
                strategy,
                lifetimes,
                &bounds(lifetimes),
                &OPTIONS,
                &mut Silent,
            );
            let made = made.unwrap();
            let found = (made.plan.arena, made.violations);
            assert_eq!(found, (Bytes::ZERO, vec![]), "{format:?} {strategy}");
        }
    }
}

/// 2^31 − 1 is as far as TFLite's own numbers go; products are what goes beyond.
#[test]
fn dimensions_beyond_64_bits_are_left_out_with_their_reason() {
    let mut net = OnnxBuilder::new("endless", 17);
    let endless = [i64::MAX.into(), i64::MAX.into(), 3.into()];
    let x = net.input("x", DataType::FLOAT, &endless);
    let y = net.op("y", "Relu", &[&x], Vec::new());
    net.output(&y, DataType::FLOAT, &endless);
    let mut model = Model::default();
    model.tensors[0].shape = vec![i32::MAX; 4];
    for bytes in [net.finish(), model.bytes()] {
        let (format, document, _) = load(&bytes).unwrap();
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).unwrap();
        let missing = subject.split.unwrap().unsized_tensors;
        assert!(missing > 0, "{format:?}");
    }
}

#[test]
fn sizes_beyond_what_can_be_summed_are_refused() {
    let size = 1_u64 << 63;
    let csv = format!("id,lower,upper,size\na,0,3,{size}\n");
    let json = small_plan()
        .1
        .replace("\"size\":128", &format!("\"size\":{size}"));
    for text in [csv, json] {
        let error = load(&text.into_bytes()).unwrap_err();
        assert_eq!(error.kind, Fault::Limit, "{error}");
    }
}

#[test]
fn a_million_dimensions_are_refused() {
    let mut net = OnnxBuilder::new("wide", 17);
    let x = net.input("x", DataType::FLOAT, &vec![1.into(); 1_000_000]);
    net.output(&x, DataType::FLOAT, &[]);
    let mut model = Model::default();
    model.tensors[0].shape = vec![1; 1_000_000];
    for bytes in [net.finish(), model.bytes()] {
        let error = load(&bytes).unwrap_err();
        assert_eq!(error.kind, Fault::Limit, "{error}");
    }
}

/// A million rows or buffers; a million operators stand in `onnx/scale.rs`.
#[test]
fn a_million_buffers_are_planned() {
    let count = 1_000_000_u64;
    let mut csv = String::from("id,lower,upper,size,offset\n");
    for step in 0..count {
        let offset = 64 * (step % 2);
        writeln!(csv, "{step},{step},{},64,{offset}", step + 2).unwrap();
    }
    let (format, document, warnings) = load(&csv.into_bytes()).unwrap();
    assert_eq!((format, warnings), (Format::Csv, Vec::new()));
    let (lifetimes, plan) = only_plan(document);
    assert_eq!(plan.offsets.last(), Some(&Offset(64)));
    let json = save::plan_json(&lifetimes, &plan, &OPTIONS, &[]).into_bytes();
    let (_, again, _) = load(&json).unwrap();
    let (again, _) = only_plan(again);
    let made = planner::plan(Strategy::OffsetsInOrder, &again, &OPTIONS, &mut Silent).unwrap();
    assert_eq!(made.arena, Bytes(128));
}
