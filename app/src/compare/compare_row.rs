//! One row of the comparison: a plan's figures, or why there is none and a way to get one;
//! opened, everything that is known of its strategy.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::fault::said;
use crate::text::refusal::why_not;
use crate::text::title::title;
use conversation::{Action, Column, FilmAction, PlanningAction, Progress, Tab};
use leptos::prelude::*;
use planner::metrics::Metrics;
use planner::trace::SearchStage;
use planner::{Bytes, Capability, Message, Model, PlanError, Strategy};
use worker::Planned;

use super::badge::{self, Badge};
use super::table::arena;
use crate::format;
use crate::strings::{self, AnswerWord, ConstraintWord, DeployedWord, Word, filled};

/// The row of a column; `least` is the smallest arena of all, `asked` the column of which it is
/// said why it needs more.
#[component]
pub(crate) fn Row(
    column: Column,
    least: Memo<Option<Bytes>>,
    asked: RwSignal<Option<Column>>,
) -> impl IntoView {
    let session = session();
    let progress = Memo::new(move |_| session.plans.with(|plans| plans.get(&column).cloned()));
    let metrics = Memo::new(move |_| progress.with(|progress| metrics(progress.as_ref())));
    let open = RwSignal::new(false);
    let best = Memo::new(move |_| {
        let own = progress.with(|progress| arena(progress.as_ref()?));
        own.is_some() && own == least.get()
    });
    let number =
        move |text: fn(&Metrics) -> String| move || metrics.get().map(|metrics| text(&metrics));
    // An invalid plan can be as small as it likes: its shares say nothing.
    let valid = Memo::new(move |_| {
        progress.with(|progress| {
            let planned = progress.as_ref()?.planned()?;
            Some(planned.judged.violations.is_empty())
        })
    });
    let share = move |share: fn(&Metrics) -> f64| {
        move || {
            let metrics = metrics.get()?;
            Some(match valid.get()? {
                true => format::percent(share(&metrics)),
                false => "–".to_owned(),
            })
        }
    };
    view! {
        <tr data-strategy=column.name() class:best=move || best.get()>
            <td><label class="box"><ShownBox column/></label></td>
            <th scope="row">
                <Name column open/>
                <p class="second">
                    <Said column progress/>
                    <Marks column progress best/>
                    <Questions column progress asked/>
                </p>
            </th>
            <td
                class="number"
                data-bytes=move || metrics.get().map(|metrics| metrics.taken().0.to_string())
                title=number(|metrics| format::exact(metrics.taken().0))
            >
                <State column progress/>
                {number(|metrics| format::bytes(metrics.taken().0))}
            </td>
            <td class="number" data-label=move || session.say(Word::OverBoundColumn)>
                {share(|metrics| metrics.over_bound)}
            </td>
            <td class="number" data-label=move || session.say(Word::Reuse)>
                {number(|metrics| format!("{:.2}×", metrics.reuse))}
            </td>
            <td class="number" data-label=move || session.say(Word::Objects)>
                {number(|metrics| metrics.objects.map_or_else(|| "–".to_owned(), format::grouped))}
            </td>
            <Time column progress/>
        </tr>
        <Show when=move || open.get()>
            {match column {
                Column::Deployed => None,
                Column::Strategy(strategy) => Some(view! { <Facts strategy/> }),
            }}
        </Show>
    }
}

