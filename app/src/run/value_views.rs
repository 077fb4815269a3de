//! A tensor as numbers, as a histogram, as a heat map, as a picture.

use crate::state::session::Session;
use leptos::html::Canvas;
use leptos::prelude::*;
use runner::Output;
use runner::values;
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, ImageData};

use super::values::wide;
use crate::format;
use crate::strings::{ValueWord as Word, filled};

/// How a tensor is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Numbers,
    Histogram,
    Map,
    Picture,
}

/// Rows and columns of numbers that are shown.
const NUMBERS: u64 = 10;
/// Parts of a histogram.
const BINS: usize = 40;
/// Most pixels of a side of a map: beyond, pixels are left out evenly.
const SIDE: u64 = 512;

impl Look {
    /// Those that say something of this tensor.
    pub(super) fn of(output: &Output) -> impl Iterator<Item = Self> + use<> {
        let (_, [height, width]) = values::planes(&output.dims);
        let (is_plane, is_picture) = (
            height > 1 && width > 1,
            values::picture(output.dtype, &output.dims).is_some(),
        );
        let all = [Self::Numbers, Self::Histogram, Self::Map, Self::Picture];
        all.into_iter().filter(move |look| match look {
            Self::Numbers | Self::Histogram => true,
            Self::Map => is_plane,
            Self::Picture => is_picture,
        })
    }

    pub(super) fn word(self) -> Word {
        match self {
            Self::Numbers => Word::Numbers,
            Self::Histogram => Word::Histogram,
            Self::Map => Word::Map,
            Self::Picture => Word::Picture,
        }
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Histogram => "histogram",
            Self::Map => "map",
            Self::Picture => "picture",
        }
    }
}

pub(super) fn shown(
    session: Session,
    output: &Output,
    numbers: &[f64],
    (look, plane): (Look, u64),
) -> AnyView {
    let (_, [height, width]) = values::planes(&output.dims);
    let start = usize::try_from(plane * height * width).unwrap_or_default();
    let len = usize::try_from(height * width).unwrap_or_default();
    let part = numbers.get(start..).unwrap_or_default();
    let part = part.get(..len).unwrap_or(part);
    match look {
        Look::Numbers => table(session, part, [height, width]),
        Look::Histogram => histogram(session, numbers),
        Look::Map => map(session, part, [height, width]),
        Look::Picture => picture(output, numbers),
    }
}

fn table(session: Session, part: &[f64], [height, width]: [u64; 2]) -> AnyView {
    let (rows, columns) = (height.min(NUMBERS), width.min(NUMBERS));
    let row = |row: u64| {
        let cells = (0..columns).map(move |column| {
            let at = usize::try_from(row * width + column).unwrap_or_default();
            let text = part.get(at).map(|&number| short(number));
            view! { <td class="number">{text}</td> }
        });
        view! { <tr><th scope="row">{row.to_string()}</th>{cells.collect_view()}</tr> }
    };
    let heads = (0..columns).map(|column| view! { <th scope="col">{column.to_string()}</th> });
    let all = [rows, columns, height, width].map(format::grouped);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let more = (rows < height || columns < width)
        .then(|| view! { <p class="size">{filled(session.say(Word::More), &all)}</p> });
    view! {
        <div class="wide" tabindex="0">
            <table class="numbers">
                <caption class="unseen">{session.say(Word::Numbers)}</caption>
                <thead><tr><td></td>{heads.collect_view()}</tr></thead>
                <tbody>{(0..rows).map(row).collect_view()}</tbody>
            </table>
        </div>
        {more}
    }
    .into_any()
}

/// Integers in full, others with six digits.
fn short(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 || !number.is_finite() {
        return number.to_string();
    }
    match number.abs() {
        small if small < 1e-4 => format!("{number:.3e}"),
        _ => format!("{number:.5}"),
    }
}

