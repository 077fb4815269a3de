//! Lanes under each picture, on its axis of time: free bytes, free ranges, and what a file says of
//! its allocator.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use conversation::{Action, Column, InsightAction, LaneName};
use std::sync::Arc;

use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use planner::deployed::LaneKind;
use planner::space::FreePoint;
use planner::{Bytes, Step};
use timeline::camera::Camera;
use timeline::overlay_lanes::{LANE, Lane, lanes_overlay};
use web_sys::PointerEvent;
use worker::{Explained, Prepared, lane_at, reserved_but_free};

use crate::drawing::labels;
use crate::drawing::painter::{scale, theme};
use crate::drawing::size;
use crate::format;
use crate::strings::{InsightWord, filled};

/// The lanes of any plan.
const OWN: [LaneName; 4] = [
    LaneName::Free,
    LaneName::Largest,
    LaneName::FreeRanges,
    LaneName::Fragmentation,
];

/// The lanes that a document has: those of any plan, then those of the file.
fn names(prepared: &Prepared) -> Vec<LaneName> {
    let lanes = &prepared.subject.lanes;
    let mut names = OWN.to_vec();
    names.extend(lanes.iter().map(|lane| LaneName::File(lane.kind)));
    let has = |kind| lanes.iter().any(|lane| lane.kind == kind);
    if has(LaneKind::Reserved) && (has(LaneKind::Active) || has(LaneKind::Allocated)) {
        names.push(LaneName::ReservedFree);
    }
    names
}

fn word(name: LaneName) -> InsightWord {
    match name {
        LaneName::Free => InsightWord::LaneFree,
        LaneName::Largest => InsightWord::LaneLargest,
        LaneName::FreeRanges => InsightWord::LaneFreeRanges,
        LaneName::Fragmentation => InsightWord::LaneFragmentation,
        LaneName::File(LaneKind::Reserved) => InsightWord::LaneReserved,
        LaneName::File(LaneKind::Allocated) => InsightWord::LaneAllocated,
        LaneName::File(LaneKind::Active) => InsightWord::LaneActive,
        LaneName::File(LaneKind::Requested) => InsightWord::LaneRequested,
        LaneName::File(LaneKind::Tokens) => InsightWord::LaneTokens,
        LaneName::File(LaneKind::ToCome) => InsightWord::LaneToCome,
        LaneName::File(LaneKind::Internal) => InsightWord::LaneInternal,
        LaneName::File(LaneKind::External) => InsightWord::LaneExternal,
        LaneName::ReservedFree => InsightWord::LaneReservedFree,
    }
}

/// The term that a lane is about.
fn define(name: LaneName) -> Option<&'static str> {
    match name {
        LaneName::Largest | LaneName::FreeRanges => Some("hole"),
        LaneName::Fragmentation => Some("fragmentation"),
        LaneName::File(LaneKind::Reserved) => Some("reserved"),
        _ => None,
    }
}

/// A value of a lane, with its unit.
fn written(name: LaneName, value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate"
    )]
    let whole = value as u64;
    match name {
        LaneName::FreeRanges => format::grouped(whole),
        LaneName::Fragmentation => format::percent(value),
        _ => format::bytes(whole),
    }
}

/// What a lane of the plan counts.
fn counted(name: LaneName, point: FreePoint) -> f64 {
    match name {
        LaneName::Largest => to_f64(point.largest.0),
        LaneName::FreeRanges => to_f64(point.free_ranges),
        LaneName::Fragmentation => point.external_fragmentation(),
        _ => to_f64(point.free.0),
    }
}

/// The points of a lane; `None` while they are being found, and for lanes of the file in
/// other plans than the file's.
fn points(
    name: LaneName,
    prepared: &Prepared,
    explained: Option<&Explained>,
    column: Column,
) -> Option<Vec<(f64, f64)>> {
    let bytes = |points: &[(Step, Bytes)]| {
        let points = points.iter();
        points
            .map(|point| (to_f64(point.0.0), to_f64(point.1.0)))
            .collect()
    };
    let lanes = &prepared.subject.lanes;
    match name {
        LaneName::File(kind) if column == Column::Deployed => {
            let lane = lanes.iter().find(|lane| lane.kind == kind)?;
            Some(bytes(&lane.points))
        }
        LaneName::ReservedFree if column == Column::Deployed => {
            Some(bytes(&reserved_but_free(lanes)?))
        }
        LaneName::File(_) | LaneName::ReservedFree => None,
        _ => {
            let free = explained?.free.iter();
            let value = |point: &FreePoint| (to_f64(point.step.0), counted(name, *point));
            Some(free.map(value).collect())
        }
    }
}

