//! Elements, or slices of an axis, each once.

use std::cmp::Ordering;
use std::ops::Range;

use planner::graph::{DType, Elements, Value};
use planner::{Message, message};

use super::{Found, Read, index, ints};
use crate::lower::call::axis_of;

/// The slices of an axis as numbers that compare as their elements do.
struct Slices {
    keys: Vec<u64>,
    /// Slices lie beside each other this often, of so many elements each.
    outer: usize,
    len: usize,
    inner: usize,
}

impl Slices {
    /// The elements of one, one after the other.
    fn keys(&self, at: usize) -> impl Iterator<Item = u64> {
        let starts = (0..self.outer).map(move |outer| (outer * self.len + at) * self.inner);
        starts.flat_map(|start| self.keys[start..start + self.inner].iter().copied())
    }
}

/// Each element, or each slice of an axis, once; where it is first, which one each is, and how
/// often it is there. No numbers are the same, and are behind all others. Sorted by their
/// elements, or in the order in which they are found.
pub(super) fn unique((dtype, x): &Read, axis: Option<i64>, sorted: bool) -> Result<Found, Message> {
    let keys = keys(*dtype, x);
    let (outer, len, inner) = match axis {
        None => (1, keys.len(), 1),
        Some(axis) => around(&x.dims, axis)?,
    };
    let slices = Slices {
        keys,
        outer,
        len,
        inner,
    };
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| slices.keys(a).cmp(slices.keys(b)).then(a.cmp(&b)));
    // Those that are the same follow each other; the first of them comes first.
    let is_same = |pair: &[usize]| slices.keys(pair[0]).eq(slices.keys(pair[1]));
    let mut groups: Vec<Range<usize>> = Vec::new();
    for at in 0..order.len() {
        match groups.last_mut() {
            Some(group) if is_same(&order[at - 1..=at]) => group.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    if !sorted {
        groups.sort_by_key(|group| order[group.start]);
    }
    let firsts: Vec<usize> = groups.iter().map(|group| order[group.start]).collect();
    let mut which = vec![0; len];
    for (number, group) in groups.iter().enumerate() {
        for &at in &order[group.clone()] {
            which[at] = index(number);
        }
    }
    let count = firsts.len() as u64;
    let mut dims = vec![count];
    if let Some(axis) = axis {
        dims.clone_from(&x.dims);
        let at = axis_of(axis, x.dims.len())?;
        dims[at] = count;
    }
    let places = (0..outer).flat_map(|o| {
        let row = firsts.iter().map(move |at| (o * len + at) * inner);
        row.flat_map(move |start| start..start + inner)
    });
    let often = groups.iter().map(|group| index(group.len())).collect();
    let vector = |elements: Vec<i64>| ints(vec![elements.len() as u64], elements);
    Ok(Found {
        count,
        outputs: vec![
            picked(x, dims, places),
            vector(firsts.iter().copied().map(index).collect()),
            vector(which),
            vector(often),
        ],
        ..Found::default()
    })
}

/// How many elements stand before an axis, along it and behind it.
fn around(dims: &[u64], axis: i64) -> Result<(usize, usize, usize), Message> {
    let at = axis_of(axis, dims.len())?;
    let product = |dims: &[u64]| usize::try_from(dims.iter().product::<u64>());
    let sizes = [&dims[..at], &dims[at..=at], &dims[at + 1..]].map(product);
    match sizes {
        [Ok(outer), Ok(len), Ok(inner)] => Ok((outer, len, inner)),
        _ => Err(message!("it is too large")),
    }
}

/// Numbers in the order of the elements: equal where they are.
fn keys(dtype: DType, x: &Value) -> Vec<u64> {
    const SIGN: u64 = 1 << 63;
    let ordered = |x: f64| match x.partial_cmp(&0.0) {
        None => u64::MAX,
        // Both zeros are one.
        Some(Ordering::Equal) => SIGN,
        Some(Ordering::Less) => !x.to_bits(),
        Some(Ordering::Greater) => x.to_bits() | SIGN,
    };
    match &x.elements {
        Elements::Floats(x) => x.iter().map(|&x| ordered(x)).collect(),
        Elements::Ints(x) if dtype == DType::U64 => x.iter().map(|x| x.cast_unsigned()).collect(),
        Elements::Ints(x) => x.iter().map(|x| x.cast_unsigned() ^ SIGN).collect(),
    }
}

/// The elements at these places.
fn picked(x: &Value, dims: Vec<u64>, places: impl Iterator<Item = usize>) -> Value {
    let elements = match &x.elements {
        Elements::Ints(x) => Elements::Ints(places.map(|at| x[at]).collect()),
        Elements::Floats(x) => Elements::Floats(places.map(|at| x[at]).collect()),
    };
    Value { dims, elements }
}
