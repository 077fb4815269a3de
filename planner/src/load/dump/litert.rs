//! Tensor addresses of a LiteRT interpreter, as `public/litert_addresses.py` prints them, or as
//! its own `PrintInterpreterState` does.
//!
//! A row per tensor of the arena: from which step it is needed, from which step no longer,
//! its bytes, its offset, what it is and which operator writes it. Older exports have neither
//! role nor operator.
//!
//! LiteRT never writes over a graph input, so these keep their bytes for the whole run
//! whatever their rows say. What is printed may be of an older version that was told not to keep
//! inputs (`preserve_inputs`): there the offsets themselves show a later tensor in their bytes.
//! LiteRT lets some operators write over what they read for the last time, and lets views such as a
//! reshape share the bytes of what they view.

mod printed;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{Line, alignment, holds, lines};
use crate::deployed::{Deployed, Held, Hold, Note};
use crate::liveness::Handover;
use crate::load::text::{self, BYTE_ORDER_MARK};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// The first line after comments; the last column may hold commas.
const HEADER: &str = "id,lower,upper,size,offset,role,op,name";
/// The same of older exports.
const OLD_HEADER: &str = "id,lower,upper,size,offset,name";
/// What LiteRT aligns every tensor to.
const ALIGNMENT: u64 = 64;

/// What a tensor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    Intermediate,
    Output,
    Variable,
    Temporary,
}

/// One tensor.
struct Entry {
    line: usize,
    name: String,
    /// Other tensors with the very same bytes.
    aliases: Vec<String>,
    role: Option<Role>,
    op: String,
    span: Span,
    size: u64,
    offset: u64,
}

