//! A training problem as JSON: the layers of a model, one sample each, from which Checkmate's
//! rule makes a training step.
//!
//! ```text
//! {"model": "tiny", "batch": 8,
//!  "layers": [["conv", [-1], 86704128, 12845056, 1792], ["dense", [0], 4096, 64, 4160]]}
//! ```
//!
//! A layer is its name, the layers that it reads (-1 for the model's input), and for one sample
//! the floating point operations and the bytes of its output; last the number of its parameters.
//! It may also be an object with `name`, `inputs`, `flops`, `bytes` and `parameters`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::backward::{Step, too_large};
use super::costs::is_named_convolution;
use super::fixed::{Fixed, Parameters};
use super::{MAX_NODES, Node, Precision, Problem, ProblemError, Recipe, Rule};
use crate::graph::{Attribute, DType, Dialect, Dim, Graph, Op, Role, Tensor, TensorId};
use crate::operators::Operator;
use crate::schedule::Phase;
use crate::units::Bytes;
use crate::{Message, message};

/// The attribute of an operator that is a layer of a file, with what it costs.
pub(super) const FLOPS: &str = "flops";

/// Bytes of the loss of one sample.
const FLOAT: u64 = 4;

/// One layer of the forward pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What people call it.
    pub name: String,
    /// The layers that it reads; the model's inputs are not listed.
    pub inputs: Vec<usize>,
    /// Floating point operations for one sample.
    pub flops: u64,
    /// Bytes of its output for one sample.
    pub bytes: u64,
    /// Number of its parameters.
    pub parameters: u64,
}

impl Layer {
    /// What its name says that it is.
    fn operator(&self) -> Operator {
        match is_named_convolution(&self.name) {
            true => Operator::Conv,
            false => Operator::Unknown,
        }
    }
}

/// A model as layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// What people call it.
    pub name: String,
    /// How many samples a step has unless another number is chosen.
    pub batch: u64,
    /// The layers in the order in which they run.
    pub list: Vec<Layer>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    model: String,
    #[serde(default = "one")]
    batch: u64,
    layers: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a layer is its name, the layers that it reads, operations, bytes and parameters"
)]
enum Row {
    Tuple(String, Vec<i64>, u64, u64, u64),
    Named {
        name: String,
        inputs: Vec<i64>,
        flops: u64,
        bytes: u64,
        #[serde(default)]
        parameters: u64,
    },
}

/// Whether the operator is a layer of a file.
#[must_use]
pub fn is_layer(op: &Op) -> bool {
    op.operator == Operator::Layer
}

fn sized(name: String, dtype: DType, elements: u64) -> Tensor {
    Tensor {
        declared: Some(vec![Dim::Fixed(elements)]),
        dims: Some(vec![elements]),
        role: Role::Intermediate,
        ..Tensor::new(name, dtype)
    }
}

fn one() -> u64 {
    1
}

/// Reads layers.
///
/// # Errors
/// What is wrong, with the layer at fault.
pub fn read(text: &str) -> Result<Layers, ProblemError> {
    let fault = |node, message| ProblemError { node, message };
    let file: File = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let what = Message::verbatim(text.split(" at line ").next().unwrap_or_default());
        let message = message!("no layers (line {}, column {}): {}", line, column, what);
        fault(None, message)
    })?;
    if file.batch == 0 || file.layers.is_empty() {
        let message = message!("there are no layers, or no samples");
        return Err(fault(None, message));
    }
    let mut list = Vec::new();
    for (index, row) in file.layers.into_iter().enumerate() {
        let (name, inputs, flops, bytes, parameters) = match row {
            Row::Tuple(name, inputs, flops, bytes, parameters) => {
                (name, inputs, flops, bytes, parameters)
            }
            Row::Named {
                name,
                inputs,
                flops,
                bytes,
                parameters,
            } => (name, inputs, flops, bytes, parameters),
        };
        let read = inputs.iter().filter(|input| **input != -1);
        let before = |input: &i64| usize::try_from(*input).ok().filter(|it| *it < index);
        let inputs: Option<Vec<usize>> = read.map(before).collect();
        let Some(mut inputs) = inputs else {
            let message = message!("\"{}\" reads what is not computed before it", name);
            return Err(fault(Some(index), message));
        };
        inputs.sort_unstable();
        inputs.dedup();
        list.push(Layer {
            name,
            inputs,
            flops,
            bytes,
            parameters,
        });
    }
    Ok(Layers {
        name: file.model,
        batch: file.batch,
        list,
    })
}

