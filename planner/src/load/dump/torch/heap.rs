//! What a pickle holds, as plain data: lists, dicts and what lies in them.
//!
//! A snapshot is a million dicts with the same few keys. So a dict keeps only its values, and
//! its keys stand once in a shape that all dicts with these keys in this order share. Values
//! refer to lists, dicts and texts by index, so that what is referred to often, such as a
//! stack of frames, is there once, and a list that holds itself is no trap. What is given up
//! leaves its number to what comes next.

use crate::units::narrow;
use crate::{Message, message};
use std::collections::BTreeMap;

/// One value. What a snapshot has no use for only says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Text(u32),
    /// A list, a tuple or a set.
    List(u32),
    Dict(u32),
    Nothing,
    /// Its bits.
    Float(u64),
    Bytes,
    /// A whole number of more than 63 bits and a sign.
    Huge,
    /// An event that was taken out of its trace as it was read.
    Event,
}

impl Value {
    fn is_number(&self) -> bool {
        matches!(self, Self::Int(_))
    }

    /// What it is, in words.
    pub(super) fn kind(self) -> Message {
        match self {
            Self::Bool(_) => message!("a truth value"),
            Self::Int(_) => message!("a whole number"),
            Self::Text(_) => message!("a text"),
            Self::List(_) => message!("a list"),
            Self::Dict(_) => message!("a dict"),
            Self::Nothing => Message::verbatim("None"),
            Self::Float(_) => message!("a floating-point number"),
            Self::Bytes => message!("bytes"),
            Self::Huge => message!("a whole number outside of -2^63 to 2^63 - 1"),
            Self::Event => message!("an event of another trace"),
        }
    }
}

/// Keys of a dict in their order, as a chain from the last to the first.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    before: u32,
    key: u32,
    len: u32,
    /// The shape that last came from this one by one more key, and that key.
    recent: (u32, u32),
}

#[derive(Clone, Debug)]
struct Dict {
    shape: u32,
    /// Where it is remembered, as [`Heap::remembered`] has it.
    place: u32,
    values: Vec<Value>,
}

/// Something that is remembered nowhere.
const NOWHERE: u32 = u32::MAX;
/// Something that more than one value refers to.
const SEVERAL: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
struct List {
    /// As of [`Dict`].
    place: u32,
    items: Items,
}

/// What a list holds.
#[derive(Clone, Debug)]
enum Items {
    Own(Vec<Value>),
    /// What others hold, too, by number: events each have a list of frames of their own, and a
    /// million events have a few thousand stacks.
    Shared(u32),
}

/// All values of a pickle.
#[derive(Debug)]
pub(super) struct Heap {
    texts: Vec<Box<str>>,
    known_texts: BTreeMap<Box<str>, u32>,
    lists: Vec<List>,
    /// Numbers of lists and dicts that are there no longer.
    free_lists: Vec<u32>,
    free_dicts: Vec<u32>,
    /// What lists hold that several hold.
    contents: Vec<Box<[Value]>>,
    /// By content, the list that stands for all that hold it and were released.
    standing: BTreeMap<u32, u32>,
    /// By what it comes to; of two that come to the same only the first is shared.
    known_contents: BTreeMap<u64, u32>,
    dicts: Vec<Dict>,
    /// The first has no keys.
    shapes: Vec<Shape>,
    longer: BTreeMap<(u32, u32), u32>,
}

impl Default for Heap {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            known_texts: BTreeMap::new(),
            lists: Vec::new(),
            free_lists: Vec::new(),
            free_dicts: Vec::new(),
            contents: Vec::new(),
            standing: BTreeMap::new(),
            known_contents: BTreeMap::new(),
            dicts: Vec::new(),
            shapes: vec![Shape::default()],
            longer: BTreeMap::new(),
        }
    }
}

/// Puts `item` where one was given up, else at the end; its number.
fn put<T>(items: &mut Vec<T>, free: &mut Vec<u32>, item: T) -> u32 {
    let Some(place) = free.pop() else {
        items.push(item);
        return narrow(items.len() - 1);
    };
    if let Some(slot) = items.get_mut(place as usize) {
        *slot = item;
    }
    place
}

