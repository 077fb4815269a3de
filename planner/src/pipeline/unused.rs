//! Tensors that no operator reads or writes, to which TFLite Micro gives a place all the same.

use serde::{Deserialize, Serialize};

use super::{Judged, Subject};
use crate::graph::Graph;
use crate::liveness;
use crate::strategies::Strategy;
use crate::tflm_offline_plan::ORIGIN;
use crate::units::{Bytes, Offset};

/// The least arena that they need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unused {
    /// Beside each other, as TFLite Micro places them where the file does not say.
    pub together: Bytes,
    /// All of them at the start, where a plan that is exported puts them: nobody writes them.
    pub at_start: Bytes,
}

impl Unused {
    pub(super) fn of(graph: &Graph) -> Self {
        Self {
            together: liveness::unused(graph, &|_| None),
            at_start: liveness::unused(graph, &|_| Some(Offset(0))),
        }
    }
}

impl Subject {
    /// `judged` with room for them.
    pub(super) fn with_unused(&self, mut judged: Judged) -> Judged {
        let maker = judged.plan.origin.maker();
        // A plan in the file has its own places for them.
        let least = match maker {
            ORIGIN => return judged,
            _ if maker == Strategy::TflmGreedy.name() => self.unused.together,
            _ => self.unused.at_start,
        };
        if least > judged.plan.arena {
            judged.plan.arena = least;
            judged.metrics = judged.metrics.with_arena(least, self.unused.at_start);
            judged.metrics.optimal &= judged.violations.is_empty();
        }
        judged
    }
}
