//! What the tests of this folder look at.

use std::collections::BTreeMap;

use planner::graph::{Bindings, Graph, Role};
use planner::load::{Document, Format, LoadError, Warning};
use planner::{Bytes, Lifetimes, Program, Settings};

/// A sized and folded model with its lifetimes.
pub(crate) struct Prepared {
    pub(crate) program: Program,
    pub(crate) lifetimes: Lifetimes,
}

#[expect(
    clippy::panic_in_result_fn,
    reason = "a file of the wrong format fails the test"
)]
pub(crate) fn read(bytes: &[u8]) -> Result<(Graph, Vec<Warning>), LoadError> {
    let (format, document, warnings) = tests::chinese::load(&bytes.to_vec())?;
    assert_eq!(format, Format::Onnx);
    match document {
        Document::Model(graph) => Ok((graph, warnings)),
        _ => panic!("an ONNX file is a model"),
    }
}

pub(crate) fn prepare(bytes: &[u8], bindings: &[(&str, u64)]) -> Prepared {
    let (graph, _) = read(bytes).expect("the model loads");
    prepare_graph(graph, bindings)
}

pub(crate) fn prepare_graph(graph: Graph, bindings: &[(&str, u64)]) -> Prepared {
    let pairs = bindings
        .iter()
        .map(|&(name, value)| (name.to_owned(), value));
    let bindings: Bindings = pairs.collect::<BTreeMap<_, _>>();
    let document = Document::Model(graph);
    let subject = planner::prepare(&document, &bindings, &Settings::default()).expect("it fits");
    Prepared {
        program: subject.program.expect("a model"),
        lifetimes: subject.lifetimes,
    }
}

impl Prepared {
    /// "name: reason detail" of every tensor without a size.
    pub(crate) fn missing(&self) -> Vec<String> {
        let tensors = self.program.graph.tensors.iter();
        let left_out = tensors.filter(|tensor| tensor.role == Role::Unsized);
        left_out
            .inspect(|tensor| {
                if let Some(missing) = &tensor.missing {
                    tests::chinese::assert_told(&missing.detail);
                }
            })
            .map(|tensor| {
                format!(
                    "{}: {:?}",
                    tensor.name,
                    tensor
                        .missing
                        .as_ref()
                        .map(|it| (it.reason, it.detail.to_string()))
                )
            })
            .collect()
    }

    /// Sum of all sizes, each rounded up to 64 bytes.
    pub(crate) fn naive(&self) -> u64 {
        self.lifetimes
            .buffers
            .iter()
            .map(|buffer| buffer.size.0)
            .sum()
    }

    /// Largest sum of sizes live at one step, counted step by step.
    pub(crate) fn peak(&self) -> u64 {
        let steps = usize::try_from(self.lifetimes.horizon.0).expect("few steps");
        let mut live = vec![0; steps];
        for buffer in &self.lifetimes.buffers {
            for step in buffer.span.start.0..buffer.span.end.0 {
                let Bytes(size) = buffer.size;
                live[usize::try_from(step).expect("few steps")] += size;
            }
        }
        live.into_iter().max().unwrap_or(0)
    }
}
