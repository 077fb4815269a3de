//! The curves, with a cursor that reads them and plans at a value.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use timeline::chart::{Chart, Plot};
use timeline::overlay::{Item, Overlay};
use timeline::slide::Slide;
use timeline::svg;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

use super::curves::{Curves, name, now, plan};
use crate::drawing::painter::theme;
use crate::drawing::size;
use crate::format;
use crate::state::session::{Session, session};
use crate::words::{SweepWord as W, filled};

/// Height of the picture and of its letters, and its least width, in CSS pixels.
pub(super) const HEIGHT: f64 = 320.0;
const FONT: f64 = 12.0;
const NARROWEST: f64 = 280.0;

/// So many values a press of a page key moves.
const PAGE: usize = 10;

/// The picture as data.
#[derive(Clone, PartialEq)]
pub(super) struct Drawn {
    plot: Plot,
    items: Vec<Item>,
    width: f64,
}

impl Drawn {
    pub(super) fn new(session: Session, curves: &Curves, width: f64) -> Self {
        let width = width.max(NARROWEST);
        let value = now(session, &curves.over);
        let marked = filled(session.say(W::Now), &[&value.to_string()]);
        let axis = curves.axis(session);
        let chart = Chart {
            values: &curves.values,
            curves: &curves.curves,
            axis: &axis,
            now: Some((value, &marked)),
            size: (width, HEIGHT),
            font: FONT,
        };
        let (plot, items) = chart.drawn();
        Self { plot, items, width }
    }

    /// The list, and how large it is.
    pub(super) fn overlay(&self) -> (Overlay, (f64, f64)) {
        let overlay = Overlay {
            items: self.items.clone(),
            font: FONT,
            ..Overlay::default()
        };
        (overlay, (self.width, HEIGHT))
    }

    fn svg(&self, session: Session, title: &str) -> String {
        let (overlay, size) = self.overlay();
        let slide = Slide {
            size,
            texts: vec![overlay],
            pictures: Vec::new(),
        };
        svg::write(&slide, &[], &theme(session.is_dark()), title)
    }
}

/// What the picture shows.
pub(super) fn title(session: Session, curves: &Curves) -> String {
    let name = name(session, &curves.over);
    filled(session.say(W::Chart), &[&name])
}

/// What every curve has at a value, in words.
fn reading(session: Session, curves: &Curves, index: usize) -> Option<String> {
    let value = curves.values.get(index)?;
    let figures = curves.curves.iter().map(|curve| {
        let bytes = match curve.bytes.get(index).copied().flatten() {
            Some(bytes) => format::bytes(bytes),
            None => session.say(W::Unplanned).to_owned(),
        };
        filled(session.say(W::Figure), &[&curve.name, &bytes])
    });
    let figures: Vec<String> = figures.collect();
    let figures = figures.join(session.say(W::Between));
    let name = name(session, &curves.over);
    let texts = [name, format::grouped(*value), figures];
    let texts = texts.each_ref().map(String::as_str);
    Some(filled(session.say(W::At), &texts))
}

