//! What PyTorch keeps of recurrent layers for their backward pass, on a CPU.
//!
//! | layer | beside what it reads | by |
//! |---|---|---|
//! | LSTM | its output; initial and last states; the workspace of oneDNN | one call for each layer and direction |
//! | GRU | for each step 7 numbers of each unit: the three gates, the new gate before and after the reset, a difference, the state | one operator after the other |
//! | RNN | the state of each step, and the initial one | the same |
//!
//! The workspace is that of `set_offsets` in oneDNN's `src/cpu/rnn/rnn_utils.cpp`: gates, states and
//! their gradients for all steps, each from a new page on, in rows of whole cache lines that are
//! no multiple of 256 numbers. It was compared with what torch 2.15 saves of 17 layers. On a GPU
//! cuDNN keeps a reserve of its own, of another size.

use crate::graph::{Graph, Op, Role, TensorId};
use crate::operators::Operator;

const PAGE: u64 = 4_096;
/// Bytes of a number.
const FLOAT: u64 = 4;

/// The sizes of a recurrent operator.
struct Sizes {
    steps: u64,
    batch: u64,
    input: u64,
    hidden: u64,
    directions: u64,
}

fn dims(graph: &Graph, id: Option<TensorId>) -> Option<&[u64]> {
    graph.tensor(id?).dims.as_deref()
}

fn sizes(graph: &Graph, op: &Op, samples: u64) -> Option<Sizes> {
    let [first, second, input] = *dims(graph, *op.inputs.first()?)? else {
        return None;
    };
    let [directions, _, hidden] = *dims(graph, *op.inputs.get(2)?)? else {
        return None;
    };
    let (steps, batch) = match op.int("layout").unwrap_or_default() {
        0 => (first, second),
        _ => (second, first),
    };
    Some(Sizes {
        steps,
        batch: batch.checked_mul(samples)?,
        input,
        hidden,
        directions,
    })
}

/// The bytes that `op` keeps beside its input and output, for so many runs at once; `None` where
/// a size is not known or beyond 64 bits.
pub(super) fn beside(graph: &Graph, op: &Op, samples: u64) -> Option<u64> {
    let sizes = sizes(graph, op, samples)?;
    let state = sizes
        .batch
        .checked_mul(sizes.hidden)?
        .checked_mul(sizes.directions)?
        .checked_mul(FLOAT)?;
    // Zeros that nobody gives are made for the layer; what the graph computes is kept as such.
    let made = |place: usize| {
        let given = op.inputs.get(place).copied().flatten();
        u64::from(given.is_none_or(|id| graph.tensor(id).role == Role::Constant))
    };
    // Last states that the graph reads are outputs already.
    let unread = |place: usize| u64::from(op.outputs.get(place).copied().flatten().is_none());
    match op.operator {
        Operator::Lstm => {
            let states = made(5) + made(6) + unread(1) + unread(2);
            let workspaces = workspace(&sizes)?.checked_mul(sizes.directions)?;
            states.checked_mul(state)?.checked_add(workspaces)
        }
        Operator::Gru => {
            let numbers = sizes.steps.checked_mul(7)?;
            let numbers = numbers.checked_sub(1 - made(5))?;
            numbers.checked_mul(state)
        }
        _ => sizes.steps.checked_add(made(5))?.checked_mul(state),
    }
}

/// The workspace of one direction of an LSTM.
fn workspace(sizes: &Sizes) -> Option<u64> {
    let &Sizes {
        steps,
        batch,
        input,
        hidden,
        ..
    } = sizes;
    let rows = steps.checked_mul(batch)?;
    // Of the layer and of what it reads, one step more than there are.
    let states = steps.checked_add(1)?.checked_mul(batch)?.checked_mul(2)?;
    let region = |rows: u64, row: u64| {
        let bytes = rows.checked_mul(row)?.checked_mul(FLOAT)?;
        bytes.checked_next_multiple_of(PAGE)
    };
    let gates = region(rows, leading(hidden.checked_mul(4)?)?)?;
    let before_projection = region(rows, leading(hidden)?)?;
    let layer = region(states, leading(input.max(hidden))?)?;
    let cell = region(states, hidden)?;
    let all = [gates, before_projection, layer, layer, layer, cell, cell];
    all.into_iter().try_fold(0_u64, u64::checked_add)
}

/// The numbers from one row to the next: whole cache lines, one more where rows would share sets.
fn leading(numbers: u64) -> Option<u64> {
    const LINE: u64 = 16;
    let whole = numbers.checked_next_multiple_of(LINE)?;
    match whole.is_multiple_of(256) {
        true => whole.checked_add(LINE),
        false => Some(whole),
    }
}
