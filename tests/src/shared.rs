//! Real models, problems, dumps and published figures. Some come with the project, in
//! `tests/data/shared` (the problems are google/minimalloc's, Apache-2.0). The others lie in a
//! folder `shared` beside the checkout: a test that uses them is skipped, and counted so with what
//! it needs, where they are absent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planner::Lifetimes;
use planner::load::{Document, load};
use serde_json::Value;

use crate::skipped::skip;

/// Where `part` may be: of what comes with the project, and of the folder that
/// `ARENASCOPE_SHARED` names, or `shared` beside the checkout.
fn paths(part: &str) -> [PathBuf; 2] {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = tests.join("../../shared");
    let shared = std::env::var_os("ARENASCOPE_SHARED").map_or(beside, PathBuf::from);
    [tests.join("data/shared"), shared].map(|folder| folder.join(part))
}

/// Name and content of every file of the folder `part` whose name ends with `ending`, by name;
/// nothing, and the test is skipped, where there is no such file.
///
/// # Panics
/// When the folder is there but cannot be read.
#[must_use]
pub fn files(part: &str, ending: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for folder in paths(part).into_iter().filter(|path| path.exists()) {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(name) = name.filter(|it| it.ends_with(ending) && path.is_file()) {
                let content = std::fs::read(&path).expect("the file can be read");
                found.insert(name.to_owned(), content);
            }
        }
    }
    if found.is_empty() {
        skip(&format!("needs ../shared/{part}/*{ending}"));
    }
    found.into_iter().collect()
}

/// What a gzip file of one member without a comment holds (RFC 1952, section 2.3).
///
/// # Panics
/// When it is no such file.
#[must_use]
pub fn unpacked(file: &[u8]) -> Vec<u8> {
    assert_eq!(file[..3], [0x1f, 0x8b, 8], "gzip, deflated");
    let named = file[3] & 8 != 0;
    let name = file[10..].iter().position(|byte| *byte == 0);
    let start = 10 + name.filter(|_| named).map_or(0, |end| end + 1);
    let body = &file[start..file.len() - 8];
    miniz_oxide::inflate::decompress_to_vec(body).expect("it can be inflated")
}

/// The models whose file names end with `ending`.
#[must_use]
pub fn models(ending: &str) -> Vec<(String, Vec<u8>)> {
    files("models", ending)
}

/// The public placement problems, by the letters that google/minimalloc gives them.
///
/// # Panics
/// When the files are there but are no problems.
#[must_use]
pub fn problems() -> Vec<(String, Lifetimes)> {
    let files = files("data/minimalloc", ".1048576.csv");
    let read = |(name, content): (String, Vec<u8>)| {
        let (_, document, _) = load(&content).expect("the file is a problem");
        let Document::Problem(lifetimes) = document else {
            panic!("{name} is no problem");
        };
        let letter = name.split('.').next().unwrap_or(&name);
        (letter.to_owned(), lifetimes)
    };
    files.into_iter().map(read).collect()
}

/// The figures of every model from an independent implementation: one object of numbers per
/// file name. `None` where they are absent.
///
/// # Panics
/// When they are there but are no JSON.
#[must_use]
pub fn model_figures() -> Option<Value> {
    let (_, text) = files("vectors", "model_figures.json").pop()?;
    let mut all: Value = serde_json::from_slice(&text).expect("the figures are JSON");
    Some(all["models"].take())
}
