//! A model from its file, opened and planned in one go.

use std::collections::BTreeMap;

use executor::verify::Executed;
use planner::graph::{DType, Graph, TensorId, Value};
use planner::load::{Fault, Files, Part, Readers, Source};
use planner::passes::{Given, parameters};
use planner::{
    Lifetimes, Message, Options, Plan, Program, Silent, bounds, judged, message, prepare_given,
};

use crate::{Execution, Failure, Feed, Output};

/// Opens a model and plans it.
#[derive(Clone, Copy, Debug)]
pub struct Opener(pub(crate) fn(&Execution, Option<&dyn Source>) -> Result<Made, Failure>);

/// All of it: code that does not name this carries no loader and no strategy.
pub const OPENER: Opener = Opener(Made::of);

/// A model that is ready to be run.
pub(crate) struct Made {
    pub(crate) program: Program,
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
        let no_model = |message: Message| Fault::Unsupported.in_file(message);
        let source = file.ok_or_else(|| no_model(message!("there is none")))?;
        let parts = [Part {
            name: "file",
            source,
        }];
        let loaded = Readers::USUAL.load(&Files::new(&parts))?;
        let (_, document, _) = loaded.ok_or_else(|| no_model(message!("it is no model")))?;
        let graph = document
            .graph()
            .ok_or_else(|| no_model(message!("it is no model")))?;
        let (given, feeds) = split(graph, &execution.inputs);
        let settings = &execution.settings;
        let known = (&execution.bindings, &given);
        let subject = prepare_given(&document, known, settings)?;
        let program = subject
            .program
            .ok_or_else(|| no_model(message!("it is no model")))?;
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
            values: program.known(&execution.bindings),
            program,
            lifetimes,
            plan: judged.plan,
            feeds,
        })
    }

    /// The words of the outputs with all that is known of them.
    pub(crate) fn outputs(&self, executed: &Executed) -> Vec<Output> {
        let counted = executed.counted.as_ref().map(|counted| &counted.program);
        let graph = &counted.unwrap_or(&self.program).graph;
        let outputs = executed.outputs.iter();
        outputs
            .map(|(name, words)| output(graph, name.clone(), words.clone()))
            .collect()
    }
}

/// The elements that are fed into parameters (shapes, axes, counts), which become constants, as
/// a real model has them; and the feeds of the inputs that are left.
fn split(graph: &Graph, feeds: &[Feed]) -> (Given, Vec<Feed>) {
    let parameters = parameters(graph);
    let (mut given, mut left) = (Given::new(), Vec::new());
    for (position, &id) in graph.inputs.iter().enumerate() {
        match feeds.get(position).cloned().unwrap_or_default() {
            Feed::Elements(bytes) if parameters.contains(&id) => {
                given.insert(id, bytes);
            }
            feed => left.push(feed),
        }
    }
    (given, left)
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
        rounding: None,
    }
}
