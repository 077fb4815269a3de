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
mod text;
mod state;
mod links;
mod parts;
mod format;
mod ready;
mod bench;
mod execute;
mod words;

use conversation::PageAction;
use conversation::{Drawing, Language, State, Theme};
use leptos::prelude::*;
use web_sys::UrlSearchParams;

use links::files;
use state::difference::SharedDifference;
use state::driver::{act, visit};
use state::memory;
use state::session::Session;

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let state = State::new(files::samples(), memory::all_bindings());
        let session = Session::new(state, || parts::HANDS.fetch());
        choose(session);
        provide_context(session);
        provide_context(SharedDifference(Memo::new(move |_| {
            let compare = parts::PANES.get()?.compare;
            compare(session)
        })));
        ready::show_idle(session);
        visit(session);
        view! { <frame::shell::Shell/> }
    });
}

/// Language, theme and renderer: what the link says, else what was chosen last time, else
/// what the browser asks for.
fn choose(session: Session) {
    let window = window();
    let asked = window.navigator().languages().get(0).as_string();
    let language = memory::language().or(asked);
    let language = language.and_then(|tag| Language::from_tag(&tag));
    let theme = memory::theme().and_then(|name| Theme::named(&name));
    let search = window.location().search().unwrap_or_default();
    let link = UrlSearchParams::new_with_str(&search).ok();
    let link = link.and_then(|parameters| parameters.get("renderer"));
    let drawing = link.or_else(memory::drawing);
    let drawing = drawing.and_then(|name| Drawing::named(&name));
    session.page.begin(language, theme, drawing);
    let calm = window.match_media("(prefers-reduced-motion: reduce)");
    if let Ok(Some(calm)) = calm {
        act(session, PageAction::Calm(calm.matches()));
    }
}
