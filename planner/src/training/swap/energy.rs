//! What computing and copying take in energy, and devices of which that is known.

use serde::{Deserialize, Serialize};

use super::link::{Lane, Link};
use crate::training::{Move, Problem};

/// Power, in any unit that both share: what one unit of computing takes, and one of copying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Power {
    /// Of the processor.
    pub computing: u64,
    /// Of what is copied to and from.
    pub copying: u64,
}

/// A device with a memory that it pages to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its name.
    pub name: &'static str,
    /// Floating point operations in a second; a multiplication and an addition are two.
    pub flops: u64,
    /// Bytes in a second to that memory, and nanoseconds that each copy takes beside.
    pub out: (u64, u64),
    /// The same back.
    pub back: (u64, u64),
    /// In microwatts.
    pub power: Power,
}

/// What POET measured and took from data sheets (`poet/chipsets.py`): an SD card beside both
/// microcontrollers, and that of the Raspberry Pi with its cache.
pub const CHIPS: [Chip; 3] = [
    Chip {
        name: "MKR1000",
        // 2,000 operations in 12 ms; 20 mA at 3.3 V, the card 100 mA.
        flops: 166_667,
        out: (4_440_000, 113_000),
        back: (4_616_510, 109_000),
        power: Power {
            computing: 66_000,
            copying: 330_000,
        },
    },
    Chip {
        name: "Cortex-M4F, 64 MHz",
        // 1,628,300,000 operations in 255.6237 s; 3.328 mA at 3.3 V.
        flops: 6_369_910,
        out: (4_440_000, 113_000),
        back: (4_616_510, 109_000),
        power: Power {
            computing: 10_982,
            copying: 330_000,
        },
    },
    Chip {
        name: "Raspberry Pi",
        // 600 mA at 5 V, the card 30 mA.
        flops: 2_000_000_000,
        out: (24_500_000, 18_531),
        back: (45_500_000, 5_096),
        power: Power {
            computing: 3_000_000,
            copying: 150_000,
        },
    },
];

impl Chip {
    /// Its link in units of cost, of which one is a multiplication with an addition.
    #[must_use]
    pub fn link(self) -> Link {
        let each = self.flops / 2;
        let lane = |(bytes, nanoseconds): (u64, u64)| {
            let latency = u128::from(nanoseconds) * u128::from(each);
            Lane {
                bytes,
                cost: each,
                latency: u64::try_from(latency.div_ceil(1_000_000_000)).unwrap_or(u64::MAX),
            }
        };
        Link {
            out: lane(self.out),
            back: lane(self.back),
            power: Some(self.power),
        }
    }
}

/// The energy that a walk takes: its nodes and its copies, of each value one out. `None` where
/// nothing is known of that, or a value cannot be copied.
#[must_use]
pub fn energy(problem: &Problem, walk: &[Move]) -> Option<u128> {
    let link = problem.link?;
    let power = link.power?;
    let mut copied = vec![false; problem.nodes.len()];
    let mut sum = 0_u128;
    for step in walk {
        let own = &problem.nodes[step.node()];
        let (each, time) = match step {
            Move::Compute(_) => (power.computing, own.cost),
            Move::SwapIn(_) => (power.copying, link.back.time(own.bytes)?),
            Move::SwapOut(node) if !std::mem::replace(&mut copied[*node], true) => {
                (power.copying, link.out.time(own.bytes)?)
            }
            Move::SwapOut(_) | Move::Forget(_) => continue,
        };
        sum = sum.saturating_add(u128::from(each) * u128::from(time));
    }
    Some(sum)
}
