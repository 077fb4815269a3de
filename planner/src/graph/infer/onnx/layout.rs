//! Operators that arrange elements anew without looking at them.

use super::Dims;
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Call, InferredOutput, MAX_RANK, Outputs, Unsized};
use crate::message;
use crate::sorting::Sorting as _;

/// A 0 copies the input's dimension unless `allowzero` is set, one -1 takes what is left.
pub(super) fn reshape(call: &Call<'_>) -> Dims {
    let from = call.dims(0)?;
    let to = call.list("shape", 1)?;
    let to = to.ok_or_else(|| call.invalid(message!("no shape")))?;
    reshaped(call, from, to, call.flag("allowzero"))
}

/// The dimensions that `to` means for a tensor of dimensions `from`.
pub(super) fn reshaped(call: &Call<'_>, from: &[u64], to: &[i64], allow_zero: bool) -> Dims {
    let mismatch = || {
        call.invalid(message!(
            "{} to {}",
            format_args!("{from:?}"),
            format_args!("{to:?}")
        ))
    };
    if to.len() > MAX_RANK {
        return Err(call.invalid(message!("{} dimensions", to.len())));
    }
    let mut open = None;
    let mut dims = Vec::with_capacity(to.len());
    for (axis, &size) in to.iter().enumerate() {
        dims.push(match size {
            0 if !allow_zero => *from.get(axis).ok_or_else(mismatch)?,
            -1 if open.is_none() => {
                open = Some(axis);
                1
            }
            size => u64::try_from(size).map_err(|_error| mismatch())?,
        });
    }
    let (have, want) = (call.product(from)?, call.product(&dims)?);
    match open {
        None if have == want => {}
        // Nothing divided by nothing is nothing.
        Some(axis) if want == 0 && have == 0 => dims[axis] = 0,
        Some(axis) if want != 0 && have.is_multiple_of(want) => dims[axis] = have / want,
        _ => return Err(mismatch()),
    }
    Ok(dims)
}

pub(super) fn flatten(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let axis = call.int("axis", 1);
    let axis = match usize::try_from(axis) {
        Ok(axis) if axis == dims.len() => axis,
        _ => call.axis(axis, dims.len())?,
    };
    let (rows, columns) = dims.split_at(axis);
    Ok(vec![call.product(rows)?, call.product(columns)?])
}

pub(super) fn squeeze(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let Some(axes) = call.list("axes", 1)? else {
        return Ok(dims.iter().copied().filter(|&dim| dim != 1).collect());
    };
    let axes = call.axes(axes, dims.len())?;
    if let Some(&axis) = axes.iter().find(|&&axis| dims[axis] != 1) {
        return Err(call.invalid(message!(
            "axis {} of {} is not 1",
            axis,
            format_args!("{dims:?}")
        )));
    }
    let kept = dims
        .iter()
        .enumerate()
        .filter(|(axis, _)| !axes.contains(axis));
    Ok(kept.map(|(_, &dim)| dim).collect())
}

pub(super) fn unsqueeze(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let axes = call.list("axes", 1)?;
    let axes = axes.ok_or_else(|| call.invalid(message!("no axes")))?;
    let rank = dims.len() + axes.len();
    if rank > MAX_RANK {
        return Err(call.invalid(message!("{} dimensions", rank)));
    }
    let axes = call.axes(axes, rank)?;
    let mut rest = dims.iter().copied();
    let next = |axis| match axes.contains(&axis) {
        true => Some(1),
        false => rest.next(),
    };
    let dims: Option<Vec<u64>> = (0..rank).map(next).collect();
    dims.filter(|_| rest.next().is_none())
        .ok_or_else(|| call.invalid(message!("an axis is given twice")))
}

/// The axes of the input in the order of the output.
pub(in crate::graph::infer) fn permutation(call: &Call<'_>) -> Result<Vec<usize>, Unsized> {
    let rank = call.dims(0)?.len();
    let Some(perm) = call.op.ints("perm") else {
        return Ok((0..rank).rev().collect());
    };
    let axes = call.axes(perm, rank)?;
    let mut sorted = axes.clone();
    sorted.order();
    if sorted.iter().copied().eq(0..rank) {
        Ok(axes)
    } else {
        Err(call.invalid(message!(
            "perm {} of rank {}",
            format_args!("{perm:?}"),
            rank
        )))
    }
}

pub(super) fn transpose(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    Ok(permutation(call)?
        .into_iter()
        .map(|axis| dims[axis])
        .collect())
}

pub(super) fn concat(call: &Call<'_>) -> Dims {
    let mut dims = call.dims(0)?.to_vec();
    let axis = call.axis(call.int("axis", 1), dims.len())?;
    for input in call.inputs.iter().skip(1).flatten() {
        let fits = |(other, (a, b)): (usize, (&u64, &u64))| other == axis || a == b;
        let pairs = dims.iter().zip(input.dims).enumerate();
        if input.dims.len() != dims.len() || !pairs.into_iter().all(fits) {
            return Err(call.invalid(message!(
                "{} and {} do not fit",
                format_args!("{dims:?}"),
                format_args!("{:?}", input.dims)
            )));
        }
        let sum = dims[axis].checked_add(input.dims[axis]);
        dims[axis] = sum.ok_or_else(|| call.too_large())?;
    }
    Ok(dims)
}

