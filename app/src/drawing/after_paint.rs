//! What need not be there when a view is first painted.

use leptos::prelude::*;
use std::time::Duration;

/// Rows of a table with which a view begins: as many as a window is high.
pub(crate) const FIRST_ROWS: usize = 40;

/// False until what is made now was painted.
pub(crate) fn after_paint() -> ReadSignal<bool> {
    let painted = RwSignal::new(false);
    // A view that was closed meanwhile wants nothing more.
    let tell = move || {
        painted.try_set(true);
    };
    // What is asked for in a frame comes after its paint.
    request_animation_frame(move || set_timeout(tell, Duration::ZERO));
    painted.read_only()
}
