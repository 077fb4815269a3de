//! What an audit finds in recordings that break their own word: a test moves what a dispatch
//! writes, and leaves what its step declares as it is.

use executor::lower::Lowered;
use executor::recording::{Operand, Region, Space};
use executor::verify::report::Finding;
use planner::{Bytes, Offset, Step, Strategy};
use tests::confirmations::{audit, machines};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::runs::{Model, words};

/// Tensors of 16 floats without a gap between them, every value of `a` and `b` below zero:
/// a = -|x|, b = tanh a, c = relu a, d = b + c, y = relu d.
fn model() -> Model {
    let mut builder = OnnxBuilder::new("tight", 17);
    let shape = [Axis::Fixed(16)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let size = builder.op("size", "Abs", &[&x], vec![]);
    let a = builder.op("a", "Neg", &[&size], vec![]);
    let b = builder.op("b", "Tanh", &[&a], vec![]);
    let c = builder.op("c", "Relu", &[&a], vec![]);
    let d = builder.op("d", "Add", &[&b, &c], vec![]);
    let y = builder.op("y", "Relu", &[&d], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    Model::open(&builder.finish())
}

fn inputs() -> Vec<Vec<u32>> {
    let values: Vec<f32> = (1_u8..=16).map(|i| f32::from(i) / 8.0).collect();
    vec![words(&values)]
}

/// Without reuse: size at 0, a at 64, b at 128, c at 192 and d at 256 bytes.
fn lowered(model: &Model) -> Lowered {
    model.lowered(&model.plan(Strategy::Naive)).unwrap()
}

fn findings(model: &Model, lowered: &Lowered) -> Vec<Vec<Finding>> {
    let all = machines();
    let audits = all
        .iter()
        .map(|machine| audit(model, machine, lowered, &inputs()));
    audits.map(|audit| audit.findings).collect()
}

fn shifted(lowered: &mut Lowered, step: usize, by: i32) {
    let output = &mut lowered.recording.steps[step].dispatches[0].outputs[0];
    output.region.word = output.region.word.checked_add_signed(by).unwrap();
}

#[test]
fn nothing_is_found_in_an_honest_recording() {
    let model = model();
    let lowered = lowered(&model);
    for machine in machines() {
        let audit = audit(&model, &machine, &lowered, &inputs());
        assert_eq!(audit.findings, []);
        assert_eq!(audit.touched, Bytes(5 * 64));
    }
}

#[test]
fn a_write_one_word_too_low_hits_the_neighbour() {
    // b, of step 2, is written from the last word of a on, which step 3 still reads.
    let model = model();
    let mut lowered = lowered(&model);
    shifted(&mut lowered, 2, -1);
    let step = Step(2);
    let expected = vec![
        Finding::Outside {
            step,
            at: Offset(124),
            words: 1,
        },
        Finding::Unwritten {
            step,
            at: Offset(188),
            words: 1,
        },
        Finding::Clobbered {
            victim: 1,
            overwriter: step,
            at: Offset(124),
            words: 1,
        },
    ];
    for findings in findings(&model, &lowered) {
        assert_eq!(findings, expected);
    }
}

#[test]
fn a_write_one_word_too_high_leaves_a_word_and_lifts_the_mark() {
    // d, of step 4, is the highest: its last word falls beyond the arena, where it is lost;
    // its first word is left unwritten.
    let model = model();
    let mut lowered = lowered(&model);
    shifted(&mut lowered, 4, 1);
    let unwritten = Finding::Unwritten {
        step: Step(4),
        at: Offset(256),
        words: 1,
    };
    for findings in findings(&model, &lowered) {
        assert_eq!(findings, std::slice::from_ref(&unwritten));
    }
    // With room after the arena the word arrives there, and shows in the mark.
    lowered.recording.arena = Bytes(6 * 64);
    for machine in machines() {
        let audit = audit(&model, &machine, &lowered, &inputs());
        assert_eq!(audit.touched, Bytes(5 * 64 + 4));
        let outside = Finding::Outside {
            step: Step(4),
            at: Offset(320),
            words: 1,
        };
        assert_eq!(audit.findings, [outside, unwritten.clone()]);
    }
}

/// One more word of `from` is written to the word `to` of the arena at the end of `step`.
fn stray(lowered: &mut Lowered, step: usize, to: u32) {
    let mut dispatch = lowered.recording.steps[step].dispatches[0].clone();
    let one = |operand: &Operand, word: u32| Operand {
        region: Region {
            space: Space::Arena,
            word,
            words: 1,
        },
        dims: vec![1],
        ..operand.clone()
    };
    let from = dispatch.inputs[0].region.word;
    dispatch.inputs[0] = one(&dispatch.inputs[0], from);
    dispatch.outputs[0] = one(&dispatch.outputs[0], to);
    // The first parameter of a unary kernel is the number of elements.
    dispatch.params[0] = 1;
    lowered.recording.steps[step].dispatches.push(dispatch);
}

#[test]
fn a_stray_word_that_no_output_shows_is_found() {
    // Step 2 also writes tanh a[0] to a[5], while step 3 still has to read a. Both are below
    // zero, so relu makes the same of them.
    let model = model();
    let honest = lowered(&model);
    let mut stained = lowered(&model);
    stray(&mut stained, 2, 16 + 5);
    let outputs = |lowered: &Lowered| model.on_cpu(lowered, &inputs());
    assert_eq!(outputs(&honest), outputs(&stained));
    let step = Step(2);
    let expected = vec![
        Finding::Outside {
            step,
            at: Offset(64 + 20),
            words: 1,
        },
        Finding::Clobbered {
            victim: 1,
            overwriter: step,
            at: Offset(64 + 20),
            words: 1,
        },
    ];
    for findings in findings(&model, &stained) {
        assert_eq!(findings, expected);
    }
}

#[test]
fn a_stray_word_where_nobody_lives_is_outside_and_nothing_else() {
    // Step 4 is the last to need b and c; a has been dead since step 3.
    let model = model();
    let mut stained = lowered(&model);
    stray(&mut stained, 3, 3);
    let outside = Finding::Outside {
        step: Step(3),
        at: Offset(12),
        words: 1,
    };
    for findings in findings(&model, &stained) {
        assert_eq!(findings, std::slice::from_ref(&outside));
    }
}
