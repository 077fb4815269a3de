//! A rectangle that a pointer holds and moves up and down in memory.

use std::cell::Cell;
use std::rc::Rc;

use conversation::{Action, Case, Drag, HandAction, Message, RunAction};
use leptos::prelude::*;
use planner::{Bytes, Offset, Options, what_if};

use crate::drawing::view::View;
use crate::state::driver::act;
use crate::state::session::to_f64;

/// A rectangle snaps to the end of a free place that is at most this many CSS pixels away.
const SNAP: f64 = 8.0;

/// What is held, if anything is.
#[derive(Clone, Default)]
pub(crate) struct Dragging(Rc<Cell<Option<Dragged>>>);

#[derive(Clone, Copy)]
struct Dragged {
    buffer: usize,
    /// Its address when it was taken.
    from: Offset,
    /// Where the pointer was then, in CSS pixels from the top.
    top: f64,
    /// Whether it has been moved.
    moved: bool,
}

impl Dragging {
    /// Takes a buffer of the plan.
    pub(crate) fn begin(&self, here: View, buffer: Option<usize>, top: f64) {
        let pinned = |buffer: &usize| here.session.what_if.is_pinned(here.column, *buffer);
        let stuck = buffer.filter(|buffer| untrack(|| pinned(buffer)));
        if stuck.is_some() {
            act(here.session, Action::Notify(Message::IsPinned));
        }
        let dragged = buffer.filter(|_| stuck.is_none()).and_then(|buffer| {
            let from = untrack(|| here.session.offset(here.column, buffer));
            Some(Dragged {
                buffer,
                from: from?,
                top,
                moved: false,
            })
        });
        self.0.set(dragged);
    }

    /// Whether something is held.
    pub(crate) fn holds(&self) -> bool {
        self.0.get().is_some()
    }

    /// Follows the pointer; `false` when nothing is held.
    pub(crate) fn follow(&self, here: View, top: f64) -> bool {
        let Some(mut dragged) = self.0.get() else {
            return false;
        };
        let moving = here.session.runs.moving;
        if dragged.moved && moving.with_untracked(Option::is_none) {
            // Escape took it back.
            return true;
        }
        if !dragged.moved {
            // What can be done with it besides is about the plan in which it was taken.
            act(here.session, Action::Select(Some(dragged.buffer)));
            act(here.session, Action::Run(RunAction::Target(here.column)));
        }
        dragged.moved = true;
        self.0.set(Some(dragged));
        let camera = untrack(|| here.camera());
        let bytes = (dragged.top - top) * camera.y.len() / camera.height.max(1.0);
        let per_pixel = camera.y.len() / camera.height.max(1.0);
        let wanted = Offset(whole(to_f64(dragged.from.0) + bytes));
        let reach = Bytes(whole(SNAP * per_pixel));
        let Some(to) = snapped(here, dragged.buffer, wanted, reach) else {
            return true;
        };
        let moving = Drag {
            column: here.column,
            buffer: dragged.buffer,
            to,
        };
        here.pointer.set(None);
        act(here.session, Action::Hand(HandAction::Drag(Some(moving))));
        true
    }

    /// Lets go of it where it is; `false` when nothing was moved.
    pub(crate) fn finish(&self, here: View) -> bool {
        let moved = self.0.take().is_some_and(|dragged| dragged.moved);
        if moved {
            act(here.session, Action::Hand(HandAction::Drop));
        }
        moved
    }

    /// Lets go of it where it was.
    pub(crate) fn cancel(&self, here: View) {
        if self.0.take().is_some_and(|dragged| dragged.moved) {
            act(here.session, Action::Hand(HandAction::Drag(None)));
        }
    }
}

/// Where the held buffer comes to lie: at the end of a free place that is near.
fn snapped(here: View, buffer: usize, wanted: Offset, reach: Bytes) -> Option<Offset> {
    let session = here.session;
    untrack(|| {
        let options = Options::aligned(session.case(Case::grid));
        let dragged = (buffer, wanted);
        let snapped = session.plans.with(|plans| {
            let plan = &plans.get(&here.column)?.planned()?.judged.plan;
            session.with_lifetimes(|lifetimes| {
                what_if::snapped(lifetimes, plan, &options, dragged, reach)
            })
        });
        Some(snapped?.min(session.case(Case::highest)))
    })
}

/// The nearest whole number of bytes that is an address.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate, and addresses are not negative"
)]
fn whole(at: f64) -> u64 {
    at.round().max(0.0) as u64
}
