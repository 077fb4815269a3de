//! The samples' figures agree with those of a second implementation, in another language.
//! Deployed plans bring figures of their own: see `deployed/samples.rs`; for training runs see
//! `training/sample_log.rs`.

use tests::figures::{expected, measure};
use tests::samples::{Group, Sample, samples};

#[test]
fn figures_agree_with_the_second_implementation() {
    let expected = expected(include_str!("../data/sample_figures.json")).unwrap();
    let samples = samples();
    let planned = |sample: &&Sample| matches!(sample.group, Group::Model | Group::Problem);
    for sample in samples.iter().filter(planned) {
        let listed = expected.iter().any(|row| row.file == sample.file);
        assert!(listed, "no figures for {}", sample.file);
    }
    let mut wrong = Vec::new();
    for row in &expected {
        let sample = samples.iter().find(|sample| sample.file == row.file);
        match measure(&row.file, &sample.unwrap().bytes, &row.bind) {
            Ok(measured) if measured == *row => {}
            other => wrong.push(format!("{other:?}\ninstead of {row:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
