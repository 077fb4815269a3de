//! Plans changed by hand as a part of the address bar, so that a what-if is a link:
//! `best:conv1@1024,conv2@!0;naive:x@64`, where `!` means pinned. Files may give one name to
//! several tensors: `x*2` is the second that is called x.

use std::collections::BTreeMap;
use std::fmt::Write;

use planner::inserted;

use crate::model::column::Column;
use crate::model::link::uri::{escape, unescape};

/// A link carries at most this many moved or pinned buffers; plans with more are exported.
pub const CARRIED: usize = 1_000;

/// Where a buffer was put by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// Name of the buffer.
    pub name: String,
    /// Which of the buffers of this name, from 1.
    pub nth: usize,
    /// Bytes from the start of the arena.
    pub at: u64,
    /// Whether it stays there.
    pub pinned: bool,
}

/// What was changed by hand, by column.
pub type Handiwork = BTreeMap<Column, Vec<Put>>;

/// `None` when there is nothing to say, or too much.
pub(super) fn write(work: &Handiwork) -> Option<String> {
    let count: usize = work.values().map(Vec::len).sum();
    if count == 0 || count > CARRIED {
        return None;
    }
    let mut text = String::new();
    for (column, puts) in work {
        if !text.is_empty() {
            text.push(';');
        }
        text.push_str(column.name());
        for (index, put) in puts.iter().enumerate() {
            let sign = if index == 0 { ':' } else { ',' };
            let name = escape(&put.name).replace('*', "%2A");
            let nth = match put.nth {
                0 | 1 => String::new(),
                nth => format!("*{nth}"),
            };
            let pin = if put.pinned { "!" } else { "" };
            // Writing to a text does not fail.
            let _ = write!(text, "{sign}{name}{nth}@{pin}{}", put.at);
        }
    }
    Some(text)
}

/// What cannot be read is left out.
pub(super) fn read(text: &str) -> Handiwork {
    let columns = text.split(';').filter_map(|part| {
        let (column, puts) = part.split_once(':')?;
        let puts: Vec<Put> = puts.split(',').take(CARRIED).filter_map(put).collect();
        Some((column.parse().ok()?, puts))
    });
    inserted(columns.filter(|(_, puts)| !puts.is_empty()))
}

fn put(text: &str) -> Option<Put> {
    let (name, at) = text.rsplit_once('@')?;
    let number = at.strip_prefix('!');
    let (name, nth) = match name.rsplit_once('*') {
        Some((name, nth)) => (name, nth.parse().ok()?),
        None => (name, 1),
    };
    Some(Put {
        nth,
        name: unescape(name)?,
        at: number.unwrap_or(at).parse().ok()?,
        pinned: number.is_some(),
    })
}
