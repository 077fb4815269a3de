//! Operators that slide a window or rearrange space: convolutions, pools, resizes, blocks,
//! and the dense layers that end such networks.

use super::{Call, Dims, all_dims, attribute, broadcast, count, dim, fit, ints, invalid};
use crate::graph::infer::Unsized;
use crate::message;

/// How often a window of `kernel` fits along `size`; anything but VALID pads as SAME does.
fn window(
    call: &Call<'_>,
    size: u64,
    kernel: u64,
    [stride, dilation]: [&str; 2],
) -> Result<u64, Unsized> {
    let stride = dim(call, attribute(call, stride))?;
    let dilation = dim(call, call.op.int(dilation).unwrap_or(1))?;
    if stride == 0 || kernel == 0 {
        return Err(invalid(call, message!("stride or window of 0")));
    }
    if call.op.text("padding") != Some("VALID") {
        return Ok(size.div_ceil(stride));
    }
    let reach = fit(call, (kernel - 1).checked_mul(dilation))?;
    match size.checked_sub(reach) {
        Some(rest @ 1..) => Ok((rest - 1) / stride + 1),
        _ => Err(invalid(
            call,
            message!("a window of {} on {}", kernel, size),
        )),
    }
}

/// A row of units for each of the batch.
pub(super) fn svdf(call: &Call<'_>) -> Dims {
    let units = units(call, 1)?;
    let &[batch, _] = dims_at(call, 0, 2)? else {
        return Err(invalid(call, message!("input is not of rank 2")));
    };
    let rank = dim(call, attribute(call, "rank"))?.max(1);
    Ok(vec![batch, units / rank])
}

pub(super) fn rnn(call: &Call<'_>) -> Dims {
    with_last(call, units(call, 1)?)
}

/// The dimensions of the input at `index`, which must have this rank.
fn dims_at<'a>(call: &Call<'a>, index: usize, rank: usize) -> Result<&'a [u64], Unsized> {
    let found = dims_of(call, index)?;
    if found.len() != rank {
        let message = message!("input {} has rank {}, not {}", index, found.len(), rank);
        return Err(invalid(call, message));
    }
    Ok(found)
}

fn dims_of<'a>(call: &Call<'a>, index: usize) -> Result<&'a [u64], Unsized> {
    super::dims(call, index)
}

/// Images by filters; `out` is the axis of the filters that counts output channels.
pub(super) fn convolution(call: &Call<'_>, out: usize) -> Dims {
    let (image, filter) = (dims_at(call, 0, 4)?, dims_at(call, 1, 4)?);
    let slid = |axis: usize, names| window(call, image[axis], filter[axis], names);
    Ok(vec![
        image[0],
        slid(1, ["stride_h", "dilation_h_factor"])?,
        slid(2, ["stride_w", "dilation_w_factor"])?,
        filter[out],
    ])
}

/// Volumes (batch, depth, height, width, channels) by filters (depth, height, width, in, out).
pub(super) fn convolution_3d(call: &Call<'_>) -> Dims {
    let (image, filter) = (dims_at(call, 0, 5)?, dims_at(call, 1, 5)?);
    let slid = |axis: usize, names| window(call, image[axis], filter[axis - 1], names);
    Ok(vec![
        image[0],
        slid(1, ["stride_d", "dilation_d_factor"])?,
        slid(2, ["stride_h", "dilation_h_factor"])?,
        slid(3, ["stride_w", "dilation_w_factor"])?,
        filter[4],
    ])
}

pub(super) fn pool(call: &Call<'_>) -> Dims {
    let image = dims_at(call, 0, 4)?;
    let height = dim(call, attribute(call, "filter_height"))?;
    let width = dim(call, attribute(call, "filter_width"))?;
    Ok(vec![
        image[0],
        window(call, image[1], height, ["stride_h", ""])?,
        window(call, image[2], width, ["stride_w", ""])?,
        image[3],
    ])
}

/// The shape is the first operand.
pub(super) fn transpose_convolution(call: &Call<'_>) -> Dims {
    all_dims(call, ints(call, 0)?)
}

/// Output channels of the weights at `index`.
fn units(call: &Call<'_>, index: usize) -> Result<u64, Unsized> {
    let weights = dims_of(call, index)?;
    let first = weights.first().copied();
    first.ok_or_else(|| invalid(call, message!("weights are a scalar")))
}

/// The first input with another last dimension.
fn with_last(call: &Call<'_>, last: u64) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    match result.last_mut() {
        Some(dim) => *dim = last,
        None => return Err(invalid(call, message!("input is a scalar"))),
    }
    Ok(result)
}

/// Projected cells, if there is a projection (operand 16), else cells (operand 8 gives what
/// is fed back, whose width is the output's).
pub(super) fn lstm(call: &Call<'_>) -> Dims {
    let projection = call.inputs.get(16).copied().flatten();
    let last = match projection {
        Some(weights) => weights.dims.first(),
        None => dims_of(call, 8)?.get(1),
    };
    let last = last.copied();
    with_last(
        call,
        last.ok_or_else(|| invalid(call, message!("weights lack a dimension")))?,
    )
}

