//! The house keeps itself: which module may import which, how long a file may be, what it may not
//! be called, what lies at the top, and which words are never committed.
//!
//! Each rule is a function from text to findings (`file:line: what`), run once over the
//! project and once over a planted sample, so that a rule that sees nothing is noticed.

mod circles;
mod faults;
mod glossary;
mod imports;
mod paths;
mod terms;
mod type_scale;
mod words;

use std::fs;
use std::path::Path;

use circles::circles;
use imports::imports;
use type_scale::off_the_scale;
use words::{plurals, undefined};

const LONGEST: usize = 500;
const MEDIAN: usize = 200;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "helper", "helpers", "common", "types", "manager", "misc",
];

/// Everything that lies at the top, beside what git ignores.
const TOP: [&str; 16] = [
    ".cargo",
    ".ci",
    ".git",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "app",
    "clippy.toml",
    "index.html",
    "planner",
    "public",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "tests",
];

/// Folders that hold nothing written by hand.
const IGNORED: [&str; 7] = [
    ".git",
    "target",
    "dist",
    "dist.partial",
    "node_modules",
    ".cache",
    "results",
];

/// Words that mark unfinished or silenced work, split so that this file passes itself.
const UNFINISHED: [&str; 10] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("#[ig", "nore"),
    concat!("test.on", "ly("),
    concat!("test.sk", "ip("),
    concat!("test.fix", "me("),
];

/// One file that was written by hand, by its path from the top.
struct File {
    path: String,
    text: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn ends_with_any(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }
}

/// Every hand-written source, in order of path.
fn project() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    collect(&root, "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 30, "only {} files seen", files.len());
    files
}

fn collect(folder: &Path, path: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let entry = entry.expect("a readable folder");
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = format!("{path}{name}");
        if entry.path().is_dir() {
            if !IGNORED.contains(&name.as_str()) {
                collect(&entry.path(), &format!("{inside}/"), files);
            }
        } else if let Some(text) = source(&entry.path()) {
            files.push(File { path: inside, text });
        }
    }
}

/// The text of a source file; data, pictures and lock files are no prose.
fn source(path: &Path) -> Option<String> {
    const KINDS: [&str; 9] = ["rs", "ts", "mjs", "py", "wgsl", "css", "html", "sh", "toml"];
    let kind = path.extension().and_then(|extension| extension.to_str());
    let script = kind.is_none() && fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    if script || kind.is_some_and(|kind| KINDS.contains(&kind)) {
        fs::read_to_string(path).ok()
    } else {
        None
    }
}

/// Files that are too long, and a project whose typical file is.
fn lengths(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut rust = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        if lines > LONGEST {
            findings.push(format!("{}:{lines}: over {LONGEST} lines", file.path));
        }
        if file.ends_with_any(&[".rs"]) {
            rust.push(lines);
        }
    }
    rust.sort_unstable();
    if let Some(&median) = rust.get(rust.len() / 2)
        && median > MEDIAN
    {
        findings.push(format!("the median file has {median} lines, over {MEDIAN}"));
    }
    findings
}

/// Files and folders with a name that says nothing.
fn names(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| {
            file.path
                .split('/')
                .map(|part| part.split('.').next().unwrap_or_default())
                .any(|stem| EMPTY_NAMES.contains(&stem))
        })
        .map(|file| format!("{}:1: the name does not say what is inside", file.path))
        .collect()
}

/// What lies at the top and has no business there.
fn strays(entries: &[String]) -> Vec<String> {
    entries
        .iter()
        .filter(|entry| !TOP.contains(&entry.as_str()) && !IGNORED.contains(&entry.as_str()))
        .map(|entry| format!("{entry}:1: nothing of that name belongs at the top"))
        .collect()
}

/// Unfinished or silenced work.
fn unfinished(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        if !file.ends_with_any(&[".rs", ".ts", ".mjs", ".py", ".wgsl", "/run", "/serve"]) {
            continue;
        }
        for (at, line) in file.text.lines().enumerate() {
            for word in UNFINISHED.iter().filter(|word| line.contains(**word)) {
                findings.push(format!("{}:{}: {word}", file.path, at + 1));
            }
        }
    }
    findings
}

