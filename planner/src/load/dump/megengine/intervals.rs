//! The intervals that MegEngine is about to place (`MGB_DUMP_INTERVAL_LIST_DIR`): how many, begin,
//! end and size of each; how many overwrites, and for each which buffer is written over which and
//! at which byte of it. There are no addresses yet: a problem, no plan.
//!
//! The counts show whether lines are missing; of a last line without an end it is unknown
//! whether its last number is whole, which is warned of.

use crate::liveness::{Buffer, Handover, Lifetimes, admit};
use crate::load::dump::draft::MAX_BUFFERS;
use crate::load::dump::line::{Count, Line, lines};
use crate::load::text::BYTE_ORDER_MARK;
use crate::load::{Document, Fault, LoadError, Warning};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// Whether a file that begins with `head` is one: a line with one number, then one with three.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let mut lines = head.split(|&byte| byte == b'\n');
    let mut numbers = || {
        let line = str::from_utf8(lines.next()?).ok()?;
        let mut words = line.split_ascii_whitespace();
        let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        words
            .all(digits)
            .then(|| line.split_ascii_whitespace().count())
    };
    numbers() == Some(1) && numbers() == Some(3)
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`], with the line.
pub(super) fn read(text: &str) -> Result<(Document, Vec<Warning>), LoadError> {
    let mut lines = lines(text);
    let mut buffers = Vec::new();
    for (index, (line, [begin, end, size])) in triples(&mut lines)?.into_iter().enumerate() {
        line.step(message!("the end"), &end.to_string())?;
        if end <= begin {
            let message = message!("it lives from {} to {}, which is no time", begin, end);
            return Err(line.fault(Fault::Malformed, message));
        }
        let span = Span::new(begin, end);
        buffers.push(Buffer::new(format!("interval {index}"), size, span));
    }
    let (mut handovers, mut idle, mut warnings) = (Vec::new(), Count::default(), Vec::new());
    if let Some(line) = text
        .lines()
        .count()
        .checked_sub(1)
        .filter(|_| !text.ends_with('\n'))
    {
        warnings.push(Warning::new(
            message!("line {}", line + 1),
            message!("it has no end: its last number may be cut off"),
        ));
    }
    for (line, [after, before, shift]) in triples(&mut lines)? {
        match handover(line, &buffers, [after, before, shift])? {
            Some(pair) => handovers.push(pair),
            None => idle.add(line),
        }
    }
    if let Some(line) = lines.next() {
        return Err(line.fault(
            Fault::Malformed,
            message!("there is a line behind the last overwrite"),
        ));
    }
    idle.report(
        message!("overwrite is not at the step that both need, which MegEngine passes over"),
        message!("overwrites are not at the step that both need, which MegEngine passes over"),
        &mut warnings,
    );
    handovers.order();
    handovers.dedup();
    let lifetimes = Lifetimes {
        handovers,
        ..Lifetimes::of(buffers)
    };
    admit(&lifetimes, Bytes(1))?;
    Ok((Document::Problem(lifetimes), warnings))
}

/// A count and as many lines of three numbers.
fn triples<'t>(
    lines: &mut impl Iterator<Item = Line<'t>>,
) -> Result<Vec<(Line<'t>, [u64; 3])>, LoadError> {
    let short = |what: Message| {
        Fault::Truncated.at(message!("end of file"), message!("it ends before {}", what))
    };
    let line = lines
        .next()
        .ok_or_else(|| short(message!("a count of lines")))?;
    let count = line.number(message!("the count"), line.text)?;
    if count > MAX_BUFFERS as u64 {
        let message = message!("{} lines, of which we read at most {}", count, MAX_BUFFERS);
        return Err(line.fault(Fault::Limit, message));
    }
    let mut triples = Vec::new();
    for read in 0..count {
        let missing = || short(message!("line {} of {}", read + 1, count));
        let line = lines.next().ok_or_else(missing)?;
        let words: Vec<&str> = line.text.split_ascii_whitespace().collect();
        let &[one, two, three] = words.as_slice() else {
            let message = message!("{} where three numbers belong", words.len());
            return Err(line.fault(Fault::Malformed, message));
        };
        let number = |word| line.number(message!("a number"), word);
        triples.push((line, [number(one)?, number(two)?, number(three)?]));
    }
    Ok(triples)
}

/// The pair of an overwrite; `None` when the two are not live together for exactly one step.
fn handover(
    line: Line<'_>,
    buffers: &[Buffer],
    [after, before, shift]: [u64; 3],
) -> Result<Option<Handover>, LoadError> {
    let index = |number: u64| {
        usize::try_from(number)
            .ok()
            .filter(|&it| it < buffers.len())
    };
    let (Some(one), Some(other)) = (index(before), index(after)) else {
        let message = message!(
            "from {} to {}, of {} intervals",
            after,
            before,
            buffers.len()
        );
        return Err(line.fault(Fault::Dangling, message));
    };
    if one == other {
        let message = message!("interval {} is written over itself", one);
        return Err(line.fault(Fault::Malformed, message));
    }
    let (earlier, later) = (&buffers[one], &buffers[other]);
    let end = shift.checked_add(later.size.0);
    if end.is_none_or(|end| end > earlier.size.0) {
        let message = message!(
            "{} bytes at byte {} are no part of the {} bytes of interval {}",
            later.size.0,
            shift,
            earlier.size.0,
            one
        );
        return Err(line.fault(Fault::Malformed, message));
    }
    let touch = earlier.span.end.0 - 1 == later.span.start.0;
    Ok(touch.then_some(Handover {
        before: one,
        after: other,
        shift: Bytes(shift),
    }))
}
