//! The FlatBuffers wire format over a [`Source`], every access checked.
//!
//! A table starts with a signed distance back to its vtable, which lists where each field
//! lies; vectors and strings are a length followed by their elements; everything else is
//! reached by unsigned forward distances. Nothing is trusted: each read is checked against
//! the end of the file, and what a hostile file could multiply by pointing twice at the same
//! bytes is drawn from a budget.
//!
//! Only the pages that hold structure are read. Weights are ranges and never touched, so a
//! model of 2 GB costs as many bytes as its graph.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::load::{Fault, LoadError, Source, SourceError};
use crate::{Message, message};

/// Bytes per page.
const PAGE: u64 = 64 * 1024;
/// Pages held at once: 64 MiB.
const PAGES: usize = 1024;

/// The most elements of shapes, operands and option lists that one file may hold in all.
const MAX_ELEMENTS: u64 = 1 << 24;
/// The most bytes of names and inline constants that one file may hold in all.
const MAX_TEXT: u64 = 64 << 20;

/// A file read page by page.
pub(super) struct Reader<'a> {
    source: &'a dyn Source,
    len: u64,
    held: RefCell<Held>,
    elements: Cell<u64>,
    text: Cell<u64>,
}

/// The pages read so far; when there are too many, the one read first makes room.
#[derive(Default)]
struct Held {
    pages: Vec<Page>,
    /// Where in `pages` each page is, by number.
    places: BTreeMap<u64, usize>,
    /// The page used last, because the next access most often falls into it again.
    current: usize,
    /// The page that makes room next.
    oldest: usize,
}

struct Page {
    number: u64,
    bytes: Vec<u8>,
}

/// A table: where it lies, and where its vtable does.
#[derive(Clone, Copy)]
pub(super) struct Table<'r, 'a> {
    reader: &'r Reader<'a>,
    start: u64,
    vtable: u64,
    vtable_len: u64,
}

/// A vector: where its elements lie.
#[derive(Clone, Copy)]
pub(super) struct Vector<'r, 'a> {
    reader: &'r Reader<'a>,
    /// First byte of the first element.
    pub(super) start: u64,
    /// Number of elements.
    pub(super) len: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            len: source.len(),
            held: RefCell::default(),
            elements: Cell::new(0),
            text: Cell::new(0),
        }
    }

    /// The table that the file starts with.
    pub(super) fn root(&self) -> Result<Table<'_, 'a>, LoadError> {
        let start = u64::from(self.u32(0)?);
        self.table(start)
    }

    fn table(&self, start: u64) -> Result<Table<'_, 'a>, LoadError> {
        let distance = i64::from(self.i32(start)?);
        let vtable = start.checked_add_signed(-distance);
        let vtable =
            vtable.ok_or_else(|| self.malformed(start, message!("a vtable before the file")))?;
        let vtable_len = u64::from(self.u16(vtable)?);
        if vtable_len < 4 || vtable_len % 2 != 0 {
            return Err(self.malformed(vtable, message!("a vtable of impossible length")));
        }
        Ok(Table {
            reader: self,
            start,
            vtable,
            vtable_len,
        })
    }

    /// The range `[start, start + len)` if it lies inside the file.
    pub(super) fn inside(&self, start: u64, len: u64) -> Result<(), LoadError> {
        match start.checked_add(len) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(self.beyond(start, len)),
        }
    }

    /// Copies a small range, at the expense of the budget for text.
    pub(super) fn copy(&self, start: u64, len: u64) -> Result<Vec<u8>, LoadError> {
        self.inside(start, len)?;
        let spent = self.text.get().saturating_add(len);
        if spent > MAX_TEXT {
            let message = message!("names and small constants exceed {} bytes", MAX_TEXT);
            return Err(error(Fault::Limit, start, message));
        }
        self.text.set(spent);
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
        self.fill(start, &mut bytes)?;
        Ok(bytes)
    }

    /// Takes `count` elements from the budget.
    fn spend(&self, start: u64, count: u64) -> Result<(), LoadError> {
        let spent = self.elements.get().saturating_add(count);
        if spent > MAX_ELEMENTS {
            let message = message!(
                "shapes, operands and options exceed {} elements",
                MAX_ELEMENTS
            );
            return Err(error(Fault::Limit, start, message));
        }
        self.elements.set(spent);
        Ok(())
    }

    /// Whether `len` more bytes can be copied.
    pub(super) fn affords(&self, len: u64) -> bool {
        self.text.get().saturating_add(len) <= MAX_TEXT / 2
    }

    fn fill(&self, mut start: u64, mut target: &mut [u8]) -> Result<(), LoadError> {
        self.inside(start, target.len() as u64)?;
        while !target.is_empty() {
            let mut held = self.held.borrow_mut();
            let page = held.page(start / PAGE, self)?;
            let from = usize::try_from(start % PAGE).unwrap_or_default();
            let rest = page.get(from..).unwrap_or_default();
            let count = rest.len().min(target.len());
            if count == 0 {
                return Err(self.beyond(start, target.len() as u64));
            }
            let (now, later) = target.split_at_mut(count);
            now.copy_from_slice(&rest[..count]);
            target = later;
            start += count as u64;
        }
        Ok(())
    }

    fn bytes<const N: usize>(&self, start: u64) -> Result<[u8; N], LoadError> {
        let mut bytes = [0; N];
        self.fill(start, &mut bytes)?;
        Ok(bytes)
    }

    fn u16(&self, start: u64) -> Result<u16, LoadError> {
        self.bytes(start).map(u16::from_le_bytes)
    }

    fn u32(&self, start: u64) -> Result<u32, LoadError> {
        self.bytes(start).map(u32::from_le_bytes)
    }

    pub(super) fn i32(&self, start: u64) -> Result<i32, LoadError> {
        self.bytes(start).map(i32::from_le_bytes)
    }

    fn beyond(&self, start: u64, len: u64) -> LoadError {
        let end = self.len;
        let message = message!(
            "{} bytes at {} lie behind the end of the file at {}",
            len,
            start,
            end
        );
        error(Fault::Truncated, start, message)
    }

    fn malformed(&self, start: u64, what: Message) -> LoadError {
        error(Fault::Malformed, start.min(self.len), what)
    }
}

