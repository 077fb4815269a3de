//! Where the rulers have ticks and what they say. Labels are exact, never rounded.

use crate::camera::Range;

/// How byte positions are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteStyle {
    /// In KiB, MiB, GiB, TiB.
    #[default]
    Binary,
    /// As hexadecimal addresses.
    Hex,
    /// Not at all: where they would answer a question.
    Hidden,
}

/// One tick of a ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in steps or bytes.
    pub at: f64,
    /// What it says.
    pub label: String,
}

/// No ruler has more ticks than this, whatever is asked.
pub const MAX_TICKS: usize = 512;

const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// Ticks at multiples of a power of two, at least `gap` pixels apart on an axis of `pixels`
/// pixels. All are written in the same unit, so that they can be compared at a glance.
#[must_use]
pub fn byte_ticks(range: Range, pixels: f64, gap: f64, style: ByteStyle) -> Vec<Tick> {
    let wanted = range.len() * gap / pixels.max(1.0);
    let mut exponent = 0;
    while exponent < 62 && 2_f64.powi(exponent) < wanted {
        exponent += 1;
    }
    let spacing = 1_u64 << exponent;
    multiples(range, spacing, |bytes| match style {
        ByteStyle::Hex => format!("{bytes:#x}"),
        ByteStyle::Binary => in_unit(bytes, unit_of(spacing)),
        ByteStyle::Hidden => String::new(),
    })
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten, at least `gap` pixels apart.
#[must_use]
pub fn step_ticks(range: Range, pixels: f64, gap: f64) -> Vec<Tick> {
    let wanted = range.len() * gap / pixels.max(1.0);
    let mut spacing = 1_u64;
    let mut factors = [2_u64, 5, 10].into_iter().cycle();
    let mut decade = 1_u64;
    while (spacing as f64) < wanted && decade < 1_000_000_000_000_000_000 {
        let factor = factors.next().unwrap_or(10);
        spacing = decade * factor;
        if factor == 10 {
            decade = spacing;
        }
    }
    multiples(range, spacing, |step| step.to_string())
}

/// Ticks at whole microseconds, multiples of 1, 2 or 5 times a power of ten of them, at least `gap`
/// pixels apart. All are written in the same unit, so that they can be compared at a glance.
#[must_use]
pub fn time_ticks(range: Range, pixels: f64, gap: f64) -> Vec<Tick> {
    let mut ticks = step_ticks(range, pixels, gap);
    let spacing = match ticks.as_slice() {
        [first, second, ..] => second.at - first.at,
        _ => range.len(),
    };
    let (unit, name) = time_unit(spacing);
    for tick in &mut ticks {
        tick.label = format!("{} {name}", tick.at / unit);
    }
    ticks
}

/// A time for reading, in microseconds: three digits or more, "370 µs", "1.50 ms".
#[must_use]
pub fn time_text(microseconds: u64) -> String {
    let (unit, name) = time_unit(microseconds as f64);
    let value = microseconds as f64 / unit;
    let digits = match value {
        _ if unit < 2.0 => 0,
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {name}")
}

/// The largest unit that goes into a time, in microseconds, and its name.
fn time_unit(microseconds: f64) -> (f64, &'static str) {
    match microseconds {
        it if it >= 1e6 => (1e6, "s"),
        it if it >= 1e3 => (1e3, "ms"),
        _ => (1.0, "µs"),
    }
}

/// A size for reading: three digits or more, "1.50 MiB", "512 B".
#[must_use]
pub fn bytes_text(bytes: u64) -> String {
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * (unit + 1)) > 0 {
        unit += 1;
    }
    if unit == 0 {
        return format!("{bytes} B");
    }
    let value = bytes as f64 / (1_u64 << (10 * unit)) as f64;
    let digits = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

fn multiples(range: Range, spacing: u64, label: impl Fn(u64) -> String) -> Vec<Tick> {
    let mut ticks = Vec::new();
    let mut at = first_multiple(range.start, spacing);
    while at as f64 <= range.end && ticks.len() < MAX_TICKS {
        ticks.push(Tick {
            at: at as f64,
            label: label(at),
        });
        let Some(next) = at.checked_add(spacing) else {
            break;
        };
        at = next;
    }
    ticks
}

/// The first multiple of `spacing` that is at least `from`, and at least 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate, and the value is not negative"
)]
fn first_multiple(from: f64, spacing: u64) -> u64 {
    let count = (from / spacing as f64).ceil().max(0.0) as u64;
    count.saturating_mul(spacing)
}

/// The largest unit in which every multiple of `spacing` has at most two decimals.
fn unit_of(spacing: u64) -> usize {
    let mut unit = 0;
    while unit + 1 < UNITS.len() && spacing * 4 >= 1 << (10 * (unit + 1)) {
        unit += 1;
    }
    unit
}

/// `bytes`, a multiple of a quarter of the unit, exactly.
fn in_unit(bytes: u64, unit: usize) -> String {
    let size = 1_u64 << (10 * unit);
    let quarters = match (bytes % size * 4) / size {
        _ if unit == 0 => "",
        1 => ".25",
        2 => ".5",
        3 => ".75",
        _ => "",
    };
    format!("{}{quarters} {}", bytes / size, UNITS[unit])
}
