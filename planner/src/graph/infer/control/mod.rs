//! Control flow made flat: what subgraphs hold comes in the place of the operator that holds
//! them, so that everybody else sees operators that run one after the other.
//!
//! ```text
//! If        the branch that is taken, where the condition is known before the run;
//!           else both branches, and for each result a choice between the two
//! Loop      the body once for each iteration, where their number is known: a value that is
//! WHILE     carried from one to the next becomes a tensor of each, scan outputs are joined
//! Scan
//! CALL      what is called, and so it is with functions of an ONNX model
//! ```
//!
//! The condition of a loop may hang on what is carried, as long as its values are known before
//! the run. An operator that computes in several steps becomes these steps. With a computed condition both branches of an If run, and both take their bytes: a
//! recording has no jumps. What cannot be made flat stays one operator, and says why.
//!
//! Names: what is in an iteration is called as in the file with `#` and the number of the
//! iteration, from 0 on, behind it; in loops within loops that of the outer one comes first.

mod branches;
mod budget;
mod composite;
mod loops;
mod place;
mod scan;
mod sweep;

use std::collections::BTreeMap;

use super::{Sizing, Value};
use crate::graph::{Body, Dialect, Graph, Op, OpId, TensorId};
use crate::operators::Operator;
use crate::{Message, message};
use budget::Budget;
pub(super) use composite::is_composite;

/// Why an operator stays as it is.
type Refusal = Message;

/// The graph as it becomes flat.
struct Flat<'a> {
    sizing: &'a mut Sizing,
    graph: &'a mut Graph,
    budget: Budget,
    /// The names in use, each with the number that the next one like it gets.
    names: BTreeMap<String, u64>,
    /// The constants of subgraphs that are in the graph already: by subgraph, and by tensor in
    /// it.
    held: BTreeMap<(u32, TensorId), TensorId>,
    /// The keys of these in the order in which they came.
    order: Vec<(u32, TensorId)>,
}

/// Where operators are placed: at the top, or in an iteration of a subgraph.
#[derive(Default)]
struct Scope {
    /// The tensor of the graph that each tensor is; `None` at the top.
    ids: Option<Vec<TensorId>>,
    /// What names get behind them.
    iteration: String,
}

/// A control operator that is being made flat, with its operands as tensors of the graph.
struct Call<'b> {
    op: &'b Op,
    bodies: &'b [Body],
    /// Where it stands.
    scope: &'b Scope,
}

impl Scope {
    fn id(&self, id: TensorId) -> TensorId {
        let known = self.ids.as_ref();
        known.map_or(id, |ids| ids[id.index()])
    }
}

impl<'b> Call<'b> {
    /// The subgraph that is the value of attribute `name`.
    fn body(&self, name: &str) -> Result<&'b Body, Refusal> {
        let found = self.bodies.iter().find(|body| body.name == name);
        found.ok_or_else(|| message!("it has no subgraph \"{}\"", name))
    }

    /// The tensors that it reads from position `from` on, none of them left out.
    fn inputs(&self, from: usize) -> Result<Vec<TensorId>, Refusal> {
        let inputs = self.op.inputs.iter().enumerate().skip(from);
        inputs
            .map(|(at, id)| id.ok_or_else(|| missing(at)))
            .collect()
    }
}

/// Sizes the operators of `graph`, those in the place of control flow included. Tells which
/// operator each has become: the last one of those that came in its place.
pub(super) fn propagate(sizing: &mut Sizing, graph: &mut Graph) -> Vec<Option<OpId>> {
    let ops = std::mem::take(&mut graph.ops);
    let mut kept = Vec::with_capacity(ops.len());
    let mut came = Vec::new();
    let before = graph.tensors.len();
    let names = graph.tensors.iter().map(|it| (it.name.clone(), 1));
    let mut flat = Flat {
        names: names.collect(),
        sizing,
        graph,
        budget: Budget::default(),
        held: BTreeMap::new(),
        order: Vec::new(),
    };
    for op in &ops {
        // At the top, what cannot be made flat stays.
        let is_flat = flat.place(op, &Scope::default()).unwrap_or(false);
        came.resize(flat.graph.ops.len(), is_flat);
        kept.push(flat.graph.ops.len().checked_sub(1).map(OpId::at));
    }
    let places = sweep::sweep(flat.graph, flat.sizing, &came, before);
    if !graph.offline.is_empty() {
        graph.offline.resize(graph.tensors.len(), None);
    }
    let after = |id: Option<OpId>| id.and_then(|id| places[id.index()]);
    kept.into_iter().map(after).collect()
}

impl Flat<'_> {
    /// Puts what stands for `call` behind the operators so far.
    fn flatten(&mut self, call: &Call<'_>) -> Result<(), Refusal> {
        match call.op.operator {
            Operator::If => {
                let branches = match self.graph.dialect {
                    Dialect::Onnx { .. } => ["then_branch", "else_branch"],
                    Dialect::Tflite => ["then_subgraph_index", "else_subgraph_index"],
                };
                self.choose(call, branches)
            }
            Operator::Loop => self.repeat(call),
            Operator::Scan => self.scan(call),
            Operator::While => self.repeat_while(call),
            Operator::Call => {
                let body = call.body("subgraph")?;
                self.once(call, body, &call.inputs(0)?)
            }
            _ => {
                let body = call
                    .body("function")
                    .map_err(|_none| message!("it holds a subgraph"))?;
                let fed: Vec<TensorId> = call.op.inputs.iter().copied().flatten().collect();
                self.once(call, body, &fed)
            }
        }
    }

    /// Runs `body` in the place of the operator.
    fn once(&mut self, call: &Call<'_>, body: &Body, inputs: &[TensorId]) -> Result<(), Refusal> {
        arity(body, inputs.len(), call.op.outputs.len())?;
        let outputs = call.op.outputs.as_slice();
        self.expand(body, call.scope, inputs, outputs, &call.scope.iteration)?;
        Ok(())
    }

    /// The only integer or truth value in `id`, if it is known before the run.
    fn known(&mut self, id: TensorId) -> Option<i64> {
        if self.sizing.counting.varies(id) {
            return None;
        }
        self.sizing.read_constant(self.graph, id);
        self.sizing.values.get(&id).and_then(Value::single)
    }
}

fn missing(input: usize) -> Refusal {
    message!("input {} is missing", input)
}

/// Refuses a body that does not take so many values, or gives fewer than so many.
fn arity(body: &Body, takes: usize, gives: usize) -> Result<(), Refusal> {
    let Body { name, graph, .. } = body;
    let (inputs, outputs) = (graph.inputs.len(), graph.outputs.len());
    if inputs != takes {
        return Err(message!(
            "its {} takes {} values, and gets {}",
            name,
            inputs,
            takes
        ));
    }
    if outputs != gives {
        return Err(message!(
            "its {} gives {} values, and {} are asked of it",
            name,
            outputs,
            gives
        ));
    }
    Ok(())
}
