//! What is held of one trace: the events of the range that is chosen, and of those outside it
//! what says how things are where the range begins and ends.

use std::collections::BTreeSet;

use crate::load::{Excerpt, LoadError};
use crate::replay::{Action, Earlier, Event, Outside};
use crate::units::Span;

/// The most addresses outside the range that something is held of.
pub(super) const MAX_OUTSIDE: usize = 1 << 22;

/// One trace as far as it is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    /// Its events.
    pub(super) count: u64,
    /// Those in the range.
    pub(super) events: Vec<Event>,
    /// When they were, in microseconds, as far as they say it.
    pub(super) times: Vec<i64>,
    /// When the last event before the range was.
    pub(super) time_before: Option<i64>,
    pub(super) outside: Outside,
    /// What is wrong with the first event that cannot be read.
    pub(super) fault: Option<LoadError>,
    /// Addresses of which it is known whether they are in use where the range ends.
    decided: BTreeSet<u64>,
    counted: bool,
    /// Time of the first event and of the last.
    clock: Option<(i64, i64)>,
    /// Bytes in use beside those that were at the begin, and the most of them.
    in_use: i64,
    most: i64,
    /// Where it is the most.
    peak: u64,
    /// The first request that failed.
    failed: Option<u64>,
}

impl Recorded {
    /// Adds the next event.
    pub(super) fn add(&mut self, event: &Event, time: Option<i64>, chosen: Option<Span>) {
        let index = self.count;
        self.count += 1;
        self.tell(index, event, time);
        if self.counted {
            return;
        }
        let span = chosen.unwrap_or(Span::new(0, u64::MAX));
        if index < span.start.0 {
            self.outside.first += 1;
            self.time_before = time.or(self.time_before);
            self.before(event);
        } else if index < span.end.0 {
            self.events.push(*event);
            self.times.extend(time);
        } else {
            self.outside.after += 1;
            self.after(event);
        }
        let is_outside = !(span.start.0..span.end.0).contains(&index);
        if is_outside && event.action == Action::OutOfMemory {
            self.outside.failed.get_or_insert((0, index)).0 += 1;
        }
    }

    /// What a range would be chosen by.
    fn tell(&mut self, index: u64, event: &Event, time: Option<i64>) {
        let size = i64::try_from(event.size).unwrap_or(i64::MAX);
        match event.action {
            Action::Alloc => self.in_use = self.in_use.saturating_add(size),
            Action::FreeCompleted | Action::Free => {
                self.in_use = self.in_use.saturating_sub(size);
            }
            Action::OutOfMemory => {
                self.failed.get_or_insert(index);
            }
            _ => {}
        }
        if self.in_use > self.most {
            (self.most, self.peak) = (self.in_use, index);
        }
        if let Some(time) = time {
            let (first, last) = self.clock.unwrap_or((time, time));
            self.clock = Some((first.min(time), last.max(time)));
        }
    }

    /// Notes an event before the range.
    fn before(&mut self, event: &Event) {
        let Outside {
            live,
            versions,
            ended,
            ..
        } = &mut self.outside;
        match event.action {
            Action::Alloc => {
                *versions.entry(event.address).or_insert(0) += 1;
                let earlier = Earlier {
                    event: *event,
                    labels: Vec::new(),
                };
                *ended += u64::from(live.insert(event.address, earlier).is_some());
            }
            Action::FreeCompleted | Action::Free => {
                // One of which nothing was heard was there before the trace.
                let known = versions.contains_key(&event.address);
                if live.remove(&event.address).is_some() || !known {
                    *ended += 1;
                }
                versions.entry(event.address).or_insert(1);
            }
            Action::Annotate => {
                if let Some(earlier) = live.get_mut(&event.address) {
                    earlier.labels.push(event.label);
                }
            }
            _ => {}
        }
    }

    /// Notes an event after the range. To undo the events of an address, the first that says
    /// whether it was in use before is enough.
    fn after(&mut self, event: &Event) {
        let decides = match event.action {
            Action::Alloc | Action::FreeCompleted | Action::Free => {
                self.decided.insert(event.address)
            }
            Action::FreeRequested => !self.decided.contains(&event.address),
            Action::SegmentAlloc
            | Action::SegmentFree
            | Action::SegmentMap
            | Action::SegmentUnmap => true,
            _ => false,
        };
        self.outside.begun += u64::from(event.action == Action::Alloc);
        if decides && !self.outside_is_beyond() {
            self.outside.deciding.push(*event);
        }
    }

    /// Whether something is held of more addresses outside the range than may be.
    pub(super) fn outside_is_beyond(&self) -> bool {
        self.outside.versions.len() + self.outside.deciding.len() >= MAX_OUTSIDE
    }

    /// How many events are held.
    pub(super) fn held(&self) -> u64 {
        self.events.len() as u64
    }

    /// Whether events are only counted.
    pub(super) fn is_counted(&self) -> bool {
        self.counted
    }

    /// Lets go of the events: from now on they are only counted.
    pub(super) fn let_go(&mut self) {
        self.counted = true;
        self.events = Vec::new();
        self.times = Vec::new();
        self.outside = Outside::default();
        self.decided = BTreeSet::new();
    }

    /// The times of the events in the range, where all have one.
    pub(super) fn clocked(&mut self) -> Option<Vec<i64>> {
        let times = std::mem::take(&mut self.times);
        (times.len() == self.events.len()).then_some(times)
    }

    /// What to hold of it if at most `most` events are: what led to the first request that failed,
    /// or else to the peak, and a little of what came after.
    pub(super) fn excerpt(&self, most: u64) -> Excerpt {
        let centre = self.failed.unwrap_or(self.peak);
        let len = most.min(self.count);
        let from = centre.saturating_sub(len / 4 * 3).min(self.count - len);
        Excerpt {
            events: self.count,
            most,
            micros: self.clock.map_or(0, |(first, last)| last.abs_diff(first)),
            failed: self.failed,
            peak: self.peak,
            span: Span::new(from, from + len),
        }
    }
}
