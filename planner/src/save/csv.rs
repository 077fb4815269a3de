//! Lifetimes with their plan as MiniMalloc CSV.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::liveness::{Buffer, Lifetimes, Pause};
use crate::plan::Plan;
use crate::units::{Bytes, Span, Step};

/// What a buffer has in a column.
type Cell = fn(&Buffer) -> String;

/// The rows `id,lower,upper,size,alignment,offset` of `lifetimes` under `plan`; `upper` is
/// exclusive, sizes and offsets are bytes. Columns `gaps`, `fixed` and `pools` follow where
/// some buffer has any; the plan's pools have no place in this format, so that offsets run
/// over all of them, which lie end to end.
///
/// Neither have handovers. Where the plan makes use of one, the earlier buffer gets a pause at
/// the step that both share, so that the rows say what the plan does and overlap nowhere;
/// [`not_in_csv`] counts those for which one pause is not enough.
///
/// The format has no quoting, so commas, quotes and line ends in names become `_`, and names
/// that are then equal are distinguished by their row.
#[must_use]
pub fn csv(lifetimes: &Lifetimes, plan: &Plan) -> String {
    rows(&expressible(lifetimes, plan).0, Some(plan))
}

/// The same rows without `offset`: what is to be planned. What may be handed over is left out.
#[must_use]
pub fn problem_csv(lifetimes: &Lifetimes) -> String {
    rows(lifetimes, None)
}

fn rows(lifetimes: &Lifetimes, plan: Option<&Plan>) -> String {
    let buffers = &lifetimes.buffers;
    let any = |has: fn(&Buffer) -> bool| buffers.iter().any(has);
    let mut columns: Vec<(&str, Cell)> = Vec::new();
    if any(|it| !it.pauses.is_empty()) {
        columns.push(("gaps", pauses));
    }
    if any(|it| it.fixed.is_some()) {
        columns.push(("fixed", |it| {
            it.fixed.map_or("-1".into(), |at| at.0.to_string())
        }));
    }
    if any(|it| !it.pools.is_empty()) {
        columns.push(("pools", |it| words(it.pools.iter().map(u32::to_string))));
    }
    let mut text = String::from("id,lower,upper,size,alignment");
    text.push_str(if plan.is_some() { ",offset" } else { "" });
    for (name, _) in &columns {
        let _ = write!(text, ",{name}");
    }
    text.push('\n');
    let mut ids = BTreeSet::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let offset = plan.map(|plan| plan.offsets.get(index));
        // What the plan does not place is no row of it.
        let Some(offset) = offset.map_or(Some(String::new()), |it| Some(format!(",{}", it?.0)))
        else {
            break;
        };
        let mut id = plain(&buffer.name);
        while id.is_empty() || !ids.insert(id.clone()) {
            id = format!("{id}_{index}");
        }
        let (lower, upper) = (buffer.span.start.0, buffer.span.end.0);
        let (size, alignment) = (buffer.size.0, buffer.alignment.0);
        // Writing to a String cannot fail.
        let _ = write!(text, "{id},{lower},{upper},{size},{alignment}{offset}");
        for (_, cell) in &columns {
            let _ = write!(text, ",{}", cell(buffer));
        }
        text.push('\n');
    }
    text
}

/// How many pairs of buffers that share bytes the rows of [`csv`] show as an overlap.
#[must_use]
pub fn not_in_csv(lifetimes: &Lifetimes, plan: &Plan) -> usize {
    expressible(lifetimes, plan).1
}

/// The same lifetimes with pauses for the handovers that the plan makes use of, and how many
/// have none.
fn expressible(lifetimes: &Lifetimes, plan: &Plan) -> (Lifetimes, usize) {
    let mut kept = lifetimes.clone();
    let mut left = 0;
    for pair in &lifetimes.handovers {
        let (Some(before), Some(after)) = (
            lifetimes.buffers.get(pair.before),
            lifetimes.buffers.get(pair.after),
        ) else {
            continue;
        };
        let at = [pair.before, pair.after].map(|index| plan.offsets.get(index).copied());
        let [Some(from), Some(to)] = at else { continue };
        let (low, high) = (from.0.max(to.0), {
            let ends = (from.end(before.size), to.end(after.size));
            let (Some(end), Some(other)) = ends else {
                continue;
            };
            end.0.min(other.0)
        });
        let meet = before.span.overlaps(after.span);
        if low >= high || !meet {
            continue;
        }
        let window = match (low - from.0, high - from.0) {
            (0, end) if end >= before.size.0 => Some(None),
            (0, end) => Some(Some((Bytes(end), before.size))),
            (start, end) if end >= before.size.0 => Some(Some((Bytes(0), Bytes(start)))),
            _ => None,
        };
        let last = Step(before.span.end.0.saturating_sub(1));
        let buffer = &mut kept.buffers[pair.before];
        let taken = buffer.pauses.iter().any(|pause| pause.span.contains(last));
        match window.filter(|_| !taken && after.span.start == last) {
            Some(window) => buffer.pauses.push(Pause {
                span: Span {
                    start: last,
                    end: before.span.end,
                },
                window,
            }),
            None => left += 1,
        }
    }
    (kept, left)
}

fn pauses(buffer: &Buffer) -> String {
    let pause = |pause: &Pause| {
        let (lower, upper) = (pause.span.start.0, pause.span.end.0);
        match pause.window {
            None => format!("{lower}-{upper}"),
            Some((start, end)) => format!("{lower}-{upper}@{}:{}", start.0, end.0),
        }
    };
    words(buffer.pauses.iter().map(pause))
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
