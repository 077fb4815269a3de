//! The stages as a table and a waterfall in one: each row is a switch, the figures after the
//! pass, and a bar for the arena with what the pass saves hatched beside it.

use std::cell::Cell;
use std::sync::Arc;

use conversation::{Action, Setting, StagesAction};
use gloo::render::request_animation_frame;
use leptos::html::Input;
use leptos::prelude::*;
use planner::Bytes;
use planner::passes::{self, Pass};
use planner::stages::{StageRow, Staged};
use web_sys::{Event, HtmlInputElement};

use super::{current, name, turn};
use crate::document::passes::RuleChoice;
use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{self, StageWord as W, filled};
use crate::text::fault::said;

/// A bar that is so many times as long as all others is broken off.
const BROKEN: f64 = 4.0;

/// How far a broken bar reaches over the longest whole one.
const OVER: f64 = 1.15;

/// The term that a column is about.
fn define(word: W) -> Option<&'static str> {
    Some(match word {
        W::Arena => "arena",
        W::Bound => "bound",
        W::Peak => "peak",
        W::Naive => "naive",
        W::Copied => "copied",
        W::Steps => "step",
        _ => return None,
    })
}

/// The rows.
#[component]
pub(super) fn Rows(found: Memo<Option<Arc<Staged>>>) -> impl IntoView {
    let session = session();
    let heads = [
        (W::Arena, None),
        (W::Saved, None),
        (W::Bound, None),
        (W::Peak, None),
        (W::Naive, Some(W::NaiveHint)),
        (W::Blocks, Some(W::BlocksHint)),
        (W::Copied, Some(W::CopiedHint)),
        (W::Steps, None),
        (W::Rewrites, None),
    ];
    let head = move || {
        let head = heads.map(|(word, hint)| {
            let hint = hint.map(|hint| session.say(hint));
            let define = define(word);
            view! { <th scope="col" class="number" title=hint data-define=define>{session.say(word)}</th> }
        });
        head.collect_view()
    };
    let by = move || {
        let strategy = found.with(|it| it.as_ref().map(|it| it.strategy.name()));
        filled(session.say(W::PlannedBy), &[strategy.unwrap_or_default()])
    };
    view! {
        <p class="hint">{by}</p>
        <div class="wide">
            <table class="stage-rows">
                <thead>
                    <tr>
                        <th scope="col" data-define="stage">{move || session.say(W::Stage)}</th>
                        <th scope="col" class="bars"></th>
                        {head}
                        <th></th>
                    </tr>
                </thead>
                <tbody>{move || found.get().map(|staged| body(session, &staged))}</tbody>
            </table>
        </div>
    }
}

fn body(session: Session, staged: &Arc<Staged>) -> impl IntoView + use<> {
    let longest = staged.rows.iter().filter_map(|row| row.arena.as_ref().ok());
    let longest = to_f64(longest.map(|bytes| bytes.0).max().unwrap_or(1).max(1));
    let first = staged.rows.first();
    let naive = first.map_or(Bytes::ZERO, |row| row.figures.naive);
    let broken = to_f64(naive.0) > BROKEN * longest;
    let full = match broken {
        true => longest * OVER,
        false => longest.max(to_f64(naive.0)),
    };
    let model = first.filter(|row| row.pass.is_none());
    let model = model.map(|row| stage(session, staged, (row, 0), full));
    // What cannot change a program is not on offer.
    let applies = |pass: &Pass| {
        let prepared = session.prepared.get();
        let program = prepared.as_ref().and_then(|it| it.subject.program.as_ref());
        program.is_none_or(|program| pass.applies(program))
    };
    let optional = passes::optional().filter(|(_, pass)| applies(pass));
    let optional = optional.map(|(number, pass)| {
        let of_pass = |row: &&StageRow| row.pass.map(usize::from) == Some(number);
        let place = staged.rows.iter().position(|row| of_pass(&row));
        match place.and_then(|place| Some((staged.rows.get(place)?, place))) {
            Some((row, place)) => stage(session, staged, (row, place), full),
            None => unchosen(session, number, pass),
        }
    });
    let without = first.map(|_| {
        view! {
            <tr class="naive">
                <th scope="row">{session.say(W::NoReuse)}</th>
                <td class="bars"><Bar length=to_f64(naive.0).min(full) / full before=0.0 broken bound=0.0/></td>
                <td class="number" data-label=session.say(W::Arena) title=format::exact(naive.0)>{format::bytes(naive.0)}</td>
                <td colspan="9"></td>
            </tr>
        }
    });
    view! { {without} {model} {optional.collect_view()} }
}

