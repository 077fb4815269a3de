//! The last stage of a model is run beside the model as it was before its passes.

use executor::verify::report::{Agreement, Reference};
use executor::verify::{Inputs, Machine, Question, execute};
use planner::{Bytes, Settings, Strategy, passes};
use tests::confirmations::{branching, machines, question, report};
use tests::onnx_builder::{DataType, OnnxBuilder, int, ints};
use tests::runs::{Model, words};

const LAST: &str = "fusion,views,concat,in_place=aggressive,order";

fn staged(bytes: &[u8], names: &str) -> Model {
    let settings = Settings {
        passes: passes::parse(names).expect("passes"),
        ..Settings::default()
    };
    Model::open_with(bytes, settings)
}

#[test]
fn the_last_stage_gives_the_outputs_of_the_first() {
    let (plain, last) = (staged(&branching(), ""), staged(&branching(), LAST));
    assert!(last.lifetimes.buffers.len() < plain.lifetimes.buffers.len());
    let plan = plain.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let one = report(&machine, &question(&plain, &plan)).expect("a run");
        assert_eq!(one.before_passes, None, "no pass has rewritten it");
        let plan = last.plan(Strategy::OffsetsBySize);
        let report = report(&machine, &question(&last, &plan)).expect("a run");
        let before = report.before_passes.expect("it was run").expect("a plan");
        // That is the model without passes, by the same strategy.
        assert_eq!(before.arena, one.promised);
        assert!(before.arena > report.promised);
        match machine {
            Machine::Cpu => assert_eq!(before.differing, 0),
            Machine::Gpu(_) => assert!(before.deviation.max_rel < 1e-5, "{before:?}"),
        }
    }
}

/// A view that begins one row too late reads other elements.
#[test]
fn a_wrong_view_is_told_from_the_first_stage() {
    let mut b = OnnxBuilder::new("slice", 17);
    let dims = [4.into(), 4.into()];
    let x = b.input("x", DataType::FLOAT, &dims);
    let base = b.op("base", "Exp", &[&x], vec![]);
    let [from, to] = [("from", 0), ("to", 2)].map(|(name, at)| b.ints(name, &[1], &[at]));
    let view = b.op("view", "Slice", &[&base, &from, &to], vec![]);
    let sum = b.op("sum", "ReduceMean", &[&base], vec![ints("axes", &[0])]);
    let y = b.op("y", "Add", &[&view, &sum], vec![]);
    b.output(&y, DataType::FLOAT, &[2.into(), 4.into()]);
    let mut model = staged(&b.finish(), "views");
    let plan = model.plan(Strategy::OffsetsBySize);
    let differing = |model: &Model| {
        let report = report(&Machine::Cpu, &question(model, &plan)).expect("a run");
        let before = report.before_passes.expect("it was run").expect("a plan");
        (before.differing, before.deviation.max_abs > 0.0)
    };
    assert_eq!(differing(&model), (0, false));
    let tensors = model.program.graph.tensors.iter();
    let index = tensors
        .zip(0_usize..)
        .find(|(it, _)| it.name == "view")
        .map(|(_, index)| index);
    let view = &mut model.program.storages.views[index.expect("a tensor")];
    view.offset = Bytes(16);
    assert_eq!(differing(&model), (8, true));
}

