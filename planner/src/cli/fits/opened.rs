//! What is opened: a model as it is, and in another order.

use planner::generate::Mode;
use planner::graph::{Bindings, Graph};
use planner::load::{Described, Document, described};
use planner::training::advisor::{Advice, Variant, Wanted, advise, fits};
use planner::training::{Rule, stage};
use planner::{PassSet, Settings, passes, prepare};

use super::FitsArgs;
use crate::cli::estimate::no_estimate;
use crate::cli::file::FileSource;
use crate::cli::train::{Read, model, read_run};
use crate::cli::{Failure, too_large};

/// A graph after some passes.
pub(super) type Made = (PassSet, Graph);

pub(super) struct Opened {
    pub(super) name: String,
    /// The transformer, where a file describes one.
    pub(super) described: Option<Described>,
    graphs: Vec<Made>,
    /// The samples of a step, unless they are said.
    pub(super) batch: u64,
    /// What the backward pass reads.
    pub(super) rule: Rule,
}

impl Opened {
    pub(super) fn read(args: &FitsArgs) -> Result<Self, Failure> {
        if let Some(found) = transformer(args) {
            return Ok(found);
        }
        if args.tokens.is_some() {
            let message = "--tokens needs the description of a transformer";
            return Err(Failure::Usage(message.to_owned()));
        }
        let (name, graphs, batch, rule) = match read_run(&args.input)? {
            Read::Log(name, _) => {
                let message = format!("{name}: a log is one run: open a model");
                return Err(Failure::Input(message));
            }
            Read::Layers(name, layers) => {
                let graph = layers.graph();
                let graph =
                    graph.map_err(|it| Failure::Input(format!("{name}: {}", it.message)))?;
                let graphs = vec![(PassSet::NONE, graph)];
                (name, graphs, layers.batch, Rule::Checkmate)
            }
            Read::Model(name, document) => {
                let made = |passes| model(&args.input, (&name, &document), passes);
                let graphs = both(made)?;
                (name, graphs, 1, Rule::Autograd)
            }
        };
        Ok(Self {
            name,
            described: None,
            graphs,
            batch,
            rule,
        })
    }

    /// The graphs that are opened, or those of a description.
    pub(super) fn graphs(&self, of: Option<&Described>) -> Result<Vec<Made>, Failure> {
        let Some(of) = of else {
            return Ok(self.graphs.clone());
        };
        let name = &self.name;
        let graph = of.graph();
        let graph = graph.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        let document = Document::Model(graph);
        both(|passes| {
            let settings = Settings {
                passes,
                ..Settings::default()
            };
            let subject = prepare(&document, &Bindings::new(), &settings);
            let subject = subject.map_err(|it| too_large(name, &it))?;
            Ok((
                passes,
                stage::operators(subject.program.unwrap_or_default()),
            ))
        })
    }

    pub(super) fn advice(&self, graphs: &[Made], wanted: &Wanted) -> Result<Advice, Failure> {
        let variants = variants(graphs);
        let found = advise(&variants, wanted, &mut |_, _| true);
        found.map_err(|why| no_estimate(&self.name, &why))
    }

    pub(super) fn fits(&self, graphs: &[Made], wanted: &Wanted) -> Option<bool> {
        let variants = variants(graphs);
        fits(&variants, wanted, &mut |_, _| true).ok()
    }
}

fn variants(graphs: &[Made]) -> Vec<Variant<'_>> {
    let variants = graphs.iter().map(|(passes, graph)| Variant {
        passes: *passes,
        graph,
    });
    variants.collect()
}

/// As it is, and in another order where that is one.
fn both(made: impl Fn(PassSet) -> Result<Made, Failure>) -> Result<Vec<Made>, Failure> {
    let order = passes::parse(passes::ORDER).unwrap_or_default();
    let first = made(PassSet::NONE)?;
    let other = made(order)?;
    let others = (other.1 != first.1).then_some(other);
    Ok([first].into_iter().chain(others).collect())
}

/// A transformer that one file describes; with tokens one that reads as many and keeps nothing.
fn transformer(args: &FitsArgs) -> Option<Opened> {
    let [path] = args.input.files.as_slice() else {
        return None;
    };
    let suffix = path.extension().unwrap_or_default().to_ascii_lowercase();
    if !["json", "gguf", "safetensors"]
        .iter()
        .any(|it| suffix == *it)
    {
        return None;
    }
    let source = FileSource::open(path).ok()?;
    let (mut found, _) = described(&source).ok()?;
    let own = &mut found.execution;
    // It is trained as it is described, as elsewhere.
    if let Some(tokens) = args.tokens {
        own.mode = Mode::Forward(tokens);
    }
    Some(Opened {
        name: path.display().to_string(),
        batch: own.batch,
        described: Some(found),
        graphs: Vec::new(),
        rule: Rule::Autograd,
    })
}
