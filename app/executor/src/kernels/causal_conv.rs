//! y = each channel under a window of its own that ends at the place of y, over what came before
//! x, 0 where nothing did.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CausalConvParams {
    /// Number of elements of y.
    pub count: u32,
    /// Channels of a batch.
    pub channels: u32,
    /// Elements of a channel.
    pub length: u32,
    /// Elements of a window.
    pub taps: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: CausalConvParams = dispatch.params();
    let [channels, length, taps] =
        [params.channels, params.length, params.taps].map(|size| size as usize);
    let [x, weights] = [0, 1].map(|at| memory.floats(&dispatch.inputs[at]));
    let given = |name: &str, at: usize| {
        (dispatch.value_of(name) == 1).then(|| memory.floats(&dispatch.inputs[at]))
    };
    let (bias, past) = (given("BIAS", 2), given("PAST", 3));
    let silu = dispatch.value_of("SILU") == 1;
    let mut y = Vec::with_capacity(x.len());
    for (line, values) in x.chunks_exact(length.max(1)).enumerate() {
        let channel = line % channels;
        let mut all = match &past {
            Some(past) => past[line * (taps - 1)..][..taps - 1].to_vec(),
            None => vec![0.0; taps - 1],
        };
        all.extend(values);
        let window = &weights[channel * taps..][..taps];
        let shift = bias.as_ref().map_or(0.0, |bias| f64::from(bias[channel]));
        for under in all.windows(taps) {
            let products = under.iter().zip(window);
            let sum: f64 = products.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            let sum = sum + shift;
            y.push(if silu {
                sum / (1.0 + (-sum).exp())
            } else {
                sum
            } as f32);
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
