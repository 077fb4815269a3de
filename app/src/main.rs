//! The Arenascope page: bytes in, rectangles out, nothing sent anywhere.

#![expect(
    unreachable_pub,
    reason = "what leptos's component macro makes beside each component is public"
)]

// In reading order.
mod frame;
mod document;
mod picture;
mod compare;
mod inspect;
mod film;
mod what_if;
mod difference;
mod run;
mod tables;
mod take_home;
mod drawing;
mod state;
mod actions;
mod links;
mod parts;
mod format;
mod ready;
mod bench;
mod execute;
mod words;

use leptos::prelude::*;
use web_sys::UrlSearchParams;

use drawing::coloring::{self, Colors};
use state::difference::SharedDifference;
use state::memory;
use state::session::{Drawing, Session, Theme};
use words::Language;

/// The colours of the buffers, shared by every pane.
#[derive(Clone, Copy)]
struct SharedColors(Memo<Colors>);

/// The colours of the buffers now.
fn colors() -> Memo<Colors> {
    expect_context::<SharedColors>().0
}

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let session = Session::new();
        choose(session);
        provide_context(session);
        provide_context(SharedColors(Memo::new(move |_| {
            let coloring = session.coloring.get();
            let texts = session.lookup.texts.get();
            session.prepared.with(|prepared| {
                let known = prepared.as_ref().zip(texts);
                known
                    .map(|(prepared, texts)| coloring::colors(prepared, &texts.0, coloring))
                    .unwrap_or_default()
            })
        })));
        provide_context(SharedDifference(Memo::new(move |_| {
            let compare = parts::PANES.get()?.compare;
            compare(session)
        })));
        actions::start(session);
        actions::restore(session);
        ready::show_idle(session);
        view! { <frame::shell::Shell/> }
    });
}

/// Language, theme and renderer: what the link says, else what was chosen last time, else
/// what the browser asks for.
fn choose(session: Session) {
    let window = window();
    let asked = window.navigator().languages().get(0).as_string();
    let language = memory::language().or(asked);
    session.language.set(
        language
            .and_then(|tag| Language::from_tag(&tag))
            .unwrap_or_default(),
    );
    session.theme.set(
        memory::theme()
            .and_then(|name| Theme::named(&name))
            .unwrap_or_default(),
    );
    let search = window.location().search().unwrap_or_default();
    let link = UrlSearchParams::new_with_str(&search).ok();
    let link = link.and_then(|parameters| parameters.get("renderer"));
    let drawing = link.or_else(memory::drawing);
    session.drawing.set(
        drawing
            .and_then(|name| Drawing::named(&name))
            .unwrap_or_default(),
    );
}
