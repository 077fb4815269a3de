//! Graphs of one operator, of either dialect, for tests of kernels.

use executor::engine::Connection;
use planner::Strategy;
use planner::graph::{Attribute, Content, DType, Dialect, Dim, Graph, Op, Role, Tensor, TensorId};

use crate::runs::{Model, floats, gpu, words};

thread_local! {
    /// One device for all runs of a test. It is never dropped: when a thread ends, a driver
    /// may need what the thread has already lost.
    static GPU: Option<&'static Connection> = gpu().map(|gpu| &*Box::leak(Box::new(gpu)));
}

/// A graph of one operator in the making.
#[derive(Clone, Debug)]
pub struct OneOp {
    graph: Graph,
    fed: Vec<Vec<u32>>,
}

impl OneOp {
    /// An operator of this kind.
    #[must_use]
    pub fn new(dialect: Dialect, kind: &str) -> Self {
        let op = Op {
            name: kind.to_lowercase(),
            ..Op::new(dialect, "", kind)
        };
        let graph = Graph {
            dialect,
            ops: vec![op],
            ..Graph::default()
        };
        Self {
            graph,
            fed: Vec::new(),
        }
    }

    /// With an input that the caller feeds.
    #[must_use]
    pub fn input(self, dims: &[usize], values: &[f32]) -> Self {
        self.fed(DType::F32, dims, words(values))
    }

    /// With an input of any type that the caller feeds as words.
    #[must_use]
    pub fn fed(mut self, dtype: DType, dims: &[usize], words: Vec<u32>) -> Self {
        let name = format!("x{}", self.graph.tensors.len());
        let mut tensor = tensor(&name, dtype, dims);
        tensor.role = Role::Input;
        let id = self.add(tensor);
        self.graph.inputs.push(id);
        self.graph.ops[0].inputs.push(Some(id));
        self.fed.push(words);
        self
    }

    /// With weights.
    #[must_use]
    pub fn weights(mut self, dims: &[usize], values: &[f32]) -> Self {
        let raw = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(DType::F32, dims, raw.collect())
    }

    /// With 32-bit integers that are known before the run.
    #[must_use]
    pub fn integers(mut self, values: &[i32]) -> Self {
        let raw = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(DType::I32, &[values.len()], raw.collect())
    }

    fn constant(&mut self, dtype: DType, dims: &[usize], raw: Vec<u8>) -> Self {
        let mut tensor = tensor(&format!("w{}", self.graph.tensors.len()), dtype, dims);
        tensor.role = Role::Constant;
        tensor.content = Content::Inline(raw);
        let id = self.add(tensor);
        self.graph.ops[0].inputs.push(Some(id));
        self.clone()
    }

    /// With an output of these dimensions.
    #[must_use]
    pub fn output(mut self, dtype: DType, dims: &[usize]) -> Self {
        let name = format!("y{}", self.graph.tensors.len());
        let mut tensor = tensor(&name, dtype, dims);
        tensor.role = Role::Output;
        let id = self.add(tensor);
        self.graph.outputs.push(id);
        self.graph.ops[0].outputs.push(Some(id));
        self
    }

    /// With an integer attribute.
    #[must_use]
    pub fn int(self, name: &str, value: i64) -> Self {
        self.with(name, Attribute::Int(value))
    }

    /// With a list of integers as attribute.
    #[must_use]
    pub fn ints(self, name: &str, values: &[i64]) -> Self {
        self.with(name, Attribute::Ints(values.to_vec()))
    }

    /// With a float attribute.
    #[must_use]
    pub fn float(self, name: &str, value: f32) -> Self {
        self.with(name, Attribute::Float(value))
    }

