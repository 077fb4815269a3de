//! Draws an overlay onto a 2D canvas over the picture. Browser only.

use wasm_bindgen::JsValue;
use web_sys::CanvasRenderingContext2d;
use web_sys::js_sys::Array;

use crate::labelling::FONT_FAMILY;
use crate::overlay::{Area, Item, Overlay, Text, WASH};
use crate::palette::{PATTERNS, Rgb, Theme};
use crate::scene::Fill;

/// Thickness of the line over a filling, in CSS pixels.
const EDGE: f64 = 1.5;

/// Clears the canvas, which is `width` × `height` CSS pixels at `scale` device pixels each,
/// and draws `items` of `overlay` onto it: those under the rectangles, or those over them.
///
/// # Errors
/// What the browser throws, when the canvas cannot be drawn on.
pub fn draw(
    context: &CanvasRenderingContext2d,
    (overlay, items): (&Overlay, &[Item]),
    theme: &Theme,
    (width, height): (f64, f64),
    scale: f64,
) -> Result<(), JsValue> {
    context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0)?;
    context.clear_rect(0.0, 0.0, width, height);
    let font = overlay.font;
    context.set_font(&format!("{font}px {FONT_FAMILY}"));
    context.set_text_baseline("middle");
    context.set_line_join("round");
    for item in items {
        match item {
            Item::Line {
                points,
                ink,
                width,
                dashed,
            } => {
                line(context, points, css(theme.rgb(*ink)), *width, *dashed);
            }
            Item::Fill {
                points,
                bottom,
                ink,
            } => {
                context.set_fill_style_str(&css(theme.rgb(*ink)));
                let columns = columns(points);
                context.set_global_alpha(WASH);
                for column in &columns {
                    let (x, wide, high, _) = *column;
                    context.fill_rect(x, high, wide, bottom - high);
                }
                context.set_global_alpha(1.0);
                for (x, wide, high, low) in columns {
                    context.fill_rect(x, high - EDGE / 2.0, wide, low - high + EDGE);
                }
            }
            Item::Band(area) => {
                context.set_fill_style_str(&css(theme.background));
                context.fill_rect(area.left, area.top, area.width(), area.height());
            }
            Item::Outline(area, ink) => {
                context.set_stroke_style_str(&css(theme.rgb(*ink)));
                context.set_line_width(2.0);
                context.stroke_rect(area.left, area.top, area.width(), area.height());
            }
            Item::Solid(area, ink) => {
                context.set_fill_style_str(&css(theme.rgb(*ink)));
                context.fill_rect(area.left, area.top, area.width(), area.height());
            }
            Item::Wash(area, ink) => {
                context.set_fill_style_str(&css(theme.rgb(*ink)));
                context.set_global_alpha(WASH);
                context.fill_rect(area.left, area.top, area.width(), area.height());
                context.set_global_alpha(1.0);
            }
            Item::Swatch(area, fill) => swatch(context, area, *fill, theme),
            Item::Text(item) => text(context, item, theme)?,
        }
    }
    Ok(())
}

/// A box with a fill's pattern, one CSS pixel for each pixel of the pattern.
fn swatch(context: &CanvasRenderingContext2d, area: &Area, fill: Fill, theme: &Theme) {
    context.set_fill_style_str(&css(theme.fill(fill.color)));
    context.fill_rect(area.left, area.top, area.width(), area.height());
    context.set_fill_style_str(&css(theme.ink(fill.color)));
    let pattern = PATTERNS[usize::from(fill.pattern) % PATTERNS.len()];
    let mut y = area.top;
    for row in pattern.iter().cycle() {
        let mut x = area.left;
        for column in (0..8).cycle() {
            if row >> column & 1 == 1 {
                context.fill_rect(
                    x,
                    y,
                    f64::min(1.0, area.right - x),
                    f64::min(1.0, area.bottom - y),
                );
            }
            x += 1.0;
            if x >= area.right {
                break;
            }
        }
        y += 1.0;
        if y >= area.bottom {
            break;
        }
    }
}

fn line(
    context: &CanvasRenderingContext2d,
    points: &[(f64, f64)],
    color: String,
    width: f64,
    dashed: bool,
) {
    context.set_stroke_style_str(&color);
    context.set_line_width(width);
    context.begin_path();
    // A dash by hand: the browser's own needs an array made for every line.
    match points {
        [from, to] if dashed && from.1.to_bits() == to.1.to_bits() => dashes(context, *from, *to),
        _ => {
            if dashed {
                set_dashes(context, &[6.0, 4.0]);
            }
            for (index, &(x, y)) in points.iter().enumerate() {
                if index == 0 {
                    context.move_to(x, y);
                } else {
                    context.line_to(x, y);
                }
            }
        }
    }
    context.stroke();
    if dashed {
        set_dashes(context, &[]);
    }
}

fn set_dashes(context: &CanvasRenderingContext2d, lengths: &[f64]) {
    let lengths: Array = lengths.iter().map(|it| JsValue::from_f64(*it)).collect();
    // Refused only for what is no list of lengths.
    let _ = context.set_line_dash(&lengths);
}

/// A line as boxes on whole columns of pixels: left edge, width, highest and lowest point. A
/// browser fills boxes at once, where a path of thousands of corners takes it long.
fn columns(points: &[(f64, f64)]) -> Vec<(f64, f64, f64, f64)> {
    let mut columns = Vec::new();
    let Some(&(x, y)) = points.first() else {
        return columns;
    };
    let (mut column, mut high, mut low, mut last) = (x.floor(), y, y, y);
    for &(x, y) in points {
        let at = x.floor();
        if at > column {
            columns.push((column, 1.0, high, low));
            if at > column + 1.0 {
                columns.push((column + 1.0, at - column - 1.0, last, last));
            }
            (column, high, low) = (at, last, last);
        }
        (high, low, last) = (high.min(y), low.max(y), y);
    }
    columns.push((column, 1.0, high, low));
    columns
}

/// Six pixels of every ten, from left to right.
fn dashes(context: &CanvasRenderingContext2d, (from, y): (f64, f64), (to, _): (f64, f64)) {
    let mut x = from;
    while x < to {
        context.move_to(x, y);
        context.line_to((x + 6.0).min(to), y);
        x += 10.0;
    }
}

fn text(context: &CanvasRenderingContext2d, text: &Text, theme: &Theme) -> Result<(), JsValue> {
    let (x, width) = (text.area.left, text.area.width());
    let y = f64::midpoint(text.area.top, text.area.bottom);
    if text.halo {
        context.set_stroke_style_str(&css(theme.background));
        context.set_line_width(3.0);
        context.stroke_text_with_max_width(&text.text, x, y, width)?;
    }
    context.set_fill_style_str(&css(theme.rgb(text.ink)));
    context.fill_text_with_max_width(&text.text, x, y, width)
}

fn css([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
