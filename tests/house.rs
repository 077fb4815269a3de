//! The house keeps itself: who may import whom inside the planner, how long a file may be,
//! what it may not be called, what lies at the top, and which words are never committed.
//!
//! Each rule is a function from text to findings (`file:line: what`), run once over the
//! project and once over a planted sample, so that a rule that sees nothing is noticed.

use std::fs;
use std::path::Path;

/// What each module of the planner may import. `pipeline` ties them together, `main` and
/// `cli` are a door, so these see everything; `lib` only lists the modules. `check` never
/// sees `strategies` or `free_space`, so that the judge cannot repeat their mistakes. `load`
/// replays an allocator's trace once, so that nothing behind it knows that there are traces.
const MAY_IMPORT: [(&str, &[&str]); 22] = [
    ("units", &[]),
    ("sorting", &[]),
    ("free_space", &["units"]),
    ("graph", &["units", "sorting"]),
    ("liveness", &["units", "sorting", "graph"]),
    ("passes", &["units", "sorting", "graph", "liveness"]),
    ("plan", &["units", "sorting"]),
    ("deployed", &["units", "sorting", "liveness", "plan"]),
    (
        "space",
        &["units", "sorting", "liveness", "plan", "free_space"],
    ),
    (
        "strategies",
        &["units", "sorting", "liveness", "plan", "free_space"],
    ),
    (
        "what_if",
        &[
            "units",
            "sorting",
            "liveness",
            "plan",
            "free_space",
            "strategies",
        ],
    ),
    ("check", &["units", "liveness", "plan"]),
    ("bounds", &["units", "sorting", "liveness"]),
    (
        "metrics",
        &["units", "sorting", "liveness", "plan", "bounds"],
    ),
    (
        "waste",
        &["units", "sorting", "liveness", "plan", "deployed", "bounds"],
    ),
    (
        "difference",
        &[
            "units", "sorting", "liveness", "plan", "deployed", "bounds", "waste",
        ],
    ),
    (
        "query",
        &[
            "units", "sorting", "graph", "liveness", "plan", "deployed", "waste",
        ],
    ),
    (
        "training",
        &["units", "sorting", "graph", "passes", "liveness", "plan"],
    ),
    (
        "replay",
        &["units", "sorting", "liveness", "plan", "deployed"],
    ),
    (
        "load",
        &[
            "units", "sorting", "graph", "liveness", "plan", "deployed", "replay",
        ],
    ),
    (
        "save",
        &[
            "units", "sorting", "graph", "liveness", "plan", "deployed", "load",
        ],
    ),
    (
        "offline",
        &[
            "units",
            "sorting",
            "graph",
            "liveness",
            "load",
            "plan",
            "check",
            "save",
            "free_space",
        ],
    ),
];

const LONGEST: usize = 600;
const MEDIAN: usize = 200;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "helper", "helpers", "common", "types", "manager", "misc",
];

/// Everything that lies at the top, beside what git ignores.
const TOP: [&str; 15] = [
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

/// One file that somebody wrote, by its path from the top.
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

/// The text of a source file; data, pictures and lock files are nobody's prose.
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

/// Imports inside the planner that the table does not allow.
fn imports(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        let Some(inside) = file.path.strip_prefix("planner/src/") else {
            continue;
        };
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        let allowed: &[&str] = match MAY_IMPORT.iter().find(|(name, _)| *name == module) {
            Some((_, allowed)) => allowed,
            None if ["pipeline", "main", "cli"].contains(&module) => continue,
            None if module == "lib" => &[],
            None => {
                findings.push(format!("{}:1: no row in the table of imports", file.path));
                continue;
            }
        };
        for (line, imported) in imported(&file.text) {
            if imported == "super" {
                let what = "climbs out by super::super, where crate:: would name the module";
                findings.push(format!("{}:{line}: {what}", file.path));
            } else if imported != module && !allowed.contains(&imported.as_str()) {
                let what = format!("{module} may not import {imported}");
                findings.push(format!("{}:{line}: {what}", file.path));
            }
        }
    }
    findings
}

