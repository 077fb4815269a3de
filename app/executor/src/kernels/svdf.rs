//! A filter over features of the last steps.

use bytemuck::{Pod, Zeroable};

use super::UnaryOp;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SvdfParams {
    /// Number of elements of y.
    pub count: u32,
    /// Elements of y for each sequence.
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
    /// Unused, for the alignment.
    pub none: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: SvdfParams = dispatch.params();
    let [x, of_x, of_steps, bias, state] =
        [0, 1, 2, 3, 4].map(|at| memory.floats(&dispatch.inputs[at]));
    let (rank, steps) = (params.rank as usize, params.steps as usize);
    let carried = match dispatch.value_of("CARRY") {
        0 => None,
        1 => Some(params.carried(&x, &of_x, &state)),
        _ => Some(shifted(&state, steps)),
    };
    if let Some(carried) = carried {
        return memory.put_floats(&dispatch.outputs[0], &carried);
    }
    let state = match dispatch.value_of("HELD") {
        0 => params.carried(&x, &of_x, &state),
        _ => state,
    };
    let has_bias = dispatch.value_of("BIAS") == 1;
    let units = params.units as usize;
    let activation = UnaryOp::read(dispatch, "ACTIVATION");
    let mut y = Vec::with_capacity(params.count as usize);
    // A filter is summed by itself, and the bias comes last: so LiteRT rounds.
    for (at, held) in state.chunks(rank * steps).enumerate() {
        let unit = at % units;
        let filters = of_steps[unit * rank * steps..].chunks(steps);
        let sums = held.chunks(steps).zip(filters).map(|(held, filter)| {
            let products = held.iter().zip(filter).map(|(x, w)| x * w);
            products.fold(0.0, |sum, product| sum + product)
        });
        let sum: f32 = sums.fold(0.0, |all, sum| all + sum);
        let bias = bias.get(unit).filter(|_| has_bias);
        let sum = bias.map_or(sum, |bias| sum + bias);
        y.push(activation.apply(sum, params.alpha, params.beta));
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// The state without its oldest features; the newest are written later.
fn shifted(state: &[f32], steps: usize) -> Vec<f32> {
    let mut shifted = state.to_vec();
    for held in shifted.chunks_mut(steps) {
        held.copy_within(1.., 0);
    }
    shifted
}

impl SvdfParams {
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
