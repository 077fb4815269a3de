//! ONNX's node cases of all operators, on both machines, without anything in between:
//! what is not run is refused by name, and the list of what may be is fixed here.

use std::collections::BTreeSet;
use std::io::{Write, stdout};

use executor::verify::{Inputs, Machine, Question, execute};
use planner::Strategy;
use planner::load::{Document, load};
use tests::confirmations::question;
use tests::node_cases::{self, NodeCase, refused, with_constants};
use tests::runs::{Model, Outputs, gpu};

/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

/// How a model is run on some machine.
type Run<'a> = dyn Fn(&Model, &[Vec<u32>]) -> Result<Outputs, String> + 'a;
/// What a case comes to.
type Outcome = Result<(), String>;

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut raw = [0; 4];
        raw[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(raw)
    };
    bytes.chunks(4).map(word).collect()
}

/// The case on either machine: plans, lowers, runs, compares.
fn outcome(case: &NodeCase, run: &Run<'_>) -> Outcome {
    let (_, document, _) = load(&case.model).map_err(|why| why.to_string())?;
    let Document::Model(graph) = document else {
        return Err("it is no model".into());
    };
    let model = Model::of(&case.model, with_constants(graph, case));
    let mut inputs = Vec::new();
    for &id in &model.program.graph.inputs {
        let name = &model.program.graph.tensor(id).name;
        let fed = case.inputs.iter().find(|input| input.name == *name);
        inputs.push(words(
            &fed.ok_or(format!("nothing is fed to {name}"))?.bytes,
        ));
    }
    let outputs = run(&model, &inputs)?;
    case.difference(&outputs).map_or(Ok(()), Err)
}

/// Runs every case, prints the count and every failure, and compares with the list of refused ones.
fn all(machine: &str, run: &Run<'_>) {
    let Some(cases) = node_cases::load() else {
        return;
    };
    let listed: Vec<&str> = node_cases::listed().iter().map(|(_, name)| *name).collect();
    let names: Vec<&str> = cases.iter().map(|case| &*case.name).collect();
    assert_eq!(names, listed, "every listed case is run, and no other");
    let failed = cases.iter().filter_map(|case| {
        let why = outcome(case, run).err()?;
        Some((&*case.name, why))
    });
    let failed: Vec<(&str, String)> = failed.collect();
    let mut out = stdout();
    let passed = cases.len() - failed.len();
    let _ = writeln!(
        out,
        "{machine}: {passed} of {} node cases pass",
        cases.len()
    );
    for (name, why) in &failed {
        let _ = writeln!(out, "  {name}: {why}");
    }
    let failed: BTreeSet<&str> = failed.into_iter().map(|(name, _)| name).collect();
    let refused: BTreeSet<&str> = refused().into_iter().collect();
    let apart: Vec<&&str> = failed.symmetric_difference(&refused).collect();
    assert!(
        apart.is_empty(),
        "they pass, or fail, unlike the list says: {apart:?}"
    );
}

/// The outputs of a model of which a run has to count first; `None` for any other.
fn counted(
    model: &Model,
    machine: &Machine,
    inputs: &[Vec<u32>],
) -> Option<Result<Outputs, String>> {
    if model.program.graph.counts.is_empty() {
        return None;
    }
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = Question {
        inputs: Inputs::Given(inputs.iter().cloned().map(Some).collect()),
        ..question(model, &plan)
    };
    let found = pollster::block_on(execute(machine, &question, 1));
    let outputs = found.map(|found| found.outputs.into_iter().map(|it| it.1).collect());
    Some(outputs.map_err(|why| why.to_string()))
}

fn lowered(model: &Model) -> Result<executor::lower::Lowered, String> {
    let plan = model.plan(Strategy::OffsetsBySize);
    model.lowered(&plan).map_err(|why| why.to_string())
}

#[test]
fn node_cases_pass_on_the_cpu() {
    all("CPU", &|model, inputs| {
        if let Some(found) = counted(model, &Machine::Cpu, inputs) {
            return found;
        }
        Ok(model.on_cpu(&lowered(model)?, inputs))
    });
}

#[test]
fn node_cases_pass_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let machine = Machine::Gpu(gpu.clone());
    all("GPU", &|model, inputs| {
        if let Some(found) = counted(model, &machine, inputs) {
            return found;
        }
        let outputs = model.on_gpu(&gpu, &lowered(model)?, inputs, PATTERN);
        outputs.map_err(|why| why.to_string())
    });
}