/// The modules that `crate::…` paths name, with their lines; groups in braces are opened.
fn imported(text: &str) -> Vec<(usize, String)> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(group_heads(group).into_iter().map(|name| (line, name)));
        } else {
            found.push((line, head(rest)));
        }
    }
    for (at, _) in code.match_indices("super::super") {
        let line = code[..at].matches('\n').count() + 1;
        found.push((line, "super".to_owned()));
    }
    found
}

/// The first name of every path of a group whose opening brace is already read.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 1;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            heads.push(head(group[start..at].trim_start()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    heads.retain(|name| !name.is_empty());
    heads
}

fn head(path: &str) -> String {
    path.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The text with what follows `//` on each line left out: links in docs import nothing.
fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
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

/// English words of the page that do not bend to the number before them: "{} tensors" is
/// wrong for 1, "{} {tensor|tensors}" is right. Verbs behind a name end in s rightly.
fn plurals(files: &[File]) -> Vec<String> {
    const RIGHT: [&str; 20] = [
        "is", "has", "does", "ends", "lies", "reads", "finds", "takes", "fits", "grows", "belongs",
        "stands", "stays", "needs", "its", "less", "always", "costs", "starts", "holds",
    ];
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|it| it.path.starts_with("app/src/words/"))
    {
        for (at, line) in file.text.lines().enumerate() {
            // A row is `Name: "English", "Chinese";`.
            let english = line.split("\", \"").next().unwrap_or_default();
            let row = english.split_once(": \"");
            for behind in row
                .into_iter()
                .flat_map(|(_, text)| text.split("{} ").skip(1))
            {
                let words = behind.split(|c: char| !c.is_alphabetic() && c != ' ');
                let mut words = words.take(1).flat_map(|it| it.split(' ')).take(2);
                let noun = words
                    .find(|word| word.len() > 1 && word.ends_with('s') && !RIGHT.contains(word));
                if let Some(noun) = noun {
                    findings.push(format!("{}:{}: \"{noun}\" for 1", file.path, at + 1));
                }
            }
        }
    }
    findings
}

fn assert_clean(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn planner_imports_follow_the_table() {
    assert_clean(&imports(&project()));
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
fn nouns_go_with_their_numbers() {
    assert_clean(&plurals(&project()));
}

#[test]
fn a_planted_plural_is_found() {
    let rows = "    Count: \"({} faults):\", \"{} 处\";\n    Good: \"{} {fault|faults}\", \"{} 处\";\n    \
                Verb: \"{} has {} more faults.\", \"\";\n";
    let found = plurals(&[File::new("app/src/words/table.rs", rows)]);
    assert_eq!(
        found,
        [
            "app/src/words/table.rs:1: \"faults\" for 1",
            "app/src/words/table.rs:3: \"faults\" for 1",
        ]
    );
}

#[test]
fn a_planted_import_is_found_and_named() {
    let check = "use crate::units::Bytes;\n// crate::load is only talked about\n\
                 use crate::{\n    plan::{Plan, strategies},\n    strategies::plan,\n};\n";
    let found = imports(&[
        File::new("planner/src/check.rs", check),
        File::new(
            "planner/src/strategies/gaps.rs",
            "let g = crate::graph::Graph;\n",
        ),
        File::new(
            "planner/src/load/onnx/wire.rs",
            "use super::super::sniff;\n",
        ),
        File::new(
            "planner/src/lib.rs",
            "pub mod units;\npub use crate::plan::Plan;\n",
        ),
        File::new("planner/src/novelty.rs", ""),
        File::new("planner/src/pipeline.rs", "use crate::strategies::plan;\n"),
        File::new("app/src/main.rs", "use crate::strategies::plan;\n"),
    ]);
    let super_twice = "climbs out by super::super, where crate:: would name the module";
    assert_eq!(
        found,
        [
            "planner/src/check.rs:3: check may not import strategies".to_owned(),
            "planner/src/strategies/gaps.rs:1: strategies may not import graph".to_owned(),
            format!("planner/src/load/onnx/wire.rs:1: {super_twice}"),
            "planner/src/lib.rs:2: lib may not import plan".to_owned(),
            "planner/src/novelty.rs:1: no row in the table of imports".to_owned(),
        ]
    );
}

#[test]
fn a_planted_long_file_is_found() {
    let long = File::new("app/style.css", &"\n".repeat(LONGEST + 1));
    assert_eq!(lengths(&[long]), ["app/style.css:601: over 600 lines"]);
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
