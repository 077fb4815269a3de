//! Python pickles of protocols 2 to 5 without Python.
//!
//! A pickle is a program for a small stack machine. This one knows the opcodes that make
//! numbers, texts, lists, tuples and dicts, and those that remember a value and bring it back;
//! an opcode that looks up a name or calls something ends the reading with an error. Nothing
//! is ever executed, nothing recurses, and no length is believed before the bytes are there.

use super::bytes::Bytes;
use super::events::Events;
use super::heap::{Heap, Value};
use super::memo::Memo;
use crate::load::{Fault, LoadError, Source};
use crate::units::narrow;
use crate::{Message, message};

/// The most memory for values, in bytes as counted here. Events are not among them: they are taken
/// out as they are read.
const BUDGET: u64 = 1 << 30;

/// What one value costs on the stack, in a list or in a dict.
const VALUE: u64 = 16;
/// What it costs to remember one.
const ENTRY: u64 = 4;
/// What a text or a new order of keys costs beside its letters.
const NAME: u64 = 128;
/// What a list or a dict costs before it holds anything.
const OBJECT: u64 = 40;

/// Opcodes that Python would look up or call something for.
const CALLS: [(u8, &str); 15] = [
    (b'c', "GLOBAL"),
    (b'R', "REDUCE"),
    (b'b', "BUILD"),
    (b'i', "INST"),
    (b'o', "OBJ"),
    (b'P', "PERSID"),
    (b'Q', "BINPERSID"),
    (0x81, "NEWOBJ"),
    (0x82, "EXT1"),
    (0x83, "EXT2"),
    (0x84, "EXT4"),
    (0x92, "NEWOBJ_EX"),
    (0x93, "STACK_GLOBAL"),
    (0x97, "NEXT_BUFFER"),
    (0x98, "READONLY_BUFFER"),
];

/// Opcodes that only protocol 0 writes.
const TEXTUAL: [(u8, &str); 7] = [
    (b'I', "INT"),
    (b'L', "LONG"),
    (b'F', "FLOAT"),
    (b'S', "STRING"),
    (b'V', "UNICODE"),
    (b'p', "PUT"),
    (b'g', "GET"),
];

/// What a pickle holds.
#[derive(Debug)]
pub(super) struct Pickle {
    pub(super) heap: Heap,
    pub(super) events: Events,
    pub(super) root: Value,
    /// Bytes after its end.
    pub(super) rest: u64,
}

/// Reads the pickle in `source`; what is an event goes to `events`.
///
/// # Errors
/// [`Fault::Truncated`] when it ends before its STOP, [`Fault::Unsupported`] for opcodes that
/// would execute something and for other protocols, [`Fault::Limit`] when it needs more than
/// 1 GiB, [`Fault::Malformed`] for everything else; all name the byte.
pub(super) fn read(source: &dyn Source, events: Events) -> Result<Pickle, LoadError> {
    let mut machine = Machine {
        bytes: Bytes::new(source),
        opcode: 0,
        heap: Heap::default(),
        events,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Memo::default(),
        spent: 0,
    };
    while !machine.step()? {}
    let root = machine.pop()?;
    Ok(Pickle {
        rest: machine.bytes.left(),
        heap: machine.heap,
        events: machine.events,
        root,
    })
}

struct Machine<'s> {
    bytes: Bytes<'s>,
    /// Where the opcode stands that is carried out.
    opcode: u64,
    heap: Heap,
    events: Events,
    stack: Vec<Value>,
    /// Heights of the stack at its marks.
    marks: Vec<usize>,
    memo: Memo,
    spent: u64,
}

