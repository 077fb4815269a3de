//! Arithmetic element by element.

use super::tape::{Tape, Value};
use super::{Backward, Call, Made};
use crate::operators::{Operator, Saves};
use crate::training::joint::Class;

/// How the derivative of a function of one number is computed.
enum Derivative {
    /// The gradient goes on as it is, or with another sign.
    Moved,
    /// Where a comparison of the input or of the output holds: how many comparisons.
    Masked { output: bool, comparisons: u8 },
    /// A factor in so many steps from the input, or from the output.
    Factor {
        output: bool,
        steps: &'static [&'static str],
    },
}

/// The steps of a function of one number, and how its derivative is computed: those that
/// Inductor's decompositions have.
fn unary(operator: Operator, saves: Saves) -> (&'static [&'static str], Derivative) {
    let factor = |output, steps| Derivative::Factor { output, steps };
    let masked = |comparisons| Derivative::Masked {
        output: false,
        comparisons,
    };
    match operator {
        Operator::Relu => (
            &["relu"],
            Derivative::Masked {
                output: true,
                comparisons: 1,
            },
        ),
        Operator::Clip | Operator::Relu6 => (&["clamp_min", "clamp_max"], masked(2)),
        Operator::LeakyRelu => (&["mul", "where"], masked(1)),
        Operator::HardSigmoid => (&["add", "clamp_min", "clamp_max", "div"], masked(2)),
        Operator::HardSwish => (
            &["add", "clamp_min", "clamp_max", "mul", "div"],
            factor(false, &["div", "add"]),
        ),
        Operator::Gelu => (
            &["mul", "erf", "add", "mul"],
            factor(false, &["erf", "add", "mul", "exp", "mul", "mul", "add"]),
        ),
        Operator::FastGelu | Operator::QuickGelu => (
            &["mul", "mul", "mul", "add", "mul", "tanh", "add", "mul"],
            factor(false, &["mul", "add", "tanh", "add", "mul", "mul", "add"]),
        ),
        Operator::Swish => (
            &["neg", "exp", "add", "div"],
            factor(false, &["sigmoid", "sub", "mul", "add"]),
        ),
        Operator::Sigmoid => (&["sigmoid"], factor(true, &["sub", "mul"])),
        Operator::Tanh => (&["tanh"], factor(true, &["mul", "sub"])),
        Operator::Exp => (&["exp"], factor(true, &[])),
        Operator::Sqrt => (&["sqrt"], factor(true, &["mul"])),
        Operator::Rsqrt => (&["rsqrt"], factor(true, &["pow"])),
        Operator::Reciprocal => (&["reciprocal"], factor(true, &["mul"])),
        Operator::Erf => (&["erf"], factor(false, &["pow", "neg", "exp", "mul"])),
        Operator::Log => (&["log"], factor(false, &[])),
        _ => match saves {
            Saves::Nothing => (&["each"], Derivative::Moved),
            Saves::Output => (&["each"], factor(true, &["derivative"])),
            _ => (&["each"], factor(false, &["derivative"])),
        },
    }
}

/// An operator of one or several numbers.
pub(super) fn element_wise(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let computed = call.inputs.iter().flatten().count();
    let [first, second] = [call.input(0), call.input(1)];
    Some(match (call.op.operator, first, second) {
        (Operator::Add | Operator::Sub | Operator::Sum | Operator::Mean, ..) => sum(tape, call),
        (Operator::Mul, Some(a), Some(b)) => product(tape, call, (a, b)),
        (Operator::Div, Some(a), Some(b)) => quotient(tape, call, (a, b)),
        (Operator::Where, Some(mask), _) => choice(tape, call, mask),
        // A number of the code is no operand.
        (Operator::Mul | Operator::Div, a, b) => scaled(tape, a.or(b)?),
        (Operator::Pow, Some(x), None) => {
            let y = tape.each("pow", &[x]);
            Made::one(
                y,
                chain(
                    x,
                    y,
                    Derivative::Factor {
                        output: false,
                        steps: &["pow", "mul"],
                    },
                ),
            )
        }
        (operator, Some(x), None) if computed == 1 => {
            let (steps, derivative) = unary(operator, call.op.facts().saves);
            let mut y = x;
            for (at, step) in steps.iter().enumerate() {
                // The last step multiplies by the input again, if one does.
                let again = at + 1 == steps.len() && steps.len() > 2;
                y = match again {
                    true => tape.each(step, &[x, y]),
                    false => tape.each(step, &[y]),
                };
            }
            Made::one(y, chain(x, y, derivative))
        }
        _ => return None,
    })
}

/// The backward pass of a function of one number.
fn chain(x: Value, y: Value, derivative: Derivative) -> Backward {
    Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| chained(tape, (x, y), &derivative, gradient));
        vec![gradient]
    })
}

