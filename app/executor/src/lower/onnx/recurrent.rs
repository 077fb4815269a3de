//! Recurrent layers.

use planner::graph::{Attribute, DType};
use planner::{Message, message};

use crate::kernels::{CellOp, Kernel, MOST_UNITS, RecurrentParams, UnaryOp, groups};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::recording::{Dispatch, MAX_INPUTS};
use planner::operators::Operator;

/// The dispatches of a recurrent layer; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let after = call.op.int("linear_before_reset").unwrap_or_default() != 0;
    let (cell, form) = match call.op.operator {
        Operator::Rnn => (CellOp::Plain, PLAIN),
        Operator::Gru if after => (CellOp::ResetAfter, GATED),
        Operator::Gru => (CellOp::ResetBefore, GATED),
        Operator::Lstm => (CellOp::Lstm, LONG),
        _ => return None,
    };
    Some(layer(call, cell, &form))
}

/// What the layers of a kind have.
struct Form {
    gates: u32,
    /// Their usual functions.
    functions: &'static [&'static str],
}

const PLAIN: Form = Form {
    gates: 1,
    functions: &["Tanh"],
};
const GATED: Form = Form {
    gates: 3,
    functions: &["Sigmoid", "Tanh"],
};
const LONG: Form = Form {
    gates: 4,
    functions: &["Sigmoid", "Tanh", "Tanh"],
};

/// Positions of the outputs, which are those of the shader's roles less one.
const STEPS: usize = 0;
const HIDDEN: usize = 1;
const MEMORY: usize = 2;

fn layer(call: &Call<'_>, cell: CellOp, form: &Form) -> Dispatches {
    let (params, reversed) = params(call, form)?;
    let output = |at: usize| call.outputs.get(at).and_then(Option::as_ref);
    let wanted = [STEPS, HIDDEN, MEMORY].into_iter();
    let wanted: Vec<usize> = wanted.filter(|&at| output(at).is_some()).collect();
    // A dispatch writes two outputs: of all three, the last hidden state is found in the steps.
    let main: &[usize] = match wanted.len() {
        3 => &[STEPS, MEMORY],
        _ => &wanted,
    };
    let coupled = call.op.int("input_forget").unwrap_or_default() != 0;
    let mut found = Vec::new();
    let functions = functions(call, form, params.directions)?;
    for (part, codes) in by_functions(&params, &functions) {
        let grid = groups(part.directions.saturating_mul(part.batch));
        let mut dispatch = Dispatch::new(Kernel::Recurrent, &part, grid)
            .constant("CELL", cell.code())
            .constant("REVERSED", reversed)
            .constant("LIMITED", u32::from(call.float_attribute("clip").is_some()))
            .constant("COUPLED", u32::from(coupled))
            .constant("GATE", codes[0])
            .constant("FRESH", codes[1])
            .constant("SHOWN", codes[2]);
        for (&at, role) in main.iter().zip(["ROLE0", "ROLE1"]) {
            dispatch = dispatch
                .writes(call.output(at)?)
                .constant(role, role_of(at));
        }
        found.push(fed(call, (form, &params), dispatch)?);
    }
    if let ([_, _, _], Some(steps), Some(last)) = (&*wanted, output(STEPS), output(HIDDEN)) {
        let lengths = found[0].value_of("LENGTHS");
        let inputs = match lengths {
            1 => [steps, steps, steps, steps, call.input(4)?],
            _ => [steps; 5],
        };
        let grid = groups(params.directions.saturating_mul(params.batch));
        let copied = Dispatch::new(Kernel::Recurrent, &params, grid)
            .reads(inputs)
            .writes(last)
            .constant("CELL", CellOp::Last.code())
            .constant("REVERSED", reversed)
            .constant("LENGTHS", lengths)
            .constant("ROLE0", role_of(HIDDEN));
        found.push(copied);
    }
    Ok(found)
}

/// The functions of a direction: their codes, and their parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Functions {
    codes: [u32; 3],
    alpha: [f32; 4],
    beta: [f32; 4],
}

