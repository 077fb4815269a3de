//! Operators that take parts of tensors: slices, splits, gathers, selections.

use super::{Call, Dims, attribute, axis, dim, dims as dims_of, fit, int, ints, invalid};
use crate::graph::infer::views::Taken;
use crate::graph::infer::{InferredOutput, Outputs, Unsized};
use crate::message;

pub(super) fn split(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 1)?.to_vec();
    let along = axis(call, int(call, 0)?, result.len())?;
    let parts = call.op.outputs.len() as u64;
    match result[along].checked_rem(parts) {
        Some(0) => result[along] /= parts,
        _ => {
            return Err(invalid(
                call,
                message!("{} in {} parts", result[along], parts),
            ));
        }
    }
    Ok(result)
}

pub(super) fn split_v(call: &Call<'_>) -> Outputs {
    let (dims, sizes) = (dims_of(call, 0)?, ints(call, 1)?);
    let along = axis(call, int(call, 2)?, dims.len())?;
    let given: i64 = sizes
        .iter()
        .filter(|&&size| size > 0)
        .fold(0, |n, &size| n.saturating_add(size));
    let rest = dims[along].checked_sub(dim(call, given)?);
    let rest = rest.ok_or_else(|| invalid(call, message!("parts exceed the whole")))?;
    let one = |&size: &i64| {
        let mut part = dims.to_vec();
        part[along] = if size == -1 { rest } else { dim(call, size)? };
        Ok(InferredOutput::new(None, part))
    };
    sizes.iter().map(one).collect()
}

pub(super) fn unpack(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let along = axis(call, attribute(call, "axis"), result.len())?;
    match result.remove(along) == call.op.outputs.len() as u64 {
        true => Ok(result),
        false => Err(invalid(
            call,
            message!("outputs do not match the dimension"),
        )),
    }
}

pub(super) fn top(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let k = dim(call, int(call, 1)?)?;
    match result.last_mut() {
        Some(last) => *last = k,
        None => return Err(invalid(call, message!("the operand is a scalar"))),
    }
    Ok(result)
}

/// As many lists as `lists`, each as long as the third operand allows, and their count.
pub(super) fn suppress(call: &Call<'_>, lists: usize) -> Outputs {
    let most = dim(call, int(call, 2)?)?;
    let mut made = vec![InferredOutput::new(None, vec![most]); lists];
    made.push(InferredOutput::new(None, Vec::new()));
    Ok(made)
}

pub(super) fn slice(call: &Call<'_>) -> Dims {
    let (dims, begins, sizes) = (dims_of(call, 0)?, ints(call, 1)?, ints(call, 2)?);
    if begins.len() != dims.len() || sizes.len() != dims.len() {
        return Err(invalid(call, message!("begin or size of another rank")));
    }
    let mut result = Vec::new();
    for ((&whole, &begin), &size) in dims.iter().zip(begins).zip(sizes) {
        let rest = whole.checked_sub(dim(call, begin)?);
        let rest = rest.ok_or_else(|| invalid(call, message!("begins behind the end")))?;
        let size = if size == -1 { rest } else { dim(call, size)? };
        if size > rest {
            return Err(invalid(call, message!("{} of {}", size, rest)));
        }
        result.push(size);
    }
    Ok(result)
}

pub(super) fn strided_slice(call: &Call<'_>) -> Dims {
    Ok(strided(call)?.into_iter().filter_map(Pick::kept).collect())
}

/// What a strided slice takes along one dimension.
#[derive(Clone, Copy)]
pub(super) enum Pick {
    /// A new dimension of 1.
    New,
    /// `count` elements from `begin` on, `stride` apart.
    Many { begin: i64, stride: i64, count: u64 },
    /// The element at this index, and the dimension disappears.
    One(i64),
}

impl Pick {
    fn kept(self) -> Option<u64> {
        match self {
            Self::New => Some(1),
            Self::Many { count, .. } => Some(count),
            Self::One(_) => None,
        }
    }
}

/// The same for who asks where the elements lie: first index, step and whether the dimension
/// stays, `None` for a new one. `None` where it cannot be known.
pub(in crate::graph::infer) fn picked(call: &Call<'_>) -> Option<Vec<Taken>> {
    let picks = strided(call).ok()?.into_iter();
    let taken = picks.map(|pick| match pick {
        Pick::New => None,
        Pick::Many { begin, stride, .. } => Some((begin, stride, true)),
        Pick::One(index) => Some((index, 1, false)),
    });
    Some(taken.collect())
}

