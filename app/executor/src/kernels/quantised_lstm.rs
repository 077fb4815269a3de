//! An LSTM layer on quantised elements: gates of 16 bits, inputs and states of 8.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::fixed_point::{Factor, rounded_shift};
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. The gates are, in this order, input, forget, cell (the
/// candidate) and output. Beside them the kernel reads a table of three functions of all numbers
/// of 16 bits, in the order of the bits: the logistic one, tanh of the candidate and tanh of the
/// cell state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedLstmParams {
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
    /// Zero points of x, of the hidden state as it is read and as it is computed.
    pub zeros: [i32; 3],
    /// What bounds the cell state, or 0.
    pub limit: i32,
    /// Mantissa and shift of what products with x and with the hidden state are multiplied by,
    /// of every gate.
    pub factors: [[i32; 4]; 4],
    /// Mantissa and shift of products with the cell state: of the input, forget and output gate.
    pub of_cell: [[i32; 2]; 3],
    /// Mantissa and shift of the new hidden state.
    pub of_hidden: [i32; 2],
    /// How many places a product of two gates has more than the cell state.
    pub places: i32,
}

/// What a dispatch reads.
struct Reads {
    x: Vec<i32>,
    functions: Vec<i32>,
    /// Weights of the cell state, of every gate that has them.
    peepholes: [Vec<i32>; 4],
    /// Weights of x, weights of the hidden state and biases, of every gate.
    gates: Vec<Vec<i32>>,
    coupled: bool,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedLstmParams = dispatch.params();
    let ints = |at: usize| {
        let operand = dispatch.inputs.get(at);
        operand.map_or_else(Vec::new, |it| super::narrow(memory, it))
    };
    let peepholes = dispatch.value_of("PEEPHOLES") == 1;
    let peephole = |at: usize| if peepholes { ints(at) } else { Vec::new() };
    let reads = Reads {
        x: ints(0),
        functions: ints(1),
        peepholes: [peephole(2), peephole(3), Vec::new(), peephole(7)],
        gates: (8..20).map(ints).collect(),
        coupled: dispatch.value_of("COUPLED") == 1,
    };
    let (mut hidden, mut cells) = (ints(5), ints(6));
    let units = params.units as usize;
    let mut y = vec![0; dispatch.outputs[0].len() as usize];
    let states = hidden.chunks_mut(units).zip(cells.chunks_mut(units));
    for (sequence, (h, c)) in (0..params.batch).zip(states) {
        for step in 0..params.steps {
            let at = |[by_step, by_sequence]: [u32; 2]| {
                (step * by_step + sequence * by_sequence) as usize
            };
            let x = &reads.x[at(params.x)..][..params.size as usize];
            let before = h.to_vec();
            for (unit, (h, c)) in h.iter_mut().zip(c.iter_mut()).enumerate() {
                *h = params.unit(&reads, unit, (x, &before), c);
            }
            for (y, h) in y[at(params.y)..].iter_mut().zip(h.iter()) {
                *y = i64::from(*h);
            }
        }
    }
    memory.put_ints(&dispatch.outputs[0], &y);
    let cells: Vec<i64> = cells.into_iter().map(i64::from).collect();
    memory.put_ints(&dispatch.outputs[1], &cells);
}

fn factor(mantissa: i32, shift: i32) -> Factor {
    Factor { mantissa, shift }
}

/// As far as 16 bits go.
fn bounded(x: i32) -> i32 {
    x.clamp(i16::MIN.into(), i16::MAX.into())
}

fn dot(x: &[i32], zero: i32, weights: &[i32]) -> i32 {
    let products = x.iter().zip(weights);
    let products = products.map(|(x, w)| (x - zero).wrapping_mul(*w));
    products.fold(0, i32::wrapping_add)
}

impl QuantisedLstmParams {
    /// The new hidden state of a unit, once its cell state is that of this step.
    fn unit(&self, reads: &Reads, unit: usize, from: (&[i32], &[i32]), cell: &mut i32) -> i32 {
        let gate = |number: usize, cell: i32| self.gate(reads, [number, unit], from, cell);
        let function = |number: usize, x: i32| {
            let place = usize::try_from(x & 0xffff).unwrap_or_default();
            let found = reads.functions.get(number << 16 | place);
            found.copied().unwrap_or_default()
        };
        let forget = function(0, gate(1, *cell));
        let input = match reads.coupled {
            true => i32::from(i16::MAX) - forget,
            false => function(0, gate(0, *cell)),
        };
        let candidate = function(1, gate(2, *cell));
        let before = rounded_shift(forget * *cell, 15);
        let now = bounded(before + rounded_shift(input * candidate, self.places));
        *cell = match self.limit {
            1.. => now.clamp(-self.limit, self.limit),
            _ => now,
        };
        let output = function(0, gate(3, *cell)) * function(2, *cell);
        let [mantissa, shift] = self.of_hidden;
        let y = factor(mantissa, shift).times(output);
        let y = y.wrapping_add(self.zeros[2]);
        y.clamp(i8::MIN.into(), i8::MAX.into())
    }

    /// What goes into the function of a gate of a unit.
    fn gate(
        &self,
        reads: &Reads,
        [number, unit]: [usize; 2],
        (x, hidden): (&[i32], &[i32]),
        cell: i32,
    ) -> i32 {
        let row = |of: usize, len: usize| {
            let weights = &reads.gates[4 * of + number];
            weights
                .get(unit * len..(unit + 1) * len)
                .unwrap_or_default()
        };
        let bias = row(2, 1).first().copied().unwrap_or_default();
        let of_x = bias.wrapping_add(dot(x, self.zeros[0], row(0, x.len())));
        let of_hidden = dot(hidden, self.zeros[1], row(1, hidden.len()));
        let [a, b, c, d] = self.factors[number];
        let of_hidden = factor(c, d).times(of_hidden);
        let sum = bounded(bounded(factor(a, b).times(of_x)).wrapping_add(of_hidden));
        let Some(weight) = reads.peepholes[number].get(unit) else {
            return sum;
        };
        let [mantissa, shift] = self.of_cell[number.min(2)];
        bounded(sum.wrapping_add(factor(mantissa, shift).times(weight * cell)))
    }
}
