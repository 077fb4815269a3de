//! A flame graph: the stacks from the outside in, each frame as wide as the bytes below it.

use std::sync::Arc;

use conversation::Action;
use leptos::prelude::*;
use planner::attribution::{Owner, called, owner, place};
use planner::grouping::{Node, tree};
use planner::query::{Field, Query};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::{Holders, set};
use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{HeldWord, filled};
use crate::text::block;

/// What is narrower than this share of the whole is not drawn.
const NARROWEST: f64 = 0.002;

/// A frame as it is drawn: a share of the width, from where on, and at which depth.
#[derive(Clone, Debug, PartialEq)]
struct Bar {
    path: Vec<u32>,
    from: f64,
    width: f64,
    depth: usize,
    bytes: u64,
    buffers: u64,
}

/// The bars of what is below `root`, and of the frames around it, which are as wide as it.
fn bars(root: &Node, zoom: &[u32]) -> Vec<Bar> {
    let mut bars = Vec::new();
    let (mut node, mut depth, mut path) = (root, 0, Vec::new());
    for &frame in zoom {
        let next = node.children.iter().find(|it| it.frame == Some(frame));
        let Some(next) = next else { break };
        path.push(frame);
        bars.push(Bar {
            path: path.clone(),
            from: 0.0,
            width: 1.0,
            depth,
            bytes: next.bytes.0,
            buffers: next.buffers,
        });
        (node, depth) = (next, depth + 1);
    }
    let whole = to_f64(node.bytes.0.max(1));
    // What is still to be drawn below, from which share of the width on.
    let mut open = vec![(node, path, 0.0, depth)];
    while let Some((node, path, mut from, depth)) = open.pop() {
        for child in &node.children {
            let width = to_f64(child.bytes.0) / whole;
            let Some(frame) = child.frame.filter(|_| width >= NARROWEST) else {
                break;
            };
            let mut path = path.clone();
            path.push(frame);
            bars.push(Bar {
                path: path.clone(),
                from,
                width,
                depth,
                bytes: child.bytes.0,
                buffers: child.buffers,
            });
            open.push((child, path, from, depth + 1));
            from += width;
        }
    }
    bars
}

/// The graph, and what can be done with the frame that is chosen.
#[component]
pub(super) fn Flame(holders: Memo<Option<Holders>>) -> impl IntoView {
    let session = session();
    let zoom = RwSignal::new(Vec::<u32>::new());
    let runtime = Memo::new(move |_| session.insight.grouping.get().runtime);
    let root = Memo::new(move |_| {
        let (holders, runtime) = (holders.get()?, runtime.get());
        session.prepared.with(|prepared| {
            let subject = &prepared.as_ref()?.subject;
            let root = tree(&subject.notes, &subject.stacks, &holders.held, runtime);
            Some(Arc::new(root))
        })
    });
    // Paths of another tree lead nowhere.
    Effect::new(move |_| {
        root.track();
        zoom.set(Vec::new());
    });
    let drawn = move || {
        let root = root.get()?;
        let bars = zoom.with(|zoom| bars(&root, zoom));
        let depth = bars.iter().map(|bar| bar.depth + 1).max().unwrap_or(1);
        let whole = root.bytes.0;
        let bars = bars.into_iter().map(|bar| frame(session, zoom, bar, whole));
        let bars: Vec<_> = bars.collect();
        let height = format!("{}px", 20 * depth);
        Some(view! {
            <div class="flame" role="list" style:height=height>{bars}</div>
        })
    };
    view! {
        <header>
            <h3>{move || session.say(HeldWord::Flame)}</h3>
            <label>
                <input
                    type="checkbox"
                    prop:checked=move || runtime.get()
                    on:change=move |event| {
                        let on = event_target_checked(&event);
                        set(session, |grouping| grouping.runtime = on);
                    }
                />
                {move || session.say(HeldWord::Runtime)}
            </label>
            <Chosen zoom/>
        </header>
        <div
            class="flame-scroll"
            tabindex="0"
            role="group"
            aria-label=move || session.say(HeldWord::Flame)
            on:keydown=turn
        >
            {drawn}
        </div>
    }
}

fn frame(
    session: Session,
    zoom: RwSignal<Vec<u32>>,
    bar: Bar,
    whole: u64,
) -> impl IntoView + use<> {
    let found = session.prepared.with_untracked(|prepared| {
        let stacks = &prepared.as_ref()?.subject.stacks;
        stacks.frames.get(*bar.path.last()? as usize).cloned()
    });
    let found = found.unwrap_or_default();
    let class = match owner(&found) {
        Owner::Program => "program",
        Owner::Library => "library",
        Owner::Runtime => "runtime",
    };
    let name = called(&found);
    let (bytes, count) = (format::bytes(bar.bytes), format::grouped(bar.buffers));
    let share = format::percent(to_f64(bar.bytes) / to_f64(whole.max(1)));
    let hint = filled(
        &block::say(session, HeldWord::FrameHint),
        &[&name, &bytes, &share, &count],
    );
    // One stop for all: arrow keys go from frame to frame.
    let stop = if bar.path.len() == 1 && bar.from <= 0.0 {
        "0"
    } else {
        "-1"
    };
    let (path, shown) = (bar.path, name.clone());
    let press = move |_| zoom.set(path.clone());
    view! {
        <button
            class=class
            role="listitem"
            tabindex=stop
            data-frame=name
            data-bytes=bar.bytes.to_string()
            title=hint
            style:left=format!("{:.3}%", 100.0 * bar.from)
            style:width=format!("{:.3}%", 100.0 * bar.width)
            style:top=format!("{}px", 20 * bar.depth)
            on:click=press
        >
            {shown}
        </button>
    }
}

/// Arrow keys go from frame to frame, in the order in which they are drawn.
fn turn(event: KeyboardEvent) {
    let focused = document().active_element();
    let Some(focused) = focused.filter(|it| it.has_attribute("data-frame")) else {
        return;
    };
    let next = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => focused.next_element_sibling(),
        "ArrowLeft" | "ArrowUp" => focused.previous_element_sibling(),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        let _ = next.focus();
    }
}

/// What the graph is zoomed to: back to all, or what was allocated there in the picture.
#[component]
fn Chosen(zoom: RwSignal<Vec<u32>>) -> impl IntoView {
    let session = session();
    let view = move || {
        let last = zoom.with(|zoom| zoom.last().copied())?;
        let place = session.prepared.with(|prepared| {
            let stacks = &prepared.as_ref()?.subject.stacks;
            stacks.frames.get(last as usize).map(place)
        })?;
        let query = Query::equal(Field::Frame, place).to_string();
        let find = move |_| act(session, Action::Search(query.clone()));
        Some(view! {
            <button on:click=move |_| zoom.set(Vec::new())>{session.say(HeldWord::ZoomOut)}</button>
            <button on:click=find>{session.say(HeldWord::Find)}</button>
        })
    };
    view! { {view} }
}