/// What a strided slice takes, dimension by dimension, once its masks are spelt out.
pub(super) fn strided(call: &Call<'_>) -> Result<Vec<Pick>, Unsized> {
    let dims = dims_of(call, 0)?;
    let (begins, ends, strides) = (ints(call, 1)?, ints(call, 2)?, ints(call, 3)?);
    if ends.len() != begins.len() || strides.len() != begins.len() || begins.len() > 32 {
        return Err(invalid(
            call,
            message!("begin, end and strides differ in length"),
        ));
    }
    let bit = |mask: &str, index: usize| attribute(call, mask) >> index & 1 == 1;
    let new = (0..begins.len())
        .filter(|&index| bit("new_axis_mask", index))
        .count();
    let mut picks = Vec::new();
    let mut sizes = dims.iter().copied();
    let mut elided = (dims.len() + new).checked_sub(begins.len());
    for index in 0..begins.len() {
        if bit("ellipsis_mask", index) {
            // The ellipsis stands for itself and all dimensions that nothing is said of.
            let whole = elided.take().map_or(0, |rest| rest + 1);
            picks.extend(sizes.by_ref().take(whole).map(whole_of));
            continue;
        }
        if bit("new_axis_mask", index) {
            picks.push(Pick::New);
            continue;
        }
        let size = sizes
            .next()
            .ok_or_else(|| invalid(call, message!("more indices than dimensions")))?;
        let begin = (!bit("begin_mask", index)).then_some(begins[index]);
        let end = match attribute(call, "offset") != 0 {
            true => begins[index].saturating_add(ends[index]),
            false => ends[index],
        };
        let end = (!bit("end_mask", index)).then_some(end);
        let single = bit("shrink_axis_mask", index);
        picks.push(pick(call, size, begin, end, strides[index], single)?);
    }
    picks.extend(sizes.map(whole_of));
    Ok(picks)
}

fn whole_of(size: u64) -> Pick {
    Pick::Many {
        begin: 0,
        stride: 1,
        count: size,
    }
}

fn pick(
    call: &Call<'_>,
    size: u64,
    begin: Option<i64>,
    end: Option<i64>,
    stride: i64,
    single: bool,
) -> Result<Pick, Unsized> {
    let size = fit(call, i64::try_from(size).ok())?;
    let from_start = |index: i64| {
        if index < 0 {
            index.saturating_add(size)
        } else {
            index
        }
    };
    if single {
        let index = from_start(begin.unwrap_or(0));
        return match 0 <= index && index < size {
            true => Ok(Pick::One(index)),
            false => Err(invalid(call, message!("index {} of {}", index, size))),
        };
    }
    let (lowest, highest) = match stride {
        0 => return Err(invalid(call, message!("a stride of 0"))),
        1.. => (0, size),
        _ => (-1, size - 1),
    };
    let (first, last) = if stride > 0 {
        (lowest, highest)
    } else {
        (highest, lowest)
    };
    let clamp = |index: i64| from_start(index).clamp(lowest, highest.max(lowest));
    let begin = begin.map_or(first, clamp);
    let end = end.map_or(last, clamp);
    let way = end.saturating_sub(begin);
    let count = if way.signum() == stride.signum() {
        way.unsigned_abs().div_ceil(stride.unsigned_abs())
    } else {
        0
    };
    Ok(Pick::Many {
        begin,
        stride,
        count,
    })
}

pub(super) fn gather(call: &Call<'_>) -> Dims {
    let (dims, indices) = (dims_of(call, 0)?, dims_of(call, 1)?);
    let along = axis(call, attribute(call, "axis"), dims.len())?;
    let batch = attribute(call, "batch_dims");
    let batch = match batch {
        0 => 0,
        _ => axis(call, batch, indices.len() + 1)?,
    };
    let own = indices.get(batch..).filter(|_| batch <= along);
    let own =
        own.ok_or_else(|| invalid(call, message!("more batch dimensions than the axis allows")))?;
    let (before, after) = (&dims[..along], &dims[along + 1..]);
    Ok([before, own, after].concat())
}

pub(super) fn gather_nd(call: &Call<'_>) -> Dims {
    let (dims, indices) = (dims_of(call, 0)?, dims_of(call, 1)?);
    let split = indices.split_last();
    let after = split.and_then(|(&depth, _)| dims.get(usize::try_from(depth).ok()?..));
    match (split, after) {
        (Some((_, indices)), Some(after)) => Ok([indices, after].concat()),
        _ => Err(invalid(call, message!("indices are longer than the rank"))),
    }
}

/// Rows of the table (operand 1) by the indices (operand 0).
pub(super) fn embedding(call: &Call<'_>) -> Dims {
    let (indices, table) = (dims_of(call, 0)?, dims_of(call, 1)?);
    let row = table.get(1..);
    let row = row.ok_or_else(|| invalid(call, message!("the table is a scalar")))?;
    Ok([indices, row].concat())
}
