//! NAIVE, EQUALITY and GREEDY_IN_ORDER over texture sizes: objects with two, three or four
//! extents instead of bytes, as GPU textures have them (TFLite GPU delegate).

use super::records::{FreeLists, InUse};
use crate::units::Span;

/// A size with several extents.
pub trait TextureSize: Copy + Ord {
    /// Number of elements.
    fn elements(self) -> u128;

    /// Whether an object of this size holds one of the `other` size: no extent is smaller.
    fn covers(self, other: Self) -> bool;
}

impl<const N: usize> TextureSize for [u32; N] {
    fn elements(self) -> u128 {
        let mut product = 1_u128;
        for extent in self {
            product = product.saturating_mul(u128::from(extent));
        }
        product
    }

    fn covers(self, other: Self) -> bool {
        self.iter().zip(&other).all(|(own, wanted)| own >= wanted)
    }
}

/// A texture to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRecord<S> {
    /// Its extents: `[width, height]`, `[width, height, depth]`, or batch, height, width and
    /// channels.
    pub size: S,
    /// When it is live, half-open.
    pub span: Span,
}

/// Which object holds which texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureObjects<S> {
    /// Object of each record.
    pub of_record: Vec<usize>,
    /// Size of each object.
    pub sizes: Vec<S>,
}

impl<S: Copy> TextureObjects<S> {
    fn new() -> Self {
        Self {
            of_record: Vec::new(),
            sizes: Vec::new(),
        }
    }

    fn give(&mut self, size: S, object: Option<usize>) -> usize {
        let object = object.unwrap_or_else(|| {
            self.sizes.push(size);
            self.sizes.len() - 1
        });
        self.of_record.push(object);
        object
    }
}

/// One object per record.
#[must_use]
pub fn naive<S: Copy>(records: &[TextureRecord<S>]) -> TextureObjects<S> {
    let mut objects = TextureObjects::new();
    for record in records {
        objects.give(record.size, None);
    }
    objects
}

/// Objects reused for exactly equal extents, the most recently freed first. TFLite does so
/// for four extents. `records` stand in order of first use.
#[must_use]
pub fn equality_by_list<S: TextureSize>(records: &[TextureRecord<S>]) -> TextureObjects<S> {
    let mut objects = TextureObjects::new();
    let mut free = FreeLists::new();
    let mut in_use = InUse::default();
    for record in records {
        while let Some(object) = in_use.release(record.span.start.0) {
            free.give(objects.sizes[object], object);
        }
        let object = objects.give(record.size, free.take(&record.size));
        in_use.add(record.span.end.0, object);
    }
    objects
}

/// Objects reused for exactly equal extents, the lowest index first. TFLite does so for two
/// and three extents. `records` stand in order of first use.
#[must_use]
pub fn equality_by_scan<S: TextureSize>(records: &[TextureRecord<S>]) -> TextureObjects<S> {
    let mut objects: TextureObjects<S> = TextureObjects::new();
    let mut free_from: Vec<u64> = Vec::new();
    for record in records {
        let suits = |&object: &usize| {
            objects.sizes[object] == record.size && free_from[object] <= record.span.start.0
        };
        let found = (0..free_from.len()).find(suits);
        let object = objects.give(record.size, found);
        free_from.resize(objects.sizes.len(), 0);
        free_from[object] = record.span.end.0;
    }
    objects
}

/// Records in order of first use, each into the free object that covers it and whose number
/// of elements is closest to its own, the one freed first on ties. Objects never grow.
#[must_use]
pub fn greedy_in_order<S: TextureSize>(records: &[TextureRecord<S>]) -> TextureObjects<S> {
    let mut objects: TextureObjects<S> = TextureObjects::new();
    let mut free: Vec<usize> = Vec::new();
    let mut in_use = InUse::default();
    for record in records {
        while let Some(object) = in_use.release(record.span.start.0) {
            free.push(object);
        }
        let wanted = record.size.elements();
        let covering = (0..free.len()).filter(|&at| objects.sizes[free[at]].covers(record.size));
        let closest =
            covering.min_by_key(|&at| objects.sizes[free[at]].elements().abs_diff(wanted));
        let object = objects.give(record.size, closest.map(|at| free.remove(at)));
        in_use.add(record.span.end.0, object);
    }
    objects
}
