//! How far above the bound each strategy ends, in percent of the bound: on the public problems
//! where they are, and on full rectangles cut into pieces, whose optimum is the bound.
//!
//! `cargo bench -p tests --bench quality`. Those that search get 50 ms a problem in one row and
//! 5 s in others; `-- 0.5` makes that half a second.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::ops::ControlFlow;
use std::time::Duration;

use planner::bounds::bounds;
use planner::trace::Event;
use planner::{Bytes, Effort, Lifetimes, Observer, Options, Silent, Strategy, check, plan};
use tests::clock::Clock;
use tests::problems::cut_rectangle;
use tests::shared;

/// What a search gets that is to be quick.
const QUICK: Duration = Duration::from_millis(50);

struct Problem {
    name: String,
    lifetimes: Lifetimes,
    bound: u64,
}

/// Breaks off when the time is over: so many seconds.
struct Until(Clock, f64);

impl Observer for Until {
    fn observe(&mut self, _: Event) -> ControlFlow<()> {
        match self.0.seconds() < self.1 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

fn main() {
    let seconds = std::env::args().find_map(|word| word.parse::<f64>().ok());
    let long = Duration::from_secs_f64(seconds.unwrap_or(5.0));
    let public: Vec<Problem> = shared::problems().into_iter().map(problem).collect();
    let made: Vec<Problem> = generated().into_iter().map(problem).collect();
    println!("Percent above the bound; ms is the longest time for one problem");
    let names = public
        .iter()
        .chain(&made)
        .map(|it| format!("{:>6}", it.name));
    let names: Vec<String> = names.collect();
    println!(
        "{:<30} {} {:>7} {:>7} {:>7}",
        "",
        names.join(" "),
        "public",
        "cut",
        "ms"
    );
    for strategy in Strategy::ALL {
        for (label, effort, limit) in efforts(strategy, long) {
            let name = match label.is_empty() {
                true => strategy.name().to_owned(),
                false => format!("{strategy}, {label}"),
            };
            let row = row(strategy, (&public, &made), effort, limit);
            println!("{name:<30} {row}");
        }
    }
}

/// What a strategy is given, row by row.
fn efforts(strategy: Strategy, long: Duration) -> Vec<(String, Effort, Option<Duration>)> {
    let row = |label: &str, nodes, moves, limit: Duration| {
        let seconds = limit.as_secs_f64();
        let label = format!("{label}{seconds} s");
        (label, Effort { nodes, moves }, Some(limit))
    };
    match strategy {
        Strategy::Best => vec![
            row("one pass, ", 0, 0, QUICK),
            row("local search, ", 0, u64::MAX, long),
            row("", u64::MAX, u64::MAX, long),
        ],
        Strategy::Exact => vec![row("", u64::MAX, 0, QUICK), row("", u64::MAX, 0, long)],
        _ => vec![(String::new(), Effort::DEFAULT, None)],
    }
}

fn problem((name, lifetimes): (String, Lifetimes)) -> Problem {
    let bound = bounds(&lifetimes).offsets.0;
    Problem {
        name,
        lifetimes,
        bound,
    }
}

/// Rectangles of 1 MiB cut into more and more pieces.
fn generated() -> Vec<(String, Lifetimes)> {
    let pieces = [20, 50, 100, 150, 200, 300, 400, 1000];
    let cut = pieces.map(|count: usize| {
        let known = cut_rectangle(count as u64, count, 4 * count as u64, 1024, 1024);
        (format!("cut{count}"), known.lifetimes)
    });
    cut.into()
}

/// One cell per problem, both means, and the longest time.
fn row(
    strategy: Strategy,
    (public, made): (&[Problem], &[Problem]),
    effort: Effort,
    limit: Option<Duration>,
) -> String {
    let mut cells = String::new();
    let mut means = String::new();
    let mut longest = 0.0_f64;
    for problems in [public, made] {
        let mut sum = 0.0;
        for problem in problems {
            let start = Clock::now();
            let found = above(strategy, problem, effort, limit);
            longest = longest.max(start.seconds());
            cells += &found.map_or(format!("{:>6} ", "-"), |it| format!("{it:>6.2} "));
            sum += found.unwrap_or(f64::NAN);
        }
        means += &format!("{:>7.2} ", sum / problems.len() as f64);
    }
    format!("{cells}{means}{:>7.1}", longest * 1e3)
}

/// Percent above the bound; `None` where there is no plan, or none in time.
fn above(
    strategy: Strategy,
    problem: &Problem,
    effort: Effort,
    limit: Option<Duration>,
) -> Option<f64> {
    let options = Options {
        effort,
        ..Options::aligned(Bytes(1))
    };
    let mut until = limit.map(|limit| Until(Clock::now(), limit.as_secs_f64()));
    let observer: &mut dyn Observer = match &mut until {
        Some(until) => until,
        None => &mut Silent,
    };
    let plan = plan(strategy, &problem.lifetimes, &options, observer).ok()?;
    assert_eq!(check(&problem.lifetimes, &plan, &options), [], "{strategy}");
    let bound = problem.bound as f64;
    Some((plan.arena.0 as f64 - bound) / bound * 100.0)
}
