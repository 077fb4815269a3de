//! y = the sums of frames of x turned by whole fractions of a turn: a discrete Fourier transform,
//! forwards or backwards, by its definition.

use std::f64::consts::TAU;

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `X_PARTS` and `Y_PARTS` are 2 for complex elements
/// and 1 for real ones, `HALF` is 1 where x is one half of a spectrum whose other half mirrors
/// it, `WINDOW` is 1 where there is a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FourierParams {
    /// Number of elements of y, whatever their parts.
    pub count: u32,
    /// Elements from one bin to the next.
    pub inner: u32,
    /// Bins of a frame.
    pub bins: u32,
    /// Frames of a signal.
    pub frames: u32,
    /// Elements of a frame.
    pub terms: u32,
    /// Elements from one frame to the next.
    pub step: u32,
    /// Elements of a signal.
    pub length: u32,
    /// Fractions that make a whole turn.
    pub period: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: FourierParams = dispatch.params();
    let parts = |name: &str| dispatch.value_of(name) as usize;
    let (x_parts, y_parts) = (parts("X_PARTS"), parts("Y_PARTS"));
    let x = memory.floats(&dispatch.inputs[0]);
    let window = (dispatch.value_of("WINDOW") == 1).then(|| memory.floats(&dispatch.inputs[1]));
    let (backwards, half) = (
        dispatch.value_of("INVERSE") == 1,
        dispatch.value_of("HALF") == 1,
    );
    let inner = params.inner as usize;
    let (bins, frames) = (params.bins as usize, params.frames as usize);
    let period = u64::from(params.period);
    let whole = f64::from(params.period);
    // Of every number of fractions, its sine and cosine.
    let turns: Vec<(f64, f64)> = (0..params.period)
        .map(|n| (TAU * f64::from(n) / whole).sin_cos())
        .collect();
    let mut y: Vec<f32> = Vec::with_capacity(params.count as usize * y_parts);
    for i in 0..params.count as usize {
        let (bin, frame, signal) = (
            i / inner % bins,
            i / inner / bins % frames,
            i / inner / bins / frames,
        );
        let start = signal * params.length as usize + frame * params.step as usize;
        let (mut real, mut imaginary) = (0.0, 0.0);
        for n in 0..params.terms as usize {
            let at = ((start + n) * inner + i % inner) * x_parts;
            let part = |at: usize| f64::from(x[at]);
            let (mut re, mut im) = (part(at), if x_parts == 2 { part(at + 1) } else { 0.0 });
            let mut factor = window.as_ref().map_or(1.0, |all| f64::from(all[n]));
            if half && n > 0 && 2 * n as u64 != period {
                factor *= 2.0;
            }
            (re, im) = (re * factor, im * factor);
            let turn = usize::try_from(n as u64 * bin as u64 % period).unwrap_or_default();
            let (sin, cos) = turns[turn];
            let sin = if backwards { sin } else { -sin };
            real += re * cos - im * sin;
            imaginary += re * sin + im * cos;
        }
        let divisor = if backwards { whole } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
        let both = [(real / divisor) as f32, (imaginary / divisor) as f32];
        y.extend(&both[..y_parts]);
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
