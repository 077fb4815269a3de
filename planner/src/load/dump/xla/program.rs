//! What a dump says of one compiled program, whatever file says it: allocations, the values
//! in them, and when these live.

use super::platform::Platform;
use crate::deployed::{IrValue, Stacks};
use crate::{Message, message};

/// A compiled program.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// In the dump's order.
    pub(super) allocations: Vec<Allocation>,
    /// The stacks that [`Value::stack`] leads to.
    pub(super) stacks: Stacks,
    /// What it was compiled for.
    pub(super) platform: Platform,
    /// The instruction that runs at each step.
    pub(super) steps: Vec<String>,
    /// The moment after the last instruction, until which parameters and results are kept.
    pub(super) end: u64,
}

/// A block of memory of its own.
#[derive(Debug, Default)]
pub(super) struct Allocation {
    /// Its number.
    pub(super) index: u64,
    /// Bytes; `None` where the dump has them rounded.
    pub(super) size: Option<u64>,
    /// The number of the parameter that comes in it.
    pub(super) parameter: Option<u64>,
    /// It holds a constant.
    pub(super) constant: bool,
    /// Every thread has its own while it runs a small computation.
    pub(super) thread_local: bool,
    /// Results may be left in it.
    pub(super) live_out: bool,
    /// It holds the result, or the table of the results.
    pub(super) output: bool,
    /// The memory space.
    pub(super) color: u64,
    /// What lies in it.
    pub(super) values: Vec<Value>,
}

/// What an instruction makes, or a part of it.
#[derive(Debug, Default)]
pub(super) struct Value {
    /// The instruction, with the place in its tuple if it makes one.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
    /// Bytes of its elements, where its layout has tiles that are padded.
    pub(super) payload: Option<u64>,
    /// From the start of the allocation.
    pub(super) offset: u64,
    /// Its line in the text, or its number.
    pub(super) at: u64,
    /// Values that the simulator of the heap let share bytes have the same; `None` where the
    /// dump does not say which share.
    pub(super) group: Option<u64>,
    /// When it lives; `None` where that is not known.
    pub(super) life: Option<Life>,
    /// What it is, and what it was made from.
    pub(super) ir: IrValue,
    /// The lines of source that it was made from, by index into [`Program::stacks`].
    pub(super) stack: u32,
    /// See [`Note::filled`](crate::deployed::Note::filled).
    pub(super) filled: u32,
}

/// When a value lives. Both ends belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Life {
    /// The step that makes it.
    pub(super) first: u64,
    /// The last step that needs it, or that it is kept for.
    pub(super) last: u64,
    /// The steps that read it, ascending; empty where the dump does not say.
    pub(super) uses: Vec<u64>,
    /// The last step that needs its values; [`last`](Self::last) where the dump does not say.
    pub(super) needed: u64,
    /// Kind of the instruction.
    pub(super) op: String,
}

impl Value {
    /// Its bytes without the padding inside tiles.
    pub(super) fn payload(&self) -> u64 {
        self.payload.map_or(self.size, |it| it.min(self.size))
    }
}

impl Allocation {
    /// Whether values take turns in it while the program runs.
    pub(super) fn is_temporary(&self) -> bool {
        self.parameter.is_none() && !self.constant && !self.thread_local && !self.live_out
    }

    /// What it is for, in XLA's words.
    pub(super) fn words(&self) -> Message {
        let mut words = Vec::new();
        words.extend(
            self.parameter
                .map(|number| message!("parameter {}", number)),
        );
        let flags = [
            (self.output, Message::verbatim("output")),
            (self.constant, Message::verbatim("constant")),
            (self.thread_local, Message::verbatim("thread-local")),
            (self.live_out, Message::verbatim("maybe-live-out")),
            (self.is_temporary(), Message::verbatim("preallocated-temp")),
        ];
        let said = flags.into_iter().filter(|(is, _)| *is);
        words.extend(said.map(|(_, word)| word));
        if self.color > 0 {
            words.push(message!("color {}", self.color));
        }
        Message::list(words, ", ")
    }

    /// What people see.
    pub(super) fn name(&self) -> Message {
        message!("allocation {}, {}", self.index, self.words())
    }

    /// Its bytes, or where its values end when only that is known.
    pub(super) fn bytes(&self) -> u64 {
        let ends = self.values.iter();
        let reach = ends.map(|value| value.offset.saturating_add(value.size));
        self.size.unwrap_or_else(|| reach.max().unwrap_or_default())
    }
}
