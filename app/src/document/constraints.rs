//! What is said of the constraints of a problem: fixed addresses that collide or are not
//! aligned, pools that are named but not there, and what a buffer may or may not do.

use crate::state::session::{Session, session};
use crate::text::quantity::{offset_text, steps_text};
use leptos::prelude::*;
use planner::{Buffer, Lifetimes, Pause, fixed_unaligned};

use crate::format;
use crate::strings::{ConstraintWord, Word, filled};

/// A list names at most this many buffers.
const LISTED: usize = 3;

/// That there is no plan at all, and why: said once, as long as the file is open.
#[component]
pub(crate) fn Clashes() -> impl IntoView {
    let session = session();
    move || {
        let clash = session.planning.clash.get()?;
        let blocks = clash.buffers.iter().map(|block| {
            let says = [
                block.name.clone(),
                offset_text(block.at),
                format::exact(block.size.0),
                steps_text(session, block.span),
            ];
            let says = says.each_ref().map(String::as_str);
            view! { <p>{filled(session.say(ConstraintWord::ClashBlock), &says)}</p> }
        });
        let step = format::grouped(clash.step.0);
        Some(view! {
            <div class="notice wrong clash" role="alert">
                <div>
                    <p>{session.say(ConstraintWord::ClashTitle)}</p>
                    {blocks.collect_view()}
                    <p>
                        {filled(session.say(ConstraintWord::ClashStep), &[&step])} " "
                        {session.say(ConstraintWord::ClashRemedy)}
                    </p>
                </div>
            </div>
        })
    }
}

/// The fixed addresses that are kept although they are not aligned.
#[component]
pub(crate) fn Unaligned() -> impl IntoView {
    let session = session();
    let text = move || {
        let alignment = session.settings.get().alignment;
        session.with_lifetimes(|lifetimes| {
            let found = fixed_unaligned(lifetimes, alignment);
            if found.is_empty() {
                return None;
            }
            let named = found.iter().take(LISTED).filter_map(|&index| {
                let buffer = lifetimes.buffers.get(index)?;
                let at = offset_text(buffer.fixed?);
                Some(filled(
                    session.say(ConstraintWord::UnalignedAt),
                    &[&buffer.name, &at],
                ))
            });
            let mut named: Vec<String> = named.collect();
            if let Some(more @ 1..) = found.len().checked_sub(LISTED) {
                let more = format::grouped(more as u64);
                named.push(filled(session.say(Word::AndMore), &[&more]));
            }
            let count = format::grouped(found.len() as u64);
            Some(filled(
                session.say(ConstraintWord::Unaligned),
                &[&count, &named.join("; ")],
            ))
        })?
    };
    move || text().map(|text| view! { <p class="warning unaligned">{text}</p> })
}

/// That buffers name pools which have not been chosen.
#[component]
pub(crate) fn PoolsWanted() -> impl IntoView {
    let session = session();
    let wanted = Memo::new(move |_| session.with_lifetimes(last_pool).flatten());
    move || {
        let last = wanted.get()?;
        let count = session.planning.pools.with(Vec::len);
        let text = if count == 0 {
            session.say(ConstraintWord::PoolsInFile).to_owned()
        } else if (last as usize) < count {
            return None;
        } else {
            let last = last.to_string();
            filled(session.say(ConstraintWord::PoolsTooFew), &[&last])
        };
        Some(view! { <p class="warning pools-wanted">{text}</p> })
    }
}

/// The highest number of a pool that a buffer names.
fn last_pool(lifetimes: &Lifetimes) -> Option<u32> {
    let named = lifetimes.buffers.iter().flat_map(|buffer| &buffer.pools);
    named.max().copied()
}

/// What the problem asks for or allows of a buffer, as rows of a list of facts.
pub(crate) fn facts(
    session: Session,
    lifetimes: &Lifetimes,
    (buffer, index): (&Buffer, usize),
) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(fixed) = buffer.fixed {
        let alignment = session.settings.get().alignment.max(buffer.alignment).0;
        let at = offset_text(fixed);
        let text = match fixed.0.is_multiple_of(alignment.max(1)) {
            true => at,
            false => filled(
                session.say(ConstraintWord::UnalignedHere),
                &[&at, &format::exact(alignment)],
            ),
        };
        rows.push((session.say(Word::FixedAt), text));
    }
    if !buffer.pauses.is_empty() {
        let pauses = buffer.pauses.iter().take(LISTED);
        let mut pauses: Vec<String> = pauses.map(|pause| pause_text(session, pause)).collect();
        if let Some(more @ 1..) = buffer.pauses.len().checked_sub(LISTED) {
            let more = format::grouped(more as u64);
            pauses.push(filled(session.say(Word::AndMore), &[&more]));
        }
        rows.push((session.say(ConstraintWord::PausesOf), pauses.join("; ")));
    }
    let over = lifetimes.handovers.iter().filter(|it| it.after == index);
    let over = over.filter_map(|it| Some(lifetimes.buffers.get(it.before)?.name.clone()));
    let over: Vec<String> = over.take(LISTED).collect();
    if !over.is_empty() {
        rows.push((session.say(ConstraintWord::WrittenOver), over.join("; ")));
    }
    if !buffer.pools.is_empty() {
        let chosen = session.planning.pools.get();
        let name = |pool: &u32| match chosen.get(*pool as usize) {
            Some(pool) => pool.name.clone(),
            None => filled(
                session.say(ConstraintWord::CandidateUnknown),
                &[&pool.to_string()],
            ),
        };
        let names: Vec<String> = buffer.pools.iter().map(name).collect();
        rows.push((session.say(ConstraintWord::CandidatesOf), names.join(", ")));
    }
    rows
}

fn pause_text(session: Session, pause: &Pause) -> String {
    let steps = steps_text(session, pause.span);
    match pause.window {
        None => filled(session.say(ConstraintWord::PauseNothing), &[&steps]),
        Some((start, end)) => {
            let bytes = [start.0, end.0].map(format::grouped);
            let says = [&steps, &bytes[0], &bytes[1]].map(String::as_str);
            filled(session.say(ConstraintWord::PauseWindow), &says)
        }
    }
}
