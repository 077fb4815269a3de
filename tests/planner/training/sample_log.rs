//! The log that comes with the page: it says what the training step says, and shows what the
//! budget of a runtime is in addresses.

use planner::attribution::{self, Attribution};
use planner::graph::Bindings;
use planner::load::load;
use planner::schedule::Phase;
use planner::training::dtr::{Ended, Heuristic, Limits, Log, log_text, read, residencies, run};
use planner::training::layers::{Layer, Layers};
use planner::training::placements::placements;
use planner::training::stage::step;
use planner::{Buffer, Bytes, Effort, Recipe, Settings, Silent, Strategy, prepare};
use tests::samples::{TRAINED, samples};

fn sample(id: &str) -> Vec<u8> {
    let all = samples();
    let found = all.into_iter().find(|sample| sample.id == id);
    found.expect("a sample of this name").bytes
}

#[test]
fn a_step_is_read_again_as_it_was_written() {
    let text = String::from_utf8(sample("unet_training")).expect("text");
    let written = read(&text).expect("a log");
    let (_, document, _) = load(&sample("unet")).expect("a model");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let (batch, rate) = TRAINED;
    let graph = subject.graph().expect("a model");
    let step = step(graph, batch, Recipe::default())
        .expect("a step")
        .problem;
    let mut log = Log::from(&step);
    for call in &mut log.calls {
        call.cost /= rate;
        // A log knows two phases.
        if call.phase != Phase::Backward {
            call.phase = Phase::Forward;
        }
    }
    assert_eq!(written, log);
}

#[test]
fn values_of_one_name_are_told_apart() {
    let layer = |inputs| Layer {
        name: "same".to_owned(),
        inputs,
        flops: 1,
        bytes: 1,
        parameters: 0,
    };
    let layers = Layers {
        name: "step".to_owned(),
        batch: 1,
        list: vec![layer(vec![]), layer(vec![0]), layer(vec![0, 1])],
    };
    let step = layers.problem(1).expect("a step");
    let read = read(&log_text(&step, 1)).expect("a log");
    assert_eq!(read.events, Log::from(&step).events);
    assert_eq!(read.calls[2].reads, [0, 1]);
}

/// Under half of what it takes, as measured of a real U-Net: the bytes are those of the budget,
/// and who sees less of the schedule needs more addresses.
#[test]
fn half_the_bytes_are_not_half_the_addresses() {
    let text = String::from_utf8(sample("unet_training")).expect("text");
    let log = read(&text).expect("a log");
    let free = run(&log, Heuristic::DtrEq, Limits::default(), None);
    let budget = Bytes(free.peak.0 / 2);
    let limits = Limits {
        budget: Some(budget),
        ..Limits::default()
    };
    let played = run(&log, Heuristic::DtrEq, limits, None);
    assert_eq!(played.ended, Ended::Well);
    let quick = Effort { nodes: 0, moves: 0 };
    let placed = placements(&residencies(&log, &played), quick, &mut Silent);
    assert!(placed.bound <= budget && placed.bound.0 * 100 > budget.0 * 99);
    let needed = |strategy| {
        let row = placed.rows.iter().find(|row| row.strategy == strategy);
        row.expect("a row").bytes.clone().expect("a plan")
    };
    let by_sight = [
        Strategy::OffsetsBySize,
        Strategy::MegenginePushdown,
        Strategy::MegengineBestFit,
        Strategy::PytorchCaching,
    ]
    .map(needed);
    assert!(placed.bound < by_sight[0]);
    assert!(
        by_sight.windows(2).all(|pair| pair[0] < pair[1]),
        "{by_sight:?}"
    );
}

/// Every stay in memory is of a phase, also what is computed again in the backward pass.
#[test]
fn what_is_in_memory_belongs_to_a_phase() {
    let (_, document, _) = load(&sample("unet_training")).expect("a log");
    let free = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let half = planner::training::choice::of(
        planner::training::Policy::Live(Heuristic::DtrEq),
        1,
        Some(Bytes(
            free.lifetimes
                .buffers
                .iter()
                .map(|it| it.size.0)
                .sum::<u64>()
                / 4,
        )),
        Recipe::default(),
    );
    let under = Settings {
        training: Some(half),
        ..Settings::default()
    };
    let under = prepare(&document, &Bindings::new(), &under).expect("sizes");
    for subject in [free, under] {
        let lifetimes = &subject.lifetimes;
        assert!(!lifetimes.buffers.is_empty());
        let told = Attribution::of(lifetimes, &[], &subject.stacks, &subject.scopes).phases;
        let after_start = |it: &(_, &Buffer)| it.1.span.start.0 > 0;
        for (phase, buffer) in told.iter().zip(&lifetimes.buffers).filter(after_start) {
            // What the log has made in its backward pass is a gradient by its name.
            let backward = buffer.name.contains("grad");
            let expected = match backward {
                true => attribution::Phase::Backward,
                false => attribution::Phase::Forward,
            };
            assert_eq!(*phase, Some(expected), "{}", buffer.name);
        }
    }
}
