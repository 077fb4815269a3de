//! What `torch.profiler`'s `export_memory_timeline` writes with a `.raw.json.gz` name: a list of
//! `[time, action, bytes, category]`. It names neither addresses nor blocks: what is given back
//! is taken to be the newest block of the same bytes and category, which changes no sum. With a
//! `.json` name it writes sums over time, which hold no blocks.
//!
//! Actions and categories are those of `torch/profiler/_memory_profiler.py`; actions are counted
//! from 1 there, and from 0 in its documentation.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::deployed::{Arena, Category, Deployed, Note};
use crate::liveness::{Buffer, Lifetimes, admit};
use crate::load::dump::Dump;
use crate::load::dump::draft::MAX_BUFFERS;
use crate::load::dump::json::invalid;
use crate::load::text::{self, BYTE_ORDER_MARK};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// Time, action, bytes, category.
type Row = (i64, u8, i64, u8);

/// Times, and for each the sums by category; torch writes a 0 before them to stack them.
#[derive(Deserialize)]
struct Sums(Vec<i64>, Vec<Vec<u64>>);

/// Whether a file that begins with `head` is one of both.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let dense = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let begin: Vec<u8> = dense.copied().take(96).collect();
    let Some(inside) = begin.strip_prefix(b"[[") else {
        return false;
    };
    let end = inside.iter().position(|&byte| byte == b']');
    let row = &inside[..end.unwrap_or(inside.len())];
    let numbers = row.split(|&byte| byte == b',');
    let number = |cell: &[u8]| {
        let digits = cell.strip_prefix(b"-").unwrap_or(cell);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    // The last number may be cut off.
    let mut whole = numbers.clone();
    let count = numbers.count();
    match end {
        Some(_) => {
            let rest = &inside[row.len() + 1..];
            let is_row = count == 4 && matches!(rest.first(), Some(b',' | b']'));
            (is_row || rest.starts_with(b",[[")) && whole.all(number)
        }
        None => count > 4 && whole.take(count - 1).all(number),
    }
}

/// Whether a file that begins with `head` is what torch writes with a `.html` name.
pub(in crate::load) fn is_page(head: &[u8]) -> bool {
    let title = b"Memory Timeline HTML</title>";
    let head = &head[..head.len().min(512)];
    head.windows(title.len()).any(|window| window == title)
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] for sums, with what they say.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let text = text.trim_start_matches('\u{feff}');
    let rows: Vec<Row> = match serde_json::from_str(text) {
        Ok(rows) => rows,
        Err(error) => match serde_json::from_str::<Sums>(text) {
            Ok(sums) => return Err(no_blocks(&sums)),
            Err(_) => return Err(invalid(&error)),
        },
    };
    let (blocks, unmatched) = blocks(&rows)?;
    let (buffers, notes): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
    let lifetimes = Lifetimes::of(buffers);
    admit(&lifetimes, Bytes(1))?;
    let mut warnings = vec![Warning::of_file(message!(
        "it names no blocks: what is given back is taken to be the newest block of as \
         many bytes and the same category. Bytes at each step are right, single \
         lifetimes may not be"
    ))];
    if unmatched > 0 {
        warnings.push(Warning::of_file(message!(
            "event gives back what was never taken: it is left out"
                | "events give back what was never taken: they are left out",
            unmatched
        )));
    }
    let arena = Arena {
        lifetimes,
        notes,
        ..Arena::default()
    };
    let deployed = Deployed {
        toolchain: "PyTorch".into(),
        arenas: vec![arena.unplaced()],
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// A block that is not given back yet.
struct Open {
    start: u64,
    number: usize,
}

/// Those of the same bytes and category, the newest last.
type Kinds = BTreeMap<(u64, u8), Vec<Open>>;

/// What happens to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Preexisting,
    Create,
    Change,
    Destroy,
}

/// What the rows say; in all but [`Fault::Malformed`] files one of these.
fn actions(rows: &[Row]) -> Result<Vec<Action>, LoadError> {
    // Torch's own values have no action 0; the documented ones no 4.
    let from_one = !rows.iter().any(|row| row.1 == 0)
        && rows
            .iter()
            .any(|row| row.1 == 4 || (row.0 < 0 && row.1 == 1));
    let action = |(at, row): (usize, &Row)| match row.1.wrapping_sub(u8::from(from_one)) {
        0 => Ok(Action::Preexisting),
        1 => Ok(Action::Create),
        2 => Ok(Action::Change),
        3 => Ok(Action::Destroy),
        _ => Err(Fault::Malformed.at(
            message!("row {}", at + 1),
            message!("there is no action {}", row.1),
        )),
    };
    let actions: Result<Vec<Action>, LoadError> = rows.iter().enumerate().map(action).collect();
    let actions = actions?;
    for (at, (row, action)) in (1..).zip(rows.iter().zip(&actions)) {
        let wrong = if usize::from(row.3) > Category::ALL.len() {
            message!("there is no category {}", row.3)
        } else if row.2 < 0 && matches!(action, Action::Preexisting | Action::Create) {
            message!("{} bytes: only what is given back has fewer than 0", row.2)
        } else {
            continue;
        };
        return Err(Fault::Malformed.at(message!("row {}", at), wrong));
    }
    Ok(actions)
}

