//! What does not fit together in a trace: each kind once, with how often and where first.

use super::Remark;
use crate::units::counted;
use crate::{Message, message};

/// Something that the trace contradicts itself in: how often, and the first event.
#[derive(Clone, Copy, Debug)]
struct Contradiction {
    count: usize,
    first: usize,
}

/// The ways to contradict oneself, in the order in which they are reported.
const CONTRADICTIONS: [(&str, &str, &str); 8] = [
    (
        "block that is not handed out is given back",
        "blocks that are not handed out are given back",
        "ignored",
    ),
    (
        "block is given back twice",
        "blocks are given back twice",
        "the first time counts",
    ),
    (
        "block is handed out that is still in use",
        "blocks are handed out that are still in use",
        "the earlier use ends there",
    ),
    (
        "block overlaps another that is in use",
        "blocks overlap others that are in use",
        "shown as they are",
    ),
    (
        "block lies in no segment",
        "blocks lie in no segment",
        "shown all the same",
    ),
    (
        "segment is taken or given back that cannot be",
        "segments are taken or given back that cannot be",
        "ignored",
    ),
    (
        "block is never given back, but no longer there at the end",
        "blocks are never given back, but no longer there at the end",
        "shown to the end",
    ),
    (
        "block is there at the end although it was given back",
        "blocks are there at the end although they were given back",
        "ignored",
    ),
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
        for (found, (one, many, done)) in self.0.iter().zip(CONTRADICTIONS) {
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
                message: message!("{}: {}", counted(count, one, many), Message::from(done)),
            });
        }
    }
}
