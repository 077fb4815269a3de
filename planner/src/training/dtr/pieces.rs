//! The addresses of a device as pieces in their order, each free or a storage's. Free pieces that
//! touch are one.

use std::collections::BTreeMap;

use crate::units::Bytes;

/// A device without an end.
const ENDLESS: u64 = 1 << 62;
/// What small storages take at most, and how many bytes there are for them at the end.
const SMALL: u64 = 10 << 10;
const SMALL_AREA: u64 = 1024 * SMALL;
/// A device of at least so many areas for small storages has one, and its pieces are multiples of
/// 512 bytes, as `OneFlow` has it. On a smaller one, which is a drawing, every byte counts.
const LARGE: u64 = 16 * SMALL_AREA;
const GRANULE: u64 = 512;

/// At which end of a free piece a storage lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Low,
    High,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) size: u64,
    /// Whose it is; `None` for a free one.
    pub(super) storage: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Pieces {
    by_start: BTreeMap<u64, Piece>,
    starts: BTreeMap<usize, u64>,
    granule: u64,
    /// Where the area for small storages begins.
    small_from: u64,
}

impl Pieces {
    /// All of a device, free; perhaps with an area for small storages.
    pub(super) fn new(device: Option<Bytes>, wants_area: bool) -> Self {
        let end = device.map_or(ENDLESS, |bytes| bytes.0.min(ENDLESS));
        let large = device.is_some() && end >= LARGE;
        let granule = if large { GRANULE } else { 1 };
        let end = end / granule * granule;
        let area = if large && wants_area { SMALL_AREA } else { 0 };
        let mut pieces = Self {
            by_start: BTreeMap::new(),
            starts: BTreeMap::new(),
            granule,
            small_from: end - area,
        };
        pieces.insert(0, end - area, None);
        pieces.insert(end - area, area, None);
        pieces
    }

    fn insert(&mut self, start: u64, size: u64, storage: Option<usize>) {
        if size > 0 {
            let piece = Piece {
                start,
                size,
                storage,
            };
            self.by_start.insert(start, piece);
        }
    }

    /// The pieces beside the area for small storages, by address.
    pub(super) fn normal(&self) -> impl Iterator<Item = Piece> {
        self.by_start
            .range(..self.small_from)
            .map(|(_, piece)| *piece)
    }

    /// Where a storage begins.
    pub(super) fn start(&self, storage: usize) -> Option<u64> {
        self.starts.get(&storage).copied()
    }

    /// The bytes that so many take; as many as can be beyond 64 bits.
    pub(super) fn rounded(&self, bytes: u64) -> u64 {
        bytes
            .checked_next_multiple_of(self.granule)
            .unwrap_or(u64::MAX)
    }

    /// Gives `storage` as many bytes of the smallest free piece that has them, the lowest of
    /// several; small ones of their own area first. Its first byte; `None` where there is none.
    pub(super) fn take(&mut self, storage: usize, bytes: u64, side: Side) -> Option<u64> {
        let size = self.rounded(bytes);
        let fits = |piece: &Piece| piece.storage.is_none() && piece.size >= size;
        let least = |pieces: &mut dyn Iterator<Item = Piece>| {
            let fitting = pieces.filter(fits);
            fitting.min_by_key(|piece| (piece.size, piece.start))
        };
        let area = self.by_start.range(self.small_from..);
        let small = match size <= SMALL {
            true => least(&mut area.map(|(_, piece)| *piece)),
            false => None,
        };
        let free = small.or_else(|| least(&mut self.normal()))?;
        let start = match side {
            Side::Low => free.start,
            Side::High => free.start + free.size - size,
        };
        self.by_start.remove(&free.start);
        self.insert(free.start, start - free.start, None);
        self.insert(start, size, Some(storage));
        let end = start + size;
        self.insert(end, free.start + free.size - end, None);
        self.starts.insert(storage, start);
        Some(start)
    }

    /// Takes back what `storage` has.
    pub(super) fn free(&mut self, storage: usize) {
        let own = self.starts.remove(&storage);
        let Some(mut piece) = own.and_then(|start| self.by_start.remove(&start)) else {
            return;
        };
        let (below, above) = self.around(piece);
        for free in [below, above].into_iter().flatten() {
            self.by_start.remove(&free.start);
            piece.start = piece.start.min(free.start);
            piece.size += free.size;
        }
        self.insert(piece.start, piece.size, None);
    }

    /// The free pieces that touch one of the same area.
    fn around(&self, piece: Piece) -> (Option<Piece>, Option<Piece>) {
        let end = piece.start + piece.size;
        let is_normal = piece.start < self.small_from;
        let same = |it: &Piece| it.storage.is_none() && (it.start < self.small_from) == is_normal;
        let below = self.by_start.range(..piece.start).next_back();
        let below = below.map(|(_, it)| *it);
        let above = self.by_start.get(&end).copied();
        (below.filter(same), above.filter(same))
    }

    /// The bytes of a storage and the free ones on both sides of it.
    pub(super) fn room(&self, storage: usize) -> u64 {
        let piece = self.start(storage).and_then(|at| self.by_start.get(&at));
        piece.map_or(0, |piece| {
            let (below, above) = self.around(*piece);
            let free = [below, above].into_iter().flatten();
            piece.size + free.map(|it| it.size).sum::<u64>()
        })
    }

    /// Moves all together to the lower end, in their order: what moved.
    pub(super) fn compact(&mut self) -> Vec<Piece> {
        let taken: Vec<Piece> = self.normal().filter(|it| it.storage.is_some()).collect();
        let mut moved = Vec::new();
        let mut at = 0;
        let area = self.by_start.split_off(&self.small_from);
        self.by_start = area;
        for piece in taken {
            self.insert(at, piece.size, piece.storage);
            if let Some(storage) = piece.storage.filter(|_| piece.start != at) {
                self.starts.insert(storage, at);
                moved.push(Piece { start: at, ..piece });
            }
            at += piece.size;
        }
        self.insert(at, self.small_from - at, None);
        moved
    }
}
