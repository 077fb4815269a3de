//! The subgraphs that operators run: WHILE, IF, CALL.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::{Model, Named};
use crate::graph::{Body, Graph, Inside, Role, Tensor};
use crate::load::flatbuffer::error;
use crate::load::{Fault, LoadError, Warning};
use crate::operators::Operator;
use crate::units::narrow;
use crate::{Message, message};

/// Deepest subgraph inside a subgraph.
const MAX_DEPTH: usize = 16;
/// Most operators of subgraphs, those of one that several operators run once for each.
const MAX_OPS: u64 = 1 << 16;

/// What was read of subgraphs beside the main one.
#[derive(Default)]
pub(super) struct Read {
    ops: Cell<u64>,
    /// Which they were.
    which: RefCell<BTreeSet<usize>>,
}

impl Model<'_, '_> {
    /// Gives the operators of `graph` the subgraphs that they name. One that cannot be read is
    /// no reason to refuse the file: it is left out of the plan.
    pub(super) fn bodies(
        &self,
        graph: &mut Graph,
        named: &[Named],
        depth: usize,
    ) -> Result<(), LoadError> {
        for (op, named) in graph.ops.iter_mut().zip(named) {
            if !matches!(op.operator, Operator::Call | Operator::If | Operator::While) {
                continue;
            }
            if named.is_empty() {
                op.inside = Inside::Kept(message!("it names no subgraph that the file has"));
                continue;
            }
            let bodies = named
                .iter()
                .map(|&(name, index)| self.body(name, index, depth));
            op.inside = match bodies.collect() {
                Ok(bodies) => Inside::Bodies(bodies),
                Err(error) if error.kind == Fault::Io => return Err(error),
                Err(error) => {
                    Inside::Kept(message!("its subgraph cannot be read: {}", error.message))
                }
            };
        }
        Ok(())
    }

    fn body(&self, name: &str, index: usize, depth: usize) -> Result<Body, LoadError> {
        let fault = |kind: Fault, message: Message| error(kind, 0, message);
        let ops = self.subgraph_ops.get(index).copied().unwrap_or_default();
        self.read
            .ops
            .set(self.read.ops.get().saturating_add(u64::from(ops) + 1));
        if depth == MAX_DEPTH || self.read.ops.get() > MAX_OPS {
            return Err(fault(
                Fault::Limit,
                message!("subgraphs are nested too deep"),
            ));
        }
        self.read.which.borrow_mut().insert(index);
        let (mut graph, named) = self.graph(index, &mut Vec::new())?;
        if graph
            .tensors
            .iter()
            .any(|tensor| tensor.role == Role::State)
        {
            return Err(fault(Fault::Unsupported, message!("it keeps variables")));
        }
        self.bodies(&mut graph, &named, depth + 1)?;
        Ok(Body {
            name: name.to_owned(),
            number: narrow(index),
            graph,
            outer: Vec::new(),
        })
    }

    /// How many other subgraphs have tensors in the arena; one that cannot be read has none that
    /// are known.
    pub(super) fn placed_beside(&self) -> usize {
        let others = (0..self.subgraph_ops.len()).filter(|index| *index != self.index);
        let read = others.filter_map(|index| self.graph(index, &mut Vec::new()).ok());
        read.filter(|(graph, _)| graph.tensors.iter().any(Tensor::is_without_elements))
            .count()
    }

    /// Warns of the subgraphs that are not planned.
    pub(super) fn others(&self) -> Option<Warning> {
        let read = self.read.which.borrow();
        let others = self.subgraph_ops.iter().enumerate();
        let others = others.filter(|(index, _)| *index != self.index && !read.contains(index));
        let others: Vec<u64> = others.map(|(_, &ops)| u64::from(ops)).collect();
        let own = self
            .subgraph_ops
            .get(self.index)
            .copied()
            .unwrap_or_default();
        let (count, inside): (usize, u64) = (others.len(), others.iter().sum());
        (count > 0).then(|| {
            Warning::new(
                message!("subgraph {}", self.index),
                message!(
                    "this subgraph of {} operators is planned; the memory that {} other \
                     subgraphs with {} operators need is left out",
                    own,
                    count,
                    inside
                ),
            )
        })
    }
}
