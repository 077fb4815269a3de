//! Requests for which an allocator had no memory: what was asked for, what was free, and why it did
//! not fit.

use conversation::{Action, Column, InsightAction};
use leptos::prelude::*;
use planner::attribution::{Owner, called, owner};
use planner::deployed::Refused;
use planner::space::{Failure, Misfit, failure};
use planner::{Subject, deployed::Frame};

use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{InsightWord, filled};
use crate::tables::operators::look_at_step;

/// So many are listed.
const LISTED: usize = 20;

/// The list; nothing where every request was met.
#[component]
pub(super) fn Refusals() -> impl IntoView {
    let session = session();
    move || {
        let prepared = session.prepared.get()?;
        let planned = session.planned(Column::Deployed)?;
        let subject = &prepared.subject;
        let plan = &planned.judged.plan;
        // The last one is what the program most likely ended with.
        let rows = subject.refused.iter().rev().take(LISTED).map(|refused| {
            let when = (refused.step, (refused.stream, refused.pool));
            let bytes = (refused.asked, refused.device_free);
            let failed = failure((&subject.lifetimes, plan), when, bytes);
            row(session, subject, refused, &failed)
        });
        let rows: Vec<_> = rows.collect();
        let more = subject.refused.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| {
            let more = format::grouped(more as u64);
            view! { <li>{filled(session.say(InsightWord::RefusedMore), &[&more])}</li> }
        });
        (!rows.is_empty()).then(|| {
            view! {
                <div class="refused">
                    <h3>{session.say(InsightWord::RefusedTitle)}</h3>
                    <ul>{rows} {more}</ul>
                </div>
            }
        })
    }
}

fn row(
    session: Session,
    subject: &Subject,
    refused: &Refused,
    failed: &Failure,
) -> impl IntoView + use<> {
    let bytes = |bytes: planner::Bytes| format::bytes(bytes.0);
    let step = refused.step;
    let number = format::grouped(step.0);
    let asked = [
        bytes(refused.asked),
        caller(subject, refused.stack).map_or_else(String::new, |it| called(&it)),
        bytes(refused.device_free),
    ];
    let asked = filled(
        session.say(match asked[1].is_empty() {
            true => InsightWord::RefusedAsked,
            false => InsightWord::RefusedAskedIn,
        }),
        &asked.each_ref().map(String::as_str),
    );
    let free = failed.free;
    let pieces = format::grouped(free.pieces);
    let held = [bytes(free.free), pieces, bytes(free.largest_for_it)];
    let held = filled(
        session.say(InsightWord::RefusedFree),
        &held.each_ref().map(String::as_str),
    );
    let why = session.say(match failed.why {
        Misfit::Device => InsightWord::RefusedDevice,
        Misfit::Live => InsightWord::RefusedLittle,
        Misfit::Limit => InsightWord::RefusedLimit,
        Misfit::Elsewhere => InsightWord::RefusedElsewhere,
        Misfit::Pieces => InsightWord::RefusedPieces,
    });
    let why = filled(why, &[&bytes(failed.live), &bytes(failed.capacity())]);
    let look = move |_| {
        act(session, Action::Insight(InsightAction::Step(Some(step))));
        look_at_step(session, step.0);
    };
    let at = filled(session.say(InsightWord::LookAtStep), &[&number]);
    view! {
        <li data-asked=refused.asked.0.to_string() data-free=free.free.0.to_string()>
            <button class="link" on:click=look>{at}</button> ": " {asked} " " {held} " " {why}
        </li>
    }
}

/// The line that asked: of the program, else of a library.
fn caller(subject: &Subject, stack: u32) -> Option<Frame> {
    let frames: Vec<&Frame> = subject.stacks.frames_of(stack).collect();
    let first = |by: Owner| frames.iter().copied().find(|frame| owner(frame) == by);
    let found = first(Owner::Program).or_else(|| first(Owner::Library));
    found.cloned()
}
