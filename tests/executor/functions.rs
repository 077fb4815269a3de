//! Functions of f32 against their definitions in f64, over the range where they change, on
//! both machines. WGSL's own exp, log, tanh, sin and pow may be far less exact than this.

use executor::engine::Connection;
use executor::verify::{Inputs, Question, execute};
use planner::Strategy;
use rten_onnx::onnx::AttributeProto;
use tests::confirmations::question;
use tests::onnx_builder::{DataType, OnnxBuilder, float};
use tests::random::Random;
use tests::runs::{Model, floats, gpu, words};

const COUNT: usize = 4096;

struct Case {
    kind: &'static str,
    attributes: Vec<AttributeProto>,
    range: (f32, f32),
    truth: fn(f64) -> f64,
    /// Largest error relative to the value, beside what is absolute.
    relative: f64,
    absolute: f64,
}

fn case(kind: &'static str, low: f32, high: f32, truth: fn(f64) -> f64) -> Case {
    Case {
        kind,
        attributes: Vec::new(),
        range: (low, high),
        truth,
        // Eight units in the last place: two operations on the device may be off by 2.5 each.
        relative: 8.0 / f64::from(1 << 24),
        // Below the smallest normal number, f32 may be 0 on a GPU.
        absolute: 1.2e-38,
    }
}

impl Case {
    fn with(mut self, attributes: Vec<AttributeProto>) -> Self {
        self.attributes = attributes;
        self
    }

    fn within(mut self, relative: f64, absolute: f64) -> Self {
        (self.relative, self.absolute) = (relative, absolute);
        self
    }
}

/// 2/√π ∫ exp(-t²) dt from a to b, by Simpson's rule.
fn gauss(a: f64, b: f64) -> f64 {
    const STEPS: u32 = 400;
    let h = (b - a) / f64::from(STEPS);
    let f = |n: u32| {
        let t = a + h * f64::from(n);
        (-t * t).exp()
    };
    let inner = (1..STEPS).map(|n| if n % 2 == 1 { 4.0 * f(n) } else { 2.0 * f(n) });
    std::f64::consts::FRAC_2_SQRT_PI * h / 3.0 * (f(0) + inner.sum::<f64>() + f(STEPS))
}

fn erf(x: f64) -> f64 {
    gauss(0.0, x.clamp(-7.0, 7.0))
}

