//! How the parts of an operator's tensors hang together: where one of them is divided so, the others
//! are divided so.
//!
//! | operators | rule |
//! |---|---|
//! | element by element, dropouts, broadcasts | the same dimension of all, counted from the last |
//! | softmax, normalisations | any dimension but those that are normalised |
//! | sums and means over dimensions | any dimension but those |
//! | shapes, orders, pieces | `moves.rs` |
//! | products, attention, rotary positions | `products.rs` |
//! | all others | none |

use super::part::{Among, Part};
use super::{moves, products};
use crate::graph::{Dialect, Graph, Op, TensorId};
use crate::operators::{Family, Operator};

/// A tensor of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    /// That it reads at this place.
    Input(usize),
    /// That it writes there.
    Output(usize),
}

/// What follows where one tensor of an operator is divided.
pub(super) enum Follows {
    /// These are divided so, the others are whole.
    Alike(Vec<(Slot, Part)>),
    /// The same, but each device has a part of every sum that the operator writes.
    Sums(Vec<(Slot, Part)>),
}

/// An operator whose tensors are divided.
pub(super) struct Call<'a> {
    pub(super) graph: &'a Graph,
    pub(super) op: &'a Op,
    /// Whether the elements of each tensor are known before the run.
    pub(super) fixed: &'a [bool],
    pub(super) among: Among,
}

