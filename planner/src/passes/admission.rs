//! Which of several rewrites may be made together without raising the peak.
//!
//! A view keeps its base alive, and a fused operator reads everything at once, so that a
//! rewrite that saves a tensor can cost more than it saves. All are tried together first; where
//! that raises the live bytes at the peak, one half after the other, down to the single rewrite
//! that does.

use super::Reason;
use crate::liveness::profile::profile;
use crate::liveness::{TooLarge, lifetimes};
use crate::program::Program;
use crate::settings::{Parallel, Settings};
use crate::units::Bytes;

/// Most rewrites that are looked at in all trials together, before the rest is refused unseen:
/// a large graph gets few trials.
const MOST_TRIED: usize = 1 << 20;

/// The live bytes at the peak of `program`, one operator after the other.
pub(super) fn peak(program: &Program, settings: &Settings) -> Result<Bytes, TooLarge> {
    let serial = Settings {
        parallel: Parallel::Serial,
        ..*settings
    };
    let highest = profile(&lifetimes(program, &serial)?).highest();
    Ok(highest.map_or(Bytes::ZERO, |(_, bytes)| bytes))
}

/// Which of `count` rewrites are made, and why the others are not. `now` is the peak without any,
/// and `tried` gives the peak with a choice of them.
pub(super) fn admit(
    count: usize,
    now: Bytes,
    tried: &mut dyn FnMut(&[bool]) -> Option<Bytes>,
) -> (Vec<bool>, Vec<(usize, Reason)>) {
    let mut admission = Admission {
        chosen: vec![false; count],
        refused: Vec::new(),
        left: (MOST_TRIED / count.max(1)).clamp(16, 512),
        now,
        tried,
    };
    admission.range(0, count);
    (admission.chosen, admission.refused)
}

struct Admission<'a> {
    chosen: Vec<bool>,
    refused: Vec<(usize, Reason)>,
    left: usize,
    now: Bytes,
    tried: &'a mut dyn FnMut(&[bool]) -> Option<Bytes>,
}

impl Admission<'_> {
    /// Recursion is as deep as the logarithm of the number of rewrites.
    fn range(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        self.chosen[from..to].fill(true);
        let peak = match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                (self.tried)(&self.chosen)
            }
            None => None,
        };
        if peak.is_some_and(|peak| peak <= self.now) {
            return;
        }
        self.chosen[from..to].fill(false);
        if to - from == 1 {
            let raises = |to| Reason::RaisesPeak { from: self.now, to };
            self.refused
                .push((from, peak.map_or(Reason::Untried, raises)));
            return;
        }
        let middle = from + (to - from) / 2;
        self.range(from, middle);
        self.range(middle, to);
    }
}