/// The dispatches that it takes: one for both directions where they have the same functions.
fn by_functions(
    params: &RecurrentParams,
    functions: &[Functions],
) -> Vec<(RecurrentParams, [u32; 3])> {
    let of = |functions: &Functions, direction: u32, directions: u32| {
        let params = RecurrentParams {
            direction,
            directions,
            alpha: functions.alpha,
            beta: functions.beta,
            ..*params
        };
        (params, functions.codes)
    };
    match functions {
        [a, b] if a != b => vec![of(a, 0, 1), of(b, 1, 1)],
        [a, ..] => vec![of(a, 0, params.directions)],
        [] => Vec::new(),
    }
}

fn role_of(output: usize) -> u32 {
    u32::try_from(output + 1).unwrap_or_default()
}

/// The parameters, and which directions begin at the end, a bit for each.
fn params(call: &Call<'_>, form: &Form) -> Result<(RecurrentParams, u32), Message> {
    let (x, w, r) = (call.input(0)?, call.input(1)?, call.input(2)?);
    all_floats([x, w, r])?;
    let sequences_first = call.op.int("layout").unwrap_or_default() != 0;
    let (&[first, second, size], &[directions, rows, units]) = (&*x.dims, &*r.dims) else {
        return Err(misfit(call));
    };
    let [steps, batch] = match sequences_first {
        true => [second, first],
        false => [first, second],
    };
    let reversed = match call.op.text("direction").unwrap_or("forward") {
        "forward" => 0,
        "reverse" => 1,
        _ => 2,
    };
    let fits = form.gates.checked_mul(units) == Some(rows)
        && w.dims == [directions, rows, size]
        && directions == 1 + u32::from(reversed == 2);
    if !fits {
        return Err(misfit(call));
    }
    if units > MOST_UNITS {
        return Err(message!(
            "{} hidden units: a kernel has {}",
            units,
            MOST_UNITS
        ));
    }
    // Strides by step, by direction and by sequence.
    let wide = directions * units;
    let step = batch.checked_mul(wide).ok_or_else(|| misfit(call))?;
    let row = steps.checked_mul(wide).ok_or_else(|| misfit(call))?;
    let input = |by: u32| by.checked_mul(size).ok_or_else(|| misfit(call));
    let mut params = RecurrentParams {
        steps,
        batch,
        directions,
        size,
        units,
        x: [input(batch)?, size],
        y: [step, batch * units, units],
        state: [batch * units, units],
        limit: call.float_attribute("clip").unwrap_or_default(),
        ..RecurrentParams::default()
    };
    if sequences_first {
        params.x = [size, input(steps)?];
        params.y = [wide, units, row];
        params.state = [units, wide];
    }
    Ok((params, reversed))
}

fn misfit(call: &Call<'_>) -> Message {
    let inputs = call.inputs.iter().take(3).flatten();
    let dims: Vec<String> = inputs.map(|it| format!("{:?}", it.dims)).collect();
    match &*dims {
        [x, w, r] => message!("{} and {} do not make {}", x, w, r),
        _ => message!("its shapes do not fit"),
    }
}

/// The functions that are named, or the usual ones, with the numbers that are given to those
/// that take some.
fn functions(call: &Call<'_>, form: &Form, directions: u32) -> Result<Vec<Functions>, Message> {
    let count = form.functions.len();
    let named: Vec<&str> = match call.op.attribute("activations") {
        Some(Attribute::Texts(names)) => names.iter().map(String::as_str).collect(),
        _ => form.functions.repeat(directions as usize),
    };
    if named.len() != count * directions as usize {
        return Err(message!("it names {} functions", named.len()));
    }
    let numbers = |name: &str| match call.op.attribute(name) {
        Some(Attribute::Floats(numbers)) => numbers.clone(),
        _ => Vec::new(),
    };
    let alphas = numbers("activation_alpha");
    let betas = numbers("activation_beta");
    let (mut alphas, mut betas) = (alphas.into_iter(), betas.into_iter());
    let mut found = vec![Functions::default(); directions as usize];
    for (at, name) in named.into_iter().enumerate() {
        let known = function(name);
        let (op, alpha, beta) =
            known.ok_or_else(|| message!("there is no kernel for its function {}", name))?;
        let (of, which) = (&mut found[at / count], at % count);
        of.codes[which] = op.code();
        let alpha = alpha.map(|usual| alphas.next().unwrap_or(usual));
        let beta = beta.map(|usual| betas.next().unwrap_or(usual));
        of.alpha[which] = alpha.unwrap_or_default();
        of.beta[which] = beta.unwrap_or_default();
    }
    Ok(found)
}

