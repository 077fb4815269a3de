//! A document planned at another value than the one that it was prepared with.

use planner::Options;
use planner::sweep::{Chosen, sweep};

use crate::case::Case;
use crate::listener::telling;
use crate::{Packed, Reply, Request, Surroundings};

/// The figures of a case at one value. Reports how many plans out of all are made.
pub(crate) fn point(
    case: &Case,
    id: u32,
    request: &Request,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let Request::Sweep {
        bindings,
        settings,
        over,
        value,
        strategies,
        pools,
        effort,
        ..
    } = request
    else {
        return None;
    };
    let options = Options {
        pools: pools.clone(),
        effort: *effort,
        ..Options::aligned(settings.alignment)
    };
    let chosen = Chosen {
        bindings,
        settings,
        options: &options,
    };
    let mut tell = telling(id, around);
    let mut went_on = |done: usize, total: usize| tell(done as u64, total as u64);
    let swept = (over, &[*value][..]);
    let points = sweep(&case.document, chosen, swept, strategies, &mut went_on);
    let point = Packed::new(points.first()?)?;
    Some(Reply::Swept { id, point })
}
