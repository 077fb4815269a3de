//! The samples' figures agree with those of a second implementation, in another language:
//! `tests/data/sample_figures.py`.

use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::liveness::Settings;
use planner::load::load;
use planner::pipeline::{judged, prepare};
use planner::plan::Options;
use planner::strategies::{Silent, Strategy};
use planner::units::Bytes;
use serde::Deserialize;
use tests::samples::samples;

#[derive(Deserialize)]
struct Table {
    samples: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    file: String,
    bind: Bindings,
    steps: Option<u64>,
    intermediates: usize,
    naive: u64,
    lb_offset: u64,
    lb_shared: u64,
    off_gbs: u64,
    off_gbb: u64,
    off_inorder: u64,
}

#[test]
fn figures_agree_with_the_second_implementation() {
    let table: Table = serde_json::from_str(include_str!("../data/sample_figures.json")).unwrap();
    let samples = samples();
    for sample in &samples {
        let listed = table.samples.iter().any(|row| row.file == sample.file);
        assert!(listed, "no figures for {}", sample.file);
    }
    for row in &table.samples {
        let sample = samples.iter().find(|sample| sample.file == row.file);
        check(&sample.unwrap().bytes, row);
    }
}

fn check(bytes: &[u8], row: &Expected) {
    let place = format!("{} with {:?}", row.file, row.bind);
    let (_, document, warnings) = load(&bytes.to_vec()).unwrap();
    assert_eq!(warnings, [], "{place}");
    let subject = prepare(&document, &row.bind, &Settings::default()).unwrap();
    let lifetimes = &subject.lifetimes;
    if let Some(split) = subject.split {
        assert_eq!(split.unsized_tensors, 0, "{place}");
    }
    if let Some(steps) = row.steps {
        assert_eq!(lifetimes.schedule.len() as u64, steps, "{place}: steps");
    }
    assert_eq!(lifetimes.buffers.len(), row.intermediates, "{place}");
    let bounds = bounds(lifetimes);
    assert_eq!(bounds.offsets, Bytes(row.lb_offset), "{place}: bound");
    assert_eq!(bounds.objects, Bytes(row.lb_shared), "{place}: objects");
    // Sizes are rounded already, and those of problems are to stay as they are.
    let options = Options {
        alignment: Bytes(1),
    };
    for (strategy, arena) in [
        (Strategy::Naive, row.naive),
        (Strategy::OffsetsBySize, row.off_gbs),
        (Strategy::OffsetsByBreadth, row.off_gbb),
        (Strategy::OffsetsInOrder, row.off_inorder),
    ] {
        let judged = judged(strategy, lifetimes, &bounds, &options, &mut Silent).unwrap();
        assert_eq!(judged.plan.arena, Bytes(arena), "{place}: {strategy:?}");
        assert_eq!(judged.violations, [], "{place}: {strategy:?}");
    }
}
