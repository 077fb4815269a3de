//! Subgraphs: graphs of their own that see the names of those around them.

use std::collections::BTreeMap;
use std::mem::{replace, take};

use super::assemble::{Build, op_place, tensor_place};
use super::messages::RawGraph;
use crate::graph::{Attribute, Body, DType, Graph, Inside, Op, Role, Tensor, TensorId};
use crate::load::{Fault, LoadError};
use crate::message;
use crate::units::narrow;

/// A graph that waits while one inside it is built.
pub(super) struct Around {
    graph: Graph,
    names: BTreeMap<String, TensorId>,
    outer: Vec<(TensorId, TensorId)>,
}

impl Build {
    /// The tensor of this name; one that is defined around this graph gets a stand-in in it,
    /// and in every graph between.
    pub(super) fn find(&mut self, name: &str) -> Result<Option<TensorId>, LoadError> {
        if let Some(&id) = self.names.get(name) {
            return Ok(Some(id));
        }
        let has = |around: &Around| around.names.contains_key(name);
        let Some(depth) = self.around.iter().rposition(has) else {
            return Ok(None);
        };
        let mut id = self.around[depth].names[name];
        for level in depth + 1..=self.around.len() {
            let tensor = self.around[level - 1].graph.tensor(id);
            let mut inside = Tensor::new(name, tensor.dtype);
            inside.declared.clone_from(&tensor.declared);
            inside.role = Role::Input;
            let (graph, names, outer) = match self.around.get_mut(level) {
                Some(it) => (&mut it.graph, &mut it.names, &mut it.outer),
                None => (&mut self.graph, &mut self.names, &mut self.outer),
            };
            let own = TensorId::at(graph.tensors.len());
            graph.tensors.push(inside);
            names.insert(name.to_owned(), own);
            outer.push((own, id));
            id = own;
        }
        Ok(Some(id))
    }

    /// Reads the subgraph that is attribute `name` of `op`; how many operators it holds.
    pub(super) fn subgraph(
        &mut self,
        op: &mut Op,
        name: &str,
        raw: RawGraph,
    ) -> Result<u32, LoadError> {
        self.bodies = self.bodies.saturating_add(1);
        let number = self.bodies;
        let inside = Graph {
            dialect: self.graph.dialect,
            ..Graph::default()
        };
        let around = Around {
            graph: replace(&mut self.graph, inside),
            names: take(&mut self.names),
            outer: take(&mut self.outer),
        };
        self.around.push(around);
        let outputs = self.inside(raw)?;
        let mut declared = Vec::new();
        for info in outputs {
            let shape = info.dims.clone().map(|dims| self.shape(dims));
            declared.push((info.dtype.unwrap_or(DType::Other), shape));
            let Some(id) = self.find(&info.name)? else {
                let message = message!("{} reads it, but nothing defines it", op_place(op));
                return Err(Fault::Dangling.at(tensor_place(&info.name), message));
            };
            self.describe(info);
            self.graph.outputs.push(id);
        }
        self.reorder()?;
        let Some(around) = self.around.pop() else {
            return Ok(0);
        };
        let body = Body {
            name: name.to_owned(),
            number,
            graph: replace(&mut self.graph, around.graph),
            outer: replace(&mut self.outer, around.outer),
        };
        self.names = around.names;
        op.captures
            .extend(body.outer.iter().map(|&(_, outside)| outside));
        self.branch(op, name, declared);
        let ops = count(&body.graph);
        match &mut op.inside {
            Inside::Bodies(bodies) => bodies.push(body),
            inside => *inside = Inside::Bodies(vec![body]),
        }
        Ok(ops)
    }
}

/// How many operators a graph holds, those of inner ones included.
fn count(graph: &Graph) -> u32 {
    let inner = graph.ops.iter().flat_map(|op| &op.attributes);
    let inner = inner.map(|(_, value)| match value {
        Attribute::Subgraph { ops } => *ops,
        _ => 0,
    });
    let own = narrow(graph.ops.len());
    inner.fold(own, u32::saturating_add)
}
