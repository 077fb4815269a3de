//! The graph over a picture: operators where their steps are, and what goes from one to another.
//! What is pointed at in the picture is marked here, and the other way round.

use std::sync::Arc;

use conversation::{Action, InsightAction};
use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use planner::graph::{Role, TensorId};
use planner::{Step, Subject};
use timeline::camera::Camera;
use timeline::graph_strip::Strip;
use timeline::overlay_graph::{GraphMarks, GraphView, graph_overlay};
use web_sys::MouseEvent;

use crate::drawing::labels;
use crate::drawing::painter::{scale, theme};
use crate::drawing::size;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{InsightWord, Word, filled};

/// So many tensors or operators are named in a sentence.
const NAMED: usize = 4;

/// The graph of the document, if it is seen and has one.
#[component]
pub(crate) fn GraphStrip() -> impl IntoView {
    let session = session();
    let frame = NodeRef::<Div>::new();
    let canvas = NodeRef::<Canvas>::new();
    let width = RwSignal::new(0.0);
    size::follow_width(frame, width);
    let height = Memo::new(move |_| session.graph_height());
    let strip = Memo::new(move |_| session.graph_strip().filter(|_| height.get() > 0.0));
    // The window that unfolds stays while the pointer is in it.
    let around = RwSignal::new(None::<u64>);
    let marks = Memo::new(move |_| GraphMarks {
        around: around.get(),
        ..session.graph_marks()
    });
    // Rulers are as wide as the picture's, which has them if it is high enough.
    let camera = Signal::derive(move || Camera {
        height: height.get(),
        ..session.camera((width.get(), session.size.get().1))
    });
    keep_painted(session, canvas, (strip, marks), camera);
    let pointer = Pointer {
        session,
        strip,
        camera,
        around,
    };
    view! {
        <div
            class="graph"
            class:none=move || strip.with(Option::is_none)
            role="img"
            aria-label=move || strip.with(|strip| said(session, strip.as_ref()?, marks.get()))
            node_ref=frame
            on:pointermove=move |event| pointer.point(pointer.under(place(&event)))
            on:pointerleave=move |_| pointer.leave()
            on:click=move |event| pointer.stay(pointer.under(place(&event)))
        >
            <canvas node_ref=canvas></canvas>
        </div>
    }
}

/// Where the pointer is in the strip, in CSS pixels.
fn place(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// What is under the pointer, and what follows from it.
#[derive(Clone, Copy)]
struct Pointer {
    session: Session,
    strip: Memo<Option<Arc<Strip>>>,
    camera: Signal<Camera>,
    /// The step around which the window unfolds.
    around: RwSignal<Option<u64>>,
}

impl Pointer {
    /// The step of the operator at a place: in the window that unfolds, else on the axis of time,
    /// around which it unfolds then.
    fn under(self, place: (f64, f64)) -> Option<u64> {
        self.unfolded(place).or_else(|| {
            let step = self.in_time(place.0);
            self.around.set(step);
            step
        })
    }

    fn unfolded(self, place: (f64, f64)) -> Option<u64> {
        let strip = self.strip.get_untracked()?;
        let clock = self.session.clock.get_untracked();
        let view = GraphView {
            strip: &strip,
            camera: &self.camera.get_untracked(),
            across: &|step| clock.as_ref().map_or(step, |clock| clock.at(step)),
            word: "",
        };
        view.step_in_window(self.around.get_untracked()?, place)
    }

    fn in_time(self, x: f64) -> Option<u64> {
        let camera = self.camera.get_untracked();
        let at = untrack(|| self.session.step_at(camera.data_from_screen(x, 0.0).0));
        if x < camera.labelling.insets().left || at < 0.0 {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate"
        )]
        let at = at as u64;
        self.strip.with_untracked(|strip| {
            let strip = strip.as_ref()?;
            Some(strip.nodes.get(strip.nearest(at)?)?.step)
        })
    }

    fn point(self, step: Option<u64>) {
        let pointed = InsightAction::Operator(step.map(Step));
        act(self.session, Action::Insight(pointed));
    }

    fn leave(self) {
        self.around.set(None);
        self.point(None);
    }

    /// The step stays, and what its operator writes is selected.
    fn stay(self, step: Option<u64>) {
        let stays = InsightAction::Step(step.map(Step));
        act(self.session, Action::Insight(stays));
        let written = self.strip.with_untracked(|strip| {
            let strip = strip.as_ref()?;
            let node = strip.nodes.get(strip.at(step?)?)?;
            node.writes.first().copied()
        });
        if written.is_some() {
            act(self.session, Action::Select(written));
        }
    }
}