impl Held {
    /// The bytes of the page with this number.
    fn page(&mut self, number: u64, reader: &Reader<'_>) -> Result<&[u8], LoadError> {
        let used_last = self.pages.get(self.current);
        if used_last.is_none_or(|page| page.number != number) {
            self.current = match self.places.get(&number) {
                Some(&place) => place,
                None => self.read(number, reader)?,
            };
        }
        let page = self.pages.get(self.current);
        Ok(page.map_or(&[], |page| &page.bytes))
    }

    /// Reads a page; says where it is.
    fn read(&mut self, number: u64, reader: &Reader<'_>) -> Result<usize, LoadError> {
        let bytes = reader.page(number)?;
        let page = Page { number, bytes };
        let place = if self.pages.len() < PAGES {
            self.pages.push(page);
            self.pages.len() - 1
        } else {
            let place = self.oldest;
            let left = std::mem::replace(&mut self.pages[place], page);
            self.places.remove(&left.number);
            self.oldest = (place + 1) % PAGES;
            place
        };
        self.places.insert(number, place);
        Ok(place)
    }
}

impl Reader<'_> {
    fn page(&self, number: u64) -> Result<Vec<u8>, LoadError> {
        let start = number * PAGE;
        let len = self.len.saturating_sub(start).min(PAGE);
        let mut page = vec![0; usize::try_from(len).unwrap_or_default()];
        let read = self.source.read_at(start, &mut page);
        read.map_err(|fault| match fault {
            SourceError::Beyond { start, len } => self.beyond(start, len),
            SourceError::Io(message) => error(Fault::Io, start, Message::verbatim(message)),
        })?;
        Ok(page)
    }
}

impl<'r, 'a> Table<'r, 'a> {
    /// Takes `count` elements from the budget of the file.
    pub(super) fn spend(&self, count: u64) -> Result<(), LoadError> {
        self.reader.spend(self.start, count)
    }

    /// Where the table lies, for messages.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Where the field with this id lies; `None` when it is absent and has its default.
    fn field(&self, id: u16) -> Result<Option<u64>, LoadError> {
        let entry = 4 + 2 * u64::from(id);
        if entry + 2 > self.vtable_len {
            return Ok(None);
        }
        Ok(match self.reader.u16(self.vtable + entry)? {
            0 => None,
            distance => Some(self.start + u64::from(distance)),
        })
    }