/// Below zero by the tail of the integral, because 1 + erf would lose every digit.
fn gelu(x: f64) -> f64 {
    let a = x.abs() * std::f64::consts::FRAC_1_SQRT_2;
    let tail = gauss(a, a + 5.0);
    0.5 * x * if x < 0.0 { tail } else { 2.0 - tail }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn functions() -> Vec<Case> {
    vec![
        case("Exp", -87.0, 88.0, f64::exp),
        case("Log", 1e-30, 8.0, f64::ln),
        case("Log", 0.9, 1.1, f64::ln),
        case("Sqrt", 0.0, 1e6, f64::sqrt),
        case("Tanh", -12.0, 12.0, f64::tanh),
        case("Tanh", -1e-3, 1e-3, f64::tanh),
        case("Tanh", -1e30, 1e30, f64::tanh),
        case("Sigmoid", -80.0, 80.0, sigmoid),
        // So far out the values are below f32's normal numbers.
        case("Sigmoid", -1e30, 1e30, sigmoid),
        case("Softplus", -80.0, 80.0, softplus),
        case("Softplus", -1e30, 1e30, softplus),
        case("Erf", -6.0, 6.0, erf),
        case("Erf", -0.6, 0.6, erf),
        case("Gelu", -5.0, 5.0, gelu).within(2e-6, 1e-9),
        case("Elu", -20.0, 3.0, |x| if x < 0.0 { x.exp_m1() } else { x }),
        case("Elu", -1e-3, 1e-3, |x| if x < 0.0 { x.exp_m1() } else { x }),
        // The argument of tanh is rounded before the exponential stretches it.
        case("Gelu", -4.0, 4.0, |x| {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        })
        .with(vec![tests::onnx_builder::text("approximate", "tanh")])
        .within(4e-6, 1e-9),
        case("Mish", -20.0, 20.0, |x| x * softplus(x).tanh()).within(2e-6, 1e-38),
        case("Swish", -60.0, 60.0, |x| x * sigmoid(1.5 * x))
            .with(vec![float("alpha", 1.5)])
            .within(4e-6, 1e-36),
        case("Celu", -20.0, 3.0, |x| {
            x.max(0.0) + 2.0 * (x.min(0.0) / 2.0).exp_m1()
        })
        .with(vec![float("alpha", 2.0)]),
        // Near its zeros the sine is as exact as the argument's distance from them.
        case("Sin", -3000.0, 3000.0, f64::sin).within(4e-7, 2e-7),
        case("Cos", -3000.0, 3000.0, f64::cos).within(4e-7, 2e-7),
        case("Sin", -0.5, 0.5, f64::sin),
        // Whole turns of numbers of any size are known to the last of their bits.
        case("Sin", -1e5, 1e5, f64::sin).within(4e-7, 2e-7),
        case("Cos", -1e10, 1e10, f64::cos).within(4e-7, 2e-7),
        case("Sin", -3e38, 3e38, f64::sin).within(4e-7, 2e-7),
        case("Round", -9.0, 9.0, f64::round_ties_even).within(0.0, 0.0),
        case("Floor", -9.0, 9.0, f64::floor).within(0.0, 0.0),
        case("Ceil", -9.0, 9.0, f64::ceil).within(0.0, 0.0),
    ]
}

/// Even steps over the range, and seeded numbers between them.
fn arguments((low, high): (f32, f32)) -> Vec<f32> {
    let mut random = Random::new(7);
    let share = |n: usize, random: &mut Random| match n % 2 {
        0 => n as f64 / (COUNT - 2) as f64,
        _ => random.below(1 << 24) as f64 / f64::from(1 << 24),
    };
    let (low, high) = (f64::from(low), f64::from(high));
    #[expect(clippy::cast_possible_truncation, reason = "arguments are f32")]
    let argument = |share: f64| (low + (high - low) * share) as f32;
    (0..COUNT)
        .map(|n| argument(share(n, &mut random)))
        .collect()
}

fn machines(
    model: &Model,
    inputs: &[Vec<u32>],
    gpu: Option<&Connection>,
) -> Vec<(&'static str, Vec<f32>)> {
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    let mut found = vec![("CPU", floats(&model.on_cpu(&lowered, inputs)[0]))];
    if let Some(gpu) = gpu {
        let on_gpu = model.on_gpu(gpu, &lowered, inputs, 0x7149_f2ca).unwrap();
        found.push(("GPU", floats(&on_gpu[0])));
    }
    found
}

fn close(found: f32, truth: f64, relative: f64, absolute: f64) -> bool {
    (f64::from(found) - truth).abs() <= truth.abs() * relative + absolute
}

#[test]
fn functions_of_one_element_are_as_exact_as_f32_allows() {
    let gpu = gpu();
    for case in functions() {
        let x = arguments(case.range);
        let mut builder = OnnxBuilder::new("function", 24);
        let len = [i64::try_from(COUNT).unwrap().into()];
        builder.input("x", DataType::FLOAT, &len);
        builder.op("y", case.kind, &["x"], case.attributes.clone());
        builder.output("y", DataType::FLOAT, &len);
        let model = Model::open(&builder.finish());
        for (machine, y) in machines(&model, &[words(&x)], gpu.as_ref()) {
            for (&x, &y) in x.iter().zip(&y) {
                let truth = (case.truth)(f64::from(x));
                assert!(
                    close(y, truth, case.relative, case.absolute),
                    "{}({x:e}) is {truth:e}, on the {machine} {y:e}",
                    case.kind,
                );
            }
        }
    }
}

/// What is no number stays none, whatever it is compared with.
#[test]
fn no_number_is_dropped() {
    let a = [f32::NAN, 1.0, f32::NAN, f32::NEG_INFINITY];
    let b = [2.0, f32::NAN, f32::NAN, 3.0];
    for (kind, last) in [("Max", 3.0), ("Min", f32::NEG_INFINITY)] {
        for (machine, y) in pairs(kind, vec![], &a, &b) {
            let nans = y[..3].iter().all(|y| y.is_nan());
            assert!(
                nans && y[3].to_bits() == last.to_bits(),
                "{kind} on the {machine}: {y:?}"
            );
        }
    }
    let text = "\
graph none onnx 17
input x: f32[2, 2]
const zero: f32[] = 0
const one: f32[] = 1
r = Relu(x)
c = Clip(x, zero, one)
m = ReduceMax(x) axes=[1] keepdims=1
output r
output c
output m
";
    let model = Model::open(text.as_bytes());
    let x = words(&[f32::NAN, 5.0, -1.0, 0.5]);
    let expected: [&[f32]; 3] = [
        &[f32::NAN, 5.0, 0.0, 0.5],
        &[f32::NAN, 1.0, 0.0, 0.5],
        &[f32::NAN, 0.5],
    ];
    let plan = model.plan(Strategy::Naive);
    for machine in tests::confirmations::machines() {
        let question = Question {
            inputs: Inputs::Given(vec![Some(x.clone())]),
            ..question(&model, &plan)
        };
        let outputs = pollster::block_on(execute(&machine, &question, 1)).expect("it runs");
        for ((name, found), expected) in outputs.outputs.iter().zip(expected) {
            let found = floats(found);
            let same = |(a, b): (&f32, &f32)| a.total_cmp(b).is_eq() || a.is_nan() && b.is_nan();
            assert!(found.iter().zip(expected).all(same), "{name}: {found:?}");
        }
    }
}

/// Runs f(a, b) on both machines.
fn pairs(
    kind: &str,
    attributes: Vec<AttributeProto>,
    a: &[f32],
    b: &[f32],
) -> Vec<(&'static str, Vec<f32>)> {
    let len = [i64::try_from(a.len()).unwrap().into()];
    let mut builder = OnnxBuilder::new("pairs", 17);
    builder.input("a", DataType::FLOAT, &len);
    builder.input("b", DataType::FLOAT, &len);
    builder.op("y", kind, &["a", "b"], attributes);
    builder.output("y", DataType::FLOAT, &len);
    let model = Model::open(&builder.finish());
    machines(&model, &[words(a), words(b)], gpu().as_ref())
}

#[test]
fn powers_of_positive_bases_are_exact_to_five_digits() {
    let mut random = Random::new(3);
    let mut number = |low: f64, high: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "arguments are f32")]
        let number =
            (low + (high - low) * random.below(1 << 24) as f64 / f64::from(1 << 24)) as f32;
        number
    };
    let a: Vec<f32> = (0..COUNT).map(|_| number(0.01, 20.0)).collect();
    let b: Vec<f32> = (0..COUNT).map(|_| number(-12.0, 12.0)).collect();
    for (machine, y) in pairs("Pow", vec![], &a, &b) {
        for ((&a, &b), &y) in a.iter().zip(&b).zip(&y) {
            let truth = f64::from(a).powf(f64::from(b));
            // b times the logarithm, at most 55, is rounded before the exponential.
            assert!(
                close(y, truth, 1.5e-5, 0.0),
                "{a}^{b} is {truth:e}, on the {machine} {y:e}"
            );
        }
    }
}

