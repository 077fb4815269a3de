//! Operators that sample x where another tensor says.

use planner::graph::DType;
use planner::{Message, message};

use super::window::{groups, padding, weights, window};
use crate::kernels::{
    ContractParams, DeformConvParams, GridPadding, GridSampleParams, Kernel, ResizeMode,
    RoiAlignParams, grid,
};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::table::table;
use crate::lower::window::{Image, Layout};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator that samples; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    let lowered: fn(&Call<'_>) -> Result<Dispatch, Message> = match call.op.operator {
        Operator::GridSample => grid_sample,
        Operator::AffineGrid => affine_grid,
        // Before version 16 regions had no exact sizes.
        Operator::RoiAlign if opset < 16 => |call| roi_align(call, false),
        Operator::RoiAlign => |call| roi_align(call, true),
        Operator::DeformConv => deform_conv,
        _ => return None,
    };
    Some(call.unless_empty(lowered))
}

fn misfit() -> Message {
    message!("its shapes do not fit")
}

fn set(call: &Call<'_>, name: &str) -> bool {
    call.op.int(name).unwrap_or_default() != 0
}

fn grid_sample(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, places, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    all_floats([x, places, y])?;
    let mode = match call.op.text("mode").unwrap_or("linear") {
        "nearest" => ResizeMode::Nearest,
        "linear" | "bilinear" => ResizeMode::Linear,
        "cubic" | "bicubic" => ResizeMode::Cubic,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let beyond = match call.op.text("padding_mode").unwrap_or("zeros") {
        "zeros" => GridPadding::Zeros,
        "border" => GridPadding::Border,
        "reflection" => GridPadding::Reflection,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let [batch, channels, space @ ..] = x.dims.as_slice() else {
        return Err(misfit());
    };
    let Some((&rank, [images, pixels @ ..])) = places.dims.split_last() else {
        return Err(misfit());
    };
    let fits = rank as usize == space.len()
        && pixels.len() == space.len()
        && images == batch
        && y.dims == [&[*batch, *channels], pixels].concat();
    if !fits || !(1..=3).contains(&rank) || x.is_empty() {
        return Err(misfit());
    }
    let mut size = [1; 4];
    for (size, &along) in size.iter_mut().zip(space.iter().rev()) {
        *size = along;
    }
    let params = GridSampleParams {
        count: y.len(),
        channels: *channels,
        pixels: pixels.iter().product(),
        rank,
        size,
    };
    let dispatch = Dispatch::new(Kernel::GridSample, &params, grid(y.len()));
    Ok(dispatch
        .reads([x, places])
        .writes(y)
        .constant("MODE", mode.code())
        .constant("PADDING", beyond.code())
        .constant("ALIGN", u32::from(set(call, "align_corners"))))
}

/// The product of matrices theta and the places of all pixels, which are known before the run.
fn affine_grid(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (theta, y) = (call.input(0)?, call.output(0)?);
    all_floats([theta, y])?;
    let [batch, pixels @ .., last] = y.dims.as_slice() else {
        return Err(misfit());
    };
    let rank = planner::narrow(pixels.len());
    if *last != rank || theta.dims != [*batch, rank, rank + 1] {
        return Err(misfit());
    }
    let count: u32 = pixels.iter().product();
    let align = set(call, "align_corners");
    let mut places = Vec::new();
    for pixel in 0..count {
        let mut rest = pixel;
        for &size in pixels.iter().rev() {
            let place = place(rest % size, size, align);
            places.push(place.to_bits());
            rest /= size;
        }
        places.push(1.0_f32.to_bits());
    }
    let all = |values: &[u32], empty: u32| {
        let mut all = [empty; 8];
        all[..values.len()].copy_from_slice(values);
        all
    };
    let terms = rank + 1;
    let params = ContractParams {
        count: y.len(),
        terms,
        rank: 3,
        sum_rank: 1,
        dims: all(&[rank, count, *batch], 1),
        a: all(&[terms, 0, rank * terms], 0),
        b: all(&[0, terms], 0),
        sum_dims: all(&[terms], 1),
        sum_a: all(&[1], 0),
        sum_b: all(&[1], 0),
    };
    let dispatch = Dispatch::new(Kernel::Contract, &params, grid(y.len()));
    let places = table(y, DType::F32, places);
    Ok(dispatch
        .reads([theta, &places])
        .writes(y)
        .constant("PAIR", 1))
}

/// Where element `index` of `size` is between -1 and 1: those at the ends are there, or half an
/// element before.
fn place(index: u32, size: u32, align: bool) -> f32 {
    let (index, size) = (f64::from(index), f64::from(size));
    let place = match align {
        true if size < 2.0 => -1.0,
        true => 2.0 * index / (size - 1.0) - 1.0,
        false => (2.0 * index + 1.0) / size - 1.0,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the kernel computes with f32"
    )]
    let place = place as f32;
    place
}

fn roi_align(call: &Call<'_>, usual: bool) -> Result<Dispatch, Message> {
    let (x, regions, numbers) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let y = call.output(0)?;
    all_floats([x, regions, y])?;
    let index_words: u32 = match numbers.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    let largest = match call.op.text("mode").unwrap_or("avg") {
        "avg" => false,
        "max" => true,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let exact = match call.op.text("coordinate_transformation_mode") {
        Some("half_pixel") => true,
        Some("output_half_pixel") => false,
        Some(other) => return Err(message!("there is no kernel for coordinates as {}", other)),
        None => usual,
    };
    let &[images, channels, height, width] = x.dims.as_slice() else {
        return Err(misfit());
    };
    let count = numbers.len();
    let &[regions_of_y, channels_of_y, rows, columns] = y.dims.as_slice() else {
        return Err(misfit());
    };
    let fits = regions.dims == [count, 4] && [regions_of_y, channels_of_y] == [count, channels];
    if !fits || x.is_empty() {
        return Err(misfit());
    }
    let samples = call.op.int("sampling_ratio").unwrap_or_default();
    let samples = u32::try_from(samples.max(0)).ok().filter(|it| *it <= 1024);
    let params = RoiAlignParams {
        count: y.len(),
        channels,
        images,
        height,
        width,
        rows,
        columns,
        samples: samples.ok_or_else(misfit)?,
        scale: call.float_attribute("spatial_scale").unwrap_or(1.0),
        offset: if exact { 0.5 } else { 0.0 },
    };
    let dispatch = Dispatch::new(Kernel::RoiAlign, &params, grid(y.len()));
    Ok(dispatch
        .reads([x, regions, numbers])
        .writes(y)
        .constant("LARGEST_OF", u32::from(largest))
        .constant("EXACT", u32::from(exact))
        .constant("INDEX_WORDS", index_words))
}

fn deform_conv(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w, shifts, y) = (
        call.input(0)?,
        call.input(1)?,
        call.input(2)?,
        call.output(0)?,
    );
    let (bias, mask) = (call.optional(3), call.optional(4));
    all_floats([x, w, shifts, y].into_iter().chain(bias).chain(mask))?;
    let ([filters, inputs], kernel) = weights(w)?;
    let groups = groups(call)?;
    let from = Image::of(x, Layout::ChannelsFirst)?;
    let to = Image::of(y, Layout::ChannelsFirst)?;
    let padding = padding(call, kernel.len())?;
    let window = window(call, kernel)?.padded(padding, from.size, to.size)?;
    let alike = call.op.int("offset_group").unwrap_or(1);
    let alike = u32::try_from(alike)
        .ok()
        .filter(|&groups| groups > 0 && from.channels.is_multiple_of(groups) && x.dims.len() == 4);
    let alike = alike.ok_or_else(misfit)?;
    let parts = u64::from(alike) * u64::from(window.kernel[1]) * u64::from(window.kernel[2]);
    let holds = |operand: &Operand, channels: u64| {
        let fits = |dims: &[u32]| {
            u64::from(dims[1]) == channels
                && [dims[0], dims[2], dims[3]] == [to.batch, to.size[1], to.size[2]]
        };
        operand.dims.len() == 4 && fits(&operand.dims)
    };
    let fits = from.batch == to.batch
        && u64::from(inputs) * u64::from(groups) == u64::from(from.channels)
        && filters == to.channels
        && filters.is_multiple_of(groups)
        && holds(shifts, 2 * parts)
        && mask.is_none_or(|mask| holds(mask, parts))
        && bias.is_none_or(|bias| bias.len() == filters);
    if !fits || window.has_depth(from.size, to.size) || x.is_empty() {
        return Err(misfit());
    }
    let params = DeformConvParams {
        count: y.len(),
        x: [from.channels, from.size[1], from.size[2]],
        y: [to.channels, to.size[1], to.size[2]],
        group: [inputs, (filters / groups).max(1)],
        shifted: (from.channels / alike).max(1),
        kernel: [window.kernel[1], window.kernel[2]],
        stride: [window.stride[1], window.stride[2]],
        dilation: [window.dilation[1], window.dilation[2]],
        pad: [window.pad[1], window.pad[2]],
    };
    let dispatch = Dispatch::new(Kernel::DeformConv, &params, grid(y.len()));
    // Where one is left out another stands, which is not read.
    Ok(dispatch
        .reads([x, w, shifts, bias.unwrap_or(w), mask.unwrap_or(w)])
        .writes(y)
        .constant("BIAS", u32::from(bias.is_some()))
        .constant("MASK", u32::from(mask.is_some())))
}
