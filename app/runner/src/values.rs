//! What can be said of the elements of a tensor: numbers, a distribution, the largest of them,
//! how far they are from others, and NumPy's file of them.

use std::fmt;

use executor::elements;
use planner::graph::DType;

use crate::Output;
use crate::array::{self, ArrayError};

/// Figures of all elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// How many there are.
    pub count: u64,
    /// Elements that are infinite or NaN; the other figures leave them out.
    pub odd: u64,
    /// Elements that are 0.
    pub zeros: u64,
    /// The least.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// An element, or how far two are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of a float.
    Float(f64),
    /// Of an integer or a boolean, of any type.
    Whole(i128),
}

impl fmt::Display for Number {
    /// In a sentence: integers in full, floats short whatever their size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole(number) => write!(f, "{number}"),
            Self::Float(0.0) => f.write_str("0"),
            Self::Float(number) => match number.abs() {
                1e-4..1e7 => write!(f, "{number:.6}"),
                _ => write!(f, "{number:.6e}"),
            },
        }
    }
}

/// The elements as numbers; integers beyond 2^53 are rounded.
#[must_use]
pub fn numbers(output: &Output) -> Vec<f64> {
    elements::numbers(output.dtype, &output.words, count(output))
}

/// The elements as they are where they are integers or booleans.
#[must_use]
pub fn integers(output: &Output) -> Option<Vec<i128>> {
    elements::integers(output.dtype, &output.words, count(output))
}

fn count(output: &Output) -> usize {
    let count = output.dims.iter().product::<u64>();
    usize::try_from(count).unwrap_or_default()
}

/// Figures of all elements.
#[must_use]
pub fn statistics(numbers: &[f64]) -> Statistics {
    let finite = || numbers.iter().copied().filter(|x| x.is_finite());
    let count = numbers.len() as u64;
    let kept = finite().count();
    if kept == 0 {
        return Statistics {
            count,
            odd: count,
            ..Statistics::default()
        };
    }
    #[expect(clippy::cast_precision_loss, reason = "no tensor has 2^53 elements")]
    let all = kept as f64;
    let mean = finite().sum::<f64>() / all;
    let square = finite().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    Statistics {
        count,
        odd: count - kept as u64,
        zeros: finite().filter(|x| *x == 0.0).count() as u64,
        least: finite().fold(f64::INFINITY, f64::min),
        largest: finite().fold(f64::NEG_INFINITY, f64::max),
        mean,
        deviation: (square / all).sqrt(),
    }
}

/// How many finite elements lie in each of `bins` equal parts of their range.
#[must_use]
pub fn histogram(numbers: &[f64], bins: usize) -> Vec<u64> {
    let Statistics { least, largest, .. } = statistics(numbers);
    let mut counts = vec![0; bins.max(1)];
    let width = largest - least;
    for x in numbers.iter().filter(|x| x.is_finite()) {
        let share = if width > 0.0 {
            (x - least) / width
        } else {
            0.0
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the share is between 0 and 1"
        )]
        let bin = (share * counts.len() as f64) as usize;
        let last = counts.len() - 1;
        counts[bin.min(last)] += 1;
    }
    counts
}

/// The indices of the largest `most` elements, the largest first; the first of equal ones.
#[must_use]
pub fn top(numbers: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.retain(|&index| !numbers[index].is_nan());
    order.sort_by(|&a, &b| numbers[b].total_cmp(&numbers[a]));
    order.truncate(most);
    order
}

/// What two elements may be apart: the first, and the second times the one that is expected. It is
/// about what other orders of summation change in floats of 32 bits; narrower ones may be the next
/// but for one bit of their own. `None` for integers and booleans, which have to be equal.
#[must_use]
pub fn tolerance(dtype: DType) -> Option<[f64; 2]> {
    let relative = match dtype {
        DType::F16 => f64::powi(2.0, -10),
        DType::BF16 => f64::powi(2.0, -7),
        _ => 1e-4,
    };
    elements::is_float(dtype).then_some([1e-5, relative])
}

/// How far two tensors are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The largest difference, of elements that are finite in both.
    pub largest: Number,
    /// Its index along each dimension, what was found there and what was expected; where no finite
    /// elements differ, of the first of those that are unlike.
    pub place: Option<(Vec<u64>, Number, Number)>,
    /// Elements that differ at all.
    pub differing: u64,
    /// Elements that differ by more than [`tolerance`] allows, those that are unlike among them.
    pub beyond: u64,
    /// Elements of which one is infinite or NaN and the other is not the same.
    pub unlike: u64,
}

/// How far a tensor is from the one in an `.npy` file, or in a file of bare elements.
///
/// # Errors
/// [`ArrayError`], where the file holds another type or shape.
pub fn compared(output: &Output, file: &[u8]) -> Result<Comparison, ArrayError> {
    let bytes = array::elements(file, output.dtype, &output.dims)?;
    let expected = Output {
        rounding: None,
        words: array::words(bytes),
        ..output.clone()
    };
    Ok(match (integers(output), integers(&expected)) {
        (Some(found), Some(expected)) => of_integers((&found, &expected), &output.dims),
        _ => of_floats((&numbers(output), &numbers(&expected)), output),
    })
}