impl Layers {
    /// The layers as an inference graph: an operator of kind `Layer` each, which says what it
    /// costs, writes that many bytes and reads its parameters.
    ///
    /// # Errors
    /// The layer whose operations are beyond 63 bits, or too many layers.
    pub fn graph(&self) -> Result<Graph, ProblemError> {
        if self.list.len() > MAX_NODES {
            let count = self.list.len();
            return Err(ProblemError {
                node: None,
                message: message!("{} nodes, of which we read at most {}", count, MAX_NODES),
            });
        }
        let mut graph = Graph {
            name: self.name.clone(),
            dialect: Dialect::Onnx { opset: 0 },
            ..Graph::default()
        };
        let mut last = vec![true; self.list.len()];
        let mut names = BTreeSet::new();
        for (index, layer) in self.list.iter().enumerate() {
            // A tensor's name is its own.
            let mut name = layer.name.clone();
            while !names.insert(name.clone()) {
                name = format!("{name}:{index}");
            }
            let flops = i64::try_from(layer.flops)
                .ok()
                .ok_or_else(|| ProblemError {
                    node: Some(index),
                    message: message!("its operations are beyond 63 bits"),
                })?;
            graph
                .tensors
                .push(sized(name.clone(), DType::U8, layer.bytes));
            let reads = layer.inputs.iter().inspect(|input| last[**input] = false);
            let mut inputs: Vec<_> = reads.map(|input| Some(TensorId::at(*input))).collect();
            if layer.parameters > 0 {
                inputs.push(Some(TensorId::at(self.list.len() + index)));
            }
            graph.ops.push(Op {
                name,
                inputs,
                outputs: vec![Some(TensorId::at(index))],
                attributes: vec![(FLOPS.to_owned(), Attribute::Int(flops))],
                ..Op::of(graph.dialect, Operator::Layer)
            });
        }
        let weights = self.list.iter().zip(&graph.ops).map(|(layer, op)| Tensor {
            role: Role::Constant,
            ..sized(
                format!("{}.parameters", op.name),
                DType::F32,
                layer.parameters,
            )
        });
        let weights: Vec<Tensor> = weights.collect();
        graph.tensors.extend(weights);
        for (index, _) in last.into_iter().enumerate().filter(|(_, last)| *last) {
            graph.tensors[index].role = Role::Output;
            graph.outputs.push(TensorId::at(index));
        }
        Ok(graph)
    }

    /// The training step of `batch` samples by the usual recipe.
    ///
    /// # Errors
    /// Numbers beyond 64 bits.
    pub fn problem(&self, batch: u64) -> Result<Problem, ProblemError> {
        self.step(batch, Recipe::default()).map(|step| step.problem)
    }

    /// The training step of `batch` samples by Checkmate's rule, as its artifact extracts it from
    /// Keras models: the gradient of layer i reads the gradients of all that reads it, its own
    /// output and theirs, and that of the last layer the loss; it costs twice the layer and is as
    /// large as its output. The loss takes 4 bytes a sample and costs nothing. What is frozen, and
    /// reads nothing that is trained, has no gradient. The rule of `recipe` is not looked at.
    ///
    /// # Errors
    /// Numbers beyond 64 bits.
    pub fn step(&self, batch: u64, recipe: Recipe) -> Result<Step, ProblemError> {
        let samples = |number: u64| number.checked_mul(batch).ok_or_else(too_large);
        // In mixed precision a value takes half.
        let value = |bytes: u64| match recipe.precision {
            Precision::Full => samples(bytes),
            Precision::Mixed => samples(bytes.div_ceil(2)),
        };
        let count = self.list.len();
        let mut nodes = Vec::new();
        for layer in &self.list {
            nodes.push(Node {
                name: layer.name.clone(),
                phase: Phase::Forward,
                reads: layer.inputs.clone(),
                bytes: Bytes(value(layer.bytes)?),
                cost: samples(layer.flops)?,
                operator: layer.operator(),
                ..Node::default()
            });
        }
        nodes.push(Node {
            name: "loss".to_owned(),
            phase: Phase::Loss,
            reads: count.checked_sub(1).into_iter().collect(),
            bytes: Bytes(samples(FLOAT)?),
            cost: 0,
            ..Node::default()
        });
        let mut readers = vec![Vec::new(); count];
        for (index, layer) in self.list.iter().enumerate() {
            for &input in &layer.inputs {
                readers[input].push(index);
            }
        }
        let (trained, parameters) = self.trained(recipe.frozen);
        let mut gradients: Vec<Option<usize>> = vec![None; count];
        for layer in (0..count).rev().filter(|layer| trained[*layer]) {
            let own = &self.list[layer];
            let mut reads = vec![layer];
            for &reader in &readers[layer] {
                reads.push(reader);
                reads.extend(gradients[reader]);
            }
            if layer + 1 == count {
                reads.push(count);
            }
            reads.sort_unstable();
            let cost = samples(own.flops)?.checked_mul(2).ok_or_else(too_large)?;
            gradients[layer] = Some(nodes.len());
            nodes.push(Node {
                name: format!("{}.grad", own.name),
                phase: Phase::Backward,
                reads,
                bytes: nodes[layer].bytes,
                cost,
                gradient_of: Some(layer),
                ..Node::default()
            });
        }
        let fixed = Fixed::of(parameters, recipe).ok_or_else(too_large)?;
        let problem = Problem {
            name: self.name.clone(),
            nodes,
            fixed: Bytes(fixed.sum().ok_or_else(too_large)?),
            rule: Rule::Checkmate,
            ..Problem::default()
        };
        Ok(Step {
            problem: problem.checked()?,
            fixed,
            ..Step::default()
        })
    }

    /// Which layers have a gradient where the first `frozen` with parameters are not trained, and
    /// how many parameters there are. What reads no parameters before them has one too, unless
    /// some are frozen: Checkmate's rule has a gradient for every layer.
    fn trained(&self, frozen: u32) -> (Vec<bool>, Parameters) {
        let mut parameters = Parameters::default();
        let mut with = 0_u32;
        let mut trained: Vec<bool> = Vec::new();
        for layer in &self.list {
            let own = layer.parameters > 0 && with >= frozen;
            with = with.saturating_add(u32::from(layer.parameters > 0));
            parameters.add(layer.parameters, own);
            trained.push(frozen == 0 || own || layer.inputs.iter().any(|it| trained[*it]));
        }
        (trained, parameters)
    }
}
