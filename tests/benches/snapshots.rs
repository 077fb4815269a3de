//! How long memory snapshots of PyTorch take from bytes to lifetimes, natively, and how much
//! memory: for 20,000 and 1,000,000 events.
//!
//! `cargo bench -p tests --bench snapshots`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::process::Command;

use planner::graph::Bindings;
use planner::load::load;
use planner::{Settings, prepare};
use tests::clock::Clock;
use tests::snapshot::Spec;

/// Each measurement is a process of its own, so that its peak of memory is its own too. It is
/// distinguished by this word.
const CHILD: &str = "--measure";

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, path] = words.as_slice()
        && word == CHILD
    {
        return measure(path);
    }
    println!("   events   file  load, s  prepare, s   buffers   peak");
    for events in [20_000, 1_000_000] {
        let name = format!("arenascope-snapshot-{}.pickle", std::process::id());
        let path = std::env::temp_dir().join(name);
        let bytes = Spec::of(1, events).make().bytes(4);
        std::fs::write(&path, &bytes)?;
        let child = Command::new(std::env::current_exe()?)
            .arg(CHILD)
            .arg(&path)
            .output()?;
        std::fs::remove_file(&path)?;
        let output = String::from_utf8_lossy(&child.stdout).into_owned();
        println!(
            "{events:>9} {:>4}MB {}",
            bytes.len() >> 20,
            output.trim_end()
        );
    }
    Ok(())
}

/// Reads the snapshot at `path` once, as a page does.
fn measure(path: &str) -> std::io::Result<()> {
    let bytes = std::fs::read(path)?;
    let clock = Clock::now();
    let (_, document, _) = load(&bytes).map_err(std::io::Error::other)?;
    let loaded = clock.seconds();
    let clock = Clock::now();
    let subject = prepare(&document, &Bindings::new(), &Settings::default());
    let subject = subject.map_err(std::io::Error::other)?;
    let prepared = clock.seconds();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!(
        "{loaded:>8.3} {prepared:>11.3} {:>9} {}",
        subject.lifetimes.buffers.len(),
        peak.unwrap_or("").trim()
    );
    Ok(())
}
