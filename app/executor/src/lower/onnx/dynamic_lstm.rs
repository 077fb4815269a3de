//! ONNX Runtime's LSTM whose weights are integers of 8 bits, and whose input and states become
//! such integers on the way. Source: the operator documentation of ONNX Runtime.

use planner::graph::{Attribute, DType};
use planner::{Message, message};

use super::recurrent::all_full;
use crate::elements;
use crate::kernels::{CellOp, Kernel, MOST_STATES, RecurrentParams, groups};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of such a layer; `None` when the operator is another one.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let own = call.op.is(Operator::DynamicQuantizeLSTM);
    own.then(|| layer(call))
}

fn layer(call: &Call<'_>) -> Dispatches {
    let params = params(call)?;
    let reversed = usual(call, &params)?;
    let output = |at: usize| call.outputs.get(at).and_then(Option::as_ref);
    let wanted: Vec<usize> = (0..3).filter(|&at| output(at).is_some()).collect();
    // A dispatch writes two outputs: of all three, the last hidden state is found in the steps.
    let main: &[usize] = if wanted.len() == 3 { &[0, 2] } else { &wanted };
    let (x, w, r) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let [biases, hidden, memory] = [3, 5, 6].map(|at| call.optional(at));
    let states = params.directions * params.batch * params.units;
    let sizes = [
        (biases, params.directions * 8 * params.units),
        (hidden, states),
        (memory, states),
    ];
    for (operand, count) in sizes {
        if let Some(operand) = operand.filter(|it| it.len() != count) {
            let (name, len) = (&operand.name, operand.len());
            return Err(message!(
                "{} has {} elements, {} are needed",
                name,
                len,
                count
            ));
        }
    }
    all_floats([Some(x), biases, hidden, memory].into_iter().flatten())?;
    let table = steps(call, &params)?;
    // Where one is left out the table stands, which is not read there.
    let or_table = |operand: Option<&Operand>| operand.unwrap_or(&table).clone();
    let inputs = [
        x.clone(),
        w.clone(),
        r.clone(),
        or_table(biases),
        table.clone(),
    ];
    let inputs = inputs.into_iter().chain([hidden, memory].map(or_table));
    let inputs: Vec<Operand> = inputs.collect();
    let mut dispatch = Dispatch::new(Kernel::DynamicLstm, &params, groups(params.directions))
        .reads(&inputs)
        .constant("REVERSED", reversed)
        .constant("W", elements::code(w.dtype))
        .constant("R", elements::code(r.dtype))
        .constant("LIMITED", u32::from(call.float_attribute("clip").is_some()))
        .constant("BIASES", u32::from(biases.is_some()))
        .constant("HIDDEN", u32::from(hidden.is_some()))
        .constant("MEMORY", u32::from(memory.is_some()));
    for (&at, role) in main.iter().zip(["ROLE0", "ROLE1"]) {
        let code = u32::try_from(at + 1).unwrap_or_default();
        dispatch = dispatch.writes(call.output(at)?).constant(role, code);
    }
    let mut found = vec![dispatch];
    if let ([_, _, _], Some(steps), Some(last)) = (&*wanted, output(0), output(1)) {
        let grid = groups(params.directions.saturating_mul(params.batch));
        let copied = Dispatch::new(Kernel::Recurrent, &params, grid)
            .reads([steps; 5])
            .writes(last)
            .constant("CELL", CellOp::Last.code())
            .constant("REVERSED", reversed)
            .constant("ROLE0", 2);
        found.push(copied);
    }
    Ok(found)
}

fn params(call: &Call<'_>) -> Result<RecurrentParams, Message> {
    let (x, w, r) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let misfit = || {
        message!(
            "{} and {} do not make {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", w.dims),
            format_args!("{:?}", r.dims)
        )
    };
    let (&[steps, batch, size], &[directions, units, columns]) = (&*x.dims, &*r.dims) else {
        return Err(misfit());
    };
    let fits = units.checked_mul(4) == Some(columns) && w.dims == [directions, size, columns];
    if !fits || !(1..=2).contains(&directions) {
        return Err(misfit());
    }
    for weights in [w, r] {
        if !matches!(weights.dtype, DType::I8 | DType::U8) {
            return Err(message!("{} is {}", weights.name, weights.dtype.name()));
        }
    }
    let states = batch
        .checked_mul(units)
        .filter(|&states| states <= MOST_STATES);
    let states = states.ok_or_else(|| {
        message!(
            "{} sequences of {} units: a kernel has {} states",
            batch,
            units,
            MOST_STATES
        )
    })?;
    let row = batch.checked_mul(size).ok_or_else(misfit)?;
    Ok(RecurrentParams {
        steps,
        batch,
        directions,
        size,
        units,
        x: [row, size],
        y: [states * directions, states, units],
        state: [states, units],
        limit: call.float_attribute("clip").unwrap_or_default(),
        ..RecurrentParams::default()
    })
}

/// Which directions begin at the end, a bit for each.
///
/// # Errors
/// When it is more than the usual layer.
fn usual(call: &Call<'_>, params: &RecurrentParams) -> Result<u32, Message> {
    if call.optional(4).is_some() && !all_full(call) {
        return Err(message!("its sequences have lengths of their own"));
    }
    if call.optional(7).is_some() {
        return Err(message!("it has peepholes"));
    }
    if call.op.int("input_forget").unwrap_or_default() != 0 {
        return Err(message!("its forget gate is its input gate"));
    }
    if let Some(Attribute::Texts(names)) = call.op.attribute("activations") {
        let usual = ["sigmoid", "tanh", "tanh"].into_iter().cycle();
        let mut pairs = names.iter().zip(usual);
        if let Some((name, _)) = pairs.find(|(name, usual)| !name.eq_ignore_ascii_case(usual)) {
            return Err(message!("there is no kernel for its function {}", name));
        }
    }
    let reversed = match call.op.text("direction").unwrap_or("forward") {
        "forward" => 0,
        "reverse" => 1,
        _ => 2,
    };
    match params.directions == 1 + u32::from(reversed == 2) {
        true => Ok(reversed),
        false => Err(message!("it has {} directions", params.directions)),
    }
}

/// Scales of the weights of x, their zero points, and the same of those of the state: of every
/// direction, gate and unit.
fn steps(call: &Call<'_>, params: &RecurrentParams) -> Result<Operand, Message> {
    let columns = 4 * params.units as usize;
    let directions = params.directions as usize;
    let mut words = Vec::with_capacity(4 * directions * columns);
    for at in 8..12 {
        let value = call.floats(at);
        let value = value.or_else(|| call.optional(at).is_none().then(|| vec![0.0; directions]));
        let value = value.ok_or_else(|| message!("input {} is not known before the run", at))?;
        let each = match value.len() {
            len if len == directions => columns,
            len if len == directions * columns => 1,
            len => return Err(message!("input {} has {} elements", at, len)),
        };
        for number in value {
            words.extend(std::iter::repeat_n(number.to_bits(), each));
        }
    }
    Ok(table(call.input(0)?, DType::F32, words))
}
