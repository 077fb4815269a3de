//! Tar archives: ustar (POSIX.1-1988), with the long names of GNU and of pax (POSIX.1-2001).

use super::{MOST_MEMBERS, read, take};
use crate::load::{Fault, LoadError, Source};
use crate::message;

/// Everything in a tar archive begins at a multiple of so many bytes.
pub(super) const BLOCK: usize = 512;

/// A name is at most so long.
const MOST_NAME: u64 = 64 * 1024;

/// Whether a file that begins with `head` is one: the sum over its header is in its header.
pub(super) fn sniff(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(is_header)
}

/// The sum counts its own eight bytes as spaces.
fn is_header(header: &[u8]) -> bool {
    let own = 148..156;
    let sum = header
        .iter()
        .enumerate()
        .map(|(at, byte)| match own.contains(&at) {
            true => u64::from(b' '),
            false => u64::from(*byte),
        });
    header.first().is_some_and(|first| *first != 0)
        && octal(header, own.start, 8) == Some(sum.sum())
}

/// A file of the archive.
pub(super) struct Entry {
    /// What it is called.
    pub(super) name: String,
    /// When it was changed, in seconds.
    pub(super) time: u64,
    start: u64,
    size: u64,
}

impl Entry {
    /// Its bytes.
    ///
    /// # Errors
    /// See [`super::unpack`].
    pub(super) fn bytes(&self, source: &dyn Source, left: &mut u64) -> Result<Vec<u8>, LoadError> {
        take(left, self.size)?;
        read(source, self.start, self.size)
    }
}

/// The plain files of the archive in `source`.
///
/// # Errors
/// See [`super::unpack`].
pub(super) fn entries(source: &dyn Source) -> Result<Vec<Entry>, LoadError> {
    let mut entries = Vec::new();
    let (mut at, mut long) = (0, None);
    while at < source.len() && entries.len() < MOST_MEMBERS {
        let header = read(source, at, BLOCK as u64)?;
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let damaged = || {
            let message = message!("the header of a file inside is damaged");
            Fault::Malformed.at(message!("byte {}", at), message)
        };
        let size = octal(&header, 124, 12).filter(|_| is_header(&header));
        let size = size.ok_or_else(damaged)?;
        let start = at + BLOCK as u64;
        let end = start.checked_add(size).filter(|end| *end <= source.len());
        let end = end.ok_or_else(|| {
            let message = message!("the tar archive ends too early");
            Fault::Truncated.at(message!("byte {}", at), message)
        })?;
        match header.get(156) {
            Some(b'L') => long = Some(text(&read(source, start, size.min(MOST_NAME))?)),
            Some(b'x') => long = path(&read(source, start, size.min(MOST_NAME))?).or(long),
            Some(0 | b'0' | b'7') => {
                let name = long.take().unwrap_or_else(|| name(&header));
                let time = octal(&header, 136, 12).unwrap_or_default();
                entries.push(Entry {
                    name,
                    time,
                    start,
                    size,
                });
            }
            // Folders, links, devices.
            _ => long = None,
        }
        at = end.next_multiple_of(BLOCK as u64);
    }
    Ok(entries)
}

/// What a header calls its file.
fn name(header: &[u8]) -> String {
    let field = |from: usize, to: usize| text(header.get(from..to).unwrap_or_default());
    let ustar = header.get(257..262) == Some(b"ustar");
    match field(345, 500) {
        prefix if ustar && !prefix.is_empty() => format!("{prefix}/{}", field(0, 100)),
        _ => field(0, 100),
    }
}

/// A text up to its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

/// The path among the records of a pax header, each `LENGTH KEY=VALUE` and an end of line.
fn path(records: &[u8]) -> Option<String> {
    let key = b" path=";
    let mut lines = records.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let at = line.windows(key.len()).position(|it| it == key)?;
        Some(text(line.get(at + key.len()..)?))
    })
}

/// The number in a field of a header: octal digits, or binary where it is marked so.
fn octal(header: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = header.get(at..at + len)?;
    if let Some((0x80, rest)) = field.split_first() {
        let number = |number: u64, byte: &u8| Some(number.checked_mul(256)? | u64::from(*byte));
        return rest.iter().try_fold(0, number);
    }
    let digits = text(field);
    u64::from_str_radix(digits.trim_matches(' '), 8).ok()
}
