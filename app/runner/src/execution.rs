//! Runs of a model from its file: opened, planned and run in one go.

use executor::measure::{self, Question};
use planner::bounds::bounds;
use planner::graph::{Bindings, Content, DType, Graph, Role, infer};
use planner::load::{Document, Fault, LoadError, Source, load};
use planner::pipeline::{judged, prepare};
use planner::plan::Options;
use planner::strategies::Silent;

use crate::desk::{fed, leave, machine};
use crate::{Execution, Failure, Feed, Output, Reply, Surroundings};

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

/// Opens the model, plans it, runs it and replies to the question of this number.
///
/// # Errors
/// See [`Failure`].
pub(crate) async fn execute(
    id: u32,
    execution: &Execution,
    file: Option<&dyn Source>,
    around: &dyn Surroundings,
) -> Result<Reply, Failure> {
    let no_model = |message: &str| LoadError {
        kind: Fault::Unsupported,
        place: "file".to_owned(),
        message: message.to_owned(),
    };
    let source = file.ok_or_else(|| no_model("there is none"))?;
    let (_, document, _) = load(source)?;
    let Document::Model(mut graph) = document else {
        return Err(no_model("it is no model").into());
    };
    let feeds = with_constants(&mut graph, &execution.inputs);
    let settings = &execution.settings;
    let subject = prepare(&Document::Model(graph), &execution.bindings, settings)?;
    let graph = subject.graph.ok_or_else(|| no_model("it is no model"))?;
    let options = Options {
        alignment: settings.alignment,
    };
    let bounds = bounds(&subject.lifetimes);
    let judged = judged(
        execution.strategy,
        &subject.lifetimes,
        &bounds,
        &options,
        &mut Silent,
    )?;
    let values = infer::infer(&mut graph.clone(), &Bindings::default());
    let inputs = fed(&graph, &feeds, execution.seed)?;
    let machine = machine(execution.machine).await?;
    let question = Question {
        graph: &graph,
        values: &values,
        lifetimes: &subject.lifetimes,
        plan: &judged.plan,
        file,
        inputs,
        clock: &|| around.now(),
        pause: None,
        spoiled: false,
        naive: false,
        reference: false,
    };
    let executed = measure::execute(&machine, &question, execution.runs).await;
    leave(&machine);
    let measure::Executed {
        outputs,
        times,
        ledger,
    } = executed?;
    let outputs = outputs.into_iter();
    Ok(Reply::Outputs {
        id,
        outputs: outputs
            .map(|(name, words)| output(&graph, name, words))
            .collect(),
        times,
        ledger,
    })
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
