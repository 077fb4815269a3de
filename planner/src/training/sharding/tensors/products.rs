//! How products, and what attention is made of, are divided (Shoeybi et al., "Megatron-LM", 2019,
//! section 3): weights by columns, so that each device has some of the columns of the result, or by
//! rows, so that each has a part of every sum; products of two activations by heads.

use super::part::Part;
use super::relations::{Call, Follows, Slot};
use crate::operators::Operator;

/// What an operator multiplies by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    /// Where the weights are.
    pub(super) place: usize,
    /// Their dimension that is summed over, the rows.
    pub(super) rows: usize,
    /// Their other one.
    pub(super) columns: usize,
    /// Where the bias is, if it has one.
    pub(super) bias: Option<usize>,
}

const READ: Slot = Slot::Input(0);
const MADE: Slot = Slot::Output(0);

/// The weights of a linear layer; `None` for all else.
pub(super) fn weight(call: &Call<'_>) -> Option<Weight> {
    let rank = |slot| call.dims(slot).map(<[u64]>::len);
    let turned = |name| call.op.int(name).unwrap_or_default() != 0;
    let (rows, columns) = match call.op.operator {
        Operator::MatMul => (0, 1),
        Operator::Gemm if !turned("transA") && turned("transB") => (1, 0),
        Operator::Gemm if !turned("transA") => (0, 1),
        Operator::FullyConnected => (1, 0),
        // One for each expert.
        Operator::GroupedMatMul => (1, 2),
        _ => return None,
    };
    let bias = match call.op.operator {
        Operator::Gemm | Operator::FullyConnected => Some(2),
        _ => None,
    };
    let is = call.is_fixed(Slot::Input(1))
        && !call.is_fixed(READ)
        && rank(Slot::Input(1)) == Some(columns.max(rows) + 1);
    is.then_some(Weight {
        place: 1,
        rows,
        columns,
        bias: bias.filter(|at| call.id(Slot::Input(*at)).is_some()),
    })
}

/// What follows for a product.
pub(super) fn follows(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    match call.op.operator {
        Operator::Attention => attention(call, from, part),
        Operator::ScaledDotProductAttention => batches(call, 3, from, part),
        Operator::RotaryEmbedding => rotary(call, from, part),
        _ => match weight(call) {
            Some(weight) => linear(call, weight, from, part),
            None if call.op.is(Operator::MatMul) => batches(call, 2, from, part),
            None => None,
        },
    }
}

fn linear(call: &Call<'_>, weight: Weight, from: Slot, part: Part) -> Option<Follows> {
    let (read, made) = (call.dims(READ)?, call.dims(MADE)?);
    let (sums, columns) = (read.len().checked_sub(1)?, made.len().checked_sub(1)?);
    let weights = Slot::Input(weight.place);
    let by_rows = |part: Part| {
        let own = [(READ, part.at(sums)), (weights, part.at(weight.rows))];
        Some(Follows::Sums(own.to_vec()))
    };
    let by_columns = |part: Part| {
        let mut own = vec![(MADE, part.at(columns)), (weights, part.at(weight.columns))];
        let bias = weight.bias.map(Slot::Input);
        let bias = bias.and_then(|slot| Some((slot, call.dims(slot)?)));
        if let Some((slot, dims)) = bias
            && dims.last() == made.last()
        {
            own.push((slot, part.at(dims.len() - 1)));
        }
        Some(Follows::Alike(own))
    };
    match from {
        READ if part.axis == sums => by_rows(part),
        MADE if part.axis == columns => by_columns(part),
        // Rows of what is read are rows of the result.
        READ | MADE if read.len() == made.len() => {
            let mut own = vec![(READ, part), (MADE, part)];
            if call.op.is(Operator::GroupedMatMul) {
                own.push((Slot::Input(2), part));
            }
            Some(Follows::Alike(own))
        }
        _ if from == weights && part.axis == weight.rows => by_rows(part),
        _ if from == weights && part.axis == weight.columns => by_columns(part),
        _ => None,
    }
}

