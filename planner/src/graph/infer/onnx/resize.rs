//! Resize and its forerunner Upsample, and sampling at given positions.

use crate::graph::Attribute;
use crate::graph::infer::value::float;
use crate::graph::infer::{Call, InferredOutput, KnownInput, Outputs, Unsized};
use crate::message;

fn made(call: &Call<'_>, dims: Vec<u64>) -> Outputs {
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

/// `floor(size * scale)`, the product rounded to float32 as runtimes compute it: 10 × 0.7 is
/// 7, although the float32 nearest to 0.7 is smaller.
fn scaled(call: &Call<'_>, size: u64, scale: f64) -> Result<u64, Unsized> {
    let size = i64::try_from(size).map_err(|_error| call.too_large())?;
    #[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
    let product = (float(size) * scale) as f32;
    whole(f64::from(product).floor())
        .ok_or_else(|| call.invalid(message!("scale {} of {}", scale, size)))
}

/// The integer that a float holds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked first"
)]
fn whole(x: f64) -> Option<u64> {
    (0.0..9e15).contains(&x).then_some(x as u64)
}

fn floats(call: &Call<'_>, index: usize) -> Result<Vec<f64>, Unsized> {
    let value = call.need(index)?.value;
    let value = value.ok_or_else(|| call.data_dependent(index))?;
    Ok(value.to_floats())
}

fn given(input: Option<KnownInput<'_>>) -> bool {
    input.is_some_and(|known| known.dims != [0])
}

/// Scales or sizes, for all axes or for those that `axes` names.
pub(super) fn resize(call: &Call<'_>) -> Outputs {
    let opset = call.opset();
    let dims = call.dims(0)?;
    // Before operator set 11 there was no region of interest in between.
    let scales = if opset < 11 { 1 } else { 2 };
    let axes = match call.op.ints("axes") {
        Some(axes) => call.axes(axes, dims.len())?,
        None => (0..dims.len()).collect(),
    };
    let mut resized = dims.to_vec();
    if opset >= 11 && given(call.input(3)) {
        let sizes = call.elements(3)?;
        if sizes.len() != axes.len() {
            return Err(call.invalid(message!(
                "{} for {} axes",
                format_args!("{sizes:?}"),
                axes.len()
            )));
        }
        let policy = call
            .op
            .text("keep_aspect_ratio_policy")
            .unwrap_or("stretch");
        if policy != "stretch" {
            return keep_ratio(call, policy == "not_larger", &axes, sizes);
        }
        for (axis, &size) in axes.into_iter().zip(sizes) {
            resized[axis] = call.size(size)?;
        }
        return made(call, resized);
    }
    let scales = floats(call, scales)?;
    if scales.len() != axes.len() {
        return Err(call.invalid(message!(
            "{} for {} axes",
            format_args!("{scales:?}"),
            axes.len()
        )));
    }
    for (axis, scale) in axes.into_iter().zip(scales) {
        resized[axis] = scaled(call, resized[axis], scale)?;
    }
    made(call, resized)
}

/// One scale for all axes: the smallest or largest that any of the sizes asks for.
fn keep_ratio(call: &Call<'_>, smallest: bool, axes: &[usize], sizes: &[i64]) -> Outputs {
    let mut dims = call.dims(0)?.to_vec();
    let mut scale: Option<f64> = None;
    for (&axis, &size) in axes.iter().zip(sizes) {
        let old = i64::try_from(dims[axis]).map_err(|_error| call.too_large())?;
        let ratio = float(size) / float(old);
        scale = Some(match scale {
            Some(scale) if smallest => scale.min(ratio),
            Some(scale) => scale.max(ratio),
            None => ratio,
        });
    }
    for &axis in axes {
        let old = i64::try_from(dims[axis]).map_err(|_error| call.too_large())?;
        let size = float(old) * scale.unwrap_or(1.0);
        // Here the definition rounds half up instead of flooring.
        let size = whole((size + 0.5).floor());
        dims[axis] =
            size.ok_or_else(|| call.invalid(message!("sizes {}", format_args!("{sizes:?}"))))?;
    }
    made(call, dims)
}

pub(super) fn upsample(call: &Call<'_>) -> Outputs {
    let dims = call.dims(0)?;
    let scales = match call.op.attribute("scales") {
        Some(Attribute::Floats(scales)) => scales.iter().map(|&scale| f64::from(scale)).collect(),
        _ => match (call.float("height_scale"), call.float("width_scale")) {
            (Some(height), Some(width)) => vec![1.0, 1.0, height.into(), width.into()],
            _ => floats(call, 1)?,
        },
    };
    if scales.len() != dims.len() {
        return Err(call.invalid(message!(
            "{} of {}",
            format_args!("{scales:?}"),
            format_args!("{dims:?}")
        )));
    }
    let sizes = dims
        .iter()
        .zip(scales)
        .map(|(&dim, scale)| scaled(call, dim, scale));
    made(call, sizes.collect::<Result<_, _>>()?)
}

/// Batch and channels of the image, positions of the grid.
pub(super) fn grid_sample(call: &Call<'_>) -> Outputs {
    match (call.dims(0)?, call.dims(1)?) {
        ([batch, channels, ..], [_, positions @ .., _]) => {
            let mut dims = vec![*batch, *channels];
            dims.extend_from_slice(positions);
            made(call, dims)
        }
        (image, grid) => Err(call.invalid(message!(
            "{} at {}",
            format_args!("{image:?}"),
            format_args!("{grid:?}")
        ))),
    }
}

pub(super) fn affine_grid(call: &Call<'_>) -> Outputs {
    match call.elements(1)? {
        [batch, _, spatial @ ..] => {
            let mut dims = vec![call.size(*batch)?];
            for &size in spatial {
                dims.push(call.size(size)?);
            }
            dims.push(spatial.len() as u64);
            made(call, dims)
        }
        size => Err(call.invalid(message!("size {}", format_args!("{size:?}")))),
    }
}
