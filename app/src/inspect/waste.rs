//! Where the bytes of an arena go: a bar, and a table whose rows light up what makes them.

use std::sync::Arc;

use conversation::{Action, Column, InsightAction, Lit};
use leptos::prelude::*;
use planner::waste::{Part, WasteKind};
use timeline::palette::readable_on;
use worker::Explained;

use crate::document::legend::css;
use crate::drawing::beside::is_narrow;
use crate::drawing::painter::theme;
use crate::inspect::beside::Beside;
use crate::inspect::peak_answer::PeakAnswer;
use crate::inspect::refusals::Refusals;
use crate::inspect::reliefs::Peak;
use crate::lazy::tab;
use crate::state::coloring::part_color;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{DifferenceWord, InsightWord, Word, filled};
use crate::text::title::title;
use crate::{format, strings};

tab!(waste, Word::Waste, Waste);

/// The tab.
#[component]
fn Waste() -> impl IntoView {
    let session = session();
    let target = Memo::new(move |_| session.target());
    let explained = Memo::new(move |_| {
        let column = target.get()?;
        Some((column, session.explained(column)?))
    });
    let split = move || {
        let Some((column, explained)) = explained.get() else {
            let word = match target.get() {
                Some(_) => InsightWord::WasteWaits,
                None => InsightWord::WasteNoPlan,
            };
            return view! { <p class="empty" role="status">{session.say(word)}</p> }.into_any();
        };
        if let Some(rules) = broken(session, column) {
            let says = filled(
                session.say(InsightWord::WasteInvalid),
                &[&rules.to_string()],
            );
            return view! { <p class="empty" data-invalid=rules.to_string()>{says}</p> }.into_any();
        }
        split(session, column, &explained).into_any()
    };
    view! {
        <PeakAnswer/>
        <div class="waste">
            <section><Refusals/> {split}</section>
            <Beside/>
            <Peak explained/>
        </div>
    }
}

/// How many rules a plan breaks, if it does: it may lie below every bound, and nothing splits it.
fn broken(session: Session, column: Column) -> Option<usize> {
    let planned = session.planned(column)?;
    Some(planned.judged.violations.len()).filter(|rules| *rules > 0)
}

fn split(session: Session, column: Column, explained: &Arc<Explained>) -> impl IntoView + use<> {
    let waste = &explained.waste;
    let arena = waste.arena.0;
    let size = format::bytes(arena);
    let heading = filled(
        session.say(InsightWord::WasteTitle),
        &[&size, &title(session, column)],
    );
    // Fragmentation is what people look for: that there is none is worth a line of its own, and
    // so is that something is not known.
    let worth = |kind: WasteKind| kind.is_free() || kind == WasteKind::NotListed;
    let folded = |part: &&Part| part.bytes == 0 && !worth(part.kind);
    let rows = waste.parts.iter().filter(|part| !folded(part));
    let rows: Vec<_> = rows
        .map(|part| row((session, column), explained, part))
        .collect();
    let nothing = waste.parts.iter().filter(folded);
    let nothing = nothing_row(
        (session, column),
        nothing.collect(),
        waste.fullest.is_some(),
    );
    let most = waste.fullest.as_ref().map(|fullest| {
        let step = fullest.parts.first().map_or(0, |part| part.step.0);
        let says = filled(
            session.say(InsightWord::FullestColumn),
            &[&format::grouped(step)],
        );
        view! { <th scope="col" class="number">{says}</th> }
    });
    let most_sum = waste.fullest.as_ref().map(|fullest| {
        view! { <td class="number" data-fullest=fullest.arena.0.to_string()>{format::exact(fullest.arena.0)}</td> }
    });
    view! {
        <header>
            <h3 data-define="waste">{heading}</h3>
            <p class="hint">{session.say(InsightWord::WasteHint)}</p>
        </header>
        {bar(session, explained)}
        <table class="parts" data-arena=arena.to_string()>
            <thead>
                <tr>
                    <th scope="col">{session.say(InsightWord::PartColumn)}</th>
                    <th scope="col" class="number">{session.say(InsightWord::BytesColumn)}</th>
                    <th scope="col" class="number">{session.say(InsightWord::ShareColumn)}</th>
                    {most}
                    <th scope="col">{session.say(InsightWord::WhyColumn)}</th>
                </tr>
            </thead>
            <tbody>{rows} {nothing}</tbody>
            <tfoot>
                <tr>
                    <th scope="row">{match waste.reserved {
                        true if waste.fullest.is_some() => session.say(InsightWord::NeededPeak),
                        true => session.say(DifferenceWord::Reserved),
                        false => session.say(InsightWord::SumRow),
                    }}</th>
                    <td class="number">{format::exact(arena)}</td>
                    <td class="number">{share(i128::from(arena), arena)}</td>
                    {most_sum}
                    <td>{session.say(InsightWord::SumHint)}</td>
                </tr>
            </tfoot>
        </table>
    }
}

