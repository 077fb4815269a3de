//! Whole models against ONNX Runtime and LiteRT on the CPU: the outputs of the CPU reference and of
//! the GPU, in the smallest arena of some strategies.

use std::io::{Write, stdout};

use executor::recording::WORD;
use planner::bounds::bounds;
use planner::{Plan, Settings, Strategy, passes};
use tests::runs::{Model, Outputs, REPRESENTATIVE, floats, gpu};
use tests::whole_models::{WholeModel, load};

/// Largest difference, in terms of the largest magnitude of the same output.
const TOLERANCE: f32 = 1e-4;
/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

fn model(name: &str) -> Option<(WholeModel, Model)> {
    let mut models = load()?.into_iter();
    let whole = models.find(|model| model.name == name);
    let whole = whole.unwrap_or_else(|| panic!("there is no model {name}"));
    let model = Model::open(&whole.content());
    Some((whole, model))
}

/// The inputs as words, in the graph's order.
fn inputs(whole: &WholeModel, model: &Model) -> Vec<Vec<u32>> {
    let ids = model.program.graph.inputs.iter();
    let names = ids.map(|&id| &model.program.graph.tensor(id).name);
    let words = |name: &String| {
        let found = whole.inputs.iter().find(|input| input.name == *name);
        let bytes = &found.unwrap_or_else(|| panic!("no input {name}")).bytes;
        let words = bytes.chunks_exact(usize::try_from(WORD).unwrap());
        words
            .map(|raw| u32::from_le_bytes(raw.try_into().unwrap()))
            .collect()
    };
    names.map(words).collect()
}

fn smallest(model: &Model) -> Plan {
    let plans = REPRESENTATIVE.iter().map(|&strategy| model.plan(strategy));
    plans.min_by_key(|plan| plan.arena).unwrap()
}

/// The largest difference of any output, in terms of its largest magnitude.
fn deviation(whole: &WholeModel, model: &Model, found: &Outputs) -> f32 {
    let ids = model.program.graph.outputs.iter().zip(found);
    let mut worst = 0.0_f32;
    for (&id, words) in ids {
        let name = &model.program.graph.tensor(id).name;
        let expected = whole.outputs.iter().find(|output| output.name == *name);
        let expected = expected
            .unwrap_or_else(|| panic!("no output {name}"))
            .f32s();
        assert_eq!(words.len(), expected.len(), "{name}");
        let largest = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        for (found, expected) in floats(words).iter().zip(&expected) {
            assert!(found.is_finite(), "{name} holds {found}");
            worst = worst.max((found - expected).abs() / largest);
        }
    }
    worst
}

/// Models that between them have every pattern: attention, normalisations by hand, residuals,
/// dense blocks and batch normalisations.
const STAGED: [&str; 5] = ["bert", "gpt2", "llama", "densenet121", "unet"];

/// The last stage computes what the first does: to the bit, but for folded batch
/// normalisations, which round elsewhere.
fn staged(whole: &WholeModel, inputs: &[Vec<u32>], outputs: &Outputs) {
    const PASSES: &str = "fusion,views,concat,in_place=aggressive,order";
    if !STAGED.contains(&&*whole.name) {
        return;
    }
    for folded in ["", "batch_norm,"] {
        let settings = Settings {
            passes: passes::parse(&format!("{folded}{PASSES}")).expect("passes"),
            ..Settings::default()
        };
        let model = Model::open_with(&whole.content(), settings);
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let lowered = lowered.unwrap_or_else(|why| panic!("{}: {why}", whole.name));
        let found = model.on_cpu(&lowered, inputs);
        match folded {
            "" => assert_eq!(found, *outputs, "{}", whole.name),
            _ => assert!(
                deviation(whole, &model, &found) < TOLERANCE,
                "{}",
                whole.name
            ),
        }
    }
}

fn check(name: &str) {
    let Some((whole, model)) = model(name) else {
        return;
    };
    let plan = smallest(&model);
    let lowered = model
        .lowered(&plan)
        .unwrap_or_else(|why| panic!("{name}: {why}"));
    let inputs = inputs(&whole, &model);
    let bound = bounds(&model.lifetimes).offsets.0;
    let outputs = model.on_cpu(&lowered, &inputs);
    staged(&whole, &inputs, &outputs);
    let on_cpu = deviation(&whole, &model, &outputs);
    let _ = writeln!(
        stdout(),
        "{name}: {} B (bound {bound}), {}: CPU {on_cpu:.1e}",
        plan.arena.0,
        whole.engine
    );
    assert!(
        on_cpu <= TOLERANCE,
        "{name}: the CPU reference is off by {on_cpu}"
    );
    if let Some(gpu) = gpu() {
        let found = model.on_gpu(&gpu, &lowered, &inputs, PATTERN);
        let found = found.unwrap_or_else(|why| panic!("{name}: {why}"));
        let on_gpu = deviation(&whole, &model, &found);
        let _ = writeln!(stdout(), "{name}: GPU {on_gpu:.1e}");
        assert!(on_gpu <= TOLERANCE, "{name}: the GPU is off by {on_gpu}");
    }
}

macro_rules! models {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_model_is_run() {
            let listed = [$(stringify!($name)),*];
            for model in load().unwrap_or_default() {
                assert!(listed.contains(&&*model.name), "{} is not run", model.name);
            }
        }
    };
}

models! {
    squeezenet shufflenet inception_v1 resnet50 densenet121 mobilenet_v2 unet
    bert gpt2 llama mobilenet_v1 blazeface
}
