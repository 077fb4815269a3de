//! A rectangle that a pointer holds and moves up and down in memory.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use planner::units::Offset;

use super::stage::View;
use crate::actions::{Action, RunAction, act, grid};
use crate::state::run::Moving;
use crate::state::session::to_f64;

/// What is held, if anything is.
#[derive(Clone, Default)]
pub(crate) struct Hold(Rc<Cell<Option<Held>>>);

#[derive(Clone, Copy)]
struct Held {
    buffer: usize,
    /// Its address when it was taken.
    from: Offset,
    /// Where the pointer was then, in CSS pixels from the top.
    top: f64,
    /// Whether it has been moved.
    moved: bool,
}

impl Hold {
    /// Takes a buffer of the plan.
    pub(crate) fn take(&self, here: View, buffer: Option<usize>, top: f64) {
        let held = buffer.and_then(|buffer| {
            let from = here.session.plans.with_untracked(|plans| {
                let plan = &plans.get(&here.column)?.planned()?.judged.plan;
                plan.offsets.get(buffer).copied()
            });
            Some(Held {
                buffer,
                from: from?,
                top,
                moved: false,
            })
        });
        self.0.set(held);
    }

    /// Follows the pointer; `false` when nothing is held.
    pub(crate) fn carry(&self, here: View, top: f64) -> bool {
        let Some(mut held) = self.0.get() else {
            return false;
        };
        let moving = here.session.runs.moving;
        if held.moved && moving.with_untracked(Option::is_none) {
            // Escape took it back.
            return true;
        }
        held.moved = true;
        self.0.set(Some(held));
        let camera = untrack(|| here.camera());
        let bytes = (held.top - top) * camera.y.len() / camera.height.max(1.0);
        let to = Offset(snapped(to_f64(held.from.0) + bytes, grid(here.session).0));
        let moving = Moving {
            column: here.column,
            buffer: held.buffer,
            to,
        };
        here.pointer.set(None);
        act(here.session, Action::Run(RunAction::Drag(Some(moving))));
        true
    }

    /// Lets go of it where it is; `false` when nothing was moved.
    pub(crate) fn put_down(&self, here: View) -> bool {
        let moved = self.0.take().is_some_and(|held| held.moved);
        if moved {
            act(here.session, Action::Run(RunAction::Drop));
        }
        moved
    }

    /// Lets go of it where it was.
    pub(crate) fn let_go(&self, here: View) {
        if self.0.take().is_some_and(|held| held.moved) {
            act(here.session, Action::Run(RunAction::Drag(None)));
        }
    }
}

/// The nearest multiple of `grid` that is an address.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate, and addresses are not negative"
)]
fn snapped(at: f64, grid: u64) -> u64 {
    let steps = (at / to_f64(grid.max(1))).round().max(0.0);
    (steps as u64).saturating_mul(grid)
}
