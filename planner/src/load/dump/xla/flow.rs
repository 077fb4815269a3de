//! Which instructions read which value, through everything that only passes values on.
//!
//! The lifetimes are those that XLA's own text has: from the instruction that makes a value,
//! or from the start of the computation that it is a parameter of, to the last instruction
//! that reads it; the results of a computation, and the parameters of a loop's condition,
//! until its end; parameters of the program that no result is written over for the whole run.

use std::collections::BTreeMap;

use super::module::{Donated, Instruction, Module};
use super::program::Life;
use super::schedule::Schedule;
use crate::load::{Fault, LoadError};
use crate::message;
use crate::sorting::Sorting as _;

/// Most places that are looked at, along everything that passes values on.
const MAX_WALK: u64 = 1 << 23;
/// Deepest tuple in a tuple.
const MAX_DEPTH: usize = 128;

/// Where each value is made: the instruction, and the place in its result.
pub(super) type Origins = BTreeMap<(usize, Vec<i64>), usize>;

/// The lifetimes of the `count` values that are made at `origins`; `None` for those of
/// computations that have no steps of their own.
///
/// # Errors
/// [`Fault::Limit`] when the module is too large to be followed.
pub(super) fn lives(
    module: &Module,
    schedule: &Schedule,
    origins: &Origins,
    count: usize,
) -> Result<Vec<Option<Life>>, LoadError> {
    let mut flow = Flow {
        module,
        origins,
        callers: callers(module, schedule),
        walked: 0,
        lives: vec![None; count],
    };
    flow.begin(schedule);
    for (&index, &step) in &schedule.step {
        flow.reads(schedule, index, step)?;
    }
    for (&computation, &(_, end)) in &schedule.spans {
        flow.results(computation, end)?;
    }
    for life in flow.lives.iter_mut().flatten() {
        life.uses.retain(|step| *step <= life.last);
        life.uses.order();
        life.uses.dedup();
        life.needed = life
            .uses
            .last()
            .copied()
            .unwrap_or_default()
            .max(life.needed);
    }
    Ok(flow.lives)
}

/// The instruction that calls each computation, and which of its computations it is.
fn callers(module: &Module, schedule: &Schedule) -> BTreeMap<i64, (usize, usize)> {
    let mut callers = BTreeMap::new();
    for &index in &schedule.order {
        let called = module.instructions.get(index).map(|it| &it.called);
        for (place, &computation) in called.into_iter().flatten().enumerate() {
            callers.insert(computation, (index, place));
        }
    }
    callers
}

struct Flow<'m> {
    module: &'m Module,
    origins: &'m Origins,
    callers: BTreeMap<i64, (usize, usize)>,
    walked: u64,
    lives: Vec<Option<Life>>,
}

