//! Everything known of the selected buffer; with nothing selected, the peak that no plan can
//! go below, or what was held when a request failed.

use std::cmp::Reverse;

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::block;
use crate::text::quantity::{offset_text, shape_text, size_text, steps_text};
use crate::text::title::title;
use crate::text::wiring::Wiring;
use conversation::{Action, InsightAction, Lit, PlanningAction};

use leptos::prelude::*;
use planner::grouping::{Moment, held};
use planner::space::Spot;
use planner::{Buffer, Bytes, Step, space};
use worker::{Planned, Prepared};

use super::provenance;
use super::spot_card::{ChainOf, PartOf, SpotCard};
use crate::compare::badge::{self, Badge};
use crate::compare::bounds;
use crate::document::constraints;
use crate::document::pools::{address_in_pool, pool_of};
use crate::format;
use crate::picture::minimap::{ShownPlans, shown_plans};
use crate::strings::{self, ConstraintWord, Word, filled};
use crate::tables::operators::{BufferLink, look_at_step};
use crate::what_if::WhatIf;

/// A list names at most this many buffers or operators.
const LISTED: usize = 50;

/// The pane.
#[component]
pub(crate) fn Inspector() -> impl IntoView {
    let session = session();
    let plans = Memo::new(move |_| shown_plans(session));
    let there = Memo::new(move |_| {
        let index = session.selected.get()?;
        let count = session.with_lifetimes(|lifetimes| lifetimes.buffers.len())?;
        (index < count).then_some(index)
    });
    let found = move || {
        let prepared = session.prepared.get()?;
        let index = there.get()?;
        let buffer = prepared.subject.lifetimes.buffers.get(index)?.clone();
        Some((prepared, index, buffer))
    };
    // Stays in the document, so that screen readers announce what was selected by keyboard.
    let announced = move || {
        let (prepared, index, buffer) = found()?;
        let name = prepared.subject.label(index)?;
        let steps = steps_text(session, buffer.span);
        Some(format!("{name}, {}, {steps}", format::bytes(buffer.size.0)))
    };
    // Each part follows what it shows: a change by hand leaves the others as they are.
    let facts = move || {
        let (prepared, index, buffer) = found()?;
        Some(facts(session, &prepared, &buffer, index))
    };
    let places = move || {
        let index = there.get()?;
        Some(plans.with(|plans| places(session, plans, index)))
    };
    let around = move || {
        let prepared = session.prepared.get()?;
        let index = there.get()?;
        plans.with(|plans| around(session, &prepared, plans, index))
    };
    let nothing = move || {
        let part = matches!(session.insight.lit.get(), Some(Lit::Part(_)));
        let asked = part || session.insight.spot.get().is_some();
        let nothing = there.get().is_none() && !asked;
        nothing.then(|| {
            view! {
                <p class="empty">{session.say(Word::NothingSelected)}</p>
                {peak(session)}
            }
        })
    };
    // Where the page is one column, what was asked comes as a sheet over its lower part.
    let asked = Memo::new(move |_| {
        let empty = |(_, spot): (_, Spot)| matches!(spot, Spot::Empty(_));
        there.get().is_some() || session.spot().is_some_and(empty)
    });
    view! {
        <section
            class="inspector"
            tabindex="-1"
            data-keeps-focus="true"
            data-asked=move || asked.get().to_string()
            aria-label=move || session.say(Word::Inspector)
        >
            <h2>{move || session.say(Word::Inspector)}</h2>
            <Closed/>
            <p class="unseen" role="status">{announced}</p>
            <PartOf/>
            <SpotCard/>
            {facts}
            {places}
            {around}
            <WhatIf/>
            <ChainOf/>
            {nothing}
        </section>
    }
}

