//! Recurrent layers of quantised elements. Their state has 16 bits, and is written back.

use planner::graph::DType;
use planner::{Message, message};

use super::gates::{logistic, tanh};
use super::pairs::power_of_two;
use super::steps;
use crate::elements;
use crate::fixed_point::Factor;
use crate::kernels::{
    Kernel, QuantisedLstmParams, QuantisedSvdfParams, RecurrentParams, grid, groups, typed_grid,
};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::strided::StridedCopy;
use crate::lower::table::table;
use crate::lower::tflite::recurrent::params as layer;
use crate::recording::{Dispatch, Operand};

/// With the factors that LiteRT's `kernels/svdf.cc` prepares.
///
/// # Errors
/// When the shapes or types do not fit.
pub(super) fn filter(call: &Call<'_>) -> Dispatches {
    let (x, features, times) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let (bias, state, y) = (call.optional(3), call.input(4)?, call.output(0)?);
    let misfit = || message!("its shapes do not fit");
    let rank = call.op.int("rank").unwrap_or_default();
    let rank = u32::try_from(rank).ok().filter(|&rank| rank > 0);
    let (Some(rank), &[batch, size], &[all, width], &[filters, length], &[_, units]) =
        (rank, &*x.dims, &*features.dims, &*times.dims, &*y.dims)
    else {
        return Err(misfit());
    };
    let rows = batch.saturating_mul(all);
    let fits = [size, all] == [width, filters] && units.checked_mul(rank) == Some(all);
    let whole = y.dims == [batch, units] && length > 0 && size > 0;
    let kept = state.len() == rows.saturating_mul(length);
    if !(fits && whole && kept && bias.is_none_or(|bias| bias.len() == units)) {
        return Err(misfit());
    }
    let types = [x, features, times, state, y].map(|it| it.dtype);
    let of_bias = bias.is_none_or(|bias| bias.dtype == DType::I32);
    if types != [DType::I8, DType::I8, DType::I16, DType::I16, DType::I8] || !of_bias {
        return Err(message!("there is no kernel for it on quantised elements"));
    }
    let of = |it: &Operand| steps(call, it);
    let (of_x, of_y, held) = (of(x)?, of(y)?, of(state)?);
    let factor = |real: f32| {
        let Factor { mantissa, shift } = Factor::of(real.into());
        [mantissa, shift]
    };
    let params = QuantisedSvdfParams {
        count: y.len(),
        units,
        size,
        rank,
        steps: length,
        zeros: [of_x.zero, of_y.zero],
        feature: factor(of_x.scale * of(features)?.scale / held.scale),
        sum: factor(held.scale * of(times)?.scale / of_y.scale),
    };
    let carried = QuantisedSvdfParams {
        count: state.len(),
        ..params
    };
    let inputs = [x, features, times, bias.unwrap_or(x), state];
    Ok(vec![
        Dispatch::new(Kernel::QuantisedSvdf, &params, typed_grid(y))
            .reads(inputs)
            .writes(y)
            .constant("KIND", elements::code(y.dtype))
            .constant("BIAS", u32::from(bias.is_some())),
        Dispatch::new(Kernel::QuantisedSvdf, &carried, grid(rows.div_ceil(2)))
            .reads(inputs)
            .writes(state)
            .constant("CARRY", 1),
    ])
}

/// An LSTM layer whose gates have 16 bits, as `kernels/lstm_eval.cc` computes it
/// (`EvalInteger8x8_16`).
///
/// # Errors
/// When the shapes or types do not fit, or it projects or normalizes its state.
pub(super) fn long(call: &Call<'_>) -> Dispatches {
    let layer = layer(call, call.input(6)?)?;
    let mut kinds = (16..18).chain(20..24);
    if kinds.any(|at| call.optional(at).is_some()) {
        return Err(message!("it projects or normalizes its state"));
    }
    let (x, y) = (call.input(0)?, call.output(0)?);
    if y.is_empty() {
        return Ok(Vec::new());
    }
    let (hidden, cell) = (call.input(18)?, call.input(19)?);
    let state = layer.batch.saturating_mul(layer.units);
    typed(&[(x, x.len()), (y, y.len()), (hidden, state)], DType::I8)?;
    typed(&[(cell, state)], DType::I16)?;
    let digits = digits(steps(call, cell)?.scale)?;
    // Without an input gate, what is new has the share that the forget gate leaves.
    let coupled = call.optional(1).is_none();
    let (params, table) = (prepared(call, &layer, digits)?, functions(digits, y));
    let mut inputs = vec![x, &table, x, x, x, hidden, cell, x];
    let peepholes = call.optional(10).is_some();
    if peepholes {
        for (slot, at) in [(2, 9 + usize::from(coupled)), (3, 10), (7, 11)] {
            inputs[slot] = call.input(at)?;
            typed(&[(inputs[slot], layer.units)], DType::I16)?;
        }
    }
    let sizes = [(1, layer.size), (5, layer.units), (12, 1)];
    for (first, size) in sizes {
        for gate in [usize::from(coupled), 1, 2, 3] {
            let weights = call.input(first + gate)?;
            // The kernel finds them beside the table.
            if !call.is_constant(weights) {
                return Err(message!("its weights are not constants of one type"));
            }
            let dtype = if first == 12 { DType::I32 } else { DType::I8 };
            typed(&[(weights, layer.units.saturating_mul(size))], dtype)?;
            inputs.push(weights);
        }
    }
    let walk = Dispatch::new(Kernel::QuantisedLstm, &params, groups(layer.batch))
        .reads(inputs)
        .writes(y)
        .writes(cell)
        .constant("PEEPHOLES", u32::from(peepholes))
        .constant("COUPLED", u32::from(coupled));
    // The state is what the last step gave.
    let state = hidden.viewed([layer.batch, layer.units]);
    let [by_step, _, by_sequence] = layer.y.map(i64::from);
    let last = by_step * (i64::from(layer.steps) - 1);
    let carry = StridedCopy::onto(&state, &[by_sequence, 1], last).dispatches(y, &state)?;
    Ok([walk].into_iter().chain(carry).collect())
}

