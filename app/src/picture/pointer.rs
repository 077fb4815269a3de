//! Mouse, pen and fingers on a picture.
//!
//! The wheel zooms both axes at the pointer, with Shift only time, with Ctrl only memory. A
//! pinch on a touch pad arrives as a wheel with `ctrlKey` although no key is down; it zooms
//! both. Two fingers move, and zoom each axis by how far they part on it. One finger moves, too,
//! except where the page is one column: there it scrolls the page, unless it holds a rectangle.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use conversation::{Action, InsightAction, RunAction};
use leptos::prelude::*;
use timeline::hit::{hit_screen, nearest};
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent, PointerEvent, TouchEvent, WheelEvent};

use crate::drawing::beside::is_narrow;
use crate::drawing::painter::scale;
use crate::drawing::pointed::Pointed;
use crate::drawing::view::View;
use crate::lazy::controls::Pointing;
use crate::picture::drag::Dragging;
use crate::picture::spot::place_under;
use crate::picture::{control, look};
use crate::state::driver::act;

/// A press that moves less than this many CSS pixels is a click.
const CLICK: f64 = 4.0;

/// A finger hits what is at most this many CSS pixels away.
const FINGER: f64 = 12.0;

/// Fingers nearer than this on an axis do not zoom it.
const PINCH: f64 = 24.0;

/// One pressed pointer.
#[derive(Clone, Copy)]
struct Press {
    id: i32,
    at: (f64, f64),
    /// Farthest it has been from where it went down.
    strayed: f64,
    down: (f64, f64),
}

/// The pointers that are pressed on one picture.
#[derive(Clone, Default)]
struct Stay {
    presses: Rc<RefCell<Vec<Press>>>,
    /// Whether more than one pointer was down since the last time that none was.
    pinched: Rc<Cell<bool>>,
    /// The rectangle that is being moved.
    drag: Dragging,
}

/// Makes the event handlers of one picture.
#[derive(Clone)]
pub(crate) struct Pointer {
    here: View,
    stay: Stay,
}

impl Pointer {
    /// Does what is pointed at on a picture.
    pub(crate) fn pointing(here: View) -> Pointing {
        let stay = Stay::default();
        let pointer = Self { here, stay };
        Box::new(move |what| pointer.pointed(what))
    }

    fn pointed(&self, what: Pointed) {
        match what {
            Pointed::Wheel(event) => self.wheel()(event),
            Pointed::Down(event) => self.down()(event),
            Pointed::Moved(event) => self.moved()(event),
            Pointed::Up(event) => self.up()(event),
            Pointed::Cancelled(event) => self.cancelled()(event),
            Pointed::Left(event) => self.left()(event),
            Pointed::Double(event) => self.double()(event),
            Pointed::Touched(event) => self.touched(&event),
        }
    }

    fn wheel(&self) -> impl Fn(WheelEvent) + use<> {
        let here = self.here;
        move |event| {
            event.prevent_default();
            let lines = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE {
                24.0
            } else {
                1.0
            };
            // With Shift, browsers turn a vertical wheel into a horizontal one.
            let delta = if event.delta_y().abs() > 0.0 {
                event.delta_y()
            } else {
                event.delta_x()
            };
            let pinch = event.ctrl_key() && !control::is_down();
            let speed = if pinch { 0.01 } else { 0.0015 };
            let factor = (-(delta * lines).clamp(-400.0, 400.0) * speed).exp();
            let (x, y) = if event.shift_key() {
                (factor, 1.0)
            } else if event.ctrl_key() && !pinch {
                (1.0, factor)
            } else {
                (factor, factor)
            };
            let mut camera = untrack(|| here.camera());
            camera.zoom_about(
                f64::from(event.offset_x()),
                f64::from(event.offset_y()),
                x,
                y,
            );
            here.look(camera);
        }
    }

    fn down(&self) -> impl Fn(PointerEvent) + use<> {
        let (here, stay) = (self.here, self.stay.clone());
        move |event| {
            if event.button() > 1 {
                return;
            }
            let target: Option<Element> = event.current_target().and_then(|t| t.dyn_into().ok());
            if let Some(target) = target {
                let _ = target.set_pointer_capture(event.pointer_id());
            }
            let at = place(&event);
            let mut presses = stay.presses.borrow_mut();
            let moves = event.shift_key() || here.session.runs.handy.get_untracked();
            // In a film nothing is moved by hand.
            let moves = moves && here.still.with_untracked(Option::is_none);
            if moves && presses.is_empty() {
                stay.drag.begin(here, under(here, at, &event), at.1);
            } else {
                stay.drag.cancel(here);
            }
            presses.push(Press {
                id: event.pointer_id(),
                at,
                strayed: 0.0,
                down: at,
            });
            stay.pinched
                .set(stay.pinched.get() && presses.len() > 1 || presses.len() > 1);
        }
    }

