//! Lifetimes with their plan as MiniMalloc CSV.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::liveness::{Buffer, Gap, Lifetimes};
use crate::plan::Plan;

/// What a buffer has in a column.
type Cell = fn(&Buffer) -> String;

/// The rows `id,lower,upper,size,alignment,offset` of `lifetimes` under `plan`; `upper` is
/// exclusive, sizes and offsets are bytes. Columns `gaps`, `fixed` and `pools` follow where
/// some buffer has any; handovers and the plan's pools have no place in this format.
///
/// The format has no quoting, so commas, quotes and line ends in names become `_`, and names
/// that are then equal are told apart by their row.
#[must_use]
pub fn csv(lifetimes: &Lifetimes, plan: &Plan) -> String {
    let buffers = &lifetimes.buffers;
    let any = |has: fn(&Buffer) -> bool| buffers.iter().any(has);
    let mut columns: Vec<(&str, Cell)> = Vec::new();
    if any(|it| !it.gaps.is_empty()) {
        columns.push(("gaps", gaps));
    }
    if any(|it| it.fixed.is_some()) {
        columns.push(("fixed", |it| {
            it.fixed.map_or("-1".into(), |at| at.0.to_string())
        }));
    }
    if any(|it| !it.pools.is_empty()) {
        columns.push(("pools", |it| words(it.pools.iter().map(u32::to_string))));
    }
    let mut text = String::from("id,lower,upper,size,alignment,offset");
    for (name, _) in &columns {
        let _ = write!(text, ",{name}");
    }
    text.push('\n');
    let mut ids = BTreeSet::new();
    for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
        let mut id = plain(&buffer.name);
        while id.is_empty() || !ids.insert(id.clone()) {
            id = format!("{id}_{index}");
        }
        let (lower, upper) = (buffer.span.start.0, buffer.span.end.0);
        let (size, alignment) = (buffer.size.0, buffer.alignment.0);
        // Writing to a String cannot fail.
        let _ = write!(text, "{id},{lower},{upper},{size},{alignment},{}", offset.0);
        for (_, cell) in &columns {
            let _ = write!(text, ",{}", cell(buffer));
        }
        text.push('\n');
    }
    text
}

fn gaps(buffer: &Buffer) -> String {
    let gap = |gap: &Gap| {
        let (lower, upper) = (gap.span.start.0, gap.span.end.0);
        match gap.window {
            None => format!("{lower}-{upper}"),
            Some((first, behind)) => format!("{lower}-{upper}@{}:{}", first.0, behind.0),
        }
    };
    words(buffer.gaps.iter().map(gap))
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn plain(name: &str) -> String {
    let name = name.trim();
    let plain = name.chars().map(|sign| match sign {
        ',' | '"' => '_',
        sign if sign.is_control() => '_',
        sign => sign,
    });
    let plain: String = plain.collect();
    match plain.strip_prefix('#') {
        Some(rest) => format!("_{rest}"),
        None => plain,
    }
}
