//! The curves, with a cursor that reads them and plans at a value.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use planner::sweep::Over;
use timeline::chart::{Chart, Curve, Plot};
use timeline::overlay::{Item, Overlay};
use timeline::slide::Slide;
use timeline::svg;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

use super::curves::{Curves, name, now, plan};
use crate::drawing::beside::Beside;
use crate::drawing::painter::theme;
use crate::drawing::size;
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{SweepWord as W, filled};

/// Height of the picture and of its letters, and its least width, in CSS pixels.
pub(super) const HEIGHT: f64 = 280.0;
const FONT: f64 = 12.0;
const NARROWEST: f64 = 280.0;

/// So many values a press of a page key moves.
const PAGE: usize = 10;

/// The picture as data.
#[derive(Clone, PartialEq)]
pub(super) struct Drawn {
    plot: Plot,
    items: Vec<Item>,
    /// Whether what no reuse takes is drawn.
    naive: bool,
    width: f64,
}

impl Drawn {
    pub(super) fn new(session: Session, curves: &Curves, naive: bool, width: f64) -> Self {
        let width = width.max(NARROWEST);
        let value = now(session, &curves.over);
        let marked = filled(session.say(W::Now), &[&value.to_string()]);
        let axis = curves.axis(session);
        let chart = Chart {
            values: &curves.values,
            curves: curves.drawn(naive),
            axis: &axis,
            now: Some((value, &marked)),
            size: (width, HEIGHT),
            font: FONT,
        };
        let (plot, items) = chart.drawn();
        Self {
            plot,
            items,
            naive,
            width,
        }
    }

    /// The same as what files are made of.
    pub(super) fn slide(&self) -> Slide {
        let overlay = Overlay {
            items: self.items.clone(),
            font: FONT,
            ..Overlay::default()
        };
        Slide {
            size: (self.width, HEIGHT),
            texts: vec![overlay],
            pictures: Vec::new(),
        }
    }

    fn svg(&self, session: Session, title: &str) -> String {
        svg::write(&self.slide(), &[], &theme(session.is_dark()), title)
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
        let bytes = bytes_at(session, curve, index);
        filled(session.say(W::Figure), &[&curve.name, &bytes])
    });
    let figures: Vec<String> = figures.collect();
    let figures = figures.join(session.say(W::Between));
    let name = name(session, &curves.over);
    let texts = [name, format::grouped(*value), figures];
    let texts = texts.each_ref().map(String::as_str);
    Some(filled(session.say(W::At), &texts))
}

/// The picture and what is pointed at in it.
#[derive(Clone, Copy)]
struct Reader {
    session: Session,
    curves: Memo<Option<Arc<Curves>>>,
    drawn: Memo<Option<Drawn>>,
    frame: NodeRef<Div>,
    /// The value that is pointed at, by its place in the list.
    cursor: RwSignal<Option<usize>>,
    /// Where the card is, in the window.
    beside: RwSignal<(f64, f64)>,
}

impl Reader {
    fn corner(self) -> Option<(f64, f64)> {
        let frame: Element = self.frame.get_untracked()?.unchecked_into();
        let rect = frame.get_bounding_client_rect();
        Some((rect.left(), rect.top()))
    }

    fn point(self, event: &MouseEvent) {
        let place = (f64::from(event.client_x()), f64::from(event.client_y()));
        self.beside.set(place);
        let both = self.curves.get_untracked().zip(self.corner());
        let nearest = both.and_then(|(curves, (left, _))| {
            let x = place.0 - left;
            let nearest = |it: &Drawn| it.plot.nearest(&curves.values, x);
            self.drawn
                .with_untracked(|it| it.as_ref().and_then(nearest))
        });
        self.cursor.set(nearest);
    }

    /// What is pointed at; where that is nothing, the value that is planned.
    fn place(self) -> Option<usize> {
        let curves = self.curves.get()?;
        let last = curves.values.len().checked_sub(1)?;
        let at_now = || {
            let now = now(self.session, &curves.over);
            curves.values.partition_point(|value| *value < now)
        };
        Some(self.cursor.get().unwrap_or_else(at_now).min(last))
    }

