//! How long a sweep of a log takes: every heuristic at budgets from a tenth to nine tenths of what
//! it takes without one.
//!
//! `cargo bench -p tests --bench dtr`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use planner::Bytes;
use planner::training::dtr::{Ended, Heuristic, Limits, Log, read, run};
use tests::samples::samples;
use tests::shared::{files, unpacked};

fn main() {
    let sample = samples().into_iter().find(|it| it.id == "unet_training");
    let sample = sample.map(|it| (it.file.to_owned(), it.bytes));
    let packed = files("data/dtr", ".log.gz").into_iter();
    let logs = packed.map(|(name, bytes)| (name, unpacked(&bytes)));
    for (name, bytes) in sample.into_iter().chain(logs) {
        let text = String::from_utf8(bytes).expect("text");
        sweep(&name, &read(&text).expect("a log"));
    }
}

fn sweep(name: &str, log: &Log) {
    let free = run(log, Heuristic::Lru, Limits::default(), None);
    let mut whole = 0.0;
    for heuristic in &Heuristic::ALL[..7] {
        let begun = Instant::now();
        let mut well = 0;
        for tenths in 1..=9 {
            let limits = Limits {
                budget: Some(Bytes(free.peak.0 / 10 * tenths)),
                recompute: Some(free.first),
                ..Limits::default()
            };
            well += u32::from(run(log, *heuristic, limits, None).ended == Ended::Well);
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{name:<20} {:<14} {well} of 9 end well {seconds:>7.3} s",
            heuristic.name()
        );
        whole += seconds;
    }
    println!("{name:<20} {:<14} {whole:>24.3} s", "all");
}
