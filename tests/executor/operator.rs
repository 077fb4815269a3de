//! One operator as a graph of its own, run on both machines.

use executor::engine::Connection;
use executor::lower::Refused;
use executor::verify::values::{Values, values};
use executor::verify::{Inputs, Machine, Question};
use planner::Strategy;
use planner::graph::{Attribute, Content, DType, Dialect, Dim, Graph, Op, Role, Tensor, TensorId};
use tests::confirmations::question;
use tests::random::Random;
use tests::runs::{Model, floats, gpu, words};

/// A graph of one operator.
pub(crate) struct Operator {
    graph: Graph,
    inputs: Vec<Vec<u32>>,
}

/// The outputs of a run, by position, as words.
pub(crate) type Outputs = Vec<Vec<u32>>;

impl Operator {
    /// An ONNX operator of this version.
    pub(crate) fn onnx(opset: u32, kind: &str) -> Self {
        Self::new(Dialect::Onnx { opset }, kind)
    }

    /// A TFLite builtin.
    pub(crate) fn tflite(kind: &str) -> Self {
        Self::new(Dialect::Tflite, kind)
    }

    fn new(dialect: Dialect, kind: &str) -> Self {
        let op = Op {
            name: "operator".into(),
            ..Op::new(dialect, "", kind)
        };
        let graph = Graph {
            dialect,
            ops: vec![op],
            ..Graph::default()
        };
        Self {
            graph,
            inputs: Vec::new(),
        }
    }

    fn tensor(&mut self, dtype: DType, dims: Option<&[u64]>, role: Role) -> TensorId {
        let id = TensorId::at(self.graph.tensors.len());
        let mut tensor = Tensor::new(format!("t{}", id.index()), dtype);
        tensor.declared = dims.map(|dims| dims.iter().copied().map(Dim::Fixed).collect());
        tensor.role = role;
        self.graph.tensors.push(tensor);
        id
    }

    fn constant(mut self, dtype: DType, dims: &[u64], bytes: Vec<u8>) -> Self {
        let id = self.tensor(dtype, Some(dims), Role::Constant);
        self.graph.tensors[id.index()].content = Content::Inline(bytes);
        self.graph.ops[0].inputs.push(Some(id));
        self
    }

    /// Of this domain.
    pub(crate) fn of(mut self, domain: &str) -> Self {
        let kind = self.graph.ops[0].kind.clone();
        self.graph.ops[0].rename(self.graph.dialect, domain, &kind);
        self
    }

    /// With an operand that the caller feeds.
    pub(crate) fn fed(mut self, dims: &[u64], values: &[f32]) -> Self {
        let id = self.tensor(DType::F32, Some(dims), Role::Input);
        self.graph.inputs.push(id);
        self.graph.ops[0].inputs.push(Some(id));
        self.inputs.push(words(values));
        self
    }

    /// With an operand of 64-bit integers that the caller feeds.
    pub(crate) fn fed_ints(mut self, dims: &[u64], values: &[i64]) -> Self {
        let id = self.tensor(DType::I64, Some(dims), Role::Input);
        self.graph.inputs.push(id);
        self.graph.ops[0].inputs.push(Some(id));
        self.inputs.push(int_words(values));
        self
    }

    /// With a constant operand.
    pub(crate) fn weights(self, dims: &[u64], values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(DType::F32, dims, bytes.collect())
    }

    /// With a constant operand of integers: 64 bits in ONNX, 32 bits in TFLite.
    pub(crate) fn ints(self, dims: &[u64], values: &[i64]) -> Self {
        let (dtype, width) = match self.graph.dialect {
            Dialect::Onnx { .. } => (DType::I64, 8),
            Dialect::Tflite => (DType::I32, 4),
        };
        let bytes = values
            .iter()
            .flat_map(|x| x.to_le_bytes().into_iter().take(width));
        self.constant(dtype, dims, bytes.collect())
    }

    /// With an optional operand left out.
    pub(crate) fn none(mut self) -> Self {
        self.graph.ops[0].inputs.push(None);
        self
    }

