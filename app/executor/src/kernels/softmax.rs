//! y = exp(beta x) / the sum of it over the row, or the logarithm of that.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `LOG` = 1 asks for the logarithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoftmaxParams {
    /// The rows of x and of y.
    pub rows: Rows,
    /// What x is multiplied by.
    pub beta: f32,
    /// Unused, for the alignment.
    pub pad: [u32; 3],
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: SoftmaxParams = dispatch.params();
    let log = dispatch.value_of("LOG") == 1;
    let x = memory.floats(&dispatch.inputs[0]);
    let steps = params.rows.both_steps();
    let mut y = memory.floats(&dispatch.outputs[0]);
    for (start, out) in params.rows.both_starts() {
        let scaled =
            |(step, _): &(usize, usize)| f64::from(params.beta) * f64::from(x[start + step]);
        let most = steps.iter().map(scaled).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = steps.iter().map(|step| (scaled(step) - most).exp()).sum();
        for step in &steps {
            let logarithm = scaled(step) - most - sum.ln();
            y[out + step.1] = if log { logarithm } else { logarithm.exp() } as f32;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
