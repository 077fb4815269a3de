//! The open dump beside another of the same program: what grew, part by part and buffer by
//! buffer.

use std::sync::Arc;

use leptos::html::Input;
use leptos::prelude::*;
use planner::deployed::Arena;
use planner::difference::{Change, Only, Side};
use planner::load::{Fault, LoadError};
use planner::{Bytes, bounds};
use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::overlay::{self, INSETS, Overlay, Words};
use timeline::renderer::Marks;
use timeline::scene::{Fill, Scene};
use timeline::svg;
use worker::Differed;

use super::left_out;
use crate::actions::{Action, DifferenceAction, act};
use crate::drawing::painter::theme;
use crate::format;
use crate::links::files::Given;
use crate::state::difference::{Found, Other};
use crate::state::session::{Session, session, to_f64};
use crate::take_home::report::part_word;
use crate::words::{self, DifferenceWord as W, GivenWord, Word, filled};

/// Rows of the table.
const ROWS: usize = 200;

/// The most buffers of a picture.
const DRAWN: usize = 5_000;

/// Size of a picture in CSS pixels.
const PICTURE: (f64, f64) = (720.0, 260.0);

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
    let deployed = move || {
        let file = session.file.read();
        file.as_ref().is_some_and(|file| file.opened.deployed)
    };
    let chosen = move |_| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        if let Some(list) = input.files() {
            let files = Given::all(&list);
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
            <Show
                when=deployed
                fallback=move || view! { <p class="empty">{move || session.say(W::NoDump)}</p> }
            >
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
                {move || session.differences.other.get().map(|other| found(session, other))}
            </Show>
        </section>
    }
}

fn found(session: Session, other: Other) -> AnyView {
    let close = move |_| act(session, Action::Differ(DifferenceAction::Close));
    let closing = view! { <button on:click=close>{session.say(W::Close)}</button> };
    match other.found.clone() {
        Found::Waiting => {
            let waiting = filled(session.say(W::Waiting), &[&other.name]);
            let cancel = session.say(Word::Cancel);
            view! {
                <p role="status"><progress></progress> " " {waiting} " " <button on:click=close>{cancel}</button></p>
            }
            .into_any()
        }
        Found::Refused(error) => {
            let (fault, remedy) = words::fault(error.kind);
            let remedy = match error.kind {
                Fault::Partner => session.say(GivenWord::WaitsHere),
                _ => session.say(remedy),
            };
            let still = still_waiting(session, &other, &error);
            let refused = filled(session.say(Word::Refused), &[&other.name]);
            let at = filled(session.say(Word::At), &[&error.place, &error.message]);
            view! {
                <div class="wrong" role="alert">
                    <p>{refused} " " {session.say(fault)}</p>
                    <p>{at}</p>
                    <p>{remedy}</p>
                    {still}
                    {closing}
                </div>
            }
            .into_any()
        }
        Found::Crashed(reason) => {
            let text = filled(session.say(Word::Crashed), &[&reason]);
            view! { <div class="wrong" role="alert"><p>{text}</p>{closing}</div> }.into_any()
        }
        Found::There(differed) => {
            let word = if other.opened_is_after {
                W::Turn
            } else {
                W::TurnBack
            };
            let turn = move |_| act(session, Action::Differ(DifferenceAction::Turn));
            view! {
                <p class="pair">
                    <b>{other.name.clone()}</b>
                    <button on:click=turn>{session.say(word)}</button>
                    {closing}
                </p>
                {report(session, &other, &differed)}
            }
            .into_any()
        }
    }
}

/// What else waits beside the file that is said to.
fn still_waiting(session: Session, other: &Other, error: &LoadError) -> Vec<AnyView> {
    let all = other.waiting.iter();
    let unsaid = all.filter(|name| error.kind != Fault::Partner || **name != other.name);
    let said = |name: &String| {
        let text = filled(session.say(GivenWord::StillHere), &[name]);
        view! { <p>{text}</p> }.into_any()
    };
    unsaid.map(said).collect()
}