fn of_integers((found, expected): (&[i128], &[i128]), dims: &[u64]) -> Comparison {
    let (mut largest, mut place, mut differing) = (0, None, 0);
    for (index, (&a, &b)) in found.iter().zip(expected).enumerate() {
        let apart = (a - b).abs();
        differing += u64::from(apart > 0);
        if apart > largest {
            largest = apart;
            let at = indices(index as u64, dims);
            place = Some((at, Number::Whole(a), Number::Whole(b)));
        }
    }
    Comparison {
        largest: Number::Whole(largest),
        place,
        differing,
        beyond: differing,
        unlike: 0,
    }
}

fn of_floats((found, expected): (&[f64], &[f64]), output: &Output) -> Comparison {
    let [absolute, relative] = tolerance(output.dtype).unwrap_or_default();
    let (mut differing, mut beyond, mut unlike) = (0, 0, 0);
    let (mut largest, mut place, mut odd) = (0.0, None, None);
    for (index, (&a, &b)) in found.iter().zip(expected).enumerate() {
        let same = a.is_nan() && b.is_nan() || a.total_cmp(&b).is_eq();
        differing += u64::from(!same);
        let here = || {
            let at = indices(index as u64, &output.dims);
            Some((at, Number::Float(a), Number::Float(b)))
        };
        if !(a.is_finite() && b.is_finite()) {
            unlike += u64::from(!same);
            beyond += u64::from(!same);
            if !same && odd.is_none() {
                odd = here();
            }
            continue;
        }
        beyond += u64::from((a - b).abs() > absolute + relative * b.abs());
        if (a - b).abs() > largest {
            largest = (a - b).abs();
            place = here();
        }
    }
    Comparison {
        largest: Number::Float(largest),
        place: place.or(odd),
        differing,
        beyond,
        unlike,
    }
}

/// The index along each dimension of an element, the last dimension fastest.
#[must_use]
pub fn indices(mut element: u64, dims: &[u64]) -> Vec<u64> {
    let mut found: Vec<u64> = dims
        .iter()
        .rev()
        .map(|&dim| {
            let at = element % dim.max(1);
            element /= dim.max(1);
            at
        })
        .collect();
    found.reverse();
    found
}

/// NumPy's file of a tensor (format 1.0). Types that NumPy does not have become f32, or bytes.
#[must_use]
pub fn npy(output: &Output) -> Vec<u8> {
    let (kind, bytes) = match array::descriptions(output.dtype).first() {
        Some(&kind) => {
            let bytes = output.words.iter().flat_map(|word| word.to_le_bytes());
            (kind, bytes.take(output.bytes()).collect())
        }
        None => ("<f4", as_floats(output)),
    };
    let dims: Vec<String> = output.dims.iter().map(ToString::to_string).collect();
    let shape = match dims.as_slice() {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // The elements begin at a multiple of 64 bytes.
    const BEFORE: usize = 10;
    let padded = (BEFORE + header.len() + 1).next_multiple_of(64) - BEFORE;
    header.push_str(&" ".repeat(padded - header.len() - 1));
    header.push('\n');
    let mut file = array::MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend(
        u16::try_from(padded)
            .expect("what runs has few dimensions, so that its header is short")
            .to_le_bytes(),
    );
    file.extend(header.into_bytes());
    file.extend::<Vec<u8>>(bytes);
    file
}

fn as_floats(output: &Output) -> Vec<u8> {
    let numbers = numbers(output).into_iter();
    #[expect(clippy::cast_possible_truncation, reason = "f32 holds them all")]
    let bytes = numbers.flat_map(|x| (x as f32).to_le_bytes());
    bytes.collect()
}

/// The planes of a tensor: how many there are, and their height and width, which are its last
/// two dimensions.
#[must_use]
pub fn planes(dims: &[u64]) -> (u64, [u64; 2]) {
    match dims {
        [] => (1, [1, 1]),
        [one] => (1, [1, *one]),
        [outer @ .., height, width] => (outer.iter().product(), [*height, *width]),
    }
}

/// How a tensor can be looked at as a picture of red, green and blue: the height, the width and
/// the elements from one pixel and one channel to the next; `None` where it is none.
#[must_use]
pub fn picture(dtype: DType, dims: &[u64]) -> Option<([u64; 2], [u64; 2])> {
    if dtype == DType::Bool {
        return None;
    }
    match *dims {
        [1, height, width, 3] | [height, width, 3] => Some(([height, width], [3, 1])),
        [1, 3, height, width] | [3, height, width] => {
            Some(([height, width], [1, height.checked_mul(width)?]))
        }
        _ => None,
    }
}
