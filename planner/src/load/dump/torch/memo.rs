//! What a pickle remembers by number. Python remembers every dict, list and text that it writes,
//! so an entry takes four bytes here.

use super::heap::Value;
use crate::units::narrow;

/// So many low bits of an entry say what it is.
const KINDS: u32 = 3;
const TEXT: u32 = 1;
const LIST: u32 = 2;
const DICT: u32 = 3;
const EVENT: u32 = 4;
/// What is not often remembered, by its place among the others.
const OTHER: u32 = 5;

/// Values by number.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// 0 where nothing is remembered.
    entries: Vec<u32>,
    others: Vec<Value>,
}

impl Memo {
    /// One more than the highest number.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, place: usize) -> Option<Value> {
        let entry = *self.entries.get(place)?;
        let index = entry >> KINDS;
        match entry & ((1 << KINDS) - 1) {
            TEXT => Some(Value::Text(index)),
            LIST => Some(Value::List(index)),
            DICT => Some(Value::Dict(index)),
            EVENT => Some(Value::Event),
            OTHER => self.others.get(index as usize).copied(),
            _ => None,
        }
    }

    /// Remembers `value`, and makes entries up to `place` where there are none. There are never
    /// more others than entries, and fewer than 2^29 entries within the limit of memory.
    pub(super) fn set(&mut self, place: usize, value: Value) {
        if place >= self.entries.len() {
            self.entries.resize(place + 1, 0);
        }
        let Some(entry) = self.entries.get_mut(place) else {
            return;
        };
        let small = |index: u32| Some(index).filter(|index| index >> (u32::BITS - KINDS) == 0);
        let packed = match value {
            Value::Text(index) => small(index).map(|index| (index, TEXT)),
            Value::List(index) => small(index).map(|index| (index, LIST)),
            Value::Dict(index) => small(index).map(|index| (index, DICT)),
            Value::Event => Some((0, EVENT)),
            _ => None,
        };
        if let Some((index, kind)) = packed {
            *entry = index << KINDS | kind;
            return;
        }
        let known = (*entry & ((1 << KINDS) - 1) == OTHER).then_some(*entry >> KINDS);
        let index = known.unwrap_or_else(|| narrow(self.others.len()));
        match self.others.get_mut(index as usize) {
            Some(slot) => *slot = value,
            None => self.others.push(value),
        }
        *entry = index << KINDS | OTHER;
    }
}
