//! One model that people deploy, run as its best plan on the GPU and compared with what another
//! engine computed: a row of the table that `tests/corpus.mjs` makes, as JSON.
//!
//! `cargo run -p tests --bin corpus -- inputs FILE [NAME=N…]` binds symbolic dimensions and
//! prints what has to be fed. `-- run FILE CASE [NAME=N…]` runs the model with the inputs in
//! `CASE.json`, whose elements are ranges of `CASE.bin`, and compares with the outputs there.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use executor::elements::words;
use executor::engine::connect;
use executor::verify::inputs::below;
use executor::verify::report::Report;
use executor::verify::{Inputs, Machine, Question, confirm, execute};
use planner::graph::{Bindings, DType, Graph, TensorId};
use planner::load::{Document, load};
use planner::passes::{self, Given, parameters};
use planner::{Bytes, Io, Settings, Strategy, bounds};
use serde::{Deserialize, Serialize};
use tests::confirmations::{audit, question};
use tests::node_cases::{Array, StoredTensor, arrays};
use tests::runs::Model;

/// An input of a model, for who feeds it.
#[derive(Serialize)]
struct Input<'a> {
    name: &'a str,
    dtype: DType,
    dims: &'a Option<Vec<u64>>,
    /// What its integers must stay below.
    below: u64,
}

/// What was fed and what came out of the other engine.
#[derive(Deserialize)]
struct Case {
    inputs: Vec<StoredTensor>,
    outputs: Vec<StoredTensor>,
}

/// What a run came to. Bytes of arenas.
#[derive(Serialize)]
struct Row {
    operators: usize,
    bound: Bytes,
    naive: Bytes,
    run: Ran,
    outputs: Deviation,
    /// LiteRT's plan with LiteRT's lifetimes, of a TFLite file: its arena, and the end of what
    /// a run of it changed.
    litert: Option<(Bytes, Bytes)>,
}

/// The run of a plan.
#[derive(Serialize)]
struct Ran {
    strategy: String,
    promised: Bytes,
    allocated: Bytes,
    touched: Option<Bytes>,
    verdict: String,
}

/// How far the outputs are from the other engine's.
#[derive(Default, Serialize)]
struct Deviation {
    compared: usize,
    /// The largest difference over the largest magnitude of the same output.
    largest: f64,
    /// Integers and infinities that are not the same.
    unlike: usize,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match asked_for() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    }
}

fn asked_for() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (bound, words): (Vec<_>, Vec<_>) = arguments.iter().partition(|word| word.contains('='));
    let mut bindings = Bindings::new();
    for (name, size) in bound.iter().filter_map(|word| word.rsplit_once('=')) {
        bindings.insert(name.to_owned(), size.parse()?);
    }
    match words.as_slice() {
        [what, file] if *what == "inputs" => inputs(file, &bindings),
        [what, file, case] if *what == "run" => run(file, case, &bindings),
        _ => Err("write inputs FILE or run FILE CASE".into()),
    }
}

fn opened(file: &str) -> Outcome<(Vec<u8>, Graph)> {
    let bytes = fs::read(file)?;
    match load(&bytes)?.1 {
        Document::Model(graph) => Ok((bytes, graph)),
        _ => Err("it is no model".into()),
    }
}

fn print(said: &impl Serialize) -> Outcome<()> {
    Ok(writeln!(io::stdout(), "{}", serde_json::to_string(said)?)?)
}

fn inputs(file: &str, bindings: &Bindings) -> Outcome<()> {
    let (_, mut graph) = opened(file)?;
    let known: Vec<&str> = graph.symbols.iter().map(|symbol| &*symbol.name).collect();
    if let Some(name) = bindings.keys().find(|name| !known.contains(&&***name)) {
        return Err(format!("there is no dimension {name}, only {known:?}").into());
    }
    planner::graph::infer(&mut graph, bindings);
    let described = graph.inputs.iter().map(|&id| {
        let tensor = graph.tensor(id);
        Input {
            name: &tensor.name,
            dtype: tensor.dtype,
            dims: &tensor.dims,
            below: below(&graph, id),
        }
    });
    print(&described.collect::<Vec<_>>())
}

