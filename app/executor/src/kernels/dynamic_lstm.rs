//! An LSTM whose weights are integers of 8 bits: all of x, and at each step all states, become
//! integers of 8 bits by their own range first. This is ONNX Runtime's `DynamicQuantizeLSTM` on
//! one thread (`rnn_helpers.cc`, `ComputeGemm` of quantised weights).

use super::{RecurrentParams, UnaryOp};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Most states of all sequences of a direction: they lie in the memory of one workgroup.
pub const MOST_STATES: u32 = 1024;

/// Floats as integers from 0 to 255, the zero point taken away.
struct Quantised {
    elements: Vec<i32>,
    scale: f32,
}

impl Quantised {
    #[expect(clippy::cast_possible_truncation, reason = "they are whole and small")]
    fn of(x: &[f32]) -> Self {
        let low = x.iter().copied().fold(0.0_f32, f32::min);
        let high = x.iter().copied().fold(0.0_f32, f32::max);
        let scale = if high > low {
            (high - low) / 255.0
        } else {
            1.0
        };
        let zero = (-low / scale).clamp(0.0, 255.0).round_ties_even();
        let element = |x: &f32| {
            let steps = (x / scale).round_ties_even() + zero;
            (steps.clamp(0.0, 255.0) - zero) as i32
        };
        Self {
            elements: x.iter().map(element).collect(),
            scale,
        }
    }
}

/// Weights of x or of the state of one direction: rows of what is read, in each a column for
/// every unit of every gate; by column a scale and a zero point.
struct Weights<'a> {
    elements: &'a [i32],
    scales: &'a [f32],
    zeros: &'a [f32],
}

impl Weights<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "zero points have 8 bits")]
    #[expect(clippy::cast_precision_loss, reason = "ONNX Runtime rounds it, too")]
    fn product(&self, x: &[i32], scale: f32, column: usize) -> f32 {
        let zero = self.zeros[column] as i32;
        let rows = self.elements.chunks_exact(self.scales.len());
        let sum = rows.zip(x).fold(0_i32, |sum, (row, x)| {
            sum.wrapping_add(x.wrapping_mul(row[column] - zero))
        });
        sum as f32 * (scale * self.scales[column])
    }
}

/// One direction of a layer.
struct Walk<'a> {
    params: &'a RecurrentParams,
    direction: usize,
    w: Weights<'a>,
    r: Weights<'a>,
    biases: &'a [f32],
    limited: bool,
}

impl Walk<'_> {
    fn units(&self) -> usize {
        self.params.units as usize
    }

    /// Where the states of a sequence begin.
    fn state(&self, sequence: usize) -> usize {
        let [by_direction, by_sequence] = self.params.state.map(|it| it as usize);
        self.direction * by_direction + sequence * by_sequence
    }

    fn step_of(&self, step: usize, sequence: usize) -> usize {
        let [by_step, by_direction, by_sequence] = self.params.y.map(|it| it as usize);
        step * by_step + self.direction * by_direction + sequence * by_sequence
    }

    /// The states of all sequences, zeros where none are given.
    fn first(&self, held: &[f32]) -> Vec<f32> {
        let sequences = 0..self.params.batch as usize;
        let states = sequences.map(|sequence| {
            let at = self.state(sequence);
            let own = held.get(at..at + self.units());
            own.map_or_else(|| vec![0.0; self.units()], <[f32]>::to_vec)
        });
        states.collect::<Vec<_>>().concat()
    }

    fn sum(&self, (gate, unit): (usize, usize), x: (&[i32], f32), h: (&[i32], f32)) -> f32 {
        let columns = 4 * self.units();
        let column = gate * self.units() + unit;
        let sum = self.w.product(x.0, x.1, column) + self.r.product(h.0, h.1, column);
        let at = self.direction * 2 * columns + column;
        let both = self.biases.get(at).zip(self.biases.get(at + columns));
        let sum = sum + both.map_or(0.0, |(x, h)| x + h);
        match self.limited {
            true => sum.max(-self.params.limit).min(self.params.limit),
            false => sum,
        }
    }

    /// The states before a step become those after it.
    fn step(&self, step: usize, x: &Quantised, h: &mut [f32], c: &mut [f32]) {
        let before = Quantised::of(h);
        let sigmoid = |x: f32| UnaryOp::Sigmoid.apply(x, 0.0, 0.0);
        let tanh = |x: f32| UnaryOp::Tanh.apply(x, 0.0, 0.0);
        let (units, size) = (self.units(), self.params.size as usize);
        for (at, (h, c)) in h.iter_mut().zip(c).enumerate() {
            let (sequence, unit) = (at / units, at % units);
            let from = step * self.params.x[0] as usize + sequence * self.params.x[1] as usize;
            let x = (&x.elements[from..from + size], x.scale);
            let own = &before.elements[sequence * units..(sequence + 1) * units];
            let [i, o, f, g] = [0, 1, 2, 3].map(|it| self.sum((it, unit), x, (own, before.scale)));
            *c = sigmoid(f) * *c + sigmoid(i) * tanh(g);
            *h = sigmoid(o) * tanh(*c);
        }
    }
}