/// Every block, and how many events give back nothing. Rows are in the order of time; a row is
/// a step, and what was there before lives from step 0.
fn blocks(rows: &[Row]) -> Result<(Vec<(Buffer, Note)>, usize), LoadError> {
    if rows.len() > MAX_BUFFERS {
        return Err(Fault::Limit.in_file(message!(
            "{} rows, of which we read at most {}",
            rows.len(),
            MAX_BUFFERS
        )));
    }
    let (mut open, mut buffers) = (Kinds::new(), Vec::new());
    // A block whose category the next row says: a new version of it may be of another.
    let mut changing: Option<Open> = None;
    let (mut unmatched, mut made) = (0, 0);
    for (step, (row, action)) in (1..).zip(rows.iter().zip(actions(rows)?)) {
        let kind = (row.2.unsigned_abs(), row.3);
        let leaves = action == Action::Destroy || (action == Action::Change && row.2 < 0);
        if leaves {
            match (open.get_mut(&kind).and_then(Vec::pop), action) {
                (Some(block), Action::Change) => changing = Some(block),
                (Some(block), _) => buffers.push(buffer(block, kind, step)),
                (None, _) => unmatched += 1,
            }
            continue;
        }
        if kind.0 == 0 {
            continue;
        }
        let block = changing.take().unwrap_or_else(|| {
            made += 1;
            let start = if action == Action::Preexisting {
                0
            } else {
                step
            };
            Open {
                start,
                number: made,
            }
        });
        open.entry(kind).or_default().push(block);
    }
    let horizon = rows.len() as u64 + 1;
    for (kind, blocks) in open {
        buffers.extend(blocks.into_iter().map(|block| buffer(block, kind, horizon)));
    }
    buffers.order_by_key(|(buffer, _): &(Buffer, Note)| buffer.span);
    Ok((buffers, unmatched))
}

/// What is beyond the categories is unknown to torch as well.
fn buffer(block: Open, (bytes, category): (u64, u8), end: u64) -> (Buffer, Note) {
    let category = Category::ALL.get(usize::from(category)).copied();
    let called = category.map_or("unknown", Category::name);
    let name = format!("{called} {}", block.number);
    let note = Note {
        category,
        ..Note::default()
    };
    (Buffer::new(name, bytes, Span::new(block.start, end)), note)
}

/// So many bytes of a category, of those of torch or none.
fn said(category: usize, bytes: u64) -> Message {
    match category {
        0 => message!("{} B of parameters", bytes),
        1 => message!("{} B of optimizer state", bytes),
        2 => message!("{} B of inputs", bytes),
        3 => message!("{} B of temporaries", bytes),
        4 => message!("{} B of activations", bytes),
        5 => message!("{} B of gradients", bytes),
        6 => message!("{} B of autograd's details", bytes),
        _ => message!("{} B of unknown category", bytes),
    }
}

/// Why sums cannot be planned, and what they say of the peak.
fn no_blocks(Sums(times, sums): &Sums) -> LoadError {
    // A 0, the categories, and what is of none.
    let columns = Category::ALL.len() + 2;
    if let Some((at, row)) = (1..).zip(sums).find(|(_, row)| row.len() != columns) {
        return Fault::Malformed.at(
            message!("row {}", at),
            message!(
                "these sums have {} columns where PyTorch writes {}: which category is which \
                 is not known",
                row.len(),
                columns
            ),
        );
    }
    let total = |row: &[u64]| row.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    let peak = sums
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, row)| total(row));
    let mut says: Message = message!("it holds no events");
    if let Some((at, row)) = peak {
        let parts = row.iter().skip(1).enumerate();
        let parts = parts.filter(|(_, bytes)| **bytes > 0);
        let parts = parts.map(|(at, bytes)| said(at, *bytes));
        let (total, parts) = (total(row), Message::list(parts, ", "));
        says = message!(
            "the peak is {} B ({}) at moment {} of {}",
            total,
            parts,
            at + 1,
            times.len()
        );
    }
    Fault::Unsupported.in_file(message!(
        "these are sums over time without blocks, which cannot be laid out: {}. Export \
         the same profile with a name that ends with .raw.json.gz",
        says
    ))
}
