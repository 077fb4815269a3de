//! Which module may import which inside the planner.

use crate::File;

/// What each module of the planner may import. `pipeline` ties them together, `main` and
/// `cli` are a door, so these see everything; `lib` only lists the modules. `check` never
/// sees `strategies` or `free_space`, so that the judge cannot repeat their mistakes. `load`
/// replays an allocator's trace once, so that nothing after it knows that there are traces.
/// `strategies` never see a graph, a schedule or a storage.
const MAY_IMPORT: [(&str, &str); 41] = [
    ("units", ""),
    ("ids", "units"),
    ("number", ""),
    ("sorting", ""),
    ("random", ""),
    ("free_space", "units"),
    ("caching_allocator", "units"),
    ("settings", "units"),
    ("operators", ""),
    ("graph", "units ids sorting operators"),
    ("storage", "units ids graph"),
    ("schedule", "units operators graph storage"),
    ("program", "units graph storage schedule"),
    ("counts", "units graph storage schedule program"),
    (
        "liveness",
        "units operators ids sorting settings graph storage schedule program",
    ),
    (
        "passes",
        "units sorting random settings operators graph storage schedule program liveness",
    ),
    ("plan", "units sorting caching_allocator"),
    ("deployed", "units sorting liveness plan"),
    ("space", "units sorting liveness plan free_space"),
    (
        "strategies",
        "units sorting random caching_allocator liveness plan free_space",
    ),
    (
        "what_if",
        "units sorting liveness plan free_space strategies",
    ),
    ("check", "units liveness plan"),
    ("bounds", "units sorting liveness"),
    ("metrics", "units sorting liveness plan bounds"),
    ("picture", "liveness plan"),
    ("waste", "units sorting liveness plan deployed bounds"),
    ("attribution", "units sorting liveness deployed"),
    ("overview", "units sorting deployed bounds"),
    ("basis", "units liveness deployed bounds overview pipeline"),
    (
        "difference",
        "units sorting liveness plan deployed attribution bounds waste space",
    ),
    (
        "query",
        "units number sorting graph program liveness plan deployed attribution waste",
    ),
    (
        "grouping",
        "units sorting liveness deployed attribution query",
    ),
    (
        "training",
        "units random sorting settings operators graph storage schedule program liveness plan bounds \
         strategies",
    ),
    (
        "replay",
        "units sorting caching_allocator liveness plan deployed attribution",
    ),
    (
        "advice",
        "units sorting caching_allocator liveness plan deployed attribution query strategies",
    ),
    (
        "load",
        "units number sorting caching_allocator operators graph storage schedule program liveness plan \
         deployed replay training",
    ),
    (
        "save",
        "units sorting graph storage schedule program liveness plan deployed load space",
    ),
    (
        "offline",
        "units sorting settings graph storage program liveness load plan check save free_space",
    ),
    ("tail", "units operators graph liveness"),
    (
        "sweep",
        "units settings graph load plan bounds strategies pipeline",
    ),
    ("trace", "units sorting liveness plan strategies free_space"),
];

/// Imports inside the planner that the table does not allow.
pub(crate) fn imports(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        let Some(inside) = file.path.strip_prefix("planner/src/") else {
            continue;
        };
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        let allowed = match MAY_IMPORT.iter().find(|(name, _)| *name == module) {
            Some((_, allowed)) => *allowed,
            None if ["pipeline", "stages", "main", "cli"].contains(&module) => continue,
            None if module == "lib" => "",
            None => {
                findings.push(format!("{}:1: no row in the table of imports", file.path));
                continue;
            }
        };
        for (line, imported) in imported(&file.text) {
            if imported == "super" {
                let what = "climbs out by super::super, where crate:: would name the module";
                findings.push(format!("{}:{line}: {what}", file.path));
            } else if imported != module && !allowed.split(' ').any(|it| it == imported) {
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

pub(crate) fn head(path: &str) -> String {
    path.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The text with what follows `//` on each line left out: links in docs import nothing.
pub(crate) fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
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
