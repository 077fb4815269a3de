//! Which module of a crate leads to which. Every path counts, wherever it stands: in a `use`, in a
//! body, in a type; however it begins, be it with `crate`, with the name of the crate, with a name
//! that a `use` has bound or with a module beside. What a module exports again leads on to where it
//! comes from.

use std::collections::BTreeMap;

use crate::File;
use crate::imports::head;

/// Re-exports that reference on more often than this reference in a circle.
const MOST_EXPORTS: usize = 8;

/// A place of a module that names another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) file: String,
    pub(crate) line: usize,
    /// Both such as `picture::pane`, empty for the root of the crate.
    pub(crate) from: String,
    pub(crate) to: String,
    /// The module that exports again what is named, where the name is not that of its own module.
    pub(crate) through: Option<String>,
}

/// The folder or file at the top of the sources in which a module lies.
pub(crate) fn top(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// A `use` of one name.
struct Import {
    path: String,
    name: String,
    public: bool,
    line: usize,
}

/// What a file says of others.
struct Read<'f> {
    file: &'f File,
    imports: Vec<Import>,
    /// Paths outside of any `use`.
    paths: Vec<(usize, String)>,
}

/// The modules of one crate.
pub(crate) struct Crate<'f> {
    name: String,
    modules: BTreeMap<String, Read<'f>>,
}

impl<'f> Crate<'f> {
    /// Of the files under `root`, such as `planner/src/`, which other crates call `name`.
    pub(crate) fn read(files: &'f [File], root: &str, name: &str) -> Self {
        let modules = files.iter().filter_map(|file| {
            let path = file.path.strip_prefix(root)?.strip_suffix(".rs")?;
            let path = path.strip_suffix("/mod").unwrap_or(path);
            let path = if ["lib", "main"].contains(&path) {
                ""
            } else {
                path
            };
            Some((path.replace('/', "::"), read(file)))
        });
        let name = name.to_owned();
        // A program beside a library is another crate; what it names is in the library.
        let mut all: BTreeMap<String, Read<'f>> = BTreeMap::new();
        for (module, read) in modules {
            match all.get_mut(&module) {
                Some(known) => {
                    known.imports.extend(read.imports);
                    known.paths.extend(read.paths);
                }
                None => drop(all.insert(module, read)),
            }
        }
        Self { name, modules: all }
    }

    /// Its files, by module.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        let all = self.modules.iter();
        all.map(|(module, read)| (module.as_str(), read.file))
    }

    /// Every place of a module that names another.
    pub(crate) fn references(&self) -> Vec<Reference> {
        let mut references = Vec::new();
        for (module, read) in &self.modules {
            let uses = read.imports.iter().map(|it| (it.line, &it.path));
            let paths = read.paths.iter().map(|(line, path)| (*line, path));
            for (line, path) in uses.chain(paths) {
                for (to, through) in self.ends_of(module, path) {
                    references.push(Reference {
                        file: read.file.path.clone(),
                        line,
                        from: module.clone(),
                        to,
                        through,
                    });
                }
            }
        }
        references.sort();
        references.dedup();
        references
    }

    /// The other modules to which a path in `module` references: the one that it names, and where what
    /// it names there comes from.
    fn ends_of(&self, module: &str, path: &str) -> Vec<(String, Option<String>)> {
        let mut ends = Vec::new();
        let mut here = self.absolute(module, path, MOST_EXPORTS);
        let mut through = None;
        for _ in 0..MOST_EXPORTS {
            let Some(path) = here else { break };
            let (end, rest) = self.split(&path);
            let name = top(&rest).to_owned();
            here = self.exported(&end, &name).and_then(|import| {
                let more = rest.strip_prefix(&name).unwrap_or_default();
                self.absolute(&end, &format!("{}{more}", import.path), MOST_EXPORTS)
            });
            if end != module {
                ends.push((end.clone(), through));
            }
            through = Some(end);
        }
        ends
    }

    fn exported(&self, module: &str, name: &str) -> Option<&Import> {
        let mut imports = self.modules.get(module)?.imports.iter();
        imports.find(|it| it.public && it.name == name)
    }

    /// The module that a path from the root begins with, and what follows it.
    fn split(&self, path: &str) -> (String, String) {
        let names: Vec<&str> = path.split("::").filter(|it| !it.is_empty()).collect();
        let known = |count: &usize| self.modules.contains_key(&names[..*count].join("::"));
        let count = (0..=names.len()).rev().find(known).unwrap_or(0);
        (names[..count].join("::"), names[count..].join("::"))
    }

    /// A path from the root; `None` for one that leads to another crate.
    fn absolute(&self, module: &str, path: &str, most: usize) -> Option<String> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let join = |module: &str, rest: &str| match (module, rest) {
            ("", rest) => rest.to_owned(),
            (module, "") => module.to_owned(),
            (module, rest) => format!("{module}::{rest}"),
        };
        match first {
            "crate" => return Some(rest.to_owned()),
            "self" => return Some(join(module, rest)),
            "super" => {
                let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
                let climbs = top(rest) == "super";
                return match climbs {
                    true => self.absolute(parent, rest, most),
                    false => Some(join(parent, rest)),
                };
            }
            _ => {}
        }
        let imports = self.modules.get(module).map(|it| &it.imports);
        let bound = imports.into_iter().flatten();
        let bound = bound.filter(|it| it.name == first && it.path != path);
        if let Some(import) = bound.into_iter().next()
            && let Some(less) = most.checked_sub(1)
        {
            let found = self.absolute(module, &import.path, less)?;
            return Some(join(&found, rest));
        }
        if self.modules.contains_key(&join(module, first)) {
            return Some(join(module, path));
        }
        (first == self.name).then(|| rest.to_owned())
    }
}

