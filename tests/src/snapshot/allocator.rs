//! A caching allocator much like PyTorch's, that writes down all it does.
//!
//! Every byte of a segment lies in exactly one block, which is used, free or, in expandable
//! segments, unmapped. Blocks are split and joined as they are handed out and given back.

use std::collections::BTreeMap;

use super::books::{Books, Entry, Line, Taken};
use super::device::Device;

const MIB: u64 = 1 << 20;
const GRANULE: u64 = 512;
/// Addresses of expandable segments are reserved so far apart.
const REGION: u64 = 1 << 36;

/// How it is configured.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Bytes that the device has.
    pub capacity: u64,
    /// Whether segments grow in place.
    pub expandable: bool,
    /// The largest request that is split off a larger block; `None` for no limit.
    pub max_split: Option<u64>,
    /// Parts from one power of two to the next that sizes are rounded to; 0 for none.
    pub divisions: u64,
    /// Cached blocks are collected above so many thousandths of the capacity; 0 for never.
    pub collect_above: u64,
}

/// What a segment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// Stream.
    pub stream: i64,
    /// Private pool.
    pub pool: (i64, i64),
    /// Whether it is for small blocks.
    pub small: bool,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Handed out, as the books say.
    Used(usize),
    /// Given back, but another stream still uses it.
    Pending(usize),
    /// Free.
    Free,
    /// Not taken from the device.
    Unmapped,
}

/// A run of addresses within a segment.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Bytes.
    pub size: u64,
    /// The segment that it lies in.
    pub segment: usize,
    /// What it is.
    pub state: State,
}

/// One device's allocator.
pub struct Allocator {
    pub(super) settings: Settings,
    /// What it wrote down.
    pub books: Books,
    /// Owners of all segments there ever were.
    pub owners: Vec<Owner>,
    /// All pieces by address.
    pub pieces: BTreeMap<u64, Piece>,
    pub(super) now: Line,
    clock: i64,
    /// The addresses that the device gives out.
    pub device: Device,
    /// How often each private pool was asked for small blocks, and for large ones.
    pub(super) asked: BTreeMap<((i64, i64), bool), u64>,
    /// By address how often that was when a block was given back there last.
    pub(super) since: BTreeMap<u64, u64>,
}

impl Allocator {
    /// An allocator that holds nothing; its device gives out addresses from `base` on.
    #[must_use]
    pub fn new(settings: Settings, base: u64) -> Self {
        Self {
            settings,
            books: Books::default(),
            owners: Vec::new(),
            pieces: BTreeMap::new(),
            now: Line::default(),
            clock: 1_700_000_000_000_000,
            device: Device::new(base),
            asked: BTreeMap::new(),
            since: BTreeMap::new(),
        }
    }

    /// Says that the program begins or ends something.
    pub fn say(&mut self, what: &'static str, stage: &'static str) {
        self.clock += 1;
        self.books.said.push((what, stage, self.clock));
    }

    /// A block of `requested` bytes, as its place in the books; `None` when the device has
    /// too little memory.
    pub fn alloc(
        &mut self,
        requested: u64,
        (stream, pool): (i64, (i64, i64)),
        stack: usize,
    ) -> Option<usize> {
        let size = self.rounded(requested);
        let small = size <= MIB;
        let owner = Owner {
            stream,
            pool,
            small,
        };
        *self.asked.entry((pool, small)).or_default() += 1;
        let mut found = self.best_fit(owner, size);
        if found.is_none() {
            self.collect(stack);
            found = self.grow(owner, size, stack);
        }
        if found.is_none() && self.release_oversize(owner, size, stack) {
            found = self.grow(owner, size, stack);
        }
        // While a private pool is served nothing wholly free goes back.
        if found.is_none() && pool == (0, 0) {
            let before = self.books.entries.len();
            self.empty(stack);
            found = self.grow(owner, size, stack);
            if found.is_none() {
                self.books.emptied.push(before);
            }
        }
        let Some(address) = found else {
            let left = self.settings.capacity - self.now.reserved;
            self.write("oom", (left, size), stream, stack);
            let entry = self.books.entries.last_mut().expect("it was written");
            entry.pool = Some(pool);
            return None;
        };
        let size = self.split(address, size, owner);
        let book = self.books.taken.len();
        self.piece(address).state = State::Used(book);
        self.now.allocated += size;
        self.now.active += size;
        self.now.requested += requested;
        self.write("alloc", (address, requested), stream, stack);
        self.books.taken.push(Taken {
            address,
            size,
            requested,
            alloc: self.books.entries.len() - 1,
            requested_free: None,
            completed_free: None,
            stream,
            pool,
            stack,
        });
        Some(book)
    }

