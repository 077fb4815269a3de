//! What a plan JSON says of its buffers beyond size, span and offset.

use std::mem::take;

use serde::Deserialize;

use super::BufferJson;
use crate::deployed::{Frame, Gathered, Held, Hold, IrValue, Note, Scope};
use crate::load::{Fault, LoadError};
use crate::units::{Span, Step};
use crate::{Message, message};

/// The most source lines.
const MAX_FRAMES: usize = 1 << 20;
/// The most entries of all lists of all notes.
pub(super) const MAX_ENTRIES: usize = 1 << 24;

/// Its values are needed during `[lower, upper)` only.
#[derive(Deserialize)]
pub(super) struct HeldJson {
    why: Hold,
    lower: u64,
    upper: u64,
}

/// What the program said that it was about in steps `[lower, upper)`.
#[derive(Deserialize)]
pub(super) struct ScopeJson {
    name: String,
    lower: u64,
    upper: u64,
}

/// What the program said that it was about.
///
/// # Errors
/// [`LoadError`] for too many, and for one that ends before it begins.
pub(super) fn scopes(scopes: Vec<ScopeJson>) -> Result<Vec<Scope>, LoadError> {
    if scopes.len() > MAX_ENTRIES {
        let message = message!(
            "{} of them, of which we read at most {}",
            scopes.len(),
            MAX_ENTRIES
        );
        return Err(Fault::Limit.at(Message::verbatim("scopes"), message));
    }
    let read = scopes.into_iter().map(|ScopeJson { name, lower, upper }| {
        if upper < lower {
            let message = message!("it begins at step {} and ends at {}", lower, upper);
            return Err(Fault::Malformed.at(Message::verbatim(name), message));
        }
        let span = Span::new(lower, upper);
        Ok(Scope { name, span })
    });
    read.collect()
}

/// The notes of `buffers`, in their order, or none where nothing is said of any; and the stacks
/// that they lead to.
///
/// # Errors
/// [`LoadError`] with the buffer: a frame that is not there, a need beyond the span, too much.
pub(super) fn notes(
    buffers: &mut [BufferJson],
    frames: Vec<Frame>,
) -> Result<(Vec<Note>, Gathered), LoadError> {
    if frames.len() > MAX_FRAMES {
        let message = message!(
            "{} frames, of which we read at most {}",
            frames.len(),
            MAX_FRAMES
        );
        return Err(Fault::Limit.at(Message::verbatim("frames"), message));
    }
    let mut stacks = Gathered::default();
    for frame in frames {
        stacks.new_frame(frame);
    }
    let mut entries = 0;
    let mut notes = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        let shape = buffer.value.as_ref().and_then(|it| it.shape.as_ref());
        let lists = [
            buffer.aliases.len(),
            buffer.uses.len(),
            buffer.stack.len(),
            shape.map_or(0, Vec::len),
        ];
        entries += lists.iter().sum::<usize>();
        if entries > MAX_ENTRIES {
            let message = message!(
                "more than {} aliases, uses, frames and dimensions in all",
                MAX_ENTRIES
            );
            return Err(Fault::Limit.at(Message::verbatim(&buffer.name), message));
        }
        in_frames(&buffer.stack, &stacks, || Message::verbatim(&buffer.name))?;
        let held = buffer.held.take();
        let held = held.map(|held| needed(buffer, &held)).transpose()?;
        notes.push(Note {
            held,
            aliases: take(&mut buffer.aliases),
            op: take(&mut buffer.op),
            role: take(&mut buffer.role),
            uses: take(&mut buffer.uses).into_iter().map(Step).collect(),
            category: buffer.category,
            stream: buffer.stream,
            stack: stacks.stack(take(&mut buffer.stack)),
            forward: 0,
            filled: buffer.filled,
            several: buffer.several,
            value: buffer.value.take().and_then(IrValue::noted),
        });
    }
    if notes.iter().all(|note| *note == Note::default()) {
        notes.clear();
    }
    Ok((notes, stacks))
}

/// # Errors
/// [`LoadError`] with `place` where a frame of `stack` is not there.
pub(super) fn in_frames(
    stack: &[u32],
    known: &Gathered,
    place: impl FnOnce() -> Message,
) -> Result<(), LoadError> {
    let count = known.frames();
    match stack.iter().find(|it| **it as usize >= count) {
        None => Ok(()),
        Some(frame) => {
            let message = message!("frame {} is not among {} frames", frame, count);
            Err(Fault::Dangling.at(place(), message))
        }
    }
}

fn needed(buffer: &BufferJson, held: &HeldJson) -> Result<Held, LoadError> {
    let HeldJson { why, lower, upper } = *held;
    // What was given back before the first step is never needed.
    let never = why == Hold::Pending && lower == upper;
    if (lower >= upper && !never) || lower < buffer.lower || buffer.upper < upper {
        let (from, to) = (buffer.lower, buffer.upper);
        let message = message!(
            "it lives from {} to {}, but is needed from {} to {}",
            from,
            to,
            lower,
            upper
        );
        return Err(Fault::Malformed.at(Message::verbatim(&buffer.name), message));
    }
    let needed = Span::new(lower, upper);
    Ok(Held { why, needed })
}
