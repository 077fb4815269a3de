//! What every sentence of a film is made with: names, addresses and lists in the language of
//! the page.

use crate::state::film::Still;
use planner::trace::{Frame, Note, Reason, Search};
use planner::{Bytes, Family, Lifetimes, Offset, Strategy};

use crate::format::{bytes, exact};
use crate::strings::{FilmWord as W, Language, filled};

/// Says what happens at a step of a film.
pub(super) struct Narrator<'a> {
    pub(super) language: Language,
    pub(super) lifetimes: &'a Lifetimes,
    pub(super) still: &'a Still,
    /// Whose film it is.
    pub(super) strategy: Option<Strategy>,
    /// Whether it is of shared objects.
    pub(super) objects: bool,
}

impl Narrator<'_> {
    /// The decision that is explained, and its number among those that are kept; none at the start.
    pub(super) fn frame(&self) -> Option<(usize, &Frame)> {
        let frame = self.still.step.checked_sub(1)?;
        Some((frame, self.still.recording.trace.frames().get(frame)?))
    }

    /// What the strategy noted of the decision that is explained.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let frame = self.still.step.checked_sub(1);
        let reasons = frame.map_or(&[][..], |frame| self.still.recording.trace.reasons(frame));
        reasons.iter().filter_map(|reason| match *reason {
            Reason::Note(note) => Some(note),
            Reason::FreeRange { .. } | Reason::Object { .. } => None,
        })
    }

    /// "b7, 401,408 B: …; ….".
    pub(super) fn about(&self, buffer: usize, clauses: &[String]) -> String {
        let clauses = clauses.join(self.str(W::Next));
        self.fill(
            W::About,
            &[&self.name(buffer), &self.size(buffer), &clauses],
        )
    }

    pub(super) fn name(&self, buffer: usize) -> String {
        let known = self.lifetimes.buffers.get(buffer);
        known.map(|known| known.name.clone()).unwrap_or_default()
    }

    /// The bytes of a buffer.
    pub(super) fn size(&self, buffer: usize) -> String {
        bytes(self.bytes(buffer).0)
    }

    pub(super) fn bytes(&self, buffer: usize) -> Bytes {
        let known = self.lifetimes.buffers.get(buffer);
        known.map_or(Bytes::ZERO, |known| known.size)
    }

    /// The name of a pool; none where there is only one.
    pub(super) fn pool_name(&self, pool: usize) -> Option<&str> {
        let pool = self.still.recording.trace.pools.get(pool)?;
        Some(&pool.name)
    }

    /// An address of the arena, in the pool of `buffer` where there are several.
    pub(super) fn address(&self, buffer: usize, offset: Offset) -> String {
        self.address_in(self.still.layout.pool(buffer), offset)
    }

    /// Addresses that are held against each other.
    pub(super) fn addresses<const N: usize>(
        &self,
        buffer: usize,
        offsets: [Offset; N],
    ) -> [String; N] {
        let pool = self.still.layout.pool(buffer);
        let base = match self.pool_name(pool) {
            Some(_) => self.still.layout.base(pool).0,
            None => 0,
        };
        let within = apart(offsets.map(|offset| offset.0.saturating_sub(base)));
        match self.pool_name(pool) {
            Some(name) => within.map(|within| self.fill(W::InPool, &[&within, name])),
            None => within,
        }
    }

    /// An address of the arena as one of `pool`.
    pub(super) fn address_in(&self, pool: usize, offset: Offset) -> String {
        let Some(name) = self.pool_name(pool) else {
            return address(offset);
        };
        let base = self.still.layout.base(pool);
        let within = address(Offset(offset.0.saturating_sub(base.0)));
        self.fill(W::InPool, &[&within, name])
    }

    /// Where the strategy looks for places, as it said last.
    pub(super) fn search(&self) -> Option<Search> {
        let frames = self.still.recording.trace.frames();
        let known = frames.get(..self.still.step).unwrap_or(frames);
        let choice = known.iter().rev().find_map(|frame| frame.choice)?;
        Some(choice.search)
    }

    /// Whether it looks elsewhere than into the free ranges that the placed buffers leave.
    pub(super) fn searches_free_ranges(&self) -> bool {
        self.search().is_none_or(|search| search.is_free_ranges())
    }

    /// Whether the strategy gives out free blocks, not free ranges.
    pub(super) fn gives_blocks(&self) -> bool {
        self.strategy
            .is_some_and(|strategy| strategy.description().family == Family::Online)
    }

    pub(super) fn of_model(&self, offsets: W, objects: W) -> W {
        if self.objects { objects } else { offsets }
    }

    pub(super) fn fill(&self, word: W, values: &[&str]) -> String {
        filled(self.str(word), values)
    }

    pub(super) fn str(&self, word: W) -> &'static str {
        word.in_language(self.language)
    }

    pub(super) fn word(&self, word: W) -> String {
        self.str(word).to_owned()
    }

    /// "a, b and c".
    pub(super) fn list(&self, parts: &[String], last_by: W) -> String {
        match parts.split_last() {
            Some((last, others)) if !others.is_empty() => {
                let others = others.join(self.str(W::List));
                format!("{others}{}{last}", self.str(last_by))
            }
            _ => parts.concat(),
        }
    }
}

/// An address in the unit of the picture's axis.
pub(super) fn address(offset: Offset) -> String {
    bytes(offset.0)
}

/// Sizes that are held against each other: all to the byte where two of them would look alike
/// and are not.
pub(super) fn apart<const N: usize>(sizes: [u64; N]) -> [String; N] {
    let texts = sizes.map(bytes);
    let alike = |a: usize, b: usize| texts[a] == texts[b] && sizes[a] != sizes[b];
    match (0..N).any(|a| (0..a).any(|b| alike(a, b))) {
        true => sizes.map(exact),
        false => texts,
    }
}
