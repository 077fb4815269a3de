//! What a recording leaves out: copies of words that the plan already has where they belong,
//! and index arithmetic where whole runs of words move.

use executor::kernels::Kernel;
use executor::recording::Recording;
use planner::{Bytes, Offset, Settings, Silent, Strategy, plan};
use tests::onnx_builder::{DataType, OnnxBuilder, int};
use tests::runs::{Model, floats, gpu, words};

fn kernels(recording: &Recording, kind: &str) -> Vec<Kernel> {
    let steps = recording.steps.iter().filter(|step| step.kind == kind);
    let dispatches = steps.flat_map(|step| &step.dispatches);
    dispatches.map(|dispatch| dispatch.kernel).collect()
}

/// relu(x) as 2 x 3, reshaped to 3 x 2, times itself.
fn reshaped() -> Model {
    let mut builder = OnnxBuilder::new("reshaped", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 3.into()]);
    let shape = builder.ints("shape", &[2], &[3, 2]);
    let relu = builder.op("relu", "Relu", &[&x], vec![]);
    let view = builder.op("view", "Reshape", &[&relu, &shape], vec![]);
    let y = builder.op("y", "Mul", &[&view, &view], vec![]);
    builder.output(&y, DataType::FLOAT, &[3.into(), 2.into()]);
    Model::open(&builder.finish())
}

#[test]
fn a_reshape_in_place_takes_no_dispatch() {
    let model = reshaped();
    let mut plan = model.plan(Strategy::OffsetsBySize);
    let apart = model
        .lowered(&plan)
        .expect("a plan that the judge has passed");
    assert_eq!(kernels(&apart.recording, "Reshape"), [Kernel::Copy]);
    // Both sides at the same words: the judge would not have it, but a plan may say so.
    plan.offsets.fill(Offset(0));
    let alias = model.lowered(&plan).expect("an alias");
    assert_eq!(kernels(&alias.recording, "Reshape"), []);
    let x = [words(&[-1.0, 2.0, 3.0, 0.0, 5.0, -6.0])];
    for lowered in [apart, alias] {
        let mut runs = vec![model.on_cpu(&lowered, &x)];
        if let Some(gpu) = gpu() {
            runs.push(
                model
                    .on_gpu(&gpu, &lowered, &x, 0x7149_f2ca)
                    .expect("a run"),
            );
        }
        for outputs in runs {
            assert_eq!(floats(&outputs[0]), [0.0, 4.0, 9.0, 0.0, 25.0, 0.0]);
        }
    }
}

/// −√(relu(x) + 1), all in the words of relu(x), with a view on the way.
fn written_over() -> Model {
    let mut builder = OnnxBuilder::new("written over", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 3.into()]);
    let one = builder.constant_float("one", 1.0);
    let shape = builder.ints("shape", &[2], &[3, 2]);
    let relu = builder.op("relu", "Relu", &[&x], vec![]);
    let plus = builder.op("plus", "Add", &[&relu, &one], vec![]);
    let view = builder.op("view", "Reshape", &[&plus, &shape], vec![]);
    let squared = builder.op("squared", "Sqrt", &[&view], vec![]);
    let y = builder.op("y", "Neg", &[&squared], vec![]);
    builder.output(&y, DataType::FLOAT, &[3.into(), 2.into()]);
    let settings = Settings {
        passes: planner::passes::parse("in_place").expect("a pass"),
        ..Settings::default()
    };
    Model::open_with(&builder.finish(), settings)
}

#[test]
fn operators_run_in_place_where_the_plan_says_so() {
    let model = written_over();
    let options = planner::Options::aligned(Bytes(64));
    let planned = plan(
        Strategy::LitertArena,
        &model.lifetimes,
        &options,
        &mut Silent,
    );
    let planned = planned.expect("a plan");
    // Four tensors of 24 bytes in one block.
    assert_eq!(planned.arena, Bytes(64));
    let lowered = model.lowered(&planned).expect("element by element");
    let x = [words(&[-1.0, 3.0, 8.0, 0.0, 15.0, -6.0])];
    let mut runs = vec![model.on_cpu(&lowered, &x)];
    if let Some(gpu) = gpu() {
        runs.push(
            model
                .on_gpu(&gpu, &lowered, &x, 0x7149_f2ca)
                .expect("a run"),
        );
    }
    for outputs in runs {
        assert_eq!(floats(&outputs[0]), [-1.0, -2.0, -3.0, -1.0, -4.0, -1.0]);
    }
}

/// A tensor and what Relu makes of it, one after the other along dimension 1.
fn joined(batch: i64) -> Model {
    let mut builder = OnnxBuilder::new("joined", 17);
    let dims = |channels: i64| [batch.into(), channels.into(), 5.into()];
    let x = builder.input("x", DataType::FLOAT, &dims(3));
    let relu = builder.op("relu", "Relu", &[&x], vec![]);
    let both = builder.op("both", "Concat", &[&x, &relu], vec![int("axis", 1)]);
    builder.output(&both, DataType::FLOAT, &dims(6));
    Model::open(&builder.finish())
}

/// Channels of one picture follow each other; those of several do not.
#[test]
fn contiguous_pieces_are_copied_by_words() {
    for (batch, expected) in [(1, Kernel::Copy), (2, Kernel::StridedCopy)] {
        let model = joined(batch);
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let recording = lowered.expect("kernels for all").recording;
        assert_eq!(kernels(&recording, "Concat"), [expected; 2]);
    }
}
