//! Which module may import which: a table for each crate that has layers.

use crate::File;
use crate::paths::{Crate, top};

/// What the modules of a crate may import.
struct Table {
    /// Where its sources are.
    root: &'static str,
    /// What it is called.
    name: &'static str,
    /// What ties the others together, and sees everything.
    free: &'static [&'static str],
    /// Each folder or file, or several that are one layer, with those that it may import beside
    /// itself. These stand further up, so that no arrow runs back.
    rows: &'static [(&'static str, &'static str)],
}

const TABLES: [Table; 4] = [
    Table {
        root: "planner/src/",
        name: "planner",
        free: &["pipeline", "stages", "main", "cli"],
        rows: &PLANNER,
    },
    Table {
        root: "app/executor/src/",
        name: "executor",
        free: &[],
        rows: &EXECUTOR,
    },
    Table {
        root: "app/conversation/src/",
        name: "conversation",
        free: &[],
        rows: &CONVERSATION,
    },
    Table {
        root: "app/src/",
        name: "app",
        free: &[],
        rows: &PAGE,
    },
];

/// What each module of the planner may import. `check` never
/// sees `strategies` or `free_space`, so that the judge cannot repeat their mistakes. `load`
/// replays an allocator's trace once, so that nothing after it knows that there are traces.
/// `strategies` never see a graph, a schedule or a storage.
const PLANNER: [(&str, &str); 44] = [
    ("message", ""),
    ("units", "message"),
    ("ids", "units message"),
    ("number", ""),
    ("sorting", ""),
    ("random", ""),
    ("free_space", "units message"),
    ("caching_allocator", "units message"),
    ("settings", "units message"),
    ("operators", ""),
    ("graph", "units message ids sorting operators"),
    ("generate", "units message operators graph"),
    ("storage", "units message ids graph"),
    ("schedule", "units message operators graph storage"),
    ("program", "units message graph storage schedule"),
    (
        "counts",
        "units message operators graph storage schedule program",
    ),
    (
        "liveness",
        "units message operators ids sorting settings graph storage schedule program",
    ),
    (
        "passes",
        "units message sorting random settings operators graph storage schedule program liveness",
    ),
    ("plan", "units message sorting caching_allocator"),
    ("deployed", "units message sorting liveness plan"),
    ("kv_cache", "units message random sorting generate"),
    ("space", "units message sorting liveness plan free_space"),
    (
        "strategies",
        "units message sorting random caching_allocator liveness plan free_space",
    ),
    (
        "what_if",
        "units message sorting liveness plan free_space strategies",
    ),
    ("check", "units message liveness plan"),
    ("bounds", "units message sorting liveness"),
    ("metrics", "units message sorting liveness plan bounds"),
    ("picture", "liveness plan"),
    (
        "waste",
        "units message sorting liveness plan deployed bounds",
    ),
    ("attribution", "units message sorting liveness deployed"),
    ("overview", "units message sorting deployed bounds"),
    (
        "basis",
        "units message sorting liveness deployed bounds overview pipeline",
    ),
    (
        "difference",
        "units message sorting liveness plan deployed attribution bounds waste space",
    ),
    (
        "query",
        "units message number sorting graph program liveness plan deployed attribution waste",
    ),
    (
        "grouping",
        "units message sorting liveness deployed attribution query",
    ),
    (
        "training",
        "units message random sorting settings caching_allocator operators graph storage schedule program \
         liveness passes plan deployed attribution bounds strategies",
    ),
    (
        "replay",
        "units message sorting caching_allocator liveness plan deployed attribution",
    ),
    (
        "advice",
        "units message sorting caching_allocator liveness plan deployed attribution query strategies bounds",
    ),
    (
        "load",
        "units message number sorting caching_allocator operators graph generate storage schedule program \
         liveness plan deployed replay training kv_cache",
    ),
    (
        "save",
        "units message sorting operators graph storage schedule program liveness plan deployed load \
         space",
    ),
    (
        "tflm_offline_plan",
        "units message sorting settings graph storage program liveness load plan check save free_space",
    ),
    ("tail", "units message operators graph liveness"),
    (
        "sweep",
        "units message settings graph load plan bounds strategies training pipeline",
    ),
    (
        "trace",
        "units message sorting liveness plan strategies free_space",
    ),
];

