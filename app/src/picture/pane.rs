//! One column of the comparison: its figures, and its picture or why there is none.

use conversation::{
    Action, CaseAction, Column, Frame, PlanningAction, Progress, Tiling, uses_effort,
};
use leptos::html::Div;
use leptos::prelude::*;
use planner::PlanError;
use timeline::labelling::FONT;
use worker::{CaseId, Planned};

use crate::compare::badge;
use crate::compare::replan::over_bound;
use crate::document::cases::{case_name, pane_count};
use crate::document::pools::pool_figures;
use crate::drawing::size;
use crate::format;
use crate::lazy::{CONTROLS, FILM};
use crate::picture::canvas::PictureCanvas;
use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::{Session, session};
use crate::strings::{
    CaseWord, ConstraintWord, DeployedWord, DifferenceWord, FilmWord, Word, filled,
};
use crate::text::refusal::why_not;
use crate::text::title::title;

/// Width of the plan without reuse where it is a silhouette, in letters.
const SILHOUETTE: f64 = 11.0;

/// In narrower panes name and figures have a line each, in CSS pixels.
const NARROW_PANE: f64 = 560.0;

/// In panes narrower than this they have so while films are seen, too.
const TIGHT_PANE: f64 = 330.0;

/// All panes that are shown.
#[component]
pub(crate) fn Panes() -> impl IntoView {
    let session = session();
    let count = pane_count(session);
    let silhouette = Memo::new(move |_| session.silhouette().is_some());
    let aside = Memo::new(move |_| {
        let shown = session.shown.get().into_iter();
        shown.filter(|it| session.is_aside(*it)).count()
    });
    let beside = move || match silhouette.get() {
        true => SILHOUETTE * session.letters(),
        false => 0.0,
    };
    let frame = NodeRef::<Div>::new();
    let room = RwSignal::new((0.0, 0.0));
    size::follow(frame, move |size| {
        if size != room.get_untracked() {
            room.set(size);
        }
    });
    let tiling = Memo::new(
        // What makes room leaves the others one below the other.
        move |_| match aside.get() > 0 || session.frame.with(Frame::is_one_column) {
            true => Tiling::column(),
            false => {
                // In the frame of another page they may be higher than what is seen of them.
                let (width, height) = room.get();
                let height = height.min(session.frame.with(|frame| frame.window.1));
                let others = count.get() - usize::from(silhouette.get());
                Tiling::of(others, (width - beside(), height))
            }
        },
    );
    let rows = move || (count.get() - usize::from(silhouette.get())).div_ceil(tiling.get().columns);
    // Larger letters need more room.
    let below = move |least: f64| {
        Memo::new(move |_| {
            let least = least * session.letters() / FONT;
            (room.get().0 - beside()) / (tiling.get().columns as f64) < least
        })
    };
    let (narrow, tight) = (below(NARROW_PANE), below(TIGHT_PANE));
    view! {
        <div
            class="panes"
            role="region"
            id="picture"
            tabindex="-1"
            node_ref=frame
            aria-label=move || session.say(Word::Panes)
            data-count=move || count.get().to_string()
            data-last=move || tiling.get().last.to_string()
            data-narrow=move || narrow.get().to_string()
            data-tight=move || tight.get().to_string()
            data-silhouette=move || silhouette.get().to_string()
            style:--silhouette=move || format!("{:.0}px", beside())
            style:--span=move || tiling.get().span().to_string()
            style:--rows=move || (4 * rows()).to_string()
        >
            <For each=move || session.cases.get() key=|id| *id let:id>
                <PanesOf id/>
            </For>
            <Show when=move || session.file.with(Option::is_some) && count.get() == 0>
                <p class="empty">{move || session.say(Word::NothingShown)}</p>
            </Show>
        </div>
    }
}

/// The panes of one case.
#[component]
fn PanesOf(id: CaseId) -> impl IntoView {
    let session = session().of(id);
    provide_context(session);
    view! {
        <For each=move || session.shown.get() key=|column| *column let:column>
            <Pane column/>
        </For>
    }
}

