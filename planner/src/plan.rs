//! A plan: one offset per buffer, the arena size, the shared objects if any. No algorithm.

mod segments;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::units::{Bytes, Offset};

pub use segments::{Mapped, Segment, Segments};

/// Where every buffer of a [`Lifetimes`](crate::liveness::Lifetimes) lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What made it.
    pub origin: Origin,
    /// One offset per buffer, in the buffers' order.
    pub offsets: Vec<Offset>,
    /// Size of the arena: no buffer ends beyond it.
    pub arena: Bytes,
    /// The shared objects, for strategies that assign buffers to objects.
    pub objects: Option<Objects>,
    /// The pools that the arena is made of, one after the other; `None` for one pool
    /// without a limit.
    #[serde(default)]
    pub pools: Option<Pools>,
    /// What the strategy proved beside its plan: no plan of offsets has a smaller arena.
    /// Never taken from a file.
    #[serde(default)]
    pub proved: Option<Bytes>,
    /// Why the search of this strategy can prove no more than that, however long it goes on;
    /// `None` for a plan that is proved, and for strategies that prove nothing. Never taken
    /// from a file.
    #[serde(default)]
    pub unsearched: Option<Unsearched>,
    /// The most bytes that an allocator held from the device at a time to give out the arena,
    /// when it takes memory in segments: what a replay of one as a strategy took, or what a
    /// trace says that a real one took. A plan JSON that has less than is live is not believed.
    #[serde(default)]
    pub reserved: Option<Bytes>,
    /// The segments that it lies in; `None` where it is one address space.
    #[serde(default)]
    pub segments: Option<Segments>,
    /// Whether the file lists the largest buffers only: what the arena has beyond them is in use,
    /// too. Nothing is said of how good such a plan is.
    #[serde(default)]
    pub partial: bool,
    /// What the file itself says of bytes of the arena that no buffer has.
    #[serde(default)]
    pub stated: Stated,
}

/// Bytes of an arena that no buffer has, as a file says it that lists the largest ones only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// Between buffers.
    pub fragmentation: Bytes,
    /// Kept by the system.
    pub reserved: Bytes,
}

impl Stated {
    /// Both.
    #[must_use]
    pub fn sum(self) -> Bytes {
        Bytes(self.fragmentation.0.saturating_add(self.reserved.0))
    }
}

impl Plan {
    /// End of all that it has: of the arena, or of the segments where they reach beyond the
    /// highest block.
    #[must_use]
    pub fn top(&self) -> Bytes {
        let segments = self.segments.iter().flat_map(|it| &it.list);
        let highest = segments.map(|it| Bytes(it.high.0)).max();
        highest.map_or(self.arena, |highest| highest.max(self.arena))
    }

    /// Its pools, if there are several and every buffer lies in one of them, as a valid plan has
    /// it: each is a memory of its own.
    #[must_use]
    pub fn memories(&self) -> Option<&Pools> {
        let pools = self.pools.as_ref()?;
        let count = pools.bases.len();
        let whole = count == pools.sizes.len() && pools.of_buffer.len() == self.offsets.len();
        let known = pools.of_buffer.iter().all(|&pool| (pool as usize) < count);
        Some(pools).filter(|_| count > 1 && whole && known)
    }
}

/// What made a plan. In files and messages it is one string, as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Origin {
    /// As it is, by a strategy of this name, a toolchain, or what a file says.
    Maker(String),
    /// Changed by hand after it was made so.
    Edited(Box<Self>),
}

/// What ends the string of a plan that was changed by hand.
const EDITED: &str = " (edited)";

impl Origin {
    /// What made the plan before anything was changed by hand.
    #[must_use]
    pub fn maker(&self) -> &str {
        match self {
            Self::Maker(name) => name,
            Self::Edited(before) => before.maker(),
        }
    }

    /// The same, changed by hand: said once, however often that was.
    #[must_use]
    pub fn edited(&self) -> Self {
        Self::Edited(Box::new(Self::Maker(self.maker().into())))
    }
}

impl Default for Origin {
    fn default() -> Self {
        Self::Maker(String::new())
    }
}

impl From<String> for Origin {
    fn from(text: String) -> Self {
        let made = text.trim_end_matches(EDITED);
        let edits = (text.len() - made.len()) / EDITED.len();
        let maker = Self::Maker(made.into());
        (0..edits).fold(maker, |before, _| Self::Edited(Box::new(before)))
    }
}

impl From<&str> for Origin {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Maker(name) => f.write_str(name),
            Self::Edited(before) => write!(f, "{before}{EDITED}"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a search leaves valid plans out, so that it cannot prove what they would need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsearched {
    /// Buffers may be handed over and then overlap.
    Handovers,
    /// Pauses leave windows of buffers that may interleave.
    Windows,
    /// It is not searched which buffer goes into which pool.
    Pools,
    /// There are too many buffers, or pairs of them that meet.
    Large,
}

/// Pools laid end to end in one arena, and which buffer lies where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pools {
    /// What the pools are, as given to the strategy: name and capacity of each, in
    /// the order of [`Options::pools`].
    pub declared: Vec<Pool>,
    /// First byte of each pool in the arena, in the order of [`Options::pools`].
    pub bases: Vec<Offset>,
    /// Bytes used of each pool.
    pub sizes: Vec<Bytes>,
    /// Index of the pool that holds each buffer, in the buffers' order.
    pub of_buffer: Vec<u32>,
}

/// Shared objects laid end to end in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objects {
    /// Size of each object.
    pub sizes: Vec<Bytes>,
    /// Start of each object in the arena: the sum of the sizes before it.
    pub offsets: Vec<Offset>,
    /// Index of the object that holds each buffer, in the buffers' order.
    pub of_buffer: Vec<u32>,
}

/// What a plan must respect beside its lifetimes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Every block starts at a multiple of this many bytes.
    pub alignment: Bytes,
    /// The memories to plan for, the fastest first; empty for one without a limit.
    pub pools: Vec<Pool>,
    /// How long strategies that search may search.
    pub effort: Effort,
    /// The most bytes that the device gives in one allocation; `None` for no such limit. Only
    /// `ggml_gallocr` looks at it.
    #[serde(default)]
    pub largest_allocation: Option<Bytes>,
}

/// One memory, such as an SRAM beside a DRAM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// What people call it.
    pub name: String,
    /// Bytes that it has; `None` for no limit.
    pub capacity: Option<Bytes>,
}

/// How long strategies that search may search, in units of work, so that equal effort gives
/// equal plans on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// The most nodes of the exact search.
    pub nodes: u64,
    /// The most moves of a local search.
    pub moves: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Effort {
    /// What is done unless more is asked for.
    pub const DEFAULT: Self = Self {
        nodes: 4_000_000,
        moves: 20_000,
    };
}

impl Options {
    /// One pool without a limit, blocks at multiples of `alignment`.
    #[must_use]
    pub const fn aligned(alignment: Bytes) -> Self {
        Self {
            alignment,
            pools: Vec::new(),
            effort: Effort::DEFAULT,
            largest_allocation: None,
        }
    }
}