fn histogram(session: Session, numbers: &[f64]) -> AnyView {
    let counts = values::histogram(numbers, BINS);
    let figures = values::statistics(numbers);
    let most = wide(counts.iter().copied().max().unwrap_or(1).max(1));
    let step = (figures.largest - figures.least) / wide(BINS as u64);
    let bars = counts.iter().zip(0_u64..).map(|(&count, index)| {
        let height = wide(count) / most * 100.0;
        let from = figures.least + wide(index) * step;
        let title = filled(
            session.say(Word::Bins),
            &[&format::grouped(count), &short(from), &short(from + step)],
        );
        view! {
            <rect
                x=index.to_string() y=format!("{:.2}", 100.0 - height)
                width="0.9" height=format!("{height:.2}")
            ><title>{title}</title></rect>
        }
    });
    view! {
        <figure class="histogram">
            <svg
                role="img" aria-label=session.say(Word::Histogram)
                viewBox=format!("0 0 {BINS} 100") preserveAspectRatio="none"
            >
                {bars.collect_view()}
            </svg>
            <figcaption class="size">
                <span>{short(figures.least)}</span>
                <span>{short(figures.largest)}</span>
            </figcaption>
        </figure>
    }
    .into_any()
}

fn map(session: Session, part: &[f64], size: [u64; 2]) -> AnyView {
    let figures = values::statistics(part);
    let range = figures.largest - figures.least;
    let text = filled(
        session.say(Word::MapOf),
        &[&short(figures.least), &short(figures.largest)],
    );
    let pixels = pixels(size, |row, column| {
        let at = usize::try_from(row * size[1] + column).unwrap_or_default();
        let number = part.get(at).copied().unwrap_or_default();
        let share = if range > 0.0 {
            (number - figures.least) / range
        } else {
            0.5
        };
        ramp(share)
    });
    view! { {canvas(session.say(Word::Map), pixels)} <p class="size">{text}</p> }.into_any()
}

fn picture(output: &Output, numbers: &[f64]) -> AnyView {
    let Some((size, [pixel, channel])) = values::picture(output.dtype, &output.dims) else {
        return ().into_any();
    };
    // What is within 0 and 1 is that of 255; what reaches below 0 is about 0.
    let figures = values::statistics(numbers);
    let (low, high) = match (figures.least, figures.largest) {
        (least, largest) if least >= 0.0 && largest <= 1.0 => (0.0, 1.0),
        (least, largest) if least >= 0.0 && largest <= 255.0 => (0.0, 255.0),
        (least, largest) => (least, largest),
    };
    let pixels = pixels(size, |row, column| {
        let at = (row * size[1] + column) * pixel;
        [0, 1, 2].map(|color| {
            let at = usize::try_from(at + color * channel).unwrap_or_default();
            let number = numbers.get(at).copied().unwrap_or_default();
            byte((number - low) / (high - low).max(f64::MIN_POSITIVE))
        })
    });
    canvas(&output.name, pixels)
}

/// The pixels of a picture of at most [`SIDE`] pixels a side, and its height and width.
fn pixels([height, width]: [u64; 2], color: impl Fn(u64, u64) -> [u8; 3]) -> (Vec<u8>, [u32; 2]) {
    let step = height.max(width).div_ceil(SIDE).max(1);
    let [rows, columns] = [height, width].map(|side| side.div_ceil(step));
    let mut bytes = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            bytes.extend(color(row * step, column * step));
            bytes.push(255);
        }
    }
    (
        bytes,
        [rows, columns].map(|side| u32::try_from(side).unwrap_or_default()),
    )
}

/// From dark blue over green to light yellow, ever lighter.
fn ramp(share: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 4] = [
        [0.10, 0.08, 0.30],
        [0.12, 0.42, 0.56],
        [0.30, 0.76, 0.44],
        [0.99, 0.95, 0.70],
    ];
    let at = share.clamp(0.0, 1.0) * 3.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 3"
    )]
    let stop = (at as usize).min(2);
    let rest = at - wide(stop as u64);
    [0, 1, 2].map(|color| byte(STOPS[stop][color] * (1.0 - rest) + STOPS[stop + 1][color] * rest))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 255"
)]
fn byte(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0) as u8
}

fn canvas(label: &str, (bytes, [height, width]): (Vec<u8>, [u32; 2])) -> AnyView {
    let place = NodeRef::<Canvas>::new();
    Effect::new(move |_| {
        let Some(canvas) = place.get() else { return };
        let context = canvas.get_context("2d").ok().flatten();
        let context = context.and_then(|it| it.dyn_into::<CanvasRenderingContext2d>().ok());
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), width, height);
        if let (Some(context), Ok(image)) = (context, image) {
            // A picture that cannot be drawn leaves an empty one.
            let _ = context.put_image_data(&image, 0.0, 0.0);
        }
    });
    view! {
        <canvas
            class="map" role="img" aria-label=label.to_owned() node_ref=place
            width=width.to_string() height=height.to_string()
        ></canvas>
    }
    .into_any()
}
