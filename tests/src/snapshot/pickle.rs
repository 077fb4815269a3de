//! Writes pickles as Python's own pickler does: values are remembered in the order in which
//! they are met, long lists and dicts are written in batches, and protocols from 4 on are
//! framed.

use std::collections::BTreeMap;

/// Python writes so many entries with one opcode.
const BATCH: usize = 1000;
/// Python begins a new frame after so many bytes.
const FRAME: usize = 64 * 1024;

/// A list or dict whose entries are being written.
struct Open {
    dict: bool,
    /// Entries that are left.
    left: usize,
    /// Entries of the current batch that are written.
    batch: usize,
    /// Whether the current batch is a single entry, which needs no mark.
    single: bool,
}

/// A pickle in the making. Lists and dicts are announced with their number of entries, and
/// close themselves after the last.
pub struct Writer {
    protocol: u8,
    done: Vec<u8>,
    frame: Vec<u8>,
    open: Vec<Open>,
    /// Whether the next value is the value of a key.
    of_key: bool,
    memo: u32,
    texts: BTreeMap<String, u32>,
}

impl Writer {
    /// An empty pickle of `protocol`, 2 to 5.
    #[must_use]
    pub fn new(protocol: u8) -> Self {
        Self {
            protocol,
            done: vec![0x80, protocol],
            frame: Vec::new(),
            open: Vec::new(),
            of_key: false,
            memo: 0,
            texts: BTreeMap::new(),
        }
    }

    /// The bytes, once the first value is complete.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        assert!(self.open.is_empty(), "a list or dict is not complete");
        self.frame.push(b'.');
        self.flush();
        self.done
    }

    /// A list of `len` values that follow. Returns its number for [`Writer::again`].
    pub fn list(&mut self, len: usize) -> u32 {
        self.begin();
        self.frame.push(b']');
        let number = self.memoize();
        self.opened(false, len);
        number
    }

    /// A dict of `len` pairs that follow, each [`Writer::key`] and a value.
    pub fn dict(&mut self, len: usize) -> u32 {
        self.begin();
        self.frame.push(b'}');
        let number = self.memoize();
        self.opened(true, len);
        number
    }

    /// The key of the next value.
    pub fn key(&mut self, key: &str) {
        self.begin();
        self.raw_text(key);
        self.of_key = true;
    }

    /// A text, remembered when it is there for the first time.
    pub fn text(&mut self, text: &str) {
        self.begin();
        self.raw_text(text);
        self.end();
    }

    /// A whole number.
    pub fn int(&mut self, number: i64) {
        self.begin();
        self.raw_int(number);
        self.end();
    }

    /// A number of bytes or an address.
    pub fn size(&mut self, bytes: u64) {
        self.int(i64::try_from(bytes).expect("addresses have 48 bits"));
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        self.begin();
        self.frame.push(if value { 0x88 } else { 0x89 });
        self.end();
    }

    /// A floating-point number.
    pub fn float(&mut self, value: f64) {
        self.begin();
        self.frame.push(b'G');
        self.frame.extend(value.to_be_bytes());
        self.end();
    }

    /// A pair of whole numbers.
    pub fn pair(&mut self, pair: (i64, i64)) {
        self.begin();
        self.raw_int(pair.0);
        self.raw_int(pair.1);
        self.frame.push(0x86);
        self.memoize();
        self.end();
    }

    /// What was remembered under `number`.
    pub fn again(&mut self, number: u32) {
        self.begin();
        self.get(number);
        self.end();
    }

    fn raw_int(&mut self, number: i64) {
        if let Ok(byte) = u8::try_from(number) {
            self.frame.extend([b'K', byte]);
        } else if let Ok(short) = u16::try_from(number) {
            self.frame.push(b'M');
            self.frame.extend(short.to_le_bytes());
        } else if let Ok(int) = i32::try_from(number) {
            self.frame.push(b'J');
            self.frame.extend(int.to_le_bytes());
        } else {
            let bytes = number.to_le_bytes();
            // As few bytes as keep the sign.
            let spare = |len: &usize| {
                let rest = &bytes[*len..];
                let sign = if bytes[len - 1] & 0x80 == 0 { 0 } else { 0xff };
                rest.iter().all(|&byte| byte == sign)
            };
            let len = (1..=8).find(spare).expect("eight bytes are enough");
            self.frame.push(0x8a);
            self.frame.push(u8::try_from(len).expect("at most 8"));
            self.frame.extend(&bytes[..len]);
        }
    }

    fn raw_text(&mut self, text: &str) {
        if let Some(&known) = self.texts.get(text) {
            return self.get(known);
        }
        match u8::try_from(text.len()) {
            Ok(len) if self.protocol >= 4 => self.frame.extend([0x8c, len]),
            _ => {
                let len = u32::try_from(text.len()).expect("a short text");
                self.frame.push(b'X');
                self.frame.extend(len.to_le_bytes());
            }
        }
        self.frame.extend(text.bytes());
        let number = self.memoize();
        self.texts.insert(text.to_owned(), number);
    }

    fn get(&mut self, number: u32) {
        match u8::try_from(number) {
            Ok(short) => self.frame.extend([b'h', short]),
            Err(_) => {
                self.frame.push(b'j');
                self.frame.extend(number.to_le_bytes());
            }
        }
    }

    fn memoize(&mut self) -> u32 {
        let number = self.memo;
        self.memo += 1;
        match u8::try_from(number) {
            _ if self.protocol >= 4 => self.frame.push(0x94),
            Ok(short) => self.frame.extend([b'q', short]),
            Err(_) => {
                self.frame.push(b'r');
                self.frame.extend(number.to_le_bytes());
            }
        }
        number
    }

    fn opened(&mut self, dict: bool, len: usize) {
        self.of_key = false;
        if len == 0 {
            return self.end();
        }
        self.open.push(Open {
            dict,
            left: len,
            batch: 0,
            single: false,
        });
    }

    /// Before a value: a mark in front of the first of a batch.
    fn begin(&mut self) {
        if self.frame.len() >= FRAME {
            self.flush();
        }
        if self.of_key {
            return;
        }
        if let Some(open) = self.open.last_mut()
            && open.batch == 0
        {
            open.single = open.left == 1;
            if !open.single {
                self.frame.push(b'(');
            }
        }
    }

    /// After a value: the opcode that adds a batch, and all lists that end here.
    fn end(&mut self) {
        self.of_key = false;
        while let Some(open) = self.open.last_mut() {
            open.left -= 1;
            open.batch += 1;
            if open.batch == BATCH || open.left == 0 {
                self.frame.push(match (open.dict, open.single) {
                    (true, true) => b's',
                    (true, false) => b'u',
                    (false, true) => b'a',
                    (false, false) => b'e',
                });
                open.batch = 0;
            }
            if open.left > 0 {
                return;
            }
            self.open.pop();
        }
    }

    fn flush(&mut self) {
        if self.protocol >= 4 {
            self.done.push(0x95);
            self.done.extend((self.frame.len() as u64).to_le_bytes());
        }
        self.done.append(&mut self.frame);
    }
}
