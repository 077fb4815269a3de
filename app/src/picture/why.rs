//! Why a plan is larger than the bound, in one sentence in its pane: what is empty at the
//! decisive step, and what keeps it empty.

use std::sync::Arc;

use conversation::{Action, Column};
use leptos::prelude::*;
use planner::space::{Hole, Loss, Why};
use planner::{Span, Strategy};

use crate::document::cases::pane_count;
use crate::format;
use crate::state::driver::act;
use crate::state::insight::SomeLoss;
use crate::state::session::{Session, session};
use crate::words::{WhyWord, filled};

/// What is said, and of which lifetimes: their address.
#[derive(Clone, PartialEq)]
struct Said {
    of: usize,
    loss: SomeLoss,
}

/// Up to so many panes say it unasked.
const SAID_UP_TO: usize = 4;

/// The sentence; nothing where the bound is met, or it is not known why it is not.
#[component]
pub(crate) fn WhyLarger(column: Column) -> impl IntoView {
    let session = session();
    // What is said stays until there is something else to say: while a change is judged and
    // explained, and while a plan breaks rules, no picture is to move.
    let said = Memo::new(move |before: Option<&Option<Said>>| {
        let of = session
            .prepared
            .get()
            .map(|prepared| Arc::as_ptr(&prepared) as usize);
        let before = before.cloned().flatten().filter(|said| Some(said.of) == of);
        let loss = session.loss(column).zip(of);
        let loss = loss.map(|(loss, of)| Said { of, loss });
        loss.or_else(|| before.filter(|_| !session.is_optimal(column)))
    });
    let naive = column == Column::Strategy(Strategy::Naive);
    let count = pane_count(session);
    // Among many panes a sentence would take the pictures' room: it is there when asked for.
    let asked = RwSignal::new(false);
    let open = Memo::new(move |_| asked.get() || count.get() <= SAID_UP_TO);
    move || {
        let loss = said.get()?.loss.0;
        let above = loss.bytes.0;
        if !open.get() {
            let ask = move |_| asked.set(true);
            return Some(
                view! {
                    <p class="why-larger short">
                        <button class="link" on:click=ask>{session.say(WhyWord::Label)}</button>
                    </p>
                }
                .into_any(),
            );
        }
        Some(view! {
            <p class="why-larger" aria-label=session.say(WhyWord::Label) data-above=above.to_string()>
                {match naive {
                    true => filled(session.say(WhyWord::Naive), &[&format::bytes(above)]).into_any(),
                    false => sentence(session, &loss).into_any(),
                }}
            </p>
        }.into_any())
    }
}

/// The bytes, which add up, and the largest hole.
fn sentence(session: Session, loss: &Loss) -> impl IntoView + use<> {
    let name = session.prepared.with(|prepared| {
        let subject = &prepared.as_ref()?.subject;
        subject.step_name(loss.step).map(str::to_owned)
    });
    let number = format::grouped(loss.step.0);
    let step = match name {
        Some(name) => filled(session.say(WhyWord::Step), &[&number, &name]),
        None => filled(session.say(WhyWord::BareStep), &[&number]),
    };
    let empty = format::bytes(loss.empty().0);
    let above = format::bytes(loss.bytes.0);
    let mut text = filled(session.say(WhyWord::At), &[&step, &empty, &above]);
    for (word, bytes) in [(WhyWord::Idle, loss.idle()), (WhyWord::Apart, loss.apart())] {
        if let Some(bytes) = u64::try_from(bytes).ok().filter(|bytes| *bytes > 0) {
            text.push_str(&filled(session.say(word), &[&format::bytes(bytes)]));
        }
    }
    text.push_str(session.say(WhyWord::End));
    let largest = loss.largest_first().first().copied().copied();
    let only = loss.holes.len() == 1 && loss.more == 0;
    let hole = largest.map(|hole| of_hole(session, hole, only));
    view! { {text} {hole} }
}

/// What lies on the hole, and why it does not lie lower.
fn of_hole(session: Session, hole: Hole, only: bool) -> AnyView {
    let bytes = format::bytes(hole.height().0);
    let Some(above) = hole.above else {
        return filled(session.say(WhyWord::Top), &[&bytes]).into_any();
    };
    let begin = match only {
        true => session.say(WhyWord::OnlyHole).to_owned(),
        false => filled(session.say(WhyWord::Largest), &[&bytes]),
    };
    let (word, by) = match hole.because {
        None => (WhyWord::Slides, None),
        Some(because) => (
            match because.why {
                Why::Under => WhyWord::Under,
                Why::Alignment => WhyWord::Alignment,
                Why::Shared => WhyWord::Shared,
                Why::Itself => WhyWord::Itself,
                Why::Fixed => WhyWord::Fixed,
                Why::Object => WhyWord::Object,
            },
            Some(because),
        ),
    };
    let text = session.say(word);
    let Some(by) = by.filter(|_| text.contains("{}")) else {
        return view! { {begin} {tensor(session, above)} {text} }.into_any();
    };
    let (before, after) = text.split_once("{}").unwrap_or((text, ""));
    let after = filled(after, &[&steps(session, by.span)]);
    view! { {begin} {tensor(session, above)} {before} {tensor(session, by.buffer)} {after} }
        .into_any()
}

fn steps(session: Session, span: Span) -> String {
    let last = span.end.0.saturating_sub(1).max(span.start.0);
    let numbers = [span.start.0, last].map(format::grouped);
    if span.start.0 == last {
        return filled(session.say(WhyWord::BareStep), &[&numbers[0]]);
    }
    filled(
        session.say(WhyWord::Steps),
        &numbers.each_ref().map(String::as_str),
    )
}

/// A tensor by name, to be selected.
fn tensor(session: Session, index: usize) -> impl IntoView + use<> {
    let name = session.with_lifetimes(|lifetimes| {
        let buffer = lifetimes.buffers.get(index)?;
        Some(buffer.name.clone())
    });
    let choose = move |_| act(session, Action::Select(Some(index)));
    view! { <button class="link" on:click=choose>{name.flatten()}</button> }
}
