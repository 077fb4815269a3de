//! What an audit costs over a plain run, on the GPU at hand, for every sample that runs.
//!
//! `cargo bench -p tests --bench audit [NAME]`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use executor::verify::report::Report;
use executor::verify::{Failure, Machine, Question};
use planner::Strategy;
use planner::load::{Document, load};
use tests::confirmations::{question, report};
use tests::runs::{Model, gpu};
use tests::samples;

/// Confirmations of each sample; the first one compiles.
const RUNS: usize = 5;

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let Some(connection) = gpu() else { return };
    println!("{}", connection.adapter.name);
    println!(
        "{:<28} {:>6} {:>12} {:>10} {:>10} {:>7}",
        "sample", "steps", "arena B", "plain ms", "audit ms", "over"
    );
    let machine = Machine::Gpu(connection);
    for sample in samples::samples() {
        if wanted
            .as_ref()
            .is_some_and(|name| !sample.file.contains(name))
        {
            continue;
        }
        let Ok((_, Document::Model(_), _)) = load(&sample.bytes) else {
            continue;
        };
        let model = Model::open(&sample.bytes);
        let reports: Result<Vec<Report>, Failure> =
            (0..RUNS).map(|_| confirmed(&machine, &model)).collect();
        match reports {
            Ok(reports) => row(sample.file, model.program.schedule.len(), &reports),
            Err(why) => println!("{:<28} NOT MEASURED: {why:.120}", sample.file),
        }
    }
}

fn confirmed(machine: &Machine, model: &Model) -> Result<Report, Failure> {
    let plan = model.plan(Strategy::OffsetsBySize);
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64() * 1e3;
    let question = Question {
        clock: &clock,
        naive: false,
        reference: false,
        ..question(model, &plan)
    };
    report(machine, &question)
}

/// The fastest of all runs, since other work on the machine only ever adds.
fn row(name: &str, steps: usize, reports: &[Report]) {
    let runs = reports.iter().flat_map(|report| &report.runs);
    let plain = runs.map(|run| run.time).fold(f64::INFINITY, f64::min);
    let audits = reports
        .iter()
        .filter_map(|report| report.audit.as_ref().ok());
    let audit = audits.map(|audit| audit.time).fold(f64::INFINITY, f64::min);
    println!(
        "{name:<28} {steps:>6} {:>12} {plain:>10.1} {audit:>10.1} {:>6.0}%",
        reports[0].allocated.0,
        (audit / plain - 1.0) * 100.0
    );
}
