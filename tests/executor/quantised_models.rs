//! Whole models that ONNX Runtime's tools have quantised: on integers they give what ONNX Runtime
//! gives with its usual optimisations, in a quarter of the bytes.

use std::io::{Write, stdout};

use planner::graph::DType;
use planner::{Bytes, Settings, Strategy, passes};
use tests::runs::{Model, Outputs, floats, gpu, words};
use tests::whole_models::{WholeModel, load_quantised};

/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

/// What the page chooses for a model of QDQ groups.
const ALL: &str = "quantised,fusion,views,concat,in_place=aggressive,order";

/// The model after these passes.
fn after(whole: &WholeModel, choice: &str) -> Model {
    let settings = Settings {
        alignment: Bytes(4),
        passes: passes::parse(choice).expect("passes"),
        ..Settings::default()
    };
    Model::open_with(&whole.content(), settings)
}

fn arena(model: &Model) -> Bytes {
    model.plan(Strategy::OffsetsBySize).arena
}

/// Where outputs on both machines differ from what is expected: the largest difference in terms of
/// the largest element, and how many elements differ at all.
fn difference(whole: &WholeModel, model: &Model) -> Vec<(f32, usize)> {
    let plan = model.plan(Strategy::OffsetsBySize);
    let lowered = model.lowered(&plan);
    let lowered = lowered.unwrap_or_else(|why| panic!("{}: {why}", whole.name));
    let inputs: Vec<Vec<u32>> = whole.inputs.iter().map(|it| words(&it.f32s())).collect();
    let mut found: Vec<Outputs> = vec![model.on_cpu(&lowered, &inputs)];
    if let Some(gpu) = gpu() {
        let run = model.on_gpu(&gpu, &lowered, &inputs, PATTERN);
        found.push(run.unwrap_or_else(|why| panic!("{}: {why}", whole.name)));
    }
    let expected = whole.outputs[0].f32s();
    let most = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let compared = |outputs: &Outputs| {
        let found = floats(&outputs[0]);
        assert_eq!(found.len(), expected.len(), "{}", whole.name);
        let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        let other = apart.clone().filter(|apart| *apart > 1e-6 * most).count();
        (apart.fold(0.0_f32, f32::max) / most, other)
    };
    found.iter().map(compared).collect()
}

fn model(name: &str) -> Option<WholeModel> {
    let mut models = load_quantised()?.into_iter();
    let found = models.find(|model| model.name == name);
    Some(found.unwrap_or_else(|| panic!("there is no model {name}")))
}

/// Every element is what it is expected to be, whichever passes run beside.
fn equal(name: &str, choices: &[&str]) {
    let Some(whole) = model(name) else { return };
    for choice in choices {
        for (machine, (apart, other)) in difference(&whole, &after(&whole, choice))
            .iter()
            .enumerate()
        {
            let _ = writeln!(
                stdout(),
                "{name} {choice}: {apart:.1e}, {other} on machine {machine}"
            );
            assert_eq!(
                *other, 0,
                "{name} after {choice}: {other} elements differ, by {apart}"
            );
        }
    }
}

/// The largest intermediate tensor of floats, in bytes.
fn floating(model: &Model) -> u64 {
    let graph = &model.program.graph;
    let written = graph.ops.iter().flat_map(planner::graph::Op::written);
    let floats = written
        .map(|id| graph.tensor(id))
        .filter(|it| it.dtype == DType::F32);
    let inner = floats.filter(|it| it.role == planner::graph::Role::Intermediate);
    inner
        .filter_map(|it| it.bytes())
        .map(|it| it.0)
        .max()
        .unwrap_or_default()
}

#[test]
fn convolutions_run_on_integers_and_give_what_onnx_runtime_gives() {
    for name in ["squeezenet_qdq", "mobilenet_qdq", "mobilenet_qdq_signed"] {
        equal(name, &["quantised", ALL]);
    }
}

#[test]
fn files_of_integer_operators_give_what_onnx_runtime_gives() {
    for name in ["squeezenet_qoperator", "mobilenet_qoperator"] {
        equal(name, &["", "fusion,views,concat,in_place=aggressive,order"]);
    }
}

#[test]
fn integers_need_a_quarter_of_the_arena() {
    for name in ["squeezenet_qdq", "mobilenet_qdq", "mobilenet_qdq_signed"] {
        let Some(whole) = model(name) else { return };
        let (given, integers) = (after(&whole, ""), after(&whole, "quantised"));
        let (before, behind) = (arena(&given).0, arena(&integers).0);
        let _ = writeln!(
            stdout(),
            "{name}: {before} B of floats, {behind} B of integers"
        );
        assert!(
            4 * behind <= before + before / 20,
            "{name}: {behind} of {before} B"
        );
        assert_eq!(floating(&integers), 0, "{name} holds floats");
    }
}

/// Normalisations and the error function stay floats, whose last bits no two engines share: an
/// element between two integers may become either.
#[test]
fn transformers_agree_with_onnx_runtime() {
    for (name, choices) in [
        ("transformer_qdq", ["quantised", ALL]),
        (
            "transformer_dynamic",
            ["", "fusion,views,concat,in_place=aggressive,order"],
        ),
    ] {
        let Some(whole) = model(name) else { return };
        for choice in choices {
            for (apart, other) in difference(&whole, &after(&whole, choice)) {
                let _ = writeln!(stdout(), "{name} {choice}: {apart:.1e}, {other} differ");
                assert!(
                    apart < 1e-2,
                    "{name} after {choice}: {apart}, {other} differ"
                );
            }
        }
    }
}
