//! A recurrent layer whose weights are integers of 8 bits: at each step x and the state become
//! integers of 8 bits by their own ranges first. This is LiteRT's dynamic range quantisation
//! (`LstmStepHybrid`, and `RnnBatchStep` with such weights), with every rounding of its reference
//! kernels but those inside the logistic function and tanh.

use bytemuck::{Pod, Zeroable};

use super::UnaryOp;
use super::hybrid::Quantised;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Gates are, in this order, input, forget, cell (the
/// candidate) and output; a plain cell has the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct HybridLayerParams {
    /// Number of steps.
    pub steps: u32,
    /// Number of sequences.
    pub batch: u32,
    /// Elements of an input.
    pub size: u32,
    /// Hidden units.
    pub units: u32,
    /// Strides of x by step and by sequence.
    pub x: [u32; 2],
    /// Strides of y by step and by sequence.
    pub y: [u32; 2],
    /// First parameter of the activation.
    pub alpha: f32,
    /// Its second.
    pub beta: f32,
    /// What bounds the memory, or 0.
    pub limit: f32,
    /// 0.
    pub none: u32,
    /// Scales of the weights of x and of the state, of every gate, then of the memory: of the
    /// input, forget and output gate.
    pub scales: [[f32; 4]; 3],
}

/// What a dispatch reads.
struct Reads {
    x: Vec<f32>,
    /// Weights of the memory: of the input, forget and output gate, where they have some.
    peepholes: [Vec<i32>; 3],
    /// Weights of x, then of the state, of every gate.
    weights: Vec<Vec<i32>>,
    biases: Vec<Vec<f32>>,
    has_zero: bool,
    coupled: bool,
    activation: UnaryOp,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: HybridLayerParams = dispatch.params();
    let has = |name: &str| dispatch.value_of(name) == 1;
    let ints = |at: usize| {
        let operand = dispatch.inputs.get(at);
        operand.map_or_else(Vec::new, |it| super::narrow(memory, it))
    };
    let floats = |at: usize| memory.floats(&dispatch.inputs[at]);
    let is_long = has("LONG");
    let peepholes = match has("PEEPHOLES") {
        true => [2, 3, 7].map(ints),
        false => [const { Vec::new() }; 3],
    };
    let reads = Reads {
        x: floats(0),
        peepholes,
        weights: (8..16).map(ints).collect(),
        biases: (16..20).map(floats).collect(),
        has_zero: has("ASYMMETRIC"),
        coupled: has("COUPLED"),
        activation: UnaryOp::read(dispatch, "ACTIVATION"),
    };
    let units = params.units as usize;
    let mut hidden = floats(5);
    let mut cells = match is_long {
        true => floats(6),
        false => vec![0.0; hidden.len()],
    };
    let mut y = vec![0.0; dispatch.outputs[0].len() as usize];
    let states = hidden.chunks_mut(units).zip(cells.chunks_mut(units));
    for (sequence, (h, c)) in (0..params.batch).zip(states) {
        for step in 0..params.steps {
            let at = |[by_step, by_sequence]: [u32; 2]| {
                (step * by_step + sequence * by_sequence) as usize
            };
            let x = &reads.x[at(params.x)..][..params.size as usize];
            let from = [x, h].map(|row| Quantised::of(row, reads.has_zero));
            for (unit, (h, c)) in h.iter_mut().zip(c.iter_mut()).enumerate() {
                *h = match is_long {
                    true => params.long(&reads, unit, &from, c),
                    false => params.function(&reads, params.gate(&reads, [0, unit], &from)),
                };
            }
            y[at(params.y)..][..units].copy_from_slice(h);
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
    let kept = if is_long { &cells } else { &hidden };
    memory.put_floats(&dispatch.outputs[1], kept);
}

impl HybridLayerParams {
    /// The state of a unit with memory after a step.
    fn long(&self, reads: &Reads, unit: usize, from: &[Quantised; 2], cell: &mut f32) -> f32 {
        let opened = |number: usize, which: usize, cell: f32| {
            let sum = self.gate(reads, [number, unit], from);
            let weight = reads.peepholes[which].get(unit);
            #[expect(clippy::cast_precision_loss, reason = "weights have 8 bits")]
            let of_memory = weight.map(|&w| w as f32 * self.scales[2][which] * cell);
            let sum = of_memory.map_or(sum, |of_memory| sum + of_memory);
            UnaryOp::Sigmoid.apply(sum, 0.0, 0.0)
        };
        let kept = opened(1, 1, *cell);
        let taken = match reads.coupled {
            true => 1.0 - kept,
            false => opened(0, 0, *cell),
        };
        let fresh = self.function(reads, self.gate(reads, [2, unit], from));
        let now = kept * *cell + fresh * taken;
        *cell = match self.limit > 0.0 {
            true => now.max(-self.limit).min(self.limit),
            false => now,
        };
        opened(3, 2, *cell) * self.function(reads, *cell)
    }

    fn function(&self, reads: &Reads, x: f32) -> f32 {
        reads.activation.apply(x, self.alpha, self.beta)
    }

    /// What goes into the function of a gate of a unit.
    fn gate(&self, reads: &Reads, [number, unit]: [usize; 2], from: &[Quantised; 2]) -> f32 {
        let bias = reads.biases[number].get(unit).copied().unwrap_or_default();
        from.iter().enumerate().fold(bias, |sum, (of, row)| {
            let len = row.elements.len();
            let weights = &reads.weights[4 * of + number];
            let weights = weights.get(unit * len..(unit + 1) * len);
            let products = row.elements.iter().zip(weights.unwrap_or_default());
            let dot = products.fold(0_i32, |sum, (x, w)| sum.wrapping_add(x.wrapping_mul(*w)));
            #[expect(clippy::cast_precision_loss, reason = "LiteRT rounds it, too")]
            let dot = dot as f32;
            sum + dot * (row.scale * self.scales[of][number])
        })
    }
}
