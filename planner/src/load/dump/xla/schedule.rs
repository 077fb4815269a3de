//! The order in which all instructions run, those of loops and branches where they are called.

use std::collections::{BTreeMap, BTreeSet};

use super::module::Module;
use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// Deepest call inside a call.
const MAX_DEPTH: usize = 256;

/// One order of all instructions that share the memory of the program.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Indices of the instructions in the module.
    pub(super) order: Vec<usize>,
    /// The step of each instruction.
    pub(super) step: BTreeMap<usize, u64>,
    /// The first step of each computation, and the moment after its last.
    pub(super) spans: BTreeMap<i64, (u64, u64)>,
}

impl Schedule {
    /// The moment after the last instruction.
    pub(super) fn end(&self) -> u64 {
        self.order.len() as u64
    }
}

/// The schedule of `module`. What a loop or a call runs stands before it, as in XLA's text.
///
/// # Errors
/// [`Fault::Unsupported`] without a schedule, [`Fault::Cycle`] when a computation calls
/// itself, [`Fault::Dangling`] when something is not there.
pub(super) fn schedule(module: &Module) -> Result<Schedule, LoadError> {
    let mut flat = Flat {
        module,
        found: Schedule::default(),
        open: BTreeSet::new(),
    };
    flat.computation(module.entry)?;
    if flat.found.order.is_empty() {
        return Err(Fault::Unsupported.in_file(message!(
            "the module has no schedule, as before the optimizations and in the \
             oldest builds: open its `*-buffer-assignment.txt`"
        )));
    }
    Ok(flat.found)
}

struct Flat<'m> {
    module: &'m Module,
    found: Schedule,
    /// The computations that are being run.
    open: BTreeSet<i64>,
}

impl Flat<'_> {
    fn computation(&mut self, id: i64) -> Result<(), LoadError> {
        let fault =
            |kind: Fault, message: Message| kind.at(message!("computation {}", id), message);
        if self.found.spans.contains_key(&id) {
            return Ok(());
        }
        if !self.open.insert(id) {
            return Err(fault(Fault::Cycle, message!("it calls itself")));
        }
        if self.open.len() > MAX_DEPTH {
            return Err(fault(Fault::Limit, message!("calls are nested too deep")));
        }
        let module = self.module;
        let computation = module.computations.get(&id);
        let computation = computation
            .ok_or_else(|| fault(Fault::Dangling, message!("it is called but not there")))?;
        let start = self.found.order.len() as u64;
        for &instruction in &computation.order {
            let (index, known) = module.instruction(instruction)?;
            match (known.op.as_str(), known.called.as_slice()) {
                // The condition of a loop runs before its body, but is listed after it.
                ("while", [body, condition]) => {
                    self.computation(*condition)?;
                    self.computation(*body)?;
                }
                ("call" | "conditional" | "async-start", called) => {
                    for &called in called {
                        self.computation(called)?;
                    }
                }
                _ => {}
            }
            let step = self.found.order.len() as u64;
            if self.found.step.insert(index, step).is_some() {
                return Err(
                    Fault::Duplicate.at(Message::verbatim(&*known.name), message!("it runs twice"))
                );
            }
            self.found.order.push(index);
        }
        self.open.remove(&id);
        let end = self.found.order.len() as u64;
        self.found.spans.insert(id, (start, end));
        Ok(())
    }
}
