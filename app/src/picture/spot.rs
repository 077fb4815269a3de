//! The point query of a plan, drawn over its picture, and the short card of a free range under the
//! pointer.

use conversation::PlanPosition;
use leptos::html::Canvas;
use leptos::prelude::*;
use planner::space::{FreeSpot, Spot};
use planner::{Offset, Step, space};
use timeline::overlay_spot::{SpotMarks, spot_overlay};

use crate::drawing::beside::Beside;
use crate::drawing::view::View;
use crate::picture::run_marks::keep_over;
use crate::state::session::Session;
use crate::strings::{InsightWord, filled};
use crate::text::quantity::{offset_text, size_text, steps_text};

/// A free range is looked for under the pointer among at most this many buffers, with every move.
const POINTED_UP_TO: usize = 100_000;

/// Draws again whenever something of it changes.
pub(crate) fn keep_drawn(here: View, canvas: NodeRef<Canvas>) {
    let session = here.session;
    let marks = Memo::new(move |_| {
        if here.still.with(Option::is_some) {
            return SpotMarks::default();
        }
        session.spot_marks(here.column)
    });
    keep_over(here, canvas, marks, spot_overlay);
}

/// The place under a point of the picture; `None` on the rulers and outside the plan.
pub(crate) fn place_under(here: View, (x, y): (f64, f64)) -> Option<PlanPosition> {
    let camera = untrack(|| here.camera());
    let insets = camera.labelling.insets();
    if x < insets.left || y > camera.height - insets.bottom {
        return None;
    }
    let (step, byte) = camera.data_from_screen(x, y);
    let step = untrack(|| here.session.step_at(step));
    if step < 0.0 || byte < 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate"
    )]
    let (step, byte) = (step as u64, byte as u64);
    Some(PlanPosition {
        column: here.column,
        step: Step(step),
        offset: Offset(byte),
    })
}

/// The free range under the pointer, in short.
#[component]
pub(crate) fn SpotHover(here: View) -> impl IntoView {
    let session = here.session;
    let plan = Memo::new(move |_| session.one_plan(Some(here.column)));
    let free_range = Memo::new(move |_| {
        let at = here.pointer.get()?;
        if session.hovered.get().is_some() || here.still.with(Option::is_some) {
            return None;
        }
        // What is under the pointer changes with the camera, too.
        here.camera();
        let place = place_under(here, at)?;
        let (_, planned) = plan.get().0?;
        let spot = session.with_lifetimes(|lifetimes| {
            let few = lifetimes.buffers.len() <= POINTED_UP_TO;
            let plan = &planned.judged.plan;
            few.then(|| space::at(lifetimes, plan, place.step, place.offset))
        })??;
        match spot {
            Spot::Empty(free_range) => Some(free_range),
            Spot::Held(_) | Spot::NotTaken | Spot::Outside => None,
        }
    });
    move || {
        let free_range = free_range.get()?;
        let rows = rows(session, &free_range).map(|(word, value)| {
            view! { <dt>{session.say(word)}</dt> <dd>{value}</dd> }
        });
        let rows = rows.collect_view();
        let title = filled(
            session.say(InsightWord::FreeRangeTitle),
            &[&size_text(free_range.height().0)],
        );
        Some(view! {
            <Beside at=here.on_window>
                <b>{title}</b>
                <dl>{rows}</dl>
            </Beside>
        })
    }
}

/// Where and when it is free.
pub(crate) fn rows(session: Session, free_range: &FreeSpot) -> [(InsightWord, String); 2] {
    let ends = [free_range.low, free_range.high].map(offset_text);
    let range = filled(
        session.say(InsightWord::FreeRangeBytesOf),
        &ends.each_ref().map(String::as_str),
    );
    [
        (InsightWord::FreeRangeBytes, range),
        (
            InsightWord::FreeRangeWhen,
            steps_text(session, free_range.span),
        ),
    ]
}
