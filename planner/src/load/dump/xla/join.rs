//! Addresses and lifetimes → one program. They are joined by name, and only if all of them
//! join are they of one module.

use std::collections::BTreeMap;

use super::filled::Sources;
use super::listing::{Listing, place};
use super::module::Module;
use super::platform::Platform;
use super::program::{Allocation, Life, Program, Value};
use super::ranges::Ranges;
use super::text::{Found, Texts};
use super::values::Used;
use crate::load::{Fault, LoadError, Warning};
use crate::sorting::Sorting as _;
use crate::{Message, message};

/// The program that the texts describe.
///
/// # Errors
/// [`Fault::Partner`] when only one half is there, [`Fault::Apart`] when the halves do not
/// join, [`Fault::Truncated`] or [`Fault::Dangling`] when that is one file's own fault.
pub(super) fn join(texts: Texts, warnings: &mut Vec<Warning>) -> Result<Program, LoadError> {
    let part = |part: Option<&String>| part.filter(|part| !part.is_empty()).cloned();
    let known = part(texts.assignment.as_ref().map(|it| &it.part))
        .or_else(|| part(texts.ranges.as_ref().map(|it| &it.part)))
        .or_else(|| part(texts.values.as_ref().map(|it| &it.part)))
        .or_else(|| part(texts.total.as_ref().map(|it| &it.part)));
    let missing = match (&texts.assignment, &texts.ranges) {
        (Some(_), _) => message!("the live ranges of this module are"),
        (_, Some(_)) => message!("the buffer assignment of this module is"),
        _ => message!("the buffer assignment and the live ranges of this module are"),
    };
    let (Some(assignment), Some(ranges)) = (texts.assignment, texts.ranges) else {
        return Err(Fault::Partner.at(
            known.map_or_else(|| message!("file"), Message::verbatim),
            message!(
                "{} missing: open `*-buffer-assignment.txt` and `*-live-range.txt` of one module \
                 together, or its `*.hlo.pb` alone",
                missing
            ),
        ));
    };
    let mut joined = Joining {
        assignment: assignment.part,
        end: ranges.said.end,
        steps: BTreeMap::new(),
        lives: BTreeMap::new(),
        used: texts.values.map(|found| found.said.of).unwrap_or_default(),
        module: module(texts.module, &assignment.said, warnings)?,
        peaked: !ranges.said.peak.is_empty(),
        ranges: ranges.part,
    };
    let mut program = Program {
        allocations: assignment.said,
        end: ranges.said.end,
        ..Program::default()
    };
    joined.total(&program, texts.total.as_ref())?;
    program.steps = joined.enter(ranges.said)?;
    joined.values(&mut program)?;
    joined.fill(&mut program);
    joined.unused(warnings, &program);
    Ok(program)
}

/// The instructions, if they are those that make the values.
fn module(
    found: Option<Listing>,
    allocations: &[Allocation],
    warnings: &mut Vec<Warning>,
) -> Result<Module, LoadError> {
    let module = found.unwrap_or_default().finish();
    let module = module.map_err(|broken| {
        broken
            .kind
            .at(Message::verbatim("HloModule"), broken.message)
    })?;
    let Some(module) = module else {
        return Ok(Module::default());
    };
    let values = allocations.iter().flat_map(|it| &it.values);
    let missing = values.filter(|it| module.named(&it.name).is_none()).count();
    if missing == 0 {
        return Ok(module);
    }
    warnings.push(Warning::new(
        Message::verbatim("HloModule"),
        message!(
            "it does not make {} of the values: its instructions are not used",
            missing
        ),
    ));
    Ok(Module::default())
}

/// Both halves while they are joined.
struct Joining {
    /// The file of each half; empty where there is only one.
    assignment: String,
    ranges: String,
    end: u64,
    steps: BTreeMap<String, u64>,
    lives: BTreeMap<String, Known>,
    used: BTreeMap<String, Used>,
    module: Module,
    /// Whether the list of the peak is there, which comes after all lifetimes.
    peaked: bool,
}

