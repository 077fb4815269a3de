//! Rotary embeddings, and caches that are written into.

use planner::message;

use crate::kernels::Positions;
use crate::lower::Dispatches;
use crate::lower::cache::{Placing, Start};
use crate::lower::call::{Call, axis_of};
use crate::lower::heads::{Heads, Turn};
use crate::lower::rows::elements;
use crate::recording::Operand;
use planner::operators::Operator;

/// The dispatches of an operator that turns or places heads; `None` when it is of another
/// family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::MicrosoftRotaryEmbedding => rotary(call, [2, 3, 1]),
        Operator::RotaryEmbedding => rotary(call, [1, 2, 3]),
        Operator::TensorScatter => tensor_scatter(call),
        _ => return None,
    })
}

/// Cosines, sines and positions stand at `at`.
fn rotary(call: &Call<'_>, at: [usize; 3]) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let turn = Turn {
        cosines: call.input(at[0])?,
        sines: call.input(at[1])?,
        neighbours: call.op.int("interleaved").unwrap_or_default() != 0,
    };
    let pairs = turn.cosines.dims.last().copied().unwrap_or_default();
    let turned = call.op.int("rotary_embedding_dim").unwrap_or_default();
    let heads = match call.op.int("num_heads").unwrap_or_default() {
        // A head is as large as what is turned of it.
        0 if x.dims.len() == 3 => x.dims[2]
            .checked_div(pairs.saturating_mul(2))
            .map(i64::from),
        heads => Some(heads),
    };
    let (x, y) = (Heads::of(x, heads)?, Heads::of(y, heads)?);
    let whole = if turned == 0 {
        i64::from(x.size)
    } else {
        turned
    };
    if whole != 2 * i64::from(pairs) {
        return Err(message!("{} does not fit {}", turn.cosines.name, x.x.name));
    }
    if call.op.int("is_packed_batching").unwrap_or_default() != 0 {
        return Err(message!("its batches are packed"));
    }
    let positions = match call.optional(at[2]) {
        None => (Positions::Own, None),
        Some(given) if given.len() == 1 && given.dims.len() < 2 => (Positions::First, Some(given)),
        given => (Positions::Each, given),
    };
    let placing = Placing {
        past: None,
        start: Start::At(0),
        circular: false,
        turn: Some(turn),
        positions,
    };
    Ok(vec![placing.dispatch(&x, &y)?])
}

/// The cache with the update along an axis.
fn tensor_scatter(call: &Call<'_>) -> Dispatches {
    let (past, x, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let axis = axis_of(call.op.int("axis").unwrap_or(-2), y.dims.len())?;
    let fits = |it: &Operand| {
        let alike = |(d, (own, all)): (usize, (&u32, &u32))| d == axis || own == all;
        it.dims.len() == y.dims.len() && it.dims.iter().zip(&y.dims).enumerate().all(alike)
    };
    if axis == 0 || !fits(past) || !fits(x) || past.dims != y.dims {
        return Err(message!("{} does not fit into {}", x.name, y.name));
    }
    let view = |it: &Operand| {
        let (before, after) = (&it.dims[1..axis], &it.dims[axis + 1..]);
        it.viewed([it.dims[0], elements(before), it.dims[axis], elements(after)])
    };
    let [past, x, y] = [past, x, y].map(view);
    let circular = match call.op.text("mode").unwrap_or("linear") {
        "linear" => false,
        "circular" => true,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let placing = Placing {
        past: Some(Heads::of(&past, None)?),
        start: call
            .optional(2)
            .map_or(Start::At(0), |starts| Start::Each(starts, 0)),
        circular,
        turn: None,
        positions: (Positions::Places, None),
    };
    Ok(vec![
        placing.dispatch(&Heads::of(&x, None)?, &Heads::of(&y, None)?)?,
    ])
}
