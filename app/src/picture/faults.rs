//! What the judge finds in a plan, above its picture: one line, which opens to all of it. It has
//! the place of what is said of a valid plan, so that no rectangle jumps.

use crate::state::session::{Session, session};
use conversation::Progress;
use leptos::prelude::*;
use planner::{Offset, Violation};

use super::outlook::names;
use crate::format;
use crate::words::{HandWord, Word, filled};

/// At most this many faults are listed.
const LISTED: usize = 5;

/// What the judge found, if it found anything.
#[component]
pub(crate) fn Faults(progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let open = RwSignal::new(false);
    let found = Memo::new(move |_| {
        progress.with(|progress| {
            let violations = &progress.as_ref()?.planned()?.judged.violations;
            // That two lie over each other is what everything else follows from.
            let over = |it: &&Violation| {
                matches!(
                    it,
                    Violation::Overlap { .. } | Violation::NeededTwice { .. }
                )
            };
            let others = violations.iter().filter(|it| !over(it));
            let listed = violations.iter().filter(over).chain(others);
            let listed = listed.take(LISTED).cloned().collect::<Vec<_>>();
            (!listed.is_empty()).then_some((listed, violations.len() as u64))
        })
    });
    move || {
        let (listed, count) = found.get()?;
        let head = filled(session.say(Word::PlanInvalid), &[&format::grouped(count)]);
        let lines: Vec<String> = listed.iter().map(|one| sentence(session, one)).collect();
        let first = lines.first().cloned().unwrap_or_default();
        let lines = lines.into_iter().map(|line| view! { <li>{line}</li> });
        let more = count > 1;
        Some(view! {
            <div class="faults" role="alert" class:open=move || open.get() && more>
                <p>
                    {head} " " <span class="first" title=first.clone()>{first.clone()}</span>
                </p>
                {more.then(|| view! {
                    <button
                        class="quiet"
                        aria-expanded=move || open.get().to_string()
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {session.say(HandWord::MoreFaults)}
                    </button>
                })}
                <ul>{lines.collect_view()}</ul>
            </div>
        })
    }
}

/// What is wrong, with the names of what is concerned. Faults that only a file can have are
/// worded as the judge words them.
fn sentence(session: Session, violation: &Violation) -> String {
    let hand = |word| session.say(word);
    let name = |buffer: usize| names(session, &[buffer]);
    let at = |Offset(at): Offset| format!("{} ({at:#x})", format::exact(at));
    let (word, values) = match *violation {
        Violation::Overlap { first, second } => {
            (HandWord::Overlap, vec![name(first), name(second)])
        }
        Violation::NeededTwice {
            first,
            second,
            step,
        } => {
            let values = vec![name(first), name(second), format::grouped(step)];
            (HandWord::NeededTwice, values)
        }
        Violation::HandoverMissed {
            before,
            after,
            shift,
        } => {
            let (one, other) = (name(before), name(after));
            let values = vec![one, other.clone(), other, format::exact(shift)];
            (HandWord::HandoverMissed, values)
        }
        Violation::Misaligned {
            buffer,
            offset,
            alignment,
        } => {
            let values = vec![name(buffer), at(offset), format::exact(alignment.0)];
            (HandWord::Misaligned, values)
        }
        Violation::NotFixed {
            buffer,
            offset,
            fixed,
        } => (
            HandWord::NotFixed,
            vec![name(buffer), at(offset), at(fixed)],
        ),
        ref other => return pool_sentence(session, other),
    };
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    filled(hand(word), &values)
}

/// The same of a fault that is about pools.
fn pool_sentence(session: Session, violation: &Violation) -> String {
    let hand = |word| session.say(word);
    let name = |buffer: usize| names(session, &[buffer]);
    let pool = |pool: usize| {
        let named = session
            .planning
            .pools
            .with(|pools| Some(pools.get(pool)?.name.clone()));
        named.unwrap_or_else(|| pool.to_string())
    };
    let (word, values) = match *violation {
        Violation::WrongPool { buffer, pool: it } => {
            (HandWord::WrongPool, vec![name(buffer), pool(it as usize)])
        }
        Violation::OutsidePool { buffer, pool: it } => {
            (HandWord::OutsidePool, vec![name(buffer), pool(it as usize)])
        }
        Violation::PoolTooLarge {
            pool: it,
            size,
            capacity,
        } => {
            let values = vec![pool(it), format::exact(capacity.0), format::exact(size.0)];
            (HandWord::PoolTooLarge, values)
        }
        Violation::PoolsOverlap { first, second } => {
            (HandWord::PoolsOverlap, vec![pool(first), pool(second)])
        }
        ref other => {
            let named: Vec<String> = other.buffers().into_iter().map(name).collect();
            let named = match named.is_empty() {
                true => String::new(),
                false => format!(" ({})", named.join(", ")),
            };
            return format!("{other}{named}");
        }
    };
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    filled(hand(word), &values)
}
