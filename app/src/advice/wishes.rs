//! What a person has replayed beside what follows from the file.

use conversation::{Action, AdviceAction};
use leptos::prelude::*;
use planner::advice::Wish;
use planner::{Bytes, Step};

use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::AdviceWord;

/// Changes what is replayed besides, and asks for it.
pub(super) fn wish(session: Session, change: impl FnOnce(&mut Wish)) {
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
        let bytes = format::read_bytes(&text).filter(|bytes| *bytes > 0);
        wrong.set(bytes.is_none() && !text.trim().is_empty());
        if bytes.is_some() || text.trim().is_empty() {
            wish(session, |it| it.capacity = bytes.map(Bytes));
        }
    };
    // The step that was asked for, else the one that is looked at.
    let step = move || {
        let asked = session.insight.wish.get().empty;
        let looked = || session.insight.step.get();
        let pointed = || session.insight.spot.get().map(|place| place.step);
        asked.or_else(looked).or_else(pointed)
    };
    let typed = RwSignal::new(None::<u64>);
    let last = move || {
        let horizon = session.with_lifetimes(|lifetimes| lifetimes.horizon.0);
        horizon.unwrap_or_default().saturating_sub(1)
    };
    let type_step = move |event| typed.set(event_target_value(&event).parse().ok());
    let press = move |_| {
        let step = typed.get().map(Step).or_else(|| untrack(step));
        if let Some(step) = step.filter(|step| step.0 <= untrack(last)) {
            wish(session, |it| it.empty = Some(step));
        }
    };
    view! {
        <p class="wishes">
            <label>
                {move || session.say(AdviceWord::Device)} " "
                <input
                    id="advice-capacity"
                    type="text"
                    placeholder=move || session.say(AdviceWord::DeviceHint)
                    prop:value=shown
                    aria-invalid=move || wrong.get().to_string()
                    on:change=change
                />
            </label>
            <label>
                {move || session.say(AdviceWord::EmptyAt)} " "
                <input
                    id="advice-empty"
                    type="number"
                    min="0"
                    max=move || last().to_string()
                    prop:value=move || step().map(|step| step.0.to_string()).unwrap_or_default()
                    on:input=type_step
                />
            </label>
            <button on:click=press>{move || session.say(AdviceWord::Replay)}</button>
            {move || wrong.get().then(|| view! { <span role="alert">{session.say(AdviceWord::NotBytes)}</span> })}
        </p>
    }
}