fn read(file: &File) -> Read<'_> {
    let mut code = without_texts(&file.text);
    let mut imports = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("use ").map(|at| at + from) {
        from = at + "use ".len();
        let before = code[..at].trim_end();
        if code[..at].chars().next_back().is_some_and(is_name) {
            continue;
        }
        let Some(end) = code[from..].find(';').map(|end| end + from) else {
            break;
        };
        let public = before.ends_with("pub") || before.ends_with(')') && before.contains("pub(");
        let line = code[..at].matches('\n').count() + 1;
        let mut found = Vec::new();
        expand(&code[from..end], String::new(), line, &mut found);
        imports.extend(found.into_iter().map(|(line, path, name)| Import {
            path,
            name,
            public,
            line,
        }));
        let blank = code[at..end].replace(|c| c != '\n', " ");
        code.replace_range(at..end, &blank);
    }
    let paths = paths(&code);
    Read {
        file,
        imports,
        paths,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths of at least two names, with their lines.
fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in code.lines().enumerate() {
        let mut rest = text;
        while let Some(at) = rest.find("::") {
            let start = rest[..at].rfind(|c| !is_name(c)).map_or(0, |it| it + 1);
            let mut end = at;
            while let Some(after) = rest[end..].strip_prefix("::") {
                let name = head(after);
                if name.is_empty() {
                    break;
                }
                end += "::".len() + name.len();
            }
            if end > at && start < at {
                found.push((line + 1, rest[start..end].to_owned()));
            }
            rest = &rest[end.max(at + "::".len())..];
        }
    }
    found
}

/// Takes a path of a `use` and, where it ends in braces, each path inside, with what it is called.
fn expand(code: &str, mut path: String, line: usize, found: &mut Vec<(usize, String, String)>) {
    let mut rest = code.trim_start();
    loop {
        let name = head(rest);
        if name.is_empty() {
            break;
        }
        if name != "self" || path.is_empty() {
            path.push_str(&name);
        }
        rest = &rest[name.len()..];
        let Some(after) = rest.strip_prefix("::") else {
            break;
        };
        path.push_str("::");
        rest = after;
    }
    let path = path.trim_end_matches(':').to_owned();
    let Some(group) = rest.strip_prefix('{') else {
        let called = rest.trim_start().strip_prefix("as ").map(head);
        let last = path.rsplit("::").next().unwrap_or_default().to_owned();
        found.push((line, path, called.unwrap_or(last)));
        return;
    };
    let (mut depth, mut start) = (1, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            let item = group[start..at].trim();
            if !item.is_empty() {
                expand(item, format!("{path}::"), line, found);
            }
            start = at + 1;
        }
        if depth == 0 {
            return;
        }
    }
}

/// The code with comments and literal texts left blank: links in docs import nothing.
fn without_texts(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    let blank = |piece: &str| piece.replace(|c| c != '\n', " ");
    while let Some(at) = rest.find(['/', '"', '\'']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let hashes = code.len() - code.trim_end_matches('#').len();
        let raw = code[..code.len() - hashes].ends_with('r');
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if rest.starts_with('"') && raw {
            let close = format!("\"{}", "#".repeat(hashes));
            rest[1..].find(&close).map(|end| end + 1 + close.len())
        } else if rest.starts_with('"') {
            closed(rest, '"')
        } else if rest.starts_with("'\\") {
            closed(rest, '\'')
        } else if let Some(letter) = rest.strip_prefix('\'') {
            // A lifetime is not closed.
            let mut two = letter.char_indices();
            let after = two.nth(1).filter(|(_, c)| *c == '\'');
            Some(after.map_or(1, |(end, _)| end + 2))
        } else {
            Some(1)
        };
        let end = end.unwrap_or(rest.len());
        match rest.starts_with('/') && end == 1 {
            true => code.push('/'),
            false => code.push_str(&blank(&rest[..end])),
        }
        rest = &rest[end..];
    }
    code.push_str(rest);
    code
}

/// Where a literal ends that begins with such a mark.
fn closed(text: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == mark && !escaped {
            return Some(at + c.len_utf8());
        }
        escaped = c == '\\' && !escaped;
    }
    None
}
