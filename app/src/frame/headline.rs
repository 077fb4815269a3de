//! What is open in one sentence above the pictures, and what the pictures show.

use conversation::{Action, Column, Mode, PageAction, PlanningAction, Tab, Turn};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use crate::drawing::menu::Menu;
use crate::format;
use crate::inspect::peak_answer::peak;
use crate::lazy::EXPORT;
use crate::lazy::export::{Encoding, Shape};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{AnswerWord, FrameWord};
use crate::text::headline::{NAIVE, Piece, Sentence, caption, pieces, sentence};

/// The headline, with what changes the view beside it.
#[component]
pub(crate) fn Headline() -> impl IntoView {
    let session = session();
    let sentence = Memo::new(move |_| sentence(session));
    // A scene asks for it.
    let peak = move || {
        let taught = session.taught.scene.with(Option::is_some);
        (!taught).then(|| peak(session)).flatten()
    };
    view! {
        <p class="headline" data-naive=move || figure(&sentence.get(), |it| it.before) data-best=move || figure(&sentence.get(), |it| it.after)>
            {move || {
                let pieces = sentence.with(|it| it.as_ref().map(|it| pieces(session, it)));
                kept_together(session, pieces.unwrap_or_default())
            }}
        </p>
        <p class="caption-line">
            <span>{move || caption(session)}</span>
            {move || peak().map(|peak| view! { {session.say(AnswerWord::Then)} <span class="peak-line">{peak}</span> })}
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

/// The parts of the sentence, each in one line with the mark that follows it.
fn kept_together(session: Session, mut pieces: Vec<Piece>) -> Vec<AnyView> {
    let mut shown = Vec::new();
    for index in 0..pieces.len() {
        let mark = match pieces.get_mut(index + 1) {
            Some(Piece::Plain(text)) if text.starts_with([',', ';', ':', '，', '；', '：']) => {
                Some(text.remove(0).to_string())
            }
            _ => None,
        };
        let part = view(session, &pieces[index]);
        shown.push(match mark {
            Some(mark) => view! { <span class="kept">{part}{mark}</span> }.into_any(),
            None => part,
        });
    }
    shown
}

/// A part of the sentence, a figure as a button that shows what it is of.
fn view(session: Session, piece: &Piece) -> AnyView {
    let text = piece.text(session);
    match *piece {
        Piece::Name(_) => view! { <b class="name" dir="auto">{text}</b> }.into_any(),
        Piece::Plain(_) => text.into_any(),
        Piece::Plan(column, bytes) => plan(session, text, (column, bytes)).into_any(),
        Piece::Wasted(before, after) => wasted(session, text, before - after).into_any(),
        Piece::Bound(_) => bound(session, text).into_any(),
        Piece::Open(_) => view! { <span class="so-far">{text}</span> }.into_any(),
        Piece::Room(ref room) => {
            let room = room.clone();
            view! { <span class="room" aria-hidden="true" data-text=room></span> }.into_any()
        }
    }
}

/// A plan's bytes; shows the plan.
fn plan(session: Session, text: String, (column, bytes): (Column, u64)) -> impl IntoView + use<> {
    let hint = match column {
        Column::Deployed => FrameWord::DeployedHint,
        NAIVE => FrameWord::NaiveHint,
        Column::Strategy(_) => FrameWord::BestHint,
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

/// What the deployed plan could do without; leads to where it is.
fn wasted(session: Session, text: String, bytes: u64) -> impl IntoView + use<> {
    view! {
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
    let strongest = move || {
        let listed = session.listed_bounds();
        listed.iter().position(|bound| bound.strongest)
    };
    let shown = move || {
        let strongest = strongest();
        strongest.is_some() && session.planning.witness.get() == strongest
    };
    let show = move |_| {
        let next = untrack(|| (!shown()).then(strongest).flatten());
        act(session, Action::Planning(PlanningAction::Witness(next)));
    };
    view! {
        <button
            class="term"
            data-term="bound"
            data-define="bound"
            aria-pressed=move || shown().to_string()
            on:click=show
        >
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
    let timed = move || session.clock.with(Option::is_some);
    let can_be_timed = session.figures(|state| state.can_be_timed(*state.active));
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
                on:click=move |_| act(session, Action::OwnScale(Some(!untrack(|| session.has_own_scales()))))
            >
                {move || session.say(FrameWord::OwnScale)}
            </button>
            {even_panes(session)}
            <button
                class="quiet"
                data-do="time"
                aria-pressed=move || timed().to_string()
                hidden=move || !can_be_timed.get()
                title=move || session.say(FrameWord::TimeAxisHint)
                on:click=move |_| act(session, Action::TimeAxis(!untrack(timed)))
            >
                {move || session.say(FrameWord::TimeAxis)}
            </button>
            <Slides/>
            <button
                class="quiet"
                data-do="focus"
                // Part of what is before an audience.
                hidden=move || mode() == Mode::Work
                title=move || session.say(FrameWord::FocusHint)
                on:click=move |_| act(session, PageAction::Focus(true))
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

/// Gives the plan without reuse as much room as another, or makes it narrow again.
fn even_panes(session: Session) -> impl IntoView {
    let silhouette = Memo::new(move |_| session.silhouette().is_some());
    let offered = Memo::new(move |_| silhouette.get() || session.could_be_silhouette());
    let turn = move |_| {
        let even = silhouette.get_untracked().then_some(false);
        act(session, Action::OwnScale(even));
    };
    view! {
        <button
            class="quiet"
            data-do="even"
            aria-pressed=move || (!silhouette.get()).to_string()
            hidden=move || !offered.get()
            title=move || session.say(FrameWord::EvenPanesHint)
            on:click=turn
        >
            {move || session.say(FrameWord::EvenPanes)}
        </button>
    }
}

/// What is seen, as a picture.
#[component]
fn Slides() -> impl IntoView {
    let session = session();
    let ready = Memo::new(move |_| {
        let has_plan = |column: &Column| session.planned(*column).is_some();
        session.shown.with(|shown| shown.iter().any(has_plan))
    });
    let kinds = [
        ("wide-png", FrameWord::WidePng, Shape::Wide, Encoding::Png),
        ("wide-svg", FrameWord::WideSvg, Shape::Wide, Encoding::Svg),
        ("seen-png", FrameWord::SeenPng, Shape::Seen, Encoding::Png),
        ("seen-svg", FrameWord::SeenSvg, Shape::Seen, Encoding::Svg),
    ];
    let items = kinds.map(|(kind, word, shape, encoding)| {
        let choose = move |_| EXPORT.then(move |part| (part.slide)(session, shape, encoding));
        view! { <button data-slide=kind on:click=choose>{move || session.say(word)}</button> }
    });
    let items = items.collect_view();
    // Without the part, the page itself would be printed.
    let print = move |_| {
        EXPORT.then(|_| {
            let _ = window().print();
        });
    };
    view! {
        <Menu
            says=Signal::derive(move || session.say(FrameWord::Slide).to_owned())
            name=Signal::derive(move || session.say(FrameWord::SlideHint).to_owned())
            hidden=Signal::derive(move || !ready.get() || session.hides_something())
        >
            {items}
            <button data-slide="print" on:click=print>{move || session.say(FrameWord::Print)}</button>
        </Menu>
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

/// The way from the frame of another page to the whole page.
#[component]
pub(crate) fn OpenWhole() -> impl IntoView {
    let session = session();
    let embedded = move || session.frame.with(|frame| frame.mode == Mode::Embedded);
    // What is seen now goes along, and the frame's own parameters do not.
    let follow = move |event: web_sys::MouseEvent| {
        let location = window().location();
        let part = |part: Result<String, _>| part.unwrap_or_default();
        let address = part(location.pathname()) + &part(location.hash());
        let link = event.current_target();
        if let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::Element>().ok()) {
            let _ = link.set_attribute("href", &address);
        }
    };
    view! {
        <Show when=embedded>
            <a class="whole" href="./" target="_blank" rel="noopener" on:click=follow>
                {move || session.say(FrameWord::OpenWhole)}
            </a>
        </Show>
    }
}

/// The way out of what leaves out the tools.
#[component]
pub(crate) fn LeaveFocus() -> impl IntoView {
    let session = session();
    let focused = move || session.frame.with(|frame| frame.focus);
    let left_out = move || focused() || session.frame.with(|it| it.mode == Mode::Presenter);
    // One step at a time.
    let leave = move |_| match untrack(focused) {
        true => act(session, PageAction::Focus(false)),
        false => act(session, PageAction::Enter(Mode::Work)),
    };
    view! {
        <Show when=left_out>
            <button
                class="leave"
                title="Esc"
                on:click=leave
            >
                {move || session.say(FrameWord::Leave)}
            </button>
        </Show>
    }
}
