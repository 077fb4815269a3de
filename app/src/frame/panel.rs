//! Panels around the pictures: each can be closed to a rail, and dragged to another size.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::{PageAction, Panel, limits};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};

use crate::strings::{FrameWord, Word, filled};

/// A press of an arrow key makes a panel so many CSS pixels larger or smaller.
const STRIDE: f64 = 24.0;

/// What a panel is called.
pub(crate) fn name(session: Session, panel: Panel) -> &'static str {
    match panel {
        Panel::Document => session.say(Word::Document),
        Panel::Inspector => session.say(Word::Inspector),
        Panel::Sheet => session.say(FrameWord::Sheet),
    }
}

/// A panel beside the pictures: open with a handle to drag, or closed with a button to open it.
#[component]
pub(crate) fn Side(panel: Panel, children: Children) -> impl IntoView {
    let session = session();
    let open = Memo::new(move |_| session.is_panel_open(panel));
    let class = match panel {
        Panel::Document => "side at-left",
        Panel::Inspector | Panel::Sheet => "side at-right",
    };
    view! {
        <div class=class>
            <div class="content" hidden=move || !open.get()>{children()}</div>
            <Fold panel/>
            <Grip panel/>
        </div>
    }
}

/// Opens and closes a panel.
#[component]
pub(crate) fn Fold(panel: Panel) -> impl IntoView {
    let session = session();
    let open = Memo::new(move |_| session.is_panel_open(panel));
    let says = move || {
        let word = match open.get() {
            true => FrameWord::Hide,
            false => FrameWord::Show,
        };
        filled(session.say(word), &[name(session, panel)])
    };
    let arrow = move || match (panel, open.get()) {
        (Panel::Document, true) | (Panel::Inspector, false) => "«",
        (Panel::Document, false) | (Panel::Inspector, true) => "»",
        (Panel::Sheet, true) => "▾",
        (Panel::Sheet, false) => "▴",
    };
    let named = move || (!open.get() && panel != Panel::Sheet).then(|| name(session, panel));
    view! {
        <button
            class="quiet fold"
            data-panel=data(panel)
            aria-expanded=move || open.get().to_string()
            aria-label=says
            title=says
            on:click=move |_| act(session, PageAction::Open(panel, !open.get_untracked()))
        >
            <span aria-hidden="true">{arrow}</span>
            <span class="named" aria-hidden="true">{named}</span>
        </button>
    }
}

/// For the style sheet and for tests.
fn data(panel: Panel) -> &'static str {
    match panel {
        Panel::Document => "document",
        Panel::Inspector => "inspector",
        Panel::Sheet => "sheet",
    }
}

/// The handle between a panel and the pictures.
#[component]
pub(crate) fn Grip(panel: Panel) -> impl IntoView {
    let session = session();
    let size = move || session.frame.with(|frame| frame.size(panel));
    let limits = move || session.frame.with(|frame| limits(panel, frame.window));
    let text = |number: f64| format!("{number:.0}");
    let held = StoredValue::new(false);
    let down = move |event: PointerEvent| {
        let Some(target) = event.current_target() else {
            return;
        };
        let target: Element = target.unchecked_into();
        held.set_value(target.set_pointer_capture(event.pointer_id()).is_ok());
        event.prevent_default();
    };
    let moved = move |event: PointerEvent| {
        if held.get_value() {
            let (width, height) = session.frame.with_untracked(|frame| frame.window);
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            resize(
                session,
                panel,
                match panel {
                    Panel::Document => x,
                    Panel::Inspector => width - x,
                    Panel::Sheet => height - y,
                },
            );
        }
    };
    view! {
        <div
            class="grip"
            role="separator"
            tabindex="0"
            hidden=move || !session.is_panel_open(panel)
            aria-orientation=if panel == Panel::Sheet { "horizontal" } else { "vertical" }
            aria-valuenow=move || text(size())
            aria-valuemin=move || text(limits().0)
            aria-valuemax=move || text(limits().1)
            aria-label=move || filled(session.say(FrameWord::Resize), &[name(session, panel)])
            title=move || session.say(FrameWord::ResizeHint)
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set_value(false)
            on:pointercancel=move |_| held.set_value(false)
            on:dblclick=move |_| act(session, PageAction::Stretch(panel, None))
            on:keydown=move |event| pressed(session, panel, &event)
        ></div>
    }
}

/// Gives the panel this size, as far as there is room.
fn resize(session: Session, panel: Panel, size: f64) {
    let window = session.frame.with_untracked(|frame| frame.window);
    let (least, most, _) = limits(panel, window);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the limits, which are those of a window"
    )]
    let size = size.clamp(least, most).round() as u32;
    act(session, PageAction::Stretch(panel, Some(size)));
}

fn pressed(session: Session, panel: Panel, event: &KeyboardEvent) {
    let frame = session.frame.get_untracked();
    let (size, (least, most, _)) = (frame.size(panel), limits(panel, frame.window));
    let size = match (event.key().as_str(), panel) {
        ("ArrowRight", Panel::Document)
        | ("ArrowLeft", Panel::Inspector)
        | ("ArrowUp", Panel::Sheet) => size + STRIDE,
        ("ArrowLeft", Panel::Document)
        | ("ArrowRight", Panel::Inspector)
        | ("ArrowDown", Panel::Sheet) => size - STRIDE,
        ("Home", _) => least,
        ("End", _) => most,
        ("Enter", _) => {
            act(session, PageAction::Open(panel, false));
            return;
        }
        _ => return,
    };
    event.prevent_default();
    // The whole page listens to arrows too.
    event.stop_propagation();
    resize(session, panel, size);
}
