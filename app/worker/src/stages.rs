//! The model after each of its passes.

use planner::passes::Given;
use planner::stages::listed;

use crate::listener::telling;
use crate::{Desk, Packed, Reply, Request, Surroundings};

/// Answers a question about stages; `None` for any other.
pub(crate) fn stages(desk: &Desk, request: &Request, around: &dyn Surroundings) -> Option<Reply> {
    let Request::Stages {
        id,
        case,
        bindings,
        settings,
        strategy,
        pools,
        effort,
    } = request
    else {
        return None;
    };
    let case = desk.cases.get(case)?;
    let options = planner::Options {
        alignment: settings.alignment,
        ..case.options(pools, *effort)
    };
    let mut went_on = telling(*id, around);
    let staged = listed(
        &case.document,
        (bindings, &Given::new()),
        (settings, &options),
        *strategy,
        &mut went_on,
    );
    let staged = match staged {
        Ok(staged) => Ok(Packed::new(&staged)?),
        Err(error) => Err(error),
    };
    Some(Reply::Staged { id: *id, staged })
}
