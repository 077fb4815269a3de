//! Sums of rows that follow one another.

use planner::graph::{Elements, Value};
use planner::{Message, message};

use super::{Found, Read, narrow};

/// A row for each segment. As LiteRT has it the first row is of segment 0, and each of the same as
/// the one before it or of the next.
///
/// # Errors
/// When the numbers of the segments are others, or not as many as rows.
pub(super) fn summed((_, x): &Read, (_, numbers): &Read) -> Result<Found, Message> {
    let numbers = numbers.as_ints().unwrap_or_default();
    let rows = x.dims.first().copied().unwrap_or_default();
    let size: u64 = x.dims.iter().skip(1).product();
    let size = usize::try_from(size).map_err(|_too_large| message!("it is too large"))?;
    if numbers.len() as u64 != rows {
        return Err(message!(
            "{} numbers of segments for {} rows",
            numbers.len(),
            rows
        ));
    }
    let before = [0].iter().chain(numbers);
    let starts = numbers.first().is_none_or(|&first| first == 0);
    if !starts
        || before
            .zip(numbers)
            .any(|(a, &b)| b != *a && Some(b) != a.checked_add(1))
    {
        return Err(message!(
            "the numbers of its segments do not count up from 0"
        ));
    }
    let count = numbers.last().map_or(0, |last| last.unsigned_abs() + 1);
    let segments = numbers
        .iter()
        .map(|&number| usize::try_from(number).unwrap_or(usize::MAX));
    let places = segments.flat_map(|segment| segment * size..(segment + 1) * size);
    // There are no more segments than rows.
    let len = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .saturating_mul(size);
    let elements = match &x.elements {
        Elements::Ints(x) => {
            let mut sums = vec![0_i32; len];
            for (place, x) in places.zip(x) {
                let x = i32::try_from(*x).map_err(|_wide| message!("it is too large"))?;
                sums[place] = sums[place].wrapping_add(x);
            }
            Elements::Ints(sums.into_iter().map(i64::from).collect())
        }
        Elements::Floats(x) => {
            let mut sums = vec![0.0_f32; len];
            for (place, x) in places.zip(x) {
                sums[place] += narrow(*x);
            }
            Elements::Floats(sums.into_iter().map(f64::from).collect())
        }
    };
    let mut dims = x.dims.clone();
    if let Some(first) = dims.first_mut() {
        *first = count;
    }
    Ok(Found {
        count,
        outputs: vec![Value { dims, elements }],
        ..Found::default()
    })
}
