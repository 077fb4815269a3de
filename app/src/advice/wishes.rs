//! What a person has replayed beside what follows from the file.

use conversation::{Action, AdviceAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::advice::Wish;

use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::words::{AdviceWord, filled};

/// Has something else replayed, too.
fn wish(session: Session, change: impl FnOnce(&mut Wish)) {
    let mut wish = session.insight.wish.get_untracked();
    change(&mut wish);
    act(session, Action::Advice(AdviceAction::Wish(wish)));
}

/// The room that there is, and a place to empty the cache.
#[component]
pub(super) fn Wishes() -> impl IntoView {
    let session = session();
    let wrong = RwSignal::new(false);
    let shown = move || {
        let capacity = session.insight.wish.get().capacity;
        capacity.map_or_else(String::new, |it| format::exact(it.0))
    };
    let change = move |event| {
        let text = event_target_value(&event);
        let bytes = format::read_bytes(&text);
        wrong.set(bytes.is_none() && !text.trim().is_empty());
        if bytes.is_some() || text.trim().is_empty() {
            wish(session, |it| it.capacity = bytes.map(Bytes));
        }
    };
    let here = move || {
        let step = session.insight.step.get()?;
        let number = format::grouped(step.0);
        let says = filled(session.say(AdviceWord::EmptyHere), &[&number]);
        let press = move |_| wish(session, |it| it.empty = Some(step));
        Some(view! { <button on:click=press>{says}</button> })
    };
    view! {
        <p class="wishes">
            <label>
                {move || session.say(AdviceWord::Device)} " "
                <input
                    id="advice-capacity"
                    placeholder=move || session.say(AdviceWord::DeviceHint)
                    prop:value=shown
                    aria-invalid=move || wrong.get().to_string()
                    on:change=change
                />
            </label>
            {here}
            {move || wrong.get().then(|| view! { <span role="alert">{session.say(AdviceWord::NotBytes)}</span> })}
        </p>
    }
}
