//! What became of a workload: the stays of its blocks, and figures over time.

use crate::units::{Bytes, Step};

/// One stay of a block in the cache, or in the host's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The request, by index into [`requests`](super::Workload::requests); of a shared page, the
    /// one that brought it.
    pub request: usize,
    /// Whether it holds a part of a prefix that requests share.
    pub shared: bool,
    /// Which page of the request it is; 0 for a block that holds all of it.
    pub page: u64,
    /// Its first byte.
    pub offset: Bytes,
    /// Bytes of the block.
    pub size: Bytes,
    /// Bytes of it that held keys and values in the end.
    pub payload: Bytes,
    /// When: first step, and the first at which it is there no more.
    pub steps: (u64, u64),
    /// Whether it lies in the host's memory.
    pub host: bool,
}

/// What became of a workload under one placement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Every stay, in the order in which blocks were taken.
    pub stays: Vec<Stay>,
    /// The step after the last one of each request, in the order of the requests.
    pub ends: Vec<u64>,
    /// How often a request was preempted.
    pub preemptions: u64,
    /// Tokens whose keys and values were computed anew.
    pub recomputed: u64,
    /// Bytes copied to the host's memory and back.
    pub swapped: Bytes,
    /// The most requests that ran at once.
    pub most_running: u64,
    /// Bytes of tokens that attention may still look at, over time.
    pub tokens: Vec<(Step, Bytes)>,
    /// Bytes of blocks, over time.
    pub allocated: Vec<(Step, Bytes)>,
    /// Bytes that wait for tokens to come, over time.
    pub reserved: Vec<(Step, Bytes)>,
    /// Bytes in blocks that no token will ever use again, over time.
    pub internal: Vec<(Step, Bytes)>,
    /// Free bytes in blocks too small for the largest request, over time.
    pub external: Vec<(Step, Bytes)>,
    /// The sums of tokens, reserved, internal and external over all steps, in bytes times steps.
    pub sums: [u128; 4],
}

impl Replay {
    /// The end of the highest block of the cache.
    #[must_use]
    pub fn high_water(&self) -> Bytes {
        let stays = self.stays.iter().filter(|it| !it.host);
        let ends = stays.map(|it| it.offset.0.saturating_add(it.size.0));
        Bytes(ends.max().unwrap_or(0))
    }
}
