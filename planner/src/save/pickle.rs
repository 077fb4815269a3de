//! Writes a Python pickle of protocol 4: numbers, texts, lists and dicts, and what is remembered.

use std::collections::BTreeMap;

/// What is remembered, to be written once and referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known(u32);

/// A pickle in the making: every value is written in its place, those of a dict each behind its
/// key.
pub(super) struct Pickle {
    bytes: Vec<u8>,
    texts: BTreeMap<String, Known>,
    known: u32,
}

impl Pickle {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0x80, 4],
            texts: BTreeMap::new(),
            known: 0,
        }
    }

    /// The bytes, once one value is written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(b'.');
        self.bytes
    }

    /// Begins a dict: pairs follow.
    pub(super) fn begin_dict(&mut self) {
        self.bytes.extend(*b"}(");
    }

    /// Ends it.
    pub(super) fn end_dict(&mut self) {
        self.bytes.push(b'u');
    }

    /// Begins a list: values follow.
    pub(super) fn begin_list(&mut self) {
        self.bytes.extend(*b"](");
    }

    /// Ends it.
    pub(super) fn end_list(&mut self) {
        self.bytes.push(b'e');
    }

    /// A pair of whole numbers, as a tuple.
    pub(super) fn pair(&mut self, (one, other): (i64, i64)) {
        self.int(one);
        self.int(other);
        self.bytes.push(0x86);
    }

    /// A text; also the key of the value that comes next.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(&known) = self.texts.get(text) {
            return self.again(known);
        }
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.bytes.push(b'X');
        self.bytes.extend(len.to_le_bytes());
        self.bytes.extend(
            text.bytes()
                .take(usize::try_from(len).unwrap_or(usize::MAX)),
        );
        let known = self.remember();
        self.texts.insert(text.to_owned(), known);
    }

    /// A whole number in as few bytes as its sign allows.
    pub(super) fn int(&mut self, number: i64) {
        let bytes = number.to_le_bytes();
        let keeps = |len: &usize| {
            let (kept, rest) = bytes.split_at(*len);
            let negative = kept.last().is_some_and(|last| last & 0x80 != 0);
            let sign = if negative { 0xff } else { 0 };
            rest.iter().all(|&byte| byte == sign)
        };
        let len = (1..=8).find(keeps).unwrap_or(8);
        self.bytes.push(0x8a);
        self.bytes.extend(u8::try_from(len));
        self.bytes.extend(bytes.iter().take(len));
    }

    /// A number of bytes or an address; sizes of all together are below 2^62.
    pub(super) fn size(&mut self, bytes: u64) {
        self.int(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// A truth value.
    pub(super) fn bool(&mut self, value: bool) {
        self.bytes.push(if value { 0x88 } else { 0x89 });
    }

    /// A floating-point number.
    pub(super) fn float(&mut self, value: f64) {
        self.bytes.push(b'G');
        self.bytes.extend(value.to_be_bytes());
    }

    /// Remembers the value that was written last.
    pub(super) fn remember(&mut self) -> Known {
        let known = Known(self.known);
        self.bytes.push(b'r');
        self.bytes.extend(known.0.to_le_bytes());
        self.known = self.known.saturating_add(1);
        known
    }

    /// What was remembered.
    pub(super) fn again(&mut self, known: Known) {
        self.bytes.push(b'j');
        self.bytes.extend(known.0.to_le_bytes());
    }
}
