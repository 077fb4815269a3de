//! What the explanation answers first: which tensors make the peak, and at which step.

use conversation::{Action, Lit};
use leptos::prelude::*;

use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{AnswerWord as W, filled};
use crate::tables::operators::look_at_step;

/// So many tensors are named.
const NAMED: usize = 3;

/// The sentence; nothing where nothing is placed, or where a part of the arena is looked at.
#[component]
pub(crate) fn PeakAnswer() -> impl IntoView {
    let session = session();
    move || {
        let part = matches!(session.insight.lit.get(), Some(Lit::Part(_)));
        let peak = peak(session).filter(|_| !part)?;
        Some(view! { <p class="answer" data-answer="peak">{peak} {above(session)}</p> })
    }
}

/// Which tensors make the peak, each a link, and when they live.
pub(crate) fn peak(session: Session) -> Option<impl IntoView + use<>> {
    let prepared = session.prepared.get()?;
    let bounds = &prepared.bounds;
    if bounds.witness.is_empty() {
        return None;
    }
    let peak = format::bytes(bounds.offsets.0);
    let count = bounds.witness.len();
    let named = if count > NAMED + 1 { NAMED } else { count };
    let names = bounds.witness.iter().take(named).enumerate();
    let names = names.map(|(place, index)| {
        let last = place + 1 == count;
        let before = match place {
            0 => "",
            _ if last => session.say(W::And),
            _ => session.say(W::Comma),
        };
        view! { {before} {tensor(session, *index)} }
    });
    let names = names.collect_view();
    let others = (named < count).then(|| {
        let others = format::grouped((count - named) as u64);
        let others = filled(session.say(W::Others), &[&others]);
        format!("{}{others}", session.say(W::And))
    });
    let word = if count == 1 { W::LivesAt } else { W::LiveAt };
    let step = bounds.peak.0;
    let at = filled(session.say(word), &[&format::grouped(step)]);
    let look = move |_| look_at_step(session, step);
    Some(view! {
        {filled(session.say(W::Peak), &[&peak])} {names} {others} " "
        <button class="link" on:click=look>{at}</button>
    })
}

/// A tensor as a button that selects it.
fn tensor(session: Session, index: usize) -> impl IntoView + use<> {
    let name = session
        .prepared
        .with(|prepared| prepared.as_ref()?.subject.label(index));
    let choose = move |_| act(session, Action::Select(Some(index)));
    view! { <button class="link" on:click=choose>{name}</button> }
}

/// What the plan in question needs above the peak.
fn above(session: Session) -> Option<String> {
    let column = session.target()?;
    let explained = session.explained(column)?;
    let loss = explained.loss.as_ref()?;
    let name = crate::text::title::title(session, column);
    let above = format::bytes(loss.bytes.0);
    Some(filled(session.say(W::Holes), &[&name, &above]))
}
