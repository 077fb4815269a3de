//! Windows and Fourier transforms.

use super::element_type;
use crate::graph::infer::{Call, InferredOutput, Outputs, Unsized};
use crate::message;

/// The only integer of the input at `index`.
fn single(call: &Call<'_>, index: usize) -> Result<u64, Unsized> {
    match call.elements(index)? {
        [size] => call.size(*size),
        sizes => Err(call.invalid(message!(
            "{} instead of one number",
            format_args!("{sizes:?}")
        ))),
    }
}

pub(super) fn window(call: &Call<'_>) -> Outputs {
    let dtype = element_type(call.int("output_datatype", 1));
    Ok(vec![InferredOutput::new(dtype, [single(call, 0)?])])
}

pub(super) fn mel(call: &Call<'_>) -> Outputs {
    let dtype = element_type(call.int("output_datatype", 1));
    let bins = single(call, 1)? / 2 + 1;
    Ok(vec![InferredOutput::new(dtype, [bins, single(call, 0)?])])
}

/// With `onesided` the spectrum of a real signal: half of the bins and one. Its inverse is
/// real; everything else has real and imaginary parts.
pub(super) fn dft(call: &Call<'_>) -> Outputs {
    let opset = call.opset();
    let x = call.need(0)?;
    let mut dims = x.dims.to_vec();
    let axis = match call.op.int("axis") {
        Some(axis) => axis,
        None if opset >= 20 && call.input(2).is_some() => match call.elements(2)? {
            [axis] => *axis,
            axes => return Err(call.invalid(message!("axis {}", format_args!("{axes:?}")))),
        },
        None if opset >= 20 => -2,
        None => 1,
    };
    let axis = call.axis(axis, dims.len())?;
    let (half, inverse) = (call.flag("onesided"), call.flag("inverse"));
    dims[axis] = match (call.input(1), half && inverse) {
        (Some(_), _) => single(call, 1)?,
        (None, true) => dims[axis].saturating_sub(1).saturating_mul(2),
        (None, false) => dims[axis],
    };
    if half && !inverse {
        dims[axis] = dims[axis] / 2 + 1;
    }
    if let Some(parts) = dims.last_mut() {
        *parts = if half && inverse { 1 } else { 2 };
    }
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

pub(super) fn stft(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let &[batch, length, ..] = x.dims else {
        return Err(call.invalid(message!("a signal of {}", format_args!("{:?}", x.dims))));
    };
    let step = single(call, 1)?;
    let frame = match (call.input(3), call.input(2)) {
        (Some(_), _) => single(call, 3)?,
        (None, Some(window)) => window.dims.first().copied().unwrap_or(0),
        (None, None) => return Err(call.invalid(message!("neither a window nor a frame length"))),
    };
    let frames = length
        .checked_sub(frame)
        .and_then(|room| room.checked_div(step));
    let frames =
        frames.ok_or_else(|| call.invalid(message!("{} of {} by {}", frame, length, step)))? + 1;
    let bins = match call.int("onesided", 1) {
        0 => frame,
        _ => frame / 2 + 1,
    };
    Ok(vec![InferredOutput::new(x.dtype, [batch, frames, bins, 2])])
}
