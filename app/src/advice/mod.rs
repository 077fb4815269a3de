//! What could be changed of the plan that came with the document, and what each change saves.

mod others;
mod repeats;
mod rows;
mod wishes;

use std::sync::Arc;

use conversation::{Action, AdviceAction, Answer};
use leptos::prelude::*;
use planner::Subject;
use planner::advice::Advice;

use crate::format;
use crate::lazy::tab;
use crate::state::session::{Session, session};
use crate::strings::{AdviceWord, filled};
use crate::text::waiting;

tab!(advice, AdviceWord::Tab, Advices);

/// The tab.
#[component]
fn Advices() -> impl IntoView {
    let session = session();
    let advised = session.insight.advised;
    let found = Memo::new(move |_| match advised.get() {
        Answer::There(advice) => Some(advice),
        _ => None,
    });
    let waits = move || match advised.get() {
        Answer::There(_) => None,
        Answer::Nothing => {
            let says = session.say(AdviceWord::Nothing);
            Some(view! { <p class="empty">{says}</p> }.into_any())
        }
        Answer::Stopped => {
            let wish = session.insight.wish.get_untracked();
            Some(waiting::stopped(
                session,
                Action::Advice(AdviceAction::Wish(wish)),
            ))
        }
        Answer::Unasked => Some(working(session, 0, 0)),
        Answer::Working(done, total) => Some(working(session, done, total)),
    };
    view! {
        <div class="advice">
            {waits}
            {move || found.get().map(|advice| there(session, &advice))}
        </div>
    }
}

fn working(session: Session, done: u64, total: u64) -> AnyView {
    let words = [AdviceWord::Starts, AdviceWord::Working];
    waiting::working(
        session,
        (done, total),
        words,
        Action::Advice(AdviceAction::Stop),
    )
}

fn there(session: Session, advice: &Arc<Advice>) -> impl IntoView + use<> {
    let taken = format::bytes(advice.taken.0);
    let says = match &advice.settings {
        Some(settings) => {
            let settings = settings.to_string();
            filled(session.say(AdviceWord::Traced), &[&taken, &settings])
        }
        None => filled(session.say(AdviceWord::Planned), &[&taken]),
    };
    let differs = advice.settings.is_some() && advice.base.taken != advice.taken;
    let wished = session.insight.wish.get_untracked().capacity.is_some();
    let uncertain = differs.then(|| {
        let base = format::exact(advice.base.taken.0);
        let word = match wished {
            true => AdviceWord::Limited,
            false => AdviceWord::Uncertain,
        };
        filled(session.say(word), &[&base])
    });
    let failed = (advice.base.failed > 0).then(|| {
        let failed = format::grouped(advice.base.failed);
        filled(session.say(AdviceWord::BaseFailed), &[&failed])
    });
    let shown = advice.settings.filter(|_| advice.traced);
    let limit = shown.map(|_| limit(session, advice, wished));
    let met = !wished && of_subject(session, |it| it.fits_in_replay(advice));
    let met = met.then(|| view! { <p class="met">{session.say(AdviceWord::MetInReplay)}</p> });
    view! {
        {rows::most(session, advice)}
        <header>
            <h3>{session.say(AdviceWord::Title)}</h3>
            <p data-taken=advice.taken.0.to_string() data-base=advice.base.taken.0.to_string()>{says} " " {limit}</p>
            {met}
            {wished.then(|| all_fit(session, advice)).flatten()}
            {rows::fits(session, advice)}
            {uncertain.map(|it| view! { <p class="uncertain">{it}</p> })}
            {failed.map(|it| view! { <p class="failed">{it}</p> })}
            {advice.settings.map(|_| view! { <wishes::Wishes/> })}
        </header>
        {rows::sections(session, advice)}
        {others::section(session, advice)}
        {rows::donation(session)}
        {advice.flags.iter().map(|flag| rows::flag(session, *flag)).collect_view()}
    }
}

/// Said where every request fits in the memory that was asked about.
fn all_fit(session: Session, advice: &Advice) -> Option<impl IntoView + use<>> {
    let all = of_subject(session, |it| it.all_fit(advice))?;
    let figures = [
        format::grouped(all as u64),
        format::bytes(advice.capacity?.0),
    ];
    let says = filled(
        session.say(AdviceWord::AllFit),
        &figures.each_ref().map(String::as_str),
    );
    Some(view! { <p class="all-fit">{says}</p> })
}

/// Under which capacity everything was replayed.
fn limit(session: Session, advice: &Advice, wished: bool) -> String {
    let Some(capacity) = advice.capacity else {
        return session.say(AdviceWord::NoLimit).to_owned();
    };
    let capacity = format::bytes(capacity.0);
    let below = of_subject(session, |it| it.limit_below(advice));
    match below.filter(|_| !wished) {
        Some(below) => {
            let below = format::bytes(below.0);
            filled(session.say(AdviceWord::LimitLowest), &[&capacity, &below])
        }
        None => filled(session.say(AdviceWord::Limit), &[&capacity]),
    }
}

/// What is asked of the file; nothing before it is prepared.
fn of_subject<T: Default>(session: Session, ask: impl FnOnce(&Subject) -> T) -> T {
    session.prepared.with_untracked(|prepared| {
        let prepared = prepared.as_ref();
        prepared.map_or_else(T::default, |it| ask(&it.subject))
    })
}
