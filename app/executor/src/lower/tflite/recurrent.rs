//! Recurrent layers. A run is one call: a state begins as zeros, and is written back, so that
//! another run over the same buffers goes on with it.

use crate::kernels::{
    CellOp, Kernel, MOST_UNITS, RecurrentParams, SvdfParams, UnaryOp, grid, groups,
};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::{Call, all_floats};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of a recurrent layer; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::UnidirectionalSequenceRnn => plain(call),
        Operator::UnidirectionalSequenceLstm => long(call),
        Operator::Svdf => filter(call),
        _ => return None,
    })
}

fn plain(call: &Call<'_>) -> Dispatches {
    let (w, r, bias, state) = (
        call.input(1)?,
        call.input(2)?,
        call.input(3)?,
        call.input(4)?,
    );
    let mut params = params(call, r)?;
    let activation = Activation::tflite(call)?;
    (params.alpha[0], params.beta[0]) = (activation.alpha, activation.beta);
    let units = params.units;
    sized(&[
        (w, units.saturating_mul(params.size)),
        (r, units.saturating_mul(units)),
        (bias, units),
        (state, params.batch.saturating_mul(units)),
    ])?;
    Ok(vec![
        layer(call, &params)?
            .reads([call.input(0)?, w, r, bias, w, state])
            .writes(state)
            .constant("ROLE1", 2)
            .constant("CELL", CellOp::Plain.code())
            .constant("BIASES", 2)
            .constant("GATE", activation.code()),
    ])
}

/// What an operand is for, by gate: taken in, shown, kept, fresh. The operator has them in
/// another order.
const GATES: [usize; 4] = [0, 3, 1, 2];

fn long(call: &Call<'_>) -> Dispatches {
    let mut params = params(call, call.input(6)?)?;
    let projected = (16..18).any(|at| call.optional(at).is_some());
    if projected || (20..24).any(|at| call.optional(at).is_some()) {
        return Err(message!("it projects or normalizes its state"));
    }
    let activation = Activation::tflite(call)?;
    params.alpha[1..3].fill(activation.alpha);
    params.beta[1..3].fill(activation.beta);
    let clip = call.float_attribute("cell_clip").unwrap_or_default();
    params.limit = clip;
    // Without a gate of its own, what is taken in is what is not kept.
    let coupled = call.optional(1).is_none();
    let own = |first: usize, gate: usize| match gate {
        0 if coupled => call.input(first + 1),
        _ => call.input(first + GATES[gate]),
    };
    let units = params.units;
    let mut inputs = vec![call.input(0)?; 8];
    let state = params.batch.saturating_mul(units);
    (inputs[1], inputs[5], inputs[6]) = (own(1, 2)?, call.input(18)?, call.input(19)?);
    sized(&[(inputs[5], state), (inputs[6], state)])?;
    let peepholes = call.optional(10).is_some();
    if peepholes {
        let taken = if coupled { 10 } else { 9 };
        let found = [(2, taken), (3, 11), (7, 10)];
        for (slot, at) in found {
            inputs[slot] = call.input(at)?;
            sized(&[(inputs[slot], units)])?;
        }
    }
    let products = [params.size, units].map(|by| units.saturating_mul(by));
    let kinds = [(1, products[0]), (5, products[1]), (12, units)];
    for (first, count) in kinds {
        for gate in 0..GATES.len() {
            let weights = own(first, gate)?;
            // The kernel finds them beside the first.
            if !call.is_constant(weights) || weights.dtype != inputs[1].dtype {
                return Err(message!("its weights are not constants of one type"));
            }
            sized(&[(weights, count)])?;
            inputs.push(weights);
        }
    }
    let (hidden, memory) = (inputs[5], inputs[6]);
    let y = call.output(0)?;
    let last = Dispatch::new(Kernel::Recurrent, &params, groups(params.batch))
        .reads([y; 5])
        .writes(hidden)
        .constant("CELL", CellOp::Last.code())
        .constant("ROLE0", 2);
    Ok(vec![
        layer(call, &params)?
            .reads(inputs)
            .writes(memory)
            .constant("ROLE1", 3)
            .constant("CELL", CellOp::Lstm.code())
            .constant("SEPARATE", 1)
            .constant("BIASES", 1)
            .constant("MEMORY", 1)
            .constant("PEEPHOLES", u32::from(peepholes))
            .constant("COUPLED", if coupled { 2 } else { 0 })
            .constant("LIMITED", if clip > 0.0 { 2 } else { 0 })
            .constant("GATE", UnaryOp::Sigmoid.code())
            .constant("FRESH", activation.code())
            .constant("SHOWN", activation.code()),
        last,
    ])
}

