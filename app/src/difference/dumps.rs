//! The open dump beside another of the same program: what grew, part by part and buffer by
//! buffer.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use std::sync::Arc;

use conversation::{Action, Answer, DifferenceAction, Pair, Setting};
use leptos::html::Input;
use leptos::prelude::*;
use planner::Bytes;
use planner::difference::{Change, Dumps, Failed, How, Only, Side};
use planner::load::Fault;
use planner::waste::{Waste, WasteKind};
use worker::{CaseId, Prepared};

use super::growth::growth;
use super::left_out;
use crate::format;
use crate::state::driver::act_in;
use crate::state::driver::all_given;
use crate::strings::{self, DifferenceWord as W, Word, filled};

/// Rows of the table.
const ROWS: usize = 200;

/// The columns of numbers in the table of buffers.
const FIGURES: [W; 6] = [
    W::GrewBy,
    W::SizeBefore,
    W::SizeAfter,
    W::StepsBefore,
    W::StepsAfter,
    W::AtPeak,
];

/// The section.
#[component]
pub(super) fn Dumps() -> impl IntoView {
    let session = session();
    let input = NodeRef::<Input>::new();
    let chosen = move |_| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        if let Some(list) = input.files() {
            let files = all_given(session, &list);
            act(session, Action::Differ(DifferenceAction::Dump(files)));
        }
        // So that the same file can be chosen once more.
        input.set_value("");
    };
    let open = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    view! {
        <section class="dumps" aria-label=move || session.say(W::DumpsTitle)>
            <h3>{move || session.say(W::DumpsTitle)}</h3>
            <p class="soft">{move || session.say(W::DumpsHint)}</p>
            <p>
                <button data-do="other-dump" on:click=open>{move || session.say(W::ChooseDump)}</button>
                <input
                    type="file"
                    id="other-dump"
                    multiple
                    hidden
                    aria-label=move || session.say(W::ChooseDump)
                    node_ref=input
                    on:change=chosen
                />
            </p>
            {move || session.pair.get().map(|pair| found(session, pair))}
        </section>
    }
}

/// What is there instead of it beside a model.
#[component]
pub(super) fn NoDump() -> impl IntoView {
    let session = session();
    view! {
        <section class="dumps" aria-label=move || session.say(W::DumpsTitle)>
            <h3>{move || session.say(W::DumpsTitle)}</h3>
            <p class="empty">{move || session.say(W::NoDump)}</p>
        </section>
    }
}

/// Both sides of a comparison, once both are prepared.
#[derive(Clone)]
struct Sides {
    pair: Pair,
    before: Arc<Prepared>,
    after: Arc<Prepared>,
}

impl Sides {
    fn of(session: Session, pair: Pair) -> Option<Self> {
        session.prepared.track();
        let prepared = |id| session.state(|state| state.case(id).prepared.clone());
        let (before, after) = (prepared(pair.before)?, prepared(pair.after)?);
        Some(Self {
            pair,
            before,
            after,
        })
    }
}

fn found(session: Session, pair: Pair) -> AnyView {
    let close = move |_| act(session, Action::Differ(DifferenceAction::Close));
    let other = pair.other(session.active.get());
    let name = session.state(|state| {
        let file = state.case(other).file.as_ref();
        file.map(|file| file.name.clone()).unwrap_or_default()
    });
    match pair.found.clone() {
        Answer::Unasked | Answer::Working(..) => {
            let waiting = filled(session.say(W::Waiting), &[&name]);
            let cancel = session.say(Word::Cancel);
            view! {
                <p role="status"><progress></progress> " " {waiting} " " <button on:click=close>{cancel}</button></p>
            }
            .into_any()
        }
        Answer::Nothing | Answer::Stopped => {
            let closing = view! { <button on:click=close>{session.say(W::Close)}</button> };
            let (fault, remedy) = strings::fault(Fault::Planless);
            let text = format!("{name}: {}", session.say(fault));
            view! {
                <div class="wrong" role="alert">
                    <p>{text}</p>
                    <p>{session.say(remedy)}</p>
                    {closing}
                </div>
            }
            .into_any()
        }
        Answer::There(dumps) => {
            let word = if pair.after == session.active.get() {
                W::Turn
            } else {
                W::TurnBack
            };
            let turn = move |_| act(session, Action::Differ(DifferenceAction::Turn));
            let sides = Sides::of(session, pair);
            view! {
                <p class="pair">
                    <b>{name}</b>
                    <button on:click=turn>{session.say(word)}</button>
                    <button on:click=close>{session.say(W::Close)}</button>
                </p>
                {sides.map(|sides| report(session, &sides, &dumps))}
            }
            .into_any()
        }
    }
}

