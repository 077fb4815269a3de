//! Draws what a film marks on a picture. It has a canvas of its own, over that of a run.

use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::overlay::Overlay;
use timeline::overlay_film::{FilmMarks, film_overlay};

use super::scene;
use crate::panes::labels;
use crate::panes::painter::{scale, theme};
use crate::panes::stage::View;

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
    let waiting: StoredValue<Option<AnimationFrame>, LocalStorage> = StoredValue::new_local(None);
    // Nothing was drawn, and nothing is to be: most of the time.
    let blank = StoredValue::new(true);
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let marks: FilmMarks = marks.get();
        if marks.is_empty() && blank.get_value() {
            return;
        }
        let camera = here.camera();
        let theme = theme(session.is_dark());
        let scene = here.scene.get();
        let draw = move |_| {
            let over = scene.map_or_else(Overlay::default, |scene| {
                film_overlay(&scene.0, &camera, &marks)
            });
            blank.set_value(over.items.is_empty());
            // Fails only without a 2D context, and then there is nothing to draw on.
            let _ = labels::put(&canvas, &over, &camera, &theme, scale());
        };
        waiting.set_value(Some(request_animation_frame(draw)));
    });
}