/// Rows 0 and 1 of the negated input are what is asked for; a view that begins one row too late
/// gives rows 1 and 2. Of 1, 2 and 2 as integers four of eight elements are others; of NaN, 1 and 1
/// one row is a number in place of NaN, and of 1, NaN and 1 the other one is the reverse, too.
#[test]
fn integers_and_what_is_no_number_are_counted_apart_from_rounding() {
    let shifted = |to: Option<DataType>, rows: [f32; 3]| {
        let mut b = OnnxBuilder::new("slice", 17);
        let x = b.input("x", DataType::FLOAT, &[3.into(), 4.into()]);
        let base = b.op("base", "Neg", &[&x], vec![]);
        let [from, at] = [("from", 0), ("to", 2)].map(|(name, at)| b.ints(name, &[1], &[at]));
        let view = b.op("view", "Slice", &[&base, &from, &at], vec![]);
        let y = match to {
            // TensorProto.DataType: INT32 is 6.
            Some(_) => b.op("y", "Cast", &[&view], vec![int("to", 6)]),
            None => b.op("y", "Neg", &[&view], vec![]),
        };
        b.output(&y, to.unwrap_or(DataType::FLOAT), &[2.into(), 4.into()]);
        let mut model = staged(&b.finish(), "views");
        let tensors = model.program.graph.tensors.iter();
        let index = tensors.zip(0_usize..).find(|(it, _)| it.name == "view");
        let index = index.map(|(_, index)| index).expect("a tensor");
        model.program.storages.views[index].offset = Bytes(16);
        let plan = model.plan(Strategy::OffsetsBySize);
        let question = Question {
            inputs: Inputs::Given(vec![Some(words(&rows.map(|row| [row; 4]).concat()))]),
            ..question(&model, &plan)
        };
        let report = report(&Machine::Cpu, &question).expect("a run");
        report
            .before_passes
            .expect("it was run")
            .expect("a plan")
            .deviation
    };
    let whole = shifted(Some(DataType::INT32), [1.0, 2.0, 2.0]);
    assert_eq!((whole.unlike, whole.whole), (0, 4));
    assert_eq!(whole.agreement(), Agreement::Apart);
    let unlike = shifted(None, [f32::NAN, 1.0, 1.0]);
    assert_eq!((unlike.unlike, unlike.whole), (4, 0));
    let both = shifted(None, [1.0, f32::NAN, 1.0]);
    assert_eq!((both.unlike, both.whole), (8, 0));
    // Floats that are apart are no news: how far is in the figures.
    let rounded = shifted(None, [1.0, 2.0, 2.0]);
    assert_eq!(
        (rounded.max_abs, rounded.agreement()),
        (1.0, Agreement::Same)
    );
}

/// Cast of NaN to a boolean and its sign, of which WGSL lets a GPU make any value: headline and
/// figures count what an execution on each machine shows, whatever this GPU makes of it.
#[test]
fn what_a_gpu_makes_of_nan_is_said_beside_the_verdict() {
    let mut b = OnnxBuilder::new("odd", 17);
    let x = b.input("x", DataType::FLOAT, &[4.into()]);
    // TensorProto.DataType: BOOL is 9.
    let is = b.op("is", "Cast", &[&x], vec![int("to", 9)]);
    let sign = b.op("sign", "Sign", &[&x], vec![]);
    b.output(&is, DataType::BOOL, &[4.into()]);
    b.output(&sign, DataType::FLOAT, &[4.into()]);
    let model = staged(&b.finish(), "");
    let plan = model.plan(Strategy::Naive);
    for machine in machines() {
        if matches!(machine, Machine::Cpu) {
            continue;
        }
        for (given, odd) in [
            ([1.0, f32::NAN, 0.0, -2.0], true),
            ([1.0, 3.0, 0.0, -2.0], false),
        ] {
            let question = Question {
                inputs: Inputs::Given(vec![Some(words(&given))]),
                ..question(&model, &plan)
            };
            let outputs = |machine: &Machine| {
                let run = pollster::block_on(execute(machine, &question, 1)).expect("a run");
                run.outputs
                    .into_iter()
                    .map(|(_, words)| words)
                    .collect::<Vec<_>>()
            };
            let [own, expected] = [outputs(&machine), outputs(&Machine::Cpu)];
            // Booleans take a byte each, floats a word.
            let bytes = |words: &[u32]| words[0].to_le_bytes();
            let pairs = bytes(&own[0]).into_iter().zip(bytes(&expected[0]));
            let whole = pairs.filter(|(a, b)| a != b).count() as u64;
            let is_odd = |word: &&u32| f32::from_bits(**word).is_nan();
            let [own, expected] =
                [&own[1], &expected[1]].map(|it| it.iter().filter(is_odd).count());
            let reference = report(&machine, &question).expect("a run").reference;
            let reference: Reference = reference.expect("a reference");
            let unlike = own.abs_diff(expected) as u64;
            assert_eq!((reference.whole, reference.unlike), (whole, unlike));
            assert_eq!(reference.odd, odd);
            let expected = match (whole + unlike, odd) {
                (0, _) => Agreement::Same,
                (_, true) => Agreement::Open,
                (_, false) => Agreement::Apart,
            };
            assert_eq!(reference.agreement(), expected);
        }
    }
}