impl Machine<'_> {
    /// Carries out one opcode and says whether it was the last.
    fn step(&mut self) -> Result<bool, LoadError> {
        self.opcode = self.bytes.position();
        let [opcode] = self.bytes.array()?;
        match opcode {
            b'.' => return Ok(true),
            0x80 => self.protocol()?,
            0x95 => self.bytes.skip(8)?,
            b'(' => {
                self.spend(VALUE)?;
                self.marks.push(self.stack.len());
            }
            b'0' => self.discard()?,
            b'1' => {
                self.cut()?;
            }
            b'2' => {
                let top = self.pop()?;
                self.heap.referred(top);
                self.push(top)?;
                self.push(top)?;
            }
            b'q' | b'r' | 0x94 | b'h' | b'j' => self.remember(opcode)?,
            b'N' => self.push(Value::Nothing)?,
            0x88 => self.push(Value::Bool(true))?,
            0x89 => self.push(Value::Bool(false))?,
            b'J' | b'K' | b'M' | 0x8a | 0x8b | b'G' => self.number(opcode)?,
            b'U' | b'T' | b'X' | 0x8c | 0x8d | b'B' | b'C' | 0x8e | 0x96 => self.text(opcode)?,
            b')' | b'l' | b't' | 0x85..=0x87 | b']' | 0x8f | 0x91 => self.sequence(opcode)?,
            b'a' | b'e' | 0x90 => self.append(opcode)?,
            b'}' | b'd' => self.dict(opcode)?,
            b's' | b'u' => self.set(opcode)?,
            _ => return Err(self.refused(opcode)),
        }
        Ok(false)
    }

    fn protocol(&mut self) -> Result<(), LoadError> {
        let [protocol] = self.bytes.array()?;
        if (2..=5).contains(&protocol) {
            return Ok(());
        }
        let message = message!("pickle protocol {}, of which we read 2 to 5", protocol);
        Err(self.fault(Fault::Unsupported, message))
    }

    fn refused(&self, opcode: u8) -> LoadError {
        let named = |table: &[(u8, &'static str)]| {
            let mut rows = table.iter();
            rows.find(|row| row.0 == opcode).map(|row| row.1)
        };
        if let Some(name) = named(&CALLS) {
            let message = message!(
                "{} would make Python look up or call something; a memory snapshot is plain \
                 data, and nothing is executed here",
                name
            );
            return self.fault(Fault::Unsupported, message);
        }
        if let Some(name) = named(&TEXTUAL) {
            let message = message!("{} belongs to protocol 0, of which we read 2 to 5", name);
            return self.fault(Fault::Unsupported, message);
        }
        self.malformed(message!("{} is no opcode", format_args!("{opcode:#04x}")))
    }

    /// PUT, GET and their kin.
    fn remember(&mut self, opcode: u8) -> Result<(), LoadError> {
        let place = match opcode {
            b'q' | b'h' => u64::from(self.bytes.array::<1>()?[0]),
            b'r' | b'j' => u64::from(u32::from_le_bytes(self.bytes.array()?)),
            _ => self.memo.len() as u64,
        };
        let slot = usize::try_from(place).unwrap_or(usize::MAX);
        if matches!(opcode, b'h' | b'j') {
            let known = self.memo.get(slot);
            let unknown = || self.malformed(message!("nothing is remembered as number {}", place));
            let known = known.ok_or_else(unknown)?;
            self.heap.referred(known);
            return self.push(known);
        }
        // Python numbers what it remembers from 0, so there are fewer numbers than bytes.
        if place > self.opcode {
            let message = message!("number {} is beyond what can be remembered so far", place);
            return Err(self.malformed(message));
        }
        let top = self.top()?;
        if slot >= self.memo.len() {
            self.spend(ENTRY * (slot + 1 - self.memo.len()) as u64)?;
        }
        if !matches!(top, Value::Text(_) | Value::List(_) | Value::Dict(_)) {
            self.spend(VALUE)?;
        }
        self.memo.set(slot, top);
        self.heap.remembered(top, narrow(slot));
        Ok(())
    }

    fn number(&mut self, opcode: u8) -> Result<(), LoadError> {
        let value = match opcode {
            b'J' => Value::Int(i32::from_le_bytes(self.bytes.array()?).into()),
            b'K' => Value::Int(self.bytes.array::<1>()?[0].into()),
            b'M' => Value::Int(u16::from_le_bytes(self.bytes.array()?).into()),
            b'G' => Value::Float(u64::from_be_bytes(self.bytes.array()?)),
            0x8a => {
                let len = u64::from(self.bytes.array::<1>()?[0]);
                self.long(len)?
            }
            _ => {
                let len = i32::from_le_bytes(self.bytes.array()?);
                let negative = || self.malformed(message!("a number of {} bytes", len));
                let len = u64::try_from(len).ok().ok_or_else(negative)?;
                self.long(len)?
            }
        };
        self.push(value)
    }

    /// A whole number of `len` bytes in two's complement, the lowest first.
    fn long(&mut self, len: u64) -> Result<Value, LoadError> {
        if len > 8 {
            self.bytes.skip(len)?;
            return Ok(Value::Huge);
        }
        let digits = self.bytes.slice(len)?;
        let negative = digits.last().is_some_and(|last| last & 0x80 != 0);
        let mut whole = [if negative { 0xff } else { 0 }; 8];
        for (to, from) in whole.iter_mut().zip(digits) {
            *to = *from;
        }
        Ok(Value::Int(i64::from_le_bytes(whole)))
    }

    /// Texts, and bytes, which are left out.
    fn text(&mut self, opcode: u8) -> Result<(), LoadError> {
        let len = match opcode {
            b'U' | b'C' | 0x8c => u64::from(self.bytes.array::<1>()?[0]),
            b'T' | b'X' | b'B' => u64::from(u32::from_le_bytes(self.bytes.array()?)),
            _ => u64::from_le_bytes(self.bytes.array()?),
        };
        if matches!(opcode, b'B' | b'C' | 0x8e | 0x96) {
            self.bytes.skip(len)?;
            return self.push(Value::Bytes);
        }
        let bytes = self.bytes.slice(len)?;
        // Python writes half of a surrogate pair as if it were a character.
        let text = String::from_utf8_lossy(bytes);
        let before = self.heap.names();
        let text = self.heap.text(&text);
        self.spend((len + NAME) * (self.heap.names() - before))?;
        self.push(Value::Text(text))
    }

    /// Lists, tuples and sets, which are all lists here.
    fn sequence(&mut self, opcode: u8) -> Result<(), LoadError> {
        let items = match opcode {
            b')' | b']' | 0x8f => Vec::new(),
            0x85..=0x87 => {
                let count = usize::from(opcode - 0x84);
                let from = self.stack.len().checked_sub(count);
                let from = from.filter(|&from| from >= self.floor());
                let from = from.ok_or_else(|| self.underflow())?;
                self.stack.split_off(from)
            }
            _ => {
                let from = self.cut_at()?;
                self.stack.split_off(from)
            }
        };
        self.spend(OBJECT + VALUE * items.len() as u64)?;
        let list = self.heap.list(items);
        self.push(list)
    }

    fn append(&mut self, opcode: u8) -> Result<(), LoadError> {
        let from = self.entries(opcode == b'a', 1)?;
        let target = from.checked_sub(1).and_then(|place| self.stack.get(place));
        let own = match target {
            Some(&Value::List(list)) => {
                let items = self.stack.get(from..).unwrap_or_default();
                if self.events.take(&self.heap, list, items) {
                    self.release(from);
                    return Ok(());
                }
                self.heap.extend(list, items)
            }
            Some(other) => return Err(self.malformed(message!("{} is no list", other.kind()))),
            None => return Err(self.underflow()),
        };
        if own {
            self.spend(VALUE * (self.stack.len() - from) as u64)?;
        }
        self.stack.truncate(from);
        Ok(())
    }

    /// Gives up what lies on the stack from `from` on, as far as nothing else refers to it.
    fn release(&mut self, from: usize) {
        for item in self.stack.split_off(from) {
            let Value::Dict(dict) = item else {
                continue;
            };
            let Some((place, values)) = self.heap.release_dict(dict) else {
                continue;
            };
            self.forget(place, item, Value::Event);
            self.spent -= (OBJECT + VALUE * values.len() as u64).min(self.spent);
            for value in values {
                if let Value::List(list) = value
                    && let Some((place, standing)) = self.heap.release_list(list)
                {
                    self.forget(place, value, Value::List(standing));
                    self.spent -= OBJECT.min(self.spent);
                }
            }
        }
    }

    /// Remembers `instead` of `value`, which is no longer there.
    fn forget(&mut self, place: Option<u32>, value: Value, instead: Value) {
        let place = place.map(|place| place as usize);
        if let Some(place) = place.filter(|&place| self.memo.get(place) == Some(value)) {
            self.memo.set(place, instead);
        }
    }

    fn dict(&mut self, opcode: u8) -> Result<(), LoadError> {
        let from = match opcode {
            b'}' => self.stack.len(),
            _ => self.cut_at()?,
        };
        self.spend(OBJECT)?;
        let dict = self.heap.dict();
        if let Value::Dict(dict) = dict {
            self.fill(dict, from)?;
        }
        self.push(dict)
    }

    fn set(&mut self, opcode: u8) -> Result<(), LoadError> {
        let from = self.entries(opcode == b's', 2)?;
        let target = from.checked_sub(1).and_then(|place| self.stack.get(place));
        match target {
            Some(&Value::Dict(dict)) => self.fill(dict, from),
            Some(other) => Err(self.malformed(message!("{} is no dict", other.kind()))),
            None => Err(self.underflow()),
        }
    }

    /// Puts the pairs of key and value that lie on the stack from `from` on into the dict.
    fn fill(&mut self, dict: u32, from: usize) -> Result<(), LoadError> {
        let pairs = self.stack.split_off(from);
        if !pairs.len().is_multiple_of(2) {
            return Err(self.malformed(message!("a key without a value")));
        }
        self.spend(VALUE * (pairs.len() / 2) as u64)?;
        self.heap.reserve(dict, pairs.len() / 2);
        let before = self.heap.names();
        for pair in pairs.chunks_exact(2) {
            let key = match pair[0] {
                Value::Text(text) => text,
                Value::Int(number) => self.heap.text(&number.to_string()),
                // A snapshot has no such keys.
                other => self.heap.text(&other.kind().to_string()),
            };
            self.heap.insert(dict, key, pair[1]);
        }
        self.spend(NAME * (self.heap.names() - before))
    }

    /// Where on the stack the entries begin that an opcode adds to what lies below them: the
    /// topmost `len` of a `single` entry, or all above the last mark.
    fn entries(&mut self, single: bool, len: usize) -> Result<usize, LoadError> {
        let from = match single {
            true => self.stack.len().checked_sub(len),
            false => Some(self.cut_at()?),
        };
        let from = from.filter(|&from| from > self.floor());
        from.ok_or_else(|| self.underflow())
    }

    /// The height that nothing may be taken from below: the last mark.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    /// Takes the last mark away and says where it was.
    fn cut_at(&mut self) -> Result<usize, LoadError> {
        let mark = self.marks.pop();
        mark.ok_or_else(|| self.malformed(message!("there is no mark on the stack")))
    }

    /// Takes everything above the last mark away, and the mark.
    fn cut(&mut self) -> Result<(), LoadError> {
        let from = self.cut_at()?;
        self.stack.truncate(from);
        Ok(())
    }

    /// POP takes a value, or a mark when there is none above it.
    fn discard(&mut self) -> Result<(), LoadError> {
        if !self.marks.is_empty() && self.stack.len() == self.floor() {
            return self.cut();
        }
        self.pop().map(|_| ())
    }

    fn top(&self) -> Result<Value, LoadError> {
        let top = self.stack.get(self.floor()..).unwrap_or_default().last();
        top.copied().ok_or_else(|| self.underflow())
    }

    fn pop(&mut self) -> Result<Value, LoadError> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    fn push(&mut self, value: Value) -> Result<(), LoadError> {
        if self.stack.len() == self.stack.capacity() {
            self.spend(VALUE * self.stack.len().max(64) as u64)?;
        }
        self.stack.push(value);
        Ok(())
    }

    fn spend(&mut self, bytes: u64) -> Result<(), LoadError> {
        self.spent = self.spent.saturating_add(bytes);
        if self.spent <= BUDGET {
            return Ok(());
        }
        let message = message!(
            "its values need more than {} bytes of memory: record fewer events, as with \
             torch.cuda.memory._record_memory_history(max_entries=100000)",
            BUDGET
        );
        Err(self.fault(Fault::Limit, message))
    }

    fn underflow(&self) -> LoadError {
        self.malformed(message!("it takes more from the stack than is there"))
    }

    fn malformed(&self, message: Message) -> LoadError {
        self.fault(Fault::Malformed, message)
    }

    fn fault(&self, kind: Fault, message: Message) -> LoadError {
        kind.at(message!("byte {}", self.opcode), message)
    }
}
