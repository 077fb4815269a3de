//! Memory pools: the rows that choose them, and what a plan uses of each.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::Message;
use conversation::Setting;
use conversation::{Action, MOST_POOLS};
use leptos::prelude::*;
use planner::{Bytes, Plan, Pool};
use web_sys::{Event, HtmlInputElement};
use worker::Planned;

use super::constraints::PoolsWanted;
use crate::format;
use crate::strings::{PlanningWord, filled};

/// What is offered first: a small fast memory beside one without a limit.
const SRAM: u64 = 256 << 10;

/// The rows of pools.
#[component]
pub(crate) fn PoolsChoice() -> impl IntoView {
    let session = session();
    let pools = session.planning.pools;
    let add = move |_| {
        let mut chosen = pools.get_untracked();
        if chosen.is_empty() {
            chosen = vec![
                Pool {
                    name: "SRAM".into(),
                    capacity: Some(Bytes(SRAM)),
                },
                Pool {
                    name: "DRAM".into(),
                    capacity: None,
                },
            ];
        } else {
            let name = (chosen.len()..).map(|number| format!("pool{number}"));
            let free = |name: &String| chosen.iter().all(|pool| pool.name != *name);
            let name = name.into_iter().find(free).unwrap_or_default();
            chosen.push(Pool {
                name,
                capacity: None,
            });
        }
        choose(session, chosen);
    };
    view! {
        <fieldset>
            <legend title=move || session.say(PlanningWord::PoolsHint) data-define="pool">{move || session.say(PlanningWord::Pools)}</legend>
            <For each=move || 0..pools.with(Vec::len) key=|index| *index let:index>
                <Row index/>
            </For>
            <PoolsWanted/>
            <Show when=move || pools.with(Vec::len) < MOST_POOLS>
                <button id="add-pool" on:click=add>
                    {move || session.say(
                        if pools.with(Vec::is_empty) { PlanningWord::PoolExample } else { PlanningWord::PoolAdd }
                    )}
                </button>
            </Show>
        </fieldset>
    }
}

fn choose(session: Session, pools: Vec<Pool>) {
    act(session, Setting::Pools(pools));
}

#[component]
fn Row(index: usize) -> impl IntoView {
    let session = session();
    let pools = session.planning.pools;
    let pool = Memo::new(move |_| pools.with(|pools| pools.get(index).cloned()));
    let name = move || pool.get().map(|pool| pool.name).unwrap_or_default();
    let capacity = move || {
        let capacity = pool.get().and_then(|pool| pool.capacity);
        capacity.map_or_else(String::new, capacity_text)
    };
    let change = move |change: &dyn Fn(&mut Pool)| {
        let mut chosen = pools.get_untracked();
        if let Some(pool) = chosen.get_mut(index) {
            change(pool);
        }
        choose(session, chosen);
    };
    let rename = move |event: Event| {
        let wanted = event_target_value(&event).trim().to_owned();
        if wanted.is_empty() {
            // The field shows what holds.
            event_target::<HtmlInputElement>(&event).set_value(&name());
        } else {
            change(&|pool| pool.name.clone_from(&wanted));
        }
    };
    let resize = move |event: Event| match read_capacity(&event_target_value(&event)) {
        Some(wanted) => change(&|pool| pool.capacity = wanted),
        None => {
            event_target::<HtmlInputElement>(&event).set_value(&capacity());
            act(session, Action::Notify(Message::PoolBytes));
        }
    };
    let remove = move |_| {
        let mut chosen = pools.get_untracked();
        if index < chosen.len() {
            chosen.remove(index);
        }
        choose(session, chosen);
    };
    view! {
        <div class="pool">
            <input class="pool-name" prop:value=name on:change=rename
                aria-label=move || session.say(PlanningWord::PoolName)/>
            <input class="pool-capacity" prop:value=capacity on:change=resize
                placeholder=move || session.say(PlanningWord::PoolUnlimited)
                aria-label=move || format!("{}: {}", name(), session.say(PlanningWord::PoolCapacity))/>
            <button class="quiet" on:click=remove
                aria-label=move || filled(session.say(PlanningWord::PoolRemove), &[&name()])>
                "×"
            </button>
        </div>
    }
}

/// Bytes as they can be typed again: whole units where nothing is lost.
fn capacity_text(Bytes(bytes): Bytes) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    match whole {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

/// A capacity as people type it, such as "4096", "256 KiB", "1.5MB"; nothing means no limit.
/// `None` for what is no capacity.
#[expect(
    clippy::option_option,
    reason = "no capacity is a choice, an unreadable one is none"
)]
fn read_capacity(text: &str) -> Option<Option<Bytes>> {
    let text = text.trim();
    if text.is_empty() || text == "∞" {
        return Some(None);
    }
    format::read_bytes(text).map(|bytes| Some(Bytes(bytes)))
}

/// What a plan uses of each pool, and what did not fit into the first.
pub(crate) fn pool_figures(session: Session, planned: &Planned) -> Option<impl IntoView + use<>> {
    let used = uses(planned)?.into_iter().map(|(text, size)| {
        view! { <span class="badge pool-used" title=format::exact(size)>{text}</span> }
    });
    let used = used.collect_view();
    let spilled = spilled(planned).map(|bytes| {
        let text = spilled_text(session, bytes);
        view! {
            <span class="badge spilled" data-spilled=bytes.to_string() title=format!("{} ({})", session.say(PlanningWord::SpilledHint), format::exact(bytes))>{text}</span>
        }
    });
    Some(view! { {used} {spilled} })
}

/// The same as texts.
pub(crate) fn pool_texts(session: Session, planned: &Planned) -> Vec<String> {
    let uses = uses(planned).unwrap_or_default().into_iter();
    let spilled = spilled(planned).map(|bytes| spilled_text(session, bytes));
    uses.map(|(text, _)| text).chain(spilled).collect()
}

/// What each pool holds, with its capacity, and the bytes.
fn uses(planned: &Planned) -> Option<Vec<(String, u64)>> {
    let pools = planned.judged.plan.pools.as_ref()?;
    let used = pools.sizes.iter().zip(&pools.declared).map(|(size, pool)| {
        let used = format::bytes(size.0);
        let text = match pool.capacity {
            Some(capacity) => format!("{} {used} / {}", pool.name, format::bytes(capacity.0)),
            None => format!("{} {used}", pool.name),
        };
        (text, size.0)
    });
    Some(used.collect())
}

/// The bytes that go to a slower pool, where any do.
fn spilled(planned: &Planned) -> Option<u64> {
    let spilled = planned.judged.metrics.spilled?.0;
    (spilled > 0).then_some(spilled)
}

fn spilled_text(session: Session, bytes: u64) -> String {
    filled(session.say(PlanningWord::Spilled), &[&format::bytes(bytes)])
}

/// The name of the pool that holds a buffer.
pub(crate) fn pool_of(plan: &Plan, buffer: usize) -> Option<String> {
    let pools = plan.pools.as_ref()?;
    let pool = *pools.of_buffer.get(buffer)? as usize;
    Some(pools.declared.get(pool)?.name.clone())
}

/// Where a buffer lies, counted from the start of its pool.
pub(crate) fn address_in_pool(plan: &Plan, buffer: usize) -> Option<u64> {
    let pools = plan.pools.as_ref()?;
    let pool = *pools.of_buffer.get(buffer)? as usize;
    let base = pools.bases.get(pool)?;
    plan.offsets.get(buffer)?.0.checked_sub(base.0)
}