/// What the live ranges say of a value.
struct Known {
    first: u64,
    last: u64,
    line: u64,
    /// Bytes, and the line that says so.
    size: Option<(u64, u64)>,
    taken: bool,
}

impl Joining {
    /// A fault of the two halves together, or of the one file that has both.
    fn apart(&self, message: Message) -> LoadError {
        let (one, other) = (&self.assignment, &self.ranges);
        match one == other {
            true => Fault::Dangling.in_file(message),
            false => Fault::Apart.at(Message::verbatim(format!("{one}, {other}")), message),
        }
    }

    /// A place in the live ranges.
    fn line(&self, line: u64) -> Message {
        match self.ranges.as_str() {
            "" => message!("line {}", line),
            part => message!("{}, line {}", part, line),
        }
    }

    /// Compares the sum of all allocations with what another text says that it is.
    fn total(&self, program: &Program, said: Option<&Found<u64>>) -> Result<(), LoadError> {
        let mut sizes = program.allocations.iter().map(|it| it.size);
        let sum = sizes.try_fold(0_u64, |sum, size| sum.checked_add(size?));
        let (Some(sum), Some(found)) = (sum, said) else {
            return Ok(());
        };
        if sum == found.said {
            return Ok(());
        }
        let message = message!(
            "the allocations have {} bytes, but `Total bytes` says {}",
            sum,
            found.said
        );
        if found.part == self.assignment {
            return Err(Fault::Malformed.in_file(message));
        }
        Err(Fault::Apart.at(
            Message::verbatim(format!("{}, {}", self.assignment, found.part)),
            message,
        ))
    }

    /// Takes the live ranges in and returns the steps' names.
    fn enter(&mut self, ranges: Ranges) -> Result<Vec<String>, LoadError> {
        for (step, name) in (0..).zip(&ranges.steps) {
            self.steps.insert(name.clone(), step);
        }
        for (name, first, last, line) in ranges.lives {
            let known = Known {
                first,
                last,
                line,
                size: None,
                taken: false,
            };
            if let Some(before) = self.lives.insert(name.clone(), known) {
                return Err(Fault::Duplicate.at(
                    self.line(line),
                    message!("{} has a live range in line {} too", name, before.line),
                ));
            }
        }
        for (name, bytes, line) in ranges.peak {
            match self.lives.get_mut(&name) {
                Some(known) => known.size = Some((bytes, line)),
                None => {
                    return Err(Fault::Dangling.at(
                        self.line(line),
                        message!("{} is live at the peak but has no live range", name),
                    ));
                }
            }
        }
        Ok(ranges.steps)
    }

    /// Gives every value its lifetime.
    fn values(&mut self, program: &mut Program) -> Result<(), LoadError> {
        for allocation in &mut program.allocations {
            let parameter = allocation.parameter.is_some();
            // What runs inside of one instruction has no steps.
            let inside = allocation.thread_local || allocation.constant;
            for value in &mut allocation.values {
                let life = self.life(value, parameter)?;
                if life.is_none() && !inside {
                    return Err(self.missing(value));
                }
                value.life = life;
                self.made(value);
            }
        }
        let mut left = self.lives.iter().filter(|(_, known)| !known.taken);
        match left.next() {
            None => Ok(()),
            Some((name, known)) => Err(self.apart(message!(
                "{} has a live range ({}) but no address",
                name,
                self.line(known.line)
            ))),
        }
    }

    /// Adds what the instruction that makes a value says of itself.
    fn made(&self, value: &mut Value) {
        let used = self.used.get(&value.name).map(|it| it.made.clone());
        for made in [used, self.module.made(&value.name)].into_iter().flatten() {
            value.ir.source = made.source;
            value.ir.computation = made.computation;
            if let (Some(life), false) = (&mut value.life, made.op.is_empty()) {
                life.op = made.op;
            }
        }
    }