/// A function with its usual parameters; `None` for those that it does not take.
fn function(name: &str) -> Option<(UnaryOp, Option<f32>, Option<f32>)> {
    Some(match name.to_ascii_lowercase().as_str() {
        "relu" => (UnaryOp::Relu, None, None),
        "tanh" => (UnaryOp::Tanh, None, None),
        "sigmoid" => (UnaryOp::Sigmoid, None, None),
        "affine" => (UnaryOp::Affine, Some(1.0), Some(0.0)),
        "leakyrelu" => (UnaryOp::LeakyRelu, Some(0.01), None),
        "thresholdedrelu" => (UnaryOp::ThresholdedRelu, Some(1.0), None),
        "scaledtanh" => (UnaryOp::ScaledTanh, Some(1.0), Some(1.0)),
        "hardsigmoid" => (UnaryOp::HardSigmoid, Some(0.2), Some(0.5)),
        "elu" => (UnaryOp::Elu, Some(1.0), None),
        "softsign" => (UnaryOp::Softsign, None, None),
        "softplus" => (UnaryOp::Softplus, None, None),
        _ => return None,
    })
}

/// What a layer may have beside x and its weights: the constant that says so, the position of
/// its input, and how many elements it has.
fn others(form: &Form, params: &RecurrentParams) -> Vec<(&'static str, usize, u32)> {
    let elements = |of: &[u32]| of.iter().copied().fold(1, u32::saturating_mul);
    let [directions, batch, units] = [params.directions, params.batch, params.units];
    let state = elements(&[directions, batch, units]);
    let biases = elements(&[directions, 2, form.gates, units]);
    let mut found = vec![
        ("BIASES", 3, biases),
        ("LENGTHS", 4, batch),
        ("HIDDEN", 5, state),
    ];
    if form.gates == LONG.gates {
        let peepholes = elements(&[directions, 3, units]);
        found.extend([("MEMORY", 6, state), ("PEEPHOLES", 7, peepholes)]);
    }
    found
}

/// Gives the layer its inputs, which the kernel reads in the operator's order.
fn fed(
    call: &Call<'_>,
    (form, params): (&Form, &RecurrentParams),
    mut dispatch: Dispatch,
) -> Result<Dispatch, Message> {
    // Where one is left out the weights stand, which are not read there.
    let mut inputs = [call.input(1)?; MAX_INPUTS];
    (inputs[0], inputs[2]) = (call.input(0)?, call.input(2)?);
    for (name, at, count) in others(form, params) {
        let Some(operand) = call.optional(at) else {
            continue;
        };
        if name == "LENGTHS" && operand.dtype != DType::I32 {
            return Err(message!("{} is {}", operand.name, operand.dtype.name()));
        }
        if name != "LENGTHS" {
            all_floats([operand])?;
        }
        if operand.len() != count {
            let (name, len) = (&operand.name, operand.len());
            return Err(message!(
                "{} has {} elements, {} are needed",
                name,
                len,
                count
            ));
        }
        if name == "LENGTHS" && all_full(call) {
            continue;
        }
        inputs[at] = operand;
        dispatch = dispatch.constant(name, 1);
    }
    Ok(dispatch.reads(inputs))
}

/// Whether all lengths are known to be that of the longest sequence.
pub(super) fn all_full(call: &Call<'_>) -> bool {
    let axis = usize::from(call.op.int("layout").unwrap_or_default() != 0);
    let steps = call.input(0).ok().and_then(|x| x.dims.get(axis).copied());
    let (Some(steps), Ok(lengths)) = (steps, call.ints(4)) else {
        return false;
    };
    lengths.iter().all(|length| *length >= i64::from(steps))
}
