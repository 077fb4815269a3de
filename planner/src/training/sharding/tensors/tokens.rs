//! Along which dimension of each tensor the tokens of a sequence are, so that devices can have some
//! of them each.
//!
//! Tokens go forward from what the model reads. Where an operator puts tokens together (keys and
//! values that all queries see, the first token of a sequence), what it reads is gathered. Experts
//! are given the tokens of a device in an order of their own: sorting integers is done by each
//! device for its own tokens.

use std::collections::BTreeMap;

use super::part::{Among, Part};
use super::relations::{Call, Follows, Slot};
use crate::graph::{Graph, Op, Role, TensorId};
use crate::operators::Operator;
use crate::{Message, message};

/// Where tokens are.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// For each tensor.
    pub(super) parts: Vec<Option<Part>>,
    /// For each operator what it reads in another way than it lies there, by place.
    pub(super) ops: Vec<BTreeMap<usize, Read>>,
}

/// How an operator reads a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// The tokens of all devices.
    Gathered,
    /// Of what every device has whole, what belongs to its tokens.
    Piece(Part),
}

struct Finder<'a> {
    graph: &'a Graph,
    fixed: &'a [bool],
    devices: u64,
    /// What comes from outside: it is divided as whoever reads it wants.
    given: Vec<bool>,
    /// What of that has tokens.
    begun: BTreeMap<TensorId, Part>,
    made: Tokens,
}

impl Tokens {
    /// Those of `graph`.
    ///
    /// # Errors
    /// Where there are none, or devices cannot have as many each.
    pub(super) fn of(graph: &Graph, fixed: &[bool], devices: u64) -> Result<Self, Message> {
        let mut finder = Finder {
            graph,
            fixed,
            devices,
            given: vec![false; graph.tensors.len()],
            begun: BTreeMap::new(),
            made: Self::default(),
        };
        finder.begin()?;
        // What is read in pieces may have been read before.
        loop {
            let begun = finder.begun.len();
            finder.pass();
            if finder.begun.len() == begun {
                return Ok(finder.made);
            }
        }
    }
}

