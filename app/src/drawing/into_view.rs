//! Scrolls to what is asked for.

use leptos::prelude::*;

use super::beside::is_narrow;

/// Frames for which what is shown may still arrive.
const ARRIVES: u32 = 120;

/// Where the window is narrow, the views are below the pictures and out of sight.
pub(crate) fn bring_into_view() {
    bring_for(ARRIVES);
}

/// What is asked for the first time grows once it is there.
fn bring_for(frames: u32) {
    if !is_narrow() {
        return;
    }
    request_animation_frame(move || {
        let there = |selector: &str| document().query_selector(selector).ok().flatten();
        if let Some(tabs) = there(".tabs") {
            tabs.scroll_into_view();
        }
        if frames > 0 && there(".sheet .arriving").is_some() {
            bring_for(frames - 1);
        }
    });
}
