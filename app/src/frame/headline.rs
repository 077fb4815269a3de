//! What is open in one sentence above the pictures, and what the pictures show.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::words::{FrameWord, filled};
use conversation::{Action, Column, Mode, PageAction, PlanningAction, Tab, Turn};
use leptos::prelude::*;
use planner::Strategy;

use crate::document::file_name::short;
use crate::format;

/// The plan without any reuse.
const NAIVE: Column = Column::Strategy(Strategy::Naive);

/// The figures of the sentence.
#[derive(Clone, Debug, PartialEq)]
struct Sentence {
    name: String,
    /// The plan that it begins with, and its bytes: deployed, or without reuse.
    before: Option<(Column, u64)>,
    /// The smallest plan of others, and its bytes.
    after: Option<(Column, u64)>,
    /// What no plan goes below.
    floor: u64,
    /// A film has not come to its end: the sentence does not say what it comes to.
    open: bool,
}

/// The headline, with what changes the view beside it.
#[component]
pub(crate) fn Headline() -> impl IntoView {
    let session = session();
    let sentence = Memo::new(move |_| sentence(session));
    let about = move || {
        let id = session.file.with(|file| file.as_ref()?.sample.clone())?;
        let language = session.language.get();
        session.state(|state| {
            let sample = state.samples.iter().find(|sample| sample.id == id)?;
            Some(sample.about(language).to_owned())
        })
    };
    view! {
        <p class="headline" data-naive=move || figure(&sentence.get(), |it| it.before) data-best=move || figure(&sentence.get(), |it| it.after)>
            {move || sentence.get().map(|sentence| terms(session, &sentence))}
        </p>
        <p class="caption-line">
            <span>{move || session.say(caption(session))}</span>
            {move || about().map(|about| view! { " " <span class="about-sample">{about}</span> })}
        </p>
    }
}

fn figure(
    sentence: &Option<Sentence>,
    of: fn(&Sentence) -> Option<(Column, u64)>,
) -> Option<String> {
    let told = sentence.as_ref().filter(|sentence| !sentence.open)?;
    Some(of(told)?.1.to_string())
}

/// What a rectangle is: of a trace it is a block.
fn caption(session: Session) -> FrameWord {
    let graph = session.prepared.with(|prepared| {
        let graph =
            |prepared: &std::sync::Arc<worker::Prepared>| prepared.subject.graph().is_some();
        prepared.as_ref().is_some_and(graph)
    });
    match graph {
        true => FrameWord::Caption,
        false => FrameWord::CaptionBlocks,
    }
}

fn sentence(session: Session) -> Option<Sentence> {
    let name = session
        .file
        .with(|file| Some(short(&file.as_ref()?.name)))?;
    let bound = session
        .prepared
        .with(|prepared| Some(prepared.as_ref()?.bounds.offsets.0))?;
    let pools = !session.planning.pools.with(Vec::is_empty);
    if pools || session.is_separate() {
        return Some(Sentence {
            name,
            before: None,
            after: None,
            floor: 0,
            open: false,
        });
    }
    let deployed = session
        .file
        .with(|file| file.as_ref().is_some_and(|file| file.opened.deployed));
    let begin = if deployed { Column::Deployed } else { NAIVE };
    let figures = session.plans.with(|plans| {
        let all = plans.iter().filter_map(|(column, progress)| {
            let judged = &progress.planned()?.judged;
            let counts = judged.violations.is_empty();
            counts.then_some((*column, judged.metrics.taken().0))
        });
        let all: Vec<(Column, u64)> = all.collect();
        let before = all.iter().copied().find(|(column, _)| *column == begin);
        let others = all
            .into_iter()
            .filter(|(column, _)| ![Column::Deployed, NAIVE].contains(column));
        let best = Column::Strategy(Strategy::Best);
        let after = others.min_by_key(|(column, bytes)| (*bytes, *column != best));
        (before, after)
    });
    let filmed = session.filmed();
    Some(Sentence {
        name,
        before: figures.0,
        after: figures.1,
        floor: session.proved().map_or(bound, |proved| proved.0.max(bound)),
        open: filmed.iter().any(|column| session.is_film_open(*column)),
    })
}