impl Call<'_> {
    /// The tensor at this place.
    pub(super) fn id(&self, slot: Slot) -> Option<TensorId> {
        let (all, index) = match slot {
            Slot::Input(index) => (&self.op.inputs, index),
            Slot::Output(index) => (&self.op.outputs, index),
        };
        all.get(index).copied().flatten()
    }

    /// Its sizes before anything is divided.
    pub(super) fn dims(&self, slot: Slot) -> Option<&[u64]> {
        self.graph.tensor(self.id(slot)?).dims.as_deref()
    }

    pub(super) fn is_fixed(&self, slot: Slot) -> bool {
        self.id(slot).is_some_and(|id| self.fixed[id.index()])
    }

    /// Dimension `at` of so many, counted from the last where it is negative.
    pub(super) fn axis(&self, name: &str, usual: i64, rank: usize) -> Option<usize> {
        let at = self.op.int(name).unwrap_or(usual);
        let rank = i64::try_from(rank).ok()?;
        usize::try_from(if at < 0 { at + rank } else { at }).ok()
    }

    /// What follows where the tensor at `from` is divided so; `None` where nobody knows, or it cannot
    /// be.
    pub(super) fn follows(&self, from: Slot, part: Part) -> Option<Follows> {
        let op = self.op;
        match op.operator {
            // Sizes are told, no elements; what is sent is sent as it is.
            Operator::Shape | Operator::Size | Operator::Send => Some(Follows::Alike(Vec::new())),
            Operator::BatchNormalization => None,
            Operator::Dropout
            | Operator::CastLike
            | Operator::Expand
            | Operator::AllToAll
            | Operator::RandomUniformLike
            | Operator::RandomNormalLike
            | Operator::Bernoulli => self.broadcast(1, from, part),
            Operator::Sum | Operator::Max | Operator::Min | Operator::Mean => {
                self.broadcast(op.inputs.len(), from, part)
            }
            Operator::Softmax | Operator::LogSoftmax | Operator::LpNormalization => {
                let rank = self.dims(Slot::Input(0))?.len();
                let (first, all) = match self.graph.dialect {
                    // Everything from the dimension on was one row.
                    Dialect::Onnx { opset } if opset < 13 && !op.is(Operator::LpNormalization) => {
                        (self.axis("axis", 1, rank)?, true)
                    }
                    _ => (self.axis("axis", -1, rank)?, false),
                };
                let normalised = part.axis == first || all && part.axis > first;
                (!normalised).then(|| self.row(from, part))?
            }
            Operator::LayerNormalization | Operator::RMSNormalization => {
                let first = self.axis("axis", -1, self.dims(Slot::Input(0))?.len())?;
                (part.axis < first).then(|| self.row(from, part))?
            }
            _ => match op.facts().family {
                Family::ElementWise(inputs) => self.broadcast(inputs, from, part),
                Family::Reduces => self.reduces(from, part),
                Family::Product => products::follows(self, from, part),
                _ => {
                    products::follows(self, from, part).or_else(|| moves::follows(self, from, part))
                }
            },
        }
    }

    /// The same dimension of all, counted from the last; one of a single element is read by all.
    pub(super) fn broadcast(&self, inputs: usize, from: Slot, part: Part) -> Option<Follows> {
        let made = self.dims(Slot::Output(0))?;
        let last = made.len() - self.dims(from)?.len().min(made.len());
        let axis = part.axis + last;
        let size = *made.get(axis)?;
        let inputs = (0..inputs.min(self.op.inputs.len())).map(Slot::Input);
        let outputs = (0..self.op.outputs.len()).map(Slot::Output);
        let mut alike = Vec::new();
        for slot in inputs.chain(outputs) {
            let Some(dims) = self.dims(slot) else {
                if self.id(slot).is_some() {
                    return None;
                }
                continue;
            };
            let own = (axis + dims.len()).checked_sub(made.len());
            match own.and_then(|own| Some((own, *dims.get(own)?))) {
                Some((own, dim)) if dim == size => alike.push((slot, part.at(own))),
                None | Some((_, 1)) => {}
                Some(_) => return None,
            }
        }
        Some(Follows::Alike(alike))
    }

    /// What is computed of each row by itself. Figures of rows that are written beside have the same
    /// dimensions.
    fn row(&self, from: Slot, part: Part) -> Option<Follows> {
        let of = |slot| self.dims(slot)?.get(part.axis).copied();
        let size = of(from)?;
        let outputs = (0..self.op.outputs.len()).map(Slot::Output);
        let slots = std::iter::once(Slot::Input(0)).chain(outputs);
        let alike = slots.filter(|slot| of(*slot) == Some(size));
        Some(Follows::Alike(alike.map(|slot| (slot, part)).collect()))
    }

    fn reduces(&self, from: Slot, part: Part) -> Option<Follows> {
        let (read, made) = (self.dims(Slot::Input(0))?, self.dims(Slot::Output(0))?);
        // For each dimension of the result the one that is read.
        let left: Vec<usize> = if read.len() == made.len() {
            (0..read.len())
                .filter(|at| read[*at] == made[*at])
                .collect()
        } else {
            let axes = self.reduced(read.len())?;
            (0..read.len()).filter(|at| !axes.contains(at)).collect()
        };
        let places = |at: usize| match read.len() == made.len() {
            true => Some(at),
            false => left.iter().position(|own| *own == at),
        };
        let (own, seen) = match from {
            Slot::Input(0) => (part.axis, places(part.axis)?),
            Slot::Output(0) if read.len() == made.len() => (part.axis, part.axis),
            Slot::Output(0) => (*left.get(part.axis)?, part.axis),
            _ => return None,
        };
        let kept = left.contains(&own);
        let alike = vec![
            (Slot::Input(0), part.at(own)),
            (Slot::Output(0), part.at(seen)),
        ];
        kept.then_some(Follows::Alike(alike))
    }

    /// The dimensions that are summed over.
    fn reduced(&self, rank: usize) -> Option<Vec<usize>> {
        let given = self.op.ints("axes").map(<[i64]>::to_vec);
        let axes = given.or_else(|| self.integers(Slot::Input(1)))?;
        let rank = i64::try_from(rank).ok()?;
        let axes = axes.into_iter();
        axes.map(|at| usize::try_from(if at < 0 { at + rank } else { at }).ok())
            .collect()
    }

    /// The integers of a constant of 64 bits.
    fn integers(&self, slot: Slot) -> Option<Vec<i64>> {
        use crate::graph::{Content, DType};
        let tensor = self.graph.tensor(self.id(slot)?);
        match (&tensor.content, tensor.dtype) {
            (Content::Inline(bytes), DType::I64) => {
                let (each, _) = bytes.as_chunks::<8>();
                Some(each.iter().map(|it| i64::from_le_bytes(*it)).collect())
            }
            _ => None,
        }
    }
}
