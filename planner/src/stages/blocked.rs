//! Passes that block a better result: each switch is turned off in turn, and each is tried alone.
//!
//! A pass never raises the peak by itself, but what it makes may be what a later pass cannot use:
//! of a fused chain that reads an operand twice nothing is written in place any more.

use serde::{Deserialize, Serialize};

use super::last;
use crate::bounds::aligned;
use crate::graph::{Bindings, Graph};
use crate::liveness::TooLarge;
use crate::load::Document;
use crate::passes::{self, Given};
use crate::settings::{PassSet, Settings};
use crate::units::Bytes;

/// Most operators for which passes are run again and again.
const MOST_OPERATORS: usize = 5_000;

/// Passes without which the model ends smaller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// Their names, in the order in which they run.
    pub passes: Vec<String>,
    /// The arena without them, planned as the stages are.
    pub arena: Bytes,
}

/// The smallest result of fewer passes than `settings` choose, if it is smaller than `bound`: the
/// settings for it. `on_progress` says whether to go on; then there is none.
pub(super) fn fewer(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
    bound: Bytes,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Settings>, TooLarge> {
    let all = settings.passes;
    let chosen: Vec<usize> = passes::optional()
        .map(|(row, _)| row)
        .filter(|row| all.rule(*row).is_some())
        .collect();
    let few = |graph: &Graph| graph.ops.len() <= MOST_OPERATORS;
    if chosen.len() < 2 || !document.graph().is_some_and(few) {
        return Ok(None);
    }
    let without = chosen.iter().map(|row| all.with(*row, None));
    let alone = chosen
        .iter()
        .map(|row| PassSet::NONE.with(*row, all.rule(*row)));
    let mut best = None;
    let mut least = bound;
    for passes in without.chain(alone) {
        if !on_progress(0, 0) {
            return Ok(None);
        }
        let tried = Settings {
            passes,
            ..*settings
        };
        let stage = last(document, known, &tried, &mut |_, _| on_progress(0, 0))?;
        let own = stage.map(|stage| aligned(&stage.lifetimes, settings.alignment).offsets);
        if let Some(own) = own.filter(|own| *own < least) {
            (least, best) = (own, Some(tried));
        }
    }
    Ok(best)
}

/// The names of the passes that `all` has and `fewer` has not.
pub(super) fn left_out(all: PassSet, fewer: PassSet) -> Vec<String> {
    let rows = passes::optional();
    let out = rows.filter(|(row, _)| all.rule(*row).is_some() && fewer.rule(*row).is_none());
    out.map(|(_, pass)| pass.name.to_owned()).collect()
}
