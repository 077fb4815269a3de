//! Single uses of probes.

use crate::recording::Place;
use crate::verify::probes::{Params, Probe, Use};

pub(super) fn fill(first: u32, words: u32, pattern: u32) -> Use {
    let params = Params {
        first,
        words,
        pattern,
        ..Params::default()
    };
    let probe = Probe::Fill;
    Use { probe, params }
}

/// Compares the whole arena or a range with its shadow; nothing is declared yet.
pub(super) fn diff(first: u32, words: u32, pattern: u32, slot: u32) -> Use {
    let params = Params {
        first,
        words,
        pattern,
        slot,
        ..Params::default()
    };
    let probe = Probe::Diff;
    Use { probe, params }
}

/// Compares a range with its shadow and fills it, if there is a pattern.
pub(super) fn arm(first: u32, words: u32, pattern: Option<u32>, slot: u32) -> Use {
    let params = Params {
        first,
        words,
        pattern: pattern.unwrap_or_default(),
        slot,
        into: u32::from(pattern.is_none()),
        ..Params::default()
    };
    let probe = Probe::Arm;
    Use { probe, params }
}

/// Looks what was written of a range; `into` as [`Params::into`] says.
pub(super) fn extent(first: u32, words: u32, pattern: u32, slot: u32, into: u32) -> Use {
    let params = Params {
        first,
        words,
        pattern,
        slot,
        into,
        ..Params::default()
    };
    let probe = Probe::Extent;
    Use { probe, params }
}

pub(super) fn hash(place: &Place, slot: u32) -> Use {
    let params = Params {
        slot,
        ..range(place)
    };
    let probe = Probe::Hash;
    Use { probe, params }
}

pub(super) fn range(place: &Place) -> Params {
    Params {
        first: place.region.word,
        words: place.region.words,
        ..Params::default()
    }
}