fn report(session: Session, other: &Other, differed: &Arc<Differed>) -> impl IntoView + use<> {
    let dumps = &differed.dumps;
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
    let few = dumps.has_few_pairs();
    let few =
        few.then(|| view! { <p class="few warning" role="status">{session.say(W::FewPairs)}</p> });
    view! {
        <p class="verdict"><b>{verdict(session, differed)}</b></p>
        {few}
        {parts(session, differed)}
        <ul class="counts">{counts.map(|count| view! { <li>{count}</li> }).collect_view()}</ul>
        {pictures(session, other, differed)}
        {buffers(session, other, differed)}
    }
}

/// What changed and what is new or gone; nothing where all is as it was.
fn buffers(session: Session, other: &Other, differed: &Arc<Differed>) -> Option<AnyView> {
    let dumps = &differed.dumps;
    let all = dumps.changed.len() + dumps.only.len();
    if all == 0 {
        return None;
    }
    let rows = dumps
        .changed
        .iter()
        .map(|it| changed(session, other, differed, it));
    let only = dumps
        .only
        .iter()
        .map(|it| alone(session, other, differed, it));
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

fn verdict(session: Session, differed: &Differed) -> String {
    let (before, after) = &differed.dumps.waste;
    let words = match before.reserved {
        true => [W::ReservedGrew, W::ReservedShrank, W::ReservedSame],
        false => [W::Grew, W::Shrank, W::Same],
    };
    let (before, after) = (before.arena.0, after.arena.0);
    let [grew, shrank, same] = words;
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
fn parts(session: Session, differed: &Differed) -> impl IntoView + use<> {
    let (before, after) = &differed.dumps.waste;
    let whole = |bytes: Bytes| i64::try_from(bytes.0).unwrap_or(i64::MAX);
    let heads = [W::Before, W::After, W::GrewBy].map(|word| session.say(word));
    let row = |name: &str, before: i64, after: i64| {
        let signed = |bytes: i64| match bytes {
            0.. => format::exact(bytes.unsigned_abs()),
            _ => format!("−{}", format::exact(bytes.unsigned_abs())),
        };
        let growth = after.saturating_sub(before);
        let plus = if growth > 0 { "+" } else { "" };
        view! {
            <tr>
                <th scope="row">{name.to_owned()}</th>
                <td class="number" data-label=heads[0]>{signed(before)}</td>
                <td class="number" data-label=heads[1]>{signed(after)}</td>
                <td class="number" data-label=heads[2]>{plus}{signed(growth)}</td>
            </tr>
        }
    };
    let pairs = before.parts.iter().zip(&after.parts);
    let some = pairs.filter(|(before, after)| before.bytes != 0 || after.bytes != 0);
    let rows = some.map(|(before, after)| {
        let name = session.say(part_word(before.kind));
        row(name, before.bytes, after.bytes)
    });
    let rows = rows.collect_view();
    let bounds = differed.dumps.bounds;
    let total = match before.reserved {
        true => session.say(W::Reserved),
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
                {row(session.say(W::Bound), whole(bounds.0), whole(bounds.1))}
            </tbody>
        </table>
    }
}

fn name(arena: &Arena, index: usize) -> String {
    let buffer = arena.lifetimes.buffers.get(index);
    buffer.map(|buffer| buffer.name.clone()).unwrap_or_default()
}

/// A buffer of what is open is a link to its rectangle.
fn named(session: Session, name: String, opened: Option<usize>) -> AnyView {
    match opened {
        Some(index) => {
            let select = move |_| act(session, Action::Select(Some(index)));
            view! { <button class="link" on:click=select>{name}</button> }.into_any()
        }
        None => name.into_any(),
    }
}

/// A row's numbers; where there is no room for heads over them, each says what it is.
fn figures(session: Session, values: [String; 6]) -> impl IntoView + use<> {
    let pairs = FIGURES.into_iter().zip(values);
    let cell =
        |(word, value)| view! { <td class="number" data-label=session.say(word)>{value}</td> };
    pairs.map(cell).collect_view()
}

fn changed(session: Session, other: &Other, differed: &Differed, it: &Change) -> AnyView {
    let from = name(&differed.before, it.pair.before);
    let to = name(&differed.after, it.pair.after);
    let opened = match other.opened_is_after {
        true => it.pair.after,
        false => it.pair.before,
    };
    let was = (from != to).then(|| filled(session.say(W::WasCalled), &[&from]));
    let hint = it.pair.how.is_guess().then(|| session.say(W::Guessed));
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
                {named(session, to, Some(opened))}
                {was.map(|was| view! { " " <span class="soft" title=hint>{was}</span> })}
            </th>
            <td>{session.say(W::Changed)}</td>
            {figures(session, values)}
        </tr>
    }
    .into_any()
}

fn alone(session: Session, other: &Other, differed: &Differed, it: &Only) -> AnyView {
    let is_after = it.side == Side::After;
    let arena = if is_after {
        &differed.after
    } else {
        &differed.before
    };
    let opened = (is_after == other.opened_is_after).then_some(it.buffer);
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
            <th scope="row">{named(session, name(arena, it.buffer), opened)}</th>
            <td>{session.say(word)}</td>
            {figures(session, values)}
        </tr>
    }
    .into_any()
}

