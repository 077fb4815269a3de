//! Numbers in cells: exact, with units where they are bytes.
//!
//! `4096`, `0x1000`, `1_000`, `1 000`, `3.0`, `392KiB` and `1.5 MiB` are read; KiB, MiB, GiB and
//! TiB are powers of 1024, kB, MB, GB and TB of 1000, in large or small letters. What is no whole
//! number is refused, never rounded, and so is what two people would read as two numbers:
//! `1,024`, and `1.024`, whose point may part thousands.

use crate::number::{NoNumber, Number, Unit};

/// Why a cell holds no whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It does not look like one.
    Unlike,
    /// It is beyond 64 bits.
    TooLarge,
    /// It is not whole.
    Fraction,
    /// A point before three digits may part thousands.
    Ambiguous,
}

/// Digits between two marks of thousands.
const GROUP: usize = 3;

/// The number in `cell` with its unit, and the whole number that it is of those; `unit` is that
/// of a cell that says none.
pub(super) fn read(cell: &str, unit: Option<Unit>) -> Result<(u64, Option<Unit>), Wrong> {
    let joined = joined(cell).ok_or(Wrong::Unlike)?;
    let number = Number::read(&joined).map_err(|wrong| match wrong {
        NoNumber::Unlike => Wrong::Unlike,
        NoNumber::TooLarge => Wrong::TooLarge,
    })?;
    let whole = joined.find('.').unwrap_or_default();
    let parts_thousands = (1..=GROUP).contains(&whole) && !joined.starts_with('0');
    if usize::from(number.decimals) == GROUP && parts_thousands {
        return Err(Wrong::Ambiguous);
    }
    let unit = number.unit.or(unit);
    // Both are below 2^64 · 2^40.
    let units = u128::from(number.mantissa) * u128::from(unit.map_or(1, Unit::bytes));
    let scale = 10_u128.pow(number.decimals.into());
    if !units.is_multiple_of(scale) {
        return Err(Wrong::Fraction);
    }
    let value = u64::try_from(units / scale).ok().ok_or(Wrong::TooLarge)?;
    Ok((value, unit))
}

/// The cell without the spaces between thousands and before a unit; `None` where they stand
/// elsewhere.
fn joined(cell: &str) -> Option<String> {
    let mut words = cell.split_whitespace();
    let mut joined = words.next()?.to_owned();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let thousands = joined.len() <= GROUP;
    for word in words {
        let number = word.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
        let more = number.len() == GROUP && digits(number) && digits(&joined) && thousands;
        if !number.is_empty() && !more {
            return None;
        }
        joined.push_str(word);
    }
    Some(joined)
}
