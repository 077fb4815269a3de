//! What happens in one pool, reported in terms of the whole problem.

use core::ops::ControlFlow;

use crate::strategies::{
    Choice, Ended, Event, Note, Observer, PlanError, Pooling, Search, Stop, Taken, emit,
};
use crate::units::Offset;

/// Reports what happens in one pool in terms of the whole problem.
pub(super) struct Listener<'a> {
    /// The observer of the whole.
    pub(super) observer: &'a mut dyn Observer,
    /// Index of the pool.
    pub(super) pool: usize,
    /// Index of each buffer of the pool.
    pub(super) members: &'a [usize],
    /// Start of the pool as far as is known.
    pub(super) base: u64,
    /// Where the observer believes each buffer to be.
    pub(super) reported: &'a mut [Option<Offset>],
}

impl Listener<'_> {
    /// Says that the pool is planned, and takes up every buffer of it that lies somewhere.
    pub(super) fn forget(&mut self) -> Result<(), PlanError> {
        let again = self
            .members
            .iter()
            .filter(|&&it| self.reported[it].is_some());
        let planned = Pooling::Planned {
            pool: self.pool,
            base: Offset(self.base),
            buffers: self.members.len(),
            again: again.count(),
        };
        emit(self.observer, Event::Pooling(planned))?;
        for &buffer in self.members {
            if self.reported[buffer].take().is_some() {
                emit(self.observer, Event::Unplaced { buffer })?;
            }
        }
        Ok(())
    }

    /// The same within the pool.
    fn noted(&self, note: Note) -> Note {
        let of = |buffer: usize| self.members.get(buffer).copied().unwrap_or(buffer);
        match note {
            Note::Chain { last } => Note::Chain { last: of(last) },
            Note::MakesRoom { by } => Note::MakesRoom { by: of(by) },
            Note::Widened { from, size } => Note::Widened {
                from: self.at(from),
                size,
            },
            Note::Opened { range, from, size } => Note::Opened {
                range,
                from: self.at(from),
                size,
            },
            other => other,
        }
    }

    fn at(&self, offset: Offset) -> Offset {
        Offset(self.base.saturating_add(offset.0))
    }

    /// The event in terms of the whole problem; `None` for one that has no meaning there.
    fn translated(&mut self, event: Event) -> Option<Event> {
        let of = |buffer: usize| self.members.get(buffer).copied();
        Some(match event {
            Event::Placed { buffer, offset } => {
                let (buffer, offset) = (of(buffer)?, self.at(offset));
                self.reported[buffer] = Some(offset);
                Event::Placed { buffer, offset }
            }
            Event::Moved { buffer, from, to } => {
                let (buffer, from, to) = (of(buffer)?, self.at(from), self.at(to));
                self.reported[buffer] = Some(to);
                Event::Moved { buffer, from, to }
            }
            Event::Unplaced { buffer } => {
                let buffer = of(buffer)?;
                self.reported[buffer] = None;
                Event::Unplaced { buffer }
            }
            Event::Chosen { buffer, choice } => Event::Chosen {
                buffer: of(buffer)?,
                choice: self.chosen(choice),
            },
            Event::Held {
                buffer,
                bytes,
                until,
            } => Event::Held {
                buffer: of(buffer)?,
                bytes,
                until,
            },
            Event::Assigned { buffer, object } => Event::Assigned {
                buffer: of(buffer)?,
                object,
            },
            Event::Noted { buffer, note } => Event::Noted {
                buffer: of(buffer)?,
                note: self.noted(note),
            },
            Event::Pruned { rule, depth, stop } => Event::Pruned {
                rule,
                depth,
                stop: Stop {
                    buffer: of(stop.buffer)?,
                    offset: self.at(stop.offset),
                    other: stop.other.and_then(of),
                    ..stop
                },
            },
            // How a walk of a search ended says why the pool is planned again.
            Event::Ended {
                how: Ended::Found { .. } | Ended::Never { .. } | Ended::Spent { .. },
            } => event,
            // No attempt, plan or proof of one pool is one of the whole.
            Event::Attempt { .. }
            | Event::Ended { .. }
            | Event::Incumbent { .. }
            | Event::Proved { .. } => return None,
            other => other,
        })
    }

    fn chosen(&self, choice: Choice) -> Choice {
        let search = match choice.search {
            Search::FreeBelow(fit, top) => Search::FreeBelow(fit, self.at(top)),
            other => other,
        };
        let taken = match choice.taken {
            Taken::Range { from, size } => Taken::Range {
                from: self.at(from),
                size,
            },
            other => other,
        };
        Choice {
            search,
            taken,
            ..choice
        }
    }
}

impl Observer for Listener<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        // An attempt begins with nothing placed, unless nothing of it is reported.
        let anew = matches!(event, Event::Attempt { trial, .. } if !trial.is_silent());
        let placed = |&it: &usize| self.reported[it].is_some();
        if anew && self.members.iter().any(placed) && self.forget().is_err() {
            return ControlFlow::Break(());
        }
        let total = self.reported.len() as u64;
        // Something has to be said, so that the observer can break off.
        let none = Event::Progress { done: 0, total };
        let event = self.translated(event).unwrap_or(none);
        self.observer.observe(event)
    }

    fn wants_every_step(&self) -> bool {
        self.observer.wants_every_step()
    }
}
