//! The dicts of a snapshot, read by the names of their fields.

use std::collections::BTreeMap;

use super::heap::{Heap, Value};
use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// Dicts of one kind: where in them the known fields are.
#[derive(Debug)]
pub(super) struct DictKind<const N: usize> {
    /// What one of them is called.
    pub(super) name: &'static str,
    keys: [&'static str; N],
    /// By shape, because it is the same for all dicts of it.
    layouts: BTreeMap<u32, Layout<N>>,
    /// The layout that was used last, and how often it was since.
    last: Option<(u32, [Option<u32>; N])>,
    uses: u64,
}

#[derive(Debug)]
struct Layout<const N: usize> {
    places: [Option<u32>; N],
    uses: u64,
}

impl<const N: usize> DictKind<N> {
    pub(super) fn new(name: &'static str, keys: [&'static str; N]) -> Self {
        Self {
            name,
            keys,
            layouts: BTreeMap::new(),
            last: None,
            uses: 0,
        }
    }

    /// The fields of `dict` in the order of the keys, those that are not there `None`.
    pub(super) fn read(&mut self, heap: &Heap, dict: u32) -> [Option<Value>; N] {
        let shape = heap.shape(dict);
        let places = match self.last {
            Some((last, places)) if last == shape => places,
            _ => self.switch(heap, shape),
        };
        self.uses += 1;
        let values = heap.values(dict);
        places.map(|place| values.get(place? as usize).copied())
    }

    fn switch(&mut self, heap: &Heap, shape: u32) -> [Option<u32>; N] {
        self.count_uses();
        let layout = self.layouts.entry(shape).or_insert_with(|| {
            let mut places = [None; N];
            for (key, place) in heap.keys(shape) {
                let known = self.keys.iter().position(|it| *it == heap.read_text(key));
                if let Some(slot) = known.and_then(|at| places.get_mut(at)) {
                    slot.get_or_insert(place);
                }
            }
            Layout { places, uses: 0 }
        });
        self.last = Some((shape, layout.places));
        layout.places
    }

    /// Whether `dict` has the first of the keys.
    pub(super) fn has_first(&mut self, heap: &Heap, dict: u32) -> bool {
        let shape = heap.shape(dict);
        let places = match self.last {
            Some((last, places)) if last == shape => places,
            _ => self.switch(heap, shape),
        };
        places.first().is_some_and(Option::is_some)
    }

    fn count_uses(&mut self) {
        let uses = std::mem::take(&mut self.uses);
        let last = self.last.map(|last| last.0);
        if let Some(layout) = last.and_then(|shape| self.layouts.get_mut(&shape)) {
            layout.uses += uses;
        }
    }

    /// Adds the fields that no key is known for to `unknown`, by "kind.key".
    pub(super) fn unknown(&mut self, heap: &Heap, unknown: &mut BTreeMap<String, u64>) {
        self.count_uses();
        // Of what was only asked for its first key nothing is read.
        let read = self.layouts.iter().filter(|(_, layout)| layout.uses > 0);
        for (&shape, layout) in read {
            for (key, _) in heap.keys(shape) {
                let key = heap.read_text(key);
                if !self.keys.contains(&key) {
                    *unknown.entry(format!("{}.{key}", self.name)).or_insert(0) += layout.uses;
                }
            }
        }
    }
}

/// A field of something at `place`.
pub(super) struct Field<'p> {
    pub(super) key: &'static str,
    pub(super) value: Option<Value>,
    pub(super) place: &'p dyn Fn() -> Message,
}

impl Field<'_> {
    /// A number of bytes or an address.
    pub(super) fn natural(&self) -> Result<u64, LoadError> {
        let number = self.whole()?;
        let negative = |_| self.fault(message!("{} is {}, below zero", self.key, number));
        u64::try_from(number).map_err(negative)
    }

    pub(super) fn whole(&self) -> Result<i64, LoadError> {
        match self.value {
            Some(Value::Int(number)) => Ok(number),
            Some(Value::Huge) => {
                Err(self.fault(message!("{} is {}", self.key, Value::Huge.kind())))
            }
            Some(other) => Err(self.wrong(other, message!("a whole number"))),
            None => Err(self.fault(message!("{} is missing", self.key))),
        }
    }

    pub(super) fn list(&self) -> Result<u32, LoadError> {
        match self.value {
            Some(Value::List(list)) => Ok(list),
            Some(other) => Err(self.wrong(other, message!("a list"))),
            None => Err(self.fault(message!("{} is missing", self.key))),
        }
    }

    pub(super) fn text(&self) -> Result<u32, LoadError> {
        match self.value {
            Some(Value::Text(text)) => Ok(text),
            Some(other) => Err(self.wrong(other, message!("a text"))),
            None => Err(self.fault(message!("{} is missing", self.key))),
        }
    }

    fn wrong(&self, found: Value, wanted: Message) -> LoadError {
        self.fault(message!("{} is {}, not {}", self.key, found.kind(), wanted))
    }

    pub(super) fn fault(&self, message: Message) -> LoadError {
        malformed((self.place)(), message)
    }
}

/// The list that `item` is.
pub(super) fn list_of(item: Value, place: &dyn Fn() -> Message) -> Result<u32, LoadError> {
    match item {
        Value::List(list) => Ok(list),
        other => Err(malformed(
            place(),
            message!("it is {}, not a list", other.kind()),
        )),
    }
}

/// The dict that `item` is.
pub(super) fn dict_of(item: Value, place: &dyn Fn() -> Message) -> Result<u32, LoadError> {
    match item {
        Value::Dict(dict) => Ok(dict),
        other => Err(malformed(
            place(),
            message!("it is {}, not a dict", other.kind()),
        )),
    }
}

/// Two numbers.
pub(super) fn pair(heap: &Heap, value: Option<Value>) -> Option<(i64, i64)> {
    let Some(Value::List(list)) = value else {
        return None;
    };
    match heap.items(list) {
        &[Value::Int(one), Value::Int(other)] => Some((one, other)),
        _ => None,
    }
}

pub(super) fn malformed(place: Message, message: Message) -> LoadError {
    Fault::Malformed.at(place, message)
}
