//! Zip archives (PKWARE's APPNOTE 6.3): what their central directory lists, deflated or stored.

use super::inflate::{checksum, damaged, inflated, number};
use super::{MOST_MEMBERS, read, take};
use crate::load::{Fault, LoadError, Source};
use crate::{Message, message};

/// Bytes of the end of central directory record without its comment, which has at most 65,535.
const END: u64 = 22;

/// Bytes of a directory entry, and of what stands before a file, without names.
const ENTRY: u64 = 46;
const LOCAL: u64 = 30;

/// A file of the archive.
pub(super) struct Entry {
    /// What it is called.
    pub(super) name: String,
    /// When it was changed, as the archive counts.
    pub(super) time: u64,
    stored: bool,
    checksum: u64,
    packed: u64,
    size: u64,
    local: u64,
}

/// The files of the archive in `source`, without folders.
///
/// # Errors
/// See [`super::unpack`].
pub(super) fn entries(source: &dyn Source) -> Result<Vec<Entry>, LoadError> {
    let last = read_last(source)?;
    let (_, count) = number(&last, 10, 2);
    let (at, size) = number(&last, 12, 4);
    let (_, start) = number(&last, at, 4);
    let zip64 = 0xffff_ffff;
    if size == zip64 || start == zip64 || count == 0xffff {
        let message = message!("a zip archive of more than 4 GiB or 65,534 files");
        return Err(Fault::Unsupported.in_file(message));
    }
    let directory = read(source, start, size)?;
    let mut entries = Vec::new();
    let mut rest = directory.as_slice();
    while rest.starts_with(b"PK\x01\x02") && entries.len() < MOST_MEMBERS {
        let (entry, after) = entry(rest)?;
        rest = rest.get(after..).unwrap_or_default();
        entries.extend(entry);
    }
    Ok(entries)
}

/// The end of central directory record.
fn read_last(source: &dyn Source) -> Result<Vec<u8>, LoadError> {
    let len = source.len().min(END + 0xffff);
    let tail = read(source, source.len() - len, len)?;
    let at = tail.windows(4).rposition(|it| it == b"PK\x05\x06");
    let last = at.and_then(|at| tail.get(at..));
    let last = last.filter(|last| last.len() as u64 >= END);
    last.map(<[u8]>::to_vec).ok_or_else(|| {
        let message = message!("the directory at the end of the zip archive is missing");
        Fault::Truncated.in_file(message)
    })
}

/// The entry that `rest` of the directory begins with, and how long that is; `None` for a folder.
fn entry(rest: &[u8]) -> Result<(Option<Entry>, usize), LoadError> {
    let of = |at, len| number(rest, at, len).1;
    let lengths = [of(28, 2), of(30, 2), of(32, 2)];
    let after = ENTRY + lengths.iter().sum::<u64>();
    let after = usize::try_from(after).unwrap_or(usize::MAX);
    let from = usize::try_from(ENTRY).unwrap_or_default();
    let to = from + usize::try_from(lengths[0]).unwrap_or_default();
    let name = String::from_utf8_lossy(rest.get(from..to).unwrap_or_default()).into_owned();
    if name.is_empty() || name.ends_with('/') {
        return Ok((None, after));
    }
    let unsupported =
        |message: Message| Err(Fault::Unsupported.at(Message::verbatim(&*name), message));
    if of(8, 2) & 1 != 0 {
        return unsupported(message!(
            "it is encrypted: unpack it with its password first"
        ));
    }
    let stored = match of(10, 2) {
        0 => true,
        8 => false,
        _ => return unsupported(message!("it is packed in a way that is not deflate")),
    };
    let entry = Entry {
        // The date stands behind the time of day.
        time: of(14, 2) << 16 | of(12, 2),
        stored,
        checksum: of(16, 4),
        packed: of(20, 4),
        size: of(24, 4),
        local: of(42, 4),
        name,
    };
    Ok((Some(entry), after))
}

impl Entry {
    /// Its bytes.
    ///
    /// # Errors
    /// See [`super::unpack`].
    pub(super) fn bytes(&self, source: &dyn Source, left: &mut u64) -> Result<Vec<u8>, LoadError> {
        let local = read(source, self.local, LOCAL)?;
        if !local.starts_with(b"PK\x03\x04") {
            return Err(damaged(self.local));
        }
        let lengths = number(&local, 26, 2).1 + number(&local, 28, 2).1;
        let start = self.local + LOCAL + lengths;
        let bytes = if self.stored {
            take(left, self.packed)?;
            read(source, start, self.packed)?
        } else {
            let mut bytes = Vec::new();
            inflated(source, start, start + self.packed, left, &mut bytes)?;
            bytes
        };
        let whole = bytes.len() as u64 == self.size;
        match whole && u64::from(checksum(&bytes)) == self.checksum {
            true => Ok(bytes),
            false => Err(damaged(start)),
        }
    }
}
