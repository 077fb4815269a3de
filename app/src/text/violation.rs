//! What the judge finds in a plan, in words.

use planner::{Lifetimes, Offset, Violation};

use super::fault::said;
use crate::format;
use crate::state::session::Session;
use crate::strings::{HandWord, Word, filled};

/// A list of names stops after this many.
const NAMED: usize = 3;

/// That two lie over each other is what everything else follows from.
pub(crate) fn is_overlap(violation: &Violation) -> bool {
    matches!(
        violation,
        Violation::Overlap { .. } | Violation::NeededTwice { .. }
    )
}

/// What is wrong, with the names of what is concerned. Faults that only a file can have are
/// worded as the judge words them.
pub(crate) fn sentence(session: Session, violation: &Violation) -> String {
    let hand = |word| session.say(word);
    let name = |buffer: usize| names(session, &[buffer]);
    let at = |Offset(at): Offset| format!("{} ({at:#x})", format::exact(at));
    let (word, values) = match *violation {
        Violation::Overlap { first, second } => {
            (HandWord::Overlap, vec![name(first), name(second)])
        }
        Violation::NeededTwice {
            first,
            second,
            step,
        } => {
            let values = vec![name(first), name(second), format::grouped(step)];
            (HandWord::NeededTwice, values)
        }
        Violation::HandoverMissed {
            before,
            after,
            shift,
        } => {
            let (one, other) = (name(before), name(after));
            let values = vec![one, other.clone(), other, format::exact(shift)];
            (HandWord::HandoverMissed, values)
        }
        Violation::Misaligned {
            buffer,
            offset,
            alignment,
        } => {
            let values = vec![name(buffer), at(offset), format::exact(alignment.0)];
            (HandWord::Misaligned, values)
        }
        Violation::NotFixed {
            buffer,
            offset,
            fixed,
        } => (
            HandWord::NotFixed,
            vec![name(buffer), at(offset), at(fixed)],
        ),
        ref other => return pool_sentence(session, other),
    };
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    filled(hand(word), &values)
}

/// The same of a fault that is about pools.
fn pool_sentence(session: Session, violation: &Violation) -> String {
    let hand = |word| session.say(word);
    let name = |buffer: usize| names(session, &[buffer]);
    let pool = |pool: usize| {
        let named = session
            .planning
            .pools
            .with(|pools| Some(pools.get(pool)?.name.clone()));
        named.unwrap_or_else(|| pool.to_string())
    };
    let (word, values) = match *violation {
        Violation::WrongPool { buffer, pool: it } => {
            (HandWord::WrongPool, vec![name(buffer), pool(it as usize)])
        }
        Violation::OutsidePool { buffer, pool: it } => {
            (HandWord::OutsidePool, vec![name(buffer), pool(it as usize)])
        }
        Violation::PoolTooLarge {
            pool: it,
            size,
            capacity,
        } => {
            let values = vec![pool(it), format::exact(capacity.0), format::exact(size.0)];
            (HandWord::PoolTooLarge, values)
        }
        Violation::PoolsOverlap { first, second } => {
            (HandWord::PoolsOverlap, vec![pool(first), pool(second)])
        }
        ref other => {
            let named: Vec<String> = other.buffers().into_iter().map(name).collect();
            let named = match named.is_empty() {
                true => String::new(),
                false => format!(" ({})", named.join(", ")),
            };
            return format!("{}{named}", said(session, &other.message()));
        }
    };
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    filled(hand(word), &values)
}

/// Names of some buffers, the first few of them.
pub(crate) fn names(session: Session, buffers: &[usize]) -> String {
    let name = |lifetimes: &Lifetimes| {
        let name = |&index: &usize| Some(lifetimes.buffers.get(index)?.name.clone());
        buffers
            .iter()
            .take(NAMED)
            .filter_map(name)
            .collect::<Vec<String>>()
    };
    let text = session.with_lifetimes(name).unwrap_or_default().join(", ");
    let more = buffers.len().saturating_sub(NAMED);
    if more == 0 {
        return text;
    }
    let more = filled(session.say(Word::AndMore), &[&format::grouped(more as u64)]);
    format!("{text}, {more}")
}
