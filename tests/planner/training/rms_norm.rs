//! What a root-mean-square normalisation keeps, written out and as one operator: the residuals of
//! Stanford CS336's handout (spring 2026, assignment 2) for x of 4 × 512 × 2560 in 32 bits.

use planner::graph::Bindings;
use planner::load::load;
use planner::training::stage;
use planner::{Settings, prepare};

use super::autograd::AUTOGRAD;

/// Name, bytes, and who reads it.
type Residual = (String, u64, Vec<String>);

/// What is kept, without what the caller, a parameter or the loss
/// holds. x is made by a product with weights, so that its gradient is asked for.
fn kept(calls: &str) -> (Vec<Residual>, Vec<String>) {
    let text = format!(
        "graph norm onnx 23\ninput x0: f32[4, 512, 2560]\nconst v: f32[2560]\nconst w: f32[2560]\n\
         x = Mul(x0, v)\n{calls}output y\n"
    );
    let (_, document, _) = load(&text.into_bytes()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let step = stage::step(subject.graph().expect("a model"), 1, AUTOGRAD).expect("a step");
    assert!(step.unknown.is_empty(), "{:?}", step.unknown);
    let own = step
        .saved
        .iter()
        .filter(|it| !it.input && !it.by.is_empty());
    let own = own.map(|it| (it.name.clone(), it.bytes.0, it.by.clone()));
    (own.collect(), step.untrained)
}

const X: u64 = 4 * 512 * 2560 * 4;
const ROWS: u64 = 4 * 512 * 4;

/// The handout lists six residuals: x, [4, 512, 1], [4, 512, 1], x, x · rms and the weight. Slots
/// that hold the same value are one here: x is read by both products, and rms twice. The square
/// root and its reciprocal are two operators in ONNX, of which each keeps its result; `rsqrt` keeps
/// one. The weight is a parameter, which is there in any case.
#[test]
fn written_out_it_keeps_the_six_residuals_of_the_handout() {
    let (own, untrained) = kept(
        "s = Mul(x, x)\nm = ReduceMean(s, [-1])\ne = Add(m, 0.00001)\nq = Sqrt(e)\n\
         r = Reciprocal(q)\nn = Mul(x, r)\ny = Mul(n, w)\n",
    );
    let sizes: Vec<(&str, u64)> = own.iter().map(|it| (it.0.as_str(), it.1)).collect();
    let expected = [
        ("Mul_0", X),
        ("Sqrt_4", ROWS),
        ("Reciprocal_5", ROWS),
        ("Mul_6", X),
    ];
    assert_eq!(sizes, expected);
    assert!(untrained.is_empty(), "{untrained:?}");
    // Slots of one value: x in two products; rms in one, and for its own gradient.
    let readers: Vec<usize> = own.iter().map(|it| it.2.len()).collect();
    assert_eq!(readers, [2, 1, 2, 1], "{own:?}");
}

/// Compiled it keeps three: x, the weight and [4, 512, 1].
#[test]
fn as_one_operator_it_keeps_its_input_and_a_number_for_each_row() {
    let (own, untrained) = kept("y = RMSNormalization(x, w)\n");
    let sizes: Vec<u64> = own.iter().map(|it| it.1).collect();
    assert_eq!(sizes, [X, ROWS], "{own:?}");
    assert!(untrained.is_empty(), "{untrained:?}");
}