/// Whether a file that begins with `head` is one. The older header is also one of a
/// `MiniMalloc` CSV, but that comes with names of buffers where this has numbers of tensors.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    if holds(head, printed::HEADER) {
        return true;
    }
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    match lines.next() {
        Some(line) if line == HEADER.as_bytes() => true,
        Some(line) if line == OLD_HEADER.as_bytes() => lines.next().is_some_and(|row| {
            let id = row.split(|&byte| byte == b',').next().unwrap_or_default();
            !id.is_empty() && id.iter().all(u8::is_ascii_digit)
        }),
        _ => false,
    }
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`], with the line.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let mut warnings = Vec::new();
    if holds(text.as_bytes(), printed::HEADER) {
        let (entries, horizon, arena) = printed::read(lines(&text), &mut warnings)?;
        return finish((entries, horizon, arena), true, warnings);
    }
    for line in lines(&text) {
        if let Some(left_out) = line.text.strip_prefix("# left out: ") {
            warnings.push(Warning::new(
                line.place(),
                message!("the export leaves out {}", Message::verbatim(left_out)),
            ));
        }
    }
    let mut lines = lines(&text).filter(|line| !line.text.starts_with('#'));
    let old = lines.next().is_some_and(|line| line.text == OLD_HEADER);
    let (mut entries, mut ids) = (Vec::new(), BTreeSet::new());
    for line in lines {
        let (id, entry) = entry(line, old)?;
        if !ids.insert(id) {
            return Err(line.fault(Fault::Duplicate, message!("the id {} is there twice", id)));
        }
        entries.push(entry);
    }
    if old {
        infer_inputs(&mut entries, &mut warnings);
    }
    let asked = entries.iter().filter(|it| it.role == Some(Role::Temporary));
    if let Some(first) = asked.clone().next() {
        warnings.push(Warning::new(
            message!("line {}", first.line),
            message!(
                "temporary, of which LiteRT does not tell the step: it is inferred"
                    | "temporaries, of which LiteRT does not tell the steps: they are inferred",
                asked.count()
            ),
        ));
    }
    let ends = entries.iter().map(|entry| entry.span.end.0);
    let horizon = ends.max().unwrap_or(0);
    finish((entries, horizon, None), false, warnings)
}

/// The arena of what a run shares, of so many bytes where that is known, and that of variables; what
/// is `printed` may be of a version that writes over inputs.
fn finish(
    (entries, horizon, bytes): (Vec<Entry>, u64, Option<u64>),
    printed: bool,
    mut warnings: Vec<Warning>,
) -> Dump {
    let variable = |entry: &Entry| entry.role == Some(Role::Variable);
    let (kept, shared): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(variable);
    let reused = if printed { reused(&shared) } else { None };
    if let Some(input) = reused {
        warnings.push(Warning::new(
            message!("line {}", input.line),
            message!(
                "a later tensor lies in the bytes of this input: inputs are not kept to the \
                 end of the run"
            ),
        ));
    }
    let kept_inputs = reused.is_none();
    let mut main = draft(Message::default(), shared, (horizon, kept_inputs))?;
    main.arena = bytes;
    let mut arenas = vec![main.finish(&mut warnings)?];
    if !kept.is_empty() {
        arenas[0].name = message!("arena");
        arenas.push(draft(message!("variables"), kept, (horizon, true))?.finish(&mut warnings)?);
    }
    let deployed = Deployed {
        toolchain: "LiteRT".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// Id and content of a row.
fn entry(line: Line<'_>, old: bool) -> Result<(u64, Entry), LoadError> {
    let columns = if old { 6 } else { 8 };
    let cells: Vec<&str> = line.text.splitn(columns, ',').collect();
    let [id, lower, upper, size, offset, rest @ ..] = cells.as_slice() else {
        return Err(missing(line, cells.len(), columns));
    };
    let (role, op, name) = match rest {
        [name] if old => (None, "", name),
        [role, op, name] => (Some(self::role(line, role)?), *op, name),
        _ => return Err(missing(line, cells.len(), columns)),
    };
    let (lower, upper) = (
        line.step(Message::verbatim("lower"), lower)?,
        line.step(Message::verbatim("upper"), upper)?,
    );
    if upper <= lower {
        let message = message!("it is needed from {} to {}, which is no time", lower, upper);
        return Err(line.fault(Fault::Malformed, message));
    }
    let entry = Entry {
        line: line.number,
        name: name.trim().to_owned(),
        aliases: Vec::new(),
        role,
        op: op.trim().to_owned(),
        span: Span::new(lower, upper),
        size: line.number(Message::verbatim("size"), size)?,
        offset: line.number(Message::verbatim("offset"), offset)?,
    };
    Ok((line.number(Message::verbatim("id"), id)?, entry))
}

pub(super) fn missing(line: Line<'_>, found: usize, columns: usize) -> LoadError {
    let found = message!("cell" | "cells", found);
    let message = message!("{} where the header has {} columns", found, columns);
    line.fault(Fault::Malformed, message)
}

fn role(line: Line<'_>, cell: &str) -> Result<Role, LoadError> {
    let role = ROLES.into_iter().find(|(name, _)| *name == cell.trim());
    role.map(|(_, role)| role).ok_or_else(|| {
        let names = ROLES.map(|(name, _)| name).join(", ");
        line.fault(
            Fault::Malformed,
            message!("the role \"{}\" is none of {}", cell, names),
        )
    })
}

/// Every role and its name.
const ROLES: [(&str, Role); 5] = [
    ("input", Role::Input),
    ("intermediate", Role::Intermediate),
    ("output", Role::Output),
    ("variable", Role::Variable),
    ("temporary", Role::Temporary),
];

/// Finds the graph inputs of an export that does not name them: tensors that are there from
/// the start, that lie one after the other at the bottom, where LiteRT puts them, and whose
/// bytes no buffer gets later. What the first operator writes is there from the start as well,
/// so one of these tensors is no input.
fn infer_inputs(entries: &mut [Entry], warnings: &mut Vec<Warning>) {
    let later = entries.iter().filter(|it| it.span.start.0 > 0);
    let taken = later.map(|it| it.offset).min().unwrap_or(u64::MAX);
    let mut first: Vec<usize> = (0..entries.len()).collect();
    first.retain(|&at| entries[at].span.start.0 == 0);
    first.order_by_key(|&at| (entries[at].offset, at));
    let (mut end, mut found) = (0_u64, Vec::new());
    for &at in &first {
        let its_end = entries[at].offset.checked_add(entries[at].size);
        let aligned = Bytes(end).align_up(Bytes(ALIGNMENT));
        let next = aligned.is_some_and(|aligned| (end..=aligned.0).contains(&entries[at].offset));
        match its_end.filter(|&its_end| next && its_end <= taken) {
            None => break,
            Some(its_end) => end = its_end,
        }
        found.push(at);
    }
    if found.len() == first.len() {
        found.pop();
    }
    let names: Vec<&str> = found.iter().map(|&at| entries[at].name.as_str()).collect();
    let message = match names.is_empty() {
        true => message!("no graph input was found"),
        false => message!("taken for graph inputs: {}", names.join(", ")),
    };
    warnings.push(Warning::new(
        message!("header"),
        message!(
            "this older export does not say which tensors are graph inputs; {}",
            message
        ),
    ));
    for at in found {
        entries[at].role = Some(Role::Input);
    }
}

/// The arena of `entries`, in a run of `horizon` steps; inputs may be `kept` to its end.
fn draft(
    name: Message,
    mut entries: Vec<Entry>,
    (horizon, kept): (u64, bool),
) -> Result<Draft, LoadError> {
    let shared = share(&mut entries);
    let mut draft = Draft::new(name, "LiteRT");
    draft.horizon = horizon;
    let mut indices = vec![None; entries.len()];
    for (at, entry) in entries.into_iter().enumerate() {
        if shared.merged.contains(&at) {
            continue;
        }
        let why = match entry.role {
            Some(Role::Input) if kept => Some(Hold::Pinned),
            Some(Role::Variable) => Some(Hold::WholeLife),
            _ => None,
        };
        let role = ROLES.iter().find(|(_, role)| Some(*role) == entry.role);
        let row = Row {
            name: entry.name,
            size: entry.size,
            span: why.map_or(entry.span, |_| Span::new(0, horizon)),
            offset: entry.offset,
            alignment: alignment(entry.offset, ALIGNMENT),
            note: Note {
                held: why.map(|why| Held {
                    why,
                    needed: entry.span,
                }),
                aliases: entry.aliases,
                op: entry.op,
                role: role.map_or("", |(name, _)| name).to_owned(),
                ..Note::default()
            },
            ..Row::default()
        };
        indices[at] = Some(draft.push(|| message!("line {}", entry.line), row)?);
    }
    for (before, after) in shared.pairs {
        if let (Some(before), Some(after)) = (indices[before], indices[after]) {
            draft.handovers.push(Handover {
                before,
                after,
                shift: Bytes::ZERO,
            });
        }
    }
    draft.handovers.order();
    Ok(draft)
}

/// An input in whose bytes a tensor lies that is written when no operator reads it any more.
fn reused(entries: &[Entry]) -> Option<&Entry> {
    let input = |it: &&Entry| it.role == Some(Role::Input);
    let mut inputs: Vec<&Entry> = entries.iter().filter(input).collect();
    inputs.order_by_key(|it| Reverse(it.span.end));
    let mut later: Vec<&Entry> = entries.iter().collect();
    later.order_by_key(|it| Reverse(it.span.start));
    let mut later = later.into_iter().peekable();
    // What is taken later, as ranges that do not touch.
    let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
    inputs.into_iter().find(|input| {
        while let Some(next) = later.next_if(|it| it.span.start >= input.span.end) {
            cover(
                &mut taken,
                next.offset,
                next.offset.saturating_add(next.size),
            );
        }
        let end = input.offset.saturating_add(input.size);
        let below = taken.range(..end).next_back();
        below.is_some_and(|(_, high)| *high > input.offset)
    })
}

/// Adds a range to those that do not touch.
fn cover(taken: &mut BTreeMap<u64, u64>, mut low: u64, mut high: u64) {
    while let Some((&start, &end)) = taken.range(..=high).next_back() {
        if end < low {
            break;
        }
        taken.remove(&start);
        (low, high) = (low.min(start), high.max(end));
    }
    taken.insert(low, high);
}

/// Which buffers share bytes, by index of the entries.
#[derive(Default)]
struct Shared {
    /// One is written over the other.
    pairs: Vec<(usize, usize)>,
    /// Has become another name of an earlier one.
    merged: BTreeSet<usize>,
}

/// Finds tensors that start at the same byte while both are needed: the second is written
/// over the first if that takes one step, and views the same values if it takes longer or
/// the first is never written over.
fn share(entries: &mut [Entry]) -> Shared {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.retain(|&at| entries[at].size > 0);
    order.order_by_key(|&at| (entries[at].offset, entries[at].span, at));
    let mut shared = Shared::default();
    let mut last: Option<usize> = None;
    for at in order {
        let Some(before) = last.filter(|&before| entries[before].offset == entries[at].offset)
        else {
            last = Some(at);
            continue;
        };
        let (one, other) = (&entries[before], &entries[at]);
        let both = one.span.end.0.saturating_sub(other.span.start.0);
        let step = both == 1 && one.span.start < other.span.start;
        let kept = matches!(one.role, Some(Role::Input | Role::Variable));
        if both > 0 && one.size == other.size && (kept || !step) {
            let (name, end) = (other.name.clone(), other.span.end);
            entries[before].aliases.push(name);
            let span = &mut entries[before].span;
            span.end = span.end.max(end);
            shared.merged.insert(at);
            continue;
        }
        if step {
            shared.pairs.push((before, at));
        }
        last = Some(at);
    }
    shared
}
