//! The bytes of each group over the whole schedule, as bands on each other without addresses.

use std::sync::Arc;

use conversation::{Action, InsightAction, When};
use leptos::html::Div;
use leptos::prelude::*;
use planner::grouping::Moment;
use timeline::axis::{ByteStyle, byte_ticks, step_ticks, time_ticks};
use timeline::camera::Range;
use timeline::palette::{NEUTRAL, Theme};
use timeline::scene::Fill;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

use super::area::{BOTTOM, Chart, HEIGHT, LEFT, Plot, RIGHT, TOP, below};
use super::{Holders, query, set};
use crate::document::legend::{css, dots, swatch};
use crate::drawing::beside::Beside;
use crate::drawing::painter::theme;
use crate::drawing::size;
use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{FrameWord, HeldWord, InsightWord, Word, filled};
use crate::tables::operators::look_at_step;
use crate::text::quantity::steps_text;

/// Least distance of two ticks in CSS pixels: of bytes, and of steps.
const APART: (f64, f64) = (34.0, 90.0);

/// So many columns a press of a page key moves.
const PAGE: usize = 20;

/// What is pointed at: column, band, and the place in the window.
type Cursor = Option<(usize, Option<usize>, (f64, f64))>;

/// The picture, what its colours mean, and the card of what is pointed at.
#[component]
pub(super) fn Bands(
    holders: Memo<Option<Holders>>,
    chart: Memo<Option<Arc<Chart>>>,
    width: RwSignal<f64>,
) -> impl IntoView {
    let session = session();
    let frame = NodeRef::<Div>::new();
    size::follow_width(frame, width);
    let cursor = RwSignal::new(Cursor::None);
    let pointed = move |event: &MouseEvent| {
        let (left, top) = corner(frame)?;
        let place = (f64::from(event.client_x()), f64::from(event.client_y()));
        let (column, band) = chart.get_untracked()?.at((place.0 - left, place.1 - top))?;
        Some((column, band, place))
    };
    let step = move || holders.with(|it| it.as_ref().map_or(0, |it| it.step.0));
    let place = move || {
        let chart = chart.get()?;
        let (column, band) = match cursor.get() {
            Some((column, band, _)) => (column, band),
            None => (chart.column(step()), None),
        };
        Some((chart, column, band))
    };
    let spoken = move || place().map(|(chart, column, band)| said(session, &chart, column, band));
    let now = move || {
        let (chart, column, _) = place()?;
        Some(chart.area.columns.get(column)?.step.0.to_string())
    };
    let last = move || {
        let horizon = session.with_lifetimes(|it| it.horizon.0);
        horizon.unwrap_or_default().saturating_sub(1).to_string()
    };
    view! {
        <h3>{move || session.say(HeldWord::Area)}</h3>
        <div
            class="area"
            node_ref=frame
            tabindex="0"
            role="slider"
            aria-label=move || session.say(HeldWord::Area)
            aria-valuemin="0"
            aria-valuemax=last
            aria-valuenow=now
            aria-valuetext=spoken
            title=move || session.say(HeldWord::AreaHint)
            on:pointermove=move |event| cursor.set(pointed(&event))
            on:pointerleave=move |_| cursor.set(None)
            on:blur=move |_| cursor.set(None)
            on:click=move |event| choose(session, chart, pointed(&event))
            on:keydown=move |event| pressed(session, (chart, step), (frame, cursor), &event)
        >
            {move || chart.get().map(|chart| picture(session, &chart))}
            {move || chart.get().map(|chart| lines(session, &chart, step(), cursor.get()))}
        </div>
        {move || chart.get().map(|chart| legend(session, &chart))}
        {move || chart.get().map(|chart| card(session, &chart, cursor))}
    }
}

/// The picture's top left corner in the window.
fn corner(frame: NodeRef<Div>) -> Option<(f64, f64)> {
    let frame: Element = frame.get_untracked()?.unchecked_into();
    let rect = frame.get_bounding_client_rect();
    Some((rect.left(), rect.top()))
}

/// Looks at the step, and shows the group.
fn choose(session: Session, chart: Memo<Option<Arc<Chart>>>, cursor: Cursor) {
    let both = chart.get_untracked().zip(cursor);
    let Some((chart, (column, band, _))) = both else {
        return;
    };
    let Some(column) = chart.area.columns.get(column) else {
        return;
    };
    let step = column.step;
    look_at_step(session, step.0);
    act(session, Action::Insight(InsightAction::Step(Some(step))));
    set(session, |grouping| grouping.when = Some(When::Looked));
    let band = band.and_then(|band| chart.area.bands.get(band));
    if let Some(band) = band.filter(|band| band.groups == 1) {
        let query = query(chart.field, &band.text, Moment::At(step));
        act(session, Action::Search(query));
    }
}

