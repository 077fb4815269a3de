//! Recurrent layers: plain cells, GRU and LSTM.

use bytemuck::{Pod, Zeroable};

use super::UnaryOp;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Most hidden units: the state of a sequence lies in the memory of one workgroup.
pub const MOST_UNITS: u32 = 1280;

codes! {
    /// What a unit does: the `override` constant `CELL`.
    pub enum CellOp {
        /// One function of input and state.
        Plain,
        /// Two gates, of which one resets the state before its product.
        ResetBefore,
        /// Two gates, of which one resets the product with the state.
        ResetAfter,
        /// Three gates around a cell state (LSTM).
        Lstm,
        /// None: the last step of x is copied.
        Last,
    }
}

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RecurrentParams {
    /// Number of steps.
    pub steps: u32,
    /// Number of sequences.
    pub batch: u32,
    /// The first direction of a dispatch.
    pub direction: u32,
    /// How many it has.
    pub directions: u32,
    /// Elements of an input.
    pub size: u32,
    /// Hidden units.
    pub units: u32,
    /// Strides of x by step and by sequence.
    pub x: [u32; 2],
    /// Strides of y by step, by direction and by sequence.
    pub y: [u32; 3],
    /// Strides of states by direction and by sequence.
    pub state: [u32; 2],
    /// What bounds that which the functions are given, if `LIMITED` is 1, or the memory, if it
    /// is 2.
    pub limit: f32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
    /// First parameters of `GATE`, `FRESH` and `SHOWN`, the functions.
    pub alpha: [f32; 4],
    /// Their second parameters.
    pub beta: [f32; 4],
}

/// Weights of x, of the state and biases of every gate.
type Gates = Vec<Vec<f32>>;

/// What a dispatch reads beside its parameters; empty where it is left out.
struct Reads {
    /// Where they are apart; else the weights of all gates follow one another.
    gates: Option<Gates>,
    x: Vec<f32>,
    w: Vec<f32>,
    r: Vec<f32>,
    biases: Vec<f32>,
    peepholes: Vec<f32>,
    limited: u32,
    coupled: u32,
    cell: CellOp,
    functions: [UnaryOp; 3],
}

/// One sequence in one direction.
struct Walk<'a> {
    params: &'a RecurrentParams,
    reads: &'a Reads,
    direction: u32,
    sequence: u32,
}

/// What comes of it: the hidden state of every step, and both states at the end.
struct Taken {
    steps: Vec<Vec<f32>>,
    last: [Vec<f32>; 2],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: RecurrentParams = dispatch.params();
    let floats = |at: usize| {
        let operand = dispatch.inputs.get(at);
        operand.map(|it| memory.floats(it)).unwrap_or_default()
    };
    let given = |name: &str, at: usize| match dispatch.value_of(name) {
        0 => Vec::new(),
        _ => floats(at),
    };
    let reads = Reads {
        x: floats(0),
        w: floats(1),
        r: floats(2),
        biases: given("BIASES", 3),
        peepholes: match dispatch.value_of("SEPARATE") {
            1 if dispatch.value_of("PEEPHOLES") == 1 => [2, 3, 7].map(floats).concat(),
            _ => given("PEEPHOLES", 7),
        },
        gates: (dispatch.value_of("SEPARATE") == 1).then(|| (8..20).map(floats).collect()),
        limited: dispatch.value_of("LIMITED"),
        coupled: dispatch.value_of("COUPLED"),
        cell: CellOp::read(dispatch, "CELL"),
        functions: ["GATE", "FRESH", "SHOWN"].map(|name| UnaryOp::read(dispatch, name)),
    };
    let lengths = match (dispatch.value_of("LENGTHS"), dispatch.inputs.get(4)) {
        (1, Some(lengths)) => memory.ints(lengths),
        _ => Vec::new(),
    };
    let first = [given("HIDDEN", 5), given("MEMORY", 6)];
    let mut outputs: Vec<Vec<f32>> = dispatch.outputs.iter().map(|y| memory.floats(y)).collect();
    let roles = [dispatch.value_of("ROLE0"), dispatch.value_of("ROLE1")];
    for direction in (params.direction..).take(params.directions as usize) {
        let reversed = dispatch.value_of("REVERSED") >> direction & 1 == 1;
        for sequence in 0..params.batch {
            let length = lengths.get(sequence as usize).copied();
            let length = length.map_or(params.steps, |it| u32::try_from(it).unwrap_or(u32::MAX));
            let walk = Walk {
                params: &params,
                reads: &reads,
                direction,
                sequence,
            };
            let taken = walk.taken(&order(params.steps, length, reversed), &first);
            for (role, y) in roles.into_iter().zip(&mut outputs) {
                walk.write(role, &taken, y);
            }
        }
    }
    for (y, values) in dispatch.outputs.iter().zip(&outputs) {
        memory.put_floats(y, values);
    }
}

