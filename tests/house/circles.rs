//! Modules that lead to each other although they lie in different folders, in any crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::File;
use crate::imports::layer;
use crate::paths::{Crate, Reference, top};

/// Places where a module names one of another folder that leads back to it.
pub(crate) fn circles(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for (root, name) in crates(files) {
        let references = Crate::read(files, &root, &name).references();
        let modules = references.iter().flat_map(|it| [&it.from, &it.to]);
        let nested = modules.filter_map(|module| Some(module.split_once("::")?.0));
        let folders: BTreeSet<&str> = nested.collect();
        // What is one layer; files at the top are together.
        let layer = |module: &str| {
            let top = top(module);
            let folder = folders.get(top).copied().unwrap_or_default();
            layer(&root, top).unwrap_or(folder)
        };
        let reached = reached(&references);
        for reference in &references {
            let leads_back = reached.get(reference.to.as_str());
            let leads_back = leads_back.is_some_and(|it| it.contains(reference.from.as_str()));
            if leads_back && layer(&reference.from) != layer(&reference.to) {
                let Reference {
                    file,
                    line,
                    from,
                    to,
                    ..
                } = reference;
                findings.push(format!("{file}:{line}: {to} leads back to {from}"));
            }
        }
    }
    findings
}

/// The sources of every crate, and what it is called.
fn crates(files: &[File]) -> BTreeSet<(String, String)> {
    let roots = files.iter().filter_map(|file| {
        let root = file.path.strip_suffix("lib.rs");
        let root = root.or_else(|| file.path.strip_suffix("main.rs"))?;
        let name = root.strip_suffix("/src/")?.rsplit('/').next()?;
        Some((root.to_owned(), name.to_owned()))
    });
    roots.collect()
}

/// What each module leads to in the end. The root of a crate only lists the others.
fn reached(references: &[Reference]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for reference in references {
        if !reference.from.is_empty() && !reference.to.is_empty() {
            graph
                .entry(&reference.from)
                .or_default()
                .insert(&reference.to);
        }
    }
    let reach = |from: &&str| {
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
    graph
        .keys()
        .map(|module| (*module, reach(module)))
        .collect()
}

#[test]
fn planted_circles_are_found_however_a_path_is_written() {
    let page = |stage: &str, parts: &str| {
        circles(&[
            File::new("app/src/main.rs", "mod parts;\nmod picture;\n"),
            File::new("app/src/picture/mod.rs", "pub(crate) mod stage;\n"),
            File::new("app/src/picture/stage.rs", stage),
            File::new("app/src/parts/mod.rs", parts),
            File::new(
                "app/src/parts/controls.rs",
                "fn f() { crate::picture::stage::draw(); }\n",
            ),
        ])
    };
    let found = "leads back to picture::stage";
    let list = "mod controls;\npub(crate) use controls::CONTROLS;\n";
    // A `use`, of what is exported again; a path in a body; the name of the crate; a bound name.
    for stage in [
        "use crate::parts::{CONTROLS, FILM};\n",
        "fn f() {\n    let it = crate::parts::CONTROLS.now();\n}\n",
        "fn f() -> app::parts::CONTROLS {}\n",
        "use super::super::parts as all;\nfn f() { all::CONTROLS.now() }\n",
    ] {
        let findings = page(stage, list);
        assert!(findings.iter().any(|it| it.ends_with(found)), "{stage}");
    }
    // What is only said, or named by another crate, leads nowhere.
    for stage in [
        "// crate::parts::CONTROLS\nconst A: &str = \"crate::parts::CONTROLS\";\n",
        "use other::parts::CONTROLS;\n",
        "/* use crate::parts::CONTROLS; */ fn f<'a>(c: char) { c == '\"'; }\n",
    ] {
        assert!(page(stage, list).is_empty(), "{stage}");
    }
    // Within a folder, modules may share their work.
    assert!(page("use super::pane::f;\n", "").is_empty());
}
