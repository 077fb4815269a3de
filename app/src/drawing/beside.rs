//! A card beside the pointer, inside the window.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

/// Free pixels between pointer and card, and between card and edge, in CSS pixels.
const GAP: f64 = 14.0;

/// The card's greatest width in CSS pixels.
const WIDEST: f64 = 340.0;

/// A card beside the pointer, which is at `at` in the window.
#[component]
pub(crate) fn Beside(at: RwSignal<(f64, f64)>, children: Children) -> impl IntoView {
    let place = move || CardPosition::beside(at.get(), window_size());
    view! {
        <div
            class="card"
            aria-hidden="true"
            style:left=move || pixels(place().left)
            style:right=move || pixels(place().right)
            style:top=move || pixels(place().top)
            style:bottom=move || pixels(place().bottom)
            style:max-width=move || pixels(Some(place().room.0))
            style:max-height=move || pixels(Some(place().room.1))
            style:overflow=move || "hidden"
        >
            {children()}
        </div>
    }
}

/// Whether the page is one column, as the style sheet has it.
pub(crate) fn is_narrow() -> bool {
    let narrow = window().match_media("(max-width: 760px)").ok().flatten();
    narrow.is_some_and(|query| query.matches())
}

/// Size of the window in CSS pixels.
pub(crate) fn window_size() -> (f64, f64) {
    let number = |size: Result<JsValue, JsValue>| size.ok().and_then(|size| size.as_f64());
    let window = window();
    let width = number(window.inner_width()).unwrap_or_default();
    (width, number(window.inner_height()).unwrap_or_default())
}

/// Where the card is: on that side of the pointer where there is more room, so that it stays
/// inside the window without being measured. A low picture is no reason to cut it off.
#[derive(Clone, Copy, Default)]
struct CardPosition {
    left: Option<f64>,
    right: Option<f64>,
    top: Option<f64>,
    bottom: Option<f64>,
    room: (f64, f64),
}

impl CardPosition {
    fn beside((x, y): (f64, f64), (width, height): (f64, f64)) -> Self {
        let mut place = Self::default();
        if x + x <= width {
            place.left = Some(x + GAP);
        } else {
            place.right = Some(width - x + GAP);
        }
        if y + y <= height {
            place.top = Some(y + GAP);
        } else {
            place.bottom = Some(height - y + GAP);
        }
        let room = |at: f64, size: f64| (at.max(size - at) - 2.0 * GAP).max(0.0);
        place.room = (room(x, width).min(WIDEST), room(y, height));
        place
    }
}

fn pixels(value: Option<f64>) -> String {
    value.map_or_else(|| "auto".to_owned(), |value| format!("{value:.0}px"))
}
