//! Composite operators in their parts, as compilers see them and as people write them out: a
//! normalisation is means, differences and a root.
//!
//! | operator | parts |
//! |---|---|
//! | `LayerNormalization` | (x − mean) / √(mean of squares + ε) · scale + bias |
//! | `RMSNormalization` | x · 1 / √(mean of squares + ε) · scale |
//! | `Softmax`, `LogSoftmax` | e^(x − largest) / sum; x − largest − log of the sum |
//! | `Gelu` | x/2 · (1 + erf(x / √2)), or with tanh |
//! | `Swish` | x · sigmoid(x) |
//! | `Dropout`, where a model is trained | a random number compared with the ratio, as a factor |
//!
//! As the function bodies of ONNX have them (onnx/defs, operator sets 13 to 24). Only 32-bit numbers
//! of ONNX graphs whose sizes are known are taken apart. The parts round where the operator may not:
//! results are close, not the same to the bit.

use super::{Finding, Pass, Report, Work};
use crate::Message;
use crate::graph::{
    Attribute, Content, DType, Dialect, Dim, Graph, Op, OpId, Role, Tensor, TensorId,
};
use crate::operators::Operator;
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "decompose",
    summary: "takes normalisations, softmax and activations apart into their arithmetic",
    optional: true,
    keeps_graph: false,
    rules: &[],
};

/// What ONNX takes for ε where the operator does not say.
const EPSILON: f32 = 1e-5;

/// Takes apart what can be.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let graph = std::mem::take(&mut work.program.graph);
    let (graph, report) = taken_apart(graph, false);
    work.program = Program::new(graph);
    report
}

/// The graph of a model that is trained, with the parts of what can be taken apart.
#[must_use]
pub fn decomposed(graph: &Graph) -> Graph {
    taken_apart(graph.clone(), true).0
}

fn taken_apart(mut graph: Graph, trained: bool) -> (Graph, Report) {
    let old = std::mem::take(&mut graph.ops);
    let Dialect::Onnx { opset } = graph.dialect else {
        graph.ops = old;
        return (graph, Report::default());
    };
    let mut found = Vec::new();
    let mut after = Vec::new();
    for (index, op) in old.into_iter().enumerate() {
        let mut parts = Parts {
            graph: &mut graph,
            op: &op,
            opset,
            ops: Vec::new(),
        };
        match parts.of(trained) {
            Some(()) => {
                let made = parts.ops;
                found.push(Finding {
                    what: Message::verbatim(&*op.kind),
                    ops: vec![OpId::at(index)],
                    tensors: Vec::new(),
                    refused: None,
                });
                graph.ops.extend(made);
            }
            None => graph.ops.push(op),
        }
        after.push(graph.ops.len().checked_sub(1).map(OpId::at));
    }
    let report = Report {
        ops: after,
        ..Report::of(found)
    };
    (graph, report)
}

/// The parts of one operator as they are made.
struct Parts<'a> {
    graph: &'a mut Graph,
    op: &'a Op,
    opset: u32,
    ops: Vec<Op>,
}

