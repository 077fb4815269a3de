//! ExecuTorch programs (`.pte`), schema 12.
//!
//! A program holds methods, each with values, instructions and memories. A tensor with
//! `allocation_info` lies in a memory at an offset; lifetimes are not in the file and follow
//! from the order of the instructions. A tensor whose data the file holds is a constant
//! without a place, or a state with one, which keeps it for the whole run.

mod lives;
mod program;

use std::collections::BTreeMap;

use self::lives::{Life, Lives, lives};
use self::program::{COST, Method, Tensor, Value};
use super::Dump;
use super::draft::{Draft, Row};
use crate::deployed::{Arena, Deployed, Gathered, Held, Hold, Note};
use crate::liveness::Handover;
use crate::load::flatbuffer::{Reader, Table, error};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// The schema that we read, as the file's identifier.
const IDENTIFIER: &[u8] = b"ET12";
/// The extended header that says how long the program is.
const HEADER: &[u8] = b"eh00";
/// Bytes that every offset is a multiple of, unless the file shows otherwise: what the
/// memory planning pass does by itself.
const ALIGNMENT: u64 = 16;

/// Whether a file that begins with `head` is one, of whatever schema.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    matches!(head.get(4..8), Some([b'E', b'T', a, b]) if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`].
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    header(source)?;
    let reader = Reader::new(source);
    let program = reader.root()?;
    let plans = program.tables(1)?;
    let mut out = Output::default();
    let version = program.u32(0, 0)?;
    if version != 0 {
        out.warnings.push(Warning::new(
            message!("program"),
            message!("version {}, of which we know 0", version),
        ));
    }
    for index in 0..plans.len {
        let table = plans.table(index)?;
        let method = Method::of(&table)?;
        out.method(&method, &table, plans.len > 1)?;
    }
    if out.arenas.is_empty() {
        return Err(Fault::Unsupported.in_file(message!(
            "no tensor has a place: memory is not planned, or a delegate plans all of it"
        )));
    }
    let deployed = Deployed {
        toolchain: "ExecuTorch".into(),
        arenas: out.arenas,
        stacks: out.stacks.finish(),
        ..Deployed::default()
    };
    Ok((deployed, out.warnings))
}