/// Closes the sheet: nothing is asked any more.
#[component]
fn Closed() -> impl IntoView {
    let session = session();
    let close = move |_| {
        act(session, Action::Insight(InsightAction::Clear));
        act(session, Action::Select(None));
    };
    view! {
        <button
            class="close"
            data-do="deselect"
            aria-label=move || session.say(Word::Close)
            title=move || session.say(Word::Close)
            on:click=close
        >
            "×"
        </button>
    }
}

/// What is known of a buffer whatever the plan.
fn facts(
    session: Session,
    prepared: &Prepared,
    buffer: &Buffer,
    index: usize,
) -> impl IntoView + use<> {
    let subject = &prepared.subject;
    let wiring = Wiring::new(subject, buffer);
    let graph = subject.graph();
    let tensor = graph
        .zip(subject.tensor(buffer))
        .and_then(|(graph, id)| graph.tensors.get(id.index()));
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    if let Some(tensor) = tensor {
        rows.push((
            session.say(Word::RoleColumn),
            session.say(strings::role(tensor.role)).to_owned(),
        ));
    }
    if let Some(shape) = shape_text(subject, index) {
        rows.push((session.say(Word::ShapeColumn), shape));
    }
    rows.push((session.say(Word::Payload), size_text(buffer.payload.0)));
    rows.push((session.say(Word::Reserved), size_text(buffer.size.0)));
    rows.push((
        session.say(Word::LiveSteps),
        steps_text(session, buffer.span),
    ));
    if buffer.alignment.0 > 1 {
        rows.push((
            session.say(Word::Alignment),
            format::exact(buffer.alignment.0),
        ));
    }
    let asked = constraints::facts(session, &subject.lifetimes, (buffer, index));
    let rows = rows.into_iter().chain(asked).map(|(name, value)| {
        view! { <dt data-define=define(session, name)>{name}</dt> <dd>{value}</dd> }
    });
    let rows = rows.collect_view();
    let noted = provenance::rows(session, subject, index);
    let noted = noted.into_iter().map(|(name, value)| {
        view! { <dt>{name}</dt> <dd>{value}</dd> }
    });
    let noted = noted.collect_view();
    let stack = provenance::stack(session, subject, index);
    let wired = graph.is_some().then(|| {
        view! {
            <dt>{session.say(Word::Producer)}</dt>
            <dd>{operators(session, prepared, wiring.producer.as_slice())}</dd>
            <dt>{session.say(Word::Consumers)}</dt>
            <dd>{operators(session, prepared, &wiring.consumers)}</dd>
        }
    });
    let at_peak = prepared.bounds.witness.contains(&index);
    let name = buffer.name.clone();
    let copied = buffer.name.clone();
    let label = subject.label(index).filter(|label| *label != name);
    let line = label.map(|label| view! { <p class="line">{label}</p> });
    view! {
        {line}
        <h3>
            <span class="name">{name}</span>
            <button class="quiet" on:click=move |_| act(session, Action::Copy(copied.clone()))>
                {session.say(Word::CopyName)}
            </button>
        </h3>
        {at_peak.then(|| view! { <p class="badge peak">{session.say(Word::AtPeak)}</p> })}
        <dl>{rows} {noted} {wired}</dl>
        {stack}
    }
}

/// The term that a row is about.
fn define(session: Session, name: &str) -> Option<&'static str> {
    let terms = [
        (Word::Payload, "payload"),
        (Word::LiveSteps, "lifetime"),
        (Word::Alignment, "alignment"),
    ];
    let found = terms.iter().find(|(word, _)| session.say(*word) == name);
    found.map(|(_, term)| *term)
}

/// Operators as buttons that look at their step.
fn operators(session: Session, prepared: &Prepared, steps: &[u64]) -> AnyView {
    let links = steps.iter().take(LISTED).filter_map(|&step| {
        let op = prepared.subject.op(Step(step))?;
        let text = format!("{} ({})", op.name, op.kind);
        let says = filled(session.say(Word::GoToStep), &[&step.to_string()]);
        let look = move |_| look_at_step(session, step);
        Some(view! { <li><button class="link" title=says on:click=look>{text}</button></li> })
    });
    list(session, links.collect_view(), steps.len())
}

