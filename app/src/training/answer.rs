//! What half of the memory costs.

use std::sync::Arc;

use conversation::{Action, TrainingAction};
use leptos::prelude::*;
use planner::training::Policy;
use planner::training::table::{PolicyTable, Row};

use super::rows::name;
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{AnswerWord, filled};
use crate::text::linked::linked;

/// The sentence.
#[component]
pub(super) fn Answer(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    move || {
        let table = found.get()?;
        let (says, words) = half(session, &table)?;
        Some(view! { <p class="answer">{linked(session, &says, words)}</p> })
    }
}

/// The schedule that computes least among those that need at most half of what keeping everything
/// needs, once the policies were asked at that budget; nothing where that was stopped.
fn half(session: Session, table: &PolicyTable) -> Option<(String, Vec<(String, Action)>)> {
    let half = table.half();
    let bytes = format::bytes(half.0);
    let mut words = Vec::new();
    if half < table.minimum {
        let least = format::bytes(table.minimum.0);
        let says = filled(session.say(AnswerWord::HalfBelow), &[&bytes, &least]);
        return Some((says, words));
    }
    // An exact search that did not end has what others found.
    let found = |row: &&Row| row.policy != Policy::Exact || row.optimal;
    let all = table.points.iter().chain(&table.rows).filter(found);
    let within = |row: &&Row| row.needs.is_some_and(|needs| needs.peak <= half);
    let least = all
        .filter(within)
        .min_by(|a, b| a.overhead.total_cmp(&b.overhead));
    let asked = table.points.iter().any(|row| row.budget == Some(half));
    let (done, parts) = session.insight.training.parts.get();
    let says = match least {
        _ if !asked && session.insight.training.stopped.get() => return None,
        _ if !asked && done < parts => filled(session.say(AnswerWord::HalfAsked), &[&bytes]),
        None => filled(session.say(AnswerWord::HalfNone), &[&bytes]),
        Some(row) => {
            let by = name(session, row.policy);
            let open = TrainingAction::Open(row.policy, row.budget);
            words.push((by.to_owned(), Action::Training(open)));
            match row.overhead - 1.0 {
                more if more < 0.0005 => filled(session.say(AnswerWord::HalfFree), &[&bytes, by]),
                more => {
                    let more = format::percent(more);
                    filled(session.say(AnswerWord::HalfTrained), &[&bytes, &more, by])
                }
            }
        }
    };
    Some((says, words))
}