/// The sentence, each of its figures a button that shows what it is of.
fn terms(session: Session, sentence: &Sentence) -> AnyView {
    let floor = sentence.floor;
    let (before, after) = (sentence.before, sentence.after);
    let shrinks = before
        .zip(after)
        .filter(|(before, after)| after.1 < before.1);
    let deployed = before.filter(|before| before.0 == Column::Deployed);
    let smallest = match shrinks {
        Some((_, after)) => Some(after),
        None => before.or(after),
    };
    let known = smallest.filter(|_| floor > 0);
    let last = known.map(|(_, bytes)| match bytes <= floor {
        true => session.say(FrameWord::NoLess).to_owned(),
        false => filled(session.say(FrameWord::AtLeast), &[&format::bytes(floor)]),
    });
    let joint = |word: FrameWord| session.say(word);
    let name = view! { <b class="name">{sentence.name.clone()}</b> };
    if sentence.open {
        // The room of what is to come, so that no picture jumps when it does.
        let bytes = |term: (Column, u64)| format::bytes(term.1);
        let less = shrinks.map(|(before, after)| {
            let less = times(session, before.1, after.1);
            format!("{}{}{less}", joint(FrameWord::Arrow), bytes(after))
        });
        let last = last.map(|last| format!("{}{last}", joint(FrameWord::Join)));
        let room = [before.map(bytes), less, last].into_iter().flatten();
        let room: String = room.collect();
        return view! {
            {name} {joint(FrameWord::Colon)}
            <span class="so-far">{session.say(FrameWord::FilmOpen)}</span>
            <span class="room" aria-hidden="true" data-text=room></span>
        }
        .into_any();
    }
    view! {
        {name}
        {before.map(|term| view! { {joint(FrameWord::Colon)} {plan(session, term)} })}
        {shrinks.map(|(_, after)| view! { {joint(FrameWord::Arrow)} {plan(session, after)} })}
        {shrinks.map(|(before, after)| match deployed {
            Some(_) => wasted(session, before.1, after.1).into_any(),
            None => times(session, before.1, after.1).into_any(),
        })}
        {last.map(|text| view! { {joint(FrameWord::Join)} {bound(session, text)} })}
    }
    .into_any()
}

/// A plan's bytes; shows the plan.
fn plan(session: Session, (column, bytes): (Column, u64)) -> impl IntoView + use<> {
    let (text, hint) = match column {
        Column::Deployed => (
            filled(session.say(FrameWord::Deployed), &[&format::bytes(bytes)]),
            FrameWord::DeployedHint,
        ),
        NAIVE => (format::bytes(bytes), FrameWord::NaiveHint),
        Column::Strategy(_) => (format::bytes(bytes), FrameWord::BestHint),
    };
    let hint = format!("{} ({})", session.say(hint), format::exact(bytes));
    let show = move |_| {
        if !session
            .shown
            .with_untracked(|shown| shown.contains(&column))
        {
            act(session, Action::Show(column, true));
        }
    };
    let define = if column == NAIVE { "naive" } else { "arena" };
    view! {
        <button class="term" data-term=column.name() data-define=define aria-label=format!("{text}. {hint}") on:click=show>
            {text.clone()}
        </button>
    }
}

/// How many times less: "72", "7.8".
fn times(session: Session, before: u64, after: u64) -> String {
    let ratio = to_f64(before) / to_f64(after.max(1));
    let ratio = match ratio {
        ratio if ratio >= 10.0 => format!("{ratio:.0}"),
        ratio if ratio >= 2.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    };
    filled(session.say(FrameWord::Times), &[&ratio])
}