/// Where each plan that is shown puts the buffer.
fn places(session: Session, plans: &ShownPlans, index: usize) -> impl IntoView + use<> {
    let rows = plans.0.iter().filter_map(|(column, planned)| {
        let offset = offset_text(*planned.judged.plan.offsets.get(index)?);
        let order = planned
            .order
            .iter()
            .position(|&other| other as usize == index);
        let order = order.map(|place| {
            let numbers = [place + 1, planned.order.len()].map(|n| format::grouped(n as u64));
            filled(
                session.say(Word::DecidedAs),
                &numbers.each_ref().map(String::as_str),
            )
        });
        Some(view! {
            <tr data-strategy=column.name()>
                <th scope="row">{title(session, *column)}</th>
                <td class="number">{offset}</td>
                <td class="number">{order}</td>
                <td class="number">{object(session, planned, index)}</td>
            </tr>
        })
    });
    let rows: Vec<_> = rows.collect();
    let unused = plans.0.iter().filter_map(|(column, _)| {
        let unused = badge::of_unused(session, *column);
        let unused: Vec<String> = unused.into_iter().map(Badge::into_text).collect();
        let says = [title(session, *column), unused.join(", ")];
        let says = says.each_ref().map(String::as_str);
        let text = filled(session.say(ConstraintWord::UnusedIn), &says);
        (!unused.is_empty()).then(|| view! { <p class="unused">{text}</p> })
    });
    let unused = unused.collect_view();
    let pools = plans
        .0
        .iter()
        .any(|(_, planned)| planned.judged.plan.pools.is_some());
    let (object, define) = match pools {
        true => (Word::InPool, "pool"),
        false => (Word::Object, "shared-object"),
    };
    (!rows.is_empty()).then(|| {
        view! {
            <table class="places">
                <caption class="unseen">{session.say(Word::OffsetColumn)}</caption>
                <thead>
                    <tr>
                        <th scope="col" data-define="strategy">{session.say(Word::Strategy)}</th>
                        <th scope="col" data-define="address">{session.say(Word::OffsetColumn)}</th>
                        <th scope="col">{session.say(Word::Decided)}</th>
                        <th scope="col" data-define=define>{session.say(object)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            {unused}
        }
    })
}

/// The shared object or the pool that holds it.
fn object(session: Session, planned: &Planned, index: usize) -> Option<String> {
    if let Some(pool) = pool_of(&planned.judged.plan, index) {
        let within = address_in_pool(&planned.judged.plan, index)?;
        return Some(format!("{pool} · {within:#x}"));
    }
    let objects = planned.judged.plan.objects.as_ref()?;
    let object = *objects.of_buffer.get(index)? as usize;
    let size = format::bytes(objects.sizes.get(object)?.0);
    let (place, count) = ((object + 1).to_string(), objects.sizes.len().to_string());
    Some(filled(
        session.say(Word::ObjectOf),
        &[&place, &count, &size],
    ))
}

/// The neighbours in space and time, in the first plan that is shown.
fn around(
    session: Session,
    prepared: &Prepared,
    plans: &ShownPlans,
    index: usize,
) -> Option<impl IntoView + use<>> {
    let (column, planned) = plans.0.first()?;
    let lifetimes = &prepared.subject.lifetimes;
    let found = space::neighbours(lifetimes, &planned.judged.plan, index);
    let lists = [
        (Word::Above, found.above),
        (Word::Below, found.below),
        (Word::Before, found.before),
        (Word::After, found.after),
    ];
    let lists = lists.map(|(word, indices)| {
        let links = buffers(session, prepared, &indices);
        view! { <dt>{session.say(word)}</dt> <dd>{links}</dd> }
    });
    let says = filled(session.say(Word::NeighboursIn), &[&title(session, *column)]);
    Some(view! { <h3>{says}</h3> <dl>{lists.collect_view()}</dl> })
}

/// What was held when the last request failed, the most bytes first.
fn at_failure(session: Session, prepared: &Prepared) -> Option<AnyView> {
    let step = prepared.subject.failed_at()?;
    let mut held = held(&prepared.subject.lifetimes, Moment::At(step));
    held.sort_by_key(|it| Reverse(it.1));
    let bytes = held
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.1.0));
    let indices: Vec<usize> = held.iter().map(|it| it.0).collect();
    let step = format::grouped(step.0);
    let count = format::grouped(indices.len() as u64);
    let says = [step.as_str(), &format::bytes(bytes), &count];
    let says = filled(&block::say(session, Word::FailureTitle), &says);
    let links = buffers(session, prepared, &indices);
    Some(view! { <h3>{says}</h3> <div class="witness">{links}</div> }.into_any())
}

