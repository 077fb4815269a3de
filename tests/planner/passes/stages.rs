//! The program after each pass, and which passes run over what.

use std::collections::BTreeSet;

use planner::graph::{Bindings, OpId, TensorId};
use planner::load::Document;
use planner::passes::{Given, LeftAlone, Reason};
use planner::{Bytes, Io, PassSet, Settings, Stage, passes, prepare, stages};
use tests::chinese::{assert_told, load};
use tests::onnx_builder::{DataType, OnnxBuilder};

const EVICTED: &[u8] = include_bytes!("../../data/recomputed.json");
const TFLITE: &[u8] = include_bytes!("../../data/plans/offline/documented.tflite");

fn settings(names: &str) -> Settings {
    Settings {
        passes: passes::parse(names).expect("passes"),
        ..Settings::default()
    }
}

fn document(bytes: &[u8]) -> Document {
    load(&bytes.to_vec()).expect("a document").1
}

fn stages_of(document: &Document, settings: &Settings) -> Vec<Stage> {
    let known = (&Bindings::new(), &Given::new());
    stages(document, known, settings).expect("small")
}

fn names(stages: &[Stage]) -> Vec<&str> {
    stages.iter().map(|stage| &*stage.report.pass).collect()
}

/// x ─MatMul─▶ t ─Relu─▶ u ─Exp─▶ e ─Neg─▶ y, all 4 × 4 floats: 64 B each.
fn chain() -> Document {
    let mut b = OnnxBuilder::new("chain", 17);
    let dims = [4.into(), 4.into()];
    let x = b.input("x", DataType::FLOAT, &dims);
    let w = b.weight("w", &[4, 4]);
    let t = b.op("t", "MatMul", &[&x, &w], vec![]);
    let u = b.op("u", "Relu", &[&t], vec![]);
    let e = b.op("e", "Exp", &[&u], vec![]);
    let y = b.op("y", "Neg", &[&e], vec![]);
    b.output(&y, DataType::FLOAT, &dims);
    document(&b.finish())
}

#[test]
fn every_pass_leaves_a_stage_and_the_last_one_is_what_is_planned() {
    let (document, settings) = (chain(), settings("in_place,fusion=activations"));
    let stages = stages_of(&document, &settings);
    let expected = ["given", "shapes", "fold", "fusion", "in_place"];
    assert_eq!(names(&stages), expected);
    // Before shapes are inferred only x and y have a size, and they lie beside the arena.
    // Fusion takes t away; in place, e may lie on u.
    let buffers = |stage: &Stage| stage.lifetimes.buffers.len();
    assert_eq!(
        stages.iter().map(buffers).collect::<Vec<_>>(),
        [0, 3, 3, 2, 2]
    );
    let handovers = |stage: &Stage| stage.lifetimes.handovers.len();
    assert_eq!(
        stages.iter().map(handovers).collect::<Vec<_>>(),
        [0, 0, 0, 0, 1]
    );
    let subject = prepare(&document, &Bindings::new(), &settings).expect("small");
    let last = stages.last().expect("five stages");
    assert_eq!(subject.program.as_ref(), Some(&last.program));
    assert_eq!(subject.lifetimes, last.lifetimes);
    let reports: Vec<_> = stages.iter().map(|stage| stage.report.clone()).collect();
    assert_eq!(subject.reports, reports);
}

/// What a report maps a tensor to has the name that it had before, unless it is gone.
#[test]
fn reports_follow_tensors_from_stage_to_stage() {
    let stages = stages_of(&chain(), &settings("fusion=activations"));
    let mut gone = Vec::new();
    for pair in stages.windows(2) {
        let (before, after) = (&pair[0].program.graph, &pair[1]);
        for (index, tensor) in before.tensors.iter().enumerate() {
            match after.report.after(TensorId::at(index)) {
                Some(id) => assert_eq!(after.program.graph.tensor(id).name, tensor.name),
                None => gone.push(tensor.name.as_str()),
            }
        }
    }
    assert_eq!(gone, ["t"]);
}

/// A program JSON keeps its operators, and so does a file as TFLite Micro runs it; where a
/// plan may write over an input is no change to them.
#[test]
fn a_program_as_it_is_written_is_only_aliased() {
    let evicted = document(EVICTED);
    let tflite = document(TFLITE);
    let tflm = Settings {
        io: Io::Tflm,
        ..settings("fusion=activations,in_place")
    };
    for (document, settings) in [
        (&evicted, settings("fusion=activations,in_place")),
        (&tflite, tflm),
    ] {
        let stages = stages_of(document, &settings);
        assert_eq!(names(&stages), ["in_place"]);
        let none = Settings {
            passes: PassSet::NONE,
            ..settings
        };
        assert_eq!(names(&stages_of(document, &none)), Vec::<&str>::new());
        let plain = prepare(document, &Bindings::new(), &none).expect("small");
        assert_eq!(plain.graph(), Some(&stages[0].program.graph));
        assert!(stages[0].report.changes > 0);
        assert_eq!(plain.lifetimes.handovers, []);
        assert!(!stages[0].lifetimes.handovers.is_empty());
    }
}

/// Whatever a pass refuses is told in Chinese, too.
#[test]
fn reasons_are_told_in_both_languages() {
    let op = OpId::at(0);
    let (from, to) = (Bytes(64), Bytes(128));
    let reasons = [
        Reason::ReadBy { op },
        Reason::NeedsContiguous { op },
        Reason::IsInput,
        Reason::IsOutput,
        Reason::IsConstant,
        Reason::IsState,
        Reason::Unsized,
        Reason::OtherSize,
        Reason::OtherType,
        Reason::Scalar,
        Reason::OtherScale,
        Reason::NotQuantised,
        Reason::Repeats,
        Reason::Backwards,
        Reason::OffWord,
        Reason::Held,
        Reason::Gaps,
        Reason::Unknown,
        Reason::Untried,
        Reason::RaisesPeak { from, to },
    ];
    let names: BTreeSet<&str> = reasons.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), reasons.len());
    let alone = [
        LeftAlone::DoesMore,
        LeftAlone::Parallel,
        LeftAlone::Offsets,
        LeftAlone::TooLarge,
    ];
    let told = reasons.iter().map(|it| it.message());
    for message in told.chain(alone.iter().map(|it| it.message())) {
        assert_ne!(error_texts::in_chinese(&message), message.to_string());
        assert_told(&message);
    }
}
