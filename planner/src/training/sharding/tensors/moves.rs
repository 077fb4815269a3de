//! Where the parts of tensors are whose elements are only moved.

use super::part::Part;
use super::relations::{Call, Follows, Slot};
use crate::graph::Dialect;
use crate::operators::Operator;

const READ: Slot = Slot::Input(0);
const MADE: Slot = Slot::Output(0);

/// What follows for an operator that moves elements.
pub(super) fn follows(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let tflite = call.graph.dialect == Dialect::Tflite;
    match call.op.operator {
        Operator::Identity
        | Operator::Reshape
        | Operator::Flatten
        | Operator::Squeeze
        | Operator::Unsqueeze => reshaped(call, from, part),
        // Those of TFLite read dimensions from other places.
        _ if tflite => None,
        Operator::Transpose => transposed(call, from, part),
        Operator::Split => split(call, from, part),
        Operator::Slice => sliced(call, from, part),
        Operator::Tile | Operator::Pad => pair(call, part),
        Operator::Concat => concatenated(call, part),
        Operator::Gather => gathered(call, from, part),
        Operator::TopK => {
            let rank = call.dims(READ)?.len();
            let largest = call.axis("axis", -1, rank)?;
            let slots = [READ, MADE, Slot::Output(1)];
            (part.axis != largest).then(|| alike(slots.map(|slot| (slot, part)).to_vec()))
        }
        _ => None,
    }
}

/// Those of them that are there.
fn alike(parts: Vec<(Slot, Part)>) -> Follows {
    Follows::Alike(parts)
}

/// The first input and the first output, where the dimension is the same in both.
fn pair(call: &Call<'_>, part: Part) -> Option<Follows> {
    let size = |slot| call.dims(slot)?.get(part.axis).copied();
    let same = size(READ).is_some() && size(READ) == size(MADE);
    same.then(|| alike(vec![(READ, part), (MADE, part)]))
}

fn reshaped(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let (read, made) = (call.dims(READ)?, call.dims(MADE)?);
    let parts = match from {
        READ => [(READ, part), (MADE, part.reshaped(read, made, call.among)?)],
        MADE => [(MADE, part), (READ, part.reshaped(made, read, call.among)?)],
        _ => return None,
    };
    Some(alike(parts.to_vec()))
}

fn transposed(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let rank = call.dims(READ)?.len();
    let turned: Vec<i64> = (0..rank as i64).rev().collect();
    let order = call.op.ints("perm").unwrap_or(&turned);
    let to = |axis: usize| order.iter().position(|at| usize::try_from(*at) == Ok(axis));
    let (own, seen) = match from {
        READ => (part.axis, to(part.axis)?),
        MADE => (usize::try_from(*order.get(part.axis)?).ok()?, part.axis),
        _ => return None,
    };
    Some(alike(vec![(READ, part.at(own)), (MADE, part.at(seen))]))
}

/// Where it is split along what is divided, as queries, keys and values of one product are, each
/// piece is divided.
fn split(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    if from == Slot::Input(1) {
        return None;
    }
    let axis = call.axis("axis", 0, call.dims(READ)?.len())?;
    let pieces = (0..call.op.outputs.len()).map(Slot::Output);
    let all: Vec<Slot> = std::iter::once(READ).chain(pieces).collect();
    if axis != part.axis {
        return Some(alike(all.into_iter().map(|slot| (slot, part)).collect()));
    }
    let own = all.into_iter().map(|slot| (slot, Part::any(axis)));
    part.blocks
        .is_none()
        .then(|| alike(own.collect::<Vec<(Slot, Part)>>()))
}

fn sliced(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    if !matches!(from, READ | MADE) {
        return None;
    }
    let whole = pair(call, part);
    if whole.is_some() || part.blocks.is_some() {
        return whole;
    }
    Some(alike(vec![(READ, part), (MADE, part)]))
}

fn concatenated(call: &Call<'_>, part: Part) -> Option<Follows> {
    let axis = call.axis("axis", 0, call.dims(MADE)?.len())?;
    let inputs = (0..call.op.inputs.len()).map(Slot::Input);
    let all = inputs.chain([MADE]).map(|slot| (slot, part));
    (axis != part.axis).then(|| alike(all.collect()))
}

/// Rows of a table: the dimensions of the integers stand in place of that which they are for.
fn gathered(call: &Call<'_>, from: Slot, part: Part) -> Option<Follows> {
    let places = Slot::Input(1);
    let (rank, own) = (call.dims(READ)?.len(), call.dims(places)?.len());
    let axis = call.axis("axis", 0, rank)?;
    let of_table = |at: usize| match at {
        _ if at < axis => Some(at),
        _ if at > axis => Some(at + own - 1),
        _ => None,
    };
    let at = part.axis;
    let made = match from {
        READ => of_table(at)?,
        Slot::Input(1) => axis + at,
        MADE => at,
        _ => return None,
    };
    let read = match made.checked_sub(axis) {
        None => (READ, part.at(made)),
        Some(inner) if inner < own => (places, part.at(inner)),
        Some(inner) => (READ, part.at(axis + inner + 1 - own)),
    };
    // Rows of tables of weights are whole.
    let of_weights = read.0 == READ && call.is_fixed(READ);
    (!of_weights).then(|| alike(vec![read, (MADE, part.at(made))]))
}
