//! What half of the memory costs.

use std::sync::Arc;

use leptos::prelude::*;
use planner::training::table::{PolicyTable, Row};

use super::rows::name;
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{AnswerWord, filled};

/// The sentence.
#[component]
pub(super) fn Answer(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let says = move || found.get().and_then(|table| half(session, &table));
    move || says().map(|says| view! { <p class="answer">{says}</p> })
}

/// The schedule that computes least among those that need at most half of what keeping everything
/// needs; nothing before the policies have been asked.
fn half(session: Session, table: &PolicyTable) -> Option<String> {
    let half = table.keep_all.0 / 2;
    let bytes = format::bytes(half);
    if half < table.minimum.0 {
        let least = format::bytes(table.minimum.0);
        return Some(filled(
            session.say(AnswerWord::HalfBelow),
            &[&bytes, &least],
        ));
    }
    let all = table.points.iter().chain(&table.rows);
    let within = |row: &&Row| row.needs.is_some_and(|needs| needs.peak.0 <= half);
    let least = all
        .filter(within)
        .min_by(|a, b| a.overhead.total_cmp(&b.overhead));
    let Some(row) = least else {
        let whole = session.insight.training.parts.get();
        let asked = whole.1 > 0 && whole.0 == whole.1;
        return asked.then(|| filled(session.say(AnswerWord::HalfNone), &[&bytes]));
    };
    let by = name(session, row.policy);
    Some(match row.overhead - 1.0 {
        more if more < 0.0005 => filled(session.say(AnswerWord::HalfFree), &[&bytes, by]),
        more => {
            let more = format::percent(more);
            filled(session.say(AnswerWord::HalfTrained), &[&bytes, &more, by])
        }
    })
}
