//! Lines of text dumps: their numbers, and the numbers in them.

use crate::load::{Fault, LoadError, Warning};
use crate::{Message, counted, message};

/// The latest step: whole numbers up to here are exact in every picture and program.
pub(super) const MAX_STEP: u64 = 1 << 53;

/// The most arenas of one dump.
pub(super) const MAX_ARENAS: usize = 1 << 10;

/// One line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// From 1.
    pub(super) number: usize,
    /// Without white space around it.
    pub(super) text: &'t str,
    /// Whether nothing follows it, not even an end of line: it may be cut off.
    pub(super) cut: bool,
}

/// The lines of `text` that are not empty.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let pieces = text.split_inclusive('\n').enumerate();
    let lines = pieces.map(|(index, piece)| Line {
        number: index + 1,
        text: piece.trim(),
        cut: !piece.ends_with('\n'),
    });
    lines.filter(|line| !line.text.is_empty())
}

impl<'t> Line<'t> {
    /// Where it is, for a fault or a warning.
    pub(super) fn place(self) -> Message {
        message!("line {}", self.number)
    }

    /// What is wrong with it. A last line that is no line of its format is cut off.
    pub(super) fn fault(self, kind: Fault, message: Message) -> LoadError {
        let cut = self.cut && kind == Fault::Malformed;
        (if cut { Fault::Truncated } else { kind }).at(self.place(), message)
    }

    /// The whole number from 0 up that `cell`, which holds `what`, is.
    pub(super) fn number(self, what: Message, cell: &str) -> Result<u64, LoadError> {
        let cell = cell.trim();
        self.digits(what, cell, cell, 10)
    }

    /// The same for a number that is written as 0x and hexadecimal digits.
    pub(super) fn address(self, what: Message, cell: &str) -> Result<u64, LoadError> {
        let cell = cell.trim();
        let digits = cell.strip_prefix("0x").unwrap_or_default();
        self.digits(what, cell, digits, 16)
    }

    /// A number that is a step.
    pub(super) fn step(self, what: Message, cell: &str) -> Result<u64, LoadError> {
        let step = self.number(what.clone(), cell)?;
        if step >= MAX_STEP {
            let message = message!("{} {} is beyond {}", what, step, MAX_STEP);
            return Err(self.fault(Fault::Limit, message));
        }
        Ok(step)
    }

    fn digits(self, what: Message, cell: &str, digits: &str, radix: u32) -> Result<u64, LoadError> {
        if digits.is_empty() || !digits.chars().all(|sign| sign.is_digit(radix)) {
            let message = message!(
                "{} is \"{}\", which is no whole number from 0 up",
                what,
                cell
            );
            return Err(self.fault(Fault::Malformed, message));
        }
        let number = u64::from_str_radix(digits, radix).ok();
        number.ok_or_else(|| {
            self.fault(
                Fault::Limit,
                message!("{} {} is beyond 64 bits", what, cell),
            )
        })
    }
}

/// Lines that one warning reports: how many, and which was the first.
#[derive(Default)]
pub(super) struct Count {
    first: Option<usize>,
    lines: usize,
}

impl Count {
    pub(super) fn add(&mut self, line: Line<'_>) {
        self.first.get_or_insert(line.number);
        self.lines += 1;
    }

    /// Warns of them, if there are any: "3 `many`".
    pub(super) fn report(&self, one: Message, many: Message, warnings: &mut Vec<Warning>) {
        if let Some(first) = self.first {
            warnings.push(Warning::new(
                message!("line {}", first),
                counted(self.lines, one, many),
            ));
        }
    }
}

/// Whether `needle` is somewhere in `head`.
pub(in crate::load) fn holds(head: &[u8], needle: &[u8]) -> bool {
    head.windows(needle.len()).any(|window| window == needle)
}

/// `alignment` if `offset` is a multiple of it, otherwise 1: what a planner is known to align
/// to is asked of a new plan too, but never makes a deployed one wrong.
pub(super) fn alignment(offset: u64, alignment: u64) -> u64 {
    if offset.is_multiple_of(alignment) {
        alignment
    } else {
        1
    }
}
