//! What operators give of which nobody knows before the run how much it is: `NonZero`,
//! `NonMaxSuppression`, `Unique`, and how many elements `TopK` and `Compress` are asked for. They
//! are computed on the CPU from what the run has made so far, by the definitions of ONNX.

use std::cmp::Ordering;

use planner::graph::{DType, Elements, Op, Value};

/// What an operator gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How much.
    pub count: u64,
    /// Its outputs by position; none where a kernel computes them.
    pub outputs: Vec<Value>,
}

/// An input: its element type and its elements.
pub type Read = (DType, Value);

/// What `op` gives for these inputs.
///
/// # Errors
/// Says what is wrong with them.
pub fn count(op: &Op, inputs: &[Option<Read>]) -> Result<Found, String> {
    let input = |at: usize| inputs.get(at).and_then(Option::as_ref);
    let need = |at: usize| input(at).ok_or_else(|| format!("input {at} is missing"));
    match op.kind.as_str() {
        "NonZero" => Ok(non_zero(&need(0)?.1)),
        "NonMaxSuppression" => {
            let float = |at: usize| {
                let read = input(at)?.1.to_floats();
                read.first().copied().map(narrow)
            };
            let most = input(2).and_then(|read| read.1.single()).unwrap_or(0);
            let wish = Wish {
                most: usize::try_from(most).unwrap_or(0),
                overlap: float(3).unwrap_or(0.0),
                score: float(4),
                centred: op.int("center_point_box") == Some(1),
            };
            suppression(&need(0)?.1, &need(1)?.1, &wish)
        }
        "Unique" => {
            let sorted = op.int("sorted") != Some(0);
            unique(need(0)?, op.int("axis"), sorted)
        }
        "TopK" => {
            let k = need(1)?.1.single().and_then(|k| u64::try_from(k).ok());
            let count = k.ok_or("its k is no number of elements")?;
            Ok(Found {
                count,
                outputs: Vec::new(),
            })
        }
        "Compress" => {
            let kept = need(1)?.1.to_floats();
            Ok(Found {
                count: kept.iter().filter(|&&kept| kept != 0.0).count() as u64,
                outputs: Vec::new(),
            })
        }
        kind => Err(format!("how much {kind} gives cannot be counted")),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it was an f32 before")]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn ints(dims: Vec<u64>, elements: Vec<i64>) -> Value {
    Value {
        dims,
        elements: Elements::Ints(elements),
    }
}

fn index(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}

/// The places of the elements that are not zero, one row for each dimension.
fn non_zero(x: &Value) -> Found {
    let elements = x.to_floats();
    let hits: Vec<u64> = (0..)
        .zip(&elements)
        .filter(|(_, x)| **x != 0.0)
        .map(|(at, _)| at)
        .collect();
    let mut rows = Vec::with_capacity(hits.len().saturating_mul(x.dims.len()));
    let mut inner: u64 = x.dims.iter().product();
    for &dim in &x.dims {
        inner /= dim.max(1);
        let place = |&hit: &u64| (hit / inner.max(1) % dim.max(1)).cast_signed();
        rows.extend(hits.iter().map(place));
    }
    let count = hits.len() as u64;
    Found {
        count,
        outputs: vec![ints(vec![x.dims.len() as u64, count], rows)],
    }
}

/// What is asked of a suppression.
struct Wish {
    /// Boxes of each class of each batch.
    most: usize,
    /// Overlap beyond which a box is suppressed: intersection over union.
    overlap: f32,
    /// What a score has to be above.
    score: Option<f32>,
    /// Whether boxes are given by their centre, width and height, not by two corners.
    centred: bool,
}

/// Of each class of each batch the boxes of the highest scores, equal ones in their order, without
/// those that overlap one that is taken: rows of batch, class and box.
fn suppression(boxes: &Value, scores: &Value, wish: &Wish) -> Result<Found, String> {
    let (&[batches, count, 4], &[also, classes, each]) = (&*boxes.dims, &*scores.dims) else {
        return Err("its boxes and scores have no such dimensions".into());
    };
    if (batches, count) != (also, each) {
        return Err("its boxes and scores do not fit".into());
    }
    let corners = boxes.to_floats().into_iter().map(narrow);
    let corners: Vec<f32> = corners.collect();
    let all: Vec<[f32; 4]> = corners
        .as_chunks()
        .0
        .iter()
        .map(|it| spread(*it, wish))
        .collect();
    let scores: Vec<f32> = scores.to_floats().into_iter().map(narrow).collect();
    let len = usize::try_from(count).map_err(|_error| "it has too many boxes")?;
    let classes = usize::try_from(classes).map_err(|_error| "it has too many classes")?;
    let mut rows = Vec::new();
    for (row, scores) in scores.chunks(len.max(1)).enumerate() {
        let (batch, class) = (row / classes.max(1), row % classes.max(1));
        let boxes = &all[batch * len..][..len];
        let above = |at: &usize| wish.score.is_none_or(|least| scores[*at] > least);
        let mut order: Vec<usize> = (0..scores.len()).filter(above).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let mut taken: Vec<usize> = Vec::new();
        for at in order {
            if taken.len() >= wish.most {
                break;
            }
            let hides = |other: &usize| overlap(boxes[*other], boxes[at]) > wish.overlap;
            if !taken.iter().any(hides) {
                taken.push(at);
                rows.extend([batch, class, at].map(index));
            }
        }
    }
    let count = rows.len() as u64 / 3;
    Ok(Found {
        count,
        outputs: vec![ints(vec![count, 3], rows)],
    })
}

/// The smaller and the larger corner of a box.
fn spread([a, b, c, d]: [f32; 4], wish: &Wish) -> [f32; 4] {
    match wish.centred {
        // The centre across and down, width and height.
        true => [b - d / 2.0, a - c / 2.0, b + d / 2.0, a + c / 2.0],
        false => [a.min(c), b.min(d), a.max(c), b.max(d)],
    }
}

/// Intersection over union; 0 for boxes without an area.
fn overlap(a: [f32; 4], b: [f32; 4]) -> f32 {
    let area = |it: [f32; 4]| (it[2] - it[0]) * (it[3] - it[1]);
    let high = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let wide = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    let both = high * wide;
    let union = area(a) + area(b) - both;
    if both > 0.0 && union > 0.0 {
        both / union
    } else {
        0.0
    }
}

/// Each element, or each slice of an axis, once; where it is first, which one each is, and how
/// often it is there. No numbers are the same, and are behind all others.
fn unique((dtype, x): &Read, axis: Option<i64>, sorted: bool) -> Result<Found, String> {
    let keys = keys(*dtype, x);
    let (outer, len, inner) = match axis {
        None => (1, keys.len(), 1),
        Some(axis) => around(&x.dims, axis)?,
    };
    let slice = |at: usize| -> Vec<usize> {
        let places = (0..outer).flat_map(|o| (0..inner).map(move |i| (o * len + at) * inner + i));
        places.collect()
    };
    let slices: Vec<Vec<u64>> = (0..len)
        .map(|at| slice(at).into_iter().map(|place| keys[place]).collect())
        .collect();
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| slices[*a].cmp(&slices[*b]).then(a.cmp(b)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in order {
        match groups.last_mut() {
            Some(group) if slices[group[0]] == slices[at] => group.push(at),
            _ => groups.push(vec![at]),
        }
    }
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let firsts: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    let mut which = vec![0; len];
    for (number, group) in groups.iter().enumerate() {
        for &at in group {
            which[at] = index(number);
        }
    }
    let count = firsts.len() as u64;
    let mut dims = vec![count];
    if axis.is_some() {
        dims.clone_from(&x.dims);
        let at = axis_of(x.dims.len(), axis.unwrap_or(0))?;
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
    })
}

fn axis_of(rank: usize, axis: i64) -> Result<usize, String> {
    crate::lower::call::axis_of(axis, rank)
}

/// How many elements stand before an axis, along it and behind it.
fn around(dims: &[u64], axis: i64) -> Result<(usize, usize, usize), String> {
    let at = axis_of(dims.len(), axis)?;
    let product = |dims: &[u64]| usize::try_from(dims.iter().product::<u64>());
    let sizes = [&dims[..at], &dims[at..=at], &dims[at + 1..]].map(product);
    match sizes {
        [Ok(outer), Ok(len), Ok(inner)] => Ok((outer, len, inner)),
        _ => Err("it is too large".into()),
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