impl Finder<'_> {
    /// What the model reads: integers that a table is looked up with, else floats of each token.
    fn begin(&mut self) -> Result<(), Message> {
        let graph = self.graph;
        for id in &graph.inputs {
            self.given[id.index()] = true;
        }
        let mut starts: Vec<(TensorId, usize)> = Vec::new();
        for op in &graph.ops {
            let looked_up = match op.inputs[..] {
                [Some(table), Some(ids), ..] if op.is(Operator::Gather) => {
                    let own = graph.tensor(ids);
                    let is = self.fixed[table.index()] && own.role == Role::Input;
                    is.then_some((ids, rank(graph, ids)))
                }
                _ => None,
            };
            let received = op.written().filter(|_| op.is(Operator::Receive));
            for id in received {
                self.given[id.index()] = true;
                if graph.tensor(id).dtype.is_float() && rank(graph, id) > 1 {
                    starts.push((id, rank(graph, id) - 2));
                }
            }
            starts.extend(looked_up.and_then(|(id, rank)| Some((id, rank.checked_sub(1)?))));
        }
        if starts.is_empty() {
            let floats = graph
                .inputs
                .iter()
                .filter(|id| graph.tensor(**id).dtype.is_float() && rank(graph, **id) == 3);
            starts.extend(floats.map(|id| (*id, 1)));
        }
        for (id, axis) in starts {
            let dims = graph.tensor(id).dims.as_deref().unwrap_or_default();
            let tokens = dims.get(axis).copied().unwrap_or(1);
            // A single one is of all tokens.
            if tokens == 1 {
                continue;
            }
            let part = Part::along(axis);
            if !part.divides(dims, self.devices) {
                let devices = self.devices;
                return Err(message!(
                    "{} tokens cannot be divided evenly among {} devices",
                    tokens,
                    devices
                ));
            }
            self.begun.insert(id, part);
        }
        if self.begun.is_empty() {
            return Err(message!("the model reads no tokens that could be divided"));
        }
        Ok(())
    }

    fn pass(&mut self) {
        let graph = self.graph;
        self.made = Tokens {
            parts: vec![None; graph.tensors.len()],
            ops: vec![BTreeMap::new(); graph.ops.len()],
        };
        for (id, part) in &self.begun {
            self.made.parts[id.index()] = Some(*part);
        }
        for (index, op) in graph.ops.iter().enumerate() {
            let any = matches!(
                op.operator,
                Operator::Shape | Operator::Size | Operator::Send
            );
            if graph.runs(op) && !any {
                self.operator(index, op);
            }
        }
    }

    fn operator(&mut self, index: usize, op: &Op) {
        let graph = self.graph;
        let call = Call {
            graph,
            op,
            fixed: self.fixed,
            among: Among {
                devices: self.devices,
                skip: 0,
            },
        };
        let part = |id: TensorId| match graph.tensor(id).role {
            Role::Constant => None,
            _ => self.made.parts[id.index()],
        };
        let own = |(place, id): (usize, &Option<TensorId>)| Some((place, part((*id)?)?));
        let read: Vec<(usize, Part)> = op.inputs.iter().enumerate().filter_map(own).collect();
        let captures = op.captures.iter().enumerate();
        let captures = captures.filter(|(_, id)| part(**id).is_some());
        let captures: Vec<usize> = captures.map(|(at, _)| op.inputs.len() + at).collect();
        let found = read.iter().find_map(|(place, part)| {
            let alike = self.alike(&call, *place, *part, &read)?;
            let fits = |(slot, part): &(Slot, Part)| {
                let dims = call.dims(*slot);
                dims.is_some_and(|dims| part.divides(dims, self.devices))
            };
            (captures.is_empty() && alike.iter().all(fits)).then_some(alike)
        });
        let alike = found.unwrap_or_default();
        for (place, own) in &read {
            let wanted = alike.iter().find(|(slot, _)| *slot == Slot::Input(*place));
            let agrees = wanted.is_some_and(|(_, part)| part.joined(*own).is_some());
            if !agrees {
                self.made.ops[index].insert(*place, Read::Gathered);
            }
        }
        for place in captures {
            self.made.ops[index].insert(place, Read::Gathered);
        }
        for (slot, part) in alike {
            let Some(id) = call.id(slot) else { continue };
            let begins = self.given[id.index()] && !self.begun.contains_key(&id);
            match slot {
                Slot::Output(_) => self.made.parts[id.index()] = Some(part),
                Slot::Input(place) if !read.iter().any(|(at, _)| *at == place) => {
                    if begins {
                        self.begun.insert(id, part);
                        self.made.parts[id.index()] = Some(part);
                    } else {
                        self.made.ops[index].insert(place, Read::Piece(part));
                    }
                }
                Slot::Input(_) => {}
            }
        }
    }

    /// What follows from the tokens of the input at `place`.
    fn alike(
        &self,
        call: &Call<'_>,
        place: usize,
        part: Part,
        read: &[(usize, Part)],
    ) -> Option<Vec<(Slot, Part)>> {
        let from = Slot::Input(place);
        let own = call.dims(from)?.len();
        let made = call.dims(Slot::Output(0))?.len();
        let both = |axis: usize| Some(vec![(from, part), (Slot::Output(0), part.at(axis))]);
        let last = |back: usize| part.axis + back == own;
        match (call.op.operator, place) {
            // Queries: keys and values are of all tokens.
            (Operator::MatMul, 0) if last(2) => return both(made.checked_sub(2)?),
            (Operator::ScaledDotProductAttention, 0) if last(2) => return both(part.axis),
            (Operator::Attention, 0) if last(2) => {
                let mut alike = both(part.axis)?;
                let mask = Slot::Input(3);
                let rows = call.dims(mask).and_then(|dims| {
                    let at = dims.len().checked_sub(2)?;
                    (dims[at] == call.dims(from)?[part.axis]).then_some(at)
                });
                alike.extend(rows.map(|at| (mask, part.at(at))));
                return Some(alike);
            }
            // By columns.
            (Operator::MatMul, 1) if last(1) => return both(made.checked_sub(1)?),
            (Operator::TopK, 0) if !self.is_float(call, from) => {
                let outputs = [Slot::Output(0), Slot::Output(1)];
                let alike = std::iter::once(from).chain(outputs);
                return Some(alike.map(|slot| (slot, part)).collect());
            }
            (Operator::Gather, 0) if call.axis("axis", 0, own) == Some(part.axis) => {
                let (_, places) = *read.iter().find(|(at, _)| *at == 1)?;
                let made = places.at(part.axis + places.axis);
                return Some(vec![
                    (from, part),
                    (Slot::Input(1), places),
                    (Slot::Output(0), made),
                ]);
            }
            _ => {}
        }
        match call.follows(from, part)? {
            Follows::Alike(alike) => Some(alike),
            Follows::Sums(_) => None,
        }
    }

    fn is_float(&self, call: &Call<'_>, slot: Slot) -> bool {
        let id = call.id(slot);
        id.is_some_and(|id| self.graph.tensor(id).dtype.is_float())
    }
}

fn rank(graph: &Graph, id: TensorId) -> usize {
    graph.tensor(id).dims.as_deref().unwrap_or_default().len()
}
