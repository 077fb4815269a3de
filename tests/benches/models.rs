//! Milliseconds to read, to prepare and to plan every model at hand, natively: the samples,
//! the fetched fixtures, and the shared models where they are.
//!
//! `cargo bench -p tests --bench models`

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::load::{Document, Source, load};
use planner::{Bytes, Options, Settings, Silent, Strategy, judged, prepare, profile};
use tests::{samples, shared};

/// Of so many runs the median counts: the first one finds cold caches.
const RUNS: usize = 5;

/// A run that takes longer than this, in milliseconds, is not repeated.
const LONG: f64 = 500.0;

fn main() {
    println!(
        "Milliseconds by file: load, prepare (shapes, folding, lifetimes, bounds), each strategy"
    );
    let names = Strategy::ALL.map(|strategy| strategy.name().replace("offsets", "off"));
    let names = names.map(|name| name.replace("greedy", "gr"));
    print!(
        "{:<44} {:>7} {:>7} {:>8}",
        "file", "buffers", "load", "prepare"
    );
    println!(
        " {} {:>8}",
        names.map(|name| format!("{name:>15}")).join(" "),
        "all"
    );
    let samples = samples::samples();
    let samples = samples
        .into_iter()
        .map(|sample| (sample.file.to_owned(), sample.bytes));
    for (name, bytes) in samples.chain(fixtures()).chain(shared::models("")) {
        match row(&bytes) {
            Ok(row) => println!("{name:<44} {row}"),
            Err(error) => println!("{name:<44} NOT MEASURED: {error}"),
        }
    }
}

/// The models that `tests/fixtures.mjs` has fetched.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/fixtures");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("SKIPPED: the fixtures are not here; `node tests/fixtures.mjs` fetches them");
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let file = |path: &std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some((name, std::fs::read(path).ok()?))
    };
    paths.iter().filter_map(file).collect()
}

fn row(file: &dyn Source) -> Result<String, String> {
    let (_, document, _) = load(file).map_err(|error| error.to_string())?;
    let model = matches!(document, Document::Model(_));
    let alignment = Bytes(if model { 64 } else { 1 });
    let settings = Settings {
        alignment,
        ..Settings::default()
    };
    let ready = || prepare(&document, &Bindings::new(), &settings);
    let lifetimes = ready().map_err(|error| error.to_string())?.lifetimes;
    let known = bounds(&lifetimes);
    let loading = median(|| drop(black_box(load(file))));
    let preparing = median(|| {
        if let Ok(subject) = ready() {
            black_box((bounds(&subject.lifetimes), profile(&subject.lifetimes)));
        }
    });
    let mut all = loading + preparing;
    let mut cells = format!(
        "{:>7} {loading:>7.2} {preparing:>8.2}",
        lifetimes.buffers.len()
    );
    for strategy in Strategy::ALL {
        let options = Options::aligned(alignment);
        let plan = || judged(strategy, &lifetimes, &known, &options, &mut Silent);
        plan().map_err(|error| error.to_string())?;
        let planning = median(|| drop(black_box(plan())));
        all += planning;
        cells += &format!(" {planning:>15.2}");
    }
    Ok(format!("{cells} {all:>8.1}"))
}

/// The median time of some runs, in milliseconds.
fn median(mut run: impl FnMut()) -> f64 {
    let mut times = Vec::with_capacity(RUNS);
    while times.len() < RUNS && times.iter().all(|&time| time < LONG) {
        let start = Instant::now();
        run();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