/// Sizes are given, or the parts are equal, the last one smaller where they do not come out.
pub(super) fn split(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let axis = call.axis(call.int("axis", 0), x.dims.len())?;
    let parts = call.op.outputs.len() as u64;
    let sizes: Vec<u64> = match call.list("split", 1)? {
        Some(sizes) if sizes.len() as u64 != parts => {
            return Err(call.invalid(message!("{} sizes for {} parts", sizes.len(), parts)));
        }
        Some(sizes) => {
            let sizes = sizes.iter().map(|&size| call.size(size));
            sizes.collect::<Result<_, _>>()?
        }
        None => {
            let part = x.dims[axis].div_ceil(parts.max(1));
            let begin = |index: u64| index.saturating_mul(part).min(x.dims[axis]);
            (0..parts)
                .map(|index| begin(index + 1) - begin(index))
                .collect()
        }
    };
    let sum = sizes
        .iter()
        .try_fold(0_u64, |sum, &size| sum.checked_add(size));
    if sum != Some(x.dims[axis]) {
        return Err(call.invalid(message!(
            "{} of {}",
            format_args!("{sizes:?}"),
            x.dims[axis]
        )));
    }
    let part = |size| {
        let mut dims = x.dims.to_vec();
        dims[axis] = size;
        InferredOutput::new(x.dtype, dims)
    };
    Ok(sizes.into_iter().map(part).collect())
}

pub(super) fn expand(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let to = call.sizes(call.elements(1)?)?;
    let both = broadcast(dims, &to);
    both.ok_or_else(|| {
        call.invalid(message!(
            "{} to {}",
            format_args!("{dims:?}"),
            format_args!("{to:?}")
        ))
    })
}

pub(super) fn tile(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let times = call.elements(1)?;
    if times.len() != dims.len() {
        return Err(call.invalid(message!(
            "{} by {}",
            format_args!("{dims:?}"),
            format_args!("{times:?}")
        )));
    }
    let tiled = |(&dim, &times): (&u64, &i64)| {
        let size = dim.checked_mul(call.size(times)?);
        size.ok_or_else(|| call.too_large())
    };
    dims.iter().zip(times).map(tiled).collect()
}

pub(super) fn pad(call: &Call<'_>) -> Dims {
    let dims = call.dims(0)?;
    let pads = match call.op.ints("paddings") {
        Some(pads) => Some(pads),
        None => call.list("pads", 1)?,
    };
    let pads = pads.ok_or_else(|| call.invalid(message!("no pads")))?;
    let axes = match call.input(3) {
        Some(_) => call.axes(call.elements(3)?, dims.len())?,
        None => (0..dims.len()).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return Err(call.invalid(message!(
            "pads {} for {} axes",
            format_args!("{pads:?}"),
            axes.len()
        )));
    }
    let (begin, end) = pads.split_at(axes.len());
    let mut padded = dims.to_vec();
    for ((axis, &begin), &end) in axes.into_iter().zip(begin).zip(end) {
        let size = padded[axis].checked_add_signed(begin);
        let size = size.and_then(|size| size.checked_add_signed(end));
        padded[axis] = size.ok_or_else(|| {
            call.invalid(message!(
                "pads {} of {}",
                format_args!("{pads:?}"),
                format_args!("{dims:?}")
            ))
        })?;
    }
    Ok(padded)
}

pub(super) fn center_crop_pad(call: &Call<'_>) -> Dims {
    let mut dims = call.dims(0)?.to_vec();
    let axes = match call.op.ints("axes") {
        Some(axes) => call.axes(axes, dims.len())?,
        None => (0..dims.len()).collect(),
    };
    let sizes = call.elements(1)?;
    if sizes.len() != axes.len() {
        return Err(call.invalid(message!(
            "{} for {} axes",
            format_args!("{sizes:?}"),
            axes.len()
        )));
    }
    for (axis, &size) in axes.into_iter().zip(sizes) {
        dims[axis] = call.size(size)?;
    }
    Ok(dims)
}

/// Channels become blocks of pixels, or the other way round.
pub(super) fn blocks(call: &Call<'_>, to_space: bool) -> Dims {
    let dims = call.dims(0)?;
    let side = call.size(call.int("blocksize", 1))?;
    let mismatch = || {
        call.invalid(message!(
            "blocks of {} in {}",
            side,
            format_args!("{dims:?}")
        ))
    };
    let &[batch, channels, height, width] = dims else {
        return Err(mismatch());
    };
    let area = side
        .checked_mul(side)
        .filter(|&area| area > 0)
        .ok_or_else(mismatch)?;
    if to_space {
        if !channels.is_multiple_of(area) {
            return Err(mismatch());
        }
        let size = |x: u64| x.checked_mul(side).ok_or_else(|| call.too_large());
        return Ok(vec![batch, channels / area, size(height)?, size(width)?]);
    }
    if !height.is_multiple_of(side) || !width.is_multiple_of(side) {
        return Err(mismatch());
    }
    let channels = channels.checked_mul(area).ok_or_else(|| call.too_large())?;
    Ok(vec![batch, channels, height / side, width / side])
}
