//! HLO as text: shapes, and the lines of instructions.

use std::collections::BTreeMap;

use super::module::TUPLE;
use crate::deployed::IrValue;

/// Most instructions that are remembered.
const MAX_ROWS: usize = crate::load::dump::draft::MAX_BUFFERS;

/// What the text of an instruction says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// Its kind; empty where the text has another form.
    pub(super) op: String,
    /// The operator of the framework that it was made from; empty where it is not said.
    pub(super) source: String,
    /// The computation that it is in; empty where the text is of no module.
    pub(super) computation: String,
}

impl Made {
    /// `%dot.3 = f32[2,3]{1,0} dot(%a, %b), metadata={op_name="jit(f)/dot_general"}`
    pub(super) fn of(line: &str) -> Self {
        Self {
            op: opcode(line).unwrap_or_default().to_owned(),
            source: source(line).unwrap_or_default().to_owned(),
            computation: String::new(),
        }
    }
}

/// The instructions of `HloModule`, by name.
#[derive(Debug, Default)]
pub(super) struct Instructions {
    pub(super) of: BTreeMap<String, Made>,
    /// The computation that is open.
    computation: String,
}

impl Instructions {
    /// Reads a line of a module; what is no instruction says nothing.
    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim();
        if !line.starts_with(' ') {
            // `ENTRY %main.4 (x.1: f32[2]) -> f32[2] {`
            let name = text.strip_prefix("ENTRY ").unwrap_or(text);
            let name = name.split([' ', '(']).next().unwrap_or_default();
            if text.ends_with('{') {
                bare(name).clone_into(&mut self.computation);
            }
            return;
        }
        let text = text.strip_prefix("ROOT ").unwrap_or(text);
        let Some((name, _)) = text.split_once(" = ") else {
            return;
        };
        if !self.computation.is_empty() && self.of.len() < MAX_ROWS {
            let made = Made {
                computation: self.computation.clone(),
                ..Made::of(text)
            };
            self.of.insert(bare(name).to_owned(), made);
        }
    }

    /// What is said of the instruction whose result a value is, or is a part of.
    pub(super) fn get(&self, value: &str) -> Option<&Made> {
        let name = value.split('{').next()?;
        self.of.get(name)
    }
}

/// A name without the sign that some builds write before it.
fn bare(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}

/// The kind in `%dot.3 = f32[2,3]{1,0} dot(%a, %b), metadata={...}`.
fn opcode(text: &str) -> Option<&str> {
    let (_, right) = text.split_once(" = ")?;
    // The shape of a tuple has spaces, all within brackets.
    let mut depth = 0_u32;
    let mut from = None;
    for (at, character) in right.char_indices() {
        match (character, from) {
            ('(', Some(from)) if depth == 0 => return right.get(from..at),
            ('(' | '{' | '[', _) => depth += 1,
            (')' | '}' | ']', _) => depth = depth.saturating_sub(1),
            (' ', None) if depth == 0 => from = Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The name in `metadata={op_name="jit(f)/dot_general" ...}`.
fn source(text: &str) -> Option<&str> {
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
