//! The joint graph of a model: what AOTAutograd would trace, with the decompositions of Inductor.
//!
//! Operators are traced one after the other into nodes; each leaves a function that traces its
//! backward pass. Those run in the opposite order, as autograd's engine runs them. What an
//! operator becomes follows `torch/_decomp` and `torch/_inductor/decomposition.py` of PyTorch
//! 2.15: normalisations, softmax, activations and dropout come apart. Of an operator that no
//! rule here knows one node reads what autograd saves of it, and is on none of PyTorch's lists.

mod elements;
mod generic;
mod norms;
mod products;
mod reductions;
mod simplify;
mod tape;
mod views;

use std::collections::BTreeSet;

use super::{Class, JointGraph};
use crate::graph::{DType, Graph, Op, Role, TensorId};
use crate::training::backward::{too_large, weights_of};
use crate::training::stage::NoStep;
use crate::training::{Precision, Recipe};
use tape::{Shape, Tape, Value};

/// A joint graph and what belongs to its nodes.
#[derive(Debug, Default)]
pub(in crate::training) struct Traced {
    pub(in crate::training) graph: JointGraph,
    /// What computing each node costs.
    pub(in crate::training) costs: Vec<u64>,
    /// Of a gradient, the node whose value it is the gradient of.
    pub(in crate::training) gradient_of: Vec<Option<usize>>,
}

/// Traces the backward pass of an operator: from the gradients of what it wrote, those of what it
/// read, by place.
type Backward = Box<dyn FnOnce(&mut Tape, &[Option<Value>]) -> Vec<Option<Value>>>;

/// An operator whose nodes are traced.
struct Call<'a> {
    graph: &'a Graph,
    op: &'a Op,
    /// The value of each input; `None` where there is none, or a constant that is no weight.
    inputs: Vec<Option<Value>>,
    /// Whether the gradient of each input is asked for.
    wants: Vec<bool>,
    /// What the operator writes, by place; empty where it writes nothing there.
    shapes: Vec<Shape>,
}

/// What an operator has become.
struct Made {
    /// The value of each output.
    outputs: Vec<Value>,
    backward: Option<Backward>,
}

impl Made {
    fn one(output: Value, backward: Backward) -> Self {
        Self {
            outputs: vec![output],
            backward: Some(backward),
        }
    }
}

impl Call<'_> {
    fn input(&self, place: usize) -> Option<Value> {
        self.inputs.get(place).copied().flatten()
    }

    fn wants(&self, place: usize) -> bool {
        self.wants.get(place).copied().unwrap_or(false)
    }

    /// The shape of the first output.
    fn shape(&self) -> Shape {
        self.shapes.first().cloned().unwrap_or_default()
    }

    fn input_dims(&self, place: usize) -> &[u64] {
        let id = self.op.inputs.get(place).copied().flatten();
        id.and_then(|id| self.graph.tensor(id).dims.as_deref())
            .unwrap_or_default()
    }
}

struct Tracer<'a> {
    graph: &'a Graph,
    recipe: Recipe,
    tape: Tape,
    /// The value of each tensor.
    values: Vec<Option<Value>>,
    /// Whether each node's gradient is asked for.
    requires: Vec<bool>,
    /// What is traced, for the backward pass.
    calls: Vec<Recorded>,
}

/// An operator that the backward pass goes through.
struct Recorded {
    name: String,
    inputs: Vec<Option<Value>>,
    wants: Vec<bool>,
    outputs: Vec<Value>,
    backward: Backward,
}

/// The joint graph of `batch` samples of a sized graph.
///
/// # Errors
/// [`NoStep::Unsized`] or [`NoStep::TooLarge`].
pub(in crate::training) fn trace(
    graph: &Graph,
    batch: u64,
    recipe: Recipe,
) -> Result<Traced, NoStep> {
    let mut tracer = Tracer {
        graph,
        recipe,
        tape: Tape {
            batch,
            ..Tape::default()
        },
        values: vec![None; graph.tensors.len()],
        requires: Vec::new(),
        calls: Vec::new(),
    };
    let trained = trained(graph, recipe.frozen);
    for (index, tensor) in graph.tensors.iter().enumerate() {
        if matches!(tensor.role, Role::Input | Role::State) {
            let shape = tracer.shape(TensorId::at(index))?;
            let node = tracer.tape.node(Class::Input, &tensor.name, &[], shape);
            tracer.values[index] = Some(node);
        }
    }
    for op in &graph.ops {
        let known = |id| graph.tensor(id).role == Role::Constant;
        if !op.written().all(known) {
            tracer.operator(op, &trained)?;
        }
    }
    tracer.backward();
    match tracer.tape.too_large {
        true => Err(NoStep::TooLarge(too_large().message)),
        false => Ok(simplify::simplified(tracer.tape)),
    }
}

/// The constants that are trained: those of operators after the first frozen ones.
fn trained(graph: &Graph, frozen: u32) -> BTreeSet<TensorId> {
    // What writes constants alone is no layer, as by autograd's rule.
    let known = |id| graph.tensor(id).role == Role::Constant;
    let run = graph.ops.iter().filter(|op| !op.written().all(known));
    let of_each = run.map(|op| weights_of(graph, op));
    let layers = of_each.filter(|found| !found.is_empty());
    let trained = layers.skip(usize::try_from(frozen).unwrap_or(usize::MAX));
    trained.flatten().map(|(_, id, _)| id).collect()
}

