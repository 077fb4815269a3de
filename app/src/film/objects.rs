//! Shared objects in a sentence. They are numbered from 1, as in the inspector.

use planner::trace::{Frame, Outcome, Reason, Refusal, Sharing, shared};
use planner::{Bytes, Sorting as _};

use super::considered::Fate;
use super::listing::{LISTED, of_fate};
use super::narrator::{Narrator, apart};
use crate::format::{bytes, grouped};
use crate::strings::FilmWord as W;

impl Narrator<'_> {
    /// An object that was opened or has grown.
    pub(super) fn sized(&self, known: &Frame, object: usize, size: Bytes) -> String {
        let index = grouped(object as u64 + 1);
        let before = match known.outcome {
            Outcome::Grown { from, .. } => Some(from.0),
            _ => None,
        };
        let (before, size) = match before {
            Some(from) => {
                let [from, size] = apart([from, size.0]);
                (Some(from), size)
            }
            None => (None, bytes(size.0)),
        };
        let (with, alone, numbers) = match &before {
            Some(from) => (W::Grown, W::GrownEmpty, vec![index.as_str(), from, &size]),
            None => (W::Opened, W::OpenedEmpty, vec![index.as_str(), &size]),
        };
        let Some(buffer) = known.outcome.buffer() else {
            return self.fill(alone, &numbers);
        };
        let mut clauses = vec![self.fill(with, &numbers)];
        let passed = self.passed(known);
        if passed.is_empty() && before.is_none() && object == 0 {
            clauses.push(self.word(W::NoObject));
        }
        clauses.extend(passed);
        self.about(buffer, &clauses)
    }

    /// A buffer that was given to an object as it is.
    pub(super) fn assigned(&self, known: &Frame, buffer: usize, object: usize) -> String {
        let size = self.still.layout.objects.get(object);
        let size = bytes(size.map_or(0, |known| known.1.0));
        let index = grouped(object as u64 + 1);
        let mut clauses = vec![self.fill(W::Assigned, &[&index, &size])];
        for shared in shared(self.lifetimes, &self.still.layout, buffer) {
            if let (Sharing::TakesOver, Some(other)) =
                (shared.how, self.lifetimes.buffers.get(shared.other))
            {
                let step = grouped(other.span.end.0.saturating_sub(1));
                clauses.push(self.fill(W::TakesOver, &[&other.name, &step]));
            }
        }
        clauses.extend(self.passed(known));
        self.about(buffer, &clauses)
    }

    /// The objects that were not taken, and why.
    fn passed(&self, known: &Frame) -> Vec<String> {
        let frame = self.still.step.saturating_sub(1);
        let mut listed: Vec<(usize, Refusal)> = Vec::new();
        for reason in self.still.recording.trace.reasons(frame) {
            if let &Reason::Object { object, why } = reason {
                listed.push((object, why));
            }
        }
        let total = listed.len() + known.unlisted as usize;
        // What could have been taken says more than what is busy.
        listed.order_by_key(|(object, why)| (matches!(why, Refusal::Busy { .. }), *object));
        listed.truncate(LISTED);
        let shown = listed.len();
        listed.order_by_key(|(object, _)| *object);
        let clause = |(object, why): (usize, Refusal)| {
            let name = self.fill(W::ObjectSubject, &[&grouped(object as u64 + 1)]);
            match (why, of_fate(Fate::Refused(why))) {
                (Refusal::Busy { by }, _) => self.fill(W::ObjectBusy, &[&name, &self.name(by)]),
                (_, Some((one, _))) => self.fill(one, &[&name]),
                (_, None) => name,
            }
        };
        let mut clauses: Vec<String> = listed.into_iter().map(clause).collect();
        if total > shown {
            clauses.push(self.fill(W::MoreObjects, &[&grouped((total - shown) as u64)]));
        }
        clauses
    }
}