/// The elements, scales and zero points of one direction.
fn weights<'a>(
    (elements, table): (&'a [i32], &'a [f32]),
    (which, rows): (usize, usize),
    (direction, columns): (usize, usize),
) -> Weights<'a> {
    let all = table.len() / 4;
    let part = |which: usize| &table[which * all + direction * columns..][..columns];
    Weights {
        elements: &elements[direction * rows * columns..][..rows * columns],
        scales: part(which),
        zeros: part(which + 1),
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: RecurrentParams = dispatch.params();
    let x = Quantised::of(&memory.floats(&dispatch.inputs[0]));
    let [w, r] = [1, 2].map(|at| super::narrow(memory, &dispatch.inputs[at]));
    let table = memory.floats(&dispatch.inputs[4]);
    let given = |name: &str, at: usize| match dispatch.value_of(name) {
        0 => Vec::new(),
        _ => memory.floats(&dispatch.inputs[at]),
    };
    let biases = given("BIASES", 3);
    let first = [given("HIDDEN", 5), given("MEMORY", 6)];
    let mut outputs: Vec<Vec<f32>> = dispatch.outputs.iter().map(|y| memory.floats(y)).collect();
    let roles = [dispatch.value_of("ROLE0"), dispatch.value_of("ROLE1")];
    let (units, size) = (params.units as usize, params.size as usize);
    for direction in 0..params.directions as usize {
        let part = (direction, 4 * units);
        let walk = Walk {
            params: &params,
            direction,
            w: weights((&w, &table), (0, size), part),
            r: weights((&r, &table), (2, units), part),
            biases: &biases,
            limited: dispatch.value_of("LIMITED") == 1,
        };
        let mut put = |role: u32, states: &[f32], at: &dyn Fn(usize) -> usize| {
            for (_, y) in roles
                .iter()
                .zip(&mut outputs)
                .filter(|(own, _)| **own == role)
            {
                for (sequence, own) in states.chunks_exact(units.max(1)).enumerate() {
                    y[at(sequence)..][..units].copy_from_slice(own);
                }
            }
        };
        let [mut h, mut c] = first.each_ref().map(|held| walk.first(held));
        let reversed = dispatch.value_of("REVERSED") >> direction & 1 == 1;
        let steps = params.steps as usize;
        for n in 0..steps {
            let step = if reversed { steps - 1 - n } else { n };
            walk.step(step, &x, &mut h, &mut c);
            put(1, &h, &|sequence| walk.step_of(step, sequence));
        }
        put(2, &h, &|sequence| walk.state(sequence));
        put(3, &c, &|sequence| walk.state(sequence));
    }
    for (y, values) in dispatch.outputs.iter().zip(&outputs) {
        memory.put_floats(y, values);
    }
}