/// The steps of a sequence in the order in which they are taken.
fn order(steps: u32, length: u32, reversed: bool) -> Vec<u32> {
    let steps = 0..length.min(steps);
    match reversed {
        true => steps.rev().collect(),
        false => steps.collect(),
    }
}

impl Walk<'_> {
    fn y_at(&self, step: u32) -> usize {
        let [by_step, by_direction, by_sequence] = self.params.y;
        (step * by_step + self.direction * by_direction + self.sequence * by_sequence) as usize
    }

    fn state_at(&self) -> usize {
        let [by_direction, by_sequence] = self.params.state;
        (self.direction * by_direction + self.sequence * by_sequence) as usize
    }

    /// Takes the steps in this order.
    fn taken(&self, order: &[u32], first: &[Vec<f32>; 2]) -> Taken {
        let (params, units) = (self.params, self.params.units as usize);
        let mut steps = vec![vec![0.0; units]; params.steps as usize];
        let state = self.state_at();
        let [mut h, mut c] = first.each_ref().map(|held| {
            let held = held.get(state..state + units).filter(|_| !order.is_empty());
            held.map_or_else(|| vec![0.0; units], <[f32]>::to_vec)
        });
        for &step in order {
            if self.reads.cell == CellOp::Last {
                let x = self.y_at(step);
                h.copy_from_slice(&self.reads.x[x..x + units]);
            } else {
                let x = (step * params.x[0] + self.sequence * params.x[1]) as usize;
                self.step(&self.reads.x[x..x + params.size as usize], &mut h, &mut c);
            }
            steps[step as usize].clone_from(&h);
        }
        Taken {
            steps,
            last: [h, c],
        }
    }

    /// Writes what an output of this role is for.
    fn write(&self, role: u32, taken: &Taken, y: &mut [f32]) {
        let mut put = |at: usize, h: &[f32]| y[at..at + h.len()].copy_from_slice(h);
        let [h, c] = &taken.last;
        match role {
            1 => {
                for (step, h) in (0..).zip(&taken.steps) {
                    put(self.y_at(step), h);
                }
            }
            2 => put(self.state_at(), h),
            _ => put(self.state_at(), c),
        }
    }

    fn gates(&self) -> usize {
        match self.reads.cell {
            CellOp::Plain | CellOp::Last => 1,
            CellOp::ResetBefore | CellOp::ResetAfter => 3,
            CellOp::Lstm => 4,
        }
    }

    /// One step: the state before becomes that after.
    fn step(&self, x: &[f32], h: &mut [f32], c: &mut [f32]) {
        let cell = self.reads.cell;
        let before = h.to_vec();
        // What resets the state before the product must be known of all units first.
        let mut reset = before.clone();
        if cell == CellOp::ResetBefore {
            for (unit, h) in reset.iter_mut().enumerate() {
                let gate = self.input(x, 1, unit) + self.hidden(&before, 1, unit);
                *h *= self.bounded(0, gate);
            }
        }
        for (unit, h) in h.iter_mut().enumerate() {
            let sum = |gate| self.input(x, gate, unit) + self.hidden(&before, gate, unit);
            *h = match cell {
                CellOp::Plain => self.bounded(0, sum(0)),
                CellOp::ResetBefore | CellOp::ResetAfter => {
                    let kept = self.bounded(0, sum(0));
                    let of_state = if cell == CellOp::ResetBefore {
                        self.hidden(&reset, 2, unit)
                    } else {
                        self.bounded(0, sum(1)) * self.hidden(&before, 2, unit)
                    };
                    let fresh = self.bounded(1, self.input(x, 2, unit) + of_state);
                    (1.0 - kept) * fresh + kept * before[unit]
                }
                CellOp::Lstm | CellOp::Last => self.long(sum, unit, &mut c[unit]),
            };
        }
    }

    /// A unit with memory: what it shows, once its memory is that of this step.
    fn long(&self, sum: impl Fn(usize) -> f32, unit: usize, c: &mut f32) -> f32 {
        let units = self.params.units as usize;
        let seen = |gate: usize, c: f32| {
            let at = (self.direction as usize * 3 + gate) * units + unit;
            c * self.reads.peepholes.get(at).copied().unwrap_or_default()
        };
        let taken = self.bounded(0, sum(0) + seen(0, *c));
        let kept = match self.reads.coupled {
            1 => 1.0 - taken,
            _ => self.bounded(0, sum(2) + seen(2, *c)),
        };
        let taken = if self.reads.coupled == 2 {
            1.0 - kept
        } else {
            taken
        };
        *c = kept * *c + taken * self.bounded(1, sum(3));
        if self.reads.limited == 2 {
            *c = c.max(-self.params.limit).min(self.params.limit);
        }
        self.bounded(0, sum(1) + seen(1, *c)) * self.function(2, *c)
    }

    fn row(&self, gate: usize, unit: usize) -> usize {
        (self.direction as usize * self.gates() + gate) * self.params.units as usize + unit
    }

    fn bias(&self, state: usize, gate: usize, unit: usize) -> f32 {
        if let Some(gates) = &self.reads.gates {
            let of_x = gates[8 + gate].get(unit).filter(|_| state == 0);
            return of_x.copied().unwrap_or_default();
        }
        let row = (self.direction as usize * 2 + state) * self.gates() + gate;
        let at = row * self.params.units as usize + unit;
        self.reads.biases.get(at).copied().unwrap_or_default()
    }

    /// The weights of a unit, of x or of the state.
    fn weights(&self, state: usize, gate: usize, unit: usize, len: usize) -> &[f32] {
        let (all, row) = match &self.reads.gates {
            Some(gates) => (&gates[4 * state + gate], unit),
            None if state == 0 => (&self.reads.w, self.row(gate, unit)),
            None => (&self.reads.r, self.row(gate, unit)),
        };
        all.get(row * len..(row + 1) * len).unwrap_or_default()
    }

    fn input(&self, x: &[f32], gate: usize, unit: usize) -> f32 {
        let weights = self.weights(0, gate, unit, x.len());
        let sum: f32 = x.iter().zip(weights).map(|(x, w)| x * w).sum();
        sum + self.bias(0, gate, unit)
    }

    fn hidden(&self, h: &[f32], gate: usize, unit: usize) -> f32 {
        let weights = self.weights(1, gate, unit, h.len());
        let sum: f32 = h.iter().zip(weights).map(|(h, r)| h * r).sum();
        sum + self.bias(1, gate, unit)
    }

    fn function(&self, which: usize, x: f32) -> f32 {
        let (alpha, beta) = (self.params.alpha[which], self.params.beta[which]);
        self.reads.functions[which].apply(x, alpha, beta)
    }

    fn bounded(&self, which: usize, x: f32) -> f32 {
        let limit = self.params.limit;
        self.function(
            which,
            match self.reads.limited {
                1 => x.max(-limit).min(limit),
                _ => x,
            },
        )
    }
}
