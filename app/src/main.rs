//! The Arenascope page: bytes in, rectangles out, nothing sent anywhere.

#![expect(
    unreachable_pub,
    reason = "what leptos's component macro makes beside each component is public"
)]

// In reading order.
mod frame;
mod graph_text;
mod document;
mod picture;
mod compare;
mod inspect;
mod owners;
mod advice;
mod stages;
mod sweep;
mod learn;
mod training;
mod film;
mod what_if;
mod difference;
mod generate;
mod run;
mod tables;
mod export;
mod drawing;
mod text;
mod state;
mod browser;
mod lazy;
mod parts;
mod format;
mod ready;
mod bench;
mod execute;
mod strings;

use conversation::PageAction;
use conversation::{Drawing, Language, Mode, State, Theme};
use leptos::prelude::*;
use web_sys::UrlSearchParams;

use browser::files;
use state::difference::SharedDifference;
use state::driver::{act, visit};
use state::session::{Later, Session};
use state::{keeper, memory};

fn main() {
    console_error_panic_hook::set_once();
    lazy::wire(parts::load);
    let language = language();
    wasm_bindgen_futures::spawn_local(async move {
        if language == Some(Language::Zh) {
            // Else the page would begin in English and change at once.
            lazy::CHINESE.fetched().await;
        }
        mount(language);
    });
}

fn mount(language: Option<Language>) {
    mount_to_body(move || {
        let state = State::new(
            files::samples(),
            memory::all_bindings(),
            &frame::tabs::NAMES,
        );
        let later = Later {
            fetch: || lazy::CONTROLS.fetch(),
            speaks: lazy::speaks,
            seeking: || Some(lazy::CONTROLS.get()?.seeking),
        };
        let session = Session::new(state, later);
        choose(session, language);
        provide_context(session);
        provide_context(SharedDifference(Memo::new(move |_| {
            let compare = lazy::DIFFERENCES.get()?.compare;
            compare(session)
        })));
        if parameter("notes").as_deref() == Some("1") {
            frame::shell::show_theme(session);
            return lazy::LEARN.view(|learn| (learn.notes)());
        }
        ready::show_idle(session);
        match keeper::left() {
            Some(page) => {
                lazy::CONTROLS.then(move |controls| (controls.bring_back)(session, page));
            }
            None => visit(session),
        }
        view! { <frame::shell::Shell/> }.into_any()
    });
}

/// The language that was chosen last time, else the one that the browser asks for.
fn language() -> Option<Language> {
    let asked = window().navigator().languages().get(0).as_string();
    let tag = memory::language().or(asked)?;
    Language::from_tag(&tag)
}

/// Language, theme and renderer: what the link says, else what was chosen last time, else
/// what the browser asks for.
fn choose(session: Session, language: Option<Language>) {
    let theme = memory::theme().and_then(|name| Theme::named(&name));
    let drawing = parameter("renderer").or_else(memory::drawing);
    let drawing = drawing.and_then(|name| Drawing::named(&name));
    session
        .page
        .begin(language, theme, drawing, memory::layout());
    if parameter("embed").as_deref() == Some("1") {
        act(session, PageAction::Enter(Mode::Embedded));
    }
    let calm = window().match_media("(prefers-reduced-motion: reduce)");
    if let Ok(Some(calm)) = calm {
        act(session, PageAction::Calm(calm.matches()));
    }
}

/// What the address says under this name, before its fragment.
fn parameter(name: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()?.get(name)
}
