//! Why a policy that evicts took what it took: one eviction after another, with all that could
//! have been evicted and its price.

use std::cmp::Ordering;
use std::sync::Arc;

use conversation::{Action, Answer, EvictionFilm, TrainingAction, TrainingFound};
use leptos::prelude::*;
use planner::Buffer;
use planner::storage::StorageId;
use planner::training::dtr::decisions::{Candidate, Decision, Decisions, Why};
use planner::training::dtr::{Evictor, Heuristic};

use super::{cost_unit, planned, train};
use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};

/// Rows of the pool that are listed: the cheapest.
const MOST_ROWS: usize = 12;
/// Names of what is evicted around one candidate.
const MOST_NAMES: usize = 3;

/// The stepper; there is none for a policy that does not evict.
#[component]
pub(super) fn Evictions() -> impl IntoView {
    let session = session();
    let found = session.training_asides().evictions;
    let explains = move || found.with(|it| *it != Answer::Unasked);
    let evictor = move || planned(session)?.evictor();
    let toggle = move |_| train(session, TrainingAction::Explain(!untrack(explains)));
    let body = move || {
        Some(match found.get() {
            Answer::Unasked | Answer::Nothing | Answer::Stopped => return None,
            Answer::Working(..) => {
                view! { <p role="status">{session.say(W::Waits)}</p> }.into_any()
            }
            Answer::There(found) if found.list.is_empty() => {
                view! { <p>{session.say(W::NothingEvicted)}</p> }.into_any()
            }
            Answer::There(found) => view! { <Stepper found/> }.into_any(),
        })
    };
    view! {
        <Show when=move || evictor().is_some()>
            <section class="evictions wide">
                <button
                    data-do="explain"
                    aria-expanded=move || explains().to_string()
                    on:click=toggle
                >
                    {move || session.say(W::Evictions)}
                </button>
                {body}
            </section>
        </Show>
    }
}

/// One eviction, and the way to the others.
#[component]
fn Stepper(found: Arc<Decisions>) -> impl IntoView {
    let session = session();
    let at = session.training_asides().eviction;
    let last = found.list.len().saturating_sub(1);
    let turn = move |to: usize| train(session, TrainingAction::Eviction(to.min(last)));
    let ends = move || at.get() == last;
    let slide = move |event| {
        if let Ok(to) = event_target_value(&event).parse() {
            turn(to);
        }
    };
    let says = move || {
        let numbers = [at.get() as u64 + 1, last as u64 + 1].map(format::grouped);
        filled(session.say(W::Eviction), &[&numbers[0], &numbers[1]])
    };
    let left_out = found.left_out;
    let beyond = move || {
        let count = format::grouped(left_out);
        (left_out > 0).then(|| filled(session.say(W::EvictionsLeftOut), &[&count]))
    };
    let seed = found.seed;
    let seed = move || seed.map(|seed| filled(session.say(W::Seed), &[&seed.to_string()]));
    let shown = move || found.list.get(at.get()).map(|it| pool(session, it));
    view! {
        <p class="choices">
            <button
                data-do="eviction-before"
                disabled=move || at.get() == 0
                on:click=move |_| turn(at.get_untracked().saturating_sub(1))
            >
                {move || session.say(W::Before)}
            </button>
            <button
                data-do="eviction-after"
                disabled=ends
                on:click=move |_| turn(at.get_untracked().saturating_add(1))
            >
                {move || session.say(W::After)}
            </button>
            <Film/>
            <label class="slider">
                <span>{says}</span>
                <input
                    type="range"
                    data-do="eviction"
                    min="0"
                    max=last.to_string()
                    prop:value=move || at.get().to_string()
                    aria-valuetext=says
                    on:input=slide
                />
            </label>
        </p>
        <p class="hint">{move || formula(session)} " " {seed} " " {beyond}</p>
        {shown}
    }
}

/// The picture as far as the eviction, going on by itself or standing, and all of it again.
#[component]
fn Film() -> impl IntoView {
    let session = session();
    let film = session.training_asides().film;
    let plays = move || film.get() == EvictionFilm::Plays;
    let turn = move |_| {
        let next = match untrack(plays) {
            true => EvictionFilm::Stands,
            false => EvictionFilm::Plays,
        };
        train(session, TrainingAction::Film(next));
    };
    view! {
        <button
            class="primary"
            data-do="eviction-film"
            title=move || session.say(W::FilmHint)
            on:click=turn
        >
            {move || session.say(if plays() { W::Pause } else { W::Play })}
        </button>
        <button
            data-do="whole-run"
            disabled=move || film.get() == EvictionFilm::Off
            on:click=move |_| train(session, TrainingAction::Film(EvictionFilm::Off))
        >
            {move || session.say(W::WholeRun)}
        </button>
    }
}

