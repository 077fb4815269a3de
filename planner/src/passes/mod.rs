//! What a compiler does to a graph before memory is planned: one table of passes, run in its
//! order. Each pass gives a report and a map from the tensors before to those after it.
//!
//! A new pass is one file with a `PASS` and its `run`, and one word in the row of `passes!`.

// In the order in which they run.
mod given;
mod shapes;
mod fold;
mod fusion;
mod in_place;
pub mod order;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::graph::infer::{Sizers, Value};
use crate::graph::{Bindings, TensorId};
use crate::program::Program;
use crate::settings::PassSet;

pub use given::parameters;

/// What is known of a pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name on command lines, in links and in files.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whether it runs only when it is chosen; the others are needed before anything can be
    /// planned.
    pub optional: bool,
    /// Whether it leaves every operator and tensor as it is, so that it may run even over a
    /// program that is planned as it is written.
    pub keeps_graph: bool,
}

impl Pass {
    /// Whether it may run over `program`.
    #[must_use]
    pub fn applies(&self, program: &Program) -> bool {
        self.keeps_graph || !program.as_written
    }
}

/// Rows in the order in which they run: `module::PASS` describes a pass, `module::run` is it.
/// Two tables, so that a program that only lists passes, as the page does, carries the code of
/// none.
macro_rules! passes {
    ($($module:ident)+) => {
        /// Every pass, in the order in which they run.
        pub const ALL: &[Pass] = &[$($module::PASS),+];

        /// What each of them does.
        const RUNS: &[fn(&mut Work<'_>) -> Report] = &[$($module::run),+];
    };
}

passes! { given shapes fold fusion in_place }

/// What passes rewrite, and what they know beside it.
struct Work<'a> {
    program: Program,
    /// The elements that are known before the run, by tensor.
    values: BTreeMap<TensorId, Value>,
    bindings: &'a Bindings,
    given: &'a Given,
    sizers: Sizers,
}

/// The elements of inputs that the caller gives before planning: little-endian, by input.
pub type Given = BTreeMap<TensorId, Vec<u8>>;

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the pass.
    pub pass: String,
    /// How many rewrites there were: operators fused, tensors folded or sized, aliases found.
    pub changes: u64,
    /// For each tensor before the pass the one that it is after it, `None` where it is gone;
    /// empty where every tensor stays what it is.
    pub tensors: Vec<Option<TensorId>>,
}

impl Report {
    /// A report of `changes` that keep every tensor.
    fn keeping(changes: usize) -> Self {
        Self {
            changes: changes as u64,
            ..Self::default()
        }
    }

    /// The tensor after the pass that `tensor` is; `None` where it is gone.
    #[must_use]
    pub fn after(&self, tensor: TensorId) -> Option<TensorId> {
        match self.tensors.get(tensor.index()) {
            Some(after) => *after,
            None => Some(tensor),
        }
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pass").field(&self.name).finish()
    }
}

/// Runs the passes that are needed and those in `chosen` over `program`, in the order of the
/// table, those left out that do not apply to it, and shows `seen` the program after each.
/// Returns the last one.
pub fn run(
    program: Program,
    known: (&Bindings, &Given),
    chosen: PassSet,
    seen: &mut dyn FnMut(&Program, Report),
) -> Program {
    run_by(Sizers::ALL, program, known, chosen, seen)
}

/// The same with operators of these dialects only.
pub(crate) fn run_by(
    sizers: Sizers,
    program: Program,
    (bindings, given): (&Bindings, &Given),
    chosen: PassSet,
    seen: &mut dyn FnMut(&Program, Report),
) -> Program {
    let mut work = Work {
        program,
        values: BTreeMap::new(),
        bindings,
        given,
        sizers,
    };
    for (row, (pass, run)) in ALL.iter().zip(RUNS).enumerate() {
        if pass.applies(&work.program) && (!pass.optional || chosen.has(row)) {
            let report = Report {
                pass: pass.name.to_owned(),
                ..run(&mut work)
            };
            seen(&work.program, report);
        }
    }
    work.program
}

/// No optional pass has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass {
    /// The name asked for.
    pub name: String,
}

/// The optional passes of the table, each with its row.
pub fn optional() -> impl Iterator<Item = (usize, &'static Pass)> {
    ALL.iter().enumerate().filter(|(_, pass)| pass.optional)
}

/// The passes that `text` names, separated by commas; none for an empty text.
///
/// # Errors
/// [`UnknownPass`] with the first name that no optional pass has.
pub fn parse(text: &str) -> Result<PassSet, UnknownPass> {
    let names = text.split(',').filter(|name| !name.is_empty());
    names.map(str::trim).try_fold(PassSet::NONE, |set, name| {
        let row = optional().find(|(_, pass)| pass.name == name);
        let (row, _) = row.ok_or_else(|| UnknownPass { name: name.into() })?;
        Ok(set.with(row, true))
    })
}

/// The names of the passes in `set`, separated by commas, in the order in which they run.
#[must_use]
pub fn text(set: PassSet) -> String {
    let chosen = optional().filter(|(row, _)| set.has(*row));
    let names: Vec<&str> = chosen.map(|(_, pass)| pass.name).collect();
    names.join(",")
}

impl fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = optional().map(|(_, pass)| pass.name).collect();
        let names = names.join(", ");
        write!(f, "no pass is called {:?}; there are {names}", self.name)
    }
}

impl std::error::Error for UnknownPass {}
