//! Who allocated a buffer, as people look for it: the line of their own program, the module, the
//! operator, the phase of a training step. All from the stack, and for the phase from what the
//! program said of itself where the stack does not tell.

mod category;
mod frames;
mod label;
mod operator;
mod phase;

use crate::deployed::{Frame, Note, Scope, Stacks};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::units::Step;

pub use category::categories;
pub use frames::{Owner, called, owner, place};
pub use label::{AUTOGRAD, BEFORE_RECORDING, label, line};
pub(crate) use label::{forward, is_address};
pub use phase::Phase;

/// What one stack says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// Where it was allocated: the innermost frame of the program; without one the innermost
    /// frame of Python, by index into [`Stacks::frames`]. `None` for a stack without Python,
    /// such as that of a gradient, which the autograd engine allocates on a thread of its own.
    pub frame: Option<u32>,
    /// The innermost module: the innermost frame of the program called `forward`, without one
    /// that of a library.
    pub module: Option<u32>,
    /// The operator; empty where the stack names none.
    pub operator: String,
    /// The phase; `None` where the stack does not tell.
    pub phase: Option<Phase>,
}

/// What the stacks of an arena say, and the phase of every buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// By stack.
    pub callers: Vec<Caller>,
    /// By buffer; `None` where neither stack nor scope tells.
    pub phases: Vec<Option<Phase>>,
}

impl Attribution {
    /// Looks at every stack once, and at the scopes for buffers whose stacks do not tell their
    /// phase.
    #[must_use]
    pub fn of(lifetimes: &Lifetimes, notes: &[Note], stacks: &Stacks, scopes: &[Scope]) -> Self {
        let callers = callers(stacks);
        let within = phase::Timeline::of(scopes);
        let phases = lifetimes.buffers.iter().enumerate().map(|(index, buffer)| {
            let note = notes.get(index);
            let of_stack = note.and_then(|note| callers.get(note.stack as usize));
            let of_stack = of_stack.and_then(|caller| caller.phase);
            // What was there before the trace was allocated at an unknown time.
            let known = buffer.span.start > Step(0);
            of_stack.or_else(|| known.then(|| within.at(buffer.span.start)).flatten())
        });
        let phases = phases.collect();
        Self { callers, phases }
    }

    /// The steps at which another phase begins, forward or backward, as far as what is allocated
    /// there tells: in order, the first of all too. The optimizer counts to the phase before it.
    /// Phases of the same kind that follow each other cannot be told apart.
    #[must_use]
    pub fn phase_starts(&self, lifetimes: &Lifetimes) -> Vec<Step> {
        let each = lifetimes.buffers.iter().zip(&self.phases);
        let told = each.filter_map(|(buffer, phase)| {
            let phase = phase.filter(|it| *it != Phase::Optimizer)?;
            let start = buffer.span.start;
            (start > Step(0)).then_some((start, phase))
        });
        let mut told: Vec<(Step, Phase)> = told.collect();
        told.order_by_key(|it| it.0);
        told.dedup_by_key(|it| it.1);
        told.into_iter().map(|it| it.0).collect()
    }
}

/// What every stack says, in their order.
#[must_use]
pub fn callers(stacks: &Stacks) -> Vec<Caller> {
    let owners: Vec<Owner> = stacks.frames.iter().map(owner).collect();
    let all = stacks.stacks.iter();
    all.map(|stack| {
        let owned = stack.iter();
        let owned = owned.filter_map(|&it| Some((it, *owners.get(it as usize)?)));
        caller(&stacks.frames, &owned.collect::<Vec<_>>())
    })
    .collect()
}

/// What one stack says.
#[must_use]
pub fn caller_of(stacks: &Stacks, stack: u32) -> Caller {
    let owned = stacks.indices(stack).iter();
    let owned = owned.filter_map(|&it| Some((it, owner(stacks.frames.get(it as usize)?))));
    caller(&stacks.frames, &owned.collect::<Vec<_>>())
}

/// Of the frames of a stack, by index, each with its owner.
fn caller(frames: &[Frame], stack: &[(u32, Owner)]) -> Caller {
    let owned = |by: Owner| {
        let owned = stack.iter().filter(move |(_, owner)| *owner == by);
        owned.map(|(frame, _)| *frame)
    };
    let is_forward = |frame: &u32| {
        let frame = frames.get(*frame as usize);
        frame.is_some_and(|frame| function(frame) == "forward")
    };
    let by_program = || owned(Owner::Program);
    let by_library = || owned(Owner::Library);
    let lines = stack.iter();
    let lines = lines.filter_map(|&(it, owner)| Some((frames.get(it as usize)?, owner)));
    let lines: Vec<(&Frame, Owner)> = lines.collect();
    Caller {
        frame: by_program().next().or_else(|| by_library().next()),
        module: by_program()
            .find(is_forward)
            .or_else(|| by_library().find(is_forward)),
        operator: operator::operator(&lines),
        phase: phase::of_stack(&lines),
    }
}

/// The function's own name, without the classes around it.
fn function(frame: &Frame) -> &str {
    frame.function.rsplit('.').next().unwrap_or_default()
}

/// What a stream is called: its number; those beyond the first ones are numbered by an address.
#[must_use]
pub fn stream(number: i64) -> String {
    match number {
        0..=0xffff => number.to_string(),
        _ => format!("{number:#x}"),
    }
}