fn report(session: Session, sides: &Sides, dumps: &Dumps) -> impl IntoView + use<> {
    let (gone, new): (Vec<&Only>, Vec<&Only>) = dumps
        .only
        .iter()
        .partition(|only| only.side == Side::Before);
    let counts = [
        filled(
            session.say(W::Unchanged),
            &[&format::grouped(dumps.unchanged)],
        ),
        filled(
            session.say(W::ChangedCount),
            &[&format::grouped(dumps.changed.len() as u64)],
        ),
        filled(
            session.say(W::OnlyCount),
            &[&gone.len().to_string(), &new.len().to_string()],
        ),
    ];
    let names = [sides.pair.before, sides.pair.after].map(|id| {
        session.state(|state| {
            let file = state.case(id).file.as_ref();
            file.map(|file| file.name.clone()).unwrap_or_default()
        })
    });
    let order = filled(session.say(W::Order), &names.each_ref().map(String::as_str));
    let few = dumps.has_few_pairs();
    let few =
        few.then(|| view! { <p class="few warning" role="status">{session.say(W::FewPairs)}</p> });
    view! {
        <p class="order">{order}</p>
        {failures(session, dumps)}
        {beside(session, sides, dumps)}
        <p class="verdict"><b>{verdict(session, dumps)}</b></p>
        {few}
        {parts(session, dumps)}
        {growth(session, W::GrowthTitle, &dumps.growth)}
        {growth(session, W::KeptTitle, &dumps.kept)}
        <ul class="counts">{counts.map(|count| view! { <li>{count}</li> }).collect_view()}</ul>
        {buffers(session, sides, dumps)}
    }
}

/// What failed in each; nothing where every request was met.
fn failures(session: Session, dumps: &Dumps) -> Option<impl IntoView + use<>> {
    let (before, after) = &dumps.failed;
    before.last.or(after.last)?;
    let said = |failed: &Failed| match failed.last {
        None => session.say(W::NoneFailed).to_owned(),
        Some(last) => {
            let figures = [
                format::grouped(failed.requests),
                format::bytes(last.asked.0),
                format::grouped(last.step.0),
            ];
            filled(
                session.say(W::SomeFailed),
                &figures.each_ref().map(String::as_str),
            )
        }
    };
    let says = filled(session.say(W::OutOfMemory), &[&said(before), &said(after)]);
    Some(view! { <p class="failed">{says}</p> })
}

/// The columns of arenas.
const HEADS: [W; 4] = [W::Before, W::After, W::GrewBy, W::KeptMore];

/// Every arena of both, those that changed most first, each a way to compare it; nothing where
/// there is only one.
fn beside(session: Session, sides: &Sides, dumps: &Dumps) -> Option<impl IntoView + use<>> {
    if dumps.arenas.is_empty() {
        return None;
    }
    let own = sides.pair.after == session.active.get_untracked();
    let shown = session.settings.with_untracked(|settings| settings.arena);
    let signed = |growth: i128| {
        let sign = if growth < 0 { "−" } else { "+" };
        let bytes = u64::try_from(growth.unsigned_abs()).unwrap_or(u64::MAX);
        format!("{sign}{}", format::exact(bytes))
    };
    let rows = dumps.arenas.iter().map(|it| {
        let (before, after) = it.indices;
        let index = if own { after } else { before };
        let (taken, kept) = it.growth();
        let choose = move |_| {
            if let Some(index) = index {
                act(session, Setting::Arena(index));
            }
        };
        let name = match index {
            Some(_) => {
                let current = (index == Some(shown)).then_some("true");
                view! { <button class="link" aria-current=current on:click=choose>{it.name.clone()}</button> }.into_any()
            }
            None => it.name.clone().into_any(),
        };
        let values = [
            format::exact(it.taken.0.0),
            format::exact(it.taken.1.0),
            signed(taken),
            signed(kept),
        ];
        let cells = HEADS.into_iter().zip(values);
        let cells = cells
            .map(|(word, value)| view! { <td class="number" data-label=session.say(word)>{value}</td> })
            .collect_view();
        view! {
            <tr data-arena=it.name.clone() class:chosen=index == Some(shown)>
                <th scope="row">{name}</th>
                {cells}
            </tr>
        }
    });
    let rows = rows.collect_view();
    let heads = HEADS
        .map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> })
        .collect_view();
    Some(view! {
        <table class="arenas-beside">
            <caption>{session.say(W::ArenasTitle)}</caption>
            <thead><tr><td></td> {heads}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    })
}

