//! Which part of a recording to hold, where it has more events than can be held at once.

use serde::{Deserialize, Serialize};

use super::{Fault, LoadError};
use crate::units::Span;
use crate::{Message, message};

/// What is to be known before a range of events is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Excerpt {
    /// How many events the longest trace has.
    pub events: u64,
    /// How many of them can be held at once.
    pub most: u64,
    /// The time from its first event to its last, in microseconds; 0 where it is not known.
    pub micros: u64,
    /// The first event that is a request which failed.
    pub failed: Option<u64>,
    /// The event after which most bytes are in use.
    pub peak: u64,
    /// A range that can be held, around one of both. Events are counted from 0.
    pub span: Span,
}

impl Excerpt {
    /// That a range is to be chosen.
    pub(super) fn wanted(self, place: Message) -> LoadError {
        let Self {
            events,
            most,
            micros,
            failed,
            peak,
            span,
        } = self;
        let (start, end) = (span.start.0, span.end.0);
        let around = failed.map_or_else(
            || {
                message!(
                    "most is in use after event {}, within {}..{}",
                    peak,
                    start,
                    end
                )
            },
            |event| {
                message!(
                    "a request failed at event {}, within {}..{}",
                    event,
                    start,
                    end
                )
            },
        );
        let message = match micros {
            // All could be held: what was asked for lies behind the last.
            _ if events <= most => {
                message!(
                    "none of its {} events lies in the range that was given; {}",
                    events,
                    around
                )
            }
            0 => message!(
                "{} events, of which at most {} can be held at once; {}",
                events,
                most,
                around
            ),
            micros => {
                let time = format!("{}.{}\u{a0}s", micros / 1_000_000, micros / 100_000 % 10);
                message!(
                    "{} events in {}, of which at most {} can be held at once; {}",
                    events,
                    time,
                    most,
                    around
                )
            }
        };
        Fault::Range(self).at(place, message)
    }
}
