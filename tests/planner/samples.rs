//! The committed samples are what their generator writes, and small enough to come with the
//! page.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tests::samples::{index, samples};

const LARGEST: usize = 100_000;
const REMEDY: &str = "run `cargo run -p tests --bin samples` and commit what it writes";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public/samples")
}

#[test]
fn committed_samples_are_what_the_generator_writes() {
    for sample in samples() {
        let committed = fs::read(folder().join(sample.file)).unwrap();
        assert!(committed == sample.bytes, "{}: {REMEDY}", sample.file);
        assert!(committed.len() < LARGEST, "{} is too large", sample.file);
    }
    let committed = fs::read_to_string(folder().join("index.json")).unwrap();
    assert!(committed == index(), "index.json: {REMEDY}");
}

#[test]
fn every_file_is_listed_once() {
    let listed: Vec<String> = samples().iter().map(|s| s.file.to_owned()).collect();
    let mut expected: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(expected.len(), listed.len());
    expected.insert("index.json".to_owned());
    let files = fs::read_dir(folder()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), expected);
}
