//! y[i] = x between its elements, at the place that a grid names with -1 and 1 for its ends.

use bytemuck::{Pod, Zeroable};

use super::resize::ResizeMode;
use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// What lies beyond the ends of x: the `override` constant `PADDING`.
    pub enum GridPadding {
        /// Zeros.
        Zeros,
        /// The element at the end.
        Border,
        /// x in mirrors.
        Reflection,
    }
}

/// Parameters, as the shader declares them. Spatial dimensions lie innermost first, as a place
/// of the grid names them. `MODE` is a [`ResizeMode`]; `ALIGN` is 1 where -1 and 1 are the centres of the elements at the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GridSampleParams {
    /// Number of elements of y.
    pub count: u32,
    /// Channels of x and y.
    pub channels: u32,
    /// Places of the grid in an image.
    pub pixels: u32,
    /// Spatial dimensions.
    pub rank: u32,
    /// Sizes of x.
    pub size: [u32; 4],
}

/// The elements along one dimension that make one of the output, with their weights.
type Neighbours = Vec<(usize, f32)>;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: GridSampleParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let grid = memory.floats(&dispatch.inputs[1]);
    let rank = params.rank as usize;
    let sizes = &params.size[..rank.min(3)];
    let plane_len: usize = sizes.iter().map(|&size| size as usize).product();
    let (pixels, channels) = (params.pixels as usize, params.channels as usize);
    let y: Vec<f32> = (0..params.count as usize)
        .map(|i| {
            let (plane, pixel) = (i / pixels, i % pixels);
            let spot = &grid[(plane / channels * pixels + pixel) * rank..][..rank];
            let around = spot.iter().zip(sizes);
            let around: Vec<Neighbours> = around
                .map(|(&at, &size)| neighbours(dispatch, at, size))
                .collect();
            let plane = &x[plane * plane_len..][..plane_len];
            sum(plane, &around, sizes)
        })
        .collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// The weighted sum over the outermost dimension of those over the others.
fn sum(x: &[f32], around: &[Neighbours], sizes: &[u32]) -> f32 {
    let (Some((own, rest)), Some((_, inner))) = (around.split_last(), sizes.split_last()) else {
        return x.first().copied().unwrap_or_default();
    };
    let step: usize = inner.iter().map(|&size| size as usize).product();
    let terms = own.iter().filter(|(_, weight)| *weight != 0.0);
    terms
        .map(|&(at, weight)| weight * sum(&x[at * step..], rest, inner))
        .sum()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places are held close to x, and sizes are far below 2^24"
)]
fn neighbours(dispatch: &Dispatch, at: f32, size: u32) -> Neighbours {
    let mode = ResizeMode::read(dispatch, "MODE");
    let padding = GridPadding::read(dispatch, "PADDING");
    let length = size as f32;
    let last = length - 1.0;
    let (low, mut place) = match dispatch.value_of("ALIGN") {
        1 => (0.0, (at + 1.0) / 2.0 * last),
        _ => (-0.5, ((at + 1.0) * length - 1.0) / 2.0),
    };
    let high = last - low;
    if mode == ResizeMode::Nearest {
        place = place.round_ties_even();
    }
    place = match padding {
        GridPadding::Border if place < low || place > high => place.clamp(0.0, last),
        GridPadding::Reflection => mirrored(place, low, high),
        GridPadding::Border | GridPadding::Zeros => place,
    };
    let place = place.clamp(-4.0, length + 4.0);
    let (whole, part) = (place.floor(), place - place.floor());
    let taps = match mode {
        ResizeMode::Nearest => vec![(whole, 1.0)],
        ResizeMode::Linear => vec![(whole, 1.0 - part), (whole + 1.0, part)],
        ResizeMode::Cubic => [-1.0, 0.0, 1.0, 2.0]
            .map(|tap| (whole + tap, cubic(tap - part)))
            .to_vec(),
    };
    let held = |(index, weight): (f32, f32)| {
        let inside = (0.0..=last).contains(&index);
        match padding {
            GridPadding::Zeros if !inside => (0, 0.0),
            GridPadding::Reflection => {
                (mirrored(index, low, high).clamp(0.0, last) as usize, weight)
            }
            GridPadding::Border | GridPadding::Zeros => (index.clamp(0.0, last) as usize, weight),
        }
    };
    taps.into_iter().map(held).collect()
}

/// The place seen in mirrors at both ends: it goes back and forth between them.
fn mirrored(place: f32, low: f32, high: f32) -> f32 {
    let range = high - low;
    if range <= 0.0 {
        return low;
    }
    let along = (place - low).rem_euclid(2.0 * range);
    low + along.min(2.0 * range - along)
}

/// Keys' convolution kernel (Keys 1981, equation 15, with -3/4 in place of -1/2).
fn cubic(distance: f32) -> f32 {
    let t = distance.abs();
    if t <= 1.0 {
        1.25 * t.powi(3) - 2.25 * t.powi(2) + 1.0
    } else if t < 2.0 {
        -0.75 * t.powi(3) + 3.75 * t.powi(2) - 6.0 * t + 3.0
    } else {
        0.0
    }
}