impl Tracer<'_> {
    fn shape(&self, id: TensorId) -> Result<Shape, NoStep> {
        let tensor = self.graph.tensor(id);
        let dims = tensor.dims.clone();
        let dims = dims.ok_or_else(|| NoStep::Unsized(tensor.name.clone()))?;
        let bits = tensor.dtype.bits();
        let bits = bits.ok_or_else(|| NoStep::Unsized(tensor.name.clone()))?;
        let half = self.recipe.precision == Precision::Mixed && tensor.dtype == DType::F32;
        Ok(Shape {
            dims,
            item: if half { 2 } else { bits.div_ceil(8) },
            each_sample: tensor.role != Role::Constant,
        })
    }

    /// The value of what an operator reads: constants of more than one element come in as
    /// parameters, where they are read first.
    fn read(
        &mut self,
        id: TensorId,
        trained: &BTreeSet<TensorId>,
    ) -> Result<Option<Value>, NoStep> {
        let tensor = self.graph.tensor(id);
        if self.values[id.index()].is_none() && tensor.role == Role::Constant {
            let shape = self.shape(id)?;
            if shape.elements().is_none_or(|count| count > 1) {
                let prefix = std::mem::take(&mut self.tape.prefix);
                let node = self.tape.node(Class::Parameter, &tensor.name, &[], shape);
                self.tape.prefix = prefix;
                self.values[id.index()] = Some(node);
                self.requires.resize(node, false);
                self.requires.push(trained.contains(&id));
            }
        }
        Ok(self.values[id.index()])
    }

    fn operator(&mut self, op: &Op, trained: &BTreeSet<TensorId>) -> Result<(), NoStep> {
        let mut inputs = Vec::new();
        let facts = op.facts();
        for (place, id) in op.inputs.iter().enumerate() {
            // Shapes and axes are known before the run.
            let known = facts.given.has(place) || (facts.view.is_some() && place != facts.source);
            inputs.push(match id {
                Some(id) if !known => self.read(*id, trained)?,
                _ => None,
            });
        }
        self.tape.prefix.clone_from(&op.name);
        let mut shapes = Vec::new();
        for id in &op.outputs {
            let shape = id.map(|id| self.shape(id)).transpose()?;
            shapes.push(shape.unwrap_or_default());
        }
        let float =
            |id: &Option<TensorId>| id.is_some_and(|id| self.graph.tensor(id).dtype.is_float());
        let differs = op.outputs.iter().any(float) && !op.facts().quantises;
        self.requires.resize(self.tape.graph.nodes.len(), false);
        let wanted = |value: &Option<Value>| value.is_some_and(|it| self.requires[it]);
        let wants: Vec<bool> = inputs.iter().map(|it| differs && wanted(it)).collect();
        let call = Call {
            graph: self.graph,
            op,
            inputs: inputs.clone(),
            wants: wants.clone(),
            shapes,
        };
        let first = self.tape.graph.nodes.len();
        let made = generic::rule(&mut self.tape, &call);
        self.requires.resize(self.tape.graph.nodes.len(), false);
        for (place, (id, value)) in op.outputs.iter().zip(&made.outputs).enumerate() {
            let Some(id) = id else { continue };
            // Its result bears the operator's name, unless it hands on what it reads.
            if *value >= first && place == 0 {
                self.tape.graph.nodes[*value].name.clone_from(&op.name);
            }
            self.values[id.index()] = Some(*value);
            self.requires[*value] = wants.contains(&true);
        }
        if let Some(backward) = made.backward.filter(|_| wants.contains(&true)) {
            self.calls.push(Recorded {
                name: op.name.clone(),
                inputs,
                wants,
                outputs: made.outputs,
                backward,
            });
        }
        Ok(())
    }

    /// The gradients of what the model returns come in, those of weights go out.
    fn backward(&mut self) {
        let mut gradients: Vec<Option<Value>> = vec![None; self.tape.graph.nodes.len()];
        self.tape.prefix = String::new();
        for id in &self.graph.outputs {
            let Some(value) = self.values[id.index()] else {
                continue;
            };
            self.tape.graph.forward.push(value);
            if self.requires[value] && gradients[value].is_none() {
                let name = format!("{}.grad", self.tape.graph.nodes[value].name);
                let shape = self.tape.shapes[value].clone();
                let tangent = self.tape.node(Class::Tangent, &name, &[], shape);
                self.tape.gradient_of[tangent] = Some(value);
                gradients[value] = Some(tangent);
            }
        }
        for call in std::mem::take(&mut self.calls).into_iter().rev() {
            let given: Vec<Option<Value>> = call.outputs.iter().map(|it| gradients[*it]).collect();
            if given.iter().all(Option::is_none) {
                continue;
            }
            self.tape.prefix = format!("{}.grad", call.name);
            let found = (call.backward)(&mut self.tape, &given);
            for ((value, gradient), wanted) in call.inputs.into_iter().zip(found).zip(call.wants) {
                if let (Some(value), Some(gradient), true) = (value, gradient, wanted) {
                    let sum = match gradients[value] {
                        Some(before) => self.tape.each("add", &[before, gradient]),
                        None => gradient,
                    };
                    gradients[value] = Some(sum);
                    if self.tape.graph.nodes[sum].class != Class::Tangent {
                        self.tape.gradient_of[sum] = Some(value);
                    }
                }
            }
        }
        let nodes = self.tape.graph.nodes.iter().enumerate();
        let weights = nodes.filter(|(_, node)| node.class == Class::Parameter);
        let returned: Vec<usize> = weights
            .filter_map(|(node, _)| *gradients.get(node)?)
            .collect();
        self.tape.graph.backward = returned;
    }
}
