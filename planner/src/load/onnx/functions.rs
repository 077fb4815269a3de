//! Functions of the model itself: a call holds what the function does.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::assemble::{Build, domain, op_place};
use super::messages::{RawAttribute, RawFunction, RawGraph, RawNode};
use super::tensors::RawInfo;
use crate::graph::{Dialect, Op};
use crate::message;
use crate::sorting::inserted;

/// What a function is called among the subgraphs of an operator.
pub(super) const FUNCTION: &str = "function";
/// Deepest call inside a call.
const MAX_DEPTH: usize = 32;
/// Most bytes of all that calls hold, about: that of a function once for each call.
const MAX_BYTES: usize = 1 << 27;
/// Bytes of an operator or operand without its name, and of a tensor; more than there are.
const EACH: usize = 128;
const TENSOR: usize = 1 << 12;

impl Build {
    /// What `op` does if it calls a function with these attributes.
    pub(super) fn called(
        &mut self,
        op: &Op,
        attributes: &[(String, RawAttribute)],
    ) -> Option<RawGraph> {
        // Operators that we know are what we know of them.
        if matches!(&*op.domain, "" | "ai.onnx.ml" | "com.microsoft") {
            return None;
        }
        let mut functions = self.functions.iter();
        let function = functions.find(|it| it.name == op.kind && it.domain == op.domain)?;
        let function = Rc::clone(function);
        let given: usize = attributes.iter().map(|(_, value)| bytes(value)).sum();
        let given = given.saturating_mul(function.nodes.len());
        let held = size(&function.nodes).saturating_add(given);
        let held = self.called.saturating_add(held);
        if !self.has_opset(&function) || self.around.len() >= MAX_DEPTH || held > MAX_BYTES {
            let message = message!("a function of the model itself: its results have no size");
            self.warn(op_place(op), message);
            return None;
        }
        self.called = held;
        Some(body(&function, op, attributes))
    }

    /// Whether the function counts on the version of ONNX's operators that the model has.
    fn has_opset(&self, function: &RawFunction) -> bool {
        let mut own = function.opsets.iter();
        let own = own.find(|(name, _)| domain(name.clone()).is_empty());
        let opset = match self.graph.dialect {
            Dialect::Onnx { opset } => i64::from(opset),
            Dialect::Tflite => 0,
        };
        own.is_none_or(|&(_, version)| version == opset)
    }
}

/// What a function does when `op` calls it with these attributes.
fn body(function: &RawFunction, op: &Op, attributes: &[(String, RawAttribute)]) -> RawGraph {
    let defaults = function.defaults.iter().chain(attributes);
    let given: BTreeMap<&str, &RawAttribute> = inserted(defaults.map(|(key, x)| (&**key, x)));
    let is_given = |at: usize| op.inputs.get(at).copied().flatten().is_some();
    let (fed, left_out): (Vec<_>, Vec<_>) =
        (function.inputs.iter().enumerate()).partition(|(at, _)| is_given(*at));
    let left_out: Vec<&String> = left_out.into_iter().map(|(_, name)| name).collect();
    let info = |name: &String| RawInfo {
        name: name.clone(),
        ..RawInfo::default()
    };
    let mut nodes = function.nodes.clone();
    for node in &mut nodes {
        fill(node, &left_out, &given);
    }
    RawGraph {
        name: function.name.clone(),
        nodes,
        inputs: fed.into_iter().map(|(_, name)| info(name)).collect(),
        outputs: function
            .outputs
            .iter()
            .take(op.outputs.len())
            .map(info)
            .collect(),
        ..RawGraph::default()
    }
}

/// Puts what a call gives into an operator of the function, and into those in its subgraphs.
fn fill(node: &mut RawNode, left_out: &[&String], given: &BTreeMap<&str, &RawAttribute>) {
    for input in &mut node.inputs {
        if left_out.contains(&&*input) {
            input.clear();
        }
    }
    node.attributes.retain_mut(|(_, value)| match value {
        RawAttribute::Reference(name) => match given.get(name.as_str()) {
            Some(&found) => {
                *value = found.clone();
                true
            }
            // What the call leaves out has the operator's own default.
            None => false,
        },
        RawAttribute::Subgraphs(inner) => {
            let nodes = inner.iter_mut().flat_map(|graph| &mut graph.nodes);
            nodes.for_each(|node| fill(node, left_out, given));
            true
        }
        _ => true,
    });
}

/// Bytes of operators, about.
fn size(nodes: &[RawNode]) -> usize {
    let one = |node: &RawNode| {
        let operands = node.inputs.iter().chain(&node.outputs);
        let operands: usize = operands.map(|name| EACH + name.len()).sum();
        let attributes = node.attributes.iter();
        let attributes: usize = attributes
            .map(|(key, value)| key.len() + bytes(value))
            .sum();
        EACH + node.name.len() + operands + attributes
    };
    nodes.iter().map(one).sum()
}

/// Bytes of an attribute, about.
fn bytes(value: &RawAttribute) -> usize {
    match value {
        RawAttribute::Ints(list) => EACH + 8 * list.len(),
        RawAttribute::Floats(list) => EACH + 4 * list.len(),
        RawAttribute::Text(text) | RawAttribute::Reference(text) => EACH + text.len(),
        RawAttribute::Texts(list) => list.iter().map(|text| EACH + text.len()).sum(),
        RawAttribute::Tensor(_) => TENSOR,
        RawAttribute::Subgraphs(inner) => inner.iter().map(whole).sum(),
        RawAttribute::Int(_) | RawAttribute::Float(_) | RawAttribute::Other => EACH,
    }
}

fn whole(graph: &RawGraph) -> usize {
    let infos = graph
        .inputs
        .iter()
        .chain(&graph.outputs)
        .chain(&graph.values);
    let infos: usize = infos.map(|info| EACH + info.name.len()).sum();
    let tensors = graph.initializers.len() + graph.sparse.len();
    size(&graph.nodes) + infos + TENSOR * tensors
}
