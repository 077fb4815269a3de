//! A plan as a picture: steps across, addresses upwards, a rectangle for each buffer.

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use crate::liveness::Lifetimes;
use crate::plan::Plan;

const WIDTH: u64 = 800;
const HEIGHT: u64 = 400;
/// As many colours, by turns.
const HUES: usize = 12;

/// An SVG of `plan`, which is one of `lifetimes`. Whoever points at a rectangle is told its name,
/// its bytes and where it lies.
#[must_use]
pub fn svg(lifetimes: &Lifetimes, plan: &Plan) -> String {
    let horizon = lifetimes.horizon.0;
    let x = |step: u64| scaled(step, horizon, WIDTH);
    let y = |address: u64| scaled(address, plan.arena.0, HEIGHT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\">\n"
    );
    for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
        let (span, low) = (buffer.span, offset.0);
        let high = low.saturating_add(buffer.size.0).min(plan.arena.0);
        let (left, top) = (x(span.start.0), HEIGHT - y(high));
        let (width, height) = (x(span.end.0) - left, y(high) - y(low));
        let hue = index % HUES * (360 / HUES);
        let name = escaped(&buffer.name);
        let (bytes, start, end) = (buffer.size.0, span.start.0, span.end.0);
        let title = format!("{name}: {bytes} bytes at {low}, steps {start} to {end}");
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
             fill=\"hsl({hue} 60% 70%)\" stroke=\"#333\"><title>{title}</title></rect>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Where `part` of `whole` lies on a side of `pixels`.
fn scaled(part: u64, whole: u64, pixels: u64) -> u64 {
    let place = u128::from(part.min(whole)) * u128::from(pixels) / u128::from(whole.max(1));
    u64::try_from(place).expect("it is no further than the side is long")
}

/// What XML takes for a letter of its own is spelt out.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
