//! What puts elements back where a window took them: `Col2Im` and `MaxUnpool`.

use planner::graph::DType;
use planner::{Message, message};

use super::window::padding;
use crate::kernels::{Col2imParams, Kernel, MAX_RANK, UnpoolParams, grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::strided::fill;
use crate::lower::window::{Image, Layout, Padding, SPACE, Window, four, product};
use crate::recording::Dispatch;
use planner::operators::Operator;

/// The dispatches of these operators; `None` when it is another one.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Col2Im => call.unless_empty(blocks),
        Operator::MaxUnpool => unpool(call),
        _ => return None,
    })
}

fn misfit() -> Message {
    message!("its shapes do not fit")
}

fn blocks(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([x, y])?;
    let kernel = call.ints(2)?.iter().map(|&side| u32::try_from(side));
    let kernel: Vec<u32> = kernel
        .collect::<Result<_, _>>()
        .map_err(|_error| misfit())?;
    let window = Window::of(&kernel, call.op.ints("strides"), call.op.ints("dilations"))?;
    let image = Image::of(y, Layout::ChannelsFirst)?;
    let &[batch, columns, steps] = x.dims.as_slice() else {
        return Err(misfit());
    };
    // How often the window fits in the padded image.
    let mut numbers = [1_u32; SPACE];
    let pads = match padding(call, kernel.len())? {
        Padding::Explicit(pads) => pads.to_vec(),
        _ => vec![0; 2 * kernel.len()],
    };
    for (at, d) in (SPACE - kernel.len()..SPACE).enumerate() {
        let both = pads[at].checked_add(pads[kernel.len() + at]);
        let extent = (i64::from(window.kernel[d]) - 1) * i64::from(window.dilation[d]) + 1;
        let room = both.and_then(|both| both.checked_add(i64::from(image.size[d]) - extent));
        let room = room.filter(|room| *room >= 0).ok_or_else(misfit)?;
        let number = room / i64::from(window.stride[d]) + 1;
        numbers[d] = u32::try_from(number).map_err(|_error| misfit())?;
    }
    let padding = Padding::Explicit(&pads);
    let window = window.padded(padding, image.size, numbers)?;
    let taps = kernel.iter().map(|&side| u64::from(side));
    let taps = taps.fold(u64::from(image.channels), u64::saturating_mul);
    let number = numbers.iter().map(|&number| u64::from(number));
    let fits = batch == image.batch
        && y.dims.len() == kernel.len() + 2
        && u64::from(columns) == taps
        && u64::from(steps) == number.fold(1, u64::saturating_mul);
    if !fits {
        return Err(misfit());
    }
    let params = Col2imParams {
        image: four(image.size),
        kernel: four(window.kernel),
        blocks: four(numbers),
        stride: four(window.stride),
        dilation: four(window.dilation),
        pad: four(window.pad),
        count: y.len(),
        end: [0; 3],
    };
    let dispatch = Dispatch::new(Kernel::Col2im, &params, grid(y.len()));
    Ok(dispatch.reads([x]).writes(y))
}

/// Indices count the elements of the image that was pooled, which may be a corner of y.
fn unpool(call: &Call<'_>) -> Dispatches {
    let (x, indices, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    all_floats([x, y])?;
    if y.is_empty() {
        return Ok(Vec::new());
    }
    if indices.dtype != DType::I64 {
        let name = indices.dtype.name();
        return Err(message!("indices of type {} are not read", name));
    }
    let kernel = call
        .op
        .ints("kernel_shape")
        .ok_or_else(|| message!("a window without a size"))?;
    let sides = kernel.iter().map(|&side| u32::try_from(side));
    let sides: Vec<u32> = sides.collect::<Result<_, _>>().map_err(|_error| misfit())?;
    let from = Image::of(x, Layout::ChannelsFirst)?;
    let window = Window::of(&sides, call.op.ints("strides"), None)?;
    let pads = match padding(call, sides.len())? {
        Padding::Explicit(pads) => pads.to_vec(),
        _ => vec![0; 2 * sides.len()],
    };
    if x.dims.len() != sides.len() + 2 || y.dims.len() != x.dims.len() || indices.dims != x.dims {
        return Err(misfit());
    }
    let mut pooled = vec![from.batch, from.channels];
    for (at, d) in (SPACE - sides.len()..SPACE).enumerate() {
        let steps = (i64::from(from.size[d]) - 1) * i64::from(window.stride[d]);
        let cut = pads[at].checked_add(pads[sides.len() + at]);
        let size = cut.and_then(|cut| (steps + i64::from(window.kernel[d])).checked_sub(cut));
        let size = size.and_then(|size| u32::try_from(size).ok());
        pooled.push(size.ok_or_else(misfit)?);
    }
    let fits = pooled.iter().zip(&y.dims).all(|(box_, all)| box_ <= all);
    if !fits || pooled.contains(&0) {
        return Err(misfit());
    }
    let (mut dims, mut stride) = ([1; MAX_RANK], [0; MAX_RANK]);
    for (d, (size, step)) in pooled.iter().zip(y.steps()).rev().enumerate() {
        (dims[d], stride[d]) = (*size, step);
    }
    let params = UnpoolParams {
        dims,
        stride,
        count: x.len(),
        rank: planner::narrow(pooled.len()),
        places: product(&pooled),
        pad: 0,
    };
    let put = Dispatch::new(Kernel::Unpool, &params, grid(x.len()))
        .reads([x, indices])
        .writes(y)
        .constant("INDEX_WORDS", 2);
    Ok(vec![fill(y, [0; 2])?, put])
}
