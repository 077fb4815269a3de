//! What operators give of which nobody knows before the run how much it is: `NonZero`,
//! `NonMaxSuppression`, `Unique`, and how many elements `TopK` and `Compress` are asked for; of
//! TFLite `WHERE`, `UNIQUE`, `SEGMENT_SUM`, `NON_MAX_SUPPRESSION_V4`, `_V5` and `TOPK_V2`. They are computed on
//! the CPU from what the run has made so far, by the definitions of ONNX and by what LiteRT's
//! reference kernels do.

mod distinct;
mod segments;
mod suppression;

use planner::graph::{DType, Elements, Op, Value};
use planner::{Message, message};

use planner::operators::Operator;
use suppression::{Selection, Wish};

/// What an operator gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How much.
    pub count: u64,
    /// How many of them are results, where the rest only fills up a list of fixed length.
    pub meant: Option<u64>,
    /// Its outputs by position; none where a kernel computes them.
    pub outputs: Vec<Value>,
}

/// An input: its element type and its elements.
pub type Read = (DType, Value);

/// What `op` gives for these inputs.
///
/// # Errors
/// Says what is wrong with them.
pub fn count(op: &Op, inputs: &[Option<Read>]) -> Result<Found, Message> {
    let input = |at: usize| inputs.get(at).and_then(Option::as_ref);
    let need = |at: usize| input(at).ok_or_else(|| message!("input {} is missing", at));
    match op.operator {
        Operator::NonZero => Ok(non_zero(&need(0)?.1)),
        Operator::TfliteWhere => Ok(transposed(non_zero(&need(0)?.1))),
        Operator::NonMaxSuppression => {
            let most = input(2).and_then(|read| read.1.single()).unwrap_or(0);
            let wish = Wish {
                most: usize::try_from(most).unwrap_or(0),
                overlap: input(3).and_then(number).unwrap_or(0.0),
                score: input(4).and_then(number),
                centred: op.int("center_point_box") == Some(1),
            };
            suppression::of_classes(&need(0)?.1, &need(1)?.1, &wish)
        }
        Operator::NonMaxSuppressionV4 | Operator::NonMaxSuppressionV5 => {
            let float = |at: usize| match need(at)? {
                read @ (DType::F32, _) => {
                    number(read).ok_or_else(|| message!("input {} is empty", at))
                }
                (dtype, _) => Err(message!("boxes of {} are not suppressed", dtype.name())),
            };
            let most = need(2)?.1.single();
            let most = most.and_then(|most| usize::try_from(most).ok());
            let most = most.ok_or_else(|| message!("its k is no number of elements"))?;
            if most > suppression::MOST_BOXES {
                return Err(message!(
                    "it asks for {} boxes, and at most {} are listed",
                    most,
                    suppression::MOST_BOXES
                ));
            }
            let is_soft = op.is(Operator::NonMaxSuppressionV5);
            float(0)?;
            let selection = Selection {
                most,
                overlap: float(3)?,
                score: float(4)?,
                sigma: if is_soft { float(5)? } else { 0.0 },
            };
            suppression::of_boxes(&need(0)?.1, &need(1)?.1, &selection, is_soft)
        }
        Operator::Unique => {
            let sorted = op.int("sorted") != Some(0);
            distinct::unique(need(0)?, op.int("axis"), sorted)
        }
        Operator::TfliteUnique => {
            let mut found = distinct::unique(need(0)?, None, false)?;
            found.outputs = vec![found.outputs.swap_remove(0), found.outputs.swap_remove(2)];
            Ok(found)
        }
        Operator::SegmentSum => segments::summed(need(0)?, need(1)?),
        Operator::TopK => {
            let k = need(1)?.1.single().and_then(|k| u64::try_from(k).ok());
            let count = k.ok_or_else(|| message!("its k is no number of elements"))?;
            Ok(Found {
                count,
                ..Found::default()
            })
        }
        Operator::Compress => {
            let kept = need(1)?.1.to_floats();
            Ok(Found {
                count: kept.iter().filter(|&&kept| kept != 0.0).count() as u64,
                ..Found::default()
            })
        }
        _ => Err(message!("how much {} gives cannot be counted", op.kind)),
    }
}

/// The first element, which was an f32 before.
fn number((_, value): &Read) -> Option<f32> {
    value.to_floats().first().copied().map(narrow)
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
        ..Found::default()
    }
}

/// One row for each of the elements instead, as LiteRT has it.
fn transposed(mut found: Found) -> Found {
    for output in &mut found.outputs {
        let (Elements::Ints(rows), &[rank, count]) = (&output.elements, &*output.dims) else {
            continue;
        };
        let width = usize::try_from(count).unwrap_or(usize::MAX).max(1);
        let column = |at: usize| rows.iter().skip(at).step_by(width).copied();
        let columns = match rank {
            0 => Vec::new(),
            _ => (0..rows.len() / usize::try_from(rank).unwrap_or(usize::MAX))
                .flat_map(column)
                .collect(),
        };
        *output = ints(vec![count, rank], columns);
    }
    found
}