/// What the case of a pane is called, where there are several.
#[component]
fn CaseName() -> impl IntoView {
    let session = session();
    let name = case_name(session, session.id());
    let several = move || session.cases.with(Vec::len) > 1;
    view! {
        <Show when=several>
            <button
                class="case link"
                title=move || session.say(CaseWord::About)
                aria-pressed=move || (session.active.get() == session.id()).to_string()
                on:click=move |_| act(session, CaseAction::Activate)
            >
                {name}
            </button>
        </Show>
    }
}

#[component]
fn Pane(column: Column) -> impl IntoView {
    let session = session();
    let progress = Memo::new(move |_| session.plans.with(|plans| plans.get(&column).cloned()));
    // The film's picture, once the film is there.
    let filmed = Memo::new(move |_| {
        let follow = FILM.get()?.follow;
        Some(follow(session, column))
    });
    let still = Memo::new(move |_| filmed.get()?.get());
    let open = Memo::new(move |_| session.is_film_open(column));
    let hide = move |_| act(session, Action::Show(column, false));
    let aside = Memo::new(move |_| session.is_aside(column));
    let silhouette = Memo::new(move |_| session.silhouette() == Some(column));
    let over = Memo::new(move |_| session.graph_height());
    view! {
        <article class="pane" class:aside=move || aside.get() class:silhouette=move || silhouette.get() data-strategy=column.name() aria-label=move || title(session, column)>
            <header>
                <CaseName/>
                <h2>{move || title(session, column)}</h2>
                {CONTROLS.quiet(move |controls| (controls.head)(column, progress, still))}
                <button
                    class="quiet"
                    on:click=hide
                    aria-label=move || format!("{}: {}", session.say(Word::HidePane), title(session, column))
                    title=move || session.say(Word::HidePane)
                >
                    "×"
                </button>
            </header>
            <div class="between">
                {move || (still.with(Option::is_none) && !open.get()).then(|| CONTROLS.quiet(move |controls| (controls.why)(column)))}
                {FILM.quiet(move |film| (film.caption)(column, still))}
                {move || (!open.get()).then(|| CONTROLS.quiet(move |controls| (controls.says)(column, progress)))}
            </div>
            <div class="picture">
                <div class="over" style:height=move || format!("{}px", over.get())>{CONTROLS.quiet(|controls| (controls.graph)())}</div>
                <PictureCanvas column still/>
            </div>
            <div class="foot">{CONTROLS.quiet(move |controls| (controls.foot)(column, progress))}</div>
        </article>
    }
}

#[component]
pub(super) fn Figures(
    column: Column,
    progress: Memo<Option<Progress>>,
    still: Memo<Option<Still>>,
) -> impl IntoView {
    let session = session();
    // Before its end a film does not say how it ends.
    let before_end = Memo::new(move |_| {
        let making = session.is_film_making(column);
        still.with(|still| match still {
            Some(still) if still.step < still.recording.len() => Some(Some(still.layout.arena.0)),
            Some(_) => None,
            None => making.then_some(None),
        })
    });
    move || {
        if let Some(so_far) = before_end.get() {
            return Some(figures_so_far(session, so_far?).into_any());
        }
        let progress = progress.get()?;
        let planned = progress.planned()?.clone();
        let metrics = planned.judged.metrics;
        let pools = planned.judged.plan.pools.is_some();
        let mut badges = badge::of_plan(session, column, &planned);
        badges.extend(badge::of_savings(session, column, &planned));
        badges.extend(badge::of_search(session, column, &progress));
        badges.extend(badge::of_naive(session, column, &planned));
        badges.extend(badge::of_unused(session, column));
        // An invalid plan can be as small as it likes.
        let valid = planned.judged.violations.is_empty();
        let taken = metrics.taken().0;
        let what = match metrics.reserved {
            Some(_) => session.say(DifferenceWord::Reserved),
            None => session.say(Word::Arena),
        };
        let over = valid && !metrics.optimal && taken != metrics.bound.0 && !pools;
        let over = (over && !session.is_separate()).then(|| {
            let over = filled(
                session.say(DeployedWord::OverBound),
                &[&over_bound(&metrics)],
            );
            view! { <span class="badge" data-define="over-bound" tabindex="0">{over}</span> }
        });
        let left_out = Some(session.left_out()).filter(|&count| count > 0);
        Some(
            view! {
                <p class="figures">
                    <span title=format::exact(taken) data-define="arena">{what} " " <b>{format::bytes(taken)}</b></span>
                    {over}
                    {badge::show(badges)}
                    {pool_figures(session, &planned)}
                    {left_out.map(|count| {
                        let text = filled(session.say(Word::LeftOut), &[&count.to_string()]);
                        view! { <span class="badge invalid">{text}</span> }
                    })}
                </p>
                {search(session, column, progress)}
            }
            .into_any(),
        )
    }
}

