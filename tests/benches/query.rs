//! Milliseconds from a key press to what it finds, over 10,000 buffers: read, evaluate and
//! complete. A frame has 16.
//!
//! `cargo bench -p tests --bench query`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use planner::Step;
use planner::deployed::{Frame, Note, Stacks};
use planner::query::{Facts, Known, Sources, complete, parse};
use tests::lifetimes::scattered;

const RUNS: u32 = 21;

const QUERIES: [&str; 7] = [
    "b12",
    "b*1?2*",
    "size > 1KiB and op = op3 and live at 120",
    "not (size < 4KiB or length > 30) and live at peak",
    "function = f77 or file ~ ^src*py$",
    "live at \"step*\"",
    "waste = needed or name ~ 9 or alias ~ 9 or frame ~ 9 or op ~ 9",
];

fn main() {
    let mut lifetimes = scattered(7, 10_000, 5_000, 1 << 20);
    lifetimes.step_names = (0..5_000).map(|step| format!("step {step}")).collect();
    let notes: Vec<Note> = (0..10_000_u32)
        .map(|index| Note {
            op: format!("op{}", index % 23),
            stack: index % 400,
            ..Note::default()
        })
        .collect();
    let frames = (0..400)
        .map(|index| Frame {
            function: format!("f{index}"),
            file: format!("src/{}.py", index % 40),
            line: index,
        })
        .collect();
    let stacks = (0..400).map(|stack| (0..20).map(|frame| (stack * 7 + frame) % 400).collect());
    let stacks = stacks.collect();
    let begin = Instant::now();
    let facts = Facts::new(Sources {
        lifetimes: &lifetimes,
        program: None,
        notes: &notes,
        scopes: &[],
        stacks: &Stacks { frames, stacks },
        peak: Step(120),
        waste: None,
    });
    println!("{:>8.3} ms  gathering facts, once", ms(begin));
    let known = Known {
        lifetimes: &lifetimes,
        facts: &facts,
        plan: None,
    };
    let mut worst = 0.0_f64;
    for written in QUERIES {
        let times = (0..RUNS).map(|_| {
            let begin = Instant::now();
            let query = parse(written).unwrap_or_else(|error| panic!("{written}: {error}"));
            let found = query.matches(&known).len();
            let offered = complete(written, written.len(), &facts).candidates.len();
            std::hint::black_box((found, offered));
            ms(begin)
        });
        let mut times: Vec<f64> = times.collect();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        worst = worst.max(median);
        println!("{median:>8.3} ms  {written}");
    }
    assert!(worst < 16.0, "a key press takes {worst:.3} ms");
}

fn ms(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e3
}
