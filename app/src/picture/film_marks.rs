//! Draws what a film marks on a picture. It has a canvas of its own, over that of a run.

use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::overlay_film::film_overlay;

use crate::drawing::view::View;
use crate::film::scene;
use crate::picture::run_marks::keep_over;

/// Draws again, at most once per frame, whenever something of it changes.
pub(crate) fn keep_drawn(here: View, canvas: NodeRef<Canvas>) {
    let session = here.session;
    let marks = Memo::new(move |_| {
        let marks = here.still.with(|still| {
            let still = still.as_ref()?;
            Some(scene::marks(session, here.column, still))
        });
        marks.unwrap_or_default()
    });
    keep_over(here, canvas, marks, film_overlay);
}