    /// Gives a block back that another stream may still use.
    pub fn request_free(&mut self, book: usize, stack: usize) {
        let taken = self.books.taken[book];
        self.piece(taken.address).state = State::Pending(book);
        self.now.allocated -= taken.size;
        let place = (taken.address, taken.requested);
        self.write("free_requested", place, taken.stream, stack);
        self.books.taken[book].requested_free = Some(self.books.entries.len() - 1);
    }

    /// Nothing uses the block any more.
    pub fn complete_free(&mut self, book: usize, stack: usize) {
        let taken = self.books.taken[book];
        self.now.active -= taken.size;
        self.now.requested -= taken.requested;
        self.piece(taken.address).state = State::Free;
        self.join(taken.address);
        let (&joined, piece) = self
            .pieces
            .range(..=taken.address)
            .next_back()
            .expect("joined");
        let owner = self.owners[piece.segment];
        self.since
            .insert(joined, self.asked[&(owner.pool, owner.small)]);
        let place = (taken.address, taken.requested);
        self.write("free_completed", place, taken.stream, stack);
        self.books.taken[book].completed_free = Some(self.books.entries.len() - 1);
    }

    /// Writes down that there was a request for a snapshot.
    pub fn snapshot(&mut self) {
        self.write("snapshot", (0, self.now.active), 0, 0);
    }

    pub(super) fn write(
        &mut self,
        action: &'static str,
        place: (u64, u64),
        stream: i64,
        stack: usize,
    ) {
        // A kernel runs as long as what it asks for is large; some events come together; and what
        // the device itself does takes long.
        self.clock += match action {
            "free_completed" => 0,
            "alloc" => 4 + i64::try_from(place.1 >> 14).unwrap_or(0),
            "segment_alloc" | "segment_map" => 400,
            "segment_free" | "segment_unmap" => 150,
            _ => 3,
        };
        self.books.entries.push(Entry {
            action,
            address: place.0,
            size: place.1,
            stream,
            pool: None,
            stack,
            time: self.clock,
        });
        self.count_free();
        self.books.lines.push(self.now);
    }

    /// Looks at every piece for what is free.
    fn count_free(&mut self) {
        let free = |piece: &Piece| piece.state == State::Free;
        let used = |piece: &Piece| matches!(piece.state, State::Used(_) | State::Pending(_));
        let pieces = self.pieces.values();
        let sizes = pieces.clone().filter(|it| free(it)).map(|it| it.size);
        self.now.pieces = sizes.clone().count() as u64;
        self.now.largest = sizes.max().unwrap_or(0);
        // Pieces of a segment up to the next that is not there.
        let mut runs: BTreeMap<(usize, usize), (u64, bool)> = BTreeMap::new();
        let mut run = 0;
        for piece in pieces {
            if piece.state == State::Unmapped {
                run += 1;
                continue;
            }
            let (size, in_use) = runs.entry((piece.segment, run)).or_default();
            *size += piece.size;
            *in_use |= used(piece);
        }
        let unused = runs.into_values().filter(|(_, in_use)| !in_use);
        self.now.unused = unused.map(|(size, _)| size).sum();
    }

    pub(super) fn piece(&mut self, address: u64) -> &mut Piece {
        self.pieces.get_mut(&address).expect("a piece starts there")
    }

    /// Up to 512 bytes, or up to the next of the parts between two powers of two.
    fn rounded(&self, size: u64) -> u64 {
        let parts = self.settings.divisions;
        if parts > 1 && size > parts * GRANULE {
            let mut below = GRANULE;
            while below * 2 <= size {
                below *= 2;
            }
            let part = below / parts;
            return below + (size - below).div_ceil(part) * part;
        }
        size.max(1).div_ceil(GRANULE) * GRANULE
    }

    /// The smallest free block of the owner that is large enough, the lowest on ties. One that
    /// can grow counts with all that it can grow to, if a larger one cannot.
    fn best_fit(&self, owner: Owner, size: u64) -> Option<u64> {
        let free = self.pieces.iter().filter(|(_, piece)| {
            piece.state == State::Free && self.owners[piece.segment] == owner && piece.size >= size
        });
        let mut free: Vec<(u64, u64)> = free.map(|(&at, piece)| (piece.size, at)).collect();
        free.sort_unstable();
        let room = |(size, at): (u64, u64)| match self.pieces.get(&(at + size)) {
            Some(next) if next.state == State::Unmapped => size + next.size,
            _ => size,
        };
        let mut free = free.into_iter();
        let mut best = free.next()?;
        if self.settings.expandable {
            for next in free {
                if room(next) >= room(best) {
                    break;
                }
                best = next;
            }
        }
        let whole = match self.settings.max_split {
            // Small requests keep off large blocks, large ones take no far larger block.
            Some(most) if size < most => best.0 < most,
            Some(_) => best.0 < size + 20 * MIB,
            None => true,
        };
        whole.then_some(best.1)
    }

