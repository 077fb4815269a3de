//! How long quantised models run on the GPU at hand: on floats between integers, and on integers.
//!
//! `cargo bench -p tests --bench quantised [NAME]`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use planner::{Bytes, Settings, Strategy, passes};
use tests::runs::{Model, gpu, words};
use tests::whole_models::load_quantised;

/// Runs of each; the first one compiles.
const RUNS: usize = 8;

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let Some(connection) = gpu() else { return };
    println!("{}", connection.adapter.name);
    println!(
        "{:<24} {:<10} {:>10} {:>10}",
        "model", "pass", "arena B", "ms"
    );
    for whole in load_quantised().unwrap_or_default() {
        if wanted
            .as_ref()
            .is_some_and(|name| !whole.name.contains(name))
        {
            continue;
        }
        for choice in ["", "quantised"] {
            let settings = Settings {
                alignment: Bytes(4),
                passes: passes::parse(choice).expect("passes"),
                ..Settings::default()
            };
            let model = Model::open_with(&whole.content(), settings);
            let plan = model.plan(Strategy::OffsetsBySize);
            let lowered = model.lowered(&plan).expect("kernels for all");
            let inputs: Vec<Vec<u32>> = whole.inputs.iter().map(|it| words(&it.f32s())).collect();
            let mut times = model
                .timed_on_gpu(&connection, &lowered, &inputs, RUNS)
                .expect("runs");
            times.sort_unstable();
            let median = times[RUNS / 2].as_secs_f64() * 1e3;
            println!(
                "{:<24} {choice:<10} {:>10} {median:>10.1}",
                whole.name, plan.arena.0
            );
        }
    }
}