pub(super) fn fully_connected(call: &Call<'_>) -> Dims {
    let weights = dims_at(call, 1, 2)?;
    let (units, depth) = (weights[0], weights[1]);
    if attribute(call, "keep_num_dims") != 0 {
        return with_last(call, units);
    }
    let elements = count(call, dims_of(call, 0)?)?;
    match elements.checked_rem(depth) {
        Some(0) => Ok(vec![elements / depth, units]),
        _ => Err(invalid(
            call,
            message!("{} elements in rows of {}", elements, depth),
        )),
    }
}

pub(super) fn batch_matmul(call: &Call<'_>) -> Dims {
    let (x, y) = (dims_of(call, 0)?, dims_of(call, 1)?);
    let (Some((x_batch, x)), Some((y_batch, y))) =
        (x.split_last_chunk::<2>(), y.split_last_chunk::<2>())
    else {
        return Err(invalid(
            call,
            message!("an operand has less than two dimensions"),
        ));
    };
    let (x_adjoint, y_adjoint) = (attribute(call, "adj_x") != 0, attribute(call, "adj_y") != 0);
    let (rows, inner) = if x_adjoint {
        (x[1], x[0])
    } else {
        (x[0], x[1])
    };
    let (with, columns) = if y_adjoint {
        (y[1], y[0])
    } else {
        (y[0], y[1])
    };
    if inner != with {
        return Err(invalid(
            call,
            message!("inner dimensions {} and {}", inner, with),
        ));
    }
    let mut result = broadcast(call, x_batch, y_batch)?;
    result.extend([rows, columns]);
    Ok(result)
}

pub(super) fn resize(call: &Call<'_>) -> Dims {
    let image = dims_at(call, 0, 4)?;
    let &[height, width] = ints(call, 1)? else {
        return Err(invalid(call, message!("the new size is not two numbers")));
    };
    Ok(vec![
        image[0],
        dim(call, height)?,
        dim(call, width)?,
        image[3],
    ])
}

pub(super) fn space_to_depth(call: &Call<'_>) -> Dims {
    let (image, block) = (
        dims_at(call, 0, 4)?,
        dim(call, attribute(call, "block_size"))?,
    );
    if block == 0 {
        return Err(invalid(call, message!("a block of 0")));
    }
    let area = fit(call, block.checked_mul(block))?;
    let channels = fit(call, image[3].checked_mul(area))?;
    Ok(vec![image[0], image[1] / block, image[2] / block, channels])
}

pub(super) fn depth_to_space(call: &Call<'_>) -> Dims {
    let (image, block) = (
        dims_at(call, 0, 4)?,
        dim(call, attribute(call, "block_size"))?,
    );
    let area = fit(call, block.checked_mul(block))?;
    if area == 0 {
        return Err(invalid(call, message!("a block of 0")));
    }
    let height = fit(call, image[1].checked_mul(block))?;
    let width = fit(call, image[2].checked_mul(block))?;
    Ok(vec![image[0], height, width, image[3] / area])
}

/// The blocks of the second operand, with what the third says for each: two numbers.
fn blocks(call: &Call<'_>) -> Result<Vec<(u64, u64)>, Unsized> {
    let (blocks, sides) = (ints(call, 1)?, ints(call, 2)?);
    if sides.len() != blocks.len() * 2 || dims_of(call, 0)?.len() <= blocks.len() {
        return Err(invalid(
            call,
            message!("blocks and paddings differ in number"),
        ));
    }
    let mut result = Vec::new();
    for (&block, sides) in blocks.iter().zip(sides.chunks_exact(2)) {
        let (before, after) = (dim(call, sides[0])?, dim(call, sides[1])?);
        let block = dim(call, block)?;
        if block == 0 {
            return Err(invalid(call, message!("a block of 0")));
        }
        result.push((block, fit(call, before.checked_add(after))?));
    }
    Ok(result)
}

pub(super) fn space_to_batch(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    for (axis, (block, padding)) in blocks(call)?.into_iter().enumerate() {
        result[0] = fit(call, result[0].checked_mul(block))?;
        let padded = fit(call, result[axis + 1].checked_add(padding))?;
        result[axis + 1] = padded / block;
    }
    Ok(result)
}

pub(super) fn batch_to_space(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    for (axis, (block, crop)) in blocks(call)?.into_iter().enumerate() {
        result[0] /= block;
        let grown = fit(call, result[axis + 1].checked_mul(block))?;
        let cropped = grown.checked_sub(crop);
        result[axis + 1] =
            cropped.ok_or_else(|| invalid(call, message!("crops beyond the image")))?;
    }
    Ok(result)
}
