//! The keyboard: single keys look around, except while something is typed or they are
//! switched off in the help.

use conversation::{
    Action, Case, Column, Dialog, HandAction, InsightAction, Mode, PageAction, RunAction, Turn,
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::film;
use crate::lazy::LEARN;
use crate::picture::{control, look};
use crate::state::driver::act;
use crate::state::session::Session;
use crate::tables::search::SEARCH;

/// Share of the view that one key press moves.
const PAN: f64 = 0.1;

/// Factor by which one key press zooms.
const ZOOM: f64 = 1.25;

/// What has the focus but is not typed into.
const TICKED: &str = "input[type=checkbox], select";

pub(crate) fn released(event: &KeyboardEvent) {
    if event.key() == "Control" {
        control::hold(false);
    }
}

pub(crate) fn pressed(session: Session, event: &KeyboardEvent) {
    if event.key() == "Control" {
        control::hold(true);
    }
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    let place = target.as_ref().map_or(KeyTarget::Elsewhere, place);
    if event.key() == "Escape" && place != KeyTarget::Typing {
        escape(session);
        return;
    }
    let plain = !event.meta_key() && !event.alt_key();
    // Nothing is typed into a box or a list: Undo is the plan's there too.
    let ticks = |target: &Element| target.matches(TICKED).unwrap_or(false);
    let place = match target.as_ref().is_some_and(ticks) && event.ctrl_key() {
        true => KeyTarget::Elsewhere,
        false => place,
    };
    if place == KeyTarget::Typing || !plain || !session.keys.get_untracked() {
        return;
    }
    // Space presses the button that has the focus.
    let taught = session.taught.scene.with_untracked(Option::is_some);
    let free = place != KeyTarget::Elsewhere || event.key() != " ";
    if taught
        && free
        && LEARN
            .now()
            .is_some_and(|learn| (learn.pressed)(session, event))
    {
        return;
    }
    // Arrows and Enter belong to whatever has the focus, unless that is the picture.
    let own = place == KeyTarget::Picture;
    let film = film::keys::anywhere(session, &event.key(), own);
    let film = film.filter(|_| !event.ctrl_key());
    let cross = || crosshair(session, event, own);
    if let Some(action) = film.or_else(cross).or_else(|| action(session, event, own)) {
        event.prevent_default();
        if matches!(
            action,
            Action::Hand(HandAction::Nudge(_) | HandAction::Hop(_))
        ) {
            aim(session, target.as_ref());
        }
        act(session, action);
    } else if event.key() == "p" && !event.ctrl_key() {
        aim(session, target.as_ref());
        pin(session);
    } else if event.key() == "/" {
        event.prevent_default();
        focus_search();
    }
}

/// Where a key was pressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyTarget {
    Typing,
    Picture,
    Elsewhere,
}

fn place(target: &Element) -> KeyTarget {
    let within = |selector: &str| target.closest(selector).ok().flatten().is_some();
    if within("input, select, textarea, dialog, [contenteditable]") {
        KeyTarget::Typing
    } else if within(".stage") || target.tag_name() == "BODY" {
        KeyTarget::Picture
    } else {
        KeyTarget::Elsewhere
    }
}

/// While there is a crosshair, arrows on the picture move it.
fn crosshair(session: Session, event: &KeyboardEvent, own: bool) -> Option<Action> {
    if event.ctrl_key() {
        return None;
    }
    let key = event.key();
    if key == "x" {
        return look::crossed(session);
    }
    let on = session.insight.cross.get_untracked() && own && !event.shift_key();
    let (later, higher) = match key.as_str() {
        "ArrowLeft" => (-1, 0),
        "ArrowRight" => (1, 0),
        "ArrowUp" => (0, 1),
        "ArrowDown" => (0, -1),
        _ => return None,
    };
    on.then(|| look::cross_moved(session, later, higher))
        .flatten()
}

