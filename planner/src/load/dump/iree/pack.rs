//! `stream.resource.pack`: the slices that share one allocation, and where they are used.

use std::collections::BTreeMap;

use super::text::{Function, constant, fault, operation, results, values};
use crate::load::{Fault, LoadError};
use crate::units::Span;
use crate::{Message, message};

/// The latest step: whole numbers up to here are exact in every picture.
const MAX_STEP: u64 = 1 << 53;

/// One pack.
#[derive(Clone, Debug)]
pub(super) struct Pack {
    /// The line of the text that it starts on.
    pub(super) line: usize,
    /// What it packs, in the pass's order.
    pub(super) slices: Vec<Slice>,
}

/// One slice of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slice {
    /// When it is live, half-open; the text's intervals are closed.
    pub(super) span: Span,
    /// Bytes; `None` when only the running program knows.
    pub(super) size: Option<u64>,
    /// The line of the text that it stands on.
    pub(super) line: usize,
}

/// A result of a pack in a line that uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// Which pack of the function.
    pub(super) pack: usize,
    /// 0 for the total, otherwise the slice's number from 1.
    pub(super) result: usize,
    /// Which value of the line it is.
    pub(super) place: usize,
}

/// A function's packs and their uses.
#[derive(Debug, Default)]
pub(super) struct Packs {
    /// In the order of the text.
    pub(super) packs: Vec<Pack>,
    /// Uses by the index of the line in the function.
    pub(super) uses: BTreeMap<usize, Vec<Use>>,
    /// The first and last line of each pack, by index in the function.
    pub(super) ranges: Vec<(usize, usize)>,
}

impl Packs {
    /// The packs in `function`.
    ///
    /// # Errors
    /// [`Fault::Truncated`] when one is not closed, [`Fault::Malformed`] when one is not
    /// written as IREE writes it.
    pub(super) fn of(function: &Function<'_>) -> Result<Self, LoadError> {
        let mut found = Self::default();
        let mut constants: BTreeMap<&str, u64> = BTreeMap::new();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let mut index = 0;
        // A name is what it was last defined as: regions beside each other use names again.
        while let Some(line) = function.lines.get(index) {
            if names.is_empty() {
                // Nothing can be used yet.
            } else if let Some(uses) = uses(line, &names, &found.packs) {
                found.uses.insert(index, uses);
            }
            for name in results(line) {
                constants.remove(name);
                names.remove(name);
            }
            if let (Some(name), Some(number)) = (results(line).next(), constant(line)) {
                constants.insert(name, number);
            }
            if operation(line).starts_with("stream.resource.pack ") {
                let last = end(function, index)?;
                let slices = slices(function, index, last, &constants)?;
                if let Some(name) = results(line).next() {
                    names.insert(name, found.packs.len());
                }
                found.ranges.push((index, last));
                found.packs.push(Pack {
                    line: function.line + index,
                    slices,
                });
                index = last;
            }
            index += 1;
        }
        Ok(found)
    }

    /// The slice that a use is of; `None` for the total.
    pub(super) fn slice(&self, used: Use) -> Option<(usize, usize)> {
        let slice = used.result.checked_sub(1)?;
        Some((used.pack, slice))
    }
}

/// The results of packs that a line uses.
fn uses(line: &str, names: &BTreeMap<&str, usize>, packs: &[Pack]) -> Option<Vec<Use>> {
    let mut uses = Vec::new();
    for (place, value) in values(line).enumerate() {
        let Some(&pack) = names.get(value.name) else {
            continue;
        };
        if packs
            .get(pack)
            .is_some_and(|pack| value.result <= pack.slices.len())
        {
            let result = value.result;
            uses.push(Use {
                pack,
                result,
                place,
            });
        }
    }
    (!uses.is_empty()).then_some(uses)
}

/// The line on which the pack that starts at `first` ends.
fn end(function: &Function<'_>, first: usize) -> Result<usize, LoadError> {
    let lines = function.lines.iter().enumerate().skip(first);
    for (index, line) in lines {
        if line.contains("})") {
            return Ok(index);
        }
        let other = index > first && operation(line).starts_with("stream.");
        if other {
            break;
        }
    }
    let line = function.line + first;
    Err(fault(
        Fault::Truncated,
        line,
        message!("the slices of this pack are not closed"),
    ))
}

/// The slices of the pack that stands on the lines from `first` to `last`.
fn slices(
    function: &Function<'_>,
    first: usize,
    last: usize,
    constants: &BTreeMap<&str, u64>,
) -> Result<Vec<Slice>, LoadError> {
    let mut slices = Vec::new();
    let mut inside = false;
    for index in first..=last {
        let number = function.line + index;
        let mut text = function.lines.get(index).copied().unwrap_or_default();
        if !inside {
            let Some((_, rest)) = text.split_once("slices({") else {
                continue;
            };
            inside = true;
            text = rest;
        }
        let text = text.split_once("})").map_or(text, |(before, _)| before);
        for entry in text.split('[').skip(1) {
            let slice = slice(entry, constants);
            let slice = slice.map_err(|what| fault(Fault::Malformed, number, what))?;
            slices.push(Slice {
                line: number,
                ..slice
            });
        }
        if text
            .trim_start_matches([' ', '\t'])
            .starts_with(|c| c != '[')
        {
            let what = message!(
                "{} is no slice",
                format_args!("{:?}", text.trim().chars().take(40).collect::<String>())
            );
            return Err(fault(Fault::Malformed, number, what));
        }
    }
    if slices.is_empty() {
        let line = function.line + first;
        return Err(fault(
            Fault::Malformed,
            line,
            message!("this pack has no slices"),
        ));
    }
    Ok(slices)
}

/// One slice: `a, b] = %size`, after the bracket.
fn slice(entry: &str, constants: &BTreeMap<&str, u64>) -> Result<Slice, Message> {
    let wrong = || {
        let entry: String = entry.trim_end().chars().take(40).collect();
        message!("[{} is no slice such as [0, 2] = %c64", entry)
    };
    let (interval, size) = entry.split_once("] = ").ok_or_else(wrong)?;
    let (start, end) = interval.split_once(',').ok_or_else(wrong)?;
    let step = |text: &str| {
        let step = text.trim().parse::<u64>().ok();
        step.filter(|&step| step < MAX_STEP)
    };
    let (Some(start), Some(end)) = (step(start), step(end)) else {
        return Err(message!("[{}] is no interval of steps", interval));
    };
    if end < start {
        return Err(message!(
            "the slice ends at {}, before it starts at {}",
            end,
            start
        ));
    }
    let value = values(size).next().filter(|value| value.start == 0);
    let value = value.ok_or_else(wrong)?;
    Ok(Slice {
        span: Span::new(start, end + 1),
        size: constants.get(value.name).copied(),
        line: 0,
    })
}

impl Pack {
    /// The slices whose bytes only the running program knows.
    pub(super) fn dynamic(&self) -> Option<Message> {
        let slices = self.slices.iter().filter(|slice| slice.size.is_none());
        let count = slices.count();
        (count > 0).then(|| message!("slice" | "slices", count))
    }
}
