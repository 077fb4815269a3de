//! Who lies where at a step of a film.

use super::{Change, Film};
use crate::liveness::Lifetimes;
use crate::strategies::objects::least_common_multiple;
use crate::units::{Bytes, Offset};

/// Where a placed buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this address.
    At(Offset),
    /// In the shared object of this index.
    In(usize),
}

/// Everything that is placed after some number of a film's kept decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    places: Vec<Option<Place>>,
    objects: Vec<Bytes>,
    shown: usize,
}

/// A picture as addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// One address per buffer; `None` for those that are not placed.
    pub offsets: Vec<Option<Offset>>,
    /// Address and size of each shared object, laid end to end.
    pub objects: Vec<(Offset, Bytes)>,
    /// The first byte behind everything.
    pub arena: Bytes,
}

impl Picture {
    /// Nothing placed of `buffers` buffers.
    #[must_use]
    pub fn new(buffers: usize) -> Self {
        Self {
            places: vec![None; buffers],
            objects: Vec::new(),
            shown: 0,
        }
    }

    /// Shows `film` after its first `decisions` kept decisions. Going forward costs what
    /// changes; going back begins anew.
    pub fn show(&mut self, film: &Film, decisions: usize) {
        let decisions = decisions.min(film.frames().len());
        if decisions < self.shown {
            *self = Self::new(self.places.len());
        }
        for frame in self.shown..decisions {
            for &change in film.changes(frame) {
                self.change(change);
            }
        }
        self.shown = decisions;
    }

    /// Where each buffer lies, if it is placed.
    #[must_use]
    pub fn places(&self) -> &[Option<Place>] {
        &self.places
    }

    /// Size of each shared object.
    #[must_use]
    pub fn objects(&self) -> &[Bytes] {
        &self.objects
    }

    pub(super) fn change(&mut self, change: Change) {
        let (buffer, place) = match change {
            Change::Clear => {
                self.places.fill(None);
                self.objects.clear();
                return;
            }
            Change::Object(object, size) => {
                let object = object as usize;
                // Objects are numbered as they are opened; a film that skips numbers far
                // ahead was spoiled on its way.
                if object > self.objects.len() + self.places.len() {
                    return;
                }
                if object >= self.objects.len() {
                    self.objects.resize(object + 1, Bytes::ZERO);
                }
                self.objects[object] = size;
                return;
            }
            Change::At(buffer, offset) => (buffer, Some(Place::At(offset))),
            Change::In(buffer, object) => (buffer, Some(Place::In(object as usize))),
            Change::Out(buffer) => (buffer, None),
        };
        if let Some(known) = self.places.get_mut(buffer as usize) {
            *known = place;
        }
    }

    /// The addresses, with blocks at multiples of `alignment` or of what they ask for
    /// themselves, and objects laid end to end as in a finished plan. Sums beyond 64 bits
    /// are shown as the largest number.
    #[must_use]
    pub fn layout(&self, lifetimes: &Lifetimes, alignment: Bytes) -> Layout {
        let mut alignments = vec![1_u64; self.objects.len()];
        for (buffer, place) in lifetimes.buffers.iter().zip(&self.places) {
            if let Some(Place::In(object)) = place
                && let Some(joint) = alignments.get_mut(*object)
            {
                let own = buffer.alignment.max(alignment).max(Bytes(1));
                *joint = least_common_multiple(*joint, own.0).unwrap_or(u64::MAX);
            }
        }
        let mut objects = Vec::with_capacity(self.objects.len());
        let mut end = Offset(0);
        for (&size, &alignment) in self.objects.iter().zip(&alignments) {
            let start = end.align_up(Bytes(alignment)).unwrap_or(Offset(u64::MAX));
            objects.push((start, size));
            end = start.end(size).unwrap_or(Offset(u64::MAX));
        }
        let mut arena = end;
        let offset = |place: &Option<Place>| match *place {
            Some(Place::At(offset)) => Some(offset),
            Some(Place::In(object)) => objects.get(object).map(|known| known.0),
            None => None,
        };
        let offsets: Vec<Option<Offset>> = self.places.iter().map(offset).collect();
        for (buffer, offset) in lifetimes.buffers.iter().zip(&offsets) {
            if let Some(end) = offset.and_then(|offset| offset.end(buffer.size)) {
                arena = arena.max(end);
            }
        }
        Layout {
            offsets,
            objects,
            arena: Bytes(arena.0),
        }
    }
}