    /// Memory from the device.
    fn grow(&mut self, owner: Owner, size: u64, stack: usize) -> Option<u64> {
        if self.settings.expandable {
            return self.map(owner, size, stack);
        }
        let bytes = match size {
            _ if owner.small => 2 * MIB,
            _ if size < 10 * MIB => 20 * MIB,
            _ => size.div_ceil(2 * MIB) * 2 * MIB,
        };
        if self.now.reserved + bytes > self.settings.capacity {
            return None;
        }
        let address = self.device.address(bytes, &self.pieces);
        let segment = self.owners.len();
        self.owners.push(owner);
        let state = State::Free;
        self.pieces.insert(
            address,
            Piece {
                size: bytes,
                segment,
                state,
            },
        );
        self.now.reserved += bytes;
        self.write("segment_alloc", (address, bytes), owner.stream, stack);
        Some(address)
    }

    /// Cuts the free block at `address` down to `size` bytes, unless the rest is too small.
    fn split(&mut self, address: u64, size: u64, owner: Owner) -> u64 {
        let Piece {
            size: whole,
            segment,
            ..
        } = *self.piece(address);
        let rest = whole - size;
        let cut = if owner.small || self.settings.expandable {
            rest >= GRANULE
        } else {
            self.settings.max_split.is_none_or(|most| size < most) && rest > MIB
        };
        if !cut {
            return whole;
        }
        self.piece(address).size = size;
        let state = State::Free;
        let rest = Piece {
            size: rest,
            segment,
            state,
        };
        self.pieces.insert(address + size, rest);
        size
    }

    /// Joins the piece at `address` with neighbours of its segment in the same state.
    pub(super) fn join(&mut self, address: u64) {
        let same = |a: Piece, b: Piece| a.segment == b.segment && a.state == b.state;
        let here = self.pieces[&address];
        let above = address + here.size;
        if let Some(&next) = self.pieces.get(&above)
            && same(here, next)
        {
            self.pieces.remove(&above);
            self.piece(address).size += next.size;
        }
        let here = self.pieces[&address];
        let below = self.pieces.range(..address).next_back();
        if let Some((&below, &piece)) = below
            && same(piece, here)
        {
            self.pieces.remove(&address);
            self.piece(below).size += here.size;
        }
    }

    /// Pages of an expandable segment come and go in this size.
    pub(super) fn page(owner: Owner) -> u64 {
        if owner.small { 2 * MIB } else { 20 * MIB }
    }

    /// The lowest run of pieces that no buffer uses, with as many pages mapped as it takes.
    fn map(&mut self, owner: Owner, size: u64, stack: usize) -> Option<u64> {
        if !self.owners.contains(&owner) {
            let (state, segment) = (State::Unmapped, self.owners.len());
            self.owners.push(owner);
            let piece = Piece {
                size: REGION,
                segment,
                state,
            };
            self.pieces.insert(self.device.fresh, piece);
            self.device.fresh += REGION + 32 * MIB;
        }
        let (mut start, mut run) = (0, 0);
        for (&address, piece) in &self.pieces {
            let ours = self.owners[piece.segment] == owner;
            if !ours || !matches!(piece.state, State::Free | State::Unmapped) {
                run = 0;
                continue;
            }
            if run == 0 {
                start = address;
            }
            run += piece.size;
            if run >= size {
                break;
            }
        }
        let mut free = 0;
        while free < size {
            free = match self.pieces[&start] {
                piece if piece.state == State::Free => piece.size,
                _ => 0,
            };
            if free >= size {
                break;
            }
            let free_start = start + free;
            let page = Self::page(owner);
            let pages = (size - free).div_ceil(page) * page;
            let pages = pages.min(self.pieces[&free_start].size);
            if self.now.reserved + pages > self.settings.capacity {
                return None;
            }
            let rest = self.pieces[&free_start].size - pages;
            let segment = self.pieces[&free_start].segment;
            if rest > 0 {
                let state = State::Unmapped;
                let piece = Piece {
                    size: rest,
                    segment,
                    state,
                };
                self.pieces.insert(free_start + pages, piece);
            }
            let piece = self.piece(free_start);
            (piece.size, piece.state) = (pages, State::Free);
            self.join(free_start);
            self.now.reserved += pages;
            self.write("segment_map", (free_start, pages), owner.stream, stack);
        }
        Some(start)
    }
}