fn chained(tape: &mut Tape, (x, y): (Value, Value), by: &Derivative, gradient: Value) -> Value {
    let read = |tape: &mut Tape, output: bool| match output {
        true => {
            let seen = tape.seen("alias", y);
            tape.seen("alias", seen)
        }
        false => x,
    };
    match by {
        Derivative::Moved => tape.each("each", &[gradient]),
        Derivative::Masked {
            output,
            comparisons,
        } => {
            let of = read(tape, *output);
            let mut mask = tape.mask("gt", &[of]);
            if *comparisons > 1 {
                let other = tape.mask("lt", &[of]);
                mask = tape.mask("logical_and", &[mask, other]);
            }
            tape.each("where", &[mask, gradient])
        }
        Derivative::Factor { output, steps } => {
            let of = read(tape, *output);
            let mut factor = of;
            for step in *steps {
                factor = tape.each(step, &[factor]);
            }
            tape.each("mul", &[gradient, factor])
        }
    }
}

/// What is larger than nothing, and the way back.
pub(super) fn rectified(
    tape: &mut Tape,
    x: Value,
) -> (Value, impl FnOnce(&mut Tape, Value) -> Value + 'static) {
    let y = tape.each("relu", &[x]);
    let by = Derivative::Masked {
        output: true,
        comparisons: 1,
    };
    (y, move |tape: &mut Tape, gradient| {
        chained(tape, (x, y), &by, gradient)
    })
}

fn sum(tape: &mut Tape, call: &Call<'_>) -> Made {
    let inputs = call.inputs.clone();
    let read: Vec<Value> = inputs.iter().copied().flatten().collect();
    let y = tape.each("add", &read);
    let (negated, wants) = (call.op.is(Operator::Sub), call.wants.clone());
    Made::one(
        y,
        Box::new(move |tape, given| {
            let each = inputs.iter().enumerate().map(|(place, input)| {
                let (input, gradient) = (input.filter(|_| wants[place])?, given[0]?);
                let gradient = match negated && place == 1 {
                    true => tape.each("neg", &[gradient]),
                    false => gradient,
                };
                Some(tape.summed_to(gradient, input))
            });
            each.collect()
        }),
    )
}

fn scaled(tape: &mut Tape, x: Value) -> Made {
    let y = tape.each("mul", &[x]);
    Made::one(
        y,
        Box::new(move |tape, given| {
            let gradient = given[0].map(|gradient| tape.each("mul", &[gradient]));
            vec![gradient, gradient]
        }),
    )
}

fn product(tape: &mut Tape, call: &Call<'_>, (a, b): (Value, Value)) -> Made {
    let y = tape.each("mul", &[a, b]);
    let wants = [call.wants(0), call.wants(1)];
    Made::one(
        y,
        Box::new(move |tape, given| {
            let by = |tape: &mut Tape, wanted: bool, other: Value| {
                given[0]
                    .filter(|_| wanted)
                    .map(|it| tape.each("mul", &[it, other]))
            };
            let (of_b, of_a) = (by(tape, wants[1], a), by(tape, wants[0], b));
            let of_a = of_a.map(|it| tape.summed_to(it, a));
            vec![of_a, of_b.map(|it| tape.summed_to(it, b))]
        }),
    )
}

fn quotient(tape: &mut Tape, call: &Call<'_>, (a, b): (Value, Value)) -> Made {
    let y = tape.each("div", &[a, b]);
    let wants = [call.wants(0), call.wants(1)];
    Made::one(
        y,
        Box::new(move |tape, given| {
            let Some(gradient) = given[0] else {
                return Vec::new();
            };
            let of_b = wants[1].then(|| {
                let ratio = tape.each("div", &[a, b]);
                let ratio = tape.each("div", &[ratio, b]);
                let negated = tape.each("neg", &[gradient]);
                tape.each("mul", &[negated, ratio])
            });
            let of_a = wants[0].then(|| tape.each("div", &[gradient, b]));
            let of_a = of_a.map(|it| tape.summed_to(it, a));
            vec![of_a, of_b.map(|it| tape.summed_to(it, b))]
        }),
    )
}

fn choice(tape: &mut Tape, call: &Call<'_>, mask: Value) -> Made {
    let inputs = call.inputs.clone();
    let read: Vec<Value> = inputs.iter().copied().flatten().collect();
    let y = tape.each("where", &read);
    let wants = call.wants.clone();
    Made::one(
        y,
        Box::new(move |tape, given| {
            let each = inputs.iter().enumerate().map(|(place, input)| {
                let (input, gradient) = (input.filter(|_| wants[place])?, given[0]?);
                let chosen = tape.each("where", &[mask, gradient]);
                Some(tape.summed_to(chosen, input))
            });
            each.collect()
        }),
    )
}

/// Random numbers are drawn, compared and multiplied by. `rand` is on none of PyTorch's lists.
pub(super) fn dropout(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let shape = tape.shapes[x].clone();
    let drawn = tape.node(Class::Other, "rand", &[], shape);
    let mask = tape.mask("gt", &[drawn]);
    let kept = tape.each("mul", &[mask, x]);
    let y = tape.each("mul", &[kept]);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let shape = tape.shapes[gradient].clone();
            let factor = tape.node(Class::Recomputable, "convert_element_type", &[mask], shape);
            let factor = tape.each("mul", &[factor]);
            tape.each("mul", &[gradient, factor])
        });
        vec![gradient]
    });
    Some(Made {
        outputs: vec![y, mask],
        backward: Some(backward),
    })
}
