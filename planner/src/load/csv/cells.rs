//! Lines to cells: quotes and delimiters as csv-core reads them.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::columns::Meaning;
use super::quantity;
use crate::load::text::BYTE_ORDER_MARK;

/// What may stand between two cells; the first of them where a header fits several.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// A table of lifetimes has at least so many columns: its first and last steps, and its sizes.
pub(in crate::load) const LEAST: usize = 3;
/// So many rows decide whether a text is a table.
const LOOKED_AT: usize = 5;

/// The rows of a table. Blank ones, and lines that begin with `#`, are passed over.
pub(super) struct Rows<'t> {
    rest: &'t [u8],
    /// The line on which `rest` begins.
    line: usize,
    reader: Reader,
    output: Vec<u8>,
    ends: Vec<usize>,
}

/// One row.
pub(super) struct Record<'r> {
    /// The line on which it begins.
    pub(super) line: usize,
    /// Its cells without quotes and without the spaces around them.
    pub(super) cells: Vec<&'r str>,
    /// Whether its quotes are odd in number, as those of a row that swallowed the rows below are.
    pub(super) is_odd: bool,
}

impl<'t> Rows<'t> {
    pub(super) fn new(text: &'t str, delimiter: u8) -> Self {
        Self {
            rest: text.as_bytes(),
            line: 1,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            output: vec![0; 256],
            ends: vec![0; 16],
        }
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Option<Record<'_>> {
        loop {
            self.skip();
            let (line, from) = (self.line, self.rest);
            let (length, count) = self.record()?;
            let raw = &from[..from.len() - self.rest.len()];
            self.line += occurrences(raw, b'\n');
            let is_empty = self.output[..length].iter().all(u8::is_ascii_whitespace);
            if is_empty {
                continue;
            }
            // What is cut out of a text at ASCII signs is text.
            let text = str::from_utf8(&self.output[..length]).unwrap_or_default();
            let mut start = 0;
            let cells = self.ends[..count].iter().map(|&end| {
                let cell = text.get(start..end).unwrap_or_default();
                start = end;
                cell.trim()
            });
            return Some(Record {
                line,
                cells: cells.collect(),
                is_odd: !occurrences(raw, b'"').is_multiple_of(2),
            });
        }
    }

    /// Passes over lines that hold no row.
    fn skip(&mut self) {
        loop {
            let end = self.rest.iter().position(|&byte| byte == b'\n');
            let (line, behind) = match end {
                Some(end) => (&self.rest[..end], end + 1),
                None => (self.rest, self.rest.len()),
            };
            let line = line.trim_ascii();
            if behind == 0 || !(line.is_empty() || line.starts_with(b"#")) {
                return;
            }
            self.line += usize::from(end.is_some());
            self.rest = &self.rest[behind..];
        }
    }

    /// Reads one record into the buffers: how many bytes and cells it has.
    fn record(&mut self) -> Option<(usize, usize)> {
        let (mut length, mut count) = (0, 0);
        loop {
            let (output, ends) = (&mut self.output[length..], &mut self.ends[count..]);
            let (result, read, wrote, ended) = self.reader.read_record(self.rest, output, ends);
            self.rest = &self.rest[read..];
            length += wrote;
            count += ended;
            match result {
                // Called once more with nothing, it knows that nothing follows.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.output.resize(2 * self.output.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => return Some((length, count)),
                ReadRecordResult::End => return None,
            }
        }
    }
}

fn occurrences(bytes: &[u8], wanted: u8) -> usize {
    bytes.iter().filter(|&&byte| byte == wanted).count()
}

/// Whether two names are the same but for large letters and what stands between words.
pub(super) fn same(one: &str, other: &str) -> bool {
    let letters = |name: &str| {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        letters.map(|byte| byte.to_ascii_lowercase()).collect()
    };
    let (one, other): (Vec<u8>, Vec<u8>) = (letters(one), letters(other));
    one == other
}

/// The delimiter that splits the header of `text` into the most columns that we know, else into
/// the most columns.
pub(super) fn delimiter(text: &str) -> u8 {
    let worth = |&delimiter: &u8| {
        let mut rows = Rows::new(text, delimiter);
        let header = rows.next();
        let cells = || header.iter().flat_map(|header| &header.cells);
        let known = cells().filter(|name| Meaning::named(name).is_some());
        (known.count(), cells().count())
    };
    // Of equal ones the last is taken.
    let best = DELIMITERS.into_iter().rev().max_by_key(worth);
    best.unwrap_or(b',')
}

/// Whether a file that begins with `head` is a table with columns that we know. Looks at bytes
/// alone, for the page's first file has it.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.skip_while(|line| line.is_empty() || line.starts_with(b"#"));
    let line = lines.next().unwrap_or_default();
    let known = |name: &&[u8]| {
        let name = str::from_utf8(name).unwrap_or_default();
        Meaning::named(name.trim().trim_matches('"')).is_some()
    };
    DELIMITERS.iter().any(|delimiter| {
        let names = line.split(|byte| byte == delimiter);
        names.filter(known).count() >= 2
    })
}

/// Whether a file that begins with `head` is a table in which lifetimes may be: rows as long as
/// its header, which has no numbers, and enough numbers in the first of them.
pub(in crate::load) fn is_table(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    // A letter may be cut at the end of what is looked at.
    let text = String::from_utf8_lossy(head);
    let mut rows = Rows::new(&text, delimiter(&text));
    let number = |cell: &&&str| quantity::read(cell, None).is_ok();
    let Some(header) = rows.next() else {
        return false;
    };
    let columns = header.cells.len();
    if columns < LEAST || header.cells.iter().any(|cell| number(&cell)) {
        return false;
    }
    let Some(first) = rows.next() else {
        return false;
    };
    if first.cells.len() != columns || first.cells.iter().filter(number).count() < LEAST {
        return false;
    }
    (1..LOOKED_AT).all(|_| rows.next().is_none_or(|row| row.cells.len() == columns))
}