/// The bar that opens the lanes and says what they are at the step that is looked at.
#[component]
pub(crate) fn LaneBar() -> impl IntoView {
    let session = session();
    let open = Memo::new(move |_| session.lanes_open());
    let there = Memo::new(move |_| session.target().is_some());
    let turn = move |_| {
        let open = open.get_untracked();
        act(session, Action::Insight(InsightAction::Open(!open)));
    };
    let turn_graph = move |_| {
        let seen = session.insight.graph.get_untracked();
        act(session, Action::Insight(InsightAction::Graph(!seen)));
    };
    let names = Memo::new(move |_| {
        session
            .prepared
            .with(|prepared| prepared.as_ref().map(|prepared| names(prepared)))
    });
    let toggles = move || {
        let names = names.get().filter(|_| open.get())?;
        let toggles = names.into_iter().map(|name| view! { <Toggle name/> });
        let step = move || {
            let step = format::grouped(session.reported_step().0);
            let title = session
                .target()
                .map(|column| crate::text::title::title(session, column));
            let words = [title.unwrap_or_default(), step];
            filled(
                session.say(InsightWord::LanesAt),
                &words.each_ref().map(String::as_str),
            )
        };
        Some(view! { {toggles.collect_view()} <span class="at">{step}</span> })
    };
    view! {
        <div
            class="lane-bar"
            role="group"
            aria-label=move || session.say(InsightWord::Lanes)
            hidden=move || !there.get()
        >
            <button
                class="quiet"
                aria-expanded=move || open.get().to_string()
                title=move || session.say(InsightWord::LanesHint)
                on:click=turn
            >
                <span class="arrow" aria-hidden="true">
                    {move || if open.get() { "▾" } else { "▸" }}
                </span>
                {move || session.say(InsightWord::Lanes)}
            </button>
            <Show when=move || session.has_graph()>
                <button
                    class="quiet"
                    data-do="graph"
                    aria-pressed=move || session.insight.graph.get().to_string()
                    title=move || session.say(InsightWord::GraphHint)
                    on:click=turn_graph
                >
                    {move || session.say(InsightWord::Graph)}
                </button>
            </Show>
            {toggles}
        </div>
    }
}

#[component]
fn Toggle(name: LaneName) -> impl IntoView {
    let session = session();
    let on = move || session.insight.lanes.with(|lanes| lanes.contains(&name));
    let reserved = Memo::new(move |_| {
        let prepared = session.prepared.get();
        let prepared = prepared.filter(|_| name == LaneName::ReservedFree)?;
        reserved_but_free(&prepared.subject.lanes)
    });
    let value = move || {
        let column = session.target()?;
        let prepared = session.prepared.get()?;
        let step = session.reported_step();
        let value = match name {
            LaneName::File(_) | LaneName::ReservedFree if column != Column::Deployed => {
                return None;
            }
            LaneName::File(kind) => {
                let mut lanes = prepared.subject.lanes.iter();
                let lane = lanes.find(|lane| lane.kind == kind)?;
                to_f64(lane_at(&lane.points, step).0)
            }
            LaneName::ReservedFree => {
                reserved.with(|free| Some(to_f64(lane_at(free.as_ref()?, step).0)))?
            }
            _ => {
                let explained = session.explained(column)?;
                let after = explained.free.partition_point(|point| point.step <= step);
                counted(name, *explained.free.get(after.checked_sub(1)?)?)
            }
        };
        Some(written(name, value))
    };
    view! {
        <label class="check" data-lane=format!("{name:?}")>
            <input
                type="checkbox"
                prop:checked=on
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    act(session, Action::Insight(InsightAction::Lane(name, on)));
                }
            />
            <span data-define=define(name)>{move || session.say(word(name))} " " <b>{value}</b></span>
        </label>
    }
}

