//! Problems from a seed: the same for everybody who has the seed.

use planner::{Buffer, Bytes, Lifetimes, Span, bounds, offsets_by_size};
use serde::{Deserialize, Serialize};

/// So many problems of a seed are tried until one is found that the largest first do not place as
/// tightly as the bound.
const TRIES: u64 = 500;

/// How a problem is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// How many buffers it has, at most 26.
    pub buffers: u8,
    /// How many steps.
    pub steps: u8,
    /// Sizes are multiples of so many bytes, from once to eight times.
    pub unit: u16,
}

impl Random {
    /// The lines of the problem of this seed.
    #[must_use]
    pub fn lines(self, seed: &str) -> Vec<String> {
        // FNV-1a over the seed's bytes.
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hashed = seed.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        let mut drawn = self.drawn(hashed);
        for attempt in 1..TRIES {
            if is_hard(&drawn) {
                break;
            }
            drawn = self.drawn(hashed.wrapping_add(attempt));
        }
        let rows = drawn.iter().map(|buffer| {
            let Span { start, end } = buffer.span;
            format!("{},{},{},{}", buffer.name, start.0, end.0, buffer.size.0)
        });
        ["id,lower,upper,size".to_owned()]
            .into_iter()
            .chain(rows)
            .collect()
    }

    fn drawn(self, seed: u64) -> Vec<Buffer> {
        let mut state = seed;
        // SplitMix64 (Steele, Lea and Flood 2014).
        let mut below = |most: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) % most.max(1)
        };
        let steps = u64::from(self.steps.max(2));
        let names = ('a'..='z').take(usize::from(self.buffers));
        let mut buffers: Vec<Buffer> = names
            .map(|name| {
                let start = below(steps - 1);
                let length = 1 + below(4.min(steps - start));
                let size = u64::from(self.unit.max(1)) * (1 + below(8));
                Buffer::new(name, size, Span::new(start, start + length))
            })
            .collect();
        buffers.sort_by_key(|buffer| buffer.span.start);
        buffers
    }
}

/// Whether the largest first end above the bound.
fn is_hard(buffers: &[Buffer]) -> bool {
    let lifetimes = Lifetimes::of(buffers.iter().cloned());
    let plan = offsets_by_size(&lifetimes, Bytes(1));
    plan.is_ok_and(|plan| plan.arena > bounds::bounds(&lifetimes).offsets)
}
