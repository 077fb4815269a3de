//! y[i] = x at the place (i·a + b) / c along every resized dimension. Places are fractions of
//! integers, so that every machine finds the same neighbours and breaks ties alike.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ResizeParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// What places outside of x give, if `CROP` is 1.
    pub beyond: f32,
    /// Keys' parameter a of the cubic.
    pub cubic: f32,
    /// Dimensions of y.
    pub dims: [u32; MAX_RANK],
    /// Strides of x in elements.
    pub stride: [u32; MAX_RANK],
    /// Dimensions of x.
    pub size: [u32; MAX_RANK],
    /// Numerator's factor of the index.
    pub a: [i32; MAX_RANK],
    /// Numerator's constant part.
    pub b: [i32; MAX_RANK],
    /// Denominator; 0 for a dimension that is not resized.
    pub c: [i32; MAX_RANK],
}

codes! {
    /// How elements in between are made: the `override` constant `MODE`.
    pub enum ResizeMode {
        /// The nearest element.
        Nearest,
        /// Straight lines between neighbours.
        Linear,
        /// Keys' cubic through four neighbours.
        Cubic,
    }
}

codes! {
    /// How nearest rounds: the `override` constant `ROUND`.
    pub enum ResizeRound {
        /// To nearest, a half down.
        PreferFloor,
        /// To nearest, a half up.
        PreferCeil,
        /// Down.
        Floor,
        /// Up.
        Ceil,
    }
}

/// The elements along one dimension that make one element of the output, with their weights;
/// `None` outside of x.
type Neighbours = Option<Vec<(usize, f64)>>;

/// One dimension after the other: what is left of it is stretched or shrunk.
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ResizeParams = dispatch.params();
    let rank = (params.rank as usize).min(MAX_RANK);
    let x = memory.floats(&dispatch.inputs[0]);
    let mut values: Vec<f64> = x.into_iter().map(f64::from).collect();
    let mut inner = 1;
    let mut outside = Vec::with_capacity(rank);
    for d in 0..rank {
        let (from, to) = (params.size[d] as usize, params.dims[d] as usize);
        let along: Vec<Neighbours> = (0..to).map(|i| neighbours(dispatch, d, i)).collect();
        if params.c[d] != 0 {
            values = stretched(&values, &along, from, inner);
        }
        outside.push(along.into_iter().map(|found| found.is_none()).collect());
        inner *= to;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the output is f32")]
    let mut y: Vec<f32> = values.into_iter().map(|value| value as f32).collect();
    if dispatch.value_of("CROP") == 1 {
        overwrite(&mut y, &outside, params.beyond);
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// The dimension of `from` elements, each a row of `inner`, made anew.
fn stretched(values: &[f64], along: &[Neighbours], from: usize, inner: usize) -> Vec<f64> {
    let mut made = Vec::new();
    for block in values.chunks_exact((from * inner).max(1)) {
        for found in along {
            let start = made.len();
            made.resize(start + inner, 0.0);
            for &(index, weight) in found.iter().flatten() {
                let row = &block[index * inner..][..inner];
                for (sum, value) in made[start..].iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
        }
    }
    made
}

/// Writes `beyond` wherever one of the dimensions, innermost first, is outside.
fn overwrite(y: &mut [f32], outside: &[Vec<bool>], beyond: f32) {
    for (i, y) in y.iter_mut().enumerate() {
        let mut rest = i;
        for dimension in outside {
            if dimension[rest % dimension.len()] {
                *y = beyond;
            }
            rest /= dimension.len();
        }
    }
}

fn neighbours(dispatch: &Dispatch, d: usize, i: usize) -> Neighbours {
    let params: ResizeParams = dispatch.params();
    let last = f64::from(params.size[d]) - 1.0;
    if params.c[d] == 0 {
        return Some(vec![(i, 1.0)]);
    }
    let i = f64::from(u32::try_from(i).unwrap_or_default());
    let place = (i * f64::from(params.a[d]) + f64::from(params.b[d])) / f64::from(params.c[d]);
    if dispatch.value_of("CROP") == 1 && !(0.0..=last).contains(&place) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number between 0 and the size"
    )]
    let held = |place: f64| place.clamp(0.0, last) as usize;
    let floor = place.floor();
    let part = place - floor;
    Some(match ResizeMode::read(dispatch, "MODE") {
        ResizeMode::Nearest => {
            let rounded = match ResizeRound::read(dispatch, "ROUND") {
                ResizeRound::PreferFloor => (place - 0.5).ceil(),
                ResizeRound::PreferCeil => (place + 0.5).floor(),
                ResizeRound::Floor => floor,
                ResizeRound::Ceil => place.ceil(),
            };
            vec![(held(rounded), 1.0)]
        }
        ResizeMode::Linear => vec![(held(floor), 1.0 - part), (held(floor + 1.0), part)],
        ResizeMode::Cubic => {
            let taps = [-1.0, 0.0, 1.0, 2.0].map(|tap| {
                let weight = keys(tap - part, params.cubic.into());
                let inside = (0.0..=last).contains(&(floor + tap));
                let counts = inside || dispatch.value_of("EXCLUDE") == 0;
                (held(floor + tap), if counts { weight } else { 0.0 })
            });
            let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
            taps.map(|(index, weight)| (index, weight / sum)).to_vec()
        }
    })
}

/// Keys' convolution kernel (Keys 1981, equation 15, with a in place of -1/2).
fn keys(distance: f64, a: f64) -> f64 {
    let t = distance.abs();
    if t <= 1.0 {
        (a + 2.0) * t.powi(3) - (a + 3.0) * t.powi(2) + 1.0
    } else if t < 2.0 {
        a * t.powi(3) - 5.0 * a * t.powi(2) + 8.0 * a * t - 4.0 * a
    } else {
        0.0
    }
}
