//! Fourier transforms of whole signals and of frames of them.

use crate::kernels::{FourierParams, Kernel, grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats, axis_of};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of a transform; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Dft if opset < 20 => call.unless_empty(|call| whole(call, 1)),
        Operator::Dft => call.unless_empty(|call| whole(call, -2)),
        Operator::Stft => call.unless_empty(frames),
        _ => return None,
    })
}

fn misfit() -> Message {
    message!("its shapes do not fit")
}

fn set(call: &Call<'_>, name: &str, usual: i64) -> bool {
    call.op.int(name).unwrap_or(usual) != 0
}

/// The parts of each element: 2 of complex ones.
fn parts(x: &Operand) -> Result<u32, Message> {
    let last = x.dims.last().copied();
    last.filter(|last| [1, 2].contains(last)).ok_or_else(misfit)
}

/// The only integer of the input at `position`, if it is there.
fn number(call: &Call<'_>, position: usize) -> Result<Option<i64>, Message> {
    if call.optional(position).is_none() {
        return Ok(None);
    }
    match call.ints(position)? {
        &[number] => Ok(Some(number)),
        _ => Err(misfit()),
    }
}

fn whole(call: &Call<'_>, usual: i64) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let axis = match call.op.int("axis") {
        Some(axis) => axis,
        None => number(call, 2)?.unwrap_or(usual),
    };
    let axis = axis_of(axis, x.dims.len())?;
    let (inverse, half) = (set(call, "inverse", 0), set(call, "onesided", 0));
    if axis + 1 >= x.dims.len() || x.dims.len() != y.dims.len() {
        return Err(misfit());
    }
    let (length, bins) = (x.dims[axis], y.dims[axis]);
    let period = match number(call, 1)? {
        Some(given) => u32::try_from(given).map_err(|_error| misfit())?,
        None if half && inverse => bins,
        None => length,
    };
    // Of half a spectrum the rest follows.
    let used = if half && inverse {
        period / 2 + 1
    } else {
        period
    };
    let wanted = if half && !inverse {
        period / 2 + 1
    } else {
        period
    };
    let others = |dims: &[u32]| {
        let last = dims.len() - 1;
        [&dims[..axis], &dims[axis + 1..last]].concat()
    };
    if bins != wanted || others(&x.dims) != others(&y.dims) {
        return Err(misfit());
    }
    let params = FourierParams {
        count: y.len() / parts(y)?,
        inner: others(&x.dims)[axis..].iter().product(),
        bins,
        frames: 1,
        terms: used.min(length),
        step: 0,
        length,
        period,
    };
    let made = transform((x, parts(x)?), None, y, params)?;
    Ok(made
        .constant("INVERSE", u32::from(inverse))
        .constant("HALF", u32::from(half && inverse)))
}

fn frames(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let window = call.optional(2);
    let step = number(call, 1)?.ok_or_else(misfit)?;
    let step = u32::try_from(step).map_err(|_error| misfit())?;
    let frame = match (number(call, 3)?, window) {
        (Some(given), _) => u32::try_from(given).map_err(|_error| misfit())?,
        (None, Some(window)) => window.len(),
        (None, None) => return Err(misfit()),
    };
    // A real signal may come without the axis of its one part.
    let (&[batch, length], &[signals, frames, bins, 2]) =
        (&x.dims[..2.min(x.dims.len())], &*y.dims)
    else {
        return Err(misfit());
    };
    let of_x = match x.dims.len() {
        2 => 1,
        3 => parts(x)?,
        _ => return Err(misfit()),
    };
    let half = set(call, "onesided", 1);
    let wanted = if half { frame / 2 + 1 } else { frame };
    let end = u64::from(frames.saturating_sub(1)) * u64::from(step) + u64::from(frame);
    let fits = batch == signals
        && bins == wanted
        && end <= u64::from(length)
        && window.is_none_or(|window| window.len() == frame);
    if !fits {
        return Err(misfit());
    }
    let params = FourierParams {
        count: y.len() / 2,
        inner: 1,
        bins,
        frames,
        terms: frame,
        step,
        length,
        period: frame,
    };
    transform((x, of_x), window, y, params)
}

/// The transform of x, whose elements have so many parts.
fn transform(
    (x, of_x): (&Operand, u32),
    window: Option<&Operand>,
    y: &Operand,
    params: FourierParams,
) -> Result<Dispatch, Message> {
    all_floats([x, y].into_iter().chain(window))?;
    // Four times as many fractions are counted.
    if params.period > 1 << 28 {
        return Err(misfit());
    }
    Ok(Dispatch::new(Kernel::Fourier, &params, grid(params.count))
        .reads([x, window.unwrap_or(x)])
        .writes(y)
        .constant("X_PARTS", of_x)
        .constant("Y_PARTS", parts(y)?)
        .constant("WINDOW", u32::from(window.is_some())))
}