    /// Whether there is any field with an id above `last`.
    pub(super) fn has_beyond(&self, last: u16) -> Result<bool, LoadError> {
        let ids = u16::try_from((self.vtable_len - 4) / 2).unwrap_or(u16::MAX);
        for id in last.saturating_add(1)..ids {
            if self.field(id)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where the thing that the field with this id refers to lies.
    pub(super) fn target(&self, id: u16) -> Result<Option<u64>, LoadError> {
        let Some(field) = self.field(id)? else {
            return Ok(None);
        };
        let distance = u64::from(self.reader.u32(field)?);
        if distance == 0 {
            return Err(self
                .reader
                .malformed(field, message!("a reference to itself")));
        }
        Ok(Some(field + distance))
    }

    pub(super) fn u8(&self, id: u16, default: u8) -> Result<u8, LoadError> {
        match self.field(id)? {
            Some(field) => self.reader.bytes(field).map(|[byte]| byte),
            None => Ok(default),
        }
    }

    pub(super) fn u32(&self, id: u16, default: u32) -> Result<u32, LoadError> {
        match self.field(id)? {
            Some(field) => self.reader.u32(field),
            None => Ok(default),
        }
    }

    pub(super) fn i32(&self, id: u16, default: i32) -> Result<i32, LoadError> {
        match self.field(id)? {
            Some(field) => self.reader.i32(field),
            None => Ok(default),
        }
    }

    pub(super) fn u64(&self, id: u16) -> Result<u64, LoadError> {
        match self.field(id)? {
            Some(field) => self.reader.bytes(field).map(u64::from_le_bytes),
            None => Ok(0),
        }
    }

    pub(super) fn f32(&self, id: u16) -> Result<f32, LoadError> {
        match self.field(id)? {
            Some(field) => self.reader.bytes(field).map(f32::from_le_bytes),
            None => Ok(0.0),
        }
    }

    pub(super) fn table(&self, id: u16) -> Result<Option<Self>, LoadError> {
        let target = self.target(id)?;
        target.map(|start| self.reader.table(start)).transpose()
    }

    /// The vector in the field with this id, whose elements take `width` bytes each.
    pub(super) fn vector(&self, id: u16, width: u64) -> Result<Option<Vector<'r, 'a>>, LoadError> {
        let Some(start) = self.target(id)? else {
            return Ok(None);
        };
        let len = u64::from(self.reader.u32(start)?);
        let start = start + 4;
        self.reader.inside(start, len.saturating_mul(width))?;
        Ok(Some(Vector {
            reader: self.reader,
            start,
            len,
        }))
    }

    /// The tables in the field with this id; none when it is absent.
    pub(super) fn tables(&self, id: u16) -> Result<Vector<'r, 'a>, LoadError> {
        let none = Vector {
            reader: self.reader,
            start: self.start,
            len: 0,
        };
        Ok(self.vector(id, 4)?.unwrap_or(none))
    }

    /// The 32-bit integers in the field with this id; none when it is absent.
    pub(super) fn ints(&self, id: u16) -> Result<Option<Vec<i32>>, LoadError> {
        let Some(vector) = self.vector(id, 4)? else {
            return Ok(None);
        };
        self.reader.spend(vector.start, vector.len)?;
        let each = (0..vector.len).map(|index| self.reader.i32(vector.start + 4 * index));
        each.collect::<Result<_, _>>().map(Some)
    }

    /// The 32-bit floats in the field with this id; none when it is absent.
    pub(super) fn floats(&self, id: u16) -> Result<Vec<f32>, LoadError> {
        let Some(vector) = self.vector(id, 4)? else {
            return Ok(Vec::new());
        };
        self.reader.spend(vector.start, vector.len)?;
        let each = (0..vector.len).map(|index| self.reader.bytes(vector.start + 4 * index));
        each.map(|bytes| bytes.map(f32::from_le_bytes)).collect()
    }

    /// The 64-bit integers in the field with this id; none when it is absent.
    pub(super) fn longs(&self, id: u16) -> Result<Vec<i64>, LoadError> {
        let Some(vector) = self.vector(id, 8)? else {
            return Ok(Vec::new());
        };
        self.reader.spend(vector.start, vector.len)?;
        let each = (0..vector.len).map(|index| self.reader.bytes(vector.start + 8 * index));
        each.map(|bytes| bytes.map(i64::from_le_bytes)).collect()
    }

    /// The text in the field with this id, with bytes that are not UTF-8 replaced; empty
    /// when it is absent.
    pub(super) fn text(&self, id: u16) -> Result<String, LoadError> {
        let Some(vector) = self.vector(id, 1)? else {
            return Ok(String::new());
        };
        let bytes = self.reader.copy(vector.start, vector.len)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl<'r, 'a> Vector<'r, 'a> {
    /// The table at `index`, for a vector of tables.
    pub(super) fn table(&self, index: u64) -> Result<Table<'r, 'a>, LoadError> {
        let entry = self.start + 4 * index;
        let distance = u64::from(self.reader.u32(entry)?);
        if distance == 0 || index >= self.len {
            return Err(self
                .reader
                .malformed(entry, message!("a reference to itself")));
        }
        self.reader.table(entry + distance)
    }
}

/// A fault at the byte `start`.
pub(super) fn error(kind: Fault, start: u64, message: Message) -> LoadError {
    kind.at(message!("byte {}", start), message)
}
