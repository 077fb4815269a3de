//! `HloModule` as text → the same module that the protobuf has, as far as the lines say it: names,
//! kinds, operands, what is called, and the lines of source.

use std::collections::BTreeMap;

use super::frames::Table;
use super::hlo::{Made, after_shape, between, name, opcode, source};
use super::module::{Computation, Instruction, Module};
use super::platform::Platform;
use crate::load::protobuf::Broken;

/// Most instructions that are remembered.
const MAX_ROWS: usize = crate::load::dump::draft::MAX_BUFFERS;

/// What an instruction calls; a loop's body comes before its condition, as in the protobuf.
const CALLED: [&str; 8] = [
    "body=",
    "condition=",
    "calls=",
    "to_apply=",
    "branch_computations={",
    "true_computation=",
    "false_computation=",
    "called_computations={",
];

/// A module while its text is read.
#[derive(Debug, Default)]
pub(super) struct Listing {
    module: Module,
    /// The table that is open.
    table: Option<Table>,
    /// The number of the computation that is open; 0 for none.
    open: i64,
    computations: BTreeMap<String, i64>,
    /// Names of operands and of what is called, by instruction.
    named: Vec<[Vec<String>; 2]>,
}

impl Listing {
    /// Reads a line of a module; what is no instruction says nothing.
    pub(super) fn line(&mut self, line: &str) {
        if let Some(table) = Table::begun(line) {
            self.table = Some(table);
            return;
        }
        if let Some(table) = self.table {
            if line.trim().is_empty() || self.module.frames.row(table, line).is_some() {
                return;
            }
            self.table = None;
        }
        let text = line.trim();
        if !line.starts_with(' ') {
            self.begin(text);
        } else if self.open != 0 && self.module.instructions.len() < MAX_ROWS {
            self.instruction(text);
        }
    }

    /// `ENTRY %main.4 (x.1: f32[2]) -> f32[2] {`
    fn begin(&mut self, text: &str) {
        if !text.ends_with('{') {
            return;
        }
        let header = text.strip_prefix("ENTRY ");
        let called = header.unwrap_or(text).split([' ', '(']).next();
        let known = Computation {
            name: name(called.unwrap_or_default()).to_owned(),
            ..Computation::default()
        };
        self.open = i64::try_from(self.computations.len() + 1).unwrap_or(i64::MAX);
        self.computations.insert(known.name.clone(), self.open);
        self.module.computations.insert(self.open, known);
        if header.is_some() {
            self.module.entry = self.open;
        }
    }

    fn instruction(&mut self, text: &str) {
        let root = text.strip_prefix("ROOT ");
        let text = root.unwrap_or(text);
        let Some((called, right)) = text.split_once(" = ") else {
            return;
        };
        let op = opcode(text).unwrap_or_default().to_owned();
        // The operands stand in the first brackets behind the kind.
        let inner = after_shape(right)
            .and_then(|it| it.split_once('('))
            .map(|it| it.1);
        let inner = inner.unwrap_or_default();
        let (operands, rest) = operands(inner);
        let metadata = rest.split_once("metadata={").map_or("", |it| it.1);
        let config = rest.split_once("metadata={").map_or(rest, |it| it.0);
        let behind = metadata.split_once('}').map_or("", |it| it.1);
        let told = || Platform::told(config).or(|| Platform::told(behind));
        self.module.platform = self.module.platform.or(told);
        let number = |text: &str| text.parse().unwrap_or_default();
        let id = i64::try_from(self.module.instructions.len() + 1).unwrap_or(i64::MAX);
        let found = Instruction {
            name: name(called).to_owned(),
            id,
            parameter: match (op.as_str(), operands.first()) {
                ("parameter", Some(first)) => number(first),
                _ => 0,
            },
            tuple_index: between(rest, "index=", ",").map_or(0, number),
            source: source(text).unwrap_or_default().to_owned(),
            frame: self.module.frames.said(metadata),
            computation: self.open,
            op,
            ..Instruction::default()
        };
        if root.is_some()
            && let Some(computation) = self.module.computations.get_mut(&self.open)
        {
            computation.root = id;
        }
        let operands = operands.into_iter().map(|it| name(it).to_owned());
        self.named.push([operands.collect(), called_by(rest)]);
        self.module.add(found);
    }