/// What changed and what is new or gone; nothing where all is as it was.
fn buffers(session: Session, sides: &Sides, dumps: &Dumps) -> Option<AnyView> {
    let all = dumps.changed.len() + dumps.only.len();
    if all == 0 {
        return None;
    }
    let rows = dumps.changed.iter().map(|it| changed(session, sides, it));
    let only = dumps.only.iter().map(|it| alone(session, sides, it));
    let rows: Vec<AnyView> = rows.chain(only).take(ROWS).collect();
    let figures = FIGURES
        .map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> })
        .collect_view();
    let table = view! {
        <table class="buffers">
            <caption class="unseen">{session.say(W::WhatChanged)}</caption>
            <thead>
                <tr>
                    <th scope="col">{session.say(W::Buffer)}</th>
                    <th scope="col">{session.say(W::WhatChanged)}</th>
                    {figures}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {left_out(session, all.saturating_sub(ROWS))}
    };
    Some(table.into_any())
}

/// What the arena grew by; of allocators' traces first what is needed, then what was reserved.
fn verdict(session: Session, dumps: &Dumps) -> String {
    let (before, after) = &dumps.waste;
    let most = (before.most().0, after.most().0);
    if !before.reserved {
        return grown(session, [W::Grew, W::Shrank, W::Same], most);
    }
    let needed = |waste: &Waste| {
        let part = waste.part(WasteKind::Needed);
        part.and_then(|it| u64::try_from(it.bytes).ok())
    };
    let needed = needed(before).zip(needed(after));
    let needed =
        needed.map(|it| grown(session, [W::NeededGrew, W::NeededShrank, W::NeededSame], it));
    let reserved = [W::ReservedGrew, W::ReservedShrank, W::ReservedSame];
    let sentences = needed.into_iter().chain([grown(session, reserved, most)]);
    sentences.collect::<Vec<_>>().join(" ")
}

fn grown(session: Session, [grew, shrank, same]: [W; 3], (before, after): (u64, u64)) -> String {
    let word = match before.cmp(&after) {
        std::cmp::Ordering::Less => grew,
        std::cmp::Ordering::Greater => shrank,
        std::cmp::Ordering::Equal => {
            return filled(session.say(same), &[&format::exact(after)]);
        }
    };
    let share = to_f64(before.abs_diff(after)) / to_f64(before.max(1));
    let values = [
        format::exact(before.abs_diff(after)),
        format::percent(share),
        format::exact(before),
        format::exact(after),
    ];
    filled(session.say(word), &values.each_ref().map(String::as_str))
}

/// The parts of both arenas; what they grew by sums to what the arena did.
fn parts(session: Session, dumps: &Dumps) -> impl IntoView + use<> {
    let (before, after) = &dumps.waste;
    let whole = |bytes: Bytes| i64::try_from(bytes.0).unwrap_or(i64::MAX);
    let heads = [W::Before, W::After, W::GrewBy].map(|word| session.say(word));
    let row = |name: &str, before: i64, after: i64| {
        let growth = after.saturating_sub(before);
        let plus = if growth > 0 { "+" } else { "" };
        view! {
            <tr>
                <th scope="row">{name.to_owned()}</th>
                <td class="number" data-label=heads[0]>{format::signed(before)}</td>
                <td class="number" data-label=heads[1]>{format::signed(after)}</td>
                <td class="number" data-label=heads[2]>{plus}{format::signed(growth)}</td>
            </tr>
        }
    };
    let some = dumps.parts().into_iter();
    let some = some.filter(|(_, before, after)| *before != 0 || *after != 0);
    let rows = some.map(|(kind, before, after)| {
        let name = session.say(strings::part_of_arena(kind));
        row(name, before, after)
    });
    let rows = rows.collect_view();
    let bounds = dumps.bounds;
    let total = match before.reserved {
        true => session.say(W::ReservedNeeded),
        false => session.say(Word::Arena),
    };
    view! {
        <table class="growth">
            <caption class="unseen">{total}</caption>
            <thead>
                <tr>
                    <td></td>
                    {heads.map(|head| view! { <th scope="col" class="number">{head}</th> }).collect_view()}
                </tr>
            </thead>
            <tbody>
                {rows}
                {row(total, whole(before.arena), whole(after.arena))}
                {before.reserved.then(|| row(session.say(W::Reserved), whole(before.most()), whole(after.most())))}
                {row(session.say(W::Bound), whole(bounds.0), whole(bounds.1))}
            </tbody>
        </table>
    }
}

