//! What the user chooses about planning: alignment, inputs and outputs, in place, parallel
//! runs and their price, pools, effort.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::CaseWord;
use conversation::{Action, MOST_EFFORT, PlanningAction, Pricing};
use conversation::{CaseAction, Setting};
use leptos::prelude::*;
use planner::{Bytes, Effort, Io, Parallel, Program};
use web_sys::{Event, HtmlInputElement};

use super::constraints::Unaligned;
use super::pane::whole;
use super::passes::Passes;
use super::pools::PoolsChoice;
use crate::format;
use crate::strings::{ConstraintWord, FrameWord, PlanningWord, Word, filled};

/// The alignments on offer, in bytes.
const ALIGNMENTS: [u64; 4] = [1, 16, 64, 256];

/// The efforts on offer, each a name, a word and how long.
const EFFORTS: [(&str, PlanningWord, Effort); 3] = [
    (
        "quick",
        PlanningWord::EffortQuick,
        Effort {
            nodes: 100_000,
            moves: 1_000,
        },
    ),
    ("usual", PlanningWord::EffortUsual, Effort::DEFAULT),
    (
        "thorough",
        PlanningWord::EffortThorough,
        Effort {
            nodes: 50_000_000,
            moves: 500_000,
        },
    ),
];

fn choose(session: Session, action: PlanningAction) {
    act(session, Action::Planning(action));
}

/// The settings.
#[component]
pub(crate) fn Settings() -> impl IntoView {
    let session = session();
    let has = move |test: fn(&Program) -> bool| {
        let prepared = session.prepared.get();
        let program = prepared.as_ref().and_then(|it| it.subject.program.as_ref());
        program.is_some_and(test)
    };
    let is_model = move || has(|_| true);
    // What recomputes or moves buffers runs one step after the other.
    let is_free = move || has(|program| program.schedule.only_computes());
    // Addresses of a running allocator are its own, and allocations by themselves have none.
    let is_planned = Memo::new(move |_| {
        let prepared = session.prepared.get();
        prepared.is_none_or(|it| !it.subject.is_trace() && !it.subject.separate)
    });
    // What was chosen there is not hidden.
    let chosen = Memo::new(move |before: Option<&bool>| {
        let effort = session.planning.effort.get() != Effort::DEFAULT;
        let pools = !session.planning.pools.with(Vec::is_empty);
        let largest = session.settings.with(|it| it.largest_allocation.is_some());
        before == Some(&true) || effort || pools || largest
    });
    view! {
        <Show when=move || is_planned.get()>
            <fieldset class="settings">
                <legend>{move || session.say(Word::Settings)}</legend>
                <Alignment/>
                <Unaligned/>
                <Show when=is_model>
                    <IoChoice/>
                    <Passes/>
                    <Show when=is_free>
                        <ParallelChoice/>
                        <PriceLine/>
                    </Show>
                </Show>
            </fieldset>
        </Show>
        <details class="advanced" open=move || chosen.get()>
            <summary>{move || session.say(FrameWord::Advanced)}</summary>
            <EffortChoice/>
            <LargestAllocation/>
            <PoolsChoice/>
        </details>
    }
}

#[component]
fn Alignment() -> impl IntoView {
    let session = session();
    let alignment = move || session.settings.get().alignment.0;
    let align = move |event: Event| {
        if let Ok(bytes) = event_target_value(&event).parse() {
            act(session, Setting::Align(bytes));
        }
    };
    let options = move || {
        let current = alignment();
        let extra = (!ALIGNMENTS.contains(&current)).then_some(current);
        let option = |bytes: u64| {
            view! {
                <option value=bytes.to_string() selected=bytes == current>{format!("{bytes} B")}</option>
            }
        };
        ALIGNMENTS
            .into_iter()
            .chain(extra)
            .map(option)
            .collect_view()
    };
    view! {
        <label>
            <span data-define="alignment">{move || session.say(Word::Alignment)}</span>
            <select id="alignment" prop:value=move || alignment().to_string() on:change=align>{options}</select>
        </label>
    }
}