/// A pass that is not chosen.
fn unchosen(session: Session, number: usize, pass: &'static Pass) -> AnyView {
    view! {
        <tr class="off" data-stage=pass.name>
            <th scope="row">
                {switch(session, number, pass)}
                {strings::pass(pass.name).map_or(pass.name, |(name, _)| session.say(name))}
            </th>
            <td colspan="11"></td>
        </tr>
    }
    .into_any()
}

/// The box of a pass, and the rule that it follows.
fn switch(session: Session, number: usize, pass: &'static Pass) -> impl IntoView {
    let called = strings::pass(pass.name);
    let hint = called.map(|(_, hint)| session.say(hint));
    let name = called.map_or(pass.name, |(name, _)| session.say(name));
    let chosen = move || session.settings.get().passes.has(number);
    let check = move |event: Event| {
        let rule = event_target_checked(&event).then_some(0);
        SWITCHED.set(Some(pass.name));
        act(session, Setting::Pass(number, rule));
    };
    let input = NodeRef::<Input>::new();
    input.on_load(move |input| keep_focus(pass, input));
    view! {
        <label class="check" title=hint>
            <input
                type="checkbox"
                id=pass.name.replace('_', "-")
                node_ref=input
                prop:checked=chosen
                on:change=check
                aria-label=name
            />
        </label>
    }
}

