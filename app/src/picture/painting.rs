//! One pane is painted: at most once per frame, and in between while it moves to another stage.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use conversation::PageAction;
use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::camera::{Camera, Range};
use timeline::motion::Motion;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::drawing::labels;
use crate::drawing::painter::{Painted, Painter, Picture};
use crate::drawing::view::View;
use crate::lazy::{CONTROLS, GPU};
use crate::ready;
use crate::ready::Busy;
use crate::state::driver::act;

/// How long rectangles move, in milliseconds.
const MOVING_MS: f64 = 600.0;

/// How long they move when somebody sees a picture for the first time.
const FIRST_MS: f64 = 3_000.0;

/// Frames that follow each other so fast, in milliseconds, come as they should.
const CALM_MS: f64 = 20.0;

/// A machine that draws slowly moves them all the same after so many milliseconds.
const MOST_WAIT_MS: f64 = 400.0;

/// How a pane is painted.
pub(super) struct Painting {
    here: View,
    canvases: [NodeRef<Canvas>; 2],
    painter: RefCell<Painter>,
    /// What is to be seen, once nothing moves.
    latest: RefCell<Option<Picture>>,
    /// What was seen before it, until the next frame finds the way from there, and how long that
    /// takes.
    left: RefCell<Option<(Picture, f64)>>,
    way: RefCell<Option<Way>>,
    waiting: RefCell<Option<AnimationFrame>>,
}

/// A picture on its way to another.
struct Way {
    /// `None` where the person wants nothing to move: one picture fades into the other.
    motion: Option<Motion>,
    from: Picture,
    lasts_ms: f64,
    /// Ends it at once.
    _skipped: Vec<EventListener>,
    clock: Clock,
    /// The page is not ready meanwhile.
    _busy: Busy,
}

/// The time of a picture on its way, in milliseconds of the browser's frames.
#[derive(Default)]
struct Clock {
    first: Option<f64>,
    last: f64,
    began: Option<f64>,
}

impl Clock {
    /// How long it moves at this frame. It stands until frames come as they should: with a new
    /// plan everything else of the page comes, too, and what moves meanwhile jumps.
    fn at(&mut self, now: f64) -> f64 {
        let first = *self.first.get_or_insert(now);
        let calm = first < now && now - self.last <= CALM_MS;
        self.last = now;
        if self.began.is_none() && (calm || now - first > MOST_WAIT_MS) {
            self.began = Some(now);
            ready::moves(true);
        }
        self.began.map_or(0.0, |began| now - began)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        if self.began.is_some() {
            ready::moves(false);
        }
    }
}

