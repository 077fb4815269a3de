//! A pen on the picture, for who speaks: lines that stay until they are wiped away.

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, PointerEvent};

use super::player::Player;
use crate::drawing::painter::{context, scale};

/// The canvas's id.
const PEN: &str = "pen";

/// Width of a line in CSS pixels.
const WIDTH: f64 = 4.0;

/// Shows the canvas over the pictures while the pen is in use.
pub(super) fn follow(player: Player, penned: RwSignal<bool>) {
    Effect::new(move |_| {
        // Marks are about one scene.
        player.at.track();
        player.lesson.track();
        remove();
        if penned.get() {
            add();
        }
    });
    on_cleanup(remove);
}

/// Takes all lines away.
pub(super) fn wipe() {
    remove();
    add();
}

fn remove() {
    if let Some(canvas) = document().get_element_by_id(PEN) {
        canvas.remove();
    }
}

fn add() -> Option<()> {
    let panes = document().query_selector(".middle").ok().flatten()?;
    let canvas = document().create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.set_id(PEN);
    let area = panes.get_bounding_client_rect();
    canvas.set_width(pixels(area.width()));
    canvas.set_height(pixels(area.height()));
    panes.append_child(&canvas).ok()?;
    let pen = context(&canvas).ok()?;
    let ink = window().get_computed_style(&panes).ok().flatten();
    let ink = ink.and_then(|style| style.get_property_value("--bad").ok());
    pen.set_stroke_style_str(ink.as_deref().map_or("#c00", str::trim));
    pen.set_line_width(WIDTH * scale());
    pen.set_line_cap("round");
    pen.set_line_join("round");
    let place = {
        let canvas: Element = canvas.clone().unchecked_into();
        move |event: &PointerEvent| {
            let area = canvas.get_bounding_client_rect();
            let x = f64::from(event.client_x()) - area.left();
            let y = f64::from(event.client_y()) - area.top();
            (x * scale(), y * scale())
        }
    };
    for kind in ["pointerdown", "pointermove"] {
        let (pen, place) = (pen.clone(), place.clone());
        EventListener::new(&canvas, kind, move |event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else {
                return;
            };
            let (x, y) = place(event);
            if kind == "pointerdown" {
                pen.begin_path();
                pen.move_to(x, y);
            } else if event.buttons() & 1 == 1 {
                pen.line_to(x, y);
                pen.stroke();
            }
        })
        .forget();
    }
    Some(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a window has few pixels, and never less than none"
)]
fn pixels(length: f64) -> u32 {
    (length * scale()).round().max(1.0) as u32
}