/// What makes the arena, from left to right.
fn bar(session: Session, explained: &Explained) -> impl IntoView + use<> {
    let parts = &explained.waste.parts;
    let arena = explained.waste.arena.0;
    let made: u64 = parts.iter().map(|part| positive(part.bytes)).sum();
    let width = move |bytes: u64| format!("{:.3}%", 100.0 * to_f64(bytes) / to_f64(made.max(1)));
    let segments = parts.iter().filter(|part| part.bytes > 0).map(|part| {
        let kind = part.kind;
        let says = format!(
            "{}: {}",
            session.say(strings::part_of_arena(kind)),
            format::signed(part.bytes)
        );
        view! {
            <span
                class="segment"
                class:lit=move || lit(session, kind)
                data-part=kind.name()
                style=("--part", move || color(session, kind))
                style=("--on-part", move || letters(session, kind))
                title=says
                style:width=width(positive(part.bytes))
                on:click=move |_| turn(session, kind)
            >
                // The style sheet leaves out what has no room.
                <b><span class="named">{session.say(strings::part_of_arena(kind))} " "</span> {share(i128::from(part.bytes), arena)}</b>
            </span>
        }
    });
    let segments = segments.collect_view();
    view! {
        <div class="parts-bar" role="img" aria-label=session.say(InsightWord::BarLabel)>
            {segments}
        </div>
    }
}

/// The parts that have no byte, in one line.
fn nothing_row(
    (session, column): (Session, Column),
    parts: Vec<&Part>,
    twice: bool,
) -> Option<impl IntoView + use<>> {
    let named = parts.iter().enumerate().map(|(index, part)| {
        let comma = (index > 0).then(|| session.say(InsightWord::Comma));
        let why = filled(
            session.say(why(session, part)),
            &[&steps(session, column, part), "0"],
        );
        view! {
            {comma}
            <span data-nothing=part.kind.name() title=why data-define=define(part.kind)>
                {session.say(strings::part_of_arena(part.kind))}
            </span>
        }
    });
    let named = named.collect_view();
    (!parts.is_empty()).then(|| view! {
        <tr class="zero">
            <th scope="row"><span class="part">{session.say(InsightWord::NothingRow)}</span></th>
            <td class="number">{format::signed(0)}</td>
            <td class="number">{share(0, 1)}</td>
            {twice.then(|| view! { <td></td> })}
            <td class="why-part">{named}</td>
        </tr>
    })
}

fn row(
    (session, column): (Session, Column),
    explained: &Explained,
    part: &Part,
) -> impl IntoView + use<> {
    let kind = part.kind;
    let nothing = part.bytes == 0;
    let bytes = i128::from(part.bytes);
    let free_ranges = explained.free_ranges.iter();
    let made = free_ranges.filter(|it| kind.is_made_by(it.segment.map(|it| it.1)));
    let free_ranges = format::grouped(made.count() as u64);
    let step = steps(session, column, part);
    let why = filled(session.say(why(session, part)), &[&step, &free_ranges]);
    let arena = explained.waste.arena.0;
    let named = view! {
        <i class="swatch" data-part=kind.name() style=("--part", move || color(session, kind)) aria-hidden="true"></i>
        {session.say(strings::part_of_arena(kind))}
    };
    let button = match nothing {
        true => view! { <span class="part">{named}</span> }.into_any(),
        false => view! {
            <button
                class="part"
                aria-pressed=move || lit(session, kind).to_string()
                title=session.say(InsightWord::PartShow)
                on:click=move |_| turn(session, kind)
            >
                {named}
            </button>
        }
        .into_any(),
    };
    view! {
        <tr class:zero=nothing data-part=kind.name() data-bytes=part.bytes.to_string()>
            <th scope="row" data-define=define(kind)>{button}</th>
            <td class="number">{format::signed(part.bytes)}</td>
            <td class="number">{share(bytes, arena)}</td>
            {explained.waste.fullest.as_ref().map(|fullest| {
                let bytes = fullest.part(kind).map_or(0, |part| part.bytes);
                view! { <td class="number" data-fullest=bytes.to_string()>{format::signed(bytes)}</td> }
            })}
            <td class="why-part">{why}</td>
        </tr>
    }
}

