//! Attention of the `com.microsoft` domain in which queries share keys and values, with caches.
//! Source: the operator documentation of ONNX Runtime.

use planner::{Message, message};

use crate::kernels::Positions;
use crate::lower::Dispatches;
use crate::lower::attention::Attention;
use crate::lower::cache::{Placing, Start};
use crate::lower::call::Call;
use crate::lower::heads::{Heads, Lengths, Mask, Turn, product};
use crate::lower::onnx::transformers::{given_scale, heads, nothing_from, unknown_attribute};

/// Heads of queries, of keys and values, and what is read of them.
struct Grouped<'a> {
    q: Heads<'a>,
    k: Heads<'a>,
    v: Heads<'a>,
}

impl<'a> Grouped<'a> {
    fn of(call: &'a Call<'_>) -> Result<Self, Message> {
        let (count, shared) = (heads(call, "num_heads")?, heads(call, "kv_num_heads")?);
        let q = call.input(0)?;
        let (Some(k), Some(v)) = (call.optional(1), call.optional(2)) else {
            let hidden = q.dims.last().copied().unwrap_or_default();
            let all = shared
                .checked_mul(2)
                .and_then(|both| both.checked_add(count));
            let size = all
                .and_then(|all| hidden.checked_div(all))
                .unwrap_or_default();
            let (of_q, of_k) = (product([count, size])?, product([shared, size])?);
            return Ok(Self {
                q: Heads::packed(q, [0, of_q], count)?,
                k: Heads::packed(q, [of_q, of_k], shared)?,
                v: Heads::packed(q, [of_q.saturating_add(of_k), of_k], shared)?,
            });
        };
        Ok(Self {
            q: Heads::of(q, Some(count.into()))?,
            k: Heads::of(k, Some(shared.into()))?,
            v: Heads::of(v, Some(shared.into()))?,
        })
    }
}

/// New keys and values go into the caches, which are then attended: to the keys before each
/// query. Where the first token of a sequence is among the new ones, they begin the caches;
/// else they end at the length of each batch.
pub(super) fn grouped(call: &Call<'_>) -> Dispatches {
    let Grouped { q, k, v } = Grouped::of(call)?;
    let lengths = call.input(5)?;
    nothing_from(call, 11, 3)?;
    for name in ["smooth_softmax", "qk_output", "kv_cache_bit_width"] {
        if call.op.int(name).unwrap_or_default() != 0 {
            return Err(unknown_attribute(name));
        }
    }
    let &[total] = call.ints(6)? else {
        return Err(message!("its length is not one number"));
    };
    let first = i64::from(q.rows) == total;
    let start = match i32::try_from(q.rows) {
        _ if first => Start::At(0),
        Ok(rows) => Start::Each(lengths, 1 - rows),
        Err(_) => return Err(message!("it has too many elements")),
    };
    let turn = turn(call)?;
    let mut dispatches = Vec::new();
    for (past, output, new, turn) in [(3, 1, &k, turn), (4, 2, &v, None)] {
        let past = call.optional(past).map(|past| Heads::of(past, None));
        let placing = Placing {
            past: past.transpose()?,
            start,
            circular: false,
            turn,
            positions: (Positions::Places, None),
        };
        let y = Heads::of(call.output(output)?, None)?;
        dispatches.push(placing.dispatch(new, &y)?);
    }
    let (k, v) = (
        Heads::of(call.output(1)?, None)?,
        Heads::of(call.output(2)?, None)?,
    );
    let scores = [q.batches, q.heads, q.rows, k.rows];
    let added = call.optional(10).map(|x| Mask::broadcast(x, scores, true));
    let attention = Attention {
        cap: call.float_attribute("softcap").unwrap_or_default(),
        window: [before(call), 0],
        masks: [added.transpose()?, None],
        lengths: (!first).then_some(Lengths {
            x: lengths,
            more: 1,
            from_end: true,
        }),
        turn,
        ..Attention::plain(given_scale(call, q.size))
    };
    let y = Heads::of(call.output(0)?, Some(q.heads.into()))?;
    dispatches.push(attention.dispatch([&q, &k, &v], &y)?);
    Ok(dispatches)
}

/// How queries and keys are turned, if they are.
fn turn<'a>(call: &'a Call<'_>) -> Result<Option<Turn<'a>>, Message> {
    if call.op.int("do_rotary").unwrap_or_default() == 0 {
        return Ok(None);
    }
    if let Some(positions) = call.optional(9) {
        let name = &positions.name;
        return Err(message!("there is no kernel for its input {}", name));
    }
    Ok(Some(Turn {
        cosines: call.input(7)?,
        sines: call.input(8)?,
        neighbours: call.op.int("rotary_interleaved").unwrap_or_default() != 0,
    }))
}

/// How many keys a query sees before its own place, which is one of the window; -1 all.
fn before(call: &Call<'_>) -> i32 {
    match call.op.int("local_window_size") {
        Some(window @ 1..) => i32::try_from(window - 1).unwrap_or(-1),
        _ => -1,
    }
}