fn name(prepared: &Prepared, index: usize) -> String {
    prepared.subject.label(index).unwrap_or_default()
}

/// A buffer is a link to its rectangle, which is in the panes of its dump.
fn named(session: Session, name: String, case: CaseId, buffer: usize) -> impl IntoView + use<> {
    let select = move |_| act_in(session, case, Action::Select(Some(buffer)));
    view! { <button class="link" on:click=select>{name}</button> }
}

/// A row's numbers; where there is no room for heads over them, each says what it is.
fn figures(session: Session, values: [String; 6]) -> impl IntoView + use<> {
    let pairs = FIGURES.into_iter().zip(values);
    let cell =
        |(word, value)| view! { <td class="number" data-label=session.say(word)>{value}</td> };
    pairs.map(cell).collect_view()
}

fn changed(session: Session, sides: &Sides, it: &Change) -> AnyView {
    let from = name(&sides.before, it.pair.before);
    let to = name(&sides.after, it.pair.after);
    let was = (from != to).then(|| filled(session.say(W::WasCalled), &[&from]));
    let hint = match it.pair.how {
        How::Name => None,
        How::SizeAndOrder | How::Order => Some(W::Guessed),
        How::StackAndSize => Some(W::ByStack),
        How::Stack => Some(W::ByStackAlone),
    };
    let hint = hint.map(|word| session.say(word));
    let growth = it.growth();
    let sign = if growth < 0 { "−" } else { "+" };
    let bytes = u64::try_from(growth.unsigned_abs()).unwrap_or(u64::MAX);
    let values = [
        format!("{sign}{}", format::exact(bytes)),
        format::exact(it.sizes.0.0),
        format::exact(it.sizes.1.0),
        format::grouped(it.spans.0.len()),
        format::grouped(it.spans.1.len()),
        format::exact(it.at_peak.1.0),
    ];
    view! {
        <tr data-change="changed">
            <th scope="row">
                {named(session, to, sides.pair.after, it.pair.after)}
                {was.map(|was| view! { " " <span class="soft" title=hint>{was}</span> })}
            </th>
            <td>{session.say(W::Changed)}</td>
            {figures(session, values)}
        </tr>
    }
    .into_any()
}

fn alone(session: Session, sides: &Sides, it: &Only) -> AnyView {
    let is_after = it.side == Side::After;
    let (case, prepared) = if is_after {
        (sides.pair.after, &sides.after)
    } else {
        (sides.pair.before, &sides.before)
    };
    let (word, sign) = if is_after {
        (W::New, "+")
    } else {
        (W::Gone, "−")
    };
    let size = format::exact(it.size.0);
    let steps = format::grouped(it.span.len());
    let cell = |there: bool, text: &str| {
        if there {
            text.to_owned()
        } else {
            "–".to_owned()
        }
    };
    let values = [
        format!("{sign}{size}"),
        cell(!is_after, &size),
        cell(is_after, &size),
        cell(!is_after, &steps),
        cell(is_after, &steps),
        format::exact(it.at_peak.0),
    ];
    view! {
        <tr data-change=if is_after { "added" } else { "removed" }>
            <th scope="row">{named(session, name(prepared, it.buffer), case, it.buffer)}</th>
            <td>{session.say(word)}</td>
            {figures(session, values)}
        </tr>
    }
    .into_any()
}