/// Checks what stands before the program.
fn header(source: &dyn Source) -> Result<(), LoadError> {
    let mut head = [0; 40];
    let len = source.len();
    let take = usize::try_from(len.min(40)).unwrap_or_default();
    source.read_at(0, head.get_mut(..take).unwrap_or_default())?;
    let identifier = head.get(4..8).unwrap_or_default();
    if identifier != IDENTIFIER {
        let schema = String::from_utf8_lossy(identifier).into_owned();
        let message = message!("schema {}, of which we read ET12", schema);
        return Err(error(Fault::Unsupported, 4, message));
    }
    let extended = head.get(8..12).unwrap_or_default();
    if extended != HEADER {
        return match extended {
            [b'e', b'h', ..] => {
                let version = String::from_utf8_lossy(extended).into_owned();
                let message = message!("extended header {}, of which we read eh00", version);
                Err(error(Fault::Unsupported, 8, message))
            }
            _ => Ok(()),
        };
    }
    let long = |at: usize| {
        let bytes = head.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let length = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
    let (program, segments) = (long(16), long(24));
    // A longer header also says how many bytes the segments have.
    let data = if length >= 32 { long(32) } else { 0 };
    if program > len || segments.saturating_add(data) > len {
        let end = program.max(segments.saturating_add(data));
        let message = message!(
            "the header tells of {} bytes, but the file has {}",
            end,
            len
        );
        return Err(error(Fault::Truncated, 8, message));
    }
    Ok(())
}

/// What is read so far.
#[derive(Default)]
struct Output {
    arenas: Vec<Arena>,
    warnings: Vec<Warning>,
    stacks: Gathered,
}

/// The tensors of a method that lie in one memory.
struct Memory {
    size: u64,
    /// Values that own their bytes.
    values: Vec<usize>,
}

impl Output {
    /// Adds the arenas of a method.
    fn method(
        &mut self,
        method: &Method,
        table: &Table<'_, '_>,
        several: bool,
    ) -> Result<(), LoadError> {
        let lives = lives(method, table)?;
        let memories = self.memories(method, &lives)?;
        let labels = Labels::of(method, &lives);
        let named = |id: u32| match (several, memories.len() > 1) {
            (false, false) => Message::default(),
            (false, true) => message!("memory {}", id),
            (true, false) => Message::verbatim(&*method.name),
            (true, true) => message!("{}, memory {}", method.name, id),
        };
        for (&id, memory) in &memories {
            // Each arena holds the names of all steps.
            let steps = method.instructions.len() as u64;
            table.spend(steps.saturating_mul(COST))?;
            let arena = self.arena(named(id), method, (&lives, &labels), memory)?;
            self.arenas.push(arena);
        }
        Ok(())
    }

    /// Sorts the tensors of a method by memory and warns of those that have no place.
    fn memories(
        &mut self,
        method: &Method,
        lives: &Lives,
    ) -> Result<BTreeMap<u32, Memory>, LoadError> {
        let mut memories: BTreeMap<u32, Memory> = BTreeMap::new();
        let (mut outside, mut idle) = (Vec::new(), Vec::new());
        let (mut unbounded, mut skipped) = (Vec::new(), Vec::new());
        for (value, held) in method.values.iter().enumerate() {
            let Value::Tensor(tensor) = held else {
                continue;
            };
            let touched = lives.lives.get(value).is_some_and(Option::is_some);
            let Some((id, _)) = tensor.place else {
                if !tensor.stored && touched {
                    outside.push(value);
                }
                continue;
            };
            let size = size_of(method, tensor, id)?;
            if !touched && !tensor.stored {
                idle.push(value);
                continue;
            }
            if tensor.unbounded {
                unbounded.push(value);
            }
            if tensor.skipped != 0 {
                skipped.push(value);
            }
            let memory = memories.entry(id).or_insert(Memory {
                size,
                values: Vec::new(),
            });
            if lives.owners.get(value) == Some(&value) {
                memory.values.push(value);
            }
        }
        for (values, text) in [
            (
                outside,
                message!("without a place in the file: whoever runs it gives them theirs"),
            ),
            (idle, message!("left out: no instruction touches them")),
            (
                unbounded,
                message!("without bounds, with the sizes that the file states"),
            ),
            (
                skipped,
                message!("with data behind their offset, which their sizes do not count"),
            ),
        ] {
            if let Some(&first) = values.first() {
                let count = message!("tensor" | "tensors", values.len());
                self.warnings.push(Warning::new(
                    Message::verbatim(&*method.name),
                    message!("{} {}; the first is {}", count, text, title(method, first)),
                ));
            }
        }
        for (id, &size) in method.memories.iter().enumerate().skip(1) {
            let there = u32::try_from(id).is_ok_and(|id| memories.contains_key(&id));
            if size > 0 && !there {
                self.warnings.push(Warning::new(
                    Message::verbatim(&*method.name),
                    message!("memory {} has {} bytes, but no tensor lies in it", id, size),
                ));
            }
        }
        Ok(memories)
    }

    /// The arena of one memory.
    fn arena(
        &mut self,
        name: Message,
        method: &Method,
        (lives, labels): (&Lives, &Labels),
        memory: &Memory,
    ) -> Result<Arena, LoadError> {
        let tensors = || {
            let tensors = memory.values.iter();
            tensors.filter_map(|&value| match method.values.get(value) {
                Some(Value::Tensor(tensor)) => Some((value, tensor)),
                _ => None,
            })
        };
        let bits = tensors().filter_map(|(_, tensor)| tensor.place);
        let bits = bits.fold(memory.size, |bits, (_, offset)| bits | offset);
        let alignment = match bits {
            0 => ALIGNMENT,
            bits => ALIGNMENT.min(1 << bits.trailing_zeros()),
        };
        let mut draft = Draft::new(name, "ExecuTorch");
        draft.arena = Some(memory.size);
        let instructions = method.instructions.iter();
        draft.step_names = instructions
            .map(|instruction| instruction.name.clone())
            .collect();
        draft.horizon = method.instructions.len() as u64;
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for (value, tensor) in tensors() {
            let life = lives.lives.get(value).and_then(Option::as_ref);
            let place = || message!("byte {}", tensor.at);
            let mut row = self.row(method, value, tensor, life, alignment)?;
            row.note.aliases = labels.aliases.get(&value).cloned().unwrap_or_default();
            row.note.role = labels.roles.get(&value).cloned().unwrap_or_default();
            rows.insert(value, draft.push(place, row)?);
        }
        for &(before, after) in &lives.handovers {
            let place = |value: usize| match method.values.get(value) {
                Some(Value::Tensor(tensor)) => tensor.place.map_or(0, |(_, offset)| offset),
                _ => 0,
            };
            let shift = Bytes(place(after).saturating_sub(place(before)));
            if let (Some(&before), Some(&after)) = (rows.get(&before), rows.get(&after)) {
                draft.handovers.push(Handover {
                    before,
                    after,
                    shift,
                });
            }
        }
        draft.finish(&mut self.warnings)
    }

    /// The buffer that a tensor with a place is.
    fn row(
        &mut self,
        method: &Method,
        value: usize,
        tensor: &Tensor,
        life: Option<&Life>,
        alignment: u64,
    ) -> Result<Row, LoadError> {
        let steps = (method.instructions.len() as u64).max(1);
        let bytes = bytes(tensor)?;
        let size = bytes.checked_next_multiple_of(alignment).unwrap_or(bytes);
        let needed = life.map_or(Span::new(0, 1), |life| Span::new(life.first, life.last + 1));
        // Room to work in is written by no operator but belongs to the one that touches it.
        let own = |life: &Life| match life.given || tensor.stored {
            true => life.writer,
            false => life.writer.or(usize::try_from(life.first).ok()),
        };
        let writer = life.and_then(|life| method.instructions.get(own(life)?));
        let mut note = Note {
            op: writer.map_or(String::new(), |writer| writer.name.clone()),
            uses: life.map_or(Vec::new(), |life| life.reads.clone()),
            ..Note::default()
        };
        let frames = writer.map_or(&[][..], |writer| &writer.frames).iter();
        let frames = frames.map(|frame| self.stacks.frame(frame.clone()));
        let frames = frames.collect();
        note.stack = self.stacks.stack(frames);
        let mut span = needed;
        if tensor.stored || life.is_some_and(Life::carried) {
            // A state outlives the run, so no other buffer may have its bytes.
            span = Span::new(0, steps.max(needed.end.0));
            note.held = Some(Held {
                why: Hold::WholeLife,
                needed,
            });
        }
        Ok(Row {
            name: title(method, value).to_string(),
            size,
            payload: Some(bytes),
            span,
            offset: tensor.place.map_or(0, |(_, offset)| offset),
            alignment,
            note,
        })
    }
}

/// Bytes of the memory that `tensor` lies in.
fn size_of(method: &Method, tensor: &Tensor, id: u32) -> Result<u64, LoadError> {
    let index = usize::try_from(id).unwrap_or(usize::MAX);
    if id == 0 {
        let message = message!("a tensor in memory 0, which is reserved");
        return Err(error(Fault::Malformed, tensor.at, message));
    }
    method.memories.get(index).copied().ok_or_else(|| {
        let count = method.memories.len().saturating_sub(1);
        let message = message!("a tensor in memory {} of {}", id, count);
        error(Fault::Dangling, tensor.at, message)
    })
}

fn bytes(tensor: &Tensor) -> Result<u64, LoadError> {
    tensor.bytes.ok_or_else(|| {
        let message = message!("elements of type {}, which we do not know", tensor.scalar);
        error(Fault::Unsupported, tensor.at, message)
    })
}

/// What a value is called.
fn title(method: &Method, value: usize) -> Message {
    match method.values.get(value) {
        Some(Value::Tensor(tensor)) if !tensor.name.is_empty() => Message::verbatim(&tensor.name),
        _ => message!("value {}", value),
    }
}

/// What the file says of values beside their places.
#[derive(Default)]
struct Labels {
    /// What kind of thing each is: "input 0", "output 1", "state".
    roles: BTreeMap<usize, String>,
    /// The other names of each.
    aliases: BTreeMap<usize, Vec<String>>,
}

impl Labels {
    fn of(method: &Method, lives: &Lives) -> Self {
        let mut labels = Self::default();
        for (list, word) in [(&method.inputs, "input"), (&method.outputs, "output")] {
            for (number, &value) in list.iter().enumerate() {
                let role = || format!("{word} {number}");
                labels.roles.entry(value).or_insert_with(role);
            }
        }
        for (value, &owner) in lives.owners.iter().enumerate() {
            let life = lives.lives.get(value).and_then(Option::as_ref);
            let state = matches!(method.values.get(value), Some(Value::Tensor(it)) if it.stored);
            if state || life.is_some_and(Life::carried) {
                labels.roles.entry(value).or_insert_with(|| "state".into());
            }
            if owner != value {
                let aliases = labels.aliases.entry(owner).or_default();
                aliases.push(title(method, value).to_string());
                if let Some(role) = labels.roles.get(&value).cloned() {
                    labels.roles.entry(owner).or_insert(role);
                }
            }
        }
        labels
    }
}
