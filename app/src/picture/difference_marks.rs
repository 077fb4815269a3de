//! Draws what differs between two plans over a picture. It has a canvas of its own.

use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::overlay_difference::difference_overlay;

use crate::drawing::view::View;
use crate::picture::run_marks::keep_over;

/// Draws again, at most once per frame, whenever something of it changes.
pub(crate) fn keep_drawn(here: View, canvas: NodeRef<Canvas>) {
    let marks = Memo::new(move |_| {
        // A film shows another plan than the one that is compared.
        if here.still.with(Option::is_some) {
            return Default::default();
        }
        here.session.difference_marks(here.column)
    });
    keep_over(here, canvas, marks, difference_overlay);
}
