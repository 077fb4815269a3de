//! What lecturers do with a scene: a window of their own, a link for the class, a frame for
//! lecture notes, a pen, a hand-out.

use std::cell::RefCell;

use leptos::prelude::*;
use qrcodegen::{QrCode, QrCodeEcc};
use timeline::svg::escaped;
use web_sys::Window;

use super::player::Player;
use super::{pen, print};
use crate::browser::files;
use crate::strings::{LearnWord, filled};

/// Modules around a QR code that stay light.
const QUIET_ZONE: i32 = 4;

/// The tools, folded away until they are wanted.
pub(super) fn tools(player: Player) -> AnyView {
    let session = player.session;
    let shared = RwSignal::new(false);
    let penned = RwSignal::new(false);
    let printing = RwSignal::new(None::<(usize, usize)>);
    pen::follow(player, penned);
    let making = move || {
        let (done, all) = printing.get()?;
        let counts = [done, all].map(|count| count.to_string());
        let counts = counts.each_ref().map(String::as_str);
        Some(filled(session.say(LearnWord::HandOutMaking), &counts))
    };
    view! {
        <details class="tools">
            <summary>{move || session.say(LearnWord::More)}</summary>
            <div class="buttons" role="group">
                <button data-do="notes" title=move || session.say(LearnWord::WindowHint) on:click=move |_| open_window(player)>
                    {move || session.say(LearnWord::Window)}
                </button>
                <button data-do="class" aria-pressed=move || shared.get().to_string() on:click=move |_| shared.update(|it| *it = !*it)>
                    {move || session.say(LearnWord::ClassLink)}
                </button>
                <button data-do="pen" aria-pressed=move || penned.get().to_string() title=move || session.say(LearnWord::PenHint) on:click=move |_| penned.update(|it| *it = !*it)>
                    {move || session.say(LearnWord::Pen)}
                </button>
                <button data-do="wipe" hidden=move || !penned.get() on:click=move |_| pen::wipe()>
                    {move || session.say(LearnWord::Wipe)}
                </button>
                <button data-do="blank" aria-pressed=move || player.blank.get().to_string() on:click=move |_| player.blank.update(|it| *it = !*it)>
                    {move || session.say(LearnWord::Blank)}
                </button>
                <button data-do="hand-out" disabled=move || printing.with(Option::is_some) title=move || session.say(LearnWord::HandOutHint) on:click=move |_| print::hand_out(player, printing)>
                    {move || session.say(LearnWord::HandOut)}
                </button>
            </div>
            <p role="status" hidden=move || making().is_none()>{making}</p>
            {move || shared.get().then(|| share(player))}
        </details>
    }
    .into_any()
}

thread_local! {
    /// The lecturer's window, once it was opened.
    static NOTES: RefCell<Option<Window>> = const { RefCell::new(None) };
}

/// Opens the lecturer's window, or turns to it.
pub(super) fn open_window(player: Player) {
    let there = NOTES.with_borrow(|notes| notes.clone().filter(|it| it.closed() == Ok(false)));
    if let Some(there) = there {
        let _ = there.focus();
        return;
    }
    let address = window().location().pathname().unwrap_or_default();
    let opened = window().open_with_url_and_target_and_features(
        &format!("{address}?notes=1&of={}", player.window.get_value()),
        "arenascope-notes",
        "popup,width=720,height=760",
    );
    // A browser that opens no windows says so itself.
    NOTES.set(opened.ok().flatten());
}

/// The address of a scene as it begins, without the answer.
fn link(player: Player, embedded: bool) -> Option<String> {
    let lesson = player.lesson.get()?;
    let scene = lesson.scenes.get(player.at.get())?;
    let location = window().location();
    let (origin, path) = (location.origin().ok()?, location.pathname().ok()?);
    let embed = if embedded { "?embed=1" } else { "" };
    Some(format!(
        "{origin}{path}{embed}#lesson={}:{}",
        lesson.lesson, scene.id
    ))
}

/// The link for the class, as text and as a picture that phones read.
fn share(player: Player) -> AnyView {
    let session = player.session;
    if player.own.get() {
        return view! { <p>{session.say(LearnWord::ClassOwn)}</p> }.into_any();
    }
    let local = window()
        .location()
        .hostname()
        .is_ok_and(|host| matches!(host.as_str(), "127.0.0.1" | "localhost" | "[::1]"));
    let address = move || link(player, false).unwrap_or_default();
    let copy = move |text: String| {
        wasm_bindgen_futures::spawn_local(async move {
            files::copy(text).await;
        });
    };
    let embed = move || {
        let address = escaped(&link(player, true).unwrap_or_default());
        format!(
            "<iframe src=\"{address}\" width=\"960\" height=\"640\" loading=\"lazy\" title=\"Arenascope\"></iframe>"
        )
    };
    view! {
        <div class="class-link">
            <p class="hint">{session.say(LearnWord::ClassHint)}</p>
            {local.then(|| view! { <p class="hint">{session.say(LearnWord::ClassLocal)}</p> })}
            <div class="qr" inner_html=move || code(&address())></div>
            <p><code>{address}</code></p>
            <div class="buttons">
                <button data-do="copy-link" on:click=move |_| copy(untrack(address))>{session.say(LearnWord::Copy)}</button>
                <button data-do="copy-embed" on:click=move |_| copy(untrack(embed))>{session.say(LearnWord::Embed)}</button>
            </div>
        </div>
    }
    .into_any()
}

/// A text as a QR code; nothing where it is too long for one.
fn code(text: &str) -> String {
    let Ok(code) = QrCode::encode_text(text, QrCodeEcc::Medium) else {
        return String::new();
    };
    let size = code.size();
    let all = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    let dark = all.filter(|(x, y)| code.get_module(*x, *y));
    let path: String = dark
        .map(|(x, y)| format!("M{},{}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE))
        .collect();
    let side = size + 2 * QUIET_ZONE;
    format!(
        "<svg viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"QR\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/><path d=\"{path}\" fill=\"#000\"/></svg>"
    )
}
