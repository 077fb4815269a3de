//! What a program asks of an eager runtime.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::schedule::Phase;
use crate::training::Problem;
use crate::units::Bytes;

/// Calls in the order of a run, and what is done to their results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// The names of the tensors.
    pub tensors: Vec<String>,
    /// The calls.
    pub calls: Vec<Call>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// One operator that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What people call it.
    pub name: String,
    /// What it costs, in the unit of the log: nanoseconds, or floating point operations.
    pub cost: u64,
    /// The tensors that it reads.
    pub reads: Vec<usize>,
    /// What it makes.
    pub makes: Vec<Made>,
    /// The part of the training step.
    pub phase: Phase,
    /// Whether it is no operator, but what is always there: a weight, or an input.
    pub constant: bool,
}

/// A tensor that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The tensor.
    pub tensor: usize,
    /// What it takes; 0 of an alias.
    pub bytes: u64,
    /// Of an alias, the tensor whose bytes it shares.
    pub alias: Option<usize>,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The call runs.
    Call(usize),
    /// The program holds the tensor once more.
    Hold(usize),
    /// The program needs the tensor to stay for good: it is there from now on.
    Pin(usize),
    /// The program lets go of the tensor.
    Release(usize),
}

impl Log {
    /// The bytes of what is always there.
    #[must_use]
    pub fn constants(&self) -> Bytes {
        let constants = self.calls.iter().filter(|call| call.constant);
        let made = constants.flat_map(|call| &call.makes);
        Bytes(made.map(|made| made.bytes).sum())
    }

    /// The least budget under which every call can run: what is always there, and of one call
    /// what else it reads and what it makes.
    #[must_use]
    pub fn minimum(&self) -> Bytes {
        // The storage of each tensor by the tensor that it was made with, and its bytes.
        let mut storage: Vec<usize> = (0..self.tensors.len()).collect();
        let mut bytes = vec![0; self.tensors.len()];
        let mut most = 0;
        for call in &self.calls {
            for made in &call.makes {
                match made.alias {
                    Some(of) => storage[made.tensor] = storage[of],
                    None if call.constant => {}
                    None => bytes[made.tensor] = made.bytes,
                }
            }
            let read: BTreeSet<usize> = call.reads.iter().map(|read| storage[*read]).collect();
            let made: u64 = call.makes.iter().map(|made| made.bytes).sum();
            let needed = read.into_iter().map(|it| bytes[it]).sum::<u64>() + made;
            if !call.constant {
                most = needed.max(most);
            }
        }
        Bytes(self.constants().0 + most)
    }

    /// What it costs to run every call once.
    #[must_use]
    pub fn base_cost(&self) -> u64 {
        self.calls.iter().map(|call| call.cost).sum()
    }
}

impl From<&Problem> for Log {
    /// Every node as a call, let go of after the last one that reads it.
    fn from(problem: &Problem) -> Self {
        let mut last: Vec<usize> = (0..problem.nodes.len()).collect();
        for (index, node) in problem.nodes.iter().enumerate() {
            for &read in &node.reads {
                last[read] = index;
            }
        }
        let mut dying = vec![Vec::new(); problem.nodes.len()];
        for (tensor, at) in last.into_iter().enumerate() {
            dying[at].push(tensor);
        }
        let mut events = Vec::new();
        for (call, tensors) in dying.into_iter().enumerate() {
            events.push(Event::Call(call));
            events.extend(tensors.into_iter().map(Event::Release));
        }
        let calls = problem.nodes.iter().enumerate().map(|(tensor, node)| Call {
            name: node.name.clone(),
            cost: node.cost,
            reads: node.reads.clone(),
            makes: vec![Made {
                tensor,
                bytes: node.bytes.0,
                alias: None,
            }],
            phase: node.phase,
            constant: false,
        });
        Self {
            tensors: problem.nodes.iter().map(|node| node.name.clone()).collect(),
            calls: calls.collect(),
            events,
        }
    }
}
