//! Logs of TFLite Micro's `GreedyMemoryPlanner::PrintMemoryPlan`.
//!
//! A line per buffer, then a picture with a line per step that also says how many KiB are
//! live. First and last step are both included. A log often comes from a serial console: what
//! stands before a line, such as a time, does not matter, and other lines are only counted.
//! A plan begins with buffer 0; a log may hold several.

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{Count, Line, MAX_ARENAS, alignment, holds, lines};
use crate::deployed::{Arena, Deployed};
use crate::liveness::profile::profile;
use crate::load::{Fault, LoadError, Source, Warning, text};
use crate::units::{Span, Step};
use crate::{Message, message};

/// What TFLite Micro aligns every buffer to.
const ALIGNMENT: u64 = 16;
/// The fewest signs of a line of the picture; TFLite Micro itself draws 80.
const PICTURE: usize = 40;

/// One plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Printed {
    buffers: Vec<Buffer>,
    /// Step and KiB of each line of the picture.
    picture: Vec<(u64, u64)>,
}

/// One buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Buffer {
    id: u64,
    size: u64,
    /// `None` where the log says -1: it has no place yet.
    offset: Option<u64>,
    span: Span,
}

/// What is worth saying of a log, each in one warning.
#[derive(Default)]
struct Counts {
    others: Count,
    lost: Count,
    placeless: Count,
    repeated: Count,
}

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let buffer: [&[u8]; 3] = [b" (id=", b", first_used=", b" last_used="];
    buffer.into_iter().all(|part| holds(head, part))
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`].
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let (mut warnings, mut counts) = (Vec::new(), Counts::default());
    let plans = plans(&text, &mut counts)?;
    let several = plans.len() > 1;
    let mut arenas = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let name = several.then(|| message!("plan {}", index + 1));
        let arena = arena(name.unwrap_or_default(), plan, &mut warnings)?;
        disagreement(plan, &arena, &mut warnings);
        arenas.push(arena);
    }
    counts.report(&mut warnings);
    let deployed = Deployed {
        toolchain: "TFLite Micro".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// Every plan, those once that are printed again and again.
fn plans(text: &str, counts: &mut Counts) -> Result<Vec<Printed>, LoadError> {
    let mut plans: Vec<Printed> = Vec::new();
    // Where the plan begins that is being read.
    let mut begun = None;
    for line in lines(text) {
        let buffers = line.text.split_once(" (id=");
        let buffers = buffers.filter(|(_, rest)| rest.contains("): size=") || line.cut);
        if let Some((_, rest)) = buffers {
            let buffer = buffer(line, rest)?;
            if buffer.id == 0 || plans.is_empty() {
                once(&mut plans, begun, counts);
                if plans.len() == MAX_ARENAS {
                    let message = message!("more than {} plans", MAX_ARENAS);
                    return Err(line.fault(Fault::Limit, message));
                }
                begun = Some(line);
                plans.push(Printed::default());
            }
            let Some(plan) = plans.last_mut() else {
                continue;
            };
            let next = plan.buffers.last().map_or(0, |last| last.id + 1);
            if buffer.id < next {
                let message = message!("buffer {} stands behind buffer {}", buffer.id, next - 1);
                return Err(line.fault(Fault::Malformed, message));
            }
            if buffer.id > next {
                counts.lost.add(line);
            }
            if buffer.offset.is_none() {
                counts.placeless.add(line);
            }
            plan.buffers.push(buffer);
        } else if let (Some(drawn), Some(plan)) = (picture(line.text), plans.last_mut()) {
            plan.picture.push(drawn);
        } else {
            counts.others.add(line);
        }
    }
    once(&mut plans, begun, counts);
    Ok(plans)
}

/// Drops the last plan if it is the one before it once more.
fn once(plans: &mut Vec<Printed>, begun: Option<Line<'_>>, counts: &mut Counts) {
    if let ([.., before, last], Some(line)) = (plans.as_slice(), begun)
        && before == last
    {
        counts.repeated.add(line);
        plans.pop();
    }
}

/// The buffer of a line, of which `rest` follows `(id=`.
fn buffer(line: Line<'_>, rest: &str) -> Result<Buffer, LoadError> {
    let mut rest = rest;
    let mut cell = |what: Message, until: &str| {
        let (cell, left) = match until {
            "" => (rest.split_ascii_whitespace().next().unwrap_or_default(), ""),
            _ => rest.split_once(until).ok_or_else(|| {
                let message = message!("{} is not followed by \"{}\"", what, until.trim());
                line.fault(Fault::Malformed, message)
            })?,
        };
        rest = left;
        Ok::<_, LoadError>(cell)
    };
    let id = cell(message!("the id"), "): size=")?;
    let size = cell(message!("the size"), ", offset=")?;
    let offset = cell(message!("the offset"), ", first_used=")?;
    let first = cell(message!("the first step"), " last_used=")?;
    let last = cell(message!("the last step"), "")?;
    let (first, last) = (
        line.step(message!("the first step"), first)?,
        line.step(message!("the last step"), last)?,
    );
    if last < first {
        let message = message!(
            "it is last used at {}, before its first use at {}",
            last,
            first
        );
        return Err(line.fault(Fault::Malformed, message));
    }
    Ok(Buffer {
        id: line.step(message!("the id"), id)?,
        size: line.number(message!("the size"), size)?,
        offset: match offset.trim() {
            "-1" => None,
            offset => Some(line.number(message!("the offset"), offset)?),
        },
        span: Span::new(first, last + 1),
    })
}

/// Step and KiB of a line of the picture, as in " 3: ..000011.. (12k)".
fn picture(text: &str) -> Option<(u64, u64)> {
    let (rest, live) = text.strip_suffix("k)")?.rsplit_once(" (")?;
    let (rest, drawn) = rest.rsplit_once(' ')?;
    let step = rest
        .strip_suffix(':')?
        .rsplit([' ', '\t', ']', ':'])
        .next()?;
    let signs = drawn
        .bytes()
        .all(|sign| sign.is_ascii_alphanumeric() || b".!*".contains(&sign));
    let known = signs && drawn.len() >= PICTURE;
    Some((step.parse().ok()?, live.parse().ok()?)).filter(|_| known)
}

fn arena(name: Message, plan: &Printed, warnings: &mut Vec<Warning>) -> Result<Arena, LoadError> {
    let mut draft = Draft::new(name, "TFLite Micro");
    for buffer in &plan.buffers {
        let Some(offset) = buffer.offset else {
            continue;
        };
        let row = Row {
            name: format!("buffer {}", buffer.id),
            size: buffer.size,
            span: buffer.span,
            offset,
            alignment: alignment(offset, ALIGNMENT),
            ..Row::default()
        };
        draft.push(|| message!("buffer {}", buffer.id), row)?;
    }
    draft.finish(warnings)
}

/// Warns when the picture has more or less live than the buffers: lines may be lost.
fn disagreement(plan: &Printed, arena: &Arena, warnings: &mut Vec<Warning>) {
    let steps = arena.lifetimes.horizon.0;
    if !plan.picture.is_empty() && plan.picture.len() as u64 != steps {
        warnings.push(Warning::new(
            message!("picture"),
            message!("it has {} lines for {} steps", plan.picture.len(), steps),
        ));
    }
    let live = profile(&arena.lifetimes);
    let mut picture = plan.picture.iter();
    let wrong = picture.find(|&&(step, kib)| live.at(Step(step)).0.div_ceil(1024) != kib);
    if let Some((step, kib)) = wrong {
        warnings.push(Warning::new(
            message!("step {} of the picture", step),
            message!(
                "the log counts {} KiB there, its buffers make {} bytes: some may be missing",
                kib,
                live.at(Step(*step)).0
            ),
        ));
    }
}

impl Counts {
    fn report(&self, warnings: &mut Vec<Warning>) {
        for (count, one, many) in [
            (
                &self.lost,
                message!("buffer does not follow the one before it: lines are missing"),
                message!("buffers do not follow the one before them: lines are missing"),
            ),
            (
                &self.placeless,
                message!("buffer has no place and is left out"),
                message!("buffers have no place and are left out"),
            ),
            (
                &self.repeated,
                message!("plan is the one before it once more"),
                message!("plans are the one before them once more"),
            ),
            (
                &self.others,
                message!("line is no part of a plan"),
                message!("lines are no part of a plan"),
            ),
        ] {
            count.report(one, many, warnings);
        }
    }
}