impl Parts<'_> {
    fn of(&mut self, trained: bool) -> Option<()> {
        let x = self.op.inputs.first().copied().flatten()?;
        let known = self.graph.tensor(x).dims.is_some();
        let float = self.graph.tensor(x).dtype == DType::F32;
        let alone = self.op.written().count() == 1 && self.op.outputs.first()?.is_some();
        if !known || !float || !alone {
            return None;
        }
        match self.op.operator {
            Operator::LayerNormalization => self.layer_norm(x),
            Operator::RMSNormalization => self.rms_norm(x),
            Operator::Softmax | Operator::LogSoftmax if self.opset >= 13 => self.softmax(x),
            Operator::Gelu => self.gelu(x),
            Operator::Swish => self.swish(x),
            Operator::Dropout if trained => self.dropout(x),
            _ => None,
        }
    }

    fn dims(&self, id: TensorId) -> Vec<u64> {
        self.graph.tensor(id).dims.clone().unwrap_or_default()
    }

    fn tensor(&mut self, tensor: Tensor) -> TensorId {
        let id = TensorId::at(self.graph.tensors.len());
        // The position makes the name unique: no file has so long a tail.
        let name = format!("{} / {}", self.op.name, id.0);
        self.graph.tensors.push(Tensor { name, ..tensor });
        id
    }

    fn constant(&mut self, dtype: DType, dims: Vec<u64>, bytes: Vec<u8>) -> TensorId {
        // Declared, because who sizes the graph again takes the sizes of constants from there.
        let declared = dims.iter().copied().map(Dim::Fixed).collect();
        self.tensor(Tensor {
            content: Content::Inline(bytes),
            role: Role::Constant,
            declared: Some(declared),
            dims: Some(dims),
            ..Tensor::new("", dtype)
        })
    }

    fn number(&mut self, number: f32) -> TensorId {
        self.constant(DType::F32, Vec::new(), number.to_le_bytes().to_vec())
    }

    /// An operator that writes a new tensor of these dimensions.
    fn step(&mut self, operator: Operator, inputs: &[TensorId], dims: &[u64]) -> TensorId {
        self.typed(operator, inputs, (DType::F32, dims))
    }

    fn typed(
        &mut self,
        operator: Operator,
        inputs: &[TensorId],
        (dtype, dims): (DType, &[u64]),
    ) -> TensorId {
        let written = self.tensor(Tensor {
            dims: Some(dims.to_vec()),
            ..Tensor::new("", dtype)
        });
        let op = Op::of(self.graph.dialect, operator);
        self.ops.push(Op {
            name: format!("{} / {} {}", self.op.name, op.kind, self.ops.len()),
            inputs: inputs.iter().copied().map(Some).collect(),
            outputs: vec![Some(written)],
            stream: self.op.stream,
            ..op
        });
        written
    }

    /// A reduction of `x` over `axes`, whose dimensions stay as 1.
    fn reduce(&mut self, operator: Operator, x: TensorId, axes: &[usize]) -> TensorId {
        let mut dims = self.dims(x);
        axes.iter().for_each(|axis| dims[*axis] = 1);
        let list: Vec<i64> = axes
            .iter()
            .filter_map(|it| i64::try_from(*it).ok())
            .collect();
        // The axes are an input of sums since operator set 13, of the others since 18.
        let given = self.opset
            >= if operator == Operator::ReduceSum {
                13
            } else {
                18
            };
        let mut inputs = vec![x];
        if given {
            let bytes = list.iter().flat_map(|axis| axis.to_le_bytes()).collect();
            inputs.push(self.constant(DType::I64, vec![list.len() as u64], bytes));
        }
        let made = self.step(operator, &inputs, &dims);
        if let Some(op) = self.ops.last_mut() {
            op.attributes
                .push(("keepdims".to_owned(), Attribute::Int(1)));
            if !given {
                op.attributes
                    .push(("axes".to_owned(), Attribute::Ints(list)));
            }
        }
        made
    }

    /// The last part writes what the operator wrote.
    fn ends(&mut self) -> Option<()> {
        let last = self.ops.last_mut()?;
        last.outputs.truncate(1);
        last.outputs.clone_from(&self.op.outputs);
        last.outputs.truncate(1);
        last.name.clone_from(&self.op.name);
        Some(())
    }

    /// The axis that the operator names, or the last one.
    fn axis(&self, x: TensorId) -> Option<usize> {
        let rank = i64::try_from(self.dims(x).len()).ok()?;
        let axis = self.op.int("axis").unwrap_or(-1);
        let axis = if axis < 0 { axis + rank } else { axis };
        usize::try_from(axis).ok().filter(|_| axis < rank)
    }

    fn epsilon(&mut self) -> TensorId {
        let epsilon = match self.op.attribute("epsilon") {
            Some(Attribute::Float(epsilon)) => *epsilon,
            _ => EPSILON,
        };
        self.number(epsilon)
    }

    /// Times the scale, and with the bias.
    fn scaled(&mut self, x: TensorId, dims: &[u64]) {
        let mut y = x;
        for (operator, place) in [(Operator::Mul, 1), (Operator::Add, 2)] {
            if let Some(by) = self.op.inputs.get(place).copied().flatten() {
                y = self.step(operator, &[y, by], dims);
            }
        }
    }

    fn layer_norm(&mut self, x: TensorId) -> Option<()> {
        let dims = self.dims(x);
        let axes: Vec<usize> = (self.axis(x)?..dims.len()).collect();
        let mean = self.reduce(Operator::ReduceMean, x, &axes);
        let moved = self.step(Operator::Sub, &[x, mean], &dims);
        let square = self.step(Operator::Mul, &[moved, moved], &dims);
        let variance = self.reduce(Operator::ReduceMean, square, &axes);
        let (epsilon, rows) = (self.epsilon(), self.dims(variance));
        let above = self.step(Operator::Add, &[variance, epsilon], &rows);
        let root = self.step(Operator::Sqrt, &[above], &rows);
        let normal = self.step(Operator::Div, &[moved, root], &dims);
        self.scaled(normal, &dims);
        self.ends()
    }

    fn rms_norm(&mut self, x: TensorId) -> Option<()> {
        let dims = self.dims(x);
        let axes: Vec<usize> = (self.axis(x)?..dims.len()).collect();
        let square = self.step(Operator::Mul, &[x, x], &dims);
        let mean = self.reduce(Operator::ReduceMean, square, &axes);
        let (epsilon, rows) = (self.epsilon(), self.dims(mean));
        let above = self.step(Operator::Add, &[mean, epsilon], &rows);
        let root = self.step(Operator::Sqrt, &[above], &rows);
        let scale = self.step(Operator::Reciprocal, &[root], &rows);
        let normal = self.step(Operator::Mul, &[x, scale], &dims);
        self.scaled(normal, &dims);
        self.ends()
    }

    fn softmax(&mut self, x: TensorId) -> Option<()> {
        let (dims, axes) = (self.dims(x), [self.axis(x)?]);
        let largest = self.reduce(Operator::ReduceMax, x, &axes);
        let moved = self.step(Operator::Sub, &[x, largest], &dims);
        let exp = self.step(Operator::Exp, &[moved], &dims);
        let sum = self.reduce(Operator::ReduceSum, exp, &axes);
        if self.op.is(Operator::Softmax) {
            self.step(Operator::Div, &[exp, sum], &dims);
        } else {
            let rows = self.dims(sum);
            let log = self.step(Operator::Log, &[sum], &rows);
            self.step(Operator::Sub, &[moved, log], &dims);
        }
        self.ends()
    }

    fn gelu(&mut self, x: TensorId) -> Option<()> {
        let dims = self.dims(x);
        let (one, half) = (self.number(1.0), self.number(0.5));
        let inner = if self.op.text("approximate") == Some("tanh") {
            let (cube, scale) = (self.number(0.044_715), self.number(0.797_884_6));
            let square = self.step(Operator::Mul, &[x, x], &dims);
            let third = self.step(Operator::Mul, &[square, x], &dims);
            let third = self.step(Operator::Mul, &[third, cube], &dims);
            let sum = self.step(Operator::Add, &[x, third], &dims);
            let sum = self.step(Operator::Mul, &[sum, scale], &dims);
            self.step(Operator::Tanh, &[sum], &dims)
        } else {
            let scale = self.number(std::f32::consts::FRAC_1_SQRT_2);
            let scaled = self.step(Operator::Mul, &[x, scale], &dims);
            self.step(Operator::Erf, &[scaled], &dims)
        };
        let above = self.step(Operator::Add, &[inner, one], &dims);
        let halved = self.step(Operator::Mul, &[x, half], &dims);
        self.step(Operator::Mul, &[halved, above], &dims);
        self.ends()
    }

    fn swish(&mut self, x: TensorId) -> Option<()> {
        if !matches!(
            self.op.attribute("alpha"),
            None | Some(Attribute::Float(1.0))
        ) {
            return None;
        }
        let dims = self.dims(x);
        let gate = self.step(Operator::Sigmoid, &[x], &dims);
        self.step(Operator::Mul, &[x, gate], &dims);
        self.ends()
    }

    fn dropout(&mut self, x: TensorId) -> Option<()> {
        let dims = self.dims(x);
        let ratio = match self.op.inputs.get(1).copied().flatten() {
            Some(id) => match &self.graph.tensor(id).content {
                Content::Inline(bytes) => f32::from_le_bytes(bytes.as_slice().try_into().ok()?),
                _ => return None,
            },
            None => 0.5,
        };
        if ratio <= 0.0 || ratio >= 1.0 {
            return None;
        }
        let drawn = self.step(Operator::RandomUniformLike, &[x], &dims);
        let (bound, factor) = (self.number(ratio), self.number(1.0 / (1.0 - ratio)));
        let kept = self.typed(Operator::Greater, &[drawn, bound], (DType::Bool, &dims));
        let mask = self.step(Operator::Cast, &[kept], &dims);
        if let Some(op) = self.ops.last_mut() {
            op.attributes.push(("to".to_owned(), Attribute::Int(1)));
        }
        let masked = self.step(Operator::Mul, &[x, mask], &dims);
        self.step(Operator::Mul, &[masked, factor], &dims);
        self.ends()
    }
}
