//! Offsets as ggml's graph allocator gives them. Source: ggml, `src/ggml-alloc.c`,
//! `ggml_dyn_tallocr_alloc` and `ggml_gallocr_alloc_graph_impl`.
//!
//! Buffers come and go in the order of execution, sizes rounded up to the alignment. A request
//! looks into the free blocks of each chunk but its last one and takes the smallest that holds
//! it; the highest of equally small ones wins, and a fit in a later chunk wins over any in an
//! earlier one, as the best size is forgotten from chunk to chunk. Otherwise it takes the end of
//! a chunk: the one that need not grow and is left with least, else the one that grows least.
//! Where no end has room, a new chunk is opened. A freed block merges with its neighbours.
//!
//! A chunk is one allocation of the device. Without
//! [`largest_allocation`](crate::plan::Options::largest_allocation) there is one. The sixteenth
//! is not limited. Chunks are laid end to end in the arena, each as large as it was ever used.
//!
//! What ggml knows of a graph (views, operators in place, inputs first, outputs never freed) is in
//! the lifetimes: passes `views=ggml` and `in_place=ggml`, inputs and outputs
//! [as in ggml](crate::settings::Io::Ggml). It gives up at more than 256 free blocks in a chunk;
//! this goes on.

use alloc::vec;
use alloc::vec::Vec;

use super::megengine::joint_alignment;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::{InUse, Record, in_order};
use crate::strategies::{Note, Observer, PlanError, Search, Strategy, Taken, overflow};
use crate::units::{Bytes, Offset};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "ggml_gallocr",
    source: "ggml, ggml_gallocr",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// The most chunks of one allocator (`GGML_VBUFFER_MAX_CHUNKS`).
const MOST_CHUNKS: usize = 16;

/// Bytes of a chunk that nothing limits (`SIZE_MAX / 2`).
const UNLIMITED: u64 = u64::MAX / 2;

/// Allocates and frees as the steps go by, then says where everything came to lie.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = in_order(lifetimes);
    let alignment = Bytes(joint_alignment(lifetimes, options, &records)?);
    let largest = options.largest_allocation;
    let mut chunks = Chunks {
        list: Vec::new(),
        most: largest.map_or(UNLIMITED, |it| it.0.min(UNLIMITED)),
    };
    let overflow = |record: &Record| overflow(&lifetimes.buffers[record.buffer]);
    let mut in_use = InUse::default();
    let mut found: Vec<(Place, u64)> = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        while let Some(ended) = in_use.release(record.start) {
            let (place, size) = found[ended];
            chunks.free(place, size);
        }
        let size = Bytes(record.size).align_up(alignment);
        let size = size.ok_or_else(|| overflow(record))?.0;
        let place = chunks.allocate(size).ok_or_else(|| overflow(record))?;
        found.push((place, size));
        in_use.add(record.end, index);
    }
    let bases = chunks.bases().ok_or_else(|| overflow(&records[0]))?;
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut opened = vec![false; bases.len()];
    for (record, (place, size)) in records.iter().zip(found) {
        let (chunk, base) = (place.chunk, bases[place.chunk]);
        let used = chunks.list[chunk].used;
        if !opened[chunk] && largest.is_some() {
            let (range, from, size) = (chunk, Offset(base), Bytes(used));
            layout.note(record, Note::Opened { range, from, size })?;
        }
        opened[chunk] = true;
        let from = Offset(base.saturating_add(place.start));
        let taken = match (place.hole, largest) {
            (Some(hole), _) => Taken::Range {
                from,
                size: Bytes(hole),
            },
            (None, None) => Taken::Open,
            (None, Some(_)) => {
                let size = Bytes(used.saturating_sub(place.start));
                Taken::Range { from, size }
            }
        };
        layout.chosen(record, Search::Chunks, taken)?;
        layout.held(record, size)?;
        layout.put_held(record, from.0)?;
    }
    Ok(layout.into_plan(Strategy::GgmlGallocr))
}