impl Flow<'_> {
    /// Gives every value that is made at a step the shortest life.
    fn begin(&mut self, schedule: &Schedule) {
        let module = self.module;
        for ((index, place), &value) in self.origins {
            let (Some(&step), Some(made)) =
                (schedule.step.get(index), module.instructions.get(*index))
            else {
                continue;
            };
            let start = schedule.spans.get(&made.computation).map(|span| span.0);
            let start = start.filter(|_| made.op == "parameter");
            let given = start.is_some() && made.computation == module.entry;
            let first = start.unwrap_or(step);
            let donated = Donated {
                parameter: made.parameter,
                index: place.clone(),
            };
            let kept = given && !module.donated.contains(&donated);
            let life = Life {
                first,
                last: if kept { schedule.end() } else { first },
                uses: Vec::new(),
                needed: first,
                op: made.op.clone(),
            };
            if let Some(slot) = self.lives.get_mut(value) {
                *slot = Some(life);
            }
        }
    }

    /// Adds what the instruction at `index` reads when it runs at `step`.
    fn reads(&mut self, schedule: &Schedule, index: usize, step: u64) -> Result<(), LoadError> {
        let module = self.module;
        let Some(instruction) = module.instructions.get(index) else {
            return Ok(());
        };
        let only_whole = match instruction.op.as_str() {
            // They look at nothing, what a call runs does; or only at the table of places.
            "tuple" | "domain" | "call" => return Ok(()),
            "get-tuple-element" | "copy" => true,
            _ => false,
        };
        // What a loop begins with is not needed once the loop has begun.
        let called = instruction.called.iter();
        let starts = called.filter_map(|called| schedule.spans.get(called).map(|span| span.0));
        let until = match instruction.op.as_str() {
            "while" => starts.min().unwrap_or(step),
            _ => step,
        };
        for &operand in &instruction.operands {
            let Some((from, read)) = module.find(operand) else {
                continue;
            };
            let count = if only_whole { 1 } else { read.places.len() };
            for place in read.places.iter().take(count) {
                if let Some(life) = self.origin(from, place)?.and_then(|it| self.life(it)) {
                    life.last = life.last.max(until);
                    life.uses.push(step);
                }
            }
        }
        Ok(())
    }

    /// Keeps the results of a computation, and what a condition looks at, until its end.
    fn results(&mut self, id: i64, end: u64) -> Result<(), LoadError> {
        let module = self.module;
        let Some(computation) = module.computations.get(&id) else {
            return Ok(());
        };
        let mut kept: Vec<usize> = module
            .find(computation.root)
            .map(|it| it.0)
            .into_iter()
            .collect();
        let caller = self.callers.get(&id);
        let caller =
            caller.and_then(|(caller, place)| Some((module.instructions.get(*caller)?, place)));
        if caller.is_some_and(|(caller, place)| caller.op == "while" && *place == 1) {
            kept.extend(computation.parameters.values());
        }
        for from in kept {
            let places = module.instructions.get(from).map(|it| it.places.as_slice());
            for place in places.unwrap_or_default() {
                if let Some(life) = self.origin(from, place)?.and_then(|it| self.life(it)) {
                    life.last = life.last.max(end);
                    if id == module.entry {
                        life.needed = life.last;
                    }
                }
            }
        }
        Ok(())
    }

    fn life(&mut self, value: usize) -> Option<&mut Life> {
        self.lives.get_mut(value)?.as_mut()
    }

    /// The value at `place` of what the instruction at `from` makes.
    fn origin(&mut self, from: usize, place: &[i64]) -> Result<Option<usize>, LoadError> {
        let mut at = (from, place.to_vec());
        loop {
            self.walked += 1;
            if self.walked > MAX_WALK {
                return Err(Fault::Limit.at(
                    message!("module"),
                    message!("more than {} reads of parts of results", MAX_WALK),
                ));
            }
            if let Some(&value) = self.origins.get(&at) {
                return Ok(Some(value));
            }
            if at.1.len() > MAX_DEPTH {
                return Ok(None);
            }
            let Some(known) = self.module.instructions.get(at.0) else {
                return Ok(None);
            };
            match self.passed(known, at.1) {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
    }

    /// Where an instruction that makes nothing of its own at `place` has it from.
    fn passed(&self, known: &Instruction, place: Vec<i64>) -> Option<(usize, Vec<i64>)> {
        let operand = |number: usize| Some(self.module.find(*known.operands.get(number)?)?.0);
        let root = |called: usize| {
            let computation = self.module.computations.get(known.called.get(called)?)?;
            Some(self.module.find(computation.root)?.0)
        };
        match known.op.as_str() {
            "bitcast" | "optimization-barrier" | "domain" | "add-dependency" | "while" => {
                Some((operand(0)?, place))
            }
            "get-tuple-element" => {
                let mut inner = vec![known.tuple_index];
                inner.extend(place);
                Some((operand(0)?, inner))
            }
            "tuple" => {
                let (number, rest) = place.split_first()?;
                Some((operand(usize::try_from(*number).ok()?)?, rest.to_vec()))
            }
            "call" | "conditional" => Some((root(0)?, place)),
            // The result of a start has the operands, then what the call makes.
            "async-start" | "async-update" => match place.split_first()? {
                (0, rest) if known.op == "async-start" => {
                    let (number, rest) = rest.split_first()?;
                    Some((operand(usize::try_from(*number).ok()?)?, rest.to_vec()))
                }
                (1, rest) if known.op == "async-start" => Some((root(0)?, rest.to_vec())),
                _ => Some((operand(0)?, place)),
            },
            "async-done" => {
                let mut inner = vec![1];
                inner.extend(place);
                Some((operand(0)?, inner))
            }
            "copy-start" => Some((operand(0)?, place.split_first()?.1.to_vec())),
            "copy-done" => {
                let mut inner = vec![0];
                inner.extend(place);
                Some((operand(0)?, inner))
            }
            "parameter" => self.given(known, place),
            _ => None,
        }
    }

    /// Where a parameter of a called computation has its value from.
    fn given(&self, known: &Instruction, place: Vec<i64>) -> Option<(usize, Vec<i64>)> {
        let (caller, number) = self.callers.get(&known.computation)?;
        let caller = self.module.instructions.get(*caller)?;
        let operand = match caller.op.as_str() {
            "while" => 0,
            // The first operand chooses the branch.
            "conditional" => number + 1,
            _ => usize::try_from(known.parameter).ok()?,
        };
        Some((self.module.find(*caller.operands.get(operand)?)?.0, place))
    }
}
