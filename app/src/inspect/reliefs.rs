//! The peak: its contributors, which of them would lower it most, and, of allocators, what they
//! took beside what a plan made in advance needs.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::{Action, Column, InsightAction, PlanningAction};
use std::sync::Arc;

use leptos::prelude::*;
use planner::Strategy;
use planner::bounds::BoundKind;
use planner::deployed::LaneKind;
use planner::space::Relief;
use worker::{Explained, Prepared};

use super::waste::bring_picture;
use crate::format;
use crate::strings::{InsightWord, filled};
use crate::tables::operators::{BufferLink, look_at_step};
use crate::text::block;

/// The section.
#[component]
pub(crate) fn Peak(explained: Memo<Option<(Column, Arc<Explained>)>>) -> impl IntoView {
    let session = session();
    let found = move || {
        let prepared = session.prepared.get()?;
        let (_, explained) = explained.get()?;
        Some(view! {
            {set(session, &prepared)}
            {table(session, &prepared, &explained.reliefs)}
        })
    };
    view! {
        <section class="peak-set">
            {found}
            {move || trace(session)}
        </section>
    }
}

/// The step at which most is needed, and a way to see its contributors.
fn set(session: Session, prepared: &Prepared) -> Option<impl IntoView + use<>> {
    let mut bounds = prepared.bounds.list.iter();
    let (place, live) = bounds
        .by_ref()
        .enumerate()
        .find(|(_, bound)| bound.kind == BoundKind::Live)?;
    let step = live.step?;
    let numbers = [
        format::grouped(step.0),
        format::bytes(live.bytes.0),
        format::grouped(live.witness.len() as u64),
    ];
    let says = filled(
        &block::say(session, InsightWord::PeakSays),
        &numbers.each_ref().map(String::as_str),
    );
    let light = move |_| {
        act(
            session,
            Action::Planning(PlanningAction::Witness(Some(place))),
        );
        act(session, Action::Insight(InsightAction::Step(Some(step))));
        look_at_step(session, step.0);
        bring_picture();
    };
    Some(view! {
        <h3 data-define="peak">{session.say(InsightWord::PeakOf)}</h3>
        <p data-peak=live.bytes.0.to_string()>
            {says} " "
            <button class="link" on:click=light>{session.say(InsightWord::PeakLight)}</button>
        </p>
    })
}

fn table(session: Session, prepared: &Prepared, reliefs: &[Relief]) -> impl IntoView + use<> {
    let rows = reliefs.iter().filter_map(|relief| {
        let (index, step) = (relief.buffer, relief.step);
        let name = prepared.subject.label(index)?;
        let look = move |_| {
            act(session, Action::Insight(InsightAction::Step(Some(step))));
            look_at_step(session, step.0);
            bring_picture();
        };
        let number = format::grouped(step.0);
        let says = filled(session.say(InsightWord::LookAtStep), &[&number]);
        Some(view! {
            <tr data-saved=relief.saved.0.to_string()>
                <th scope="row"><BufferLink index name/></th>
                <td class="number" title=format::exact(relief.saved.0)>
                    {format::bytes(relief.saved.0)}
                </td>
                <td class="number" title=format::exact(relief.peak.0)>
                    {format::bytes(relief.peak.0)}
                </td>
                <td class="number">
                    <button class="link" aria-label=says on:click=look>{number}</button>
                </td>
            </tr>
        })
    });
    let rows: Vec<_> = rows.collect();
    let hint = match rows.is_empty() {
        true => InsightWord::ReliefNone,
        false => InsightWord::ReliefHint,
    };
    let columns = [
        InsightWord::SavedColumn,
        InsightWord::NewPeakColumn,
        InsightWord::StepColumn,
    ];
    let columns = columns
        .map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> })
        .collect_view();
    let table = (!rows.is_empty()).then(|| {
        view! {
            <table class="reliefs">
                <thead>
                    <tr>
                        <th scope="col">{block::say(session, InsightWord::TensorColumn)}</th>
                        {columns}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        }
    });
    view! {
        <h3>{session.say(InsightWord::ReliefTitle)}</h3>
        <p class="hint">{block::say(session, hint)}</p>
        {table}
    }
}

/// What an allocator took beside what a plan made in advance needs; nothing for files that
/// are no trace of an allocator.
fn trace(session: Session) -> Option<impl IntoView> {
    let prepared = session.prepared.get()?;
    let lanes = prepared.subject.lanes.iter();
    let mut held = lanes.filter(|lane| matches!(lane.kind, LaneKind::Reserved));
    let held = held.next()?.points.iter().map(|point| point.1.0).max()?;
    let best = session.one_plan(Some(Column::Strategy(Strategy::Best))).0;
    let best = best.map(|(_, planned)| {
        let arena = planned.judged.plan.arena.0;
        let sizes = [arena, held.saturating_sub(arena)].map(format::bytes);
        let word = match arena < held {
            true => InsightWord::TraceBest,
            false => InsightWord::TraceBestMore,
        };
        filled(session.say(word), &sizes.each_ref().map(String::as_str))
    });
    let bound = format::bytes(prepared.bounds.offsets.0);
    let says = |word, value: &str| filled(session.say(word), &[value]);
    Some(view! {
        <h3>{session.say(InsightWord::TraceTitle)}</h3>
        <p class="trace">
            {says(InsightWord::TraceReserved, &format::bytes(held))} " " {best} " "
            {says(InsightWord::TraceBound, &bound)}
        </p>
    })
}
