//! A document planned at another value than the one that it was prepared with.

use planner::sweep::{Chosen, Over, sweep};
use planner::{Options, Strategy};

use crate::case::Case;
use crate::{Reply, Surroundings};

/// The figures of a case at one value; all that is chosen about it stays but what takes the value.
/// Reports how many plans out of all are made. `None` before anything was prepared.
pub(crate) fn point(
    case: &Case,
    (id, over, value): (u32, &Over, u64),
    strategies: &[Strategy],
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    case.prepared.as_ref()?;
    let chosen = Chosen {
        bindings: &case.bindings,
        settings: &case.settings,
        options,
    };
    let mut went_on = |done: usize, total: usize| {
        around.reply(&Reply::Progress {
            id,
            stage: None,
            done: done as u64,
            total: total as u64,
        });
        true
    };
    let points = sweep(
        &case.document,
        chosen,
        (over, &[value]),
        strategies,
        &mut went_on,
    );
    let point = Box::new(points.into_iter().next()?);
    Some(Reply::Swept { id, point })
}
