//! Which folder of the page may import which, and that no files of different folders import each
//! other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::File;
use crate::imports::{head, without_comments};

/// What each folder or file of the page may import beside itself: rows above its own, never one
/// below. Text and drawing know no pane, panes know the parts that are fetched later only by what
/// these offer, `parts` and `main` tie all together.
const MAY_IMPORT: [(&str, &str); 29] = [
    ("format", ""),
    ("strings", ""),
    ("browser", ""),
    ("state", "format strings browser"),
    ("drawing", "strings state"),
    ("lazy", "strings state drawing"),
    ("text", "format strings state lazy"),
    ("compare", "format strings state lazy text"),
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
    ("tables", "format strings state lazy text picture"),
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
    ("training", "format strings state lazy text"),
    ("learn", "format strings browser state drawing lazy text"),
    ("graph_text", "format strings browser state lazy text"),
    ("sweep", "format strings browser state drawing lazy text"),
    ("difference", "format strings state lazy text"),
    ("run", "format strings browser state lazy text"),
    (
        "frame",
        "format strings browser state drawing lazy text compare document film picture tables inspect \
         owners advice stages training graph_text sweep difference run",
    ),
    (
        "parts",
        "strings browser state drawing lazy document film bench execute export picture inspect \
         learn difference run frame",
    ),
];

/// Imports inside the page that the table does not allow, and circles between folders.
pub(crate) fn page_imports(files: &[File]) -> Vec<String> {
    let modules = modules(files);
    let mut findings = Vec::new();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, file) in &modules {
        let folder = folder(module);
        let row = MAY_IMPORT.iter().find(|(name, _)| *name == folder);
        if row.is_none() && !module.is_empty() {
            findings.push(format!("{}:1: no row in the table of imports", file.path));
        }
        let allowed = row.map_or("", |(_, allowed)| *allowed);
        for (line, path) in paths(&file.text) {
            let Some(imported) = resolved(&modules, module, &path) else {
                continue;
            };
            let other = self::folder(imported);
            if module.is_empty() || other.is_empty() {
                continue;
            }
            graph.entry(module).or_default().insert(imported);
            if other != folder && !allowed.split(' ').any(|it| it == other) {
                let what = format!("{folder} may not import {other}");
                findings.push(format!("{}:{line}: {what}", file.path));
            }
        }
    }
    findings.dedup();
    findings.extend(circles(&graph));
    findings
}

/// The modules of the page by their paths, such as `picture::pane`.
fn modules(files: &[File]) -> BTreeMap<String, &File> {
    let inside = files.iter().filter_map(|file| {
        let path = file.path.strip_prefix("app/src/")?.strip_suffix(".rs")?;
        let path = path.strip_suffix("/mod").unwrap_or(path);
        let path = if path == "main" { "" } else { path };
        Some((path.replace('/', "::"), file))
    });
    inside.collect()
}

fn folder(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// Every path that begins with `crate`, `super` or `self`, with its line; groups are opened.
fn paths(text: &str) -> Vec<(usize, String)> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            expand(&code[at..], String::new(), line, &mut found);
        }
    }
    found
}

/// Takes a path and, where it ends in braces, each path inside.
fn expand(code: &str, mut path: String, line: usize, found: &mut Vec<(usize, String)>) {
    let mut rest = code;
    loop {
        let name = head(rest);
        if name.is_empty() {
            break;
        }
        path.push_str(&name);
        rest = &rest[name.len()..];
        let Some(after) = rest.strip_prefix("::") else {
            break;
        };
        path.push_str("::");
        rest = after;
    }
    let Some(group) = rest.strip_prefix('{') else {
        found.push((line, path.trim_end_matches(':').to_owned()));
        return;
    };
    let mut depth = 1;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            let item = group[start..at].trim();
            if !item.is_empty() {
                expand(item, path.clone(), line, found);
            }
            start = at + 1;
        }
        if depth == 0 {
            return;
        }
    }
}

/// The module that `path` leads to from `module`, as far as it is one; `None` for itself.
fn resolved<'m>(modules: &'m BTreeMap<String, &File>, module: &str, path: &str) -> Option<&'m str> {
    let mut here: Vec<&str> = module.split("::").filter(|it| !it.is_empty()).collect();
    for (at, name) in path.split("::").enumerate() {
        match name {
            "crate" if at == 0 => here.clear(),
            "super" => {
                here.pop();
            }
            "self" => {}
            name => here.push(name),
        }
    }
    while !here.is_empty() {
        let joined = here.join("::");
        if let Some((known, _)) = modules.get_key_value(&joined) {
            return (known != module).then_some(known.as_str());
        }
        here.pop();
    }
    None
}

/// Files of different folders that lead to each other.
fn circles(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let reach = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = vec![from];
        while let Some(module) = open.pop() {
            for next in graph.get(module).into_iter().flatten() {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|module| (*module, reach(module)))
        .collect();
    let mut findings = Vec::new();
    for (module, others) in &reached {
        for other in others.range(*module..) {
            let back = reached.get(other).is_some_and(|it| it.contains(module));
            if back && folder(module) != folder(other) {
                findings.push(format!(
                    "{module} and {other} import each other in a circle"
                ));
            }
        }
    }
    findings
}

#[test]
fn a_planted_circle_is_found_and_named() {
    let found = page_imports(&[
        File::new("app/src/main.rs", "mod film;\nuse film::Film;\n"),
        File::new("app/src/format.rs", "use crate::strings::{self, Word};\n"),
        File::new("app/src/strings/mod.rs", ""),
        File::new(
            "app/src/picture/pane.rs",
            "// crate::run is only talked about\nuse crate::film::scene::Scene;\n",
        ),
        File::new(
            "app/src/film/scene.rs",
            "use super::super::picture::{pane::Pane};\n",
        ),
        File::new("app/src/film/mod.rs", "pub(crate) mod scene;\n"),
        File::new("app/src/novelty.rs", "use crate::format::bytes;\n"),
    ]);
    assert_eq!(
        found,
        [
            "app/src/film/scene.rs:1: film may not import picture",
            "app/src/format.rs:1: format may not import strings",
            "app/src/novelty.rs:1: no row in the table of imports",
            "app/src/novelty.rs:1: novelty may not import format",
            "film::scene and picture::pane import each other in a circle",
        ]
    );
}
