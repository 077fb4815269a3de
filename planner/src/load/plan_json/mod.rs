//! Arenascope's own plan JSON, version 1: lifetimes with a plan, and the names of the
//! operators that run at its steps.
//!
//! Fields that we do not know are passed over; a version that we do not know is refused.

mod constraints;
mod notes;
mod refused;
mod segments;

use std::collections::BTreeSet;
use std::mem::take;

use serde::Deserialize;
use serde_json::error::Category;

use super::constraints::{MAX_ALL_PAUSES, MAX_POOLS, check_candidates, check_pauses};
use super::text::{self, BYTE_ORDER_MARK};
use super::{Document, Fault, LoadError, Source, Warning, reach};
use crate::deployed::{self, Clock, Deployed, Frame, IrValue, Total, TotalKind};
use crate::liveness::profile::profile;
use crate::liveness::{Buffer, Lifetimes, admit};
use crate::plan::{Objects, Origin, Plan, Segments, Stated};
use crate::units::{Bytes, Offset, Span, Step};
use crate::{Message, message};
use constraints::{HandoverJson, PauseJson, PoolsJson, handovers, pause, pools};
use notes::HeldJson;

/// The version that we read and write.
const VERSION: u64 = 1;
/// The key that every plan has.
const KEY: &[u8] = b"\"arenascope_plan\"";
/// The most buffers.
const MAX_BUFFERS: usize = 1 << 22;

/// A plan as it stands in the file.
#[derive(Deserialize)]
struct PlanJson {
    /// What made the plan.
    #[serde(default)]
    origin: Origin,
    /// What deployed it.
    #[serde(default)]
    toolchain: String,
    /// How it was looked at.
    #[serde(default)]
    view: String,
    /// What all arenas of its program hold together.
    #[serde(default)]
    totals: Vec<Total>,
    /// What the toolchain says that went wrong.
    #[serde(default)]
    said: Vec<Message>,
    /// Whether these are separate allocations, laid end to end only to be seen.
    #[serde(default)]
    separate: bool,
    /// What an allocator reserved at its peak, in bytes.
    #[serde(default)]
    reserved: Option<u64>,
    /// The segments that it lies in.
    #[serde(default)]
    segments: Option<Segments>,
    /// Whether only the largest buffers are listed.
    #[serde(default)]
    partial: bool,
    /// What the file says of bytes that no buffer has.
    #[serde(default)]
    stated: Stated,
    /// Alignment that was asked for, in bytes.
    #[serde(default)]
    alignment: u64,
    /// Bytes.
    arena: u64,
    /// One step past the last.
    #[serde(default)]
    horizon: u64,
    #[serde(default)]
    objects: Option<ObjectsJson>,
    #[serde(default)]
    pools: Option<PoolsJson>,
    buffers: Vec<BufferJson>,
    #[serde(default)]
    handovers: Vec<HandoverJson>,
    /// What runs at each step, from step 0 on.
    #[serde(default)]
    steps: Vec<String>,
    /// Source lines that buffers lead to.
    #[serde(default)]
    frames: Vec<Frame>,
    #[serde(default)]
    scopes: Vec<notes::ScopeJson>,
    /// Requests that failed, by step.
    #[serde(default)]
    refused: Vec<refused::RefusedJson>,
    /// Microseconds since the first event at which each step began.
    #[serde(default)]
    clock: Vec<u64>,
}

/// Shared objects; their offsets follow from their sizes.
#[derive(Deserialize)]
struct ObjectsJson {
    sizes: Vec<u64>,
    of_buffer: Vec<u32>,
}

/// One buffer: sizes and offsets in bytes, live in `[lower, upper)`.
#[derive(Deserialize)]
struct BufferJson {
    name: String,
    size: u64,
    #[serde(default)]
    payload: Option<u64>,
    lower: u64,
    upper: u64,
    offset: u64,
    #[serde(default)]
    alignment: Option<u64>,
    #[serde(default)]
    fixed: Option<u64>,
    #[serde(rename = "gaps", default)]
    pauses: Vec<PauseJson>,
    /// Candidates among the pools, the preferred first.
    #[serde(default)]
    pools: Vec<u32>,
    // What is said of it beyond that. Not a struct of its own, because flattening costs time.
    #[serde(default)]
    op: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    aliases: Vec<String>,
    /// Steps that read it.
    #[serde(default)]
    uses: Vec<u64>,
    #[serde(default)]
    held: Option<HeldJson>,
    /// Its stack, by index into the frames.
    #[serde(default, rename = "frames")]
    stack: Vec<u32>,
    #[serde(default)]
    category: Option<deployed::Category>,
    #[serde(default)]
    stream: Option<i64>,
    #[serde(default)]
    filled: u32,
    #[serde(default)]
    several: u32,
    #[serde(default)]
    value: Option<IrValue>,
}

