//! In the inspector: the free range of the point query, and what holds the selected buffer up.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::block;
use crate::text::quantity::{offset_text, size_text};
use crate::text::title::title;
use conversation::{Action, Column, InsightAction, Lit, PlanPosition};
use leptos::prelude::*;
use planner::Step;
use planner::space::{FreeSpot, Rest, Spot};
use planner::waste::WasteKind;
use web_sys::MouseEvent;
use worker::Prepared;

use super::inspector::{buffers, buffers_of};
use crate::format;
use crate::picture::spot::rows;
use crate::strings::{self, InsightWord, Word, filled};
use crate::tables::operators::{BufferLink, keep_focus};

/// A chain names at most this many buffers.
const LINKS: usize = 50;

/// The free range of the point query, if there is one.
#[component]
pub(crate) fn SpotCard() -> impl IntoView {
    let session = session();
    let spot = Memo::new(move |_| session.spot());
    // Stays in the document, so that screen readers announce where the crosshair is.
    let announced = move || {
        let (place, spot) = spot.get()?;
        let at = [format::grouped(place.step.0), offset_text(place.offset)];
        let at = at.each_ref().map(String::as_str);
        let at = filled(session.say(InsightWord::PlaceSays), &at);
        Some(match spot {
            Spot::Empty(free_range) => format!("{at}. {}", heading(session, &free_range)),
            Spot::Held(_) | Spot::NotTaken | Spot::Outside => at,
        })
    };
    let card = move || {
        let prepared = session.prepared.get()?;
        match spot.get()? {
            (place, Spot::Empty(free_range)) => Some(card(session, &prepared, place, &free_range)),
            _ => None,
        }
    };
    view! {
        <p class="unseen" role="status">{announced}</p>
        {card}
    }
}

/// What makes the part of the arena that is lit: its buffers, or its free ranges.
#[component]
pub(crate) fn PartOf() -> impl IntoView {
    let session = session();
    let part = Memo::new(move |_| session.lit_part());
    move || {
        let part = part.get()?;
        let prepared = session.prepared.get()?;
        let column = session.target()?;
        let words = [
            session.say(strings::part_of_arena(part.kind)).to_owned(),
            format::signed(part.bytes),
            format::grouped(part.step.0),
        ];
        let heading = filled(
            session.say(InsightWord::PartTitle),
            &words.each_ref().map(String::as_str),
        );
        let made = match part.kind {
            kind if kind.is_free() => free_ranges(session, column, (kind, part.step)).into_any(),
            _ => buffers_of(session, &prepared, &part.buffers, |it| part.bytes_of(it)),
        };
        let off = move |_| act(session, Action::Insight(InsightAction::Clear));
        Some(view! {
            <section class="part-of">
                <h3>{heading}</h3>
                {made}
                <p><button on:click=off>{session.say(InsightWord::PartOff)}</button></p>
            </section>
        })
    }
}

/// The free ranges of the plan at the step where it is highest, as buttons that ask about them.
fn free_ranges(
    session: Session,
    column: Column,
    (kind, step): (WasteKind, Step),
) -> impl IntoView + use<> {
    let explained = session.explained(column);
    let free_ranges = explained
        .iter()
        .flat_map(|explained| &explained.free_ranges)
        .filter(|range| kind.is_made_by(range.segment.map(|it| it.1)));
    let links = free_ranges.take(LINKS).map(|free_range| {
        let place = PlanPosition {
            column,
            step,
            offset: free_range.low,
        };
        let ask = move |event: MouseEvent| {
            keep_focus(&event);
            act(session, Action::Insight(InsightAction::Ask(Some(place))));
        };
        let words = [size_text(free_range.height().0), offset_text(free_range.low)];
        let says = filled(
            session.say(InsightWord::FreeRangeOf),
            &words.each_ref().map(String::as_str),
        );
        view! {
            <li>
                <button class="link" data-hole=free_range.low.0.to_string() on:click=ask>{says}</button>
            </li>
        }
    });
    view! { <ul>{links.collect_view()}</ul> }
}

fn heading(session: Session, free_range: &FreeSpot) -> String {
    let height = size_text(free_range.height().0);
    filled(session.say(InsightWord::FreeRangeTitle), &[&height])
}

