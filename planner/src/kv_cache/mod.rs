//! The key-value cache of a language model as a memory problem: requests that arrive, grow by a
//! token at each step and end.
//!
//! Source: Kwon et al., "Efficient Memory Management for Large Language Model Serving with
//! `PagedAttention`" (SOSP 2023), sections 2.2 (what is reserved, what is wasted inside and
//! outside of blocks), 4.2 (pages), 4.4 (shared prefixes) and 4.5 (preemption); buddy blocks as
//! in section 6.1 ("Orca (Pow2)").
//!
//! ```text
//! requests ─[replay] placement─▶ stays of blocks, waste over time, when each request ends
//! ```
//!
//! A step is one iteration of the model over all running requests. A request that is admitted at
//! step t holds its prompt and the first token of its output then, one token more at each step,
//! and ends after as many steps as its output has tokens. Requests are admitted in the order of
//! their arrival, as soon as the first one fits. Where a page is missing for a running request,
//! the one that arrived last is preempted.

mod blocks;
pub mod fit;
mod found;
mod model;
mod ramp;
mod replay;
mod running;
mod workload;

use serde::{Deserialize, Serialize};

use crate::units::Bytes;
use crate::{Message, message};

pub use found::{Replay, Stay};
pub use replay::replay;
pub use workload::{Range, Seeded, seeded};

/// The most requests of a workload.
pub const MOST_REQUESTS: usize = 1 << 20;

/// The most tokens of a request, and the latest arrival.
pub const MOST_TOKENS: u64 = 1 << 32;

/// The most blocks that all requests together may be given, one after the other.
pub const MOST_STAYS: usize = 1 << 22;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What it is called.
    pub id: String,
    /// The step from which on it may be admitted.
    pub arrival: u64,
    /// Tokens of its prompt, at least 1.
    pub prompt: u64,
    /// Tokens that it generates, at least 1.
    pub output: u64,
    /// What its prompt begins with, that others begin with, too: a name, and so many tokens.
    pub prefix: Option<(String, u64)>,
}

impl Request {
    /// Tokens at its end.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.prompt.saturating_add(self.output)
    }
}

/// Requests, and the cache that they share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// The requests, in any order.
    pub requests: Vec<Request>,
    /// Bytes of keys and values of one token over all layers, at least 1.
    pub token: Bytes,
    /// Tokens of a page, at least 1.
    pub page: u64,
    /// The most tokens that a request may ever have, for which the first placement reserves.
    pub longest: u64,
    /// The tokens that attention looks back; `None` for all of them.
    pub window: Option<u64>,
    /// Bytes of the cache; `None` for no limit.
    pub capacity: Option<Bytes>,
}

/// How the cache is given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// One block for the longest request that there may be, to each.
    Longest,
    /// One block of the smallest power of two of pages that holds all of the request.
    Buddy,
    /// Pages, one after the other as the request grows; who is preempted computes its keys and
    /// values anew when it is admitted again.
    Paged,
    /// The same, and whole pages of a common prefix are there once.
    PagedPrefix,
    /// Pages, of which those that attention looks back to no more are given back.
    PagedWindow,
    /// Pages; those of who is preempted are copied to the host's memory and back.
    PagedSwap,
}

impl Placement {
    /// Every one, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::Longest,
        Self::Buddy,
        Self::Paged,
        Self::PagedPrefix,
        Self::PagedWindow,
        Self::PagedSwap,
    ];

    /// Its name on command lines and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Longest => "longest",
            Self::Buddy => "buddy",
            Self::Paged => "paged",
            Self::PagedPrefix => "paged_prefix",
            Self::PagedWindow => "paged_window",
            Self::PagedSwap => "paged_swap",
        }
    }

    /// What people call it, with the tokens of its blocks.
    #[must_use]
    pub fn title(self, workload: &Workload) -> Message {
        let page = workload.page;
        match self {
            Self::Longest => message!("one block of {} tokens each", workload.longest),
            Self::Buddy => message!("buddy blocks, powers of two of {} tokens", page),
            Self::Paged => message!("pages of {} tokens", page),
            Self::PagedPrefix => message!("pages of {} tokens, prefixes shared", page),
            Self::PagedWindow => message!("pages of {} tokens, sliding window", page),
            Self::PagedSwap => message!("pages of {} tokens, swapped out", page),
        }
    }

    /// Whether blocks are pages.
    #[must_use]
    pub const fn is_paged(self) -> bool {
        !matches!(self, Self::Longest | Self::Buddy)
    }
}

impl Workload {
    /// `requests` in a cache without a limit, with pages of 16 tokens as in vLLM, and the keys and
    /// values of Llama 3 8B in 16 bits.
    #[must_use]
    pub fn of(requests: Vec<Request>) -> Self {
        Self {
            token: Bytes(131_072),
            page: 16,
            longest: requests.iter().map(Request::tokens).max().unwrap_or(1),
            window: None,
            capacity: None,
            requests,
        }
    }

    /// Pages that hold `tokens`.
    pub(crate) fn pages(&self, tokens: u64) -> u64 {
        tokens.div_ceil(self.page.max(1))
    }

    /// The placements that say something of it: shared prefixes, a window and swapping only where
    /// there are any.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        Placement::ALL.into_iter().filter(|it| match it {
            Placement::PagedPrefix => self.requests.iter().any(|it| it.prefix.is_some()),
            Placement::PagedWindow => self.window.is_some(),
            Placement::PagedSwap => self.capacity.is_some(),
            Placement::Longest | Placement::Buddy | Placement::Paged => true,
        })
    }
}
