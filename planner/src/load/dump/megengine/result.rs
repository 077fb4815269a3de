//! The allocation that MegEngine's debug builds print (`MGB_LOAD_INTERVAL`): a line with the total,
//! then one per interval, as in `id=0 size=8(0.00MiB) time=[0, 2) addr=[0, 8)`. It does not say
//! which buffer is written over which; intervals that lie on another's bytes at its last step are
//! taken for that, because MegEngine checks that all others lie apart.
//!
//! Nor does it say how many intervals there are. What is cut off within a line is refused; what
//! is cut off after one is found where ids are missing or nothing reaches the total, and
//! otherwise cannot be: the warnings say so.

use std::collections::BTreeSet;

use super::overwrites::{Placed, overwrites};
use crate::deployed::Deployed;
use crate::load::dump::Dump;
use crate::load::dump::draft::{Draft, Row};
use crate::load::dump::line::{Count, Line, holds, lines};
use crate::load::{Fault, LoadError, Warning};
use crate::units::Span;
use crate::{Message, message};

const TOTAL: &str = "allocation result tot_alloc=";

/// Whether a file that begins with `head` is one.
pub(super) fn sniff(head: &[u8]) -> bool {
    holds(head, TOTAL.as_bytes())
}

pub(super) fn read(text: &str) -> Dump {
    let mut draft = Draft::new(Message::default(), "MegEngine");
    let (mut placed, mut others) = (Vec::new(), Count::default());
    let mut ids = BTreeSet::new();
    let mut warnings = Vec::new();
    for line in lines(text) {
        if let Some((_, total)) = line.text.split_once(TOTAL) {
            if draft.arena.is_some() {
                return Err(line.fault(Fault::Duplicate, message!("there is a second allocation")));
            }
            let total = total.split('(').next().unwrap_or(total);
            draft.arena = Some(line.number(message!("the total"), total)?);
        } else if line.text.starts_with("id=") && draft.arena.is_some() {
            let (id, size, it) = interval(line)?;
            let row = Row {
                name: format!("interval {id}"),
                size: it.size,
                payload: Some(size),
                span: it.span,
                offset: it.offset,
                ..Row::default()
            };
            draft.push(|| line.place(), row)?;
            placed.push(it);
            ids.insert(id);
        } else if line.cut && "id=".starts_with(line.text) {
            return Err(line.fault(Fault::Malformed, message!("the last interval is cut off")));
        } else {
            others.add(line);
        }
    }
    others.report(
        message!("line is no part of an allocation"),
        message!("lines are no part of an allocation"),
        &mut warnings,
    );
    warnings.push(Warning::of_file(wholeness(&ids, &placed, draft.arena)));
    draft.handovers = overwrites(&placed);
    if let Some(pair) = draft.handovers.first() {
        warnings.push(Warning::new(
            message!("interval {}", pair.after),
            message!("interval lies on the bytes of another at its last step: taken for an overwrite" | "intervals lie on the bytes of others at their last step: taken for overwrites", draft.handovers.len()),
        ));
    }
    let deployed = Deployed {
        toolchain: "MegEngine".into(),
        arenas: vec![draft.finish(&mut warnings)?],
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// What can be known of whether every interval is there.
fn wholeness(ids: &BTreeSet<u64>, placed: &[Placed], total: Option<u64>) -> Message {
    let last = ids.last().copied().unwrap_or(0);
    if let Some(missing) = (0..last).find(|id| !ids.contains(id)) {
        return message!(
            "there is an interval {} but no {}: it may be cut off",
            last,
            missing
        );
    }
    let ends = placed.iter().map(|it| it.offset.saturating_add(it.size));
    let reach = ends.max().unwrap_or(0);
    match total {
        Some(total) if reach < total => message!(
            "the total is {} bytes, but intervals reach only {}: it may be cut off",
            total,
            reach
        ),
        _ => message!(
            "it does not say how many intervals there are: a copy cut off behind a line looks \
             whole"
        ),
    }
}

/// Id, bytes asked for, and place of the interval of a line.
fn interval(line: Line<'_>) -> Result<(u64, u64, Placed), LoadError> {
    let wrong = || {
        let message = message!("it is not written as id=0 size=8(0.00MiB) time=[0, 2) addr=[0, 8)");
        line.fault(Fault::Malformed, message)
    };
    let part = |text: &'_ str, begin: &str, between: &str| {
        let (_, rest) = text.split_once(begin)?;
        let (inside, _) = rest.split_once(between)?;
        Some(inside.to_owned())
    };
    let cell = |begin, between| part(line.text, begin, between).ok_or_else(wrong);
    let (id, size) = (cell("id=", " ")?, cell(" size=", "(")?);
    let (times, addresses) = (cell(" time=[", ")")?, cell(" addr=[", ")")?);
    let (begin, end) = times.split_once(", ").ok_or_else(wrong)?;
    let (low, high) = addresses.split_once(", ").ok_or_else(wrong)?;
    let (begin, end) = (
        line.step(message!("the begin"), begin)?,
        line.step(message!("the end"), end)?,
    );
    let low = line.number(message!("the first address"), low)?;
    let high = line.number(message!("the last address"), high)?;
    let size = line.number(message!("the size"), &size)?;
    let occupied = high.checked_sub(low).filter(|&occupied| occupied >= size);
    let Some(occupied) = occupied else {
        let message = message!(
            "from address {} to {} there is no room for {} bytes",
            low,
            high,
            size
        );
        return Err(line.fault(Fault::Malformed, message));
    };
    let placed = Placed {
        group: 0,
        span: Span::new(begin, end),
        offset: low,
        size: occupied,
    };
    Ok((line.number(message!("the id"), &id)?, size, placed))
}