/// Asks why a plan needs what it needs, and shows how its strategy decides.
#[component]
fn Questions(
    column: Column,
    progress: Memo<Option<Progress>>,
    asked: RwSignal<Option<Column>>,
) -> impl IntoView {
    let session = session();
    let is_planned = Memo::new(move |_| {
        progress.with(|it| it.as_ref().is_some_and(|it| it.planned().is_some()))
    });
    let hint = move |word: AnswerWord| filled(session.say(word), &[&title(session, column)]);
    let why = move |_| {
        asked.set(Some(column));
        act(session, Action::Show(column, true));
    };
    let film = move |strategy| {
        act(session, Action::Film(FilmAction::Choose(0, Some(strategy))));
        act(session, Action::Turn(Tab::FILM));
    };
    let film = move || match column {
        Column::Deployed => None,
        Column::Strategy(strategy) => Some(view! {
            <button class="link" data-do="film" title=hint(AnswerWord::FilmHint) on:click=move |_| film(strategy)>
                {session.say(Word::Film)}
            </button>
        }),
    };
    move || {
        is_planned.get().then(|| {
            view! {
                <span class="questions">
                    <button
                        class="link"
                        data-do="why"
                        title=hint(AnswerWord::WhyHint)
                        aria-pressed=move || (asked.get() == Some(column)).to_string()
                        on:click=why
                    >
                        {session.say(AnswerWord::Why)}
                    </button>
                    " "
                    {film()}
                </span>
            }
        })
    }
}

fn metrics(progress: Option<&Progress>) -> Option<Metrics> {
    Some(progress?.planned()?.judged.metrics)
}

#[component]
fn ShownBox(column: Column) -> impl IntoView {
    let session = session();
    let shown = move || session.shown.with(|shown| shown.contains(&column));
    let toggle = move |event| act(session, Action::Show(column, event_target_checked(&event)));
    view! {
        <input
            type="checkbox"
            prop:checked=shown
            on:change=toggle
            aria-label=move || format!("{}: {}", session.say(Word::Shown), title(session, column))
        />
    }
}

/// The name, which opens what is known of the strategy.
#[component]
fn Name(column: Column, open: RwSignal<bool>) -> impl IntoView {
    let session = session();
    let name = move || title(session, column);
    match column {
        Column::Deployed => view! { <span class="name">{name}</span> }.into_any(),
        Column::Strategy(_) => view! {
            <button
                class="name link"
                aria-expanded=move || open.get().to_string()
                title=move || filled(session.say(Word::MoreAbout), &[&name()])
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {name}
            </button>
        }
        .into_any(),
    }
}

/// Why there is no plan, or how far it is, or else what the strategy does.
#[component]
fn Said(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let why = move || {
        progress.with(|progress| match progress {
            Some(Progress::Failed(PlanError::Cancelled)) => None,
            Some(Progress::Failed(PlanError::FixedClash(_))) => {
                Some(session.say(ConstraintWord::ClashShort).to_owned())
            }
            Some(Progress::Failed(error)) => Some(why_not(session, error)),
            _ => None,
        })
    };
    let unplanned = Memo::new(move |_| progress.with(Option::is_none));
    // How far it is; the badge of a search that goes on says so itself.
    let working = move || {
        progress.with(|progress| match progress {
            Some(Progress::Working(done, total)) if *total > 0 => {
                let nodes = badge::nodes(session, column, *done, *total);
                Some(nodes.unwrap_or_else(|| so_far(session, *done, *total)))
            }
            Some(Progress::Improving(_, done, total)) if *total > 0 => {
                let nodes = badge::nodes(session, column, *done, *total);
                nodes.is_none().then(|| so_far(session, *done, *total))
            }
            _ => None,
        })
    };
    let about = move || match column {
        Column::Deployed => {
            let toolchain = session.file.with(|file| {
                let file = file.as_ref()?;
                Some(file.opened.toolchain.clone())
            });
            let by = session.shipped.strategy.get().or(toolchain);
            let by = by.filter(|by| !by.is_empty())?;
            Some(filled(session.say(DeployedWord::By), &[&by]))
        }
        Column::Strategy(_) if unplanned.get() => Some(session.say(Word::UnplannedHint).to_owned()),
        Column::Strategy(strategy) => {
            Some(strings::strategy(strategy, session.language.get()).to_owned())
        }
    };
    move || match why() {
        Some(why) => {
            let hint = why.clone();
            view! { <span class="why" title=hint>{why}</span> }.into_any()
        }
        None => match working().or_else(about) {
            Some(about) => {
                let hint = about.clone();
                view! { <span class="about" title=hint>{about}</span> }.into_any()
            }
            None => ().into_any(),
        },
    }
}

