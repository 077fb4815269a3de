//! A model from its file, opened and planned in one go.

use std::collections::BTreeMap;

use planner::graph::{DType, Graph, TensorId, Value};
use planner::load::{Document, Fault, LoadError, Source, load};
use planner::passes::{give, parameters};
use planner::{Lifetimes, Options, Plan, Silent, bounds, judged, prepare};

use crate::{Execution, Failure, Feed, Output};

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
        let settings = &execution.settings;
        let subject = prepare(&Document::Model(graph), &execution.bindings, settings)?;
        let graph = subject.graph.ok_or_else(|| no_model("it is no model"))?;
        let options = Options::aligned(settings.alignment);
        let (strategy, lifetimes) = (execution.strategy, subject.lifetimes);
        let judged = judged(
            strategy,
            &lifetimes,
            &bounds::aligned(&lifetimes, settings.alignment),
            &options,
            &mut Silent,
        )?;
        Ok(Self {
            values: planner::graph::infer(&mut graph.clone(), &execution.bindings),
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

/// Makes constants of what is fed into parameters (shapes, axes, counts), as a real model has
/// them; the feeds of the inputs that are left.
fn with_constants(graph: &mut Graph, feeds: &[Feed]) -> Vec<Feed> {
    let parameters = parameters(graph);
    let mut left = Vec::new();
    for (position, id) in graph.inputs.clone().into_iter().enumerate() {
        match feeds.get(position).cloned().unwrap_or_default() {
            Feed::Elements(bytes) if parameters.contains(&id) => give(graph, id, bytes),
            feed => left.push(feed),
        }
    }
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