/// Refuses operands of another type, or with another number of elements.
fn typed(operands: &[(&Operand, u32)], dtype: DType) -> Result<(), Message> {
    for (operand, count) in operands {
        let (name, len) = (&operand.name, operand.len());
        if len != *count {
            return Err(message!(
                "{} has {} elements, {} are needed",
                name,
                len,
                count
            ));
        }
        if operand.dtype != dtype {
            let found = operand.dtype.name();
            return Err(message!("quantised activations: {} is {}", name, found));
        }
    }
    Ok(())
}

/// Binary digits before the point of a cell state of this scale, which is a power of two.
fn digits(scale: f32) -> Result<u32, Message> {
    let digits = power_of_two(scale).and_then(|places| u32::try_from(places + 15).ok());
    let digits = digits.filter(|digits| *digits <= 6);
    digits.ok_or_else(|| {
        message!(
            "its cell state has the scale {}, which is no power of two from 2^-15 to 2^-9",
            scale
        )
    })
}

/// All that the gates apply, by the bits of a number of 16 bits.
fn functions(digits: u32, y: &Operand) -> Operand {
    let all = || (0..1 << 16).map(|bits: i32| bits << 16 >> 16);
    let of_cell = all().map(|x| tanh(x, digits));
    let values = all().map(logistic).chain(all().map(|x| tanh(x, 3)));
    let values: Vec<i64> = values.chain(of_cell).map(i64::from).collect();
    table(y, DType::I16, elements::words_of_ints(DType::I16, &values))
}

/// With the factors that LiteRT's `PopulateQuantizedLstmParams8x8_16` prepares.
fn prepared(
    call: &Call<'_>,
    layer: &RecurrentParams,
    digits: u32,
) -> Result<QuantisedLstmParams, Message> {
    /// Steps of what goes into the functions of gates.
    const GATE: f32 = 1.0 / 4096.0;
    let of = |at: usize| call.optional(at).map(|it| steps(call, it)).transpose();
    let given = |at: usize| steps(call, call.input(at)?);
    let factor = |real: f32| {
        let Factor { mantissa, shift } = Factor::of(real.into());
        [mantissa, shift]
    };
    let (x, hidden, cell) = (given(0)?, given(18)?, given(19)?);
    let mut params = QuantisedLstmParams {
        steps: layer.steps,
        batch: layer.batch,
        size: layer.size,
        units: layer.units,
        x: layer.x,
        y: [layer.y[0], layer.y[2]],
        // Products have 30 places, the cell state as many as its digits leave of 15.
        places: 15 + digits.cast_signed(),
        ..QuantisedLstmParams::default()
    };
    for (gate, factors) in params.factors.iter_mut().enumerate() {
        let by =
            |at: usize, other: f32| Ok::<_, Message>(of(at)?.map(|it| it.scale * other / GATE));
        let of_x = factor(by(1 + gate, x.scale)?.unwrap_or_default());
        let of_hidden = factor(by(5 + gate, hidden.scale)?.unwrap_or_default());
        *factors = [of_x[0], of_x[1], of_hidden[0], of_hidden[1]];
    }
    for (slot, factors) in params.of_cell.iter_mut().enumerate() {
        let unit = 2_f32.powi(digits.cast_signed() - 15);
        let found = of(9 + slot)?.map(|it| unit * it.scale / GATE);
        *factors = factor(found.unwrap_or_default());
    }
    let scale = call.float_attribute("hidden_scale");
    let zero = call.op.int("hidden_zero_point");
    let zero = zero.and_then(|zero| i32::try_from(zero).ok());
    let (Some(scale), Some(zero)) = (scale, zero) else {
        return Err(message!(
            "the file does not say how its hidden state is quantised"
        ));
    };
    #[expect(clippy::cast_possible_truncation, reason = "it is computed so")]
    let scale = (2_f64.powi(-30) / f64::from(scale)) as f32;
    params.of_hidden = factor(scale);
    params.zeros = [x.zero, hidden.zero, zero];
    let clip = call.float_attribute("cell_clip").unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
    let limit = (clip / cell.scale).clamp(0.0, 32_767.0) as i32;
    params.limit = limit;
    Ok(params)
}
