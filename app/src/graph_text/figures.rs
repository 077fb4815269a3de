//! What an edit changes: arena, bound and peak, against the graph as it was opened.

use std::cmp::Ordering;

use conversation::{Before, Column};
use leptos::prelude::*;
use planner::Bytes;

use crate::format;
use crate::state::graph_text::GraphText;
use crate::state::session::{Session, session};
use crate::strings::{AnswerWord, GraphWord as W, Word, filled};
use crate::text::title::plain_title;

/// What the plan in question needs of this text, and what the edits change of that.
#[component]
pub(super) fn Needs(text: GraphText) -> impl IntoView {
    let session = session();
    let says = move || {
        let column = session.target()?;
        let now = session.planned(column)?.judged.plan.arena;
        let (name, bytes) = (plain_title(session, column), format::bytes(now.0));
        if text.planned.with(Option::is_none) {
            return Some(filled(
                session.say(AnswerWord::TextAsOpened),
                &[&name, &bytes],
            ));
        }
        let before = before(session, text)?;
        let was = before.arenas.get(&column)?;
        let word = match now.cmp(was) {
            Ordering::Less => AnswerWord::TextLess,
            Ordering::Greater => AnswerWord::TextMore,
            Ordering::Equal => AnswerWord::TextEven,
        };
        let apart = format::bytes(now.0.abs_diff(was.0));
        Some(filled(session.say(word), &[&name, &bytes, &apart]))
    };
    move || says().map(|says| view! { <p class="answer" role="status">{says}</p> })
}

/// The graph as it was opened, where it was planned as the edited one is.
fn before(session: Session, text: GraphText) -> Option<Before> {
    let edited = text.planned.with(Option::is_some);
    let now = (session.bindings.get(), session.settings.get());
    text.before
        .get()
        .filter(|it| edited && it.found_with == now)
}

/// The figures.
#[component]
pub(super) fn Figures(text: GraphText) -> impl IntoView {
    let session = session();
    let body = move || {
        let edited = text.planned.with(Option::is_some);
        let before = before(session, text);
        let says = match (edited, &before) {
            (false, _) if text.fault.with(Option::is_some) => session.say(W::Stays),
            (false, _) => session.say(W::Unedited),
            (true, Some(_)) => session.say(W::Edited),
            (true, None) => session.say(W::EditedElse),
        };
        let left_out = Some(session.left_out()).filter(|&count| count > 0);
        let left_out = left_out.map(|count| {
            let says = filled(session.say(Word::LeftOut), &[&count.to_string()]);
            view! { <p class="failed" data-text="left-out">{says}</p> }
        });
        let long = session.case(|case| case.text.is_left_out_of_links());
        let long = long.then(|| view! { <p class="soft">{session.say(W::LongForLink)}</p> });
        let column = session.target();
        view! {
            <p class:soft=!edited>{says}</p>
            <dl class="totals">{rows(session, column, before.as_ref())}</dl>
            {left_out}
            {long}
        }
    };
    view! { <div class="figures">{body}</div> }
}

fn rows(
    session: Session,
    column: Option<Column>,
    before: Option<&Before>,
) -> impl IntoView + use<> {
    let arena = column.and_then(|column| {
        let now = session.planned(column)?.judged.plan.arena;
        let was = before.and_then(|before| before.arenas.get(&column).copied());
        let name = format!(
            "{}, {}",
            session.say(Word::Arena),
            plain_title(session, column)
        );
        Some(row("arena", name, was, now))
    });
    let others = session.prepared.with(|prepared| {
        let prepared = prepared.as_ref()?;
        let peak = prepared
            .profile
            .highest()
            .map_or(Bytes(0), |(_, bytes)| bytes);
        let bound = prepared.bounds.offsets;
        let name = |it: &'static str| it.to_owned();
        Some((
            row(
                "bound",
                name(session.say(Word::Bound)),
                before.map(|it| it.bound),
                bound,
            ),
            row(
                "peak",
                name(session.say(W::Peak)),
                before.map(|it| it.peak),
                peak,
            ),
        ))
    });
    (arena, others)
}

/// A figure, which is called as its term is, and what it was.
fn row(figure: &'static str, name: String, was: Option<Bytes>, now: Bytes) -> impl IntoView {
    let was = was.map(|was| format!("{} → ", format::bytes(was.0)));
    let exact = format::exact(now.0);
    view! {
        <dt data-define=figure>{name}</dt>
        <dd data-figure=figure data-bytes=now.0.to_string() title=exact>{was} {format::bytes(now.0)}</dd>
    }
}