/// Everything that is known of a strategy.
#[component]
fn Facts(strategy: Strategy) -> impl IntoView {
    let session = session();
    let known = strategy.description();
    let model = match known.model {
        Model::Offsets => Word::ModelOffsets,
        Model::Objects => Word::ModelObjects,
    };
    view! {
        <tr class="about-strategy">
            <td colspan="7">
                <p>{move || strings::strategy(strategy, session.language.get())}</p>
                <dl>
                    <dt>{move || session.say(Word::FactSource)}</dt> <dd>{move || said(session, &Message::verbatim(known.source))}</dd>
                    <dt>{move || session.say(Word::FactModel)}</dt> <dd>{move || session.say(model)}</dd>
                    <dt>{move || session.say(Word::FactCost)}</dt> <dd>{move || said(session, &Message::verbatim(known.cost))}</dd>
                    {move || capabilities(session, strategy)}
                    <dt>{move || session.say(ConstraintWord::FactNaive)}</dt>
                    <dd>{move || badge::why_above_naive(session, strategy)}</dd>
                </dl>
            </td>
        </tr>
    }
}

/// What a strategy does about constraints, as far as there are any that it treats so.
fn capabilities(session: Session, strategy: Strategy) -> impl IntoView {
    let capabilities = strategy.description().capabilities;
    let kinds = [
        (capabilities.alignment, Word::ConstraintAlignment),
        (capabilities.fixed, Word::ConstraintFixed),
        (capabilities.pauses, Word::ConstraintPauses),
        (capabilities.handovers, Word::ConstraintHandovers),
        (capabilities.pools, Word::ConstraintPools),
    ];
    let ways = [
        (Capability::Yes, Word::FactUses),
        (Capability::Conservative, Word::FactKeeps),
        (Capability::No, Word::FactRefuses),
    ];
    let row = |(way, word): (Capability, Word)| {
        let treated = kinds.iter().filter(|(capability, _)| *capability == way);
        let treated: Vec<&str> = treated.map(|(_, kind)| session.say(*kind)).collect();
        (!treated.is_empty()).then(|| {
            view! { <dt>{session.say(word)}</dt> <dd>{treated.join(" · ")}</dd> }
        })
    };
    ways.map(row).collect_view()
}

/// How far the strategy at work is, and in what.
fn so_far(session: Session, done: u64, total: u64) -> String {
    let word = match session.planning.stage.get() {
        None => Word::PartsDone,
        Some(SearchStage::Orders) => Word::OrdersDone,
        Some(SearchStage::Passes) => Word::PassesDone,
        Some(SearchStage::Proof) => Word::NodesDone,
        Some(SearchStage::Moves) => Word::MovesDone,
    };
    let figures = [done, total].map(format::grouped);
    filled(session.say(word), &figures.each_ref().map(String::as_str))
}

/// Why there is no figure, and a way to get one, or to stop.
#[component]
fn State(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let text = move || {
        progress.with(|progress| match progress.as_ref() {
            Some(Progress::Failed(PlanError::Cancelled)) => {
                Some(why_not(session, &PlanError::Cancelled))
            }
            Some(Progress::Waiting) => Some(session.say(Word::WaitingColumn).to_owned()),
            Some(Progress::Working(..)) => Some(session.say(Word::WorkingColumn).to_owned()),
            _ => None,
        })
    };
    let choice = move || {
        progress.with(|progress| match progress.as_ref() {
            None => Some((Word::PlanNow, Word::UnplannedHint, Action::Plan(column))),
            // No strategy can plan it, and that is said above.
            Some(Progress::Failed(PlanError::FixedClash(_) | PlanError::Unsupported { .. })) => {
                None
            }
            Some(Progress::Failed(_)) => Some((Word::PlanNow, Word::PlanNow, Action::Plan(column))),
            Some(Progress::Working(..) | Progress::Improving(..) | Progress::Queued(_)) => Some((
                Word::Stop,
                Word::StopHint,
                Action::Planning(PlanningAction::Stop(column)),
            )),
            Some(Progress::Stopped(_)) => Some((
                Word::GoOn,
                Word::GoOnHint,
                Action::Planning(PlanningAction::Again(column)),
            )),
            Some(Progress::Waiting | Progress::Done(_)) => None,
        })
    };
    let button = move || {
        choice().map(|(word, hint, action)| {
            let doing = move || format!("{}: {}", session.say(word), title(session, column));
            view! {
                <button
                    title=session.say(hint)
                    aria-label=doing
                    on:click=move |_| act(session, action.clone())
                >
                    {session.say(word)}
                </button>
            }
        })
    };
    view! {
        <span class="state">{text}</span>
        " "
        {button}
        " "
    }
}

