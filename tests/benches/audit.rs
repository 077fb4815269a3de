//! What an audit costs over a plain run, on the GPU at hand, for every sample that runs.
//!
//! `cargo bench -p tests --features gpu --bench audit [NAME]`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use executor::measure::report::Report;
use executor::measure::{Failure, Machine, Question};
use planner::load::{Document, load};
use planner::strategies::Strategy;
use tests::confirmations::{question, report};
use tests::runs::{Model, gpu};
use tests::samples;

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
        match confirmed(&machine, &model) {
            Ok(report) => row(sample.file, model.lifetimes.schedule.len(), &report),
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

fn row(name: &str, steps: usize, report: &Report) {
    let plain = report.runs.iter().map(|run| run.time);
    let plain = plain.fold(f64::INFINITY, f64::min);
    let audit = report.audit.as_ref().map_or(f64::NAN, |audit| audit.time);
    println!(
        "{name:<28} {steps:>6} {:>12} {plain:>10.1} {audit:>10.1} {:>6.0}%",
        report.allocated.0,
        (audit / plain - 1.0) * 100.0
    );
}
