//! A model from its file, opened and planned in one go.

use std::collections::BTreeMap;

use planner::bounds::bounds;
use planner::graph::infer::{self, Value};
use planner::graph::{Content, DType, Graph, Role, TensorId};
use planner::liveness::{Lifetimes, Settings};
use planner::load::{Document, Fault, LoadError, Source, load};
use planner::pipeline::{judged, prepare};
use planner::plan::{Options, Plan};
use planner::strategies::Silent;

use crate::{Execution, Failure, Feed, Output};

/// The operators whose inputs of these positions are parameters: shapes, axes, counts and the
/// like. What is fed into them is known before the run, as in a real model.
const PARAMETERS: [(&str, &[usize]); 18] = [
    ("ConstantOfShape", &[0]),
    ("CumSum", &[1]),
    ("Dropout", &[1, 2]),
    ("Expand", &[1]),
    ("OneHot", &[1]),
    ("Pad", &[1, 3]),
    ("Range", &[0, 1, 2]),
    ("ReduceMax", &[1]),
    ("ReduceMean", &[1]),
    ("ReduceMin", &[1]),
    ("ReduceSum", &[1]),
    ("Reshape", &[1]),
    ("Resize", &[1, 2, 3]),
    ("Slice", &[1, 2, 3, 4]),
    ("Split", &[1]),
    ("Squeeze", &[1]),
    ("Tile", &[1]),
    ("Unsqueeze", &[1]),
];

/// A model that is ready to be run.
pub(crate) struct Made {
    pub(crate) graph: Graph,
    pub(crate) values: BTreeMap<TensorId, Value>,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) plan: Plan,
    /// What the inputs that are left are fed with.
    pub(crate) feeds: Vec<Feed>,
}

impl Made {
    /// Opens the model and plans it.
    ///
    /// # Errors
    /// [`Failure::Load`], [`Failure::TooLarge`] or [`Failure::Plan`].
    pub(crate) fn of(execution: &Execution, file: Option<&dyn Source>) -> Result<Self, Failure> {
        let no_model = |message: &str| LoadError {
            kind: Fault::Unsupported,
            place: "file".to_owned(),
            message: message.to_owned(),
        };
        let (_, document, _) = load(file.ok_or_else(|| no_model("there is none"))?)?;
        let Document::Model(mut graph) = document else {
            return Err(no_model("it is no model").into());
        };
        let feeds = with_constants(&mut graph, &execution.inputs);
        let settings = Settings::default();
        let subject = prepare(&Document::Model(graph), &execution.bindings, &settings)?;
        let graph = subject.graph.ok_or_else(|| no_model("it is no model"))?;
        let options = Options {
            alignment: settings.alignment,
        };
        let (strategy, lifetimes) = (execution.strategy, subject.lifetimes);
        let judged = judged(
            strategy,
            &lifetimes,
            &bounds(&lifetimes),
            &options,
            &mut Silent,
        )?;
        Ok(Self {
            values: infer::infer(&mut graph.clone(), &execution.bindings),
            graph,
            lifetimes,
            plan: judged.plan,
            feeds,
        })
    }

    /// The words of the outputs with all that is known of them.
    pub(crate) fn outputs(&self, words: Vec<(String, Vec<u32>)>) -> Vec<Output> {
        let outputs = words.into_iter();
        outputs
            .map(|(name, words)| output(&self.graph, name, words))
            .collect()
    }
}

/// Makes constants of what is fed into parameters; the feeds of the inputs that are left.
fn with_constants(graph: &mut Graph, feeds: &[Feed]) -> Vec<Feed> {
    let mut parameters = Vec::new();
    for op in &graph.ops {
        let mut known = PARAMETERS.iter();
        if let Some((_, positions)) = known.find(|(kind, _)| *kind == op.kind) {
            let read = positions.iter().filter_map(|&at| op.inputs.get(at));
            parameters.extend(read.copied().flatten());
        }
    }
    let mut left = Vec::new();
    let mut inputs = Vec::new();
    for (position, &id) in graph.inputs.iter().enumerate() {
        let feed = feeds.get(position).cloned().unwrap_or_default();
        match feed {
            Feed::Elements(bytes) if parameters.contains(&id) => {
                let tensor = &mut graph.tensors[id.index()];
                tensor.role = Role::Constant;
                tensor.content = Content::Inline(bytes);
            }
            feed => {
                inputs.push(id);
                left.push(feed);
            }
        }
    }
    graph.inputs = inputs;
    left
}

fn output(graph: &Graph, name: String, words: Vec<u32>) -> Output {
    let tensor = graph.outputs.iter().map(|&id| graph.tensor(id));
    let tensor = tensor.into_iter().find(|tensor| tensor.name == name);
    let dims = tensor
        .and_then(|tensor| tensor.dims.clone())
        .unwrap_or_default();
    let dtype = tensor.map_or(DType::F32, |tensor| tensor.dtype);
    Output {
        name,
        dtype,
        dims,
        words,
    }
}
