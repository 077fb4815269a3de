//! The page's frame: where each part stands, and what follows the whole window.

use conversation::{Dialog, Language, Mode, PageAction, Panel, Theme};
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{ClipboardEvent, DragEvent, KeyboardEvent};

use crate::drawing::beside::window_size;
use crate::frame::keys;
use crate::lazy::{self, CHINESE, CONTROLS, EXPORT, GENERATE, HELP, LEARN};

use crate::picture::pane::Panes;
use crate::state::driver::{act, visit};
use crate::state::memory;
use crate::state::session::{Session, session};
use crate::strings::Word;

/// The whole page.
#[component]
pub(crate) fn Shell() -> impl IntoView {
    let session = session();
    follow_system_theme(session);
    follow_window(session);
    show_theme(session);
    mark_hidden(session);
    let in_chinese = Memo::new(move |_| session.chosen.get() == Language::Zh);
    Effect::new(move |_| {
        if in_chinese.get() {
            CHINESE.fetch();
        }
    });
    let dragging = RwSignal::new(false);
    let over = move |event: DragEvent| {
        event.prevent_default();
        dragging.set(true);
    };
    let dropped = move |event: DragEvent| {
        event.prevent_default();
        dragging.set(false);
        CONTROLS.then(move |controls| (controls.dropped)(session, &event));
    };
    let [help, share, columns, learn, generate] = dialogs(session);
    let taught = Memo::new(move |_| session.taught.scene.with(Option::is_some));
    view! {
        <div
            class="page"
            on:dragover=over
            on:dragleave=move |event: DragEvent| {
                if event.related_target().is_none() {
                    dragging.set(false);
                }
            }
            on:drop=dropped
        >
            <a class="skip" href="#picture" on:click=skip>
                {move || session.say(Word::SkipToPicture)}
            </a>
            {CONTROLS.or(|controls| (controls.bar)(), bare_bar)}
            // What cannot be fetched is said here.
            {lazy::unfetched(session)}
            {move || in_chinese.get().then(|| CHINESE.main(|_| ().into_any()))}
            <main
                data-document=opened(session, Panel::Document)
                data-inspector=opened(session, Panel::Inspector)
                data-lesson=move || taught.get().to_string()
                data-sheet=opened(session, Panel::Sheet)
                data-tab=move || session.tab.get().0
                style:--left=sized(session, Panel::Document)
                style:--right=sized(session, Panel::Inspector)
                style:--below=sized(session, Panel::Sheet)
            >
                {move || taught.get().then(|| LEARN.view(|part| (part.panel)()))}
                {CONTROLS.or(|controls| (controls.document)(), || bare("side at-left"))}
                <div class="middle">
                    <div class="above" class:offers=memory::offers_lesson()>{CONTROLS.main(|controls| (controls.above)())}</div>
                    <Panes/>
                    {CONTROLS.quiet(|controls| (controls.under)())}
                </div>
                {CONTROLS.or(|controls| (controls.beside)(), || {
                    view! { {bare("side at-right")} {bare("tabs")} }.into_any()
                })}
            </main>
            {move || help.get().then(|| HELP.view(|part| (part.help)()))}
            {move || columns.get().then(|| HELP.view(|part| (part.columns)()))}
            {move || learn.get().then(|| LEARN.view(|part| (part.list)()))}
            {move || generate.get().then(|| GENERATE.view(|part| (part.form)()))}
            {move || share.get().then(|| EXPORT.view(|part| (part.share)()))}
            {move || dragging.get().then(|| CONTROLS.view(|controls| (controls.dropping)()))}
        </div>
    }
}

/// Whether help, sharing, columns, lessons and the form were ever asked for: once made, a dialog stays, closed.
fn dialogs(session: Session) -> [Memo<bool>; 5] {
    let asked = |dialog| {
        let asks = move || session.dialog.get() == Some(dialog);
        Memo::new(move |before| before == Some(&true) || asks())
    };
    [
        Dialog::Help,
        Dialog::Share,
        Dialog::Columns,
        Dialog::Learn,
        Dialog::Generate,
    ]
    .map(asked)
}

/// The bar until it can be used; while it is there, the style sheet keeps the room of what comes.
fn bare_bar() -> AnyView {
    view! { <header class="bar bare"><h1>"Arenascope"</h1></header> }.into_any()
}

/// The place of what comes after the picture.
fn bare(class: &'static str) -> AnyView {
    view! { <section class=class aria-hidden="true"></section> }.into_any()
}

