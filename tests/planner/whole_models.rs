//! The whole models that the executor is judged by: they load with their weights, every
//! tensor has a size, inputs and outputs are those of the reference engine, and every
//! strategy's plan passes the judge.

use std::collections::BTreeMap;
use std::io::{Write, stdout};

use planner::bounds::bounds;
use planner::graph::{Bindings, Content, Graph, Role, TensorId};
use planner::load::load;
use planner::{Options, Program, Settings, Silent, Strategy, Subject, judged, prepare};
use tests::figures::expected;
use tests::whole_models::{self, Array, WholeModel};

/// What issue 3 asks for.
const NAMES: [&str; 12] = [
    "squeezenet",
    "shufflenet",
    "inception_v1",
    "resnet50",
    "densenet121",
    "mobilenet_v2",
    "unet",
    "bert",
    "gpt2",
    "llama",
    "mobilenet_v1",
    "blazeface",
];

fn prepared(model: &WholeModel) -> Subject {
    let (_, document, warnings) = load(&model.content()).expect("the model can be read");
    assert_eq!(warnings, [], "{}", model.name);
    let subject = prepare(&document, &Bindings::new(), &Settings::default());
    subject.expect("the model can be planned")
}

fn graph(subject: &Subject) -> &Graph {
    subject.graph().expect("a model has a graph")
}

/// Name, element type and dimensions of the tensors that the caller sees.
fn seen(graph: &Graph, ids: &[TensorId]) -> Vec<String> {
    let tensors = ids.iter().map(|id| graph.tensor(*id));
    let seen = tensors.map(|tensor| {
        let dims = tensor.dims.as_deref().expect("every tensor has a size");
        format!("{} {} {dims:?}", tensor.name, tensor.dtype.name())
    });
    seen.collect()
}

fn stored(arrays: &[Array]) -> Vec<String> {
    let stored = arrays.iter().map(|array| {
        let dims = array.dims.as_slice();
        format!("{} {} {dims:?}", array.name, array.dtype.name())
    });
    stored.collect()
}

#[test]
fn the_models_of_the_issue_are_there() {
    let Some(models) = whole_models::load() else {
        return;
    };
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, NAMES);
}

#[test]
fn inputs_and_outputs_are_those_of_the_reference_engine() {
    for model in whole_models::load().unwrap_or_default() {
        let subject = prepared(&model);
        let graph = graph(&subject);
        let name = &model.name;
        assert_eq!(seen(graph, &graph.inputs), stored(&model.inputs), "{name}");
        assert_eq!(
            seen(graph, &graph.outputs),
            stored(&model.outputs),
            "{name}"
        );
        let split = subject.split.expect("a model has bytes by role");
        assert_eq!(split.unsized_tensors, 0, "{name}");
    }
}

/// Constants that no operator computes have their elements in the file.
#[test]
fn weights_are_inside() {
    for model in whole_models::load().unwrap_or_default() {
        let subject = prepared(&model);
        let graph = graph(&subject);
        let producers = graph.producers();
        for (tensor, producer) in graph.tensors.iter().zip(producers) {
            let inside = matches!(tensor.content, Content::Inline(_) | Content::Range { .. });
            let given = tensor.role == Role::Constant && producer.is_none();
            assert!(inside || !given, "{}: {}", model.name, tensor.name);
        }
    }
}

/// Other weights and a smaller picture, but the architectures of the onnx package: as many
/// operators run as the second implementation counts in its files.
#[test]
fn reworked_classifiers_run_as_many_operators_as_before() {
    let table = expected(include_str!("../data/fixture_figures.json"));
    let table = table.expect("the table is committed with this test");
    let mut compared = 0;
    let models = whole_models::load().unwrap_or_default();
    for model in &models {
        let file = format!("light_{}.onnx", model.name);
        let Some(row) = table.iter().find(|row| row.file == file) else {
            continue;
        };
        let steps = prepared(model).scheduled();
        assert_eq!(Some(steps), row.steps, "{}", model.name);
        compared += 1;
    }
    assert!(models.is_empty() || compared == 5, "{compared} compared");
}

/// The convolution that a peer computes wrongly: 34 channels in each of four groups.
#[test]
fn shufflenet_has_groups_of_34_channels() {
    let Some(models) = whole_models::load() else {
        return;
    };
    let model = models.iter().find(|model| model.name == "shufflenet");
    let subject = prepared(model.expect("ShuffleNet is one of them"));
    let graph = graph(&subject);
    let grouped = graph.ops.iter().any(|op| {
        let weight = op.inputs.get(1).copied().flatten();
        let dims = weight.and_then(|id| graph.tensor(id).dims.as_deref());
        op.kind == "Conv" && op.int("group") == Some(4) && dims == Some(&[136, 34, 1, 1])
    });
    assert!(grouped);
}

#[test]
fn every_strategy_plans_every_model_and_says_which_reach_the_bound() {
    let mut table = String::new();
    for model in whole_models::load().unwrap_or_default() {
        let subject = prepared(&model);
        let lifetimes = &subject.lifetimes;
        let bounds = bounds(lifetimes);
        let mut reached = Vec::new();
        let mut best = u64::MAX;
        for strategy in Strategy::ALL {
            let options = Options::aligned(Settings::default().alignment);
            let planned = judged(strategy, lifetimes, &bounds, &options, &mut Silent);
            let planned = planned.expect("every strategy plans every model");
            let (name, by) = (&model.name, strategy.name());
            assert_eq!(planned.violations, [], "{name} by {by}");
            assert!(planned.plan.arena >= bounds.offsets, "{name} by {by}");
            best = best.min(planned.plan.arena.0);
            if planned.metrics.optimal {
                reached.push(by);
            }
        }
        table += &described(&model, &subject, bounds.offsets.0, best, &reached);
    }
    // Seen with --nocapture, or when something fails.
    let _ = stdout().write_all(table.as_bytes());
}

/// Some lines about a model: figures, operators that run, strategies at the bound.
fn described(
    model: &WholeModel,
    subject: &Subject,
    bound: u64,
    best: u64,
    reached: &[&str],
) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for op in subject.program.iter().flat_map(Program::operators) {
        *kinds.entry(&op.kind).or_default() += 1;
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, n)| format!("{kind} {n}"))
        .collect();
    let split = subject.split.unwrap_or_default();
    format!(
        "\n{}: {} operators, {} bytes of constants, {} of intermediates in {} buffers\n  \
         {}\n  bound {bound}, best {best}, reached by: {}\n",
        model.name,
        subject.scheduled(),
        split.constants.0,
        split.intermediates.0,
        subject.lifetimes.buffers.len(),
        kinds.join(", "),
        reached.join(" "),
    )
}