    /// With a text attribute.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        self.with(name, Attribute::Text(value.to_owned()))
    }

    fn with(mut self, name: &str, value: Attribute) -> Self {
        self.graph.ops[0].attributes.push((name.to_owned(), value));
        self
    }

    fn add(&mut self, tensor: Tensor) -> TensorId {
        self.graph.tensors.push(tensor);
        TensorId::at(self.graph.tensors.len() - 1)
    }

    /// The operator as a model, and the words that the caller feeds.
    #[must_use]
    pub fn model(&self) -> (Model, &[Vec<u32>]) {
        (Model::of(&[], self.graph.clone()), &self.fed)
    }

    /// The words of every output: from the CPU reference, and from the GPU where there is one.
    ///
    /// # Panics
    /// When the operator is refused, the run fails, or the sizes that were declared are not
    /// those that shape inference finds.
    #[must_use]
    pub fn run(&self) -> (Vec<Vec<u32>>, Option<Vec<Vec<u32>>>) {
        let model = Model::of(&[], self.graph.clone());
        for (declared, found) in self.graph.tensors.iter().zip(&model.program.graph.tensors) {
            let declared = declared.declared.iter().flatten().map(|dim| match dim {
                Dim::Fixed(size) => *size,
                Dim::Symbol(_) | Dim::AtMost(..) | Dim::Unknown => panic!("a declared size"),
            });
            let found = found.dims.clone().expect("a size");
            assert_eq!(found, declared.collect::<Vec<_>>(), "{:?}", self.graph);
        }
        let plan = model.plan(Strategy::OffsetsBySize);
        let lowered = model.lowered(&plan).expect("an operator with a kernel");
        let on_cpu = model.on_cpu(&lowered, &self.fed);
        // The largest float that is no power of two: a pattern that shows where it is left.
        let on_gpu = GPU.with(|gpu| {
            let run = model.on_gpu((*gpu)?, &lowered, &self.fed, 0x7149_f2ca);
            Some(run.expect("a run on the GPU"))
        });
        (on_cpu, on_gpu)
    }

    /// Why the operator is refused.
    ///
    /// # Panics
    /// When it is not.
    #[must_use]
    pub fn refusal(&self) -> String {
        let model = Model::of(&[], self.graph.clone());
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        lowered.expect_err("a refusal").to_string()
    }

    /// Runs the operator on both machines and compares its output with `expected`.
    ///
    /// # Panics
    /// See [`check_all`].
    pub fn check(self, expected: &[f64], tolerance: f64) {
        check_all([(self, expected.to_vec())], tolerance);
    }

    /// Both operators in one graph, this one first.
    fn beside(mut self, mut other: Self) -> Self {
        let before = self.graph.tensors.len();
        let moved = |id: &mut TensorId| *id = TensorId::at(before + id.index());
        for tensor in &mut other.graph.tensors {
            tensor.name = format!("{}.{}", self.graph.ops.len(), tensor.name);
        }
        for op in &mut other.graph.ops {
            let ids = op.inputs.iter_mut().chain(&mut op.outputs);
            ids.flatten().for_each(moved);
            op.name = format!("{}.{}", self.graph.ops.len(), op.name);
        }
        let ids = other.graph.inputs.iter_mut();
        ids.chain(&mut other.graph.outputs).for_each(moved);
        self.graph.tensors.extend(other.graph.tensors);
        self.graph.ops.extend(other.graph.ops);
        self.graph.inputs.extend(other.graph.inputs);
        self.graph.outputs.extend(other.graph.outputs);
        self.fed.extend(other.fed);
        self
    }
}

/// Runs operators of one output and one dialect on both machines, all in one graph, because
/// compiling kernels takes longer than running them, and compares every output with what is
/// expected of it.
///
/// # Panics
/// When an element differs by more than `tolerance` times 1 plus the expected size.
pub fn check_all(cases: impl IntoIterator<Item = (OneOp, Vec<f64>)>, tolerance: f64) {
    let (ops, expected): (Vec<OneOp>, Vec<Vec<f64>>) = cases.into_iter().unzip();
    let all = ops.iter().cloned().reduce(OneOp::beside);
    let (on_cpu, on_gpu) = all.expect("a case").run();
    let runs = [("CPU", Some(on_cpu)), ("GPU", on_gpu)];
    for (machine, outputs) in runs {
        let Some(outputs) = outputs else { continue };
        assert_eq!(outputs.len(), expected.len(), "{machine}: outputs");
        for ((op, output), expected) in ops.iter().zip(&outputs).zip(&expected) {
            let what = || {
                let tensors = op.graph.tensors.iter().map(|tensor| &tensor.declared);
                format!("{:?} {:?}", op.graph.ops, tensors.collect::<Vec<_>>())
            };
            let found = floats(output);
            assert_eq!(found.len(), expected.len(), "{machine}: {}", what());
            for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
                let apart = (f64::from(found) - expected).abs();
                assert!(
                    apart <= tolerance * (1.0 + expected.abs()),
                    "{machine}: element {index} is {found}, not {expected}: {}",
                    what()
                );
            }
        }
    }
}

fn tensor(name: &str, dtype: DType, dims: &[usize]) -> Tensor {
    let dims = dims.iter().map(|&dim| Dim::Fixed(dim as u64));
    Tensor {
        declared: Some(dims.collect()),
        ..Tensor::new(name, dtype)
    }
}