/// The most bytes that the device gives in one allocation: what ggml splits its buffers by.
#[component]
fn LargestAllocation() -> impl IntoView {
    const CHOICES: [u64; 6] = [16 << 20, 64 << 20, 256 << 20, 1 << 30, 2 << 30, 4 << 30];
    let session = session();
    let largest = Memo::new(move |_| session.settings.get().largest_allocation);
    let pick = move |event: Event| {
        let bytes = event_target_value(&event).parse().ok().map(Bytes);
        act(session, Setting::LargestAllocation(bytes));
    };
    let options = move || {
        let current = largest.get();
        let extra = current.filter(|it| !CHOICES.contains(&it.0));
        let choices = CHOICES.into_iter().map(Bytes).chain(extra);
        let option = |bytes: Bytes| {
            let chosen = current == Some(bytes);
            view! { <option value=bytes.0.to_string() selected=chosen>{format::bytes(bytes.0)}</option> }
        };
        choices.map(option).collect_view()
    };
    view! {
        <label class="stack">
            <span>{move || session.say(PlanningWord::LargestAllocation)}</span>
            <select id="largest-allocation" on:change=pick>
                <option value="" selected=move || largest.get().is_none()>
                    {move || session.say(PlanningWord::NoLimit)}
                </option>
                {options}
            </select>
        </label>
    }
}

#[component]
fn IoChoice() -> impl IntoView {
    const CHOICES: [(&str, PlanningWord, Io); 5] = [
        ("beside", PlanningWord::IoBeside, Io::Beside),
        ("pinned", PlanningWord::IoWhole, Io::WholeRun),
        ("litert", PlanningWord::IoLitert, Io::Litert),
        ("tflm", PlanningWord::IoTflm, Io::Tflm),
        ("ggml", PlanningWord::IoGgml, Io::Ggml),
    ];
    let session = session();
    let pick = move |event: Event| {
        let name = event_target_value(&event);
        if let Some((_, _, io)) = CHOICES.iter().find(|choice| choice.0 == name) {
            act(session, Setting::PlaceIo(*io));
        }
    };
    let option = move |(name, word, io): (&'static str, PlanningWord, Io)| {
        view! {
            <option value=name selected=move || session.settings.get().io == io>
                {move || session.say(word)}
            </option>
        }
    };
    view! {
        <label class="stack">
            <span>{move || session.say(PlanningWord::IoLabel)}</span>
            <select id="io" on:change=pick>{CHOICES.map(option).collect_view()}</select>
        </label>
    }
}

#[component]
fn ParallelChoice() -> impl IntoView {
    const CHOICES: [(&str, PlanningWord, Parallel); 3] = [
        ("serial", PlanningWord::ParallelSerial, Parallel::Serial),
        ("streams", PlanningWord::ParallelStreams, Parallel::Streams),
        ("free", PlanningWord::ParallelFree, Parallel::Free),
    ];
    let session = session();
    let pick = move |event: Event| {
        let name = event_target_value(&event);
        if let Some((_, _, parallel)) = CHOICES.iter().find(|choice| choice.0 == name) {
            act(session, Setting::Parallel(*parallel));
        }
    };
    let option = move |(name, word, parallel): (&'static str, PlanningWord, Parallel)| {
        view! {
            <option value=name selected=move || session.settings.get().parallel == parallel>
                {move || session.say(word)}
            </option>
        }
    };
    view! {
        <label class="stack" title=move || session.say(PlanningWord::ParallelHint)>
            <span data-define="parallel-safety">{move || session.say(PlanningWord::ParallelLabel)}</span>
            <select id="parallel" on:change=pick>{CHOICES.map(option).collect_view()}</select>
        </label>
    }
}