/// The lanes of a column's plan.
#[component]
pub(crate) fn Lanes(column: Column) -> impl IntoView {
    let session = session();
    let open = Memo::new(move |_| session.lanes_open());
    let frame = NodeRef::<Div>::new();
    let canvas = NodeRef::<Canvas>::new();
    let width = RwSignal::new(0.0);
    size::follow(frame, move |(wide, _)| {
        if to_bits(wide) != to_bits(width.get_untracked()) {
            width.set(wide);
        }
    });
    // Other plans come and go meanwhile, and the curves stay as they are.
    let explained = Memo::new(move |_| session.explained(column));
    let lanes = Memo::new(move |_| curves(session, column, open, explained));
    // Room is kept for what is not there yet, so that pictures side by side stay as high.
    let rows = Memo::new(move |_| {
        let prepared = session.prepared.get().filter(|_| open.get());
        let all = prepared.map_or_else(Vec::new, |prepared| names(&prepared));
        let chosen = session.insight.lanes.get();
        all.iter().filter(|name| chosen.contains(name)).count()
    });
    let height = move || LANE * to_f64(rows.get() as u64);
    let camera = move || Camera {
        height: height(),
        ..session.camera((width.get(), 400.0))
    };
    keep_painted(session, canvas, lanes, Signal::derive(camera));
    // The step that is looked at is no part of the canvas: it goes with every move of the
    // pointer, and the curves stay.
    let playhead = Memo::new(move |_| {
        let insight = session.insight;
        let step = insight.pointed.get().or_else(|| insight.step.get())?;
        let wide = width.get();
        let camera = session.camera((wide, 400.0));
        let (x, _) = camera.screen_from_data(session.across(to_f64(step.0) + 0.5), 0.0);
        let left = camera.labelling.insets().left;
        (left <= x && x <= wide).then_some(x)
    });
    let moved = move |event: PointerEvent| {
        let x = f64::from(event.offset_x());
        let at = untrack(|| session.camera((width.get(), 400.0)));
        let step = untrack(|| session.step_at(at.data_from_screen(x, 0.0).0));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate"
        )]
        let step = (step >= 0.0).then_some(Step(step as u64));
        act(session, Action::Insight(InsightAction::Point(step)));
    };
    let left = move |_| act(session, Action::Insight(InsightAction::Point(None)));
    view! {
        <div
            class="lanes"
            class:open=move || open.get()
            aria-hidden="true"
            node_ref=frame
            style:height=move || format!("{:.0}px", height())
            on:pointermove=moved
            on:pointerleave=left
        >
            <canvas node_ref=canvas></canvas>
            <div
                class="playhead"
                hidden=move || playhead.get().is_none()
                style:left=move || format!("{:.1}px", playhead.get().unwrap_or_default())
            ></div>
        </div>
    }
}

/// What the lanes of a column's plan show, while they are open.
fn curves(
    session: Session,
    column: Column,
    open: Memo<bool>,
    explained: Memo<Option<Arc<Explained>>>,
) -> Option<Vec<Lane>> {
    let prepared = session.prepared.get().filter(|_| open.get())?;
    let chosen = session.insight.lanes.get();
    let explained = explained.get();
    session.language.track();
    let names = names(&prepared).into_iter();
    let names = names.filter(|name| chosen.contains(name));
    let lanes = names.filter_map(|name| {
        let mut points = points(name, &prepared, explained.as_deref(), column)?;
        for point in &mut points {
            point.0 = session.across(point.0);
        }
        let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
        Some(Lane {
            name: session.say(word(name)).to_owned(),
            points,
            most,
            top: written(name, most),
        })
    });
    Some(lanes.collect::<Vec<Lane>>())
}

/// Sizes are compared bit by bit: the same layout gives the same number.
fn to_bits(size: f64) -> u64 {
    size.to_bits()
}

fn keep_painted(
    session: Session,
    canvas: NodeRef<Canvas>,
    lanes: Memo<Option<Vec<Lane>>>,
    camera: Signal<Camera>,
) {
    let waiting: StoredValue<Option<AnimationFrame>, LocalStorage> = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let camera = camera.get();
        if camera.width < 1.0 || camera.height < 1.0 {
            return;
        }
        lanes.track();
        let theme = theme(session.is_dark());
        let draw = move |_| {
            let over = lanes.with_untracked(|lanes| lanes_overlay(lanes.iter().flatten(), &camera));
            // Fails only without a 2D context, and then there is nothing to draw on.
            let _ = labels::put(&canvas, (&over, &over.items), &camera, &theme, scale());
        };
        waiting.set_value(Some(request_animation_frame(draw)));
    });
}
