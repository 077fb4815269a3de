//! Operators that give the same elements another shape, or make a shape from operands.

use super::{
    Call, Dims, all_dims, attribute, axis, broadcast, count, dim, dims as dims_of, fit, int, ints,
    invalid,
};
use crate::message;

/// The shape that an operand holds.
pub(super) fn filled(call: &Call<'_>, shape: usize) -> Dims {
    all_dims(call, ints(call, shape)?)
}

/// The last dimension twice.
pub(super) fn diagonal(call: &Call<'_>) -> Dims {
    let dims = dims_of(call, 0)?;
    Ok(dims.iter().chain(dims.last()).copied().collect())
}

/// The new shape is the second operand, or an option where there is none or its elements
/// were stripped; −1 takes what is left.
pub(super) fn reshape(call: &Call<'_>) -> Dims {
    let option = call.op.ints("new_shape");
    let shape = match ints(call, 1) {
        Ok(shape) => shape,
        Err(missing) => option.ok_or(missing)?,
    };
    let elements = count(call, dims_of(call, 0)?)?;
    let given: Vec<i64> = shape.iter().copied().filter(|&size| size != -1).collect();
    let product = count(call, &all_dims(call, &given)?)?;
    let open = shape.len() - given.len();
    let rest = match (open, elements.checked_rem(product)) {
        (1, Some(0)) => elements / product,
        (0, _) if elements == product => 0,
        _ => {
            let message = message!(
                "{} elements do not make {}",
                elements,
                format_args!("{shape:?}")
            );
            return Err(invalid(call, message));
        }
    };
    let one = |&size: &i64| match size {
        -1 => Ok(rest),
        size => dim(call, size),
    };
    shape.iter().map(one).collect()
}

pub(super) fn squeeze(call: &Call<'_>) -> Dims {
    let dims = dims_of(call, 0)?;
    let listed = call.op.ints("squeeze_dims").unwrap_or_default();
    let mut squeezed = Vec::new();
    for &dim in listed {
        squeezed.push(axis(call, dim, dims.len())?);
    }
    let stays = |&(index, &dim): &(usize, &u64)| match listed.is_empty() {
        true => dim != 1,
        false => !squeezed.contains(&index),
    };
    let kept = dims.iter().enumerate().filter(stays);
    let kept: Vec<u64> = kept.map(|(_, &dim)| dim).collect();
    match count(call, &kept)? == count(call, dims)? {
        true => Ok(kept),
        false => Err(invalid(call, message!("a squeezed dimension is not 1"))),
    }
}

pub(super) fn expand(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let at = axis(call, int(call, 1)?, result.len() + 1)?;
    result.insert(at, 1);
    Ok(result)
}

pub(super) fn transpose(call: &Call<'_>) -> Dims {
    let (dims, order) = (dims_of(call, 0)?, ints(call, 1)?);
    if order.len() != dims.len() {
        return Err(invalid(call, message!("the permutation has another rank")));
    }
    let each = order
        .iter()
        .map(|&from| Ok(dims[axis(call, from, dims.len())?]));
    each.collect()
}

pub(super) fn concatenate(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let along = axis(call, attribute(call, "axis"), result.len())?;
    for index in 1..call.inputs.len() {
        let dims = dims_of(call, index)?;
        let mut pairs = dims.iter().zip(&result).enumerate();
        let agrees = pairs.all(|(axis, (one, other))| axis == along || one == other);
        if dims.len() != result.len() || !agrees {
            return Err(invalid(
                call,
                message!(
                    "{} does not continue {}",
                    format_args!("{dims:?}"),
                    format_args!("{result:?}")
                ),
            ));
        }
        result[along] = fit(call, result[along].checked_add(dims[along]))?;
    }
    Ok(result)
}

pub(super) fn pack(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let at = axis(call, attribute(call, "axis"), result.len() + 1)?;
    result.insert(at, call.inputs.len() as u64);
    Ok(result)
}

