//! Recurrent layers of quantised elements. Their state has 16 bits, and is written back.

use planner::graph::DType;

use super::steps;
use crate::elements;
use crate::fixed_point::Factor;
use crate::kernels::{Kernel, QuantisedSvdfParams, grid, typed_grid};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::recording::{Dispatch, Operand};

/// With the factors that LiteRT's `kernels/svdf.cc` prepares.
///
/// # Errors
/// When the shapes or types do not fit.
pub(super) fn filter(call: &Call<'_>) -> Dispatches {
    let (x, features, times) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let (bias, state, y) = (call.optional(3), call.input(4)?, call.output(0)?);
    let misfit = || "its shapes do not fit".to_owned();
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
        return Err("there is no kernel for it on quantised elements".into());
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