fn action(session: Session, event: &KeyboardEvent, own: bool) -> Option<Action> {
    let (shift, control) = (event.shift_key(), event.ctrl_key());
    let zoom = |factor: f64| match (shift, control) {
        (true, _) => look::zoomed(session, factor, 1.0),
        (_, true) => look::zoomed(session, 1.0, factor),
        _ => look::zoomed(session, factor, factor),
    };
    let key = event.key();
    Some(match key.as_str() {
        "+" | "=" if own || !control => match (key.as_str(), control) {
            // "+" needs Shift on most keyboards, so Shift means nothing there.
            ("+", false) => look::zoomed(session, ZOOM, ZOOM),
            _ => zoom(ZOOM),
        },
        "-" | "_" if own || !control => zoom(1.0 / ZOOM),
        "z" if control => Action::Hand(HandAction::Undo),
        "Z" | "y" if control => Action::Hand(HandAction::Redo),
        _ if control => return None,
        "ArrowLeft" if own => look::panned(session, -PAN, 0.0),
        "ArrowRight" if own => look::panned(session, PAN, 0.0),
        "PageUp" if own && shift => Action::Hand(HandAction::Hop(true)),
        "PageDown" if own && shift => Action::Hand(HandAction::Hop(false)),
        "ArrowUp" if own && shift => Action::Hand(HandAction::Nudge(1)),
        "ArrowDown" if own && shift => Action::Hand(HandAction::Nudge(-1)),
        "ArrowUp" if own => look::panned(session, 0.0, PAN),
        "ArrowDown" if own => look::panned(session, 0.0, -PAN),
        "a" => look::panned(session, -PAN, 0.0),
        "d" => look::panned(session, PAN, 0.0),
        "w" => look::zoomed(session, ZOOM, ZOOM),
        "s" => look::zoomed(session, 1.0 / ZOOM, 1.0 / ZOOM),
        "0" => Action::Look(None),
        "Backspace" if shift => Action::LookAgain(Turn::Forth),
        "Backspace" => Action::LookAgain(Turn::Back),
        "z" => focused(!is_focused(session)),
        "P" => presented(session),
        "f" => look::on_selection(session),
        "." => return look::step(session, 1),
        "," => return look::step(session, -1),
        "?" => PageAction::Dialog(Some(Dialog::Help)).into(),
        _ => return None,
    })
}

fn is_presented(session: Session) -> bool {
    session
        .frame
        .with_untracked(|frame| frame.mode == Mode::Presenter)
}

/// Goes before an audience, or back to work.
fn presented(session: Session) -> Action {
    PageAction::Enter(match is_presented(session) {
        true => Mode::Work,
        false => Mode::Presenter,
    })
    .into()
}

fn is_focused(session: Session) -> bool {
    session.frame.with_untracked(|frame| frame.focus)
}

fn focused(focus: bool) -> Action {
    PageAction::Focus(focus).into()
}

fn escape(session: Session) {
    let runs = session.runs;
    let edited = untrack(|| {
        let edited = |column: &Column| runs.edits.with(|edits| edits.contains_key(column));
        let first = || runs.edits.with(|edits| edits.keys().next().copied());
        session.target().filter(edited).or_else(first)
    });
    let action: Action = if session.dialog.get_untracked().is_some() {
        PageAction::Dialog(None).into()
    } else if runs.moving.get_untracked().is_some() {
        // What is under the hand goes before what is only to be read.
        Action::Hand(HandAction::Drag(None))
    } else if session.notice.with_untracked(Option::is_some) {
        Action::Dismiss
    } else if is_focused(session) {
        focused(false)
    } else if let Some(column) = edited {
        Action::Hand(HandAction::Restore(column))
    } else if session.case(Case::is_asked) {
        // In one column it is all in one sheet.
        if session.frame.with_untracked(|frame| frame.is_narrow()) {
            act(session, Action::Select(None));
        }
        Action::Insight(InsightAction::Clear)
    } else if is_presented(session) && session.selected.get_untracked().is_none() {
        PageAction::Enter(Mode::Work).into()
    } else {
        Action::Select(None)
    };
    act(session, action);
}

/// Has keys change the plan whose picture has the focus.
fn aim(session: Session, focused: Option<&Element>) {
    let pane = focused.and_then(|it| it.closest(".pane").ok().flatten());
    let name = pane.and_then(|it| it.get_attribute("data-strategy"));
    let column: Option<Column> = name.and_then(|name| name.parse().ok());
    let now = untrack(|| session.target());
    if let Some(column) = column.filter(|column| now != Some(*column)) {
        act(session, Action::Run(RunAction::Target(column)));
    }
}

/// Pins or unpins the selected buffer of the plan that the buttons are about.
fn pin(session: Session) {
    let target = untrack(|| session.target());
    if let Some((column, buffer)) = target.zip(session.selected.get_untracked()) {
        act(session, Action::Hand(HandAction::Pin(column, buffer)));
    }
}

fn focus_search() {
    let field = document().get_element_by_id(SEARCH);
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
    }
}