pub(super) fn pad(call: &Call<'_>) -> Dims {
    let (dims, sides) = (dims_of(call, 0)?, ints(call, 1)?);
    if sides.len() != dims.len() * 2 {
        return Err(invalid(call, message!("paddings of another rank")));
    }
    let sides = sides.chunks_exact(2);
    let one = |(&size, sides): (&u64, &[i64])| {
        let (before, after) = (dim(call, sides[0])?, dim(call, sides[1])?);
        let padded = size.checked_add(before);
        fit(call, padded.and_then(|padded| padded.checked_add(after)))
    };
    dims.iter().zip(sides).map(one).collect()
}

pub(super) fn tile(call: &Call<'_>) -> Dims {
    let (dims, times) = (dims_of(call, 0)?, ints(call, 1)?);
    if times.len() != dims.len() {
        return Err(invalid(call, message!("multiples of another rank")));
    }
    let one = |(&size, &times): (&u64, &i64)| fit(call, size.checked_mul(dim(call, times)?));
    dims.iter().zip(times).map(one).collect()
}

pub(super) fn reduce(call: &Call<'_>) -> Dims {
    let (dims, axes) = (dims_of(call, 0)?, ints(call, 1)?);
    let mut reduced = vec![false; dims.len()];
    for &one in axes {
        reduced[axis(call, one, dims.len())?] = true;
    }
    let keep = attribute(call, "keep_dims") != 0;
    let one = |(&dim, &reduced): (&u64, &bool)| match (reduced, keep) {
        (false, _) => Some(dim),
        (true, true) => Some(1),
        (true, false) => None,
    };
    Ok(dims.iter().zip(&reduced).filter_map(one).collect())
}

pub(super) fn arg(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let along = axis(call, int(call, 1)?, result.len())?;
    result.remove(along);
    Ok(result)
}

pub(super) fn broadcast_to(call: &Call<'_>) -> Dims {
    let shape = all_dims(call, ints(call, 1)?)?;
    match broadcast(call, &shape, dims_of(call, 0)?)? == shape {
        true => Ok(shape),
        false => Err(invalid(
            call,
            message!("the operand does not broadcast to the shape"),
        )),
    }
}

/// The shape of a shape: as long as the longer operand.
pub(super) fn broadcast_args(call: &Call<'_>) -> Dims {
    let (one, other) = (dims_of(call, 0)?, dims_of(call, 1)?);
    Ok(vec![count(call, one)?.max(count(call, other)?)])
}

pub(super) fn range(call: &Call<'_>) -> Dims {
    let (start, limit, delta) = (int(call, 0)?, int(call, 1)?, int(call, 2)?);
    let way = i128::from(limit) - i128::from(start);
    let delta = i128::from(delta);
    if delta == 0 {
        return Err(invalid(call, message!("a step of 0")));
    }
    // Rounded up towards the limit, and nothing when the step leads away from it.
    let steps = (way + delta - delta.signum()) / delta;
    let steps = u64::try_from(steps.max(0)).ok();
    Ok(vec![fit(call, steps)?])
}

pub(super) fn one_hot(call: &Call<'_>) -> Dims {
    let mut result = dims_of(call, 0)?.to_vec();
    let at = axis(call, attribute(call, "axis"), result.len() + 1)?;
    result.insert(at, dim(call, int(call, 1)?)?);
    Ok(result)
}

/// Real input of the given size, half a spectrum out.
pub(super) fn rfft2d(call: &Call<'_>) -> Dims {
    let &[height, width] = ints(call, 1)? else {
        return Err(invalid(call, message!("the length is not two numbers")));
    };
    let Some((batch, _)) = dims_of(call, 0)?.split_last_chunk::<2>() else {
        return Err(invalid(
            call,
            message!("an operand of less than two dimensions"),
        ));
    };
    let mut result = batch.to_vec();
    result.extend([dim(call, height)?, dim(call, width)? / 2 + 1]);
    Ok(result)
}