/// Whether a panel is open, for the style sheet.
fn opened(session: Session, panel: Panel) -> impl Fn() -> &'static str + Send {
    move || match session.is_panel_open(panel) {
        true => "open",
        false => "closed",
    }
}

/// The size of a panel, for the style sheet.
fn sized(session: Session, panel: Panel) -> impl Fn() -> String + Send {
    move || format!("{}px", session.frame.with(|frame| frame.size(panel)))
}

/// Moves the focus without touching the address bar, which holds the session.
fn skip(event: web_sys::MouseEvent) {
    event.prevent_default();
    let target = document().get_element_by_id("picture");
    let target = target.and_then(|target| target.query_selector(".stage").ok().flatten());
    if let Some(target) = target.and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = target.focus();
    }
}

fn follow_system_theme(session: Session) {
    let query = window().match_media("(prefers-color-scheme: dark)");
    let Ok(Some(query)) = query else { return };
    act(session, PageAction::Darken(query.matches()));
    let watched = query.clone();
    let changed = Closure::<dyn Fn()>::new(move || {
        act(session, PageAction::Darken(watched.matches()));
    });
    query.set_onchange(Some(changed.as_ref().unchecked_ref()));
    changed.forget();
}

/// Reports to the state how large the window is.
fn measure(session: Session) {
    act(session, PageAction::Resize(window_size()));
}

fn follow_window(session: Session) {
    let window = window();
    measure(session);
    EventListener::new(&window, "resize", move |_| measure(session)).forget();
    // Back and Forward, and a link typed into the address bar.
    EventListener::new(&window, "popstate", move |_| visit(session)).forget();
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window, "keydown", options, move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && let Some(controls) = CONTROLS.now()
        {
            (controls.pressed)(session, event);
        }
    })
    .forget();
    EventListener::new(&window, "beforeprint", move |_| lay_out(session)).forget();
    EventListener::new(&window, "afterprint", |_| put_away()).forget();
    EventListener::new(&window, "paste", move |event| {
        if let Some(event) = event.dyn_ref::<ClipboardEvent>()
            && let Some(controls) = CONTROLS.now()
        {
            (controls.pasted)(session, event);
        }
    })
    .forget();
    EventListener::new(&window, "keyup", |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            keys::released(event);
        }
    })
    .forget();
}

/// What is printed instead of the page: the pictures as a slide.
const PAPER: &str = "paper";

/// A hand-out, which is printed instead of anything else; `learn::print` makes it.
const HAND_OUT: &str = "hand-out";

/// Prints the slide; without its part the page is printed as it is.
fn lay_out(session: Session) {
    put_away();
    if document().get_element_by_id(HAND_OUT).is_some() {
        return;
    }
    let slide = EXPORT.now().and_then(|part| (part.printed)(session));
    let paper = document().create_element("div").ok().zip(slide);
    if let Some((paper, slide)) = paper {
        paper.set_id(PAPER);
        paper.set_inner_html(&slide);
        let _ = document().body().map(|body| body.append_child(&paper));
    }
}

fn put_away() {
    if let Some(paper) = document().get_element_by_id(PAPER) {
        paper.remove();
    }
}

/// Puts theme and language on the document, for the style sheet and for screen readers.
pub(crate) fn show_theme(session: Session) {
    Effect::new(move |_| {
        let Some(root) = document().document_element() else {
            return;
        };
        let theme = session.theme.get();
        let _ = match theme {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.name()),
        };
        let mode = match session.frame.with(|frame| frame.mode) {
            Mode::Work => "work",
            Mode::Presenter => "presenter",
            Mode::Embedded => "embedded",
        };
        let _ = root.set_attribute("data-mode", mode);
        let focus = session.frame.with(|frame| frame.focus).to_string();
        let _ = root.set_attribute("data-focus", &focus);
        let _ = root.set_attribute("lang", session.language.get().tag());
    });
}

/// Puts on the document what a scene hides, for the style sheet.
fn mark_hidden(session: Session) {
    Effect::new(move |_| {
        let Some(root) = document().document_element() else {
            return;
        };
        let names = session.taught.hidden.with(|hidden| {
            let names = hidden.iter().map(|what| what.name());
            names.collect::<Vec<_>>().join(" ")
        });
        let _ = match names.as_str() {
            "" => root.remove_attribute("data-hidden"),
            names => root.set_attribute("data-hidden", names),
        };
    });
}