/// What each folder or file of the executor may import. Kernels name operands of a recording,
/// which names the kernel of each step; the engine reports in the words of what measures with it:
/// each is one layer yet.
const EXECUTOR: [(&str, &str); 8] = [
    ("fixed_point", ""),
    ("small_floats", ""),
    (
        "elements arena recording kernels",
        "fixed_point small_floats",
    ),
    (
        "lower",
        "fixed_point small_floats elements recording kernels",
    ),
    ("counting", "lower"),
    ("stored reference", "elements arena recording"),
    ("supply", "elements arena recording lower stored reference"),
    (
        "engine verify",
        "elements arena recording kernels lower counting supply reference",
    ),
];

/// What each part of the reducer may import: below is what is known, above how it changes.
const CONVERSATION: [(&str, &str); 31] = [
    ("model", ""),
    ("asks", "model"),
    ("worker_queue", "model asks"),
    ("notice", "model"),
    ("opening", "model"),
    ("planning", "model"),
    ("price", "model"),
    ("hand", "model"),
    ("insight", "model"),
    ("advice", "model asks"),
    ("stages", "model asks opening"),
    ("ranks", "model opening"),
    ("training_steps", "model"),
    ("training", "model asks"),
    ("eviction_film", "model"),
    ("text", "model asks"),
    ("sweep", "model asks"),
    ("film", "model"),
    ("first_plans", "model"),
    ("run", "model"),
    ("zeros", "model"),
    ("look", "model stages"),
    ("axis", "model"),
    ("layout", "model"),
    ("comparison", "model asks"),
    ("export", "model"),
    ("learn", "model asks opening"),
    ("history", "model opening stages film"),
    ("replies", "model"),
    ("begin", "model opening"),
    ("update", "model opening"),
];

/// What each folder or file of the page may import beside itself: rows above its own, never one
/// below. Text and drawing know no pane, panes know the parts that are fetched later only by what
/// these offer, `parts` and `main` tie all together.
const PAGE: [(&str, &str); 30] = [
    ("format", ""),
    ("strings", ""),
    ("browser", ""),
    ("state", "format strings browser"),
    ("drawing", "strings state"),
    ("lazy", "strings state drawing"),
    ("text", "format strings state lazy"),
    ("compare", "format strings state drawing lazy text"),
    (
        "document",
        "format strings browser state drawing text compare",
    ),
    ("film", "format strings state lazy text"),
    ("ready", "state lazy"),
    ("bench", "state lazy"),
    ("execute", "state lazy"),
    (
        "export",
        "format strings browser state drawing lazy text compare document",
    ),
    (
        "picture",
        "format strings state drawing lazy text compare document film ready export",
    ),
    ("tables", "format strings state drawing lazy text picture"),
    ("what_if", "format strings state text picture"),
    (
        "inspect",
        "format strings state drawing lazy text compare document picture tables what_if",
    ),
    (
        "owners",
        "format strings state drawing lazy text document tables",
    ),
    ("advice", "format strings state lazy text tables"),
    ("stages", "format strings state lazy text document"),
    ("training", "format strings browser state lazy text"),
    ("learn", "format strings browser state drawing lazy text"),
    ("graph_text", "format strings browser state lazy text"),
    ("sweep", "format strings browser state drawing lazy text"),
    ("difference", "format strings state lazy text"),
    ("generate", "format strings state drawing text"),
    ("run", "format strings browser state lazy text"),
    (
        "frame",
        "format strings browser state drawing lazy text compare document film picture tables inspect \
         owners advice stages training graph_text sweep difference run",
    ),
    (
        "parts",
        "strings browser state drawing lazy document film bench execute export picture inspect \
         learn difference generate run frame",
    ),
];

