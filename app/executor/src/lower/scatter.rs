//! What puts updates where indices lead.

use planner::graph::DType;
use planner::{Message, message};

use crate::kernels::{Kernel, MAX_RANK, Reduce, ScatterParams, grid};
use crate::lower::Dispatches;
use crate::lower::strided::{strides, width};
use crate::recording::{Dispatch, Operand};

/// Most tuples that all elements together look at: each looks through them in order, so that
/// two runs give the same bits.
const MOST_LOOKS: u64 = 1 << 32;

/// x, indices, updates and y.
pub(crate) type Operands<'a> = [&'a Operand; 4];

/// Every update has an index of its own along `axis`.
///
/// # Errors
/// When shapes or types do not fit, or there is too much to look through.
pub(crate) fn scatter_elements(operands: Operands<'_>, axis: usize, how: Reduce) -> Dispatches {
    let [x, indices, updates, _] = operands;
    let rank = x.dims.len();
    if rank > MAX_RANK || indices.dims.len() != rank || indices.dims != updates.dims {
        return Err(message!("its shapes do not fit"));
    }
    if indices
        .dims
        .iter()
        .zip(&x.dims)
        .enumerate()
        .any(|(d, (part, whole))| d != axis && part > whole)
    {
        return Err(message!("there are more indices than places"));
    }
    let (size, steps) = (x.dims[axis], strides(indices));
    let step = narrow(steps[axis])?;
    let mut params = ScatterParams {
        tuples: indices.dims[axis],
        depth: 1,
        tuple_step: step,
        update_step: step,
        run: 1,
        axis: planner::narrow(rank - 1 - axis),
        ..ScatterParams::default()
    };
    for (d, back) in (0..rank).rev().enumerate() {
        params.base[d] = narrow(steps[back])?;
        params.part[d] = indices.dims[back];
    }
    (params.limit[0], params.stride[0]) = (size, 1);
    dispatch(operands, params, how)
}

/// The last dimension of the indices holds tuples that lead into x.
///
/// # Errors
/// When shapes or types do not fit, or there is too much to look through.
pub(crate) fn scatter_nd(operands: Operands<'_>, how: Reduce) -> Dispatches {
    let [x, indices, updates, _] = operands;
    let (&depth, outer) = indices
        .dims
        .split_last()
        .ok_or_else(|| message!("the indices are a scalar"))?;
    let used = depth as usize;
    let inner = x.dims.get(used..).filter(|_| used <= MAX_RANK);
    let inner = inner.ok_or_else(|| message!("its tuples are longer than the rank"))?;
    if updates.dims != [outer, inner].concat() {
        return Err(message!("its updates do not fit"));
    }
    let run: u32 = inner.iter().product();
    let mut params = ScatterParams {
        tuples: outer.iter().product(),
        depth,
        tuple_step: depth,
        update_step: run,
        run,
        axis: u32::MAX,
        ..ScatterParams::default()
    };
    for (d, stride) in strides(x).into_iter().take(used).enumerate() {
        (params.limit[d], params.stride[d]) = (x.dims[d], narrow(stride)?);
    }
    dispatch(operands, params, how)
}

fn narrow(stride: i64) -> Result<u32, Message> {
    u32::try_from(stride).map_err(|_error| message!("it reaches beyond 2^32 elements"))
}

fn dispatch(operands: Operands<'_>, mut params: ScatterParams, how: Reduce) -> Dispatches {
    let [x, indices, updates, y] = operands;
    let width = width(x)?;
    let same = x.dtype == y.dtype && x.dtype == updates.dtype && x.dims == y.dims;
    if width < 4 || !same || how != Reduce::Last && x.dtype != DType::F32 {
        return Err(message!("there is no kernel for it on {}", x.dtype.name()));
    }
    let index_words: u32 = match indices.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    if u64::from(y.len()) * u64::from(params.tuples) > MOST_LOOKS {
        return Err(message!(
            "{} tuples are too many to look through",
            params.tuples
        ));
    }
    params.count = y.len();
    params.dims = [1; MAX_RANK];
    // Over all of y no dimension is walked.
    if (params.axis as usize) < MAX_RANK {
        for (to, &size) in params.dims.iter_mut().zip(y.dims.iter().rev()) {
            *to = size;
            params.rank += 1;
        }
    }
    Ok(vec![
        Dispatch::new(Kernel::Scatter, &params, grid(y.len()))
            .reads([x, indices, updates])
            .writes(y)
            .constant("WIDTH", width)
            .constant("REDUCE", how.code())
            .constant("INDEX_WORDS", index_words),
    ])
}
