//! How a buffer lies where it is, or would lie where it is held, in words.

use crate::state::session::{Session, session};
use crate::text::quantity::offset_text;
use conversation::Column;
use leptos::prelude::*;
use planner::Offset;
use planner::what_if::{Breaks, Look};

use crate::format;
use crate::strings::{HandWord, filled};
use crate::text::violation::names;

/// What dropping the held rectangle would give; nothing while none is held. It has the
/// place of what else is said of the plan, so that nothing jumps under the pointer.
#[component]
pub(crate) fn Outlook(column: Column) -> impl IntoView {
    let session = session();
    let said = Memo::new(move |_| {
        let moving = session.runs.moving.get().filter(|it| it.column == column)?;
        let look = session.outlook(column)?;
        let said = says(session, column, (moving.buffer, moving.to), &look);
        Some((said.join(" "), look.is_free()))
    });
    let none = move || said.with(Option::is_none);
    let busy = move || said.with(|said| said.as_ref().is_some_and(|(_, free)| !free));
    let text = move || said.with(|said| said.as_ref().map(|(text, _)| text.clone()));
    view! { <p class="outlook" class:busy=busy hidden=none>{text}</p> }
}

/// Sentences about where `buffer` of a column's plan lies or is held.
pub(crate) fn says(
    session: Session,
    column: Column,
    (buffer, at): (usize, Offset),
    look: &Look,
) -> Vec<String> {
    let hand = |word| session.say(word);
    let name = names(session, &[buffer]);
    let mut said = vec![filled(hand(HandWord::Lies), &[&name, &offset_text(at)])];
    if !look.in_the_way.is_empty() {
        let others = names(session, &look.in_the_way);
        said.push(filled(hand(HandWord::Busy), &[&others]));
    }
    match look.breaks {
        Some(Breaks::Fixed(at)) => {
            said.push(filled(hand(HandWord::ElsewhereFixed), &[&offset_text(at)]));
        }
        Some(Breaks::Misaligned(to)) => {
            let to = format::exact(to.0);
            said.push(filled(hand(HandWord::Unaligned), &[&to]));
        }
        Some(Breaks::Pools) => said.push(hand(HandWord::NoPool).to_owned()),
        None => {}
    }
    if !look.is_free() {
        // An arena says nothing while two rectangles share bytes.
        return said;
    }
    said.push(hand(HandWord::Free).to_owned());
    let elsewhere = session.plans.with(|plans| {
        let judged = &plans.get(&column)?.planned()?.judged;
        let here = judged.plan.offsets.get(buffer) == Some(&at);
        Some(here && !judged.violations.is_empty())
    });
    if elsewhere == Some(true) {
        said.push(hand(HandWord::InvalidArena).to_owned());
        return said;
    }
    let bound = |prepared: &Option<_>| {
        let prepared: &std::sync::Arc<worker::Prepared> = prepared.as_ref()?;
        Some(prepared.bounds.offsets.0)
    };
    if let Some(bound) = session.prepared.with(bound) {
        let arena = look.arena.0;
        let figures = [arena, arena.saturating_sub(bound)].map(format::exact);
        let [arena, over] = figures.each_ref().map(String::as_str);
        said.push(filled(hand(HandWord::Arena), &[arena, over]));
    }
    said
}
