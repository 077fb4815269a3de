//! An arena as a dump describes it, row by row, and what has to hold before it is believed.

use std::collections::BTreeMap;

use crate::deployed::{Arena, Note};
use crate::liveness::{Buffer, Handover, Lifetimes, admit};
use crate::load::{Fault, LoadError, Warning, reach};
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};
use crate::{Message, message};

/// The most buffers of one dump.
pub(super) const MAX_BUFFERS: usize = 1 << 22;

/// One buffer of a dump.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// What the dump calls it.
    pub(super) name: String,
    /// Bytes that it occupies.
    pub(super) size: u64,
    /// Bytes that were asked for; as many as it occupies where the dump does not say.
    pub(super) payload: Option<u64>,
    /// When it is live, half-open.
    pub(super) span: Span,
    /// First byte.
    pub(super) offset: u64,
    /// What its offset must be a multiple of; 0 and 1 ask for nothing.
    pub(super) alignment: u64,
    /// What else the dump says.
    pub(super) note: Note,
}

/// An arena in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// What the dump calls the arena.
    pub(super) name: Message,
    /// What made the plan.
    pub(super) origin: String,
    rows: Vec<Row>,
    /// What runs at each step; empty where the dump does not say.
    pub(super) step_names: Vec<String>,
    /// One step after the last, where the dump says so.
    pub(super) horizon: u64,
    /// Pairs that share bytes on purpose, by index of the row.
    pub(super) handovers: Vec<Handover>,
    /// What the dump says the arena has.
    pub(super) arena: Option<u64>,
}

impl Draft {
    /// An arena called `name`, planned by `origin`.
    pub(super) fn new(name: Message, origin: impl Into<String>) -> Self {
        Self {
            name,
            origin: origin.into(),
            ..Self::default()
        }
    }

    /// Number of rows so far: the index of the next one.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a buffer that stands at `place` of the file and returns its index.
    ///
    /// # Errors
    /// [`Fault::Limit`] beyond [`MAX_BUFFERS`], [`Fault::Malformed`] when it ends before it
    /// starts or lives at no time.
    pub(super) fn push(
        &mut self,
        place: impl Fn() -> Message,
        row: Row,
    ) -> Result<usize, LoadError> {
        let fault = |kind: Fault, message| kind.at(place(), message);
        if self.rows.len() == MAX_BUFFERS {
            let message = message!("more than {} buffers", MAX_BUFFERS);
            return Err(fault(Fault::Limit, message));
        }
        if row.span.is_empty() {
            let name = Message::verbatim(row.name);
            let (start, end) = (row.span.start.0, row.span.end.0);
            let message = message!("{} lives from {} to {}, which is no time", name, start, end);
            return Err(fault(Fault::Malformed, message));
        }
        self.rows.push(row);
        Ok(self.rows.len() - 1)
    }

    /// Makes one buffer of those that lie at the same offset at the same time: they are
    /// several names of the same bytes, and counting them twice would raise a false alarm.
    /// The first keeps its name, the largest its size; it is needed while any of them is.
    pub(super) fn merge_aliases(&mut self) {
        let mut first: BTreeMap<(Span, u64), usize> = BTreeMap::new();
        let mut kept: Vec<Row> = Vec::with_capacity(self.rows.len());
        let mut places = Vec::with_capacity(self.rows.len());
        for row in std::mem::take(&mut self.rows) {
            let place = *first.entry((row.span, row.offset)).or_insert(kept.len());
            places.push(place);
            match kept.get_mut(place) {
                None => kept.push(row),
                Some(same) => {
                    same.size = same.size.max(row.size);
                    same.payload = same.payload.max(row.payload);
                    if let (Some(held), Some(other)) = (&mut same.note.held, row.note.held) {
                        let needed = &mut held.needed;
                        needed.start = needed.start.min(other.needed.start);
                        needed.end = needed.end.max(other.needed.end);
                    }
                    same.note.aliases.push(row.name);
                }
            }
        }
        self.rows = kept;
        for handover in &mut self.handovers {
            for end in [&mut handover.before, &mut handover.after] {
                *end = places.get(*end).copied().unwrap_or(usize::MAX);
            }
        }
        self.handovers.retain(|pair| pair.before != pair.after);
        self.handovers.order();
        self.handovers.dedup();
    }

    /// The arena; names that are there twice are distinguished by their place.
    ///
    /// # Errors
    /// [`Fault::Limit`] when sizes or addresses go beyond what can be planned,
    /// [`Fault::Malformed`] when there is no buffer at all.
    pub(super) fn finish(self, warnings: &mut Vec<Warning>) -> Result<Arena, LoadError> {
        if self.rows.is_empty() {
            return Err(Fault::Malformed.at(
                if self.name.is_empty() {
                    message!("file")
                } else {
                    self.name
                },
                message!("there is no buffer with an address"),
            ));
        }
        let ends = self.rows.iter().map(|row| row.span.end.0);
        let horizon = Step(ends.fold(self.horizon, u64::max));
        let offsets: Vec<Offset> = self.rows.iter().map(|row| Offset(row.offset)).collect();
        let mut names = BTreeMap::new();
        let mut notes = Vec::with_capacity(self.rows.len());
        let mut buffers = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let mut buffer = Buffer::new(unique(&mut names, row.name), row.size, row.span);
            buffer.payload = Bytes(row.payload.unwrap_or(row.size).min(row.size));
            buffer.alignment = Bytes(row.alignment.max(1));
            buffers.push(buffer);
            notes.push(row.note);
        }
        let lifetimes = Lifetimes {
            buffers,
            horizon,
            step_names: self.step_names,
            handovers: self.handovers,
            ..Lifetimes::default()
        };
        admit(&lifetimes, Bytes(1))?;
        let reach = reach(&lifetimes, &offsets)?;
        let arena = self.arena.map_or(reach, Bytes);
        if arena < reach {
            warnings.push(Warning::new(
                if self.name.is_empty() {
                    message!("arena")
                } else {
                    self.name.clone()
                },
                message!("{} bytes, but buffers reach {} bytes", arena.0, reach.0),
            ));
        }
        let plan = Plan {
            origin: self.origin.into(),
            offsets,
            arena,
            ..Plan::default()
        };
        let silent = notes.iter().all(|note| *note == Note::default());
        Ok(Arena {
            name: self.name,
            lifetimes,
            plan,
            notes: if silent { Vec::new() } else { notes },
            ..Arena::default()
        })
    }
}

/// `name`, or with a number after it when it is taken.
fn unique(taken: &mut BTreeMap<String, u32>, name: String) -> String {
    let mut chosen = name.clone();
    while taken.contains_key(&chosen) {
        let next = taken.entry(name.clone()).or_insert(0);
        *next += 1;
        chosen = format!("{name} ({next})");
    }
    taken.insert(chosen.clone(), 0);
    chosen
}
