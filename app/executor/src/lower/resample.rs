//! Resizing with a filter that is as wide as what it shrinks: the weights of the elements of x
//! around each place are worked out here, and the kernel adds by them.

use planner::graph::DType;
use planner::{Message, message, narrow};

use super::call::all_floats;
use super::resize::{Line, Ratio, Sampling};
use super::table::table;
use super::{Dispatches, strided};
use crate::kernels::{Kernel, MAX_RANK, ResampleParams, ResizeMode, grid};
use crate::recording::{Dispatch, Operand};

/// Most words of both tables.
const MOST_WEIGHTS: usize = 1 << 24;
/// Most dimensions that are resampled.
const MOST_RESAMPLED: usize = 3;

/// The elements of x that make each element along a dimension: the first and its weights.
struct Rows {
    starts: Vec<u32>,
    weights: Vec<Vec<f64>>,
}

/// Resizes x to y, whose dimensions lie at `lines` of those of x and are `ratios` as long.
///
/// # Errors
/// When an operand is no float, or there is too much to resize.
pub(crate) fn resample(
    x: &Operand,
    (lines, ratios): (&[Line], &[Ratio]),
    how: &Sampling,
    y: &Operand,
) -> Dispatches {
    all_floats([x, y])?;
    let rank = x.dims.len();
    if [lines.len(), ratios.len(), y.dims.len()] != [rank; 3] {
        return Err(message!("it changes the rank"));
    }
    if y.is_empty() {
        return Ok(Vec::new());
    }
    if x.is_empty() {
        return Err(message!("there is nothing to resize"));
    }
    let mut params = ResampleParams {
        dims: [1; MAX_RANK],
        count: y.len(),
        rank: narrow(rank),
        ..ResampleParams::default()
    };
    let (mut starts, mut weights) = (Vec::new(), Vec::new());
    let mut resampled = 0;
    for (d, (axis, stride)) in (0..rank).zip(strided::strides(x)).rev().enumerate() {
        let (size, to) = (x.dims[axis], y.dims[axis]);
        let line = lines[axis];
        let same = size == to && (line.a, line.b) == (line.c, 0);
        resampled += usize::from(!same);
        if d >= MAX_RANK || resampled > MOST_RESAMPLED {
            return Err(message!("it resizes {} of {} dimensions", resampled, rank));
        }
        params.dims[d] = to;
        params.stride[d] = u32::try_from(stride).unwrap_or_default();
        if same {
            continue;
        }
        let rows = rows(line, ratios[axis], (size, to), how)?;
        let taps = rows.weights.iter().map(Vec::len).max().unwrap_or(1);
        params.taps[d] = narrow(taps);
        (params.starts[d], params.weights[d]) = (narrow(starts.len()), narrow(weights.len()));
        starts.extend(rows.starts);
        for mut row in rows.weights {
            row.resize(taps, 0.0);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the kernel computes with f32"
            )]
            weights.extend(row.into_iter().map(|weight| (weight as f32).to_bits()));
        }
        if weights.len() > MOST_WEIGHTS {
            return Err(message!("it is too long"));
        }
    }
    let tables = [table(y, DType::U32, starts), table(y, DType::F32, weights)];
    let dispatch = Dispatch::new(Kernel::Resample, &params, grid(y.len()));
    Ok(vec![dispatch.reads([x]).reads(&tables).writes(y)])
}

/// The weights along a dimension of which `from` elements become `to`.
fn rows(line: Line, ratio: Ratio, (from, to): (u32, u32), how: &Sampling) -> Result<Rows, Message> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let wide = |n: i64| n as f64;
    // Where it stretches, the filter stays as wide as an element.
    let scale = (wide(ratio.p) / wide(ratio.q)).min(1.0);
    let reach = match how.mode {
        ResizeMode::Linear => 1.0,
        ResizeMode::Cubic => 2.0,
        ResizeMode::Nearest => return Err(message!("there is no kernel for antialias")),
    } / scale;
    let last = f64::from(from) - 1.0;
    let per_row = reach.min(last + 1.0) * 2.0 + 2.0;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let most = MOST_WEIGHTS as f64;
    if per_row * f64::from(to) > most {
        return Err(message!("it is too long"));
    }
    let mut rows = Rows {
        starts: Vec::new(),
        weights: Vec::new(),
    };
    for i in 0..to {
        let place = (wide(line.a) * f64::from(i) + wide(line.b)) / wide(line.c);
        let weight = |at: f64| filter(how, (at - place) * scale);
        // Elements beyond the ends count as those at the ends.
        let (first, end) = ((place - reach).floor(), (place + reach).ceil());
        let low = first.clamp(0.0, last);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 0 and the size"
        )]
        let (start, len) = (low as u32, (end.clamp(0.0, last) - low) as usize + 1);
        let mut row = vec![0.0; len];
        let mut at = first;
        while at <= end {
            let inside = (0.0..=last).contains(&at);
            if inside || !how.exclude {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number between 0 and the length"
                )]
                let held = (at.clamp(0.0, last) - low) as usize;
                row[held.min(len - 1)] += weight(at);
            }
            at += 1.0;
        }
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
        rows.starts.push(start);
        rows.weights.push(row);
    }
    Ok(rows)
}

/// The triangle, or Keys' cubic (Keys 1981, equation 15, with a in place of -1/2).
fn filter(how: &Sampling, distance: f64) -> f64 {
    let (t, a) = (distance.abs(), f64::from(how.cubic));
    match how.mode {
        ResizeMode::Cubic if t <= 1.0 => (a + 2.0) * t.powi(3) - (a + 3.0) * t.powi(2) + 1.0,
        ResizeMode::Cubic if t < 2.0 => a * t.powi(3) - 5.0 * a * t.powi(2) + 8.0 * a * t - 4.0 * a,
        ResizeMode::Cubic => 0.0,
        _ => (1.0 - t).max(0.0),
    }
}