/// Unit tests and doc tests of libraries, of which no harness is built: nothing would run them.
fn not_run(files: &[File]) -> Vec<String> {
    let libraries = [
        "planner/src/",
        "app/executor/src/",
        "app/runner/src/",
        "app/timeline/src/",
        "app/worker/src/",
        "tests/src/",
    ];
    let mut findings = Vec::new();
    for file in files {
        if !libraries.iter().any(|it| file.path.starts_with(it)) {
            continue;
        }
        let mut fenced = false;
        for (at, line) in file.text.lines().enumerate() {
            let doc = line.trim_start();
            let doc = doc.strip_prefix("///").or_else(|| doc.strip_prefix("//!"));
            let fence = doc.and_then(|doc| doc.trim().strip_prefix("```"));
            if line.trim() == "#[test]" || fence.is_some_and(|kind| !fenced && kind != "text") {
                findings.push(format!("{}:{}: a test that nobody runs", file.path, at + 1));
            }
            fenced ^= fence.is_some();
        }
    }
    findings
}

fn assert_clean(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn imports_follow_the_tables() {
    assert_clean(&imports(&project()));
}

#[test]
fn no_modules_of_different_folders_lead_to_each_other() {
    assert_clean(&circles(&project()));
}

#[test]
fn files_are_short() {
    assert_clean(&lengths(&project()));
}

#[test]
fn names_say_what_is_inside() {
    assert_clean(&names(&project()));
}

#[test]
fn nothing_strays_at_the_top() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries: Vec<String> = fs::read_dir(root)
        .expect("a readable folder")
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_clean(&strays(&entries));
}

#[test]
fn nothing_is_left_unfinished() {
    assert_clean(&unfinished(&project()));
}

#[test]
fn every_test_is_run() {
    assert_clean(&not_run(&project()));
}

#[test]
fn a_planted_test_of_a_library_is_found() {
    let text = "//! ```text\n//! a\n//! ```\n/// ```\n/// f();\n/// ```\nfn f() {}\n    #[test]\n";
    let found = not_run(&[
        File::new("planner/src/plan.rs", text),
        File::new("tests/planner/plan.rs", text),
    ]);
    let rule = "a test that nobody runs";
    assert_eq!(
        found,
        [4, 8].map(|line| format!("planner/src/plan.rs:{line}: {rule}"))
    );
}

#[test]
fn nouns_go_with_their_numbers() {
    assert_clean(&plurals(&project()));
}

#[test]
fn type_has_one_scale() {
    assert_clean(&off_the_scale(&project()));
}

#[test]
fn terms_have_their_meaning_in_both_languages() {
    assert_clean(&undefined(&project()));
}

#[test]
fn a_planted_long_file_is_found() {
    let long = File::new("app/style.css", &"\n".repeat(LONGEST + 1));
    assert_eq!(lengths(&[long]), ["app/style.css:501: over 500 lines"]);
    let exact = File::new("app/style.css", &"\n".repeat(LONGEST));
    assert!(lengths(&[exact]).is_empty());
    let wordy = File::new("a.rs", &"\n".repeat(MEDIAN + 1));
    assert_eq!(
        lengths(&[wordy]),
        ["the median file has 201 lines, over 200"]
    );
}

#[test]
fn a_planted_name_or_stray_is_found() {
    let found = names(&[
        File::new("planner/src/utils.rs", ""),
        File::new("app/src/common/mod.rs", ""),
        File::new("app/src/commonplace.rs", ""),
    ]);
    assert_eq!(found.len(), 2, "{found:?}");
    let top = ["README.md", "target", "notes.txt"].map(str::to_owned);
    assert_eq!(
        strays(&top),
        ["notes.txt:1: nothing of that name belongs at the top"]
    );
}

#[test]
fn planted_unfinished_work_is_found() {
    for word in UNFINISHED {
        let text = format!("fn f() {{}}\n    {word}\n");
        let found = unfinished(&[File::new("planner/src/plan.rs", &text)]);
        assert_eq!(found, [format!("planner/src/plan.rs:2: {word}")]);
    }
}