/// What is known of the arena; where nothing is, whether it is the smallest.
#[component]
fn Marks(column: Column, progress: Memo<Option<Progress>>, best: Memo<bool>) -> impl IntoView {
    let session = session();
    move || {
        let progress = progress.get()?;
        let Some(planned) = progress.planned() else {
            let Progress::Working(done, total) = progress else {
                return None;
            };
            let nodes = badge::nodes(session, column, done, total);
            return nodes.map(|nodes| view! { <span class="badge">{nodes}</span> }.into_any());
        };
        let mut badges = badge::of_plan(session, column, planned);
        badges.extend(badge::of_savings(session, column, planned));
        badges.extend(badge::of_search(session, column, &progress));
        if badges.is_empty() && best.get() {
            badges.push(Badge::smallest(session));
        }
        badges.extend(badge::of_reserved(session, planned));
        badges.extend(badge::of_naive(session, column, planned));
        badges.extend(badge::of_unused(session, column));
        let by_exact = beside_exact(session, column, planned);
        Some(view! { {badge::show(badges)} {by_exact} }.into_any())
    }
}

/// Beside the best plan of all strategies: that the exact search has a smaller one, and a way
/// to it, or that it was not asked, and a way to ask it.
fn beside_exact(
    session: Session,
    column: Column,
    planned: &Planned,
) -> Option<impl IntoView + use<>> {
    let exact = Column::Strategy(Strategy::Exact);
    let judged = &planned.judged;
    let open = !judged.metrics.optimal && judged.violations.is_empty();
    if column != Column::Strategy(Strategy::Best) || !open || judged.plan.pools.is_some() {
        return None;
    }
    let other = session.plans.with(|plans| plans.get(&exact).cloned());
    let (text, hint) = match other {
        None => (session.say(Word::AskExact).to_owned(), Word::AskExactHint),
        Some(other) => {
            let smaller = arena(&other).filter(|bytes| *bytes < judged.metrics.arena)?;
            let less = judged.metrics.arena.0.saturating_sub(smaller.0);
            let figures = [smaller.0, less].map(format::bytes);
            let figures = figures.each_ref().map(String::as_str);
            let text = filled(session.say(Word::ExactIsSmaller), &figures);
            (text, Word::ExactIsSmallerHint)
        }
    };
    let turn = move |_| act(session, Action::Show(exact, true));
    Some(view! {
        <button class="link by-exact" title=session.say(hint) on:click=turn>{text}</button>
    })
}

/// How long planning took; a plan that came with the file took none here.
#[component]
fn Time(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let ms = Memo::new(move |_| progress.with(|it| Some(it.as_ref()?.planned()?.ms)));
    let text = move || match column {
        Column::Deployed => ms.get().map(|_| "–".to_owned()),
        Column::Strategy(_) => ms.get().map(format::duration),
    };
    view! {
        <td
            class="number"
            data-label=move || session.say(Word::Time)
            data-ms=move || ms.get().map(|ms| ms.to_string())
        >
            {text}
        </td>
    }
}
