//! Why a free range was not taken: from the ranges, the fit policy and the one that was.

use crate::free_space::{FreeRange, Usable};
use crate::strategies::{Fit, Refusal, Taken};
use crate::units::{Bytes, Offset};
use alloc::vec::Vec;

/// What was sought, and what was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Bytes.
    pub(super) size: u64,
    /// Of what the address must be a multiple.
    pub(super) alignment: Bytes,
    pub(super) fit: Fit,
    pub(super) taken: Taken,
}

/// Each of `ranges` that was not taken, with the reason. Where a buffer could not start there
/// is none. The open range is named only by policies that compare it with the others, as the
/// largest of all.
pub(super) fn refusals<K>(
    ranges: impl Iterator<Item = FreeRange<u64, K>>,
    wanted: Wanted,
) -> Vec<(Usable, Refusal)> {
    let Wanted {
        size,
        alignment,
        fit,
        taken,
    } = wanted;
    let mut seen: Vec<(Usable, u64, bool)> = Vec::new();
    for range in ranges {
        let Some(start) = Offset(range.start).align_up(alignment).map(|at| at.0) else {
            break;
        };
        let left = range.end.map(|end| end.saturating_sub(start));
        if left != Some(0) {
            let usable = Usable { start, size: left };
            seen.push((usable, start - range.start, range.below.is_none()));
        }
    }
    let own = |usable: &Usable| match taken {
        Taken::Range { from, .. } => usable.start == from.0,
        Taken::Open => usable.size.is_none(),
        Taken::InPlace | Taken::Object(_) => false,
    };
    let chosen = seen.iter().find(|(usable, ..)| own(usable));
    let chosen = chosen.map(|(usable, ..)| *usable);
    let others = seen.iter().filter(|(usable, ..)| !own(usable));
    let named = others.filter_map(|&(usable, padding, leading)| {
        let why = match (usable.size, taken) {
            (Some(left), _) if left < size => too_small(fit, usable, chosen, leading)?,
            (_, Taken::InPlace) => Refusal::HandedOver,
            (Some(left), _) => unwanted(fit, (left, padding, leading), chosen, usable.start),
            (None, _) => (fit == Fit::Best).then_some(Refusal::LooserFit)?,
        };
        Some((usable, why))
    });
    named.collect()
}

/// A range that is too small; `None` where the planner did not look.
fn too_small(fit: Fit, usable: Usable, chosen: Option<Usable>, leading: bool) -> Option<Refusal> {
    let seen = match fit {
        Fit::First => chosen.is_none_or(|chosen| usable.start <= chosen.start),
        Fit::BestAboveLowest => !leading,
        Fit::Best | Fit::BestRemembered | Fit::OnTop => true,
    };
    seen.then_some(Refusal::TooSmall)
}

/// A range that is large enough.
fn unwanted(
    fit: Fit,
    (left, padding, leading): (u64, u64, bool),
    chosen: Option<Usable>,
    start: u64,
) -> Refusal {
    let size = chosen.and_then(|chosen| chosen.size);
    let as_close = size.is_some_and(|size| left <= size);
    match fit {
        Fit::OnTop => Refusal::Overlooked,
        Fit::BestAboveLowest if leading => Refusal::Overlooked,
        Fit::First if chosen.is_some_and(|chosen| chosen.start < start) => Refusal::NotFirst,
        Fit::BestAboveLowest | Fit::BestRemembered if as_close && padding > 0 => {
            Refusal::Remembered {
                whole: Bytes(left.saturating_add(padding)),
            }
        }
        _ if as_close => Refusal::NotFirst,
        _ => Refusal::LooserFit,
    }
}
