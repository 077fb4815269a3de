//! What both dialects do to tensors without looking at their elements, as strided copies.

use planner::message;

use crate::kernels::Outside;
use crate::lower::Dispatches;
use crate::lower::strided::{Axis, StridedCopy, gathered, strides, width};
use crate::recording::Operand;

/// The same elements in the same order.
///
/// # Errors
/// When x and y have not equally many.
pub(crate) fn reshaped(x: &Operand, y: &Operand) -> Dispatches {
    gathered(x, y)
}

/// Dimension d of y is dimension `perm[d]` of x; y may have any dimensions with the same
/// elements in the same order.
///
/// # Errors
/// When `perm` is no permutation of x's dimensions.
pub(crate) fn transposed(x: &Operand, perm: &[usize], y: &Operand) -> Dispatches {
    let mut sorted = perm.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..x.dims.len()) || x.len() != y.len() {
        return Err(message!(
            "{} permutes no {} dimensions",
            format_args!("{perm:?}"),
            x.dims.len()
        ));
    }
    let from = strides(x);
    let dims: Vec<u32> = perm.iter().map(|&axis| x.dims[axis]).collect();
    let strides: Vec<i64> = perm.iter().map(|&axis| from[axis]).collect();
    StridedCopy::onto(&y.viewed(dims), &strides, 0).dispatches(x, y)
}

/// One start and one step for every dimension of x; as many of it as y has.
///
/// # Errors
/// When that leads outside of x.
pub(crate) fn sliced(x: &Operand, starts: &[i64], steps: &[i64], y: &Operand) -> Dispatches {
    let fits = [x.dims.len(), starts.len(), steps.len()] == [y.dims.len(); 3];
    if !fits {
        return Err(message!("{} is no slice of {}", y.name, x.name));
    }
    if y.is_empty() {
        return Ok(Vec::new());
    }
    let (mut base, mut along) = (0, Vec::with_capacity(y.dims.len()));
    for (axis, stride) in strides(x).into_iter().enumerate() {
        let (start, step) = (starts[axis], steps[axis]);
        let last = step.checked_mul(i64::from(y.dims[axis]) - 1);
        let last = last.and_then(|last| last.checked_add(start));
        let whole = 0..i64::from(x.dims[axis]);
        if !whole.contains(&start) || !last.is_some_and(|last| whole.contains(&last)) {
            return Err(message!("the slice of axis {} leads outside of it", axis));
        }
        base += start * stride;
        // One index has no step, however far it would have led.
        let step = if y.dims[axis] == 1 { 1 } else { step };
        along.push(step * stride);
    }
    StridedCopy::onto(y, &along, base).dispatches(x, y)
}

/// The part of x that begins at `start` of `axis` and is as long as y.
///
/// # Errors
/// When it leads outside of x.
pub(crate) fn part(x: &Operand, axis: usize, start: i64, y: &Operand) -> Dispatches {
    let mut starts = vec![0; x.dims.len()];
    let steps = vec![1; x.dims.len()];
    match starts.get_mut(axis) {
        Some(of_axis) => *of_axis = start,
        None => return Err(message!("there is no axis {}", axis)),
    }
    sliced(x, &starts, &steps, y)
}

