//! Tests that lack what they need: a GPU, a fetched file, a file beside the checkout. They
//! return early and would pass, so each says so here, where `tests/run` counts it as skipped.

use std::fs::{self, OpenOptions};
use std::io::{Write, stderr};
use std::path::Path;
use std::{env, thread};

/// Records that the running test, or a part of it, was skipped, and why: as a line
/// `binary::test<tab>why` in the file that `ARENASCOPE_SKIPPED` names, because a test runner
/// hides what passing tests print.
///
/// # Panics
/// When that file cannot be written.
pub fn skip(why: &str) {
    let _ = writeln!(stderr(), "\nSKIPPED: {why}\n");
    let Some(path) = env::var_os("ARENASCOPE_SKIPPED") else {
        return;
    };
    // The harness runs every test in a thread of its name.
    let thread = thread::current();
    let test = thread.name().unwrap_or("unnamed thread");
    let program = env::current_exe().unwrap_or_default();
    let binary = program.file_stem().unwrap_or_default().to_string_lossy();
    let line = format!("{binary}::{test}\t{why}\n");
    // One write for one line: tests run at the same time.
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("ARENASCOPE_SKIPPED names a file that can be written");
}

/// Skips for want of something that `tests/fixtures.mjs` fetches or makes.
///
/// # Panics
/// Under CI, which fetches everything first.
pub fn skip_unfetched(what: &str) {
    let why = format!("{what} is not there: run `node tests/fixtures.mjs`");
    let under_ci = env::var_os("CI").is_some_and(|ci| !ci.is_empty());
    assert!(!under_ci, "{why}");
    skip(&why);
}

/// The fetched model `file`; `None`, and the test is skipped, when it has not been fetched.
///
/// # Panics
/// Under CI when it has not been fetched.
#[must_use]
pub fn fixture(file: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/fixtures");
    let found = fs::read(folder.join(file)).ok();
    if found.is_none() {
        skip_unfetched(file);
    }
    found
}