impl Heap {
    /// The number of `text`, the same for equal texts.
    pub(super) fn text(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.known_texts.get(text) {
            return known;
        }
        let new = narrow(self.texts.len());
        self.texts.push(text.into());
        self.known_texts.insert(text.into(), new);
        new
    }

    /// How many different texts and shapes there are.
    pub(super) fn names(&self) -> u64 {
        (self.texts.len() + self.shapes.len()) as u64
    }

    pub(super) fn list(&mut self, items: Vec<Value>) -> Value {
        let list = List {
            place: NOWHERE,
            items: Items::Own(items),
        };
        Value::List(put(&mut self.lists, &mut self.free_lists, list))
    }

    pub(super) fn dict(&mut self) -> Value {
        let dict = Dict {
            shape: 0,
            place: NOWHERE,
            values: Vec::new(),
        };
        Value::Dict(put(&mut self.dicts, &mut self.free_dicts, dict))
    }

    fn place(&mut self, value: Value) -> Option<&mut u32> {
        match value {
            Value::Dict(dict) => Some(&mut self.dicts.get_mut(dict as usize)?.place),
            Value::List(list) => Some(&mut self.lists.get_mut(list as usize)?.place),
            _ => None,
        }
    }

    /// Notes that `value` is remembered as number `place`.
    pub(super) fn remembered(&mut self, value: Value, place: u32) {
        if let Some(slot) = self.place(value) {
            *slot = if *slot == NOWHERE { place } else { SEVERAL };
        }
    }

    /// Notes that one more value refers to what `value` refers to.
    pub(super) fn referred(&mut self, value: Value) {
        if let Some(slot) = self.place(value) {
            *slot = SEVERAL;
        }
    }

    /// Gives up the dict if nothing else refers to it: where it was remembered, if it was, and
    /// its values.
    pub(super) fn release_dict(&mut self, dict: u32) -> Option<(Option<u32>, Vec<Value>)> {
        let found = self.dicts.get_mut(dict as usize)?;
        if found.place == SEVERAL {
            return None;
        }
        let place = std::mem::replace(&mut found.place, SEVERAL);
        let values = std::mem::take(&mut found.values);
        self.free_dicts.push(dict);
        Some(((place != NOWHERE).then_some(place), values))
    }

    /// Gives up the list if nothing else refers to it and another holds the same: where it was
    /// remembered, if it was, and that other one.
    pub(super) fn release_list(&mut self, list: u32) -> Option<(Option<u32>, u32)> {
        let found = self.lists.get(list as usize)?;
        let place = found.place;
        if place == SEVERAL {
            return None;
        }
        let content = match &found.items {
            Items::Shared(content) => *content,
            // A pair of numbers such as a pool's, or no frames.
            Items::Own(own) if own.len() <= 2 && own.iter().all(Value::is_number) => {
                let own = own.clone();
                self.content(&own)?
            }
            Items::Own(_) => return None,
        };
        let standing = *self.standing.entry(content).or_insert(list);
        if standing == list {
            return None;
        }
        self.referred(Value::List(standing));
        let found = self.lists.get_mut(list as usize)?;
        found.place = SEVERAL;
        found.items = Items::Own(Vec::new());
        self.free_lists.push(list);
        Some(((place != NOWHERE).then_some(place), standing))
    }

    /// Puts `items` after what the list has; whether they take memory of their own.
    pub(super) fn extend(&mut self, list: u32, items: &[Value]) -> bool {
        let frames = |item: &Value| matches!(item, Value::Dict(_) | Value::Text(_));
        let shared = !items.is_empty() && items.iter().all(frames) && self.items(list).is_empty();
        let count = self.contents.len();
        let content = shared.then(|| self.content(items)).flatten();
        let Some(List { items: slot, .. }) = self.lists.get_mut(list as usize) else {
            return false;
        };
        match (content, &mut *slot) {
            (Some(content), _) => *slot = Items::Shared(content),
            (None, Items::Own(own)) => own.extend_from_slice(items),
            (None, Items::Shared(content)) => {
                let known = self.contents.get(*content as usize);
                let known = known.map_or(&[][..], AsRef::as_ref);
                *slot = Items::Own([known, items].concat());
            }
        }
        content.is_none() || self.contents.len() > count
    }