/// The picture.
#[component]
pub(super) fn Picture(
    curves: Memo<Option<Arc<Curves>>>,
    drawn: Memo<Option<Drawn>>,
    width: RwSignal<f64>,
) -> impl IntoView {
    let session = session();
    let frame = NodeRef::<Div>::new();
    size::follow(frame, move |(wide, _)| {
        if wide.to_bits() != width.get_untracked().to_bits() {
            width.set(wide);
        }
    });
    let cursor = RwSignal::new(None::<usize>);
    let pointed = move |event: &MouseEvent| {
        let frame: Element = frame.get_untracked()?.unchecked_into();
        let x = f64::from(event.client_x()) - frame.get_bounding_client_rect().left();
        let curves = curves.get_untracked()?;
        drawn.with_untracked(|it| it.as_ref()?.plot.nearest(&curves.values, x))
    };
    // Where nothing is pointed at, it is the value that is planned.
    let place = Memo::new(move |_| {
        let curves = curves.get()?;
        let last = curves.values.len().checked_sub(1)?;
        let at_now = || {
            let now = now(session, &curves.over);
            curves.values.partition_point(|value| *value < now)
        };
        Some(cursor.get().unwrap_or_else(at_now).min(last))
    });
    let both = move || curves.get().zip(place.get());
    let says = move || both().and_then(|(curves, at)| reading(session, &curves, at));
    let value = move || both().and_then(|(curves, at)| Some(curves.values.get(at)?.to_string()));
    let end = move |last: bool| {
        let curves = curves.get()?;
        let value = if last {
            curves.values.last()
        } else {
            curves.values.first()
        };
        value.map(u64::to_string)
    };
    let choose = move || {
        let both = curves.get_untracked().zip(cursor.get_untracked());
        if let Some((curves, value)) =
            both.and_then(|(it, at)| Some((it.clone(), *it.values.get(at)?)))
        {
            plan(session, &curves.over, value);
        }
    };
    let press = move |event: KeyboardEvent| match moved(&event, place.get_untracked()) {
        Some(Move::To(to)) => {
            let last = curves.with_untracked(|it| it.as_ref().map_or(0, |it| it.values.len()));
            cursor.set(Some(to.min(last.saturating_sub(1))));
        }
        Some(Move::Choose) => choose(),
        None => {}
    };
    let label = move || curves.get().map(|curves| title(session, &curves));
    let picture = move || {
        let curves = curves.get()?;
        drawn.with(|it| Some(it.as_ref()?.svg(session, &title(session, &curves))))
    };
    view! {
        <div
            class="sweep-picture"
            node_ref=frame
            tabindex="0"
            role="slider"
            aria-label=label
            aria-valuemin=move || end(false)
            aria-valuemax=move || end(true)
            aria-valuenow=value
            aria-valuetext=says
            aria-describedby="sweep-keys"
            on:pointermove=move |event| cursor.set(pointed(&event))
            on:pointerleave=move |_| cursor.set(None)
            on:blur=move |_| cursor.set(None)
            on:click=move |event| { cursor.set(pointed(&event)); choose() }
            on:keydown=press
        >
            <div inner_html=picture></div>
            {move || {
                let (curves, drawn) = (curves.get()?, drawn.get()?);
                over((&curves, &drawn), cursor.get()?)
            }}
        </div>
        <p class="reading" aria-hidden="true">{says}</p>
        <p class="hint" id="sweep-keys">{move || session.say(W::ChartHint)}</p>
    }
}

/// What a key asks for.
enum Move {
    /// The value at this place.
    To(usize),
    /// To plan at the value.
    Choose,
}

fn moved(event: &KeyboardEvent, place: Option<usize>) -> Option<Move> {
    let at = place?;
    let to = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => Move::To(at.saturating_sub(1)),
        "ArrowRight" | "ArrowUp" => Move::To(at + 1),
        "PageDown" => Move::To(at.saturating_sub(PAGE)),
        "PageUp" => Move::To(at + PAGE),
        "Home" => Move::To(0),
        "End" => Move::To(usize::MAX),
        "Enter" | " " => Move::Choose,
        _ => return None,
    };
    event.prevent_default();
    // The whole page listens to arrows too.
    event.stop_propagation();
    Some(to)
}

/// The line at what is pointed at, and a ring around every curve there.
fn over((curves, drawn): (&Curves, &Drawn), at: usize) -> Option<impl IntoView + use<>> {
    let x = drawn.plot.x(*curves.values.get(at)?);
    let area = drawn.plot.area;
    let rings = curves.curves.iter().filter_map(|curve| {
        let y = drawn.plot.y((*curve.bytes.get(at)?)?);
        Some(view! { <circle cx=format!("{x:.1}") cy=format!("{y:.1}") r="5"></circle> })
    });
    let rings: Vec<_> = rings.collect();
    let size = format!("0 0 {:.0} {HEIGHT}", drawn.width);
    Some(view! {
        <svg class="cursor" width=format!("{:.0}", drawn.width) height=HEIGHT.to_string() viewBox=size aria-hidden="true">
            <path d=format!("M{x:.1} {:.1}V{:.1}", area.top, area.bottom)></path>
            {rings}
        </svg>
    })
}