/// Left and right move along the steps, up and down through the bands.
fn pressed(
    session: Session,
    (chart, step): (Memo<Option<Arc<Chart>>>, impl Fn() -> u64),
    (frame, cursor): (NodeRef<Div>, RwSignal<Cursor>),
    event: &KeyboardEvent,
) {
    let Some((now, (left, top))) = chart.get_untracked().zip(corner(frame)) else {
        return;
    };
    let (mut column, mut band) = match cursor.get_untracked() {
        Some((column, band, _)) => (column, band),
        None => (now.column(untrack(step)), None),
    };
    let last = now.area.columns.len().saturating_sub(1);
    let highest = now.area.bands.len().saturating_sub(1);
    match event.key().as_str() {
        "ArrowLeft" => column = column.saturating_sub(1),
        "ArrowRight" => column += 1,
        "PageDown" => column = column.saturating_sub(PAGE),
        "PageUp" => column += PAGE,
        "Home" => column = 0,
        "End" => column = last,
        "ArrowUp" => band = Some(band.map_or(0, |band| (band + 1).min(highest))),
        "ArrowDown" => band = band.and_then(|band| band.checked_sub(1)),
        "Enter" | " " => choose(session, chart, cursor.get_untracked()),
        _ => return,
    }
    event.prevent_default();
    // The whole page listens to arrows too.
    event.stop_propagation();
    let column = column.min(last);
    let Some(at) = now.area.columns.get(column) else {
        return;
    };
    let x = now.plot.x(at.span.start.0);
    let y = now.plot.y(below(at, band.map_or(0, |band| band + 1)));
    cursor.set(Some((column, band, (left + x, top + y))));
}

/// Bands and rulers.
fn picture(session: Session, chart: &Chart) -> impl IntoView + use<> {
    let theme = theme(session.is_dark());
    let plot = &chart.plot;
    let patterns = chart.fills.iter().filter(|fill| fill.pattern > 0);
    let patterns: Vec<_> = patterns.map(|fill| pattern(&theme, *fill)).collect();
    let bands = chart.fills.iter().enumerate().map(|(band, fill)| {
        let text = chart.area.bands.get(band).map(|band| band.text.clone());
        view! {
            <path data-band=text d=chart.path(band) fill=paint(&theme, *fill) stroke=edge(&theme, *fill)></path>
        }
    });
    let bands: Vec<_> = bands.collect();
    let (right, bottom) = (plot.width - RIGHT, HEIGHT - BOTTOM);
    let pixels = bottom - TOP;
    let ticks = byte_ticks(
        Range::new(0.0, plot.top),
        pixels,
        APART.0,
        ByteStyle::Binary,
    );
    let bytes = ticks.into_iter().map(|tick| {
        let y = plot.y(tick.at);
        view! {
            <path class="grid" d=format!("M{LEFT} {y:.1}H{right:.1}")></path>
            <text x=(LEFT - 6.0).to_string() y=format!("{y:.1}") text-anchor="end" dominant-baseline="central">{tick.label}</text>
        }
    });
    let bytes: Vec<_> = bytes.collect();
    let whole = Range::new(0.0, plot.whole);
    let (ticks, title) = match plot.clock {
        Some(_) => (
            time_ticks(whole, right - LEFT, APART.1),
            session.say(FrameWord::AxisTime),
        ),
        None => (
            step_ticks(whole, right - LEFT, APART.1),
            session.say(Word::AxisSteps),
        ),
    };
    let steps = ticks.into_iter().map(|tick| {
        let x = plot.across(tick.at);
        let at = format!("{:.1}", x + 4.0);
        let text = (x + APART.1 / 2.0 < right).then_some(tick.label);
        view! {
            <path class="tick" d=format!("M{x:.1} {bottom:.1}v5")></path>
            <text x=at y=(HEIGHT - 6.0).to_string()>{text}</text>
        }
    });
    let steps: Vec<_> = steps.collect();
    let (wide, view_box) = (format!("{:.0}", plot.width), view_box(plot));
    view! {
        <svg width=wide height=HEIGHT.to_string() viewBox=view_box aria-hidden="true">
            <defs>{patterns}</defs>
            {bytes}
            {bands}
            {steps}
            <text x=format!("{right:.1}") y=(HEIGHT - 6.0).to_string() text-anchor="end">
                {title} " →"
            </text>
        </svg>
    }
}

/// Thin peaks are as wide as their edge; what is grey is told from its neighbours.
fn edge(theme: &Theme, fill: Fill) -> String {
    css(match fill.color {
        NEUTRAL => theme.ink(NEUTRAL),
        color => theme.fill(color),
    })
}

fn view_box(plot: &Plot) -> String {
    format!("0 0 {:.0} {HEIGHT}", plot.width)
}

/// What a band is filled with.
fn paint(theme: &Theme, fill: Fill) -> String {
    match fill.pattern {
        0 => css(theme.fill(fill.color)),
        pattern => format!("url(#band-{}-{pattern})", fill.color),
    }
}

