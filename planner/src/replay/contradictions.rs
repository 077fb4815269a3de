//! What does not fit together in a trace: each kind once, with how often and where first.

use super::Remark;
use crate::{Message, counted, message};

/// Something that the trace contradicts itself in: how often, and the first event.
#[derive(Clone, Copy, Debug)]
struct Contradiction {
    count: usize,
    first: usize,
}

/// The ways to contradict oneself, in the order in which they are reported.
const CONTRADICTIONS: [[fn() -> Message; 3]; 8] = [
    [
        || message!("block that is not handed out is given back"),
        || message!("blocks that are not handed out are given back"),
        || message!("ignored"),
    ],
    [
        || message!("block is given back twice"),
        || message!("blocks are given back twice"),
        || message!("the first time counts"),
    ],
    [
        || message!("block is handed out that is still in use"),
        || message!("blocks are handed out that are still in use"),
        || message!("the earlier use ends there"),
    ],
    [
        || message!("block overlaps another that is in use"),
        || message!("blocks overlap others that are in use"),
        || message!("shown as they are"),
    ],
    [
        || message!("block lies in no segment"),
        || message!("blocks lie in no segment"),
        || message!("shown all the same"),
    ],
    [
        || message!("segment is taken or given back that cannot be"),
        || message!("segments are taken or given back that cannot be"),
        || message!("ignored"),
    ],
    [
        || message!("block is never given back, but no longer there at the end"),
        || message!("blocks are never given back, but no longer there at the end"),
        || message!("shown to the end"),
    ],
    [
        || message!("block is there at the end although it was given back"),
        || message!("blocks are there at the end although they were given back"),
        || message!("ignored"),
    ],
];

pub(super) const UNKNOWN: usize = 0;
pub(super) const TWICE: usize = 1;
pub(super) const IN_USE: usize = 2;
pub(super) const OVERLAP: usize = 3;
pub(super) const OUTSIDE: usize = 4;
pub(super) const SEGMENT: usize = 5;
pub(super) const LOST: usize = 6;
pub(super) const REVIVED: usize = 7;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Contradictions([Option<Contradiction>; 8]);

impl Contradictions {
    /// Notes one of kind `what` at `event`.
    pub(super) fn note(&mut self, what: usize, event: usize) {
        if let Some(found) = self.0.get_mut(what) {
            let found = found.get_or_insert(Contradiction {
                count: 0,
                first: event,
            });
            found.count += 1;
            found.first = found.first.min(event);
        }
    }

    /// Reports all of `device`, of whose trace `events` are replayed from number `begin` on.
    pub(super) fn report(
        &self,
        device: &Message,
        (events, begin): (usize, u64),
        remarks: &mut Vec<Remark>,
    ) {
        for (found, [one, many, done]) in self.0.iter().zip(CONTRADICTIONS) {
            let Some(Contradiction { count, first }) = *found else {
                continue;
            };
            remarks.push(Remark {
                place: match first < events {
                    true => message!(
                        "{}, event {}",
                        device.clone(),
                        begin.saturating_add(first as u64)
                    ),
                    false => message!("{}, end", device.clone()),
                },
                message: message!("{}: {}", counted(count, one(), many()), done()),
            });
        }
    }
}