    /// With an attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into().0;
        self.graph.ops[0].attributes.push((name.into(), value));
        self
    }

    /// With an output of 32-bit floats.
    pub(crate) fn floats_out(self) -> Self {
        self.output(DType::F32)
    }

    /// With an output of this type.
    pub(crate) fn output(mut self, dtype: DType) -> Self {
        let id = self.tensor(dtype, None, Role::Output);
        self.graph.ops[0].outputs.push(Some(id));
        self.graph.outputs.push(id);
        self
    }

    pub(crate) fn model(&self) -> Model {
        Model::of(&[], self.graph.clone())
    }

    /// What the CPU reference computes, and what the GPU does where there is one.
    pub(crate) fn run(&self, gpu: Option<&Connection>) -> (Outputs, Option<Outputs>) {
        let model = self.model();
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let lowered = lowered.unwrap_or_else(|refused| panic!("{refused}"));
        let on_cpu = model.on_cpu(&lowered, &self.inputs);
        shown(&model, &self.inputs, &on_cpu);
        let on_gpu = gpu.map(|gpu| model.on_gpu(gpu, &lowered, &self.inputs, 0x7149_f2ca));
        (on_cpu, on_gpu.map(|outputs| outputs.expect("a run")))
    }

    /// Why it cannot be lowered.
    pub(crate) fn refused(&self) -> String {
        let model = self.model();
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let refused = lowered.expect_err("a refusal");
        if let Refused::Unsupported(operators) = &refused {
            for operator in operators {
                tests::chinese::assert_told(&operator.reason);
            }
        }
        refused.to_string()
    }

    /// Checks every output, all floats, against expected values on both machines.
    pub(crate) fn gives(&self, expected: &[&[f32]]) {
        let (on_cpu, on_gpu) = self.run(gpu().as_ref());
        for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
            assert_eq!(outputs.len(), expected.len());
            for (found, expected) in outputs.iter().zip(expected) {
                // A few roundings, and those of exp and log of the shader.
                close(&floats(found), expected, 2e-6);
            }
        }
    }

    /// Checks the only output, integers in words, on both machines.
    pub(crate) fn gives_words(&self, expected: &[u32]) {
        let (on_cpu, on_gpu) = self.run(gpu().as_ref());
        for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
            assert_eq!(outputs, [expected]);
        }
    }
}

/// Asserts that outputs that are asked for by name have the type and the dimensions of the graph,
/// whatever their kernels see in their place, and the words of a whole run.
fn shown(model: &Model, inputs: &[Vec<u32>], outputs: &Outputs) {
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = Question {
        inputs: Inputs::Given(inputs.iter().cloned().map(Some).collect()),
        ..question(model, &plan)
    };
    let graph = &model.program.graph;
    let mut silent = |_| {};
    let asked = values(&Machine::Cpu, &question, &graph.outputs, &mut silent);
    let found = pollster::block_on(asked).expect("values");
    for Values { operand, words } in found {
        let tensor = graph.tensor(operand.tensor);
        let dims: Vec<u64> = operand.dims.iter().copied().map(u64::from).collect();
        assert_eq!(
            (operand.dtype, Some(dims)),
            (tensor.dtype, tensor.dims.clone())
        );
        let place = graph.outputs.iter().position(|&id| id == operand.tensor);
        assert_eq!(words, outputs[place.expect("an output")]);
    }
}

/// 64-bit integers as words.
pub(crate) fn int_words(values: &[i64]) -> Vec<u32> {
    let halves = |x: &i64| {
        let bytes = x.to_le_bytes();
        [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i])))
    };
    values.iter().flat_map(halves).collect()
}

/// Asserts that values are the expected ones, relative to the larger of 1 and their size.
#[track_caller]
pub(crate) fn close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len(), "{found:?} for {expected:?}");
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        let same = x.to_bits() == y.to_bits();
        let near = (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(same || near, "element {index} is {x}, not {y}");
    }
}

/// Numbers between -2 and 2 in steps of 1/256.
pub(crate) fn numbers(random: &mut Random, dims: &[u64]) -> Vec<f32> {
    let count = dims.iter().product();
    let number = |_| {
        let step = u16::try_from(random.below(1024)).expect("a small number");
        f32::from(step) / 256.0 - 2.0
    };
    (0..count).map(number).collect()
}

/// The value of an attribute.
pub(crate) struct Value(Attribute);

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self(Attribute::Int(value))
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self(Attribute::Float(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self(Attribute::Text(value.into()))
    }
}

impl From<&[f32]> for Value {
    fn from(value: &[f32]) -> Self {
        Self(Attribute::Floats(value.into()))
    }
}

impl From<&[i64]> for Value {
    fn from(value: &[i64]) -> Self {
        Self(Attribute::Ints(value.into()))
    }
}
