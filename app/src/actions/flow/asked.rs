//! What is requested and answered before any plan that only stands in the queue: the
//! decisions of a strategy as a film, and why a plan is as large as it is.

use std::sync::Arc;

use leptos::prelude::*;
use worker::Request;

use super::{FLOW, Flow, Stage, hurry, proceed};
use crate::actions::film;
use crate::state::column::Column;
use crate::state::film::Footage;
use crate::state::session::Session;

/// Makes sure that the decisions of `column` get recorded.
pub(in crate::actions) fn film(session: Session, column: Column) {
    film::keep(session, column, Footage::Waiting);
    let pricing = FLOW.with_borrow_mut(|flow| {
        flow.films.retain(|other| *other != column);
        flow.films.push_back(column);
        flow.stage == Stage::Pricing
    });
    if pricing {
        hurry(session);
    } else {
        proceed(session);
    }
}

/// Makes sure that the plan of `column` gets explained.
pub(in crate::actions) fn explain(session: Session, column: Column) {
    let pricing = FLOW.with_borrow_mut(|flow| {
        flow.explains.retain(|other| *other != column);
        flow.explains.push_back(column);
        flow.stage == Stage::Pricing
    });
    if pricing {
        hurry(session);
    } else {
        proceed(session);
    }
}

impl Flow {
    /// The next film to be asked for, if one waits.
    pub(super) fn film_question(&mut self, session: Session) -> Option<Request> {
        let column = self.films.pop_front()?;
        let Column::Strategy(strategy) = column else {
            return None;
        };
        self.stage = Stage::Filming(column);
        Some(Request::Trace {
            id: self.id,
            strategy,
            pools: session.planning.pools.get_untracked(),
            effort: session.planning.effort.get_untracked(),
        })
    }

    /// The next plan to be explained, if one waits that is still there.
    pub(super) fn explain_question(&mut self, session: Session) -> Option<Request> {
        while let Some(column) = self.explains.pop_front() {
            let Some((_, planned)) = untrack(|| session.one_plan(Some(column))).0 else {
                continue;
            };
            self.stage = Stage::Explaining(column);
            self.explained = Some(Arc::clone(&planned));
            return Some(Request::Explain {
                id: self.id,
                plan: Box::new(planned.judged.plan.clone()),
            });
        }
        None
    }
}
