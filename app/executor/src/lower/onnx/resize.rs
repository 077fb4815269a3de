//! Resize and its forerunner Upsample.

use planner::graph::Attribute;
use planner::{Message, message};

use crate::kernels::{ResizeMode, ResizeRound};
use crate::lower::Dispatches;
use crate::lower::call::{Call, axis_of};
use crate::lower::resample::resample;
use crate::lower::resize::{Line, Ratio, Sampling, resize};
use crate::recording::Operand;
use planner::operators::Operator;

/// What fractions of a region of interest are rounded to.
const CROP_UNITS: f64 = 10_000.0;

/// The dispatches of an operator that resizes; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Resize if opset < 11 => forerunner(call, true),
        Operator::Upsample => forerunner(call, false),
        Operator::Resize => modern(call),
        _ => return None,
    })
}

/// Upsample, and Resize of operator set 10: places are divided by the scale. Where that
/// shrinks, the nearest element is the next one, as the first Resize had it.
fn forerunner(call: &Call<'_>, shrinks: bool) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let mode = mode_of(call)?;
    if mode == ResizeMode::Cubic {
        return Err(message!("this operator set has no cubic"));
    }
    let scales = match call.op.attribute("scales") {
        Some(Attribute::Floats(scales)) => scales.iter().map(|&x| f64::from(x)).collect(),
        _ => match ["height_scale", "width_scale"].map(|name| call.float_attribute(name)) {
            [Some(height), Some(width)] => vec![1.0, 1.0, height.into(), width.into()],
            _ => floats(call, 1)?,
        },
    };
    let down = shrinks && scales.iter().any(|&scale| scale < 1.0);
    let round = if down {
        ResizeRound::Ceil
    } else {
        ResizeRound::Floor
    };
    let lines = scales
        .into_iter()
        .map(|scale| Ok(Line::asymmetric(ratio(scale)?)));
    let lines = lines.collect::<Result<Vec<_>, Message>>()?;
    resize(x, &lines, &Sampling::new(mode, round), y)
}

fn modern(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let rank = x.dims.len();
    let axes: Vec<usize> = match call.op.ints("axes") {
        Some(axes) => {
            let axes = axes.iter().map(|&axis| axis_of(axis, rank));
            axes.collect::<Result<_, _>>()?
        }
        None => (0..rank).collect(),
    };
    let ratios = ratios(call, &axes, (x, y))?;
    let smooth = call.op.int("antialias").unwrap_or(0) != 0;
    let transformation = call.op.text("coordinate_transformation_mode");
    let transformation = transformation.unwrap_or("half_pixel");
    let crops = transformation == "tf_crop_and_resize";
    let mut each = vec![Ratio { p: 1, q: 1 }; rank];
    let mut lines: Vec<Line> = vec![Line::asymmetric(Ratio { p: 1, q: 1 }); rank];
    for (index, &axis) in axes.iter().enumerate() {
        let sizes = (x.dims[axis], y.dims.get(axis).copied().unwrap_or_default());
        each[axis] = ratios[index];
        lines[axis] = if crops {
            let roi = floats(call, 1)?;
            let (start, end) = (roi.get(index), roi.get(axes.len() + index));
            let region = start.copied().zip(end.copied());
            cropped(
                region.ok_or_else(|| message!("its region of interest is too short"))?,
                sizes,
            )?
        } else {
            line(transformation, ratios[index], sizes)?
        };
    }
    let round = match call.op.text("nearest_mode").unwrap_or("round_prefer_floor") {
        "round_prefer_floor" => ResizeRound::PreferFloor,
        "round_prefer_ceil" => ResizeRound::PreferCeil,
        "floor" => ResizeRound::Floor,
        "ceil" => ResizeRound::Ceil,
        other => return Err(message!("there is no kernel for rounding as {}", other)),
    };
    let how = Sampling {
        cubic: call.float_attribute("cubic_coeff_a").unwrap_or(-0.75),
        exclude: call.op.int("exclude_outside").unwrap_or(0) != 0,
        beyond: crops.then(|| call.float_attribute("extrapolation_value").unwrap_or(0.0)),
        ..Sampling::new(mode_of(call)?, round)
    };
    if smooth && crops {
        return Err(message!("there is no kernel for antialias"));
    }
    if smooth {
        return resample(x, (&lines, &each), &how, y);
    }
    resize(x, &lines, &how, y)
}

fn mode_of(call: &Call<'_>) -> Result<ResizeMode, Message> {
    Ok(match call.op.text("mode").unwrap_or("nearest") {
        "nearest" => ResizeMode::Nearest,
        "linear" | "bilinear" => ResizeMode::Linear,
        "cubic" => ResizeMode::Cubic,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    })
}

