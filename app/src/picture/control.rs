//! Whether the Control key is down. Browsers say so of a pinch on a touch pad, too.

use std::cell::Cell;

thread_local! {
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// Whether the key is really down.
pub(super) fn is_down() -> bool {
    HELD.get()
}

/// The key was pressed, or let go of.
pub(crate) fn hold(down: bool) {
    HELD.set(down);
}