/// The folders that are one layer with this one, where there are any.
pub(crate) fn layer(root: &str, folder: &str) -> Option<&'static str> {
    let table = TABLES.iter().find(|table| table.root == root)?;
    let (names, _) = table.row(folder)?;
    names.contains(' ').then_some(names)
}

/// Imports that the tables do not allow.
pub(crate) fn imports(files: &[File]) -> Vec<String> {
    TABLES
        .iter()
        .flat_map(|table| table.findings(files))
        .collect()
}

impl Table {
    fn row(&self, folder: &str) -> Option<(&'static str, &'static str)> {
        let mut rows = self.rows.iter().copied();
        rows.find(|(names, _)| names.split(' ').any(|name| name == folder))
    }

    fn findings(&self, files: &[File]) -> Vec<String> {
        let read = Crate::read(files, self.root, self.name);
        let mut findings = Vec::new();
        let knows = |module: &str| module.is_empty() || self.free.contains(&module);
        for (module, file) in read.files() {
            let top = top(module);
            if !knows(top) && self.row(top).is_none() {
                findings.push(format!("{}:1: no row in the table of imports", file.path));
            }
        }
        for reference in read.references() {
            let (from, to) = (top(&reference.from), top(&reference.to));
            // What a module exports again is its own, unless it sees everything.
            let through = reference.through.as_deref().map(top);
            let own = through.is_some_and(|through| !knows(through));
            if own || knows(from) || from == to || to.is_empty() {
                continue;
            }
            let (names, allowed) = self.row(from).unwrap_or_default();
            if !names
                .split(' ')
                .chain(allowed.split(' '))
                .any(|it| it == to)
            {
                let what = format!("{from} may not import {to}");
                findings.push(format!("{}:{}: {what}", reference.file, reference.line));
            }
        }
        findings
    }
}

/// Rows of the tables that allow a row further down.
#[test]
fn tables_allow_only_what_stands_further_up() {
    for table in TABLES {
        for (at, (name, allowed)) in table.rows.iter().enumerate() {
            for other in allowed.split_whitespace() {
                let rows = table.rows[..at].iter();
                let above = rows
                    .flat_map(|(names, _)| names.split(' '))
                    .any(|it| it == other);
                assert!(above || table.free.contains(&other), "{name}: {other}");
            }
        }
    }
}

pub(crate) fn head(path: &str) -> String {
    path.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn planted_imports_are_found_however_a_path_is_written() {
    let check = "use crate::units::Bytes;\n// crate::load is only talked about\n\
                 use crate::{\n    plan::{Plan, strategies},\n    strategies::plan,\n};\n";
    let found = imports(&[
        File::new("planner/src/check.rs", check),
        File::new(
            "planner/src/graph/mod.rs",
            "fn f() -> super::load::Read { planner::plan::Plan::new() }\n",
        ),
        File::new("planner/src/lib.rs", "pub use strategies::Strategy;\n"),
        File::new("planner/src/load/mod.rs", ""),
        File::new("planner/src/novelty.rs", ""),
        File::new("planner/src/pipeline.rs", "use crate::strategies::plan;\n"),
        File::new("planner/src/plan.rs", "fn f(it: crate::Strategy) {}\n"),
        File::new(
            "planner/src/strategies/gaps.rs",
            "use crate as it;\nlet g = it::graph::Graph;\n",
        ),
        File::new("planner/src/strategies/mod.rs", ""),
        File::new("planner/src/units.rs", ""),
        File::new("app/src/main.rs", "use crate::strategies::plan;\n"),
    ]);
    assert_eq!(
        found,
        [
            "planner/src/novelty.rs:1: no row in the table of imports",
            "planner/src/check.rs:3: check may not import strategies",
            "planner/src/graph/mod.rs:1: graph may not import load",
            "planner/src/graph/mod.rs:1: graph may not import plan",
            "planner/src/plan.rs:1: plan may not import strategies",
            "planner/src/strategies/gaps.rs:2: strategies may not import graph",
        ]
    );
}
