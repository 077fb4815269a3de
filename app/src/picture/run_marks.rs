//! What a run shows over a picture: its playhead, the rectangles that it touches, victim and
//! overwriting step when it failed, and where moved rectangles were. It has a canvas of its own,
//! because it changes with every step while the picture stays.

use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::camera::Camera;
use timeline::overlay::Overlay;
use timeline::overlay_run::{RunMarks, run_overlay};
use timeline::scene::Scene;

use crate::drawing::labels;
use crate::drawing::painter::{scale, theme};
use crate::drawing::view::View;

/// Draws again, at most once per frame, whenever something of it changes.
pub(crate) fn keep_drawn(here: View, canvas: NodeRef<Canvas>) {
    let session = here.session;
    let marks = Memo::new(move |_| {
        // A film shows another plan than the one that was run or changed.
        if here.still.with(Option::is_some) {
            return RunMarks::default();
        }
        session.run_marks(here.column)
    });
    keep_over(here, canvas, marks, run_overlay);
}

/// Draws `marks` over the picture again, at most once per frame, whenever they or the
/// picture change.
pub(crate) fn keep_over<M>(
    here: View,
    canvas: NodeRef<Canvas>,
    marks: Memo<M>,
    overlay: fn(&Scene, &Camera, &M) -> Overlay,
) where
    M: Clone + Default + PartialEq + Send + Sync + 'static,
{
    let session = here.session;
    let waiting: StoredValue<Option<AnimationFrame>, LocalStorage> = StoredValue::new_local(None);
    // Nothing was drawn, and nothing is to be: most of the time.
    let blank = StoredValue::new(true);
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let marks = marks.get();
        if marks == M::default() && blank.get_value() {
            return;
        }
        let camera = here.camera();
        let theme = theme(session.is_dark());
        let scene = here.scene.get();
        let draw = move |_| {
            let over =
                scene.map_or_else(Overlay::default, |scene| overlay(&scene.0, &camera, &marks));
            blank.set_value(over.items.is_empty());
            // Fails only without a 2D context, and then there is nothing to draw on.
            let _ = labels::put(&canvas, (&over, &over.items), &camera, &theme, scale());
        };
        waiting.set_value(Some(request_animation_frame(draw)));
    });
}