fn pattern(theme: &Theme, fill: Fill) -> impl IntoView + use<> {
    view! {
        <pattern id=format!("band-{}-{}", fill.color, fill.pattern) width="8" height="8" patternUnits="userSpaceOnUse">
            <rect width="8" height="8" fill=css(theme.fill(fill.color))></rect>
            <path d=dots(fill) fill=css(theme.ink(fill.color))></path>
        </pattern>
    }
}

/// The lines at the peak, at the moment that is looked at, and at what is pointed at.
fn lines(session: Session, chart: &Chart, step: u64, cursor: Cursor) -> impl IntoView + use<> {
    let plot = &chart.plot;
    let middle = |step: u64| f64::midpoint(plot.x(step), plot.x(step + 1));
    let line = |class: &'static str, x: f64| {
        view! { <path class=class d=format!("M{x:.1} {TOP}V{:.1}", HEIGHT - BOTTOM)></path> }
    };
    let peak = middle(chart.peak.0);
    let anchor = if peak > plot.width / 2.0 {
        "end"
    } else {
        "start"
    };
    let pointed = cursor.and_then(|(column, ..)| chart.area.columns.get(column));
    let pointed = pointed.map(|column| line("pointed", plot.x(column.span.start.0)));
    view! {
        <svg width=format!("{:.0}", plot.width) height=HEIGHT.to_string() viewBox=view_box(plot) aria-hidden="true">
            {line("peak", peak)}
            <text x=format!("{peak:.1}") y=(TOP - 5.0).to_string() text-anchor=anchor>{session.say(HeldWord::PeakLine)}</text>
            {line("looked", middle(step))}
            {pointed}
        </svg>
    }
}

/// What the colours mean; a line of it shows its group.
fn legend(session: Session, chart: &Chart) -> impl IntoView + use<> {
    let theme = theme(session.is_dark());
    let entries = chart.area.bands.iter().enumerate().map(|(band, of)| {
        let (name, fill) = (chart.name(session, band), chart.fills[band]);
        let query = (of.groups == 1).then(|| query(chart.field, &of.text, Moment::End));
        let query = StoredValue::new(query);
        let on = move || query.with_value(|it| it.as_ref().is_some_and(|it| session.is_sought(it)));
        let press = move |_| query.with_value(|it| it.iter().for_each(|it| session.seek(it)));
        let none = query.with_value(Option::is_none);
        view! {
            <li>
                <button aria-pressed=move || on().to_string() disabled=none title=name.clone() on:click=press>
                    {swatch(&theme, fill)}
                    <span class="kind">{name.clone()}</span>
                </button>
            </li>
        }
    });
    let entries: Vec<_> = entries.collect();
    view! { <ul class="legend bands">{entries}</ul> }
}

/// What is pointed at, in one line.
fn said(session: Session, chart: &Chart, column: usize, band: Option<usize>) -> String {
    let Some(at) = chart.area.columns.get(column) else {
        return String::new();
    };
    let (step, total) = (format::grouped(at.step.0), format::bytes(at.total.0));
    let Some(band) = band else {
        return filled(session.say(HeldWord::AreaTotal), &[&step, &total]);
    };
    let name = chart.name(session, band);
    let bytes = format::bytes(at.bytes.get(band).map_or(0, |bytes| bytes.0));
    filled(
        session.say(HeldWord::AreaAt),
        &[&step, &name, &bytes, &total],
    )
}

/// Beside the pointer: group, bytes and step.
fn card(session: Session, chart: &Arc<Chart>, cursor: RwSignal<Cursor>) -> impl IntoView + use<> {
    let at = RwSignal::new((0.0, 0.0));
    let chart = Arc::clone(chart);
    let what = Memo::new(move |_| {
        let (column, band, place) = cursor.get()?;
        at.set(place);
        Some((column, band))
    });
    move || {
        let (column, band) = what.get()?;
        let of = chart.area.columns.get(column)?;
        let own = band.and_then(|band| Some((chart.name(session, band), of.bytes.get(band)?.0)));
        let step = format::grouped(of.step.0);
        let step = match of.span.len() {
            0 | 1 => step,
            _ => filled(
                session.say(HeldWord::AreaMost),
                &[&step, &steps_text(session, of.span)],
            ),
        };
        let total = format::bytes(of.total.0);
        let (name, bytes) = own.unzip();
        let bytes = bytes.map(|bytes| {
            let share = format::percent(to_f64(bytes) / to_f64(of.total.0.max(1)));
            (
                InsightWord::BytesColumn,
                format!("{} · {share}", format::bytes(bytes)),
            )
        });
        let bytes =
            bytes.map(|(word, text)| view! { <dt>{session.say(word)}</dt> <dd>{text}</dd> });
        let words = (
            session.say(HeldWord::AreaAll),
            session.say(Word::StepColumn),
        );
        Some(view! {
            <Beside at>
                <b>{name}</b>
                <dl>
                    {bytes}
                    <dt>{words.0}</dt>
                    <dd>{total}</dd>
                    <dt>{words.1}</dt>
                    <dd>{step}</dd>
                </dl>
            </Beside>
        })
    }
}
