//! A filter over features of the last steps.

use bytemuck::{Pod, Zeroable};

use super::UnaryOp;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements of y.
    pub count: u32,
    /// Those of a sequence.
    pub units: u32,
    /// Elements of an input.
    pub size: u32,
    /// Features of a unit.
    pub rank: u32,
    /// Steps that count.
    pub steps: u32,
    /// First parameter of the activation.
    pub alpha: f32,
    /// Its second.
    pub beta: f32,
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let [x, of_x, of_steps, bias, state] =
        [0, 1, 2, 3, 4].map(|at| memory.floats(&dispatch.inputs[at]));
    if dispatch.value_of("CARRY") == 1 {
        let carried = params.carried(&x, &of_x, &state);
        return memory.put_floats(&dispatch.outputs[0], &carried);
    }
    let has_bias = dispatch.value_of("BIAS") == 1;
    let (rank, steps) = (params.rank as usize, params.steps as usize);
    let (size, units) = (params.size as usize, params.units as usize);
    let activation = UnaryOp::of(dispatch.value_of("ACTIVATION"));
    let mut y = Vec::with_capacity(params.count as usize);
    for (x, state) in x.chunks(size).zip(state.chunks(units * rank * steps)) {
        for unit in 0..units {
            let bias = bias.get(unit).filter(|_| has_bias);
            let mut sum = bias.copied().unwrap_or_default();
            for feature in unit * rank..(unit + 1) * rank {
                let weights = &of_x[feature * size..(feature + 1) * size];
                let newest: f32 = x.iter().zip(weights).map(|(x, w)| x * w).sum();
                let kept = &state[feature * steps + 1..(feature + 1) * steps];
                let all = kept.iter().chain([&newest]);
                let weights = &of_steps[feature * steps..(feature + 1) * steps];
                sum += all.zip(weights).map(|(x, w)| x * w).sum::<f32>();
            }
            y.push(activation.apply(sum, params.alpha, params.beta));
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

impl Params {
    /// The state with the newest features in place of the oldest.
    fn carried(&self, x: &[f32], of_x: &[f32], state: &[f32]) -> Vec<f32> {
        let (size, steps) = (self.size as usize, self.steps as usize);
        let features = (self.units * self.rank) as usize;
        let mut carried = Vec::with_capacity(state.len());
        for (row, held) in state.chunks(steps).enumerate() {
            let x = &x[row / features * size..][..size];
            let weights = &of_x[row % features * size..][..size];
            carried.extend(&held[1..]);
            carried.push(x.iter().zip(weights).map(|(x, w)| x * w).sum());
        }
        carried
    }
}
