//! The link between a device and the memory that it swaps to.

use serde::{Deserialize, Serialize};

use super::energy::Power;
use crate::units::Bytes;

/// One direction of a link: so many bytes in so many units of cost, and what each copy takes
/// beside that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Bytes; 0 where nothing can be copied.
    pub bytes: u64,
    /// The cost during which they are copied; 0 where copying takes no time.
    pub cost: u64,
    /// What each copy takes beside that, in units of cost.
    pub latency: u64,
}

/// Both directions of a link, which do not hinder each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// To the host.
    pub out: Lane,
    /// From the host.
    pub back: Lane,
    /// What copying and computing take, if that is known.
    #[serde(default)]
    pub power: Option<Power>,
}

impl Lane {
    /// Every copy takes no time.
    pub const ENDLESS: Self = Self {
        bytes: 1,
        cost: 0,
        latency: 0,
    };

    /// Nothing can be copied.
    pub const NONE: Self = Self {
        bytes: 0,
        cost: 1,
        latency: 0,
    };

    /// What a copy of `bytes` takes, rounded up; `None` where it cannot be copied, or takes longer
    /// than 64 bits can say.
    #[must_use]
    pub fn time(self, bytes: Bytes) -> Option<u64> {
        if self.bytes == 0 {
            return None;
        }
        let copied = u128::from(bytes.0) * u128::from(self.cost);
        let copied = u64::try_from(copied.div_ceil(u128::from(self.bytes))).ok()?;
        copied.checked_add(self.latency)
    }
}

impl Link {
    /// Every copy takes no time.
    pub const ENDLESS: Self = Self::both(Lane::ENDLESS);

    /// Nothing can be copied.
    pub const NONE: Self = Self::both(Lane::NONE);

    /// Both directions alike.
    #[must_use]
    pub const fn both(lane: Lane) -> Self {
        Self {
            out: lane,
            back: lane,
            power: None,
        }
    }

    /// What the copies out and back of so many bytes take; `None` where one cannot be made.
    #[must_use]
    pub fn times(self, bytes: Bytes) -> Option<(u64, u64)> {
        Some((self.out.time(bytes)?, self.back.time(bytes)?))
    }
}
