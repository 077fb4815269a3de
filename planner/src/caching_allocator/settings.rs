//! How a caching allocator is configured.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

pub(super) const MIB: u64 = 1 << 20;

/// What `PYTORCH_ALLOC_CONF` says; as it is displayed, in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocatorSettings {
    /// Whether segments grow and shrink in place.
    pub expandable: bool,
    /// Requests from here on are never split off a larger block.
    pub max_split: u64,
    /// Into how many parts the way from one power of two to the next is divided for requests
    /// from 1 MiB, 2 MiB, and so on; 0 and 1 for multiples of 512 bytes.
    pub divisions: [u64; 16],
    /// Cached blocks are given back by age when more than this share of the limit is
    /// reserved, in parts of a million; 0 for never.
    pub collect_above: u32,
}

/// Parts of a whole, as [`AllocatorSettings::collect_above`] counts.
pub(crate) const PARTS: u32 = 1_000_000;

impl Default for AllocatorSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl AllocatorSettings {
    /// As PyTorch is configured unless told otherwise.
    pub const DEFAULT: Self = Self {
        expandable: false,
        max_split: u64::MAX,
        divisions: [0; 16],
        collect_above: 0,
    };

    /// The share of the limit as a number from 0 to 1.
    #[must_use]
    pub fn collects_above(share: f64) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to a million; what is no number becomes 0"
        )]
        let whole = (share.clamp(0.0, 1.0) * f64::from(PARTS)) as u32;
        // To the nearest: `f64::round` is not in `core`.
        let rest = share.clamp(0.0, 1.0) * f64::from(PARTS) - f64::from(whole);
        whole + u32::from(rest >= 0.5)
    }
}

impl fmt::Display for AllocatorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        if self.expandable {
            words.push("expandable_segments:True".into());
        }
        if self.max_split != u64::MAX {
            words.push(format!("max_split_size_mb:{}", self.max_split / MIB));
        }
        let [first, rest @ ..] = self.divisions;
        if rest.iter().any(|&parts| parts != first) {
            let classes = self.divisions.iter().enumerate();
            let classes: Vec<String> = classes
                .map(|(class, parts)| format!("{}:{}", 1_u64 << class, (*parts).max(1)))
                .collect();
            words.push(format!("roundup_power2_divisions:[{}]", classes.join(",")));
        } else if first > 1 {
            words.push(format!("roundup_power2_divisions:{first}"));
        }
        if self.collect_above > 0 {
            let share = f64::from(self.collect_above) / f64::from(PARTS);
            words.push(format!("garbage_collection_threshold:{share}"));
        }
        match words.is_empty() {
            true => f.write_str("default"),
            false => f.write_str(&words.join(",")),
        }
    }
}