/// What running operators at the same time costs.
#[component]
fn PriceLine() -> impl IntoView {
    let session = session();
    let price = session.planning.price;
    let text = move || match price.get() {
        Pricing::Unmeasured => vec![session.say(PlanningWord::PriceUnmeasured).to_owned()],
        Pricing::Measuring => vec![session.say(PlanningWord::PriceMeasuring).to_owned()],
        Pricing::Failed => vec![session.say(PlanningWord::PriceFailed).to_owned()],
        Pricing::Measured(price) => {
            let (safe, serial) = (price.safe, price.serial);
            let first = if safe.arena > serial.arena {
                let more = percent_more(safe.arena.0, serial.arena.0);
                let figures = [
                    format::bytes(safe.arena.0),
                    more,
                    format::bytes(serial.arena.0),
                ];
                filled(
                    session.say(PlanningWord::PriceMore),
                    &figures.each_ref().map(String::as_str),
                )
            } else {
                filled(
                    session.say(PlanningWord::PriceSame),
                    &[&format::bytes(safe.arena.0)],
                )
            };
            let bounds = [safe.bound.0, serial.bound.0].map(format::bytes);
            let bounds = filled(
                session.say(PlanningWord::PriceBounds),
                &bounds.each_ref().map(String::as_str),
            );
            let unwaiting = safe.unwaiting.filter(|&it| it < safe.bound).map(|bytes| {
                let least = format::bytes(bytes.0);
                filled(session.say(PlanningWord::PriceUnwaiting), &[&least])
            });
            [first, bounds].into_iter().chain(unwaiting).collect()
        }
    };
    let figures = move || match price.get() {
        Pricing::Measured(price) => {
            Some(format!("{},{}", price.safe.arena.0, price.serial.arena.0))
        }
        _ => None,
    };
    // The side that is not this case can be shown beside it.
    let reveal = move || match price.get() {
        Pricing::Measured(price) => {
            let cases = session.cases.get();
            let sides = [price.serial.case, price.safe.case];
            sides.into_iter().find(|case| !cases.contains(case))
        }
        _ => None,
    };
    let button = move || match price.get() {
        Pricing::Measuring => Some((Word::Stop, PlanningAction::StopPrice)),
        Pricing::Unmeasured | Pricing::Failed => {
            Some((Word::PriceMeasure, PlanningAction::MeasurePrice))
        }
        Pricing::Measured(_) => None,
    };
    view! {
        <div class="price" role="status" data-price=figures title=move || session.say(PlanningWord::PriceHint)>
            {move || text().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
            {move || reveal().map(|case| view! {
                <button data-do="reveal" on:click=move |_| act(session, CaseAction::Reveal(case))>
                    {session.say(CaseWord::Reveal)}
                </button>
            })}
            {move || button().map(|(word, action)| view! {
                <button on:click=move |_| choose(session, action.clone())>{session.say(word)}</button>
            })}
        </div>
    }
}

/// By how much `large` is more than `small`, as percent.
fn percent_more(large: u64, small: u64) -> String {
    use crate::state::session::to_f64;
    let share = to_f64(large.saturating_sub(small)) / to_f64(small.max(1));
    format::percent(share)
}

#[component]
fn EffortChoice() -> impl IntoView {
    let session = session();
    let effort = session.planning.effort;
    let pick = move |event: Event| {
        let name = event_target_value(&event);
        if let Some((_, _, effort)) = EFFORTS.iter().find(|choice| choice.0 == name) {
            choose(session, PlanningAction::Effort(*effort));
        }
    };
    let chosen = move || {
        let known = EFFORTS.iter().find(|choice| choice.2 == effort.get());
        known.map_or("own", |choice| choice.0)
    };
    let own = move || EFFORTS.iter().all(|choice| choice.2 != effort.get());
    let option = move |(name, word, choice): (&'static str, PlanningWord, Effort)| {
        view! {
            <option value=name selected=move || effort.get() == choice>{move || session.say(word)}</option>
        }
    };
    let nodes = Signal::derive(move || effort.get().nodes);
    let moves = Signal::derive(move || effort.get().moves);
    view! {
        <fieldset class="effort">
            <legend data-define="effort">{move || session.say(PlanningWord::EffortLabel)}</legend>
            <select id="effort" prop:value=chosen on:change=pick aria-label=move || session.say(PlanningWord::EffortLabel)>
                {EFFORTS.map(option).collect_view()}
                <option value="own" hidden=move || !own() selected=own>
                    {move || session.say(PlanningWord::EffortOwn)}
                </option>
            </select>
            <Number id="effort-nodes" word=PlanningWord::EffortNodes value=nodes
                with=|effort, nodes| Effort { nodes, ..effort }/>
            <Number id="effort-moves" word=PlanningWord::EffortMoves value=moves
                with=|effort, moves| Effort { moves, ..effort }/>
        </fieldset>
    }
}

/// One number of the effort.
#[component]
fn Number(
    id: &'static str,
    word: PlanningWord,
    value: Signal<u64>,
    with: fn(Effort, u64) -> Effort,
) -> impl IntoView {
    let session = session();
    let change = move |event: Event| match whole(&event_target_value(&event)) {
        Some(number) => {
            let effort = with(session.planning.effort.get_untracked(), number);
            choose(session, PlanningAction::Effort(effort));
        }
        None => {
            // The field shows what holds.
            let field = event_target::<HtmlInputElement>(&event);
            field.set_value(&value.get_untracked().to_string());
            choose(session, PlanningAction::EffortOutside);
        }
    };
    let range = move || session.say(ConstraintWord::EffortRange);
    let hint = format!("{id}-range");
    view! {
        <label>
            <span data-define=define(word)>{move || session.say(word)}</span>
            <input type="number" min="1" max=MOST_EFFORT.to_string() step="1" id=id
                aria-describedby=hint.clone()
                prop:value=move || value.get().to_string() on:change=change/>
        </label>
        <p class="range" id=hint>{range}</p>
    }
}

/// The term that a number of the effort is about.
fn define(word: PlanningWord) -> Option<&'static str> {
    match word {
        PlanningWord::EffortNodes => Some("exact"),
        PlanningWord::EffortMoves => Some("local-search"),
        _ => None,
    }
}
