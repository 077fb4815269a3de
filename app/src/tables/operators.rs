//! The operators in the order in which they run, tied to the time axis.

use std::sync::Arc;

use conversation::Action;
use leptos::prelude::*;
use planner::{Lifetimes, Residencies, Step};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent};
use worker::Prepared;

use crate::drawing::after_paint::after_paint;
use crate::format;
use crate::lazy::tab;
use crate::picture::look;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{Word, filled};
use crate::tables::notes::{PAGE, Pager, part, window};
use crate::text::file_name::in_row;

tab!(operators, Word::Operators, Operators, |session| Some(
    count(session)
));

/// How many operators there are in the order of execution.
fn count(session: Session) -> usize {
    let prepared = session.prepared.get();
    prepared.map_or(0, |prepared| prepared.subject.scheduled())
}

/// The tab.
#[component]
fn Operators() -> impl IntoView {
    let session = session();
    let page = RwSignal::new(0);
    let total = Signal::derive(move || count(session));
    let times = Memo::new(move |_| session.step_times());
    let written = Memo::new(move |_| session.with_lifetimes(Residencies::of).unwrap_or_default());
    // The operator that writes what is selected is on the page that shows.
    Effect::new(move |_| {
        let start = session.selected.get().and_then(|index| {
            let start = |lifetimes: &Lifetimes| Some(lifetimes.buffers.get(index)?.span.start.0);
            untrack(|| session.with_lifetimes(start)).flatten()
        });
        if let Some(start) = start.and_then(|start| usize::try_from(start).ok()) {
            page.set(start / PAGE);
        }
    });
    let painted = after_paint();
    let body = move |first: bool| {
        let rows = part(window(page.get(), total.get()), first, painted)?;
        let prepared = session.prepared.get()?;
        let written = written.read();
        let times = times.read();
        let rows = rows.map(|step| {
            let time = times.as_ref().and_then(|times| times.get(step).copied());
            row(session, &prepared, &written, step, time)
        });
        Some(rows.collect_view())
    };
    view! {
        <Show
            when=move || { total.get() > 0 }
            fallback=move || view! { <p class="empty">{move || session.say(Word::NoOperators)}</p> }
        >
            <Pager page total/>
            <table>
                <caption class="unseen">{move || session.say(Word::Operators)}</caption>
                <thead>
                    <tr>
                        <Head word=Word::StepColumn/>
                        <Head word=Word::OperatorColumn/>
                        <Head word=Word::KindColumn/>
                        <Head word=Word::LiveColumn/>
                        {move || times.with(Option::is_some).then(|| view! { <Head word=Word::StepTime/> })}
                        <Head word=Word::WritesColumn/>
                    </tr>
                </thead>
                <tbody>{move || body(true)}{move || body(false)}</tbody>
            </table>
        </Show>
    }
}

#[component]
fn Head(word: Word) -> impl IntoView {
    let session = session();
    view! { <th scope="col" data-define=define(word)>{move || session.say(word)}</th> }
}

/// The term that a column is about.
fn define(word: Word) -> Option<&'static str> {
    Some(match word {
        Word::StepColumn => "step",
        Word::OperatorColumn => "operator",
        Word::LiveColumn => "live-bytes",
        _ => return None,
    })
}

fn row(
    session: Session,
    prepared: &Arc<Prepared>,
    residencies: &Residencies,
    step: usize,
    time: Option<f64>,
) -> Option<impl IntoView + use<>> {
    let step = step as u64;
    let op = prepared.subject.op(Step(step))?;
    let (_, written) = prepared.subject.operands(residencies, Step(step));
    let links = written.iter().filter_map(|&index| {
        let name = prepared.subject.lifetimes.buffers.get(index)?.name.clone();
        Some(view! { <BufferLink index name/> " " })
    });
    let links = links.collect_view();
    let live = prepared.profile.at(Step(step)).0;
    let peak = prepared.bounds.offsets.0.max(1);
    let share = to_f64(live) / to_f64(peak);
    let at_peak = live > 0 && live == peak;
    let (name, short, kind) = (op.name.clone(), in_row(&op.name), op.kind.clone());
    let first = written.first().copied();
    let current = move || {
        session
            .selected
            .get()
            .is_some_and(|index| written.contains(&index))
    };
    let point = move || act(session, Action::Hover(first));
    let leave = move || act(session, Action::Hover(None));
    let choose = move |_| {
        act(session, Action::Select(first));
        look_at_step(session, step);
    };
    Some(view! {
        <tr
            class:peak=at_peak
            aria-current=move || current().then_some("true")
            data-step=step.to_string()
            on:click=choose
            on:pointerenter=move |_| point()
            on:pointerleave=move |_| leave()
            on:focusin=move |_| point()
            on:focusout=move |_| leave()
        >
            <td class="number">{format::grouped(step)}</td>
            <th scope="row">
                <button
                    class="link"
                    title=move || format!("{name}\n{}", filled(session.say(Word::GoToStep), &[&step.to_string()]))
                >
                    {short}
                </button>
            </th>
            <td>{kind}</td>
            <td class="number live" title=format::exact(live)>
                <span class="gauge" aria-hidden="true">
                    <span
                        class="level"
                        style:width=move || format!("{:.1}%", share * 100.0)
                    ></span>
                </span>
                {format::bytes(live)}
            </td>
            {time.map(|ms| view! { <td class="number">{format::duration(ms)}</td> })}
            <td>{links}</td>
        </tr>
    })
}

/// Moves the view in time so that `step` is in the middle. Nothing moves while everything is
/// in view.
pub(crate) fn look_at_step(session: Session, step: u64) {
    if session.window.with_untracked(Option::is_none) {
        return;
    }
    let mut camera = untrack(|| session.camera(session.size.get()));
    let by = untrack(|| session.across(to_f64(step) + 0.5)) - camera.x.middle();
    camera.x.start += by;
    camera.x.end += by;
    act(session, look::at(session, camera));
}

/// A buffer's name as a button that selects it.
#[component]
pub(crate) fn BufferLink(index: usize, name: String) -> impl IntoView {
    let session = session();
    let choose = move |event: MouseEvent| {
        // The row around it, if it stands in one, has something else in mind.
        event.stop_propagation();
        keep_focus(&event);
        act(session, Action::Select(Some(index)));
    };
    let short = in_row(&name);
    view! {
        <button
            class="link"
            title=name
            data-buffer=index.to_string()
            on:click=choose
            on:pointerenter=move |_| act(session, Action::Hover(Some(index)))
            on:pointerleave=move |_| act(session, Action::Hover(None))
        >
            {short}
        </button>
    }
}

/// Selecting replaces the list that the button is in; the focus goes to what stays, instead
/// of to the start of the page.
pub(crate) fn keep_focus(event: &MouseEvent) {
    let button: Option<Element> = event
        .current_target()
        .and_then(|target| target.dyn_into().ok());
    let stays = button.and_then(|button| button.closest("[data-keeps-focus]").ok().flatten());
    if let Some(stays) = stays.and_then(|stays| stays.dyn_into::<HtmlElement>().ok()) {
        let _ = stays.focus();
    }
}