thread_local! {
    /// The pass that was switched last.
    static SWITCHED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The table is another one once the figures are there: the switch that was pressed keeps the
/// focus, unless it is elsewhere meanwhile.
fn keep_focus(pass: &'static Pass, input: HtmlInputElement) {
    if SWITCHED.get() != Some(pass.name) {
        return;
    }
    SWITCHED.set(None);
    let frame = request_animation_frame(move |_| {
        let active = document().active_element();
        if active.is_none_or(|active| active.tag_name() == "BODY") {
            // Refused only for what is not in the page any longer.
            let _ = input.focus();
        }
    });
    StoredValue::new_local(frame);
}

fn stage(
    session: Session,
    staged: &Arc<Staged>,
    (row, place): (&StageRow, usize),
    full: f64,
) -> AnyView {
    let number = row.pass.map(usize::from);
    let pass = number.and_then(|number| Some((number, passes::ALL.get(number)?)));
    let (all, also) = (Arc::clone(staged), Arc::clone(staged));
    let shown = move || current(session, &also) == place;
    let pressed = shown.clone();
    let before = place.checked_sub(1).and_then(|it| staged.rows.get(it));
    let before = before.and_then(|row| row.arena.as_ref().ok());
    let until = row.until();
    let rules = pass.filter(|(_, pass)| pass.rules.len() > 1);
    view! {
        <tr
            data-stage=row.name()
            data-arena=row.arena.as_ref().ok().map(|bytes| bytes.0.to_string())
            aria-current=move || shown().then_some("true")
        >
            <th scope="row">
                {pass.map(|(number, pass)| switch(session, number, pass))}
                <button
                    class="link"
                    aria-pressed=move || pressed().to_string()
                    title=pass.is_none().then(|| session.say(W::ModelHint))
                    on:click=move |_| turn(session, &all, place)
                >
                    {name(session, row)}
                </button>
                {rules.map(|(row, pass)| view! { <RuleChoice row pass id=format!("stage-{}-rule", pass.name)/> })}
            </th>
            <td class="bars">{bar(row, before, full)}</td>
            {figures(session, row, before)}
            <td>
                <button
                    class="quiet"
                    title=session.say(W::BesideHint)
                    on:click=move |_| act(session, Action::Stages(StagesAction::Beside(until)))
                >
                    {session.say(W::Beside)}
                </button>
            </td>
        </tr>
    }
    .into_any()
}

fn bar(row: &StageRow, before: Option<&Bytes>, full: f64) -> Option<impl IntoView + use<>> {
    let arena = to_f64(row.arena.as_ref().ok()?.0);
    let before = before.map_or(0.0, |bytes| to_f64(bytes.0) / full);
    let bound = to_f64(row.figures.bound.0) / full;
    Some(view! { <Bar length=arena / full before broken=false bound/> })
}

/// A bar; all lengths are shares of the room. `before` is where the bar of the stage before ended.
#[component]
fn Bar(length: f64, before: f64, broken: bool, bound: f64) -> impl IntoView {
    let percent = |share: f64| format!("{:.3}%", share * 100.0);
    let (saved, more) = ((before - length).max(0.0), (length - before).max(0.0));
    let grown = (before > 0.0 && more > 0.0).then(|| {
        view! { <i class="more" style:left=percent(before) style:width=percent(more)></i> }
    });
    let saved = (saved > 0.0).then(|| {
        view! { <i class="saved" style:left=percent(length) style:width=percent(saved)></i> }
    });
    let bound = (bound > 0.0).then(|| view! { <i class="bound" style:left=percent(bound)></i> });
    view! {
        <div class="arena-bar" aria-hidden="true">
            <i class="taken" class:broken=broken style:width=percent(length)></i>
            {grown}
            {saved}
            {bound}
        </div>
    }
}

fn figures(session: Session, row: &StageRow, before: Option<&Bytes>) -> AnyView {
    let figures = row.figures;
    let changed = row.arena.as_ref().ok().zip(before);
    let changed = changed.map(|(now, before)| difference(session, *now, *before));
    let bytes = |word: W, bytes: Bytes| {
        let (label, exact) = (session.say(word), format::exact(bytes.0));
        view! { <td class="number" data-label=label title=exact>{format::bytes(bytes.0)}</td> }
    };
    let text = |word: W, text: Option<String>| {
        view! { <td class="number" data-label=session.say(word)>{text}</td> }
    };
    let count = |word: W, count: u64| text(word, Some(format::grouped(count)));
    let arena = match &row.arena {
        Ok(arena) => bytes(W::Arena, *arena).into_any(),
        Err(why) => {
            let says = filled(session.say(W::NoPlan), &[&said(session, why)]);
            view! { <td class="failed">{says}</td> }.into_any()
        }
    };
    view! {
        {arena}
        {text(W::Saved, changed)}
        {bytes(W::Bound, figures.bound)}
        {bytes(W::Peak, figures.peak)}
        {bytes(W::Naive, figures.naive)}
        {count(W::Blocks, figures.allocations)}
        {bytes(W::Copied, figures.copied)}
        {count(W::Steps, row.steps.0)}
        {text(W::Rewrites, row.pass.map(|_| format::grouped(row.changes)))}
    }
    .into_any()
}

fn difference(session: Session, now: Bytes, before: Bytes) -> String {
    let (word, bytes) = match now.cmp(&before) {
        std::cmp::Ordering::Less => (W::Less, before.0 - now.0),
        std::cmp::Ordering::Greater => (W::More, now.0 - before.0),
        std::cmp::Ordering::Equal => return session.say(W::Same).to_owned(),
    };
    filled(session.say(word), &[&format::bytes(bytes)])
}
