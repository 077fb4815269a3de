//! The instructions of a module, as far as lifetimes need them.

use std::collections::{BTreeMap, BTreeSet};

use crate::load::protobuf::Broken;
use crate::load::{Fault, LoadError};

/// Most instructions, operands and places in tuples, each.
const MAX_ROWS: usize = 1 << 23;

/// A module with its schedule.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// All instructions of all computations.
    pub(super) instructions: Vec<Instruction>,
    /// All computations, by their number.
    pub(super) computations: BTreeMap<i64, Computation>,
    /// The computation that is the program.
    pub(super) entry: i64,
    /// The parameters that a result is written over.
    pub(super) donated: BTreeSet<Donated>,
    /// Where an instruction of that number stands in [`instructions`](Self::instructions).
    pub(super) by_id: BTreeMap<i64, usize>,
    /// The same by name.
    pub(super) by_name: BTreeMap<String, usize>,
    rows: usize,
}

/// A parameter, and the place in it, that a result is written over.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Donated {
    /// Which parameter.
    pub(super) parameter: i64,
    /// Which place in its tuple.
    pub(super) index: Vec<i64>,
}

/// Instructions that belong together.
#[derive(Debug, Default)]
pub(super) struct Computation {
    /// The instruction whose result is that of all.
    pub(super) root: i64,
    /// Where its parameters stand in the module, by their numbers.
    pub(super) parameters: BTreeMap<i64, usize>,
    /// The order of its instructions; empty where they are not scheduled.
    pub(super) order: Vec<i64>,
}

/// One instruction.
#[derive(Debug, Default)]
pub(super) struct Instruction {
    pub(super) name: String,
    /// Its kind.
    pub(super) op: String,
    pub(super) id: i64,
    /// Numbers of the instructions that it reads.
    pub(super) operands: Vec<i64>,
    /// Numbers of the computations that it calls.
    pub(super) called: Vec<i64>,
    /// Which parameter it is.
    pub(super) parameter: i64,
    /// Which place of a tuple it takes.
    pub(super) tuple_index: i64,
    /// Every place of its result, the whole first.
    pub(super) places: Vec<Vec<i64>>,
    /// The computation that it is in.
    pub(super) computation: i64,
}

impl Module {
    /// Counts something of which a file must not have too much.
    ///
    /// # Errors
    /// [`Fault::Limit`] when it has.
    pub(super) fn spend(&mut self) -> Result<(), Broken> {
        self.rows += 1;
        match self.rows > MAX_ROWS {
            true => Err(Broken::new(
                Fault::Limit,
                format!("more than {MAX_ROWS} instructions, operands and parts of results"),
            )),
            false => Ok(()),
        }
    }

    /// Takes an instruction in.
    pub(super) fn add(&mut self, instruction: Instruction) {
        let index = self.instructions.len();
        self.by_id.insert(instruction.id, index);
        self.by_name.insert(instruction.name.clone(), index);
        if instruction.op == "parameter" {
            let computation = self
                .computations
                .entry(instruction.computation)
                .or_default();
            computation.parameters.insert(instruction.parameter, index);
        }
        self.instructions.push(instruction);
    }

    /// The instruction of that number.
    pub(super) fn find(&self, id: i64) -> Option<(usize, &Instruction)> {
        let index = *self.by_id.get(&id)?;
        Some((index, self.instructions.get(index)?))
    }

    /// The instruction of that number, which must be there.
    ///
    /// # Errors
    /// [`Fault::Dangling`] when it is not.
    pub(super) fn instruction(&self, id: i64) -> Result<(usize, &Instruction), LoadError> {
        self.find(id).ok_or_else(|| LoadError {
            kind: Fault::Dangling,
            place: format!("instruction {id}"),
            message: "the schedule names it, but no computation has it".into(),
        })
    }
}
