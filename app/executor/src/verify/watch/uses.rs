//! Single uses of probes.

use crate::recording::PlacedTensor;
use crate::verify::probes::{Probe, ProbeParams, Use};

pub(super) fn fill(first: u32, words: u32, pattern: u32) -> Use {
    let params = ProbeParams {
        first,
        words,
        pattern,
        ..ProbeParams::default()
    };
    let probe = Probe::Fill;
    Use { probe, params }
}

/// Compares the whole arena or a range with its shadow; nothing is declared yet.
pub(super) fn diff(first: u32, words: u32, pattern: u32, slot: u32) -> Use {
    let params = ProbeParams {
        first,
        words,
        pattern,
        slot,
        ..ProbeParams::default()
    };
    let probe = Probe::Diff;
    Use { probe, params }
}

/// Compares a range with its shadow and fills it, if there is a pattern.
pub(super) fn arm(first: u32, words: u32, pattern: Option<u32>, slot: u32) -> Use {
    let params = ProbeParams {
        first,
        words,
        pattern: pattern.unwrap_or_default(),
        slot,
        into: u32::from(pattern.is_none()),
        ..ProbeParams::default()
    };
    let probe = Probe::Arm;
    Use { probe, params }
}

/// Looks what was written of a range; `into` as [`ProbeParams::into`] says.
pub(super) fn extent(first: u32, words: u32, pattern: u32, slot: u32, into: u32) -> Use {
    let params = ProbeParams {
        first,
        words,
        pattern,
        slot,
        into,
        ..ProbeParams::default()
    };
    let probe = Probe::Extent;
    Use { probe, params }
}

pub(super) fn hash(place: &PlacedTensor, slot: u32) -> Use {
    let params = ProbeParams {
        slot,
        ..range(place)
    };
    let probe = Probe::Hash;
    Use { probe, params }
}

pub(super) fn range(place: &PlacedTensor) -> ProbeParams {
    ProbeParams {
        first: place.region.word,
        words: place.region.words,
        ..ProbeParams::default()
    }
}