/// Both dumps on the same axes.
fn pictures(session: Session, other: &Other, differed: &Differed) -> AnyView {
    let most = differed.before.lifetimes.buffers.len();
    let most = most.max(differed.after.lifetimes.buffers.len());
    if most > DRAWN {
        let text = filled(
            session.say(W::NoPictures),
            &[&format::grouped(DRAWN as u64)],
        );
        return view! { <p class="soft">{text}</p> }.into_any();
    }
    let opened = session.file.with_untracked(|file| {
        file.as_ref()
            .map(|file| file.name.clone())
            .unwrap_or_default()
    });
    let (before, after) = match other.opened_is_after {
        true => (other.name.clone(), opened),
        false => (opened, other.name.clone()),
    };
    let scenes = [&differed.before, &differed.after].map(scene);
    let mut extents = scenes[0].extents;
    extents.horizon = extents.horizon.max(scenes[1].extents.horizon);
    extents.top = extents.top.max(scenes[1].extents.top);
    let camera = Camera::fitted(extents, PICTURE.0, PICTURE.1, INSETS);
    let theme = theme(session.is_dark());
    let [first, second] = &scenes;
    let words = [Word::Bound, Word::Arena].map(|word| session.say(word));
    let figure = |(scene, arena): (&Scene, &Arena), word: W, name: &str| {
        let title = filled(session.say(word), &[name]);
        let over = over(scene, arena, &camera, words);
        let svg = svg::write(scene, &camera, &theme, &over, &title);
        view! { <figure><div inner_html=svg></div><figcaption>{title}</figcaption></figure> }
    };
    view! {
        <div class="two-pictures">
            {figure((first, &differed.before), W::PictureBefore, &before)}
            {figure((second, &differed.after), W::PictureAfter, &after)}
        </div>
    }
    .into_any()
}

/// Rulers and names over a picture; `words` are those for the bound and the arena.
fn over(scene: &Scene, arena: &Arena, camera: &Camera, words: [&str; 2]) -> Overlay {
    let words = Words {
        step: &|_| None,
        buffer: &|index| name(arena, index),
        bound: words[0],
        arena: words[1],
        pool: &|_| String::new(),
        bytes: ByteStyle::Binary,
    };
    overlay::overlay(scene, camera, &words, Marks::default())
}

fn scene(arena: &Arena) -> Scene {
    let bounds = bounds::aligned(&arena.lifetimes, Bytes(1));
    // Colours by turn, so that neighbours can be distinguished.
    let fill = |index: usize| Fill {
        color: u8::try_from(index % 8).unwrap_or(0),
        pattern: 0,
    };
    Scene::new(&arena.lifetimes, &arena.plan, &bounds, &fill)
}