fn run(file: &str, case: &str, bindings: &Bindings) -> Outcome<()> {
    let index: Case = serde_json::from_slice(&fs::read(format!("{case}.json"))?)?;
    let elements = fs::read(format!("{case}.bin"))?;
    let fed = arrays(index.inputs, &elements);
    let expected = arrays(index.outputs, &elements);
    let (bytes, graph) = opened(file)?;
    let given = given(&graph, &fed);
    let of = |settings| {
        Model::given(
            &bytes,
            &Document::Model(graph.clone()),
            (bindings, &given),
            settings,
        )
    };
    let model = of(Settings::default())?;
    let machine = Machine::Gpu(pollster::block_on(connect())?);
    let found = outputs(&machine, &model, &fed)?;
    let tflite = Path::new(file)
        .extension()
        .is_some_and(|ending| ending == "tflite");
    let litert = || {
        let settings = Settings {
            io: Io::Litert,
            passes: passes::parse("in_place")?,
            ..Settings::default()
        };
        let model = of(settings)?;
        let lowered = model.lowered(&model.plan(Strategy::LitertArena))?;
        let inputs = words_of(&model, &fed);
        let audit = audit(&model, &machine, &lowered, &inputs);
        match audit.findings.as_slice() {
            [] => Outcome::Ok((lowered.recording.arena, audit.touched)),
            findings => Err(format!("LiteRT's plan: {findings:?}").into()),
        }
    };
    print(&Row {
        operators: model.program.graph.ops.len(),
        bound: bounds::bounds(&model.lifetimes).offsets,
        naive: model.plan(Strategy::Naive).arena,
        run: ran(&machine, &model, Strategy::Best, &fed)?,
        outputs: deviation(&found, &expected)?,
        litert: tflite.then(litert).transpose()?,
    })
}

/// The inputs that say shapes, axes and counts, and integers alone, such as a sample rate.
fn given(graph: &Graph, fed: &[Array]) -> Given {
    let parameters = parameters(graph);
    let of = |&id: &TensorId| {
        let name = &graph.tensor(id).name;
        let array = fed.iter().find(|array| array.name == *name)?;
        let alone = array.dims.is_empty() && array.dtype == DType::I64;
        (alone || parameters.contains(&id)).then(|| (id, array.bytes.clone()))
    };
    graph.inputs.iter().filter_map(of).collect()
}

/// The words of each input, in the graph's order.
fn words_of(model: &Model, fed: &[Array]) -> Vec<Vec<u32>> {
    let graph = &model.program.graph;
    let of = |&id| {
        let array = fed.iter().find(|array| array.name == graph.tensor(id).name);
        array.map(|array| words(&array.bytes)).unwrap_or_default()
    };
    graph.inputs.iter().map(of).collect()
}

fn asked<'a>(model: &'a Model, plan: &'a planner::Plan, fed: &[Array]) -> Question<'a> {
    Question {
        inputs: Inputs::Given(words_of(model, fed).into_iter().map(Some).collect()),
        reference: false,
        ..question(model, plan)
    }
}

fn outputs(machine: &Machine, model: &Model, fed: &[Array]) -> Outcome<Vec<(String, Vec<u32>)>> {
    let plan = model.plan(Strategy::OffsetsBySize);
    let executed = pollster::block_on(execute(machine, &asked(model, &plan, fed), 1))?;
    Ok(executed.outputs)
}

fn ran(machine: &Machine, model: &Model, strategy: Strategy, fed: &[Array]) -> Outcome<Ran> {
    let plan = model.plan(strategy);
    let report: Report =
        pollster::block_on(confirm(machine, &asked(model, &plan, fed), &mut |_| {}))?;
    Ok(Ran {
        strategy: plan.origin.to_string(),
        promised: report.promised,
        allocated: report.allocated,
        touched: report.audit.ok().map(|audit| audit.touched),
        verdict: format!("{:?}", report.verdict),
    })
}

fn deviation(found: &[(String, Vec<u32>)], expected: &[Array]) -> Outcome<Deviation> {
    if found.len() != expected.len() {
        return Err(format!("{} outputs of {}", found.len(), expected.len()).into());
    }
    let mut said = Deviation::default();
    // By position: names of TFLite's outputs need not be distinct.
    for (array, (_, words)) in expected.iter().zip(found) {
        let ours = array.with_words(words);
        if ours.bytes.len() != array.bytes.len() {
            return Err(format!("{} has {} words", array.name, words.len()).into());
        }
        said.compared += 1;
        let (Some(ours), Some(theirs)) = (ours.floats(), array.floats()) else {
            let pairs = ours.bytes.iter().zip(&array.bytes);
            said.unlike += pairs.filter(|(ours, theirs)| ours != theirs).count();
            continue;
        };
        let finite = |value: &&f64| value.is_finite();
        let largest = theirs
            .iter()
            .filter(finite)
            .fold(0.0_f64, |most, x| most.max(x.abs()));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            if ours.is_finite() && theirs.is_finite() {
                let apart = (ours - theirs).abs() / largest.max(f64::MIN_POSITIVE);
                said.largest = said.largest.max(apart);
            } else if ours.total_cmp(theirs).is_ne() && !(ours.is_nan() && theirs.is_nan()) {
                said.unlike += 1;
            }
        }
    }
    Ok(said)
}