/// Only the version, which decides whether the rest can be understood.
#[derive(Deserialize)]
struct Version {
    arenascope_plan: Option<u64>,
}

/// Whether a file that begins with `head` is a JSON object.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    head.trim_ascii_start().first() == Some(&b'{')
}

/// Whether it is surely a plan, whatever texts it quotes: in a quoted text each `"` is escaped.
pub(super) fn is_plan(head: &[u8]) -> bool {
    sniff(head) && head.windows(KEY.len()).any(|it| it == KEY)
}

/// Reads the plan in `source`.
///
/// # Errors
/// [`LoadError`] with the line and column, or the buffer.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let version: Version = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    match version.arenascope_plan {
        Some(VERSION) => {}
        Some(version) => {
            let message = message!(
                "the plan has version {}, we read version {}",
                version,
                VERSION
            );
            return Err(Fault::Unsupported.at(Message::verbatim("arenascope_plan"), message));
        }
        None => {
            let message = message!("a JSON object without the key \"arenascope_plan\"");
            return Err(Fault::UnknownFormat.in_file(message));
        }
    }
    let json: PlanJson = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    document(json)
}

fn document(mut json: PlanJson) -> Result<(Document, Vec<Warning>), LoadError> {
    let count = json.buffers.len();
    if count > MAX_BUFFERS {
        let most = MAX_BUFFERS;
        let message = message!("{} buffers, of which we read at most {}", count, most);
        return Err(Fault::Limit.at(Message::verbatim("buffers"), message));
    }
    let mut warnings = refused::said(&json.said)?;
    let offsets: Vec<Offset> = json.buffers.iter().map(|it| Offset(it.offset)).collect();
    let (notes, mut stacks) = notes::notes(&mut json.buffers, take(&mut json.frames))?;
    let mut lifetimes = lifetimes(json.buffers, json.horizon)?;
    lifetimes.handovers = handovers(json.handovers, &lifetimes, &mut warnings)?;
    let pools = json.pools.map(|json| pools(json, &lifetimes)).transpose()?;
    lifetimes.step_names = step_names(json.steps, lifetimes.horizon, &mut warnings);
    admit(&lifetimes, Bytes(json.alignment))?;
    let needed = reach(&lifetimes, &offsets)?;
    let arena = Bytes(json.arena);
    if arena < needed {
        warnings.push(Warning::new(
            message!("arena"),
            message!("{} bytes, but buffers reach {} bytes", arena.0, needed.0),
        ));
    }
    let objects = json
        .objects
        .map(|objects| shared(objects, count))
        .transpose()?;
    let segments = json.segments.filter(|segments| {
        let holds = segments::hold(segments, &lifetimes, &offsets);
        if !holds {
            warnings.push(Warning::new(
                Message::verbatim("segments"),
                message!("a buffer lies outside its segment: left out"),
            ));
        }
        holds
    });
    let reserved = match &segments {
        Some(segments) => Some(segments::reserved(segments)),
        None => reserved(json.reserved, &lifetimes, &mut warnings),
    };
    let plan = Plan {
        origin: json.origin,
        reserved,
        segments,
        partial: json.partial,
        stated: json.stated,
        offsets,
        arena,
        objects,
        pools,
        // Whatever the file says of a proof is not believed.
        ..Plan::default()
    };
    let clock = clock(json.clock, lifetimes.horizon, &mut warnings);
    let refused = refused::refused(json.refused, lifetimes.horizon, &mut stacks)?;
    let mut deployed = Deployed::single(json.toolchain, lifetimes, plan);
    let scopes = notes::scopes(json.scopes)?;
    for arena in &mut deployed.arenas {
        arena.notes.clone_from(&notes);
        arena.scopes.clone_from(&scopes);
        arena.refused.clone_from(&refused);
        arena.clock.clone_from(&clock);
        arena.separate = json.separate;
    }
    deployed.totals = totals(json.totals)?;
    deployed.said = json.said;
    deployed.stacks = stacks.finish();
    deployed.view = json.view;
    Ok((Document::Deployed(deployed), warnings))
}

/// The sums, each kind once.
fn totals(totals: Vec<Total>) -> Result<Vec<Total>, LoadError> {
    let times = |kind: TotalKind| totals.iter().filter(|it| it.kind == kind).count();
    match TotalKind::ALL.iter().any(|&kind| times(kind) > 1) {
        true => Err(Fault::Duplicate.at(
            Message::verbatim("totals"),
            message!("two sums are of one kind"),
        )),
        false => Ok(totals),
    }
}