/// The witness of the bound that is shown, or the buffers that are live when most is, or when a
/// request failed.
fn peak(session: Session) -> Option<impl IntoView> {
    let prepared = session.prepared.get()?;
    if let Some(bound) = session.lit_bound() {
        let off = move |_| act(session, Action::Planning(PlanningAction::Witness(None)));
        let links = buffers(session, &prepared, &bound.witness);
        let step = bound.step.map(|step| step.0);
        let look = step.map(|step| {
            let look = move |_| look_at_step(session, step);
            let says = filled(session.say(Word::GoToStep), &[&step.to_string()]);
            view! { <button on:click=look>{says}</button> " " }
        });
        return Some(
            view! {
                <h3 data-define="witness">{bounds::says(session, &bound)}</h3>
                <p>
                    {look}
                    <button on:click=off>{session.say(Word::WitnessOff)}</button>
                </p>
                <div class="witness" data-step=step.map(|step| step.to_string())>{links}</div>
            }
            .into_any(),
        );
    }
    if let Some(failure) = at_failure(session, &prepared) {
        return Some(failure);
    }
    let bounds = &prepared.bounds;
    if bounds.witness.is_empty() {
        return Some(view! { <p>{session.say(Word::NothingToPlace)}</p> }.into_any());
    }
    let step = format::grouped(bounds.peak.0);
    let count = format::grouped(bounds.witness.len() as u64);
    let says = [step.as_str(), &format::bytes(bounds.offsets.0), &count].map(str::to_owned);
    let says = filled(
        &block::say(session, Word::PeakTitle),
        &says.each_ref().map(String::as_str),
    );
    let links = buffers(session, &prepared, &bounds.witness);
    Some(view! { <h3>{says}</h3> <div class="witness">{links}</div> }.into_any())
}

/// Buffers with their sizes as buttons that select them.
pub(crate) fn buffers(session: Session, prepared: &Prepared, indices: &[usize]) -> AnyView {
    buffers_of(session, prepared, indices, |buffer| buffer.size)
}

/// The same with other bytes than their sizes.
pub(crate) fn buffers_of(
    session: Session,
    prepared: &Prepared,
    indices: &[usize],
    bytes: impl Fn(&Buffer) -> Bytes,
) -> AnyView {
    let links = indices.iter().take(LISTED).filter_map(|&index| {
        let buffer = prepared.subject.lifetimes.buffers.get(index)?;
        let name = prepared.subject.label(index)?;
        let size = format::bytes(bytes(buffer).0);
        Some(view! { <li><BufferLink index name/> " " <span class="size">{size}</span></li> })
    });
    list(session, links.collect_view(), indices.len())
}

fn list(session: Session, items: impl IntoView + 'static, count: usize) -> AnyView {
    if count == 0 {
        return session.say(Word::Nobody).into_any();
    }
    let more = count.checked_sub(LISTED).filter(|more| *more > 0);
    let more =
        more.map(|more| filled(session.say(Word::AndMore), &[&format::grouped(more as u64)]));
    view! { <ul>{items} {more.map(|more| view! { <li>{more}</li> })}</ul> }.into_any()
}
