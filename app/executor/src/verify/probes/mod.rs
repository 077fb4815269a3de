//! The kernels that watch a run. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name, its CPU reference. They count with atomic integers, which is repeatable.

mod arm;
mod diff;
mod hash;
mod look;
mod prefill;
mod extent;

use bytemuck::{Pod, Zeroable};

/// What every probe's shader begins with.
const SHARED: &str = include_str!("../../../shaders/probes.wgsl");
/// The arena and its shadow as words.
const WORDS: &str = include_str!("../../../shaders/words.wgsl");
/// The arena and its shadow as quads of words.
const QUADS: &str = include_str!("../../../shaders/quads.wgsl");

/// A kernel that watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// Writes a pattern.
    Fill,
    /// Two sums over a range. Results: 2 words.
    Hash,
    /// Compares arena and shadow. Results: words changed outside, the complement of the first
    /// address, words unwritten, the complement of the first, the end of the highest change.
    Diff,
    /// What of a live tensor was written. Results: words, the complement of the first address.
    Look,
    /// Compares arena and shadow, then writes a pattern. Results: words that had changed.
    Arm,
    /// What was written of a range that was declared. Results: as of [`Probe::Diff`].
    Extent,
}

/// What a probe is to do, as its shader declares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ProbeParams {
    /// First word of the arena.
    pub first: u32,
    /// Number of words.
    pub words: u32,
    /// What was or is filled in.
    pub pattern: u32,
    /// First word of its results.
    pub slot: u32,
    /// Where the declared ranges begin in the table.
    pub ranges: u32,
    /// How many there are: three words each, start, end, and 1 if filled or 2 if not.
    pub count: u32,
    /// 0 fills the arena, 1 its shadow; when arming, 1 fills nothing; when settling, 0 was
    /// filled, 1 was not, and 2 makes the shadow.
    pub into: u32,
    /// Unused, for the alignment.
    pub pad: u32,
}

/// One use of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Which.
    pub probe: Probe,
    /// To do what.
    pub params: ProbeParams,
}

/// The memory that probes see on the CPU.
#[derive(Debug)]
pub struct Sight<'a> {
    /// The arena.
    pub arena: &'a mut [u32],
    /// As it was before the step.
    pub shadow: &'a mut [u32],
    /// Counters.
    pub results: &'a mut [u32],
    /// Declared ranges.
    pub table: &'a [u32],
}

impl Probe {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Hash => "hash",
            Self::Diff => "diff",
            Self::Look => "look",
            Self::Arm => "arm",
            Self::Extent => "extent",
        }
    }

    /// Whether it walks over quads of words, and is compiled for each value of [`ProbeParams::into`].
    #[must_use]
    pub fn walks_quads(self) -> bool {
        matches!(self, Self::Arm | Self::Extent)
    }

    /// The whole WGSL module: for an arena of whole quads and ranges that begin with one if `quads`
    /// says so, else for any.
    #[must_use]
    pub fn source(self, quads: bool) -> String {
        let memory = if quads { QUADS } else { WORDS };
        let own = match self {
            Self::Fill => include_str!("../../../shaders/prefill.wgsl"),
            Self::Hash => include_str!("../../../shaders/hash.wgsl"),
            Self::Diff => include_str!("../../../shaders/diff.wgsl"),
            Self::Look => include_str!("../../../shaders/look.wgsl"),
            Self::Arm => include_str!("../../../shaders/arm.wgsl"),
            Self::Extent => include_str!("../../../shaders/extent.wgsl"),
        };
        format!("{SHARED}\n{memory}\n{own}")
    }
}

impl Use {
    /// Does it on the CPU.
    pub fn reference(&self, sight: &mut Sight<'_>) {
        match self.probe {
            Probe::Fill => prefill::reference(&self.params, sight),
            Probe::Hash => hash::reference(&self.params, sight),
            Probe::Diff => diff::reference(&self.params, sight),
            Probe::Look => look::reference(&self.params, sight),
            Probe::Arm => arm::reference(&self.params, sight),
            Probe::Extent => extent::reference(&self.params, sight),
        }
    }
}

impl ProbeParams {
    /// What the range is to the step: 0 not declared, 1 filled before, 2 not.
    fn declared(&self, table: &[u32], word: u32) -> u32 {
        let ranges = table[self.ranges as usize..].chunks_exact(3);
        let mut ranges = ranges.take(self.count as usize);
        let found = ranges.find(|range| range[0] <= word && word < range[1]);
        found.map_or(0, |range| range[2])
    }
}