/// Dimensions of 1 repeat; y may have more dimensions in front.
///
/// # Errors
/// When x does not broadcast to y.
pub(crate) fn broadcast(x: &Operand, y: &Operand) -> Dispatches {
    let misfit = || {
        message!(
            "{} does not broadcast to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        )
    };
    let front = y.dims.len().checked_sub(x.dims.len()).ok_or_else(misfit)?;
    let mut along = vec![0; front];
    for ((&from, &to), stride) in x.dims.iter().zip(&y.dims[front..]).zip(strides(x)) {
        if from != to && from != 1 {
            return Err(misfit());
        }
        along.push(if from == 1 { 0 } else { stride });
    }
    StridedCopy::onto(y, &along, 0).dispatches(x, y)
}

/// x again and again along every dimension.
///
/// # Errors
/// When a dimension of y is no multiple of x's.
pub(crate) fn tiled(x: &Operand, y: &Operand) -> Dispatches {
    if y.is_empty() {
        return Ok(Vec::new());
    }
    let (mut dims, mut along) = (Vec::new(), Vec::new());
    for ((&from, &to), stride) in x.dims.iter().zip(&y.dims).zip(strides(x)) {
        let times = to.checked_div(from).unwrap_or_default();
        if times * from != to {
            return Err(message!(
                "{} does not repeat {}",
                format_args!("{:?}", y.dims),
                format_args!("{:?}", x.dims)
            ));
        }
        dims.extend([times, from]);
        along.extend([0, stride]);
    }
    if x.dims.len() != y.dims.len() {
        return Err(message!(
            "{} does not repeat {}",
            format_args!("{:?}", y.dims),
            format_args!("{:?}", x.dims)
        ));
    }
    StridedCopy::onto(&y.viewed(dims), &along, 0).dispatches(x, y)
}

/// `pieces` one after the other along `axis`.
///
/// # Errors
/// When they do not fit together.
pub(crate) fn joined(pieces: &[&Operand], axis: usize, y: &Operand) -> Dispatches {
    let mut dispatches = Vec::with_capacity(pieces.len());
    let mut start = 0;
    for x in pieces {
        let alike = |(d, (a, b)): (usize, (&u32, &u32))| d == axis || a == b;
        let mut pairs = x.dims.iter().zip(&y.dims).enumerate();
        if x.dims.len() != y.dims.len() || axis >= y.dims.len() || !pairs.all(alike) {
            return Err(message!("{} does not fit into {}", x.name, y.name));
        }
        dispatches.extend(placed(x, axis, start, y)?);
        start += i64::from(x.dims[axis]);
    }
    let end = y.dims.get(axis).copied().unwrap_or_default();
    if start != i64::from(end) {
        return Err(message!("the pieces make {} of {}", start, end));
    }
    Ok(dispatches)
}

/// x at `start` of `axis` in y. What lies beside it is left as it is.
fn placed(x: &Operand, axis: usize, start: i64, y: &Operand) -> Dispatches {
    if x.is_empty() {
        return Ok(Vec::new());
    }
    let (from, to) = (strides(x), strides(y));
    let sides = from.iter().zip(&to);
    let axes = x.dims.iter().zip(sides);
    let boxed = StridedCopy {
        axes: axes
            .map(|(&size, (&x, &y))| Axis::new(size, x, y))
            .collect(),
        b: start * to[axis],
        ..StridedCopy::default()
    };
    if width(x)? >= 4 {
        return boxed.dispatches(x, y);
    }
    // Narrow elements share words with those of the neighbours: whole words if they can be,
    // else all of y is walked, and what is not of x is kept.
    boxed.clone().dispatches(x, y).or_else(|_shared| {
        let mut whole = StridedCopy::onto(y, &from, 0);
        whole.axes[axis].window = Some((start, x.dims[axis].into()));
        whole.outside = Outside::Keep;
        whole.dispatches(x, y)
    })
}

/// x with `begins` and `ends` more, or less, of each dimension.
///
/// # Errors
/// When there is nothing to mirror or repeat.
pub(crate) fn padded(
    x: &Operand,
    begins: &[i64],
    ends: &[i64],
    (outside, fill): (Outside, [u32; 2]),
    y: &Operand,
) -> Dispatches {
    let from = strides(x);
    let mut whole = StridedCopy::onto(y, &from, 0);
    if [begins.len(), ends.len(), x.dims.len()] != [y.dims.len(); 3] {
        return Err(message!("the pads are of another rank"));
    }
    for d in 0..y.dims.len() {
        // What is cut off comes first: only what is left is mirrored and repeated.
        let cut = begins[d].saturating_neg().max(0);
        let left = i64::from(x.dims[d])
            .saturating_sub(cut)
            .saturating_add(ends[d].min(0))
            .max(0);
        if left == 0 && outside != Outside::Fill && !y.is_empty() {
            return Err(message!("axis {} has nothing to pad with", d));
        }
        let cut = cut.min(x.dims[d].into());
        whole.a += cut * from[d];
        whole.axes[d].window = Some((begins[d].max(0), left));
    }
    whole.outside = outside;
    whole.fill = fill;
    whole.dispatches(x, y)
}

/// Cuts dimensions of x as `view` says and puts them together in the order of `perm`.
///
/// # Errors
/// When `view` has not as many elements as x.
pub(crate) fn rearranged(x: &Operand, view: &[u32], perm: &[usize], y: &Operand) -> Dispatches {
    let elements = view.iter().try_fold(1_u32, |n, &dim| n.checked_mul(dim));
    if elements != Some(x.len()) {
        return Err(message!(
            "{} is not made of {}",
            format_args!("{:?}", x.dims),
            format_args!("{view:?}")
        ));
    }
    transposed(&x.viewed(view), perm, y)
}

/// One element everywhere: the only one of `value`.
///
/// # Errors
/// When there are more.
pub(crate) fn filled(value: &Operand, y: &Operand) -> Dispatches {
    if value.len() != 1 {
        return Err(message!("{} is more than one element", value.name));
    }
    broadcast(&value.viewed([]), y)
}
