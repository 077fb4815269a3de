//! HLO as text: shapes, and the lines of instructions.

use super::module::TUPLE;
use crate::deployed::IrValue;

/// What the text of an instruction says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// Its kind; empty where the text has another form.
    pub(super) op: String,
    /// The operator of the framework that it was made from; empty where it is not said.
    pub(super) source: String,
    /// What it says of its line of source; empty where that is in the tables of a module.
    pub(super) metadata: String,
    /// The computation that it is in; empty where the text is of no module.
    pub(super) computation: String,
}

impl Made {
    /// `%dot.3 = f32[2,3]{1,0} dot(%a, %b), metadata={op_name="jit(f)/dot_general"}`
    pub(super) fn of(line: &str) -> Self {
        Self {
            op: opcode(line).unwrap_or_default().to_owned(),
            source: source(line).unwrap_or_default().to_owned(),
            metadata: between(line, " source_file=", "}")
                .map_or_else(String::new, |it| format!("source_file={it}")),
            computation: String::new(),
        }
    }
}

/// A name without the sign that some builds write before it.
pub(super) fn name(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}

/// What lies between `before` and the first `after` behind it, or the end.
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, text) = text.split_once(before)?;
    Some(text.split(after).next().unwrap_or(text))
}

/// The kind in `%dot.3 = f32[2,3]{1,0} dot(%a, %b), metadata={...}`.
pub(super) fn opcode(text: &str) -> Option<&str> {
    let (_, right) = text.split_once(" = ")?;
    let (kind, _) = after_shape(right)?.split_once('(')?;
    Some(kind)
}

/// What follows the shape in `f32[2,3]{1,0} dot(%a, %b), metadata={...}`.
pub(super) fn after_shape(right: &str) -> Option<&str> {
    // The shape of a tuple has spaces, all within brackets.
    let mut depth = 0_u32;
    for (at, character) in right.char_indices() {
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => return right.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// The name in `metadata={op_name="jit(f)/dot_general" ...}`.
pub(super) fn source(text: &str) -> Option<&str> {
    let (_, metadata) = text.rsplit_once("metadata={")?;
    let (_, name) = metadata.split_once("op_name=\"")?;
    Some(name.split_once('"')?.0)
}

/// What `f32[8,16]{1,0}` is; a tuple has no shape of its own.
pub(super) fn shape(text: &str) -> IrValue {
    let array = || {
        let (dtype, rest) = text.trim().split_once('[')?;
        let (dims, _) = rest.split_once(']')?;
        let word = dtype.bytes().all(|it| it.is_ascii_alphanumeric());
        // What is only known while the program runs has a most: `<=5`.
        let dims = dims.split(',').map(str::trim).filter(|it| !it.is_empty());
        let dims = dims.map(|it| it.strip_prefix("<=").unwrap_or(it).parse().ok());
        let dims = dims.collect::<Option<Vec<u64>>>()?;
        word.then(|| (dtype.to_owned(), dims))
    };
    let (dtype, shape) = match array() {
        Some((dtype, dims)) => (dtype, Some(dims)),
        None if text.trim().starts_with('(') => (TUPLE.to_owned(), None),
        None => (String::new(), None),
    };
    IrValue {
        dtype,
        shape,
        ..IrValue::default()
    }
}