    fn value(self, place: usize) -> Option<String> {
        let curves = self.curves.get()?;
        curves.values.get(place).map(u64::to_string)
    }

    /// Plans at what is pointed at.
    fn choose(self) {
        let both = self.curves.get_untracked().zip(self.cursor.get_untracked());
        let Some((curves, place)) = both else { return };
        if let Some(value) = curves.values.get(place) {
            plan(self.session, &curves.over, *value);
        }
    }

    fn press(self, event: &KeyboardEvent) {
        let to = match moved(event, untrack(|| self.place())) {
            Some(Move::To(to)) => to,
            Some(Move::Choose) => return self.choose(),
            None => return,
        };
        let both = self.curves.get_untracked().zip(self.corner());
        let Some((curves, (left, top))) = both else {
            return;
        };
        let to = to.min(curves.values.len().saturating_sub(1));
        let x = |it: &Drawn| Some(it.plot.x(*curves.values.get(to)?));
        let x = self.drawn.with_untracked(|it| it.as_ref().and_then(x));
        if let Some(x) = x {
            self.beside.set((left + x, top + HEIGHT / 3.0));
        }
        self.cursor.set(Some(to));
    }
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
    size::follow_width(frame, width);
    let reader = Reader {
        session,
        curves,
        drawn,
        frame,
        cursor: RwSignal::new(None),
        beside: RwSignal::new((0.0, 0.0)),
    };
    let says = move || reading(session, &*curves.get()?, reader.place()?);
    let last = move || reader.value(curves.get()?.values.len().checked_sub(1)?);
    let label = move || curves.get().map(|curves| title(session, &curves));
    let picture = move || {
        let curves = curves.get()?;
        drawn.with(|it| Some(it.as_ref()?.svg(session, &title(session, &curves))))
    };
    let choose = move |event: MouseEvent| {
        reader.point(&event);
        reader.choose();
    };
    view! {
        <div
            class="sweep-picture"
            node_ref=frame
            tabindex="0"
            role="slider"
            aria-label=label
            aria-valuemin=move || reader.value(0)
            aria-valuemax=last
            aria-valuenow=move || reader.value(reader.place()?)
            aria-valuetext=says
            aria-describedby="sweep-keys"
            on:pointermove=move |event| reader.point(&event)
            on:pointerleave=move |_| reader.cursor.set(None)
            on:blur=move |_| reader.cursor.set(None)
            on:click=choose
            on:keydown=move |event| reader.press(&event)
        >
            <div inner_html=picture></div>
            {move || {
                let (curves, drawn) = (curves.get()?, drawn.get()?);
                over((&curves, &drawn), reader.cursor.get()?)
            }}
        </div>
        {move || card(reader)}
        <p class="hint" id="sweep-keys">{move || session.say(hint(curves))}</p>
    }
}

/// What keys do: the batch of a model that fixes it can be read, but not planned.
fn hint(curves: Memo<Option<Arc<Curves>>>) -> W {
    let over = curves.with(|it| it.as_ref().is_some_and(|it| it.over == Over::Batch));
    if over { W::ReadHint } else { W::ChartHint }
}

/// Beside the pointer: every curve at the value.
fn card(reader: Reader) -> Option<impl IntoView> {
    let session = reader.session;
    let (curves, place) = (reader.curves.get()?, reader.cursor.get()?);
    let value = format::grouped(*curves.values.get(place)?);
    let says = format!("{} = {value}", name(session, &curves.over));
    let rows = curves.curves.iter().map(|curve| {
        let bytes = bytes_at(session, curve, place);
        view! { <dt>{curve.name.clone()}</dt> <dd>{bytes}</dd> }
    });
    let rows: Vec<_> = rows.collect();
    let at = reader.beside;
    Some(view! {
        <Beside at>
            <b>{says}</b>
            <dl>{rows}</dl>
        </Beside>
    })
}

fn bytes_at(session: Session, curve: &Curve, place: usize) -> String {
    match curve.bytes.get(place).copied().flatten() {
        Some(bytes) => format::bytes(bytes),
        None => session.say(W::Unplanned).to_owned(),
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
    let rings = curves.drawn(drawn.naive).iter().filter_map(|curve| {
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