/// What the deployed plan could do without; leads to where it is.
fn wasted(session: Session, before: u64, after: u64) -> impl IntoView + use<> {
    let bytes = before - after;
    let share = format::percent(to_f64(bytes) / to_f64(before.max(1)));
    let text = filled(session.say(FrameWord::Wasted), &[&share]);
    view! {
        {session.say(FrameWord::Comma)}
        <button
            class="term"
            data-term="wasted"
            data-define="fragmentation"
            aria-label=format!("{text} ({})", format::exact(bytes))
            on:click=move |_| act(session, Action::Turn(Tab::WASTE))
        >
            {text.clone()}
        </button>
    }
}

/// The bound; shows the tensors that make it.
fn bound(session: Session, text: String) -> impl IntoView + use<> {
    let show = move |_| {
        let listed = untrack(|| session.listed_bounds());
        let strongest = listed.iter().position(|bound| bound.strongest);
        if let Some(index) = strongest {
            let shown = session.planning.witness.get_untracked() != Some(index);
            let action = PlanningAction::Witness(shown.then_some(index));
            act(session, Action::Planning(action));
        }
    };
    view! {
        <button class="term" data-term="bound" data-define="bound" on:click=show>
            {text}
        </button>
    }
}

/// What changes how much is seen.
#[component]
pub(crate) fn Views() -> impl IntoView {
    let session = session();
    let some = |which: fn(&conversation::Views) -> bool| move || session.views.with(which);
    let back = some(|views| views.can_go_back());
    let forth = some(|views| !views.future.is_empty());
    let mode = move || session.frame.with(|frame| frame.mode);
    let turned = move |wanted: Mode| {
        let next = if mode() == wanted { Mode::Work } else { wanted };
        act(session, PageAction::Enter(next));
    };
    view! {
        <div class="views" role="group" aria-label=move || session.say(FrameWord::View)>
            {tool(session, "back", "↶", FrameWord::Back, move || !back(), Action::LookAgain(Turn::Back))}
            {tool(session, "forth", "↷", FrameWord::Forth, move || !forth(), Action::LookAgain(Turn::Forth))}
            {tool(session, "fit", "⤢", FrameWord::Fit, move || session.window.with(Option::is_none), Action::Look(None))}
            <button
                class="quiet"
                data-do="scale"
                aria-pressed=move || session.has_own_scales().to_string()
                hidden=move || session.shown.with(Vec::len) < 2
                title=move || session.say(FrameWord::OwnScaleHint)
                on:click=move |_| act(session, Action::OwnScale(!untrack(|| session.has_own_scales())))
            >
                {move || session.say(FrameWord::OwnScale)}
            </button>
            <button
                class="quiet"
                data-do="focus"
                title=move || session.say(FrameWord::FocusHint)
                on:click=move |_| turned(Mode::Focus)
            >
                {move || session.say(FrameWord::Focus)}
            </button>
            <button
                class="quiet"
                data-do="present"
                aria-pressed=move || (mode() == Mode::Presenter).to_string()
                title=move || session.say(FrameWord::PresenterHint)
                on:click=move |_| turned(Mode::Presenter)
            >
                {move || session.say(FrameWord::Presenter)}
            </button>
        </div>
    }
}

/// A button with a sign.
fn tool(
    session: Session,
    name: &'static str,
    sign: &'static str,
    word: FrameWord,
    off: impl Fn() -> bool + Send + 'static,
    action: Action,
) -> impl IntoView {
    view! {
        <button
            class="quiet sign"
            data-do=name
            disabled=off
            aria-label=move || session.say(word)
            title=move || session.say(word)
            on:click=move |_| act(session, action.clone())
        >
            <span aria-hidden="true">{sign}</span>
        </button>
    }
}

/// The way out of the focus, which has no other.
#[component]
pub(crate) fn LeaveFocus() -> impl IntoView {
    let session = session();
    let focused = move || session.frame.with(|frame| frame.mode == Mode::Focus);
    view! {
        <Show when=focused>
            <button
                class="leave"
                title="Esc"
                on:click=move |_| act(session, PageAction::Enter(Mode::Work))
            >
                {move || session.say(FrameWord::Leave)}
            </button>
        </Show>
    }
}