/// Where a request came to lie.
#[derive(Clone, Copy)]
struct Place {
    chunk: usize,
    /// Its first byte, from that of the chunk.
    start: u64,
    /// The bytes of the free block that it took; `None` for the end of the chunk.
    hole: Option<u64>,
}

#[derive(Clone, Copy)]
struct Block {
    start: u64,
    size: u64,
}

/// One allocation of the device.
struct Chunk {
    /// By address; no two touch.
    free: Vec<Block>,
    /// The highest end that was ever in use.
    used: u64,
}

struct Chunks {
    list: Vec<Chunk>,
    /// Bytes of a chunk at most, unless one request needs more.
    most: u64,
}

impl Chunks {
    /// A place for `size` bytes; `None` where no chunk could hold them.
    fn allocate(&mut self, size: u64) -> Option<Place> {
        let hole = self.best_hole(size);
        let (chunk, index) = match hole.or_else(|| self.best_end(size)) {
            Some(found) => found,
            None => self.open(size)?,
        };
        let into = &mut self.list[chunk];
        let block = &mut into.free[index];
        let (start, whole) = (block.start, block.size);
        block.start = start.checked_add(size)?;
        block.size = whole.checked_sub(size)?;
        if block.size == 0 {
            into.free.remove(index);
        }
        into.used = into.used.max(start + size);
        Some(Place {
            chunk,
            start,
            hole: hole.map(|_| whole),
        })
    }

    /// The best fit before the last block of a chunk. The best size is that of one chunk, and the
    /// last of equally small blocks wins.
    fn best_hole(&self, size: u64) -> Option<(usize, usize)> {
        let mut best = None;
        for (index, chunk) in self.list.iter().enumerate() {
            let mut least = u64::MAX;
            let holes = chunk.free.split_last().map_or(&[][..], |(_, holes)| holes);
            for (hole, block) in holes.iter().enumerate() {
                if (size..=least).contains(&block.size) {
                    least = block.size;
                    best = Some((index, hole));
                }
            }
        }
        best
    }

    /// The last block of the chunk that need not grow and is left with least, else of the one that
    /// grows least; the first on ties.
    fn best_end(&self, size: u64) -> Option<(usize, usize)> {
        let mut best: Option<((bool, i128), (usize, usize))> = None;
        for (index, chunk) in self.list.iter().enumerate() {
            let Some(end) = chunk.free.last().filter(|end| end.size >= size) else {
                continue;
            };
            let left = i128::from(chunk.used) - i128::from(end.start) - i128::from(size);
            let rank = (left < 0, left.abs());
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, (index, chunk.free.len() - 1)));
            }
        }
        best.map(|(_, found)| found)
    }

    /// A new chunk with room for `size` bytes.
    fn open(&mut self, size: u64) -> Option<(usize, usize)> {
        let most = match self.list.len() + 1 {
            count if count > MOST_CHUNKS => return None,
            MOST_CHUNKS => UNLIMITED,
            _ => self.most.max(size),
        };
        let size = most;
        let free = vec![Block { start: 0, size }];
        self.list.push(Chunk { free, used: 0 });
        Some((self.list.len() - 1, 0))
    }

    /// Frees `size` bytes at `place`, and merges them with the free blocks that touch them.
    fn free(&mut self, place: Place, size: u64) {
        let free = &mut self.list[place.chunk].free;
        let (mut start, mut end) = (place.start, place.start + size);
        let mut at = free.partition_point(|block| block.start < start);
        if let Some(below) = at.checked_sub(1).map(|below| free[below])
            && below.start + below.size == start
        {
            at -= 1;
            start = below.start;
            free.remove(at);
        }
        if let Some(above) = free.get(at).filter(|above| above.start == end) {
            end = above.start + above.size;
            free.remove(at);
        }
        let size = end - start;
        free.insert(at, Block { start, size });
    }

    /// The first byte of each chunk where they lie end to end.
    fn bases(&self) -> Option<Vec<u64>> {
        let mut top = 0_u64;
        let mut base = |chunk: &Chunk| {
            let base = top;
            top = top.checked_add(chunk.used)?;
            Some(base)
        };
        self.list.iter().map(&mut base).collect()
    }
}
