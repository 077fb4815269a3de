//! Resizing of quantised images.

use planner::graph::DType;
use planner::{Message, message};

use super::alike;
use crate::elements;
use crate::kernels::{Kernel, QuantisedResizeParams, typed_grid};
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::lower::tflite::window::four_dims;
use crate::recording::Dispatch;
use planner::operators::Operator;

/// Elements before and after a place, and the weight of that after it: of 10 binary places, or the
/// bits of a float.
type Entry = [i64; 3];

/// How the operator places pixels.
#[derive(Clone, Copy)]
struct Placing {
    corners: bool,
    centres: bool,
}

/// Height and width of NHWC.
///
/// # Errors
/// When the shapes or quantisations do not fit.
pub(super) fn resized(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    alike(call, x, y)?;
    let linear = call.op.is(Operator::ResizeBilinear);
    let real = linear && x.dtype == DType::U8;
    let ([batch, height, width, channels], to) = (four_dims(x)?, four_dims(y)?);
    let [_, rows, columns, _] = to;
    if [to[0], to[3]] != [batch, channels] || x.is_empty() || x.dtype != y.dtype {
        return Err(message!(
            "{} does not become {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let set = |name: &str| call.op.int(name).unwrap_or(0) != 0;
    let placing = Placing {
        corners: set("align_corners"),
        centres: set("half_pixel_centers"),
    };
    let along = |from: u32, to: u32| {
        (0..to).flat_map(move |i| match linear {
            true if real => between_reals(i, (from, to), placing),
            true => between(i, (from, to), placing),
            false => nearest(i, (from, to), placing),
        })
    };
    let entries: Vec<i64> = along(height, rows).chain(along(width, columns)).collect();
    let words = elements::words_of_ints(DType::I32, &entries);
    let params = QuantisedResizeParams {
        count: y.len(),
        x: [height, width],
        channels,
        y: [rows, columns],
        none: 0,
    };
    let dispatch = Dispatch::new(Kernel::QuantisedResize, &params, typed_grid(y));
    Ok(dispatch
        .reads([x, &table(y, DType::I32, words)])
        .writes(y)
        .constant("KIND", elements::code(y.dtype))
        .constant("REAL", u32::from(real)))
}

/// As `ComputeInterpolationValuesInteger` places element `i`.
fn between(i: u32, (from, to): (u32, u32), placing: Placing) -> Entry {
    const ONE: i64 = 1 << 10;
    let (i, from, to) = (i64::from(i), i64::from(from), i64::from(to));
    let scale = match placing.corners && to > 1 {
        true => (ONE * (from - 1) + (to - 1) / 2) / (to - 1),
        false => (ONE * from + to / 2) / to,
    };
    let place = match placing.centres {
        true => i * scale + scale / 2 - ONE / 2,
        false => i * scale,
    };
    let low = (place / ONE).max(0);
    let high = ((place + ONE - 1) / ONE).min(from - 1);
    [low, high, place - ONE * low]
}

/// As `ComputeInterpolationValues` places element `i`, in floats.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "it computes so"
)]
fn between_reals(i: u32, (from, to): (u32, u32), placing: Placing) -> Entry {
    let scale = scale(from, to, placing);
    let place = match placing.centres {
        true => (i as f32 + 0.5) * scale - 0.5,
        false => i as f32 * scale,
    };
    let low = (place.floor() as i64).max(0);
    let high = (place.ceil() as i64).min(i64::from(from) - 1);
    let weight = place - low as f32;
    [low, high, weight.to_bits().cast_signed().into()]
}

/// Elements of x for each of y.
#[expect(clippy::cast_precision_loss, reason = "it computes so")]
fn scale(from: u32, to: u32, placing: Placing) -> f32 {
    match placing.corners && to > 1 {
        true => (from - 1) as f32 / (to - 1) as f32,
        false => from as f32 / to as f32,
    }
}

/// As `GetNearestNeighbor` places element `i`, in floats.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "it computes so"
)]
fn nearest(i: u32, (from, to): (u32, u32), placing: Placing) -> Entry {
    let scale = scale(from, to, placing);
    let offset = if placing.centres { 0.5 } else { 0.0 };
    let place = (i as f32 + offset) * scale;
    let place = match placing.corners {
        true => place.round(),
        false => place.floor(),
    };
    let place = (place as i64).clamp(0, i64::from(from) - 1);
    [place, place, 0]
}