impl Painting {
    pub(super) fn new(here: View, painter: Painter, canvases: [NodeRef<Canvas>; 2]) -> Self {
        Self {
            here,
            canvases,
            painter: RefCell::new(painter),
            latest: RefCell::default(),
            left: RefCell::default(),
            way: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// Shows `picture` with the next frame, or moves to it from what is seen of another stage.
    pub(super) fn show(self: &Rc<Self>, picture: Picture) {
        let before = self.latest.borrow().clone();
        let same = |before: &Picture| Arc::ptr_eq(&before.scene, &picture.scene);
        if !before.as_ref().is_some_and(same) {
            // Found with the frame: what else a new plan brings about takes its time now.
            let mut left = self.left.borrow_mut();
            *left = left.take().or(before.map(|before| (before, MOVING_MS)));
            if self.way.take().is_some_and(|way| way.motion.is_none()) {
                // What was fading is seen in full again.
                self.fade(1.0);
            }
        }
        self.latest.replace(Some(picture));
        self.next_frame();
    }

    /// The picture comes out of the plan without reuse, if nobody has seen that here yet.
    pub(super) fn introduce(self: &Rc<Self>) {
        let latest = self.latest.borrow().clone();
        let Some((latest, controls)) = latest.zip(CONTROLS.now()) else {
            return;
        };
        if let Some(first) = untrack(|| (controls.introduction)(self.here, &latest)) {
            self.left.replace(Some((first, FIRST_MS)));
            self.next_frame();
        }
    }

    /// The way from one plan or stage of a model to another, unless the person wants nothing to
    /// move. What was moved by hand is there already.
    fn way(self: &Rc<Self>, before: Picture, after: &Picture, lasts_ms: f64) -> Option<Way> {
        let (old, new) = (before.of.clone()?, after.of.as_ref()?);
        let (session, column) = (self.here.session, self.here.column);
        let edits = session.runs.edits;
        let by_hand = Arc::ptr_eq(&old, new) && edits.with_untracked(|it| it.contains_key(&column));
        let (calm, is_first) = (session.is_calm(), lasts_ms > MOVING_MS);
        if by_hand || calm && !is_first {
            return None;
        }
        let motion = match calm {
            true => None,
            false => {
                let move_to = CONTROLS.now()?.motion;
                Some(move_to((&old, &before.scene), (new, &after.scene))?)
            }
        };
        let skip = |event| {
            let this = Rc::downgrade(self);
            EventListener::new(&window(), event, move |_| {
                if let Some(this) = this.upgrade() {
                    this.skip();
                }
            })
        };
        let skipped = if is_first {
            &["pointerdown", "keydown", "wheel"][..]
        } else {
            &[]
        };
        Some(Way {
            motion,
            from: before,
            lasts_ms,
            _skipped: skipped.iter().map(|event| skip(*event)).collect(),
            clock: Clock::default(),
            _busy: Busy::new(),
        })
    }

    /// Shows at once where it leads. The listener that says so is still at work.
    fn skip(self: &Rc<Self>) {
        if let Some(way) = self.way.borrow_mut().as_mut() {
            way.lasts_ms = 0.0;
        }
    }

    /// Whether the pane was not closed meanwhile.
    fn is_open(&self) -> bool {
        self.here.size.try_get_untracked().is_some()
    }

    fn next_frame(self: &Rc<Self>) {
        // Asked for anew it would come a frame later, and never to who asks in every frame.
        if self.waiting.borrow().is_some() {
            return;
        }
        let this = Rc::clone(self);
        let paint = move |clock: f64| this.paint(clock);
        self.waiting.replace(Some(request_animation_frame(paint)));
    }

    fn paint(self: &Rc<Self>, clock: f64) {
        let _done = self.waiting.take();
        let latest = self.latest.borrow().clone();
        let Some(latest) = latest.filter(|_| self.is_open()) else {
            return;
        };
        if let Some((before, lasts_ms)) = self.left.take() {
            let way = self.way(before, &latest, lasts_ms);
            self.way.replace(way);
        }
        let moved = self.moved(&latest, clock);
        let moves = moved.is_some();
        let picture = moved.unwrap_or(latest);
        let painted = self.painter.borrow_mut().paint(&picture);
        let [grid, text] = self.canvases;
        let canvases = grid.get_untracked().zip(text.get_untracked());
        if let Some((grid, text)) = canvases {
            labels::draw(self.here.session, [&grid, &text], &picture);
        }
        ready::painted();
        match painted {
            Painted::Yes => {}
            Painted::LostGpu => act(self.here.session, PageAction::AnswerGpu(false)),
            Painted::WantsGpu => self.ask_for_gpu(),
        }
        if moves {
            self.next_frame();
        }
    }

    /// What is seen at a time on the way to `latest`; `None` once it is there.
    fn moved(&self, latest: &Picture, clock: f64) -> Option<Picture> {
        let mut way = self.way.borrow_mut();
        let going = way.as_mut()?;
        let share = going.clock.at(clock) / going.lasts_ms.max(1.0);
        let is_skipped = going.lasts_ms <= 0.0;
        if is_skipped || share >= 1.0 {
            self.fade(1.0);
            *way = None;
            return None;
        }
        let Some(motion) = &going.motion else {
            self.fade(2.0_f64.mul_add(share, -1.0).abs());
            return (share < 0.5)
                .then(|| going.from.clone())
                .or_else(|| Some(latest.clone()));
        };
        // Slow at both ends.
        let share = share * share * 2.0_f64.mul_add(-share, 3.0);
        let mid = |from: Range, to: Range| {
            let between = |from: f64, to: f64| (to - from).mul_add(share, from);
            Range::new(between(from.start, to.start), between(from.end, to.end))
        };
        Some(Picture {
            scene: Arc::new(motion.at(share)),
            camera: Camera {
                x: mid(going.from.camera.x, latest.camera.x),
                y: mid(going.from.camera.y, latest.camera.y),
                ..latest.camera
            },
            // Rectangles are other ones meanwhile.
            hovered: None,
            selected: None,
            dim: None,
            holes: Arc::default(),
            ..latest.clone()
        })
    }

    /// How much of the canvases is seen, from 0 to 1.
    fn fade(&self, opacity: f64) {
        let stage = self.canvases[0]
            .get_untracked()
            .and_then(|it| it.parent_element());
        if let Some(stage) = stage.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
            let _ = stage
                .style()
                .set_property("opacity", &format!("{opacity:.2}"));
        }
    }

    /// Asks for a device and paints with it what is to be seen once it is there.
    fn ask_for_gpu(self: &Rc<Self>) {
        let canvas = self.painter.borrow().gpu_canvas.get_untracked();
        let Some(canvas) = canvas else { return };
        self.painter.borrow_mut().asked();
        let this = Rc::clone(self);
        GPU.then(move |gpu| {
            wasm_bindgen_futures::spawn_local(async move {
                let gpu = (gpu.on)(canvas).await;
                let picture = this.latest.borrow().clone();
                let Some(picture) = picture.filter(|_| this.is_open()) else {
                    return;
                };
                act(this.here.session, PageAction::AnswerGpu(gpu.is_some()));
                let mut painter = this.painter.borrow_mut();
                painter.answered(gpu);
                painter.paint(&picture);
            });
        });
    }
}