fn lifetimes(buffers: Vec<BufferJson>, horizon: u64) -> Result<Lifetimes, LoadError> {
    let (mut names, mut all_pauses) = (BTreeSet::new(), 0);
    let mut lifetimes = Lifetimes {
        horizon: Step(horizon),
        ..Lifetimes::default()
    };
    for buffer in buffers {
        if buffer.upper <= buffer.lower {
            let message = message!(
                "the span from {} to {} is empty",
                buffer.lower,
                buffer.upper
            );
            return Err(Fault::Malformed.at(Message::verbatim(&buffer.name), message));
        }
        if !names.insert(buffer.name.clone()) {
            let message = message!("two buffers have this name");
            return Err(Fault::Duplicate.at(Message::verbatim(&buffer.name), message));
        }
        let span = Span::new(buffer.lower, buffer.upper);
        lifetimes.horizon = lifetimes.horizon.max(span.end);
        all_pauses += buffer.pauses.len();
        if all_pauses > MAX_ALL_PAUSES {
            let message = message!("more than {} gaps in all", MAX_ALL_PAUSES);
            return Err(Fault::Limit.at(Message::verbatim(&buffer.name), message));
        }
        let buffer = Buffer {
            payload: Bytes(buffer.payload.unwrap_or(buffer.size).min(buffer.size)),
            alignment: Bytes(buffer.alignment.unwrap_or(1).max(1)),
            fixed: buffer.fixed.map(Offset),
            pauses: buffer.pauses.into_iter().map(pause).collect(),
            pools: buffer.pools,
            ..Buffer::new(buffer.name, buffer.size, span)
        };
        check_pauses(&buffer)
            .map_err(|(kind, message)| kind.at(Message::verbatim(&buffer.name), message))?;
        let checked = check_candidates(&buffer, MAX_POOLS);
        checked.map_err(|(kind, message)| kind.at(Message::verbatim(&buffer.name), message))?;
        lifetimes.buffers.push(buffer);
    }
    Ok(lifetimes)
}

/// The names of the steps before the horizon: no others can be shown.
fn step_names(mut names: Vec<String>, horizon: Step, warnings: &mut Vec<Warning>) -> Vec<String> {
    let steps = usize::try_from(horizon.0).unwrap_or(usize::MAX);
    if names.len() > steps {
        let message = message!(
            "{} names for {} steps: the rest is left out",
            names.len(),
            steps
        );
        warnings.push(Warning::new(Message::verbatim("steps"), message));
        names.truncate(steps);
    }
    names
}

/// When each step began, if that is said of every one and none began before the one before it.
fn clock(times: Vec<u64>, horizon: Step, warnings: &mut Vec<Warning>) -> Clock {
    let said = times.len() as u64;
    let every = said == horizon.0;
    let clock = Clock::new(times).filter(|_| every || said == 0);
    clock.unwrap_or_else(|| {
        let message = match every {
            true => message!("a step begins before the one before it: left out"),
            false => message!("{} times for {} steps: left out", said, horizon.0),
        };
        warnings.push(Warning::new(Message::verbatim("clock"), message));
        Clock::default()
    })
}

/// What was reserved, if everything that is live at a time fits into it.
fn reserved(
    bytes: Option<u64>,
    lifetimes: &Lifetimes,
    warnings: &mut Vec<Warning>,
) -> Option<Bytes> {
    let bytes = Bytes(bytes?);
    let live = profile(lifetimes).points.into_iter().map(|point| point.1);
    let live = live.max().unwrap_or_default();
    if bytes < live {
        warnings.push(Warning::new(
            Message::verbatim("reserved"),
            message!(
                "{} bytes, but {} bytes are live at a time: left aside",
                bytes.0,
                live.0
            ),
        ));
        return None;
    }
    Some(bytes)
}

fn shared(json: ObjectsJson, buffers: usize) -> Result<Objects, LoadError> {
    let count = json.sizes.len();
    if json.of_buffer.len() != buffers || count > buffers {
        let message = message!(
            "{} objects for {} of {} buffers",
            count,
            json.of_buffer.len(),
            buffers
        );
        return Err(Fault::Malformed.at(Message::verbatim("objects"), message));
    }
    let outside = json
        .of_buffer
        .iter()
        .find(|&&object| object as usize >= count);
    if let Some(object) = outside {
        let message = message!("object {} is not among {} objects", object, count);
        return Err(Fault::Dangling.at(Message::verbatim("objects"), message));
    }
    let mut end = Offset(0);
    let mut offsets = Vec::new();
    for &size in &json.sizes {
        offsets.push(end);
        let sum = end.end(Bytes(size));
        end = sum.ok_or_else(|| {
            Fault::Limit.at(Message::verbatim("objects"), message!("beyond 64 bits"))
        })?;
    }
    Ok(Objects {
        sizes: json.sizes.into_iter().map(Bytes).collect(),
        offsets,
        of_buffer: json.of_buffer,
    })
}

pub(super) fn invalid(error: &serde_json::Error) -> LoadError {
    let kind = match error.classify() {
        Category::Eof => Fault::Truncated,
        _ => Fault::Malformed,
    };
    let place = message!("line {}, column {}", error.line(), error.column());
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    kind.at(place, Message::verbatim(message))
}