/// What was looked at, the cheapest first.
fn pool(session: Session, decision: &Decision) -> impl IntoView + use<> {
    let chosen = &decision.pool[decision.chosen.min(decision.pool.len().saturating_sub(1))];
    let budget = session.insight.training.chosen.get().budget;
    let facts = [
        decision.name.clone(),
        format::bytes(decision.wants.0),
        format::bytes(decision.live.0),
        budget.map_or_else(String::new, |budget| format::bytes(budget.0)),
        chosen.name.clone(),
    ];
    let facts = filled(
        session.say(W::EvictedFor),
        &facts.each_ref().map(String::as_str),
    );
    let why = why(session, decision);
    let mut order: Vec<usize> = (0..decision.pool.len()).collect();
    // What was chosen is the first of equal ones here, the last in the pool.
    order.sort_by(|a, b| by_score(&decision.pool[*a], &decision.pool[*b]).then(b.cmp(a)));
    let rest = order.len().saturating_sub(MOST_ROWS);
    let rest = (rest > 0).then(|| filled(session.say(W::More), &[&format::grouped(rest as u64)]));
    let rows = order.into_iter().take(MOST_ROWS);
    let rows = rows
        .map(|index| line(session, decision, index))
        .collect_view();
    let heads = [W::Bytes, W::OwnCost, W::Idle, W::Score];
    let heads = heads.map(|word| {
        let define = (word == W::Idle).then_some("staleness");
        view! { <th scope="col" class="number" data-define=define>{head(session, word)}</th> }
    });
    view! {
        <p role="status">{facts} " " {why}</p>
        <table class="stage-rows evictable">
            <thead>
                <tr>
                    <th scope="col">{session.say(W::Candidate)}</th>
                    {heads}
                    <th scope="col" data-define="eviction">{session.say(W::Around)}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        <p class="hint">{rest}</p>
    }
}

/// What a column is called, with its unit where the cells have none.
fn head(session: Session, word: W) -> String {
    let log = |it: &TrainingFound| matches!(it, TrainingFound::There(table) if table.log);
    let unit = cost_unit(session.insight.training.found.with(log));
    filled(session.say(word), &[unit])
}

/// A price: it has no unit of its own.
fn price(score: f64) -> String {
    match score.abs() {
        0.0 => "0".to_owned(),
        0.01..100_000.0 => format!("{score:.3}"),
        _ => format!("{score:.2e}"),
    }
}

fn by_score(a: &Candidate, b: &Candidate) -> Ordering {
    let score = |it: &Candidate| it.score.unwrap_or(f64::INFINITY);
    score(a).total_cmp(&score(b))
}

fn line(session: Session, decision: &Decision, index: usize) -> impl IntoView + use<> {
    let it = &decision.pool[index];
    let storage = it.storage;
    let look = move |_| {
        let found = session.case(|case| case.at_eviction(storage));
        act(session, Action::Select(found));
    };
    let around = it
        .ancestors
        .iter()
        .chain(&it.descendants)
        .chain(&it.connected);
    let around: Vec<usize> = around.copied().collect();
    let score = it.score.map_or_else(|| "∞".to_owned(), price);
    let current = (index == decision.chosen).then_some("true");
    let cell = |word: W, text: String| {
        view! { <td class="number" data-label=head(session, word)>{text}</td> }
    };
    view! {
        <tr aria-current=current>
            <th scope="row">
                <button class="link" title=session.say(W::SelectHint) on:click=look>
                    {it.name.clone()}
                </button>
            </th>
            {cell(W::Bytes, format::bytes(it.bytes.0))}
            {cell(W::OwnCost, format::grouped(it.cost))}
            {cell(W::Idle, format::grouped(it.stale))}
            {cell(W::Score, score)}
            <td data-label=session.say(W::Around)>{names(session, &around)}</td>
        </tr>
    }
}

/// How many evicted storages count in a price, and what the first are called.
fn names(session: Session, storages: &[usize]) -> String {
    let listed: Vec<String> = session.prepared.with(|prepared| {
        let lifetimes = prepared
            .as_ref()
            .map(|prepared| &prepared.subject.lifetimes);
        let name = |storage: &usize| {
            let stays = |it: &&Buffer| it.storage == Some(StorageId::at(*storage));
            let buffer = lifetimes?.buffers.iter().find(stays)?;
            Some(buffer.name.clone())
        };
        storages.iter().take(MOST_NAMES).filter_map(name).collect()
    });
    match storages.len() {
        0 => "–".to_owned(),
        count if count > MOST_NAMES => format!("{count}: {}, …", listed.join(", ")),
        count => format!("{count}: {}", listed.join(", ")),
    }
}

fn why(session: Session, decision: &Decision) -> String {
    match decision.why {
        Why::Least => session.say(W::WhyLeast).to_owned(),
        Why::LastOf(count) => filled(session.say(W::WhyLastOf), &[&count.to_string()]),
        Why::FirstOf(count) => filled(session.say(W::WhyFirstOf), &[&count.to_string()]),
        Why::Window => session.say(W::WhyWindow).to_owned(),
        Why::Free => session.say(W::WhyFree).to_owned(),
        Why::Chance => session.say(W::WhyChance).to_owned(),
    }
}

/// How the planned policy prices what it could evict.
fn formula(session: Session) -> &'static str {
    let word = match planned(session).and_then(|policy| policy.evictor()) {
        Some(Evictor::Bytes(heuristic)) => match heuristic {
            Heuristic::Dtr | Heuristic::DtrEq => W::PriceDtr,
            Heuristic::DtrLocal => W::PriceLocal,
            Heuristic::Msps => W::PriceMsps,
            Heuristic::Lru => W::PriceLru,
            Heuristic::Size => W::PriceSize,
            Heuristic::NotStale => W::PriceNotStale,
            Heuristic::Random => W::PriceRandom,
        },
        Some(Evictor::Megengine) => W::PriceMegengine,
        Some(Evictor::Dte) => W::PriceDte,
        Some(Evictor::Coop) => W::PriceCoop,
        None => return "",
    };
    session.say(word)
}
