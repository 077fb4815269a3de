//! What XLA's simulator of the heap did: it says which buffers share bytes, and between
//! which allocations a value was freed.

use std::collections::BTreeMap;

use super::program::Life;
use crate::load::{Fault, LoadError, Warning};
use crate::{Message, message};

/// One thing that a simulator did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    pub(super) kind: HeapEventKind,
    /// Number of the value.
    pub(super) value: i64,
    /// Number of the value whose bytes it shares.
    pub(super) with: i64,
}

/// What it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HeapEventKind {
    /// It placed a value.
    #[default]
    Alloc,
    /// It took a value away.
    Free,
    /// It gave a value the bytes of another.
    Share,
}

/// The first value whose bytes each value shares, itself where it was placed on its own; all
/// values by their place in `lives`, to which `order` leads from their numbers.
///
/// A value is freed after everything that was placed before, and not later than the next
/// value is placed; where a lifetime says otherwise, the simulator is right.
///
/// # Errors
/// [`Fault::Dangling`] when a value is not there.
pub(super) fn follow(
    traces: &[Vec<Event>],
    order: &BTreeMap<i64, usize>,
    end: u64,
    lives: &mut [Option<Life>],
    warnings: &mut Vec<Warning>,
) -> Result<BTreeMap<usize, u64>, LoadError> {
    let mut groups = BTreeMap::new();
    let mut corrected = 0;
    let find = |id: i64| {
        order.get(&id).copied().ok_or_else(|| {
            Fault::Dangling.at(
                message!("value {}", id),
                message!("the simulator of the heap knows it, but the module does not"),
            )
        })
    };
    for trace in traces {
        // Backwards, as the next value that is placed bounds what was freed before.
        let mut until = end;
        let mut bounds = Vec::new();
        for event in trace.iter().rev() {
            let value = find(event.value)?;
            match event.kind {
                HeapEventKind::Free => bounds.push((value, until)),
                HeapEventKind::Alloc | HeapEventKind::Share => {
                    let first = lives.get(value).and_then(|life| Some(life.as_ref()?.first));
                    until = first.unwrap_or(until).min(until);
                }
            }
        }
        for (value, until) in bounds {
            if let Some(Some(life)) = lives.get_mut(value)
                && life.last > until
            {
                life.last = until.max(life.first);
                life.needed = life.needed.min(life.last);
                life.uses.retain(|step| *step <= life.last);
                corrected += 1;
            }
        }
        let mut from = 0;
        for event in trace {
            let value = find(event.value)?;
            let life = lives.get_mut(value).and_then(Option::as_mut);
            match (event.kind, life) {
                (HeapEventKind::Free, Some(life)) if life.last < from => {
                    life.last = from;
                    corrected += 1;
                }
                (HeapEventKind::Alloc | HeapEventKind::Share, Some(life)) => {
                    from = from.max(life.first);
                }
                _ => {}
            }
            if event.kind != HeapEventKind::Free {
                let with = if event.kind == HeapEventKind::Share {
                    event.with
                } else {
                    event.value
                };
                // A value that shares with one that shares also shares with the first.
                let with = find(with)?;
                let first = groups.get(&with).copied().unwrap_or(with as u64);
                groups.insert(value, first);
            }
        }
    }
    if corrected > 0 {
        warnings.push(Warning::new(
            Message::verbatim("heap_simulator_traces"),
            message!(
                "{} values were freed at another time than their last use: \
                 that time is taken",
                corrected
            ),
        ));
    }
    Ok(groups)
}
