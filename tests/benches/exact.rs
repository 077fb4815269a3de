//! The exact search on published and generated problems: nodes, milliseconds, heights.
//!
//! `cargo bench -p tests --bench exact`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and may fail loudly"
)]

use planner::liveness::{Buffer, Lifetimes};
use planner::plan::Options;
use planner::strategies::Silent;
use planner::strategies::exact::{Answer, Rules, fits};
use planner::units::{Bytes, Span};
use std::time::Instant;
use tests::shared;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let cap: u64 = args.get(2).and_then(|x| x.parse().ok()).unwrap_or(1048576);
    let want = args.get(1).cloned().unwrap_or_default();
    let mut total = 0.0;
    for (file, content) in shared::files("data/minimalloc", ".csv") {
        if !file.starts_with(&want) && want.len() == 1 {
            continue;
        }
        let text = String::from_utf8(content).unwrap();
        let rows = text.lines().skip(1).map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            let cell = |i: usize| cells[i].parse::<u64>().unwrap();
            Buffer::new(cells[0], cell(3), Span::new(cell(1), cell(2)))
        });
        let lifetimes = Lifetimes::of(rows);
        let mut options = Options::aligned(Bytes(1));
        options.effort.nodes = 200_000_000;
        let t = Instant::now();
        let fit = fits(&lifetimes, Bytes(cap), &options, Rules::ALL, &mut Silent).unwrap();
        let ms = t.elapsed().as_secs_f64() * 1e3;
        total += ms;
        let what = match fit.answer {
            Answer::Fits(plan) => {
                assert!(planner::check::check(&lifetimes, &plan, &options).is_empty());
                format!("fits {}", plan.arena.0)
            }
            Answer::Never(b) => format!("never {b:?}"),
            Answer::Unknown => "unknown".into(),
        };
        println!(
            "{file:20} {:>10} nodes {ms:>10.1} ms {:>6.2} us/node {what}",
            fit.nodes,
            ms * 1e3 / fit.nodes.max(1) as f64
        );
    }
    println!("{total:.1} ms");
}
