//! What the judge finds in a plan, above its picture: one line, which opens to all of it. It has
//! the place of what is said of a valid plan, so that no rectangle jumps.

use crate::state::session::session;
use conversation::Progress;
use leptos::prelude::*;
use planner::Violation;

use crate::format;
use crate::strings::{HandWord, Word, filled};
use crate::text::violation::{is_overlap, sentence};

/// At most this many violations are listed.
const LISTED: usize = 5;

/// What the judge found, if it found anything.
#[component]
pub(crate) fn Violations(progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let open = RwSignal::new(false);
    let found = Memo::new(move |_| {
        progress.with(|progress| {
            let violations = &progress.as_ref()?.planned()?.judged.violations;
            let over = |it: &&Violation| is_overlap(it);
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
            <div class="violations" role="alert" class:open=move || open.get() && more>
                <p>
                    {head} " " <span class="first" title=first.clone()>{first.clone()}</span>
                </p>
                {more.then(|| view! {
                    <button
                        class="quiet"
                        aria-expanded=move || open.get().to_string()
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {session.say(HandWord::MoreViolations)}
                    </button>
                })}
                <ul>{lines.collect_view()}</ul>
            </div>
        })
    }
}
