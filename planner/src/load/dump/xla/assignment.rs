//! `BufferAssignment:` which allocation has which values at which offsets.

use super::hlo::shape;
use super::program::{Allocation, Value};
use super::tiles::payload_of_text;
use crate::{Message, message};

/// Most allocations and values together.
const MAX_ROWS: usize = crate::load::dump::draft::MAX_BUFFERS;

/// Reads one line of the section, an allocation or a value in the last of them.
pub(super) fn line(into: &mut Vec<Allocation>, number: u64, line: &str) -> Result<(), Message> {
    if let Some(rest) = line.strip_prefix("allocation ") {
        let fault = || message!("`{}` is no allocation", start(line));
        let allocation = allocation(rest).ok_or_else(fault)??;
        if into.len() == MAX_ROWS {
            return Err(message!("more than {} allocations", MAX_ROWS));
        }
        into.push(allocation);
        return Ok(());
    }
    let value = value(line.trim()).ok_or_else(|| {
        let line = start(line);
        message!(
            "`{}` is neither an allocation nor a value with its offset",
            line
        )
    })?;
    let last = into.last_mut();
    let last = last.ok_or_else(|| message!("a value before the first allocation"))?;
    if last.values.len() == MAX_ROWS {
        return Err(message!("more than {} values", MAX_ROWS));
    }
    last.values.push(Value {
        at: number,
        ..value
    });
    Ok(())
}

/// As much of a line as a message quotes.
pub(super) fn start(line: &str) -> String {
    line.trim().chars().take(120).collect()
}

/// `7: size 1728, parameter 0, shape |f32[3,3]| at ShapeIndex {}, maybe-live-out:`; the inner
/// error names a word that is not known.
fn allocation(rest: &str) -> Option<Result<Allocation, Message>> {
    let (index, rest) = rest.trim_end().strip_suffix(':')?.split_once(": size ")?;
    let mut words = words(rest).into_iter();
    let mut found = Allocation {
        index: index.parse().ok()?,
        size: bytes(words.next()?)?,
        ..Allocation::default()
    };
    for word in words {
        match word.split_once(' ').unwrap_or((word, "")) {
            ("parameter", number) => found.parameter = Some(number.parse().ok()?),
            ("color", color) => found.color = color.parse().ok()?,
            ("output", _) => found.output = true,
            ("constant", "") => found.constant = true,
            ("thread-local", "") => found.thread_local = true,
            ("maybe-live-out", "") => found.live_out = true,
            ("shape", _) | ("preallocated-temp", "") => {}
            _ => {
                let message = message!(
                    "allocation {} is `{}`, which is not known",
                    index,
                    start(word)
                );
                return Some(Err(message));
            }
        }
    }
    Some(Ok(found))
}

/// What stands between commas, except those within shapes and indices.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut from, mut quoted, mut depth) = (0, false, 0_u32);
    for (at, character) in text.char_indices() {
        match character {
            '|' => quoted = !quoted,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                words.extend(text.get(from..at).map(str::trim));
                from = at + 1;
            }
            _ => {}
        }
    }
    words.extend(text.get(from..).map(str::trim));
    words
}

/// `262144`, or `256.0KiB`, which is rounded; the outer `None` for neither.
fn bytes(text: &str) -> Option<Option<u64>> {
    if let Ok(bytes) = text.parse() {
        return Some(Some(bytes));
    }
    let unit = text.find(|it: char| !it.is_ascii_digit() && it != '.')?;
    let (number, unit) = text.split_at(unit);
    let is_number = number.parse::<f64>().is_ok();
    match unit {
        "B" => Some(Some(number.parse().ok()?)),
        "KiB" | "MiB" | "GiB" | "TiB" if is_number => Some(None),
        _ => None,
    }
}

/// `value: <42 copy.1{0} (phi) @0> (size=4,offset=8): f32[]`, or the older
/// `<42 copy.1 @0> [8,4]: f32[]` with offset and size.
fn value(text: &str) -> Option<Value> {
    let text = text.strip_prefix("value: ").unwrap_or(text);
    let (inside, rest) = text.strip_prefix('<')?.split_once("> ")?;
    let name = name(inside)?;
    let (place, kind) = match rest.strip_prefix('[') {
        Some(older) => older.split_once(']')?,
        None => rest.strip_prefix('(')?.split_once(')')?,
    };
    let (one, other) = place.split_once(',')?;
    let (offset, size) = match (one.strip_prefix("size="), other.strip_prefix("offset=")) {
        (Some(size), Some(offset)) => (offset, size),
        _ => (one, other),
    };
    let ir = shape(kind.trim_start_matches(':'));
    Some(Value {
        payload: payload_of_text(kind, &ir.dtype, ir.shape.as_deref()),
        name: name.to_owned(),
        size: size.parse().ok()?,
        offset: offset.parse().ok()?,
        ir,
        ..Value::default()
    })
}

/// Whether `text` ends within a value: its shape comes last, and ends with a bracket.
pub(super) fn is_cut(text: &str) -> bool {
    let last = text.lines().next_back().unwrap_or_default();
    let shape = last.rsplit_once(": ").map(|(_, shape)| shape);
    !shape.is_some_and(|it| it.ends_with([']', '}', ')']) && !it.starts_with('<'))
}

/// The name in `42 copy.1{} (phi) @0`, without the index of a whole value.
pub(super) fn name(inside: &str) -> Option<&str> {
    let (_, name) = inside.split_once(' ')?;
    let (name, _) = name.rsplit_once(" @")?;
    Some(whole(name.strip_suffix(" (phi)").unwrap_or(name)))
}

/// `name` without the index of a whole value, which not every section writes.
pub(super) fn whole(name: &str) -> &str {
    name.strip_suffix("{}").unwrap_or(name)
}