/// The parameters of a layer with these weights of its state, whatever the elements are.
///
/// # Errors
/// When the shapes do not fit, or there are more units than a workgroup has room for.
pub(super) fn params(call: &Call<'_>, r: &Operand) -> Result<RecurrentParams, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (&[first, second, size], &[units, _]) = (&*x.dims, &*r.dims) else {
        return Err(message!("its shapes do not fit"));
    };
    let steps_first = call.op.int("time_major").unwrap_or_default() != 0;
    let [steps, batch] = match steps_first {
        true => [first, second],
        false => [second, first],
    };
    if units > MOST_UNITS {
        return Err(message!(
            "{} hidden units: a kernel has {}",
            units,
            MOST_UNITS
        ));
    }
    if y.dims != [first, second, units] {
        return Err(message!("its shapes do not fit"));
    }
    let [by_step, by_sequence] = match steps_first {
        true => [batch, 1],
        false => [1, steps],
    };
    Ok(RecurrentParams {
        steps,
        batch,
        directions: 1,
        size,
        units,
        x: [by_step * size, by_sequence * size],
        y: [by_step * units, 0, by_sequence * units],
        state: [0, units],
        ..RecurrentParams::default()
    })
}

fn layer(call: &Call<'_>, params: &RecurrentParams) -> Result<Dispatch, Message> {
    let y = call.output(0)?;
    all_floats([call.input(0)?, y])?;
    let dispatch = Dispatch::new(Kernel::Recurrent, params, groups(params.batch));
    Ok(dispatch
        .writes(y)
        .constant("HIDDEN", 1)
        .constant("ROLE0", 1))
}

/// Refuses operands that are no floats, or not as many.
pub(super) fn sized(operands: &[(&Operand, u32)]) -> Result<(), Message> {
    for (operand, count) in operands {
        all_floats([*operand])?;
        if operand.len() != *count {
            let (name, len) = (&operand.name, operand.len());
            return Err(message!(
                "{} has {} elements, {} are needed",
                name,
                len,
                count
            ));
        }
    }
    Ok(())
}

/// What a filter over features is like.
pub(super) struct FilterShape {
    pub(super) params: SvdfParams,
    /// Features of all sequences.
    pub(super) rows: u32,
}

/// The parameters of a filter over features.
///
/// # Errors
/// When shapes or types do not fit.
pub(super) fn filter_shape(call: &Call<'_>) -> Result<FilterShape, Message> {
    let (x, features, steps) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let (state, y) = (call.input(4)?, call.output(0)?);
    let rank = call.op.int("rank").unwrap_or_default();
    let rank = u32::try_from(rank).ok().filter(|&rank| rank > 0);
    let (Some(rank), &[batch, size], &[all, width], &[filters, length], &[_, units]) =
        (rank, &*x.dims, &*features.dims, &*steps.dims, &*y.dims)
    else {
        return Err(message!("its shapes do not fit"));
    };
    let fits = [size, all] == [width, filters] && units.checked_mul(rank) == Some(all);
    if !fits || y.dims != [batch, units] || length == 0 || size == 0 {
        return Err(message!("its shapes do not fit"));
    }
    let bias = call.optional(3);
    sized(&[(state, batch.saturating_mul(all).saturating_mul(length))])?;
    sized(&bias.map_or_else(Vec::new, |bias| vec![(bias, units)]))?;
    all_floats([x, features, steps, y])?;
    let activation = Activation::tflite(call)?;
    let params = SvdfParams {
        count: y.len(),
        units,
        size,
        rank,
        steps: length,
        alpha: activation.alpha,
        beta: activation.beta,
        none: 0,
    };
    let rows = batch.saturating_mul(all);
    Ok(FilterShape { params, rows })
}

fn filter(call: &Call<'_>) -> Dispatches {
    let FilterShape { params, rows } = filter_shape(call)?;
    let (x, features, steps) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let (bias, state, y) = (call.optional(3), call.input(4)?, call.output(0)?);
    let activation = Activation::tflite(call)?;
    let carried = SvdfParams {
        count: rows,
        ..params
    };
    let inputs = [x, features, steps, bias.unwrap_or(x), state];
    Ok(vec![
        Dispatch::new(Kernel::Svdf, &params, grid(y.len()))
            .reads(inputs)
            .writes(y)
            .constant("BIAS", u32::from(bias.is_some()))
            .constant("ACTIVATION", activation.code()),
        Dispatch::new(Kernel::Svdf, &carried, grid(rows))
            .reads(inputs)
            .writes(state)
            .constant("CARRY", 1),
    ])
}
