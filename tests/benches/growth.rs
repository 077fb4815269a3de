//! How the time of every strategy grows with the number of buffers, natively: seconds for
//! 10³, 10⁴, 10⁵ and 10⁶ buffers, the slope of each step in the log-log plane (1 is linear,
//! 2 quadratic), and the most memory that the largest of them took, the problem included.
//!
//! `cargo bench -p tests --bench growth`, or with some strategies' names after `--`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use planner::{Bytes, Effort, Lifetimes, Options, Silent, Span, Strategy, plan};
use tests::clock::{Clock, processor};
use tests::lifetimes::of;
use tests::random::Random;

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// What would take longer than this, in seconds, is not tried.
const PATIENCE: f64 = 15.0;

/// Of this effort a local search makes a few moves and the exact search a few nodes: growth is
/// that of the strategies, not of their budgets.
const EFFORT: Effort = Effort {
    nodes: 1_000,
    moves: 100,
};

/// Each measurement is a process of its own, so that its peak of memory is its own too. It is
/// distinguished by this word.
const CHILD: &str = "--measure";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, strategy, size] = words.as_slice()
        && word == CHILD
    {
        return measure(strategy, size);
    }
    let chosen: Vec<Strategy> = words.iter().filter_map(|word| word.parse().ok()).collect();
    println!("Seconds of the processor by n; what takes over {PATIENCE:.0} s is stopped");
    println!("{:<24} {}   slopes        peak", "seconds for n =", heads());
    for strategy in Strategy::ALL {
        if chosen.is_empty() || chosen.contains(&strategy) {
            println!("{:<24} {}", strategy.name(), row(strategy));
        }
    }
}

fn heads() -> String {
    SIZES.map(|size| format!("{size:>9}")).join(" ")
}

fn row(strategy: Strategy) -> String {
    let mut seconds: Vec<f64> = Vec::new();
    let mut cells = String::new();
    let mut peak = String::new();
    let mut reason = None;
    for size in SIZES {
        reason = reason.or_else(|| too_long(&seconds, size));
        let found = match &reason {
            Some(_) => None,
            None => match run(strategy, size) {
                Ok(found) => Some(found),
                Err(error) => {
                    reason = Some(error);
                    None
                }
            },
        };
        match found {
            Some((time, memory)) => {
                cells += &format!("{time:>9.4} ");
                seconds.push(time);
                peak = memory;
            }
            None => cells += &format!("{:>9} ", "-"),
        }
    }
    let slopes = seconds.windows(2).map(|pair| format!("{:.2}", slope(pair)));
    let slopes: Vec<String> = slopes.collect();
    let reason = reason.map_or(String::new(), |reason| format!("  - {reason}"));
    format!("{cells}  {:<14}{peak:>7}{reason}", slopes.join(" "))
}

/// Powers of ten in time for one power of ten in size.
fn slope(pair: &[f64]) -> f64 {
    (pair[1] / pair[0]).log10()
}

/// Why the next size is not worth a try.
fn too_long(seconds: &[f64], size: u64) -> Option<String> {
    // No strategy takes less than linear time, and as a rule it grows as before.
    let last = seconds.last()?;
    let grown = match seconds {
        [.., before, _] if *before > 1e-3 => (last / before).max(10.0),
        _ => 10.0,
    };
    let next = grown * last;
    (next > PATIENCE).then(|| format!("stopped before n = {size}: some {next:.0} s"))
}

/// Seconds, and the peak of memory in words.
fn run(strategy: Strategy, size: u64) -> Result<(f64, String), String> {
    let failed = |error: std::io::Error| error.to_string();
    let own = std::env::current_exe().map_err(failed)?;
    let mut child = Command::new(own)
        .args([CHILD, strategy.name(), &size.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    // Time to make the problem as well.
    let most = Duration::from_secs_f64(PATIENCE + 5.0);
    let start = Instant::now();
    while child.try_wait().map_err(failed)?.is_none() {
        let worked = processor(&child.id().to_string());
        if worked.unwrap_or_else(|| start.elapsed()) > most {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(format!("stopped at n = {size}: over {PATIENCE:.0} s"));
        }
        sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let measured = text.split_once(' ').and_then(|(time, memory)| {
        let time = time.parse().ok()?;
        Some((time, memory.to_owned()))
    });
    measured.ok_or(if text.is_empty() {
        "it broke".to_owned()
    } else {
        text
    })
}

fn measure(strategy: &str, size: &str) {
    let (Ok(strategy), Ok(size)) = (strategy.parse::<Strategy>(), size.parse()) else {
        return;
    };
    let lifetimes = crowd(size);
    let options = Options {
        effort: EFFORT,
        ..Options::aligned(Bytes(64))
    };
    let mut times = Vec::new();
    while times.len() < 3 && times.iter().sum::<f64>() < 0.5 {
        let start = Clock::now();
        if let Err(error) = plan(strategy, &lifetimes, &options, &mut Silent) {
            println!("{error}");
            return;
        }
        times.push(start.seconds());
    }
    let best = times.into_iter().fold(f64::INFINITY, f64::min);
    println!("{best} {}", peak());
}

/// The most memory that this process has held, where the system reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("-".to_owned(), |it| format!("{} MB", it / 1024))
}

/// `count` buffers, about 30 of them live at any step: sizes from 64 B to 256 KB and lifetimes
/// from 1 to 120 steps, the small and short ones far more often.
fn crowd(count: u64) -> Lifetimes {
    let mut random = Random::new(1);
    of((0..count).map(|_| {
        let start = random.below(count);
        let (short, small) = (random.below(6), random.below(12));
        let steps = random.within(1, 1 + (120 >> short));
        let size = 64 * random.within(1, 1 + (4096 >> small));
        (size, Span::new(start, start + steps))
    }))
}