fn floats(call: &Call<'_>, position: usize) -> Result<Vec<f64>, Message> {
    let value = call.value(position);
    let value = value.ok_or_else(|| message!("input {} is not known before the run", position))?;
    Ok(value.to_floats())
}

fn ratio(scale: f64) -> Result<Ratio, Message> {
    Ratio::nearest(scale).ok_or_else(|| message!("there is no kernel for a scale of {}", scale))
}

/// Output elements per input element along each of `axes`.
fn ratios(
    call: &Call<'_>,
    axes: &[usize],
    (x, y): (&Operand, &Operand),
) -> Result<Vec<Ratio>, Message> {
    let given = |position: usize| {
        call.optional(position)
            .is_some_and(|given| !given.is_empty())
    };
    let fits = |len: usize| {
        (len == axes.len())
            .then_some(())
            .ok_or_else(|| message!("it has other axes"))
    };
    if !given(3) {
        let scales = floats(call, 2)?;
        fits(scales.len())?;
        return scales.into_iter().map(ratio).collect();
    }
    let wanted = call.ints(3)?;
    fits(wanted.len())?;
    let from = |axis: usize| i64::from(x.dims[axis]).max(1);
    let mut each: Vec<Ratio> = Vec::with_capacity(axes.len());
    let policy = call
        .op
        .text("keep_aspect_ratio_policy")
        .unwrap_or("stretch");
    if policy == "stretch" {
        for &axis in axes {
            let p = i64::from(y.dims.get(axis).copied().unwrap_or_default()).max(1);
            each.push(Ratio { p, q: from(axis) });
        }
        return Ok(each);
    }
    for (&axis, &size) in axes.iter().zip(wanted) {
        let size = u32::try_from(size).map_err(|_error| message!("a size is negative"))?;
        each.push(Ratio {
            p: i64::from(size).max(1),
            q: from(axis),
        });
    }
    // One ratio for all: the smallest or the largest.
    let key = |ratio: &Ratio| {
        let other =
            |other: &Ratio| ratio.p.saturating_mul(other.q) < other.p.saturating_mul(ratio.q);
        each.iter().filter(|one| other(one)).count()
    };
    let chosen = match policy {
        "not_larger" => each.iter().max_by_key(|ratio| key(ratio)),
        _ => each.iter().min_by_key(|ratio| key(ratio)),
    };
    let chosen = *chosen.ok_or_else(|| message!("it has no axes"))?;
    Ok(vec![chosen; axes.len()])
}

/// The place of the output's elements, `from` elements of the input becoming `to`.
fn line(transformation: &str, ratio: Ratio, (from, to): (u32, u32)) -> Result<Line, Message> {
    Ok(match transformation {
        "half_pixel" => Line::half_pixel(ratio),
        "asymmetric" => Line::asymmetric(ratio),
        "align_corners" => Line::corners(from, to),
        "pytorch_half_pixel" if to < 2 => Line::FIRST,
        "pytorch_half_pixel" => Line::half_pixel(ratio),
        "tf_half_pixel_for_nn" => Line::centre(ratio),
        // What the rounded size of the output leaves over lies on both sides alike.
        "half_pixel_symmetric" => {
            let centred = Line::half_pixel(ratio);
            let (from, to) = (i64::from(from), i64::from(to));
            let over = from.saturating_mul(ratio.p) - to.saturating_mul(ratio.q);
            Line {
                b: centred.b.saturating_add(over),
                ..centred
            }
        }
        other => return Err(message!("there is no kernel for coordinates as {}", other)),
    })
}

/// The region from `start` to `end`, in lengths of the input, stretched over the output.
fn cropped((start, end): (f64, f64), (from, to): (u32, u32)) -> Result<Line, Message> {
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    let units = |x: f64| {
        let units = (x * CROP_UNITS).round();
        let fits = units.abs() < 1e9;
        fits.then_some(units as i64)
            .ok_or_else(|| message!("its region of interest is too far away"))
    };
    let (start, end) = (units(start)?, units(end)?);
    let last = i64::from(from) - 1;
    #[expect(clippy::cast_possible_truncation, reason = "a small whole number")]
    let unit = CROP_UNITS as i64;
    if to < 2 {
        let (a, b, c) = (0, (start + end).saturating_mul(last), 2 * unit);
        return Ok(Line { a, b, c });
    }
    let steps = i64::from(to) - 1;
    Ok(Line {
        a: (end - start).saturating_mul(last),
        b: start.saturating_mul(last).saturating_mul(steps),
        c: unit * steps,
    })
}