    /// The module, its names resolved; `None` where there is none.
    ///
    /// # Errors
    /// See [`Module::spend`].
    pub(super) fn finish(mut self) -> Result<Option<Module>, Broken> {
        let mut resolved = Vec::with_capacity(self.named.len());
        for [operands, called] in &self.named {
            let mut ids = [Vec::new(), Vec::new()];
            for operand in operands {
                self.module.spend()?;
                let index = self.module.by_name.get(operand);
                let found = index.and_then(|index| self.module.instructions.get(*index));
                ids[0].push(found.map_or(0, |it| it.id));
            }
            for called in called {
                self.module.spend()?;
                ids[1].extend(self.computations.get(called));
            }
            resolved.push(ids);
        }
        let instructions = self.module.instructions.iter_mut();
        for (instruction, [operands, called]) in instructions.zip(resolved) {
            (instruction.operands, instruction.called) = (operands, called);
        }
        let is_empty = self.module.instructions.is_empty();
        Ok((!is_empty).then_some(self.module))
    }
}

impl Module {
    /// What is said of the instruction whose result a value is, or is a part of.
    pub(super) fn made(&self, value: &str) -> Option<Made> {
        let found = self.named(value)?;
        let computation = self.computations.get(&found.1.computation);
        Some(Made {
            op: found.1.op.clone(),
            source: found.1.source.clone(),
            metadata: String::new(),
            computation: computation.map(|it| it.name.clone()).unwrap_or_default(),
        })
    }

    /// That instruction, and where it stands.
    pub(super) fn named(&self, value: &str) -> Option<(usize, &Instruction)> {
        let index = *self.by_name.get(value.split('{').next()?)?;
        Some((index, self.instructions.get(index)?))
    }
}

/// The place in a result that the name of a value says: `while.3{1,0}`.
pub(super) fn place(value: &str) -> Vec<i64> {
    let place = between(value, "{", "}").unwrap_or_default().split(',');
    place.filter_map(|it| it.trim().parse().ok()).collect()
}

/// The operands in `%a, f32[2]{0} %b), index=1`, each as its last word, and what follows them.
fn operands(text: &str) -> (Vec<&str>, &str) {
    let (mut found, mut depth, mut from) = (Vec::new(), 0_u32, 0);
    // Shapes and counts, `/*index=5*/`, may stand before a name.
    let word = |from: usize, to: usize| {
        let word = text.get(from..to)?.split_whitespace().next_back()?;
        Some(word.rsplit_once("*/").map_or(word, |it| it.1))
    };
    for (at, sign) in text.char_indices() {
        match sign {
            ')' if depth == 0 => {
                found.extend(word(from, at));
                return (found, text.get(at..).unwrap_or_default());
            }
            ',' if depth == 0 => {
                found.extend(word(from, at));
                from = at + 1;
            }
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (found, "")
}

/// The names of the computations that an instruction calls.
fn called_by(text: &str) -> Vec<String> {
    // What comes after is in the words of a framework, where anything may stand.
    let text = text.split_once("metadata={").map_or(text, |it| it.0);
    let all = CALLED.iter().filter_map(|&word| {
        let (before, rest) = text.split_once(word)?;
        let begins = before.is_empty() || before.ends_with([' ', ',']);
        let list = word.ends_with('{') || rest.starts_with('{');
        let rest = rest.trim_start_matches('{');
        let end = match list {
            true => rest.find('}'),
            false => rest.find([',', ' ']),
        };
        let names = rest.get(..end.unwrap_or(rest.len()))?.split(',');
        begins.then(|| names.map(|it| name(it.trim()).to_owned()))
    });
    all.flatten().collect()
}
