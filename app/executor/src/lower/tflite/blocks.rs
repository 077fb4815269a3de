//! `SPACE_TO_BATCH_ND` and `BATCH_TO_SPACE_ND`: every place of a block is a copy of its own.

use planner::graph::DType;
use planner::message;

use crate::elements::words_of_ints;
use crate::kernels::Outside;
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::gather::gather;
use crate::lower::rows::elements;
use crate::lower::strided::{Axis, StridedCopy, strides, width};
use crate::lower::table::table;
use crate::recording::Operand;
use planner::operators::Operator;

/// Most places of a block.
const MOST_PLACES: i64 = 64;

/// The dispatches of these two builtins; `None` when it is another one.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::SpaceToBatchNd => filled(call, [0; 2]),
        Operator::BatchToSpaceNd => places(call, to_space, [0; 2]),
        _ => return None,
    })
}

/// `SPACE_TO_BATCH_ND` whose borders are one element.
///
/// # Errors
/// When the shapes do not fit.
pub(super) fn filled(call: &Call<'_>, fill: [u32; 2]) -> Dispatches {
    places(call, to_batch, fill)
}

/// What one place of a block copies, from x and y.
type CopyBlock = fn(&mut StridedCopy, &Operand, &Operand, usize, Spot);

/// Along one dimension: the place in the block, the block's size, and what is added or cut
/// in front.
#[derive(Clone, Copy)]
struct Spot {
    place: i64,
    side: i64,
    front: i64,
}

fn places(call: &Call<'_>, place: CopyBlock, fill: [u32; 2]) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (sides, borders) = (call.ints(1)?, call.ints(2)?);
    let places = sides.iter().try_fold(1_i64, |n, &side| n.checked_mul(side));
    let places = places.filter(|places| (1..=MOST_PLACES).contains(places));
    let places =
        places.ok_or_else(|| message!("its blocks {} are too large", format_args!("{sides:?}")))?;
    let rank = x.dims.len();
    if y.dims.len() != rank || rank <= sides.len() || borders.len() != 2 * sides.len() {
        return Err(message!("its blocks do not fit the rank"));
    }
    if sides.iter().any(|&side| side < 1) || borders.iter().any(|&border| border < 0) {
        return Err(message!("its blocks or borders are negative"));
    }
    let batch = x.dims[0].min(y.dims[0]);
    let batches = x.dims[0].max(y.dims[0]);
    let after = sides.len() + 1;
    if i64::from(batch) * places != i64::from(batches) || x.dims[after..] != y.dims[after..] {
        return Err(message!(
            "{} does not become {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let (from, to) = (strides(x), strides(y));
    let spreads = call.op.is(Operator::SpaceToBatchNd);
    // Elements that share words are written by one thread, so each copy covers all of y.
    let narrow = width(x)? < 4;
    if narrow && !spreads {
        return picked(x, y, sides, borders);
    }
    let mut dispatches = Vec::new();
    for number in 0..places {
        let mut copy = StridedCopy {
            outside: match narrow && number > 0 {
                true => Outside::Keep,
                false => Outside::Fill,
            },
            fill,
            ..StridedCopy::default()
        };
        for (d, &size) in x.dims.iter().enumerate() {
            let size = if d == 0 { batch } else { size };
            copy.axes.push(Axis::new(size, from[d], to[d]));
        }
        // The batches of the larger side follow each other place by place.
        let start = number * i64::from(batch);
        if narrow {
            copy.axes[0].size = batches.into();
            copy.axes[0].window = Some((start, batch.into()));
        } else if spreads {
            copy.b = start * to[0];
        } else {
            copy.a = start * from[0];
        }
        let mut rest = number;
        for (d, &side) in sides.iter().enumerate().rev() {
            let spot = Spot {
                place: rest % side,
                side,
                front: borders[2 * d],
            };
            rest /= side;
            place(&mut copy, x, y, d + 1, spot);
        }
        dispatches.extend(copy.dispatches(x, y)?);
    }
    Ok(dispatches)
}

/// Every pixel of y by its number in x, from a table.
fn picked(x: &Operand, y: &Operand, sides: &[i64], borders: &[i64]) -> Dispatches {
    let (pixels, inner) = y.dims.split_at(sides.len() + 1);
    let (count, inner) = (elements(pixels), elements(inner));
    if y.is_empty() {
        return Ok(Vec::new());
    }
    let pixel = |mut number: u32| {
        let (mut step, mut at, mut place, mut places) = (1, 0, 0, 1);
        for (d, &side) in sides.iter().enumerate().rev() {
            let index = i64::from(number % pixels[d + 1]).saturating_add(borders[2 * d]);
            number /= pixels[d + 1];
            if index / side >= i64::from(x.dims[d + 1]) {
                return Err(message!(
                    "{} does not become {}",
                    format_args!("{:?}", x.dims),
                    format_args!("{:?}", y.dims)
                ));
            }
            at += index / side * step;
            step *= i64::from(x.dims[d + 1]);
            place += index % side * places;
            places *= side;
        }
        let batch = place * i64::from(pixels[0]) + i64::from(number);
        Ok(at + batch * step)
    };
    let numbers = (0..count).map(pixel).collect::<Result<Vec<i64>, _>>()?;
    let numbers = table(y, DType::I32, words_of_ints(DType::I32, &numbers));
    let from = x.viewed([x.len() / inner, inner]);
    gather(&from, &numbers, (0, 0), &y.viewed([count, inner]))
}

/// How many whole steps of `side` reach `distance`, which may be negative.
fn steps(distance: i64, side: i64) -> i64 {
    -(-distance).div_euclid(side)
}

/// Index i of y reads i·side + place - front of x.
fn to_batch(copy: &mut StridedCopy, x: &Operand, y: &Operand, d: usize, spot: Spot) {
    let Spot { place, side, front } = spot;
    let axis = &mut copy.axes[d];
    let stride = axis.x;
    axis.size = y.dims[d].into();
    axis.x = stride * side;
    let low = steps(front - place, side);
    let high = steps(i64::from(x.dims[d]) + front - place, side).min(axis.size);
    axis.window = Some((low, (high - low).max(0)));
    copy.a += (low * side + place - front) * stride;
}

/// Index i of x writes i·side + place - front of y.
fn to_space(copy: &mut StridedCopy, _x: &Operand, y: &Operand, d: usize, spot: Spot) {
    let Spot { place, side, front } = spot;
    let axis = &mut copy.axes[d];
    let low = steps(front - place, side);
    let high = steps(i64::from(y.dims[d]) + front - place, side).min(axis.size);
    axis.size = (high - low).max(0);
    copy.a += low * axis.x;
    copy.b += (low * side + place - front) * axis.y;
    axis.y *= side;
}