    fn moved(&self) -> impl Fn(PointerEvent) + use<> {
        let (here, stay) = (self.here, self.stay.clone());
        move |event| {
            let at = place(&event);
            let mut presses = stay.presses.borrow_mut();
            let Some(index) = presses
                .iter()
                .position(|press| press.id == event.pointer_id())
            else {
                here.pointer.set(Some(at));
                let step = place_under(here, at).map(|place| place.step);
                act(here.session, Action::Insight(InsightAction::Point(step)));
                let (x, y) = (event.client_x(), event.client_y());
                here.on_window.set((f64::from(x), f64::from(y)));
                act(here.session, Action::Hover(under(here, at, &event)));
                return;
            };
            let before = presses.clone();
            let press = &mut presses[index];
            let (dx, dy) = (at.0 - press.at.0, at.1 - press.at.1);
            press.at = at;
            press.strayed = press
                .strayed
                .max((at.0 - press.down.0).hypot(at.1 - press.down.1));
            if press.strayed < CLICK && presses.len() == 1 {
                return;
            }
            if stay.drag.follow(here, at.1) {
                return;
            }
            let alone = presses.len() == 1;
            if alone && event.pointer_type() == "touch" && is_narrow() {
                return;
            }
            let mut camera = untrack(|| here.camera());
            if let ([a, b, ..], [was_a, was_b, ..]) = (&presses[..], &before[..]) {
                let (middle, was) = (middle(a, b), middle(was_a, was_b));
                camera.pan_by(middle.0 - was.0, middle.1 - was.1);
                let x = ratio(a.at.0 - b.at.0, was_a.at.0 - was_b.at.0);
                let y = ratio(a.at.1 - b.at.1, was_a.at.1 - was_b.at.1);
                camera.zoom_about(middle.0, middle.1, x, y);
            } else {
                camera.pan_by(dx, dy);
            }
            here.pointer.set(None);
            here.look(camera);
        }
    }

    fn up(&self) -> impl Fn(PointerEvent) + use<> {
        let (here, stay) = (self.here, self.stay.clone());
        move |event| {
            let press = stay.lift(event.pointer_id());
            if stay.drag.finish(here) {
                return;
            }
            let Some(press) = press.filter(|press| press.strayed < CLICK) else {
                return;
            };
            if !stay.pinched.replace(false) {
                let chosen = under(here, press.at, &event);
                act(here.session, Action::Select(chosen));
                keep_in_sight(&event);
                let plan = here.still.with_untracked(Option::is_none);
                let free = chosen.is_none() && plan;
                let asked = free.then(|| place_under(here, press.at)).flatten();
                act(here.session, Action::Insight(InsightAction::Ask(asked)));
                // What can be done with it is about the plan in which it was chosen.
                if chosen.is_some() && here.still.with_untracked(Option::is_none) {
                    act(here.session, Action::Run(RunAction::Target(here.column)));
                }
            }
        }
    }

    fn cancelled(&self) -> impl Fn(PointerEvent) + use<> {
        let (here, stay) = (self.here, self.stay.clone());
        move |event| {
            stay.lift(event.pointer_id());
            stay.drag.cancel(here);
        }
    }

    fn left(&self) -> impl Fn(PointerEvent) + use<> {
        let here = self.here;
        move |_| {
            here.pointer.set(None);
            act(here.session, Action::Insight(InsightAction::Point(None)));
            act(here.session, Action::Hover(None));
        }
    }

    /// Keeps the page from scrolling under what the fingers do here.
    fn touched(&self, event: &TouchEvent) {
        // The sheet comes under the finger: a click that follows a tap would press what is there.
        let ends = event.type_() == "touchend" && is_narrow();
        let ours = ends || self.stay.presses.borrow().len() > 1 || self.stay.drag.holds();
        if ours && event.cancelable() {
            event.prevent_default();
        }
    }

    fn double(&self) -> impl Fn(MouseEvent) + use<> {
        let here = self.here;
        move |_| act(here.session, look::on_selection(here.session))
    }
}

impl Stay {
    /// Forgets a pressed pointer.
    fn lift(&self, id: i32) -> Option<Press> {
        let mut presses = self.presses.borrow_mut();
        let index = presses.iter().position(|press| press.id == id)?;
        let press = presses.remove(index);
        Some(press)
    }
}

/// What is said of a place may come over the picture, where the page is one column: it makes room.
fn keep_in_sight(event: &PointerEvent) {
    let target: Option<Element> = event.current_target().and_then(|t| t.dyn_into().ok());
    let Some(picture) = target.filter(|_| is_narrow()) else {
        return;
    };
    request_animation_frame(move || {
        let sheet = document().query_selector(".at-right").ok().flatten();
        let sheet = sheet.map(|sheet| sheet.get_bounding_client_rect());
        let below = picture.get_bounding_client_rect().bottom();
        if sheet.is_some_and(|sheet| sheet.height() > 0.0 && sheet.top() < below) {
            picture.scroll_into_view_with_bool(false);
        }
    });
}

/// CSS pixels from the picture's top left corner.
fn place(event: &PointerEvent) -> (f64, f64) {
    let target: Option<Element> = event.current_target().and_then(|t| t.dyn_into().ok());
    let corner = target.map(|target| {
        let rect = target.get_bounding_client_rect();
        (rect.left(), rect.top())
    });
    let (left, top) = corner.unwrap_or_default();
    (
        f64::from(event.client_x()) - left,
        f64::from(event.client_y()) - top,
    )
}

/// The buffer at a place.
fn under(here: View, (x, y): (f64, f64), event: &PointerEvent) -> Option<usize> {
    let camera = untrack(|| here.camera());
    here.scene.with_untracked(|scene| {
        let scene = &scene.as_ref()?.0;
        let hit = hit_screen(scene, &camera, scale(), x, y);
        if event.pointer_type() == "touch" {
            hit.or_else(|| nearest(scene, &camera, x, y, FINGER))
        } else {
            hit
        }
    })
}

fn middle(a: &Press, b: &Press) -> (f64, f64) {
    (f64::midpoint(a.at.0, b.at.0), f64::midpoint(a.at.1, b.at.1))
}

fn ratio(now: f64, before: f64) -> f64 {
    if now.abs() < PINCH || before.abs() < PINCH {
        1.0
    } else {
        (now / before).abs()
    }
}