    /// Adds what fills each value, where the module is there; else the line that its instruction
    /// says itself.
    fn fill(&mut self, program: &mut Program) {
        let mut frames = std::mem::take(&mut self.module.frames);
        let mut sources = Sources::of(&self.module);
        for value in program.allocations.iter_mut().flat_map(|it| &mut it.values) {
            let used = self
                .used
                .get(&value.name)
                .map(|it| it.made.metadata.as_str());
            let frame = frames.said(used.unwrap_or_default());
            value.stack = sources.shown.stack(&frames, frame);
            if let Some((index, _)) = self.module.named(&value.name) {
                let at = (index, place(&value.name));
                sources.add(&frames, at, value);
            }
        }
        program.stacks = sources.shown.finish();
        let mut values = program.allocations.iter().flat_map(|it| &it.values);
        // Only TPUs have tiled layouts.
        program.platform = match values.any(|it| it.payload.is_some()) {
            true => Platform::Tpu,
            false => self.module.platform,
        };
    }

    fn missing(&self, value: &Value) -> LoadError {
        let name = &value.name;
        if self.peaked {
            let message = message!(
                "{} has an address (line {}) but no live range",
                name,
                value.at
            );
            return self.apart(message);
        }
        Fault::Truncated.at(
            match self.ranges.as_str() {
                "" => message!("file"),
                part => Message::verbatim(part),
            },
            message!("it ends before the live range of {}", name),
        )
    }

    fn life(&mut self, value: &Value, parameter: bool) -> Result<Option<Life>, LoadError> {
        let Some(known) = self.lives.get_mut(&value.name) else {
            return Ok(None);
        };
        known.taken = true;
        let (first, last) = (known.first, known.last);
        if let Some((bytes, line)) = known.size
            && bytes != value.size
        {
            let message = message!(
                "{} has {} bytes (line {}), but {} at the peak ({})",
                value.name,
                value.size,
                value.at,
                bytes,
                self.line(line)
            );
            return Err(self.apart(message));
        }
        let mut life = Life {
            first,
            last,
            uses: Vec::new(),
            needed: last,
            op: match parameter && first == 0 {
                true => "parameter".into(),
                false => op(&value.name).to_owned(),
            },
        };
        if let Some(used) = self.used.get(&value.name) {
            self.read(used, &mut life);
        }
        Ok(Some(life))
    }

    /// Adds what reads a value.
    fn read(&self, used: &Used, life: &mut Life) {
        // A tuple only notes where its parts are.
        let is_tuple =
            |name: &&String| self.used.get(*name).is_some_and(|it| it.made.op == "tuple");
        let readers = used.uses.iter().filter(|name| !is_tuple(name));
        let steps = readers.filter_map(|name| self.steps.get(name));
        let within = |step: &u64| (life.first..=life.last).contains(step);
        life.uses = steps.copied().filter(within).collect();
        life.uses.order();
        life.uses.dedup();
        let root = self.end.checked_sub(1);
        let mut positions = used
            .positions
            .iter()
            .map(|name| self.steps.get(name).copied());
        let is_result = positions.any(|step| step.is_some() && step == root);
        if !is_result {
            life.needed = life.uses.last().copied().unwrap_or(life.first);
        }
    }

    /// Says which part of the list of used values fits nothing.
    fn unused(&self, warnings: &mut Vec<Warning>, program: &Program) {
        let values = program.allocations.iter().flat_map(|it| &it.values);
        let known = values.filter(|it| self.used.contains_key(&it.name)).count();
        let left = self.used.len().saturating_sub(known);
        if left > 0 {
            warnings.push(Warning::new(
                Message::verbatim("Used values"),
                message!("{} of them have no address", left),
            ));
        }
    }
}

/// The kind of an instruction as far as its name says: XLA calls what it makes by the kind,
/// with a number after, and what it fuses `..._fusion` or `wrapped_...`.
fn op(name: &str) -> &str {
    let stem = name.split(['.', '{']).next().unwrap_or(name);
    match stem.ends_with("fusion") || stem.starts_with("wrapped_") {
        true => "fusion",
        false => stem,
    }
}