fn card(
    session: Session,
    prepared: &Prepared,
    place: PlanPosition,
    free_range: &FreeSpot,
) -> impl IntoView + use<> {
    let facts = rows(session, free_range)
        .map(|(word, value)| view! { <dt>{session.say(word)}</dt> <dd>{value}</dd> })
        .collect_view();
    let around = [
        (InsightWord::AboveIt, free_range.above, InsightWord::Top),
        (InsightWord::BelowIt, free_range.below, InsightWord::Floor),
        (
            InsightWord::BeforeIt,
            free_range.before,
            InsightWord::FromStart,
        ),
        (InsightWord::AfterIt, free_range.after, InsightWord::ToEnd),
    ];
    let around = around.map(|(word, neighbour, none)| {
        let link = match neighbour {
            Some(index) => buffers(session, prepared, &[index]),
            None => session.say(none).into_any(),
        };
        view! { <dt>{session.say(word)}</dt> <dd data-side=format!("{word:?}")>{link}</dd> }
    });
    let count = format::grouped(free_range.fitting_count);
    let fits = match free_range.fitting.first() {
        None => view! { <p>{block::say(session, InsightWord::FitNone)}</p> }.into_any(),
        Some(&largest) => view! {
            <dl>
                <dt>{session.say(InsightWord::FitLargest)}</dt>
                <dd>{buffers(session, prepared, &[largest])}</dd>
            </dl>
            <details class="fitting">
                <summary>{filled(&block::say(session, InsightWord::FitCount), &[&count])}</summary>
                {buffers(session, prepared, &free_range.fitting)}
            </details>
        }
        .into_any(),
    };
    let close = move |_| act(session, Action::Insight(InsightAction::Clear));
    view! {
        <section class="spot" data-low=free_range.low.0.to_string() data-high=free_range.high.0.to_string()>
            <header>
                <h3 data-define="free-range">{heading(session, free_range)}</h3>
                <button
                    class="quiet"
                    aria-label=session.say(InsightWord::CloseFreeRange)
                    title=session.say(InsightWord::CloseFreeRange)
                    on:click=close
                >
                    "×"
                </button>
            </header>
            <p class="hint">{title(session, place.column)}</p>
            <dl>{facts} {around.collect_view()}</dl>
            {fits}
        </section>
    }
}

/// What holds the selected buffer up in the plan that the buttons are about.
#[component]
pub(crate) fn ChainOf() -> impl IntoView {
    let session = session();
    let chain = Memo::new(move |_| session.chain());
    let lit = move || session.insight.lit.get() == Some(Lit::Chain);
    let turn = move |_| {
        let on = !untrack(lit);
        act(
            session,
            Action::Insight(InsightAction::Light(on.then_some(Lit::Chain))),
        );
    };
    move || {
        let prepared = session.prepared.get()?;
        let column = session.target()?;
        let chain = chain.get().filter(|chain| !chain.is_empty())?;
        let links: Vec<_> = chain
            .iter()
            .take(LINKS)
            .filter_map(|rest| link(session, &prepared, rest))
            .collect();
        let more = chain.len().checked_sub(LINKS).filter(|more| *more > 0);
        let more = more.map(|more| {
            let more = format::grouped(more as u64);
            view! { <li>{filled(session.say(Word::AndMore), &[&more])}</li> }
        });
        let heading = filled(
            session.say(InsightWord::ChainTitle),
            &[&title(session, column)],
        );
        Some(view! {
            <h3>{heading}</h3>
            <p class="hint">{block::say(session, InsightWord::ChainHint)}</p>
            <ol class="chain">{links} {more}</ol>
            <p>
                <button aria-pressed=move || lit().to_string() on:click=turn>
                    {session.say(InsightWord::ChainShow)}
                </button>
            </p>
        })
    }
}

/// One link, and what is under it.
fn link(session: Session, prepared: &Prepared, rest: &Rest) -> Option<impl IntoView + use<>> {
    let index = rest.buffer;
    let buffer = prepared.subject.lifetimes.buffers.get(index)?;
    let (name, size) = (buffer.name.clone(), format::bytes(buffer.size.0));
    let label = prepared.subject.label(index)?;
    let air = size_text(rest.air.0);
    let below = if rest.loose {
        Some(filled(session.say(InsightWord::ChainLoose), &[&air]))
    } else if rest.air.0 > 0 {
        Some(filled(session.say(InsightWord::ChainAir), &[&air]))
    } else {
        None
    };
    Some(view! {
        <li data-link=name>
            <BufferLink index name=label/> " " <span class="size">{size}</span>
            {below.map(|below| view! { " " <span class="size">{below}</span> })}
        </li>
    })
}