/// What of it is looked at, in words.
fn said(session: Session, strip: &Strip, marks: GraphMarks) -> Option<String> {
    let looked = session.prepared.with(|prepared| {
        let subject = &prepared.as_ref()?.subject;
        match marks.buffer {
            Some(buffer) => of_tensor(session, (strip, subject), buffer),
            None => of_operator(session, subject, marks.step?),
        }
    });
    let count = strip.nodes.len().to_string();
    let whole = filled(session.say(InsightWord::GraphLabel), &[&count]);
    let all = std::iter::once(whole).chain(looked);
    Some(all.collect::<Vec<String>>().join(" "))
}

/// Who writes and reads a buffer.
fn of_tensor(
    session: Session,
    (strip, subject): (&Strip, &Subject),
    buffer: usize,
) -> Option<String> {
    let names = |steps: Vec<u64>| {
        let names = steps
            .into_iter()
            .filter_map(|step| subject.step_name(Step(step)));
        listed(session, names.collect())
    };
    let (written, read) = strip.touching(buffer);
    let name = &subject.lifetimes.buffers.get(buffer)?.name;
    let words = [name.as_str(), &names(written), &names(read)];
    Some(filled(session.say(InsightWord::GraphTensor), &words))
}

/// What an operator reads and writes.
fn of_operator(session: Session, subject: &Subject, step: u64) -> Option<String> {
    let graph = subject.graph()?;
    let op = subject.op(Step(step))?;
    let named = |all: Vec<TensorId>| {
        let computed = all.into_iter().map(|id| graph.tensor(id));
        let computed = computed.filter(|tensor| tensor.role != Role::Constant);
        listed(
            session,
            computed.map(|tensor| tensor.name.as_str()).collect(),
        )
    };
    let (read, written) = (named(op.read().collect()), named(op.written().collect()));
    let words = [step.to_string().as_str(), &op.name, &read, &written].map(str::to_owned);
    Some(filled(
        session.say(InsightWord::GraphOperator),
        &words.each_ref().map(String::as_str),
    ))
}

/// Some names, and how many more there are.
fn listed(session: Session, names: Vec<&str>) -> String {
    if names.is_empty() {
        return session.say(Word::Nobody).to_owned();
    }
    let more = names.len().saturating_sub(NAMED).to_string();
    let more = filled(session.say(Word::AndMore), &[&more]);
    let mut shown: Vec<&str> = names.iter().take(NAMED).copied().collect();
    if names.len() > NAMED {
        shown.push(&more);
    }
    shown.join(session.say(InsightWord::Comma))
}

/// Draws again, at most once per frame, whenever something of it changes.
fn keep_painted(
    session: Session,
    canvas: NodeRef<Canvas>,
    (strip, marks): (Memo<Option<Arc<Strip>>>, Memo<GraphMarks>),
    camera: Signal<Camera>,
) {
    let waiting: StoredValue<Option<AnimationFrame>, LocalStorage> = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let (camera, marks, clock) = (camera.get(), marks.get(), session.clock.get());
        let Some(strip) = strip.get().filter(|_| camera.width >= 1.0) else {
            return;
        };
        let (theme, word) = (theme(session.is_dark()), session.say(InsightWord::Graph));
        let draw = move |_| {
            let view = GraphView {
                strip: &strip,
                camera: &camera,
                across: &|step| clock.as_ref().map_or(step, |clock| clock.at(step)),
                word,
            };
            let over = graph_overlay(&view, marks);
            // Fails only without a 2D context, and then there is nothing to draw on.
            let _ = labels::put(&canvas, (&over, &over.items), &camera, &theme, scale());
        };
        waiting.set_value(Some(request_animation_frame(draw)));
    });
}