/// The step at which a part counts; of a plan in pools, which count at a step of their own each,
/// every step with its pool.
fn steps(session: Session, column: Column, part: &Part) -> String {
    let planned = session.planned(column);
    let pools = planned
        .as_ref()
        .and_then(|it| it.judged.plan.pools.as_ref());
    let named = part.pools.iter().filter_map(|(pool, step)| {
        let pool = pools?.declared.get(*pool as usize)?;
        Some(format!("{} ({})", format::grouped(step.0), pool.name))
    });
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => format::grouped(part.step.0),
        false => named.join(session.say(InsightWord::Comma)),
    }
}

/// The term that a part is about.
fn define(kind: WasteKind) -> Option<&'static str> {
    Some(match kind {
        WasteKind::Needed => "peak",
        WasteKind::Padding => "padding",
        WasteKind::Pinned => "pinned",
        WasteKind::WholeLife => "whole-life",
        WasteKind::Pending => "stream",
        WasteKind::Alignment => "alignment",
        WasteKind::Fragmentation => "fragmentation",
        WasteKind::Tail | WasteKind::NotListed => "arena",
        WasteKind::FreeSegments | WasteKind::FreeInside => "segment",
    })
}

/// The colour of a part, and of letters on it.
fn color(session: Session, kind: WasteKind) -> String {
    css(part_color(&theme(session.is_dark()), kind))
}

fn letters(session: Session, kind: WasteKind) -> String {
    css(readable_on(part_color(&theme(session.is_dark()), kind)))
}

fn lit(session: Session, kind: WasteKind) -> bool {
    session.insight.lit.get() == Some(Lit::Part(kind))
}

fn turn(session: Session, kind: WasteKind) {
    let shown = untrack(|| lit(session, kind));
    let part = (!shown).then_some(kind);
    act(session, Action::Insight(InsightAction::Part(part)));
    if !shown {
        bring_picture();
    }
}

/// On a narrow page the pictures lie above the tabs: brings the first of them into view when
/// less than half of it is, at once, without motion.
pub(crate) fn bring_picture() {
    if !is_narrow() {
        return;
    }
    let picture = document().query_selector(".panes .pane").ok().flatten();
    let height = window().inner_height().ok().and_then(|it| it.as_f64());
    let Some((picture, height)) = picture.zip(height) else {
        return;
    };
    let place = picture.get_bounding_client_rect();
    let seen = place.bottom().min(height) - place.top().max(0.0);
    if seen < place.height().min(height) / 2.0 {
        picture.scroll_into_view_with_bool(true);
    }
}

fn positive(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}

fn share(bytes: i128, arena: u64) -> String {
    let size = u64::try_from(bytes.unsigned_abs()).unwrap_or(u64::MAX);
    let sign = if bytes < 0 { "−" } else { "" };
    let share = to_f64(size) / to_f64(arena.max(1));
    format!("{sign}{}", format::percent(share))
}

/// Why a part is there, or that it is not.
fn why(session: Session, part: &Part) -> InsightWord {
    // Nobody placed these: only a text can say so.
    let free = matches!(part.kind, WasteKind::Fragmentation | WasteKind::Tail);
    if free && part.bytes != 0 && session.is_separate() {
        return InsightWord::StatedWhy;
    }
    let (there, none) = match part.kind {
        WasteKind::Needed => (InsightWord::NeededWhy, InsightWord::NeededWhy),
        WasteKind::Padding => (InsightWord::PaddingWhy, InsightWord::PaddingNone),
        WasteKind::Pinned => (InsightWord::PinnedWhy, InsightWord::PinnedNone),
        WasteKind::WholeLife => (InsightWord::WholeLifeWhy, InsightWord::WholeLifeNone),
        WasteKind::Pending => (InsightWord::PendingWhy, InsightWord::PendingNone),
        WasteKind::Alignment => (InsightWord::AlignmentWhy, InsightWord::AlignmentNone),
        WasteKind::FreeSegments => (InsightWord::FreeSegmentsWhy, InsightWord::FreeSegmentsNone),
        // It is listed only where it is there.
        WasteKind::Tail => (InsightWord::TailWhy, InsightWord::TailWhy),
        WasteKind::NotListed => (InsightWord::NotListedWhy, InsightWord::NotListedNone),
        WasteKind::FreeInside => (InsightWord::FreeInsideWhy, InsightWord::FreeInsideNone),
        WasteKind::Fragmentation => (
            InsightWord::FragmentationWhy,
            InsightWord::FragmentationNone,
        ),
    };
    if part.bytes == 0 { none } else { there }
}