#[test]
fn powers_of_negative_bases_have_the_sign_of_odd_exponents() {
    let a = [
        -2.0, -2.0, -2.0, -2.0, -3.0, -1.5, 0.0, 0.0, 5.0, 0.0, -1.0, -1.0, 10.0, 1.0, -2.0, 9.0,
    ];
    let b = [
        2.0, 3.0, -1.0, -2.0, 5.0, 0.0, 3.0, 2.5, 0.0, 0.0, 101.0, 1000.0, 30.0, 1e9, 65.0, 0.5,
    ];
    let truth = [
        4.0,
        -8.0,
        -0.5,
        0.25,
        -243.0,
        1.0,
        0.0,
        0.0,
        1.0,
        1.0,
        -1.0,
        1.0,
        1e30,
        1.0,
        -36_893_488_147_419_103_232.0,
        3.0,
    ];
    for (machine, y) in pairs("Pow", vec![], &a, &b) {
        for ((&y, &truth), (a, b)) in y.iter().zip(&truth).zip(a.iter().zip(&b)) {
            assert!(
                close(y, truth, 5e-6, 0.0),
                "{a}^{b} is {truth}, on the {machine} {y}"
            );
        }
    }
}

#[test]
fn remainders_are_exact_whatever_the_quotient() {
    // By hand: 1e10 = 3 * 3333333333 + 1; 2^40 mod 7 = 2 (2^3 = 1 mod 7); 5.5 - 2.1 * 2 in f32.
    let a = [1e10, 1_099_511_627_776.0, -7.5, 7.5, -6.0, 5.0, 2.5, -3e30];
    let b = [3.0, 7.0, 2.0, -2.0, 3.0, 8.0, 0.5, 1.0];
    let truth = [1.0, 2.0, -1.5, 1.5, 0.0, 5.0, 0.0, 0.0];
    let fmod = vec![tests::onnx_builder::int("fmod", 1)];
    for (machine, y) in pairs("Mod", fmod, &a, &b) {
        for ((&y, &truth), (a, b)) in y.iter().zip(&truth).zip(a.iter().zip(&b)) {
            assert!(
                close(y, truth, 0.0, 0.0),
                "{a} mod {b} is {truth}, on the {machine} {y}"
            );
        }
    }
}