/// The arena of what a film shows up to now.
fn figures_so_far(session: Session, arena: u64) -> impl IntoView {
    view! {
        <p class="figures so-far">
            <span title=format::exact(arena)>
                {session.film_word(FilmWord::SoFar)} " " <b>{format::bytes(arena)}</b>
            </span>
        </p>
    }
}

/// A way to stop a search that goes on, or to have it go on.
fn search(session: Session, column: Column, progress: Progress) -> Option<impl IntoView> {
    let (word, hint, action) = match &progress {
        Progress::Improving(..) | Progress::Queued(_) => {
            (Word::Stop, Word::StopHint, PlanningAction::Stop(column))
        }
        Progress::Stopped(_) => (Word::GoOn, Word::GoOnHint, PlanningAction::Again(column)),
        Progress::Done(planned) if may_improve(session, column, planned) => (
            Word::SearchLonger,
            Word::SearchLongerHint,
            PlanningAction::SearchLonger(column),
        ),
        _ => return None,
    };
    let bar = match progress {
        Progress::Improving(_, done, total) if total > 0 => Some(view! {
            <progress max=total.to_string() value=done.min(total).to_string()></progress>
        }),
        _ => None,
    };
    let choose = move |_| act(session, Action::Planning(action.clone()));
    Some(view! {
        {bar}
        <button title=session.say(hint) on:click=choose>{session.say(word)}</button>
    })
}

/// Whether a longer search might find something smaller, and prove it.
fn may_improve(session: Session, column: Column, planned: &Planned) -> bool {
    let judged = &planned.judged;
    let proved = session.proved() == Some(judged.metrics.taken());
    matches!(column, Column::Strategy(strategy) if uses_effort(strategy))
        && !judged.metrics.optimal
        && !proved
        && judged.metrics.arena.0 > 0
        && !session.is_separate()
        && judged.plan.pools.is_none()
        && judged.plan.unsearched.is_none()
        && !session.runs.edits.with(|edits| edits.contains_key(&column))
}

/// What to say while there is no plan.
#[component]
pub(super) fn Status(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    move || {
        let name = title(session, column);
        let status = match progress.get()? {
            Progress::Done(_)
            | Progress::Stopped(_)
            | Progress::Queued(_)
            | Progress::Improving(..) => return None,
            Progress::Waiting => {
                view! { <span>{session.say(Word::WaitingColumn)}</span> }.into_any()
            }
            Progress::Working(done, total) => view! {
                <span>{filled(session.say(Word::PlanningColumn), &[&name])}</span>
                {badge::nodes(session, column, done, total)}
                <progress max=total.max(1).to_string() value=done.min(total).to_string()></progress>
                <button
                    title=session.say(Word::StopHint)
                    on:click=move |_| act(session, Action::Planning(PlanningAction::Stop(column)))
                >
                    {session.say(Word::Stop)}
                </button>
            }
            .into_any(),
            Progress::Failed(PlanError::FixedClash(_)) => {
                view! { <span>{session.say(ConstraintWord::ClashShort)}</span> }.into_any()
            }
            // The same wish would be refused again.
            Progress::Failed(error @ PlanError::Unsupported { .. }) => {
                view! { <span>{why_not(session, &error)}</span> }.into_any()
            }
            Progress::Failed(error) => view! {
                <span>{why_not(session, &error)}</span>
                <button on:click=move |_| act(session, Action::Plan(column))>
                    {session.say(Word::PlanNow)}
                </button>
            }
            .into_any(),
        };
        Some(view! { <div class="status" role="status">{status}</div> })
    }
}