/// The dimensions before the last two, as those of heads, of the first inputs and the output.
fn batches(call: &Call<'_>, inputs: usize, from: Slot, part: Part) -> Option<Follows> {
    let inner = |slot| Some(part.axis + 2 < call.dims(slot)?.len());
    let made = call.dims(MADE)?.len();
    let read = (0..inputs).map(|at| call.dims(Slot::Input(at)).map(<[u64]>::len));
    let read: Option<Vec<usize>> = read.collect();
    let fits = inner(from)? && read?.into_iter().all(|rank| rank >= 2 && rank <= made);
    if !fits {
        return None;
    }
    // All but the last two dimensions are broadcast.
    let axis = part.axis + made - call.dims(from)?.len();
    let size = *call.dims(MADE)?.get(axis)?;
    let mut alike = vec![(MADE, part.at(axis))];
    for slot in (0..inputs).map(Slot::Input) {
        let dims = call.dims(slot)?;
        match (axis + dims.len()).checked_sub(made) {
            Some(own) if dims[own] == size => alike.push((slot, part.at(own))),
            None => {}
            Some(own) if dims[own] == 1 => {}
            Some(_) => return None,
        }
    }
    Some(Follows::Alike(alike))
}

/// How many heads the attribute says.
fn heads(call: &Call<'_>, name: &str) -> Option<u64> {
    let heads = u64::try_from(call.op.int(name)?).ok()?;
    (heads > 0).then_some(heads)
}

/// By heads: those of queries alone where there are too few of keys and each serves enough queries.
fn attention(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let rank = call.dims(READ)?.len();
    let of = |slot, name: &str| match rank {
        3 => heads(call, name),
        _ => call.dims(slot)?.get(1).copied(),
    };
    let axis = if rank == 3 { 2 } else { 1 };
    let past = (4..call.op.inputs.len()).any(|at| call.id(Slot::Input(at)).is_some());
    if part.axis != axis || past || call.op.written().count() != 1 {
        return None;
    }
    let devices = call.among.devices;
    let queries = of(READ, "q_num_heads")?;
    let keys = of(Slot::Input(1), "kv_num_heads")?;
    let whole = |heads: u64| heads.is_multiple_of(part.blocks.unwrap_or(1).saturating_mul(devices));
    let mut alike = vec![(READ, part), (MADE, part)];
    if whole(keys) && whole(queries) {
        alike.extend([(Slot::Input(1), part), (Slot::Input(2), part)]);
    } else {
        let each = queries.is_multiple_of(keys) && (queries / keys).is_multiple_of(devices);
        if !each || !matches!(from, READ | MADE) {
            return None;
        }
    }
    // A mask of each head.
    let mask = Slot::Input(3);
    if let Some([.., heads, _, _]) = call.dims(mask)
        && *heads == queries
        && queries > 1
    {
        let at = call.dims(mask)?.len() - 3;
        alike.push((mask, part.at(at)));
    }
    Some(Follows::Alike(alike))
}

/// Heads, or tokens with their places.
fn rotary(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let dims = call.dims(READ)?;
    if !matches!(from, READ | MADE) {
        return None;
    }
    let mut alike = vec![(READ, part), (MADE, part)];
    let (by_heads, tokens) = match dims.len() {
        3 => (2, 1),
        _ => (1, 2),
    };
    if part.axis == by_heads {
        let heads = match dims.len() {
            3 => heads(call, "num_heads")?,
            _ => dims[1],
        };
        let runs = part.blocks.unwrap_or(1).checked_mul(call.among.devices)?;
        return heads.is_multiple_of(runs).then_some(Follows::Alike(alike));
    }
    if part.axis != tokens && part.axis != 0 {
        return None;
    }
    // Places are for each sequence and token; without them, cosines and sines are.
    let own = if part.axis == 0 { 0 } else { 1 };
    for slot in [3, 1, 2].map(Slot::Input) {
        let size = call.dims(slot).and_then(|dims| dims.get(own));
        let told = call.id(Slot::Input(3)).is_some() && slot != Slot::Input(3);
        if !told && size.is_some() && size == dims.get(part.axis) {
            alike.push((slot, part.at(own)));
        }
    }
    Some(Follows::Alike(alike))
}