    /// The number of what several lists may hold; `None` where something else comes to the same.
    fn content(&mut self, items: &[Value]) -> Option<u32> {
        let sum = items.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, item| {
            let number = match item {
                Value::Dict(dict) => u64::from(*dict),
                Value::Int(number) => number.unsigned_abs(),
                _ => 0,
            };
            (sum ^ number).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let new = narrow(self.contents.len());
        let known = *self.known_contents.entry(sum).or_insert(new);
        if known == new {
            self.contents.push(items.into());
        }
        let same = self.contents.get(known as usize);
        same.is_some_and(|it| it.as_ref() == items).then_some(known)
    }

    /// The same number for lists that share what they hold; `None` for others.
    pub(super) fn shared(&self, list: u32) -> Option<u32> {
        match self.lists.get(list as usize)?.items {
            Items::Shared(content) => Some(content),
            Items::Own(_) => None,
        }
    }

    /// Makes room for `more` entries, exactly as many if they are the first.
    pub(super) fn reserve(&mut self, dict: u32, more: usize) {
        if let Some(dict) = self.dicts.get_mut(dict as usize) {
            if dict.values.is_empty() {
                dict.values.reserve_exact(more);
            } else {
                dict.values.reserve(more);
            }
        }
    }

    /// Gives the dict one more key.
    pub(super) fn insert(&mut self, dict: u32, key: u32, value: Value) {
        let Some(found) = self.dicts.get(dict as usize) else {
            return;
        };
        let shape = self.longer(found.shape, key);
        if let Some(dict) = self.dicts.get_mut(dict as usize) {
            dict.shape = shape;
            dict.values.push(value);
        }
    }

    /// The shape with one more key.
    fn longer(&mut self, shape: u32, key: u32) -> u32 {
        let from = self.shapes.get(shape as usize).copied().unwrap_or_default();
        if from.recent.1 != 0 && from.recent.0 == key {
            return from.recent.1;
        }
        let new = narrow(self.shapes.len());
        let to = *self.longer.entry((shape, key)).or_insert(new);
        if to == new {
            self.shapes.push(Shape {
                before: shape,
                key,
                len: from.len + 1,
                recent: (0, 0),
            });
        }
        if let Some(from) = self.shapes.get_mut(shape as usize) {
            from.recent = (key, to);
        }
        to
    }

    pub(super) fn read_text(&self, text: u32) -> &str {
        self.texts.get(text as usize).map_or("", AsRef::as_ref)
    }

    pub(super) fn items(&self, list: u32) -> &[Value] {
        match self.lists.get(list as usize).map(|list| &list.items) {
            Some(Items::Own(own)) => own,
            Some(Items::Shared(content)) => {
                let content = self.contents.get(*content as usize);
                content.map_or(&[], AsRef::as_ref)
            }
            None => &[],
        }
    }

    /// The shape of a dict: the same number for all that have its keys in its order.
    pub(super) fn shape(&self, dict: u32) -> u32 {
        self.dicts.get(dict as usize).map_or(0, |dict| dict.shape)
    }

    /// The values of a dict in the order of its keys.
    pub(super) fn values(&self, dict: u32) -> &[Value] {
        self.dicts
            .get(dict as usize)
            .map_or(&[], |dict| dict.values.as_slice())
    }

    /// The keys of a shape with their places, from the last to the first.
    pub(super) fn keys(&self, shape: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let get = |shape: u32| self.shapes.get(shape as usize).filter(|it| it.len > 0);
        let chain = std::iter::successors(get(shape), move |it| get(it.before));
        chain.map(|it| (it.key, it.len - 1))
    }

    /// The value of `key`; the last where it is there twice, as in Python.
    pub(super) fn get(&self, dict: u32, key: &str) -> Option<Value> {
        let key = *self.known_texts.get(key)?;
        let mut keys = self.keys(self.shape(dict));
        let (_, place) = keys.find(|&(found, _)| found == key)?;
        self.values(dict).get(place as usize).copied()
    }

    /// The keys of a dict and their values.
    pub(super) fn entries(&self, dict: u32) -> impl Iterator<Item = (&str, Value)> + '_ {
        let values = self.values(dict);
        let keys = self.keys(self.shape(dict));
        keys.filter_map(|(key, place)| Some((self.read_text(key), *values.get(place as usize)?)))
    }
}
