//! Places and running sums along an axis.

use planner::graph::DType;
use planner::{Message, message};

use super::Dispatches;
use super::call::all_floats;
use super::gather::gather_elements;
use super::integer_rows::integer_reduce;
use super::rows::{by_thread, elements, rows};
use crate::elements::{code, is_float};
use crate::kernels::{ArgReduceParams, CumSumParams, Kernel, Picked, TopKParams, grid};
use crate::recording::{Dispatch, Operand};

/// Which elements come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
}

/// Words of an element of `places`.
fn words(places: &Operand) -> Result<u32, Message> {
    match places.dtype {
        DType::I64 => Ok(2),
        DType::I32 => Ok(1),
        other => Err(message!("its places are {}, not integers", other.name())),
    }
}

/// y = the place in each row of its first element by `order`.
///
/// # Errors
/// When x is empty, or y has not one integer for each row.
pub(crate) fn arg_reduce(
    order: Order,
    last: bool,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let words = words(y)?;
    if !is_float(x.dtype) {
        let of = if last { Picked::Last } else { Picked::First };
        return integer_reduce(order, of, x, along, y);
    }
    all_floats([x])?;
    let rows = rows(x, along)?;
    if rows.count != y.len() || rows.len == 0 {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let params = ArgReduceParams { rows };
    Ok(by_thread(Kernel::ArgReduce, &params, &rows)
        .reads([x])
        .writes(y)
        .constant("OP", u32::from(order == Order::Smallest))
        .constant("LAST", u32::from(last))
        .constant("WORDS", words))
}

/// y = the running sums of x along an axis, or its running products.
///
/// # Errors
/// When x and y are not of the same type, or it is neither a float nor an integer of 32 or 64
/// bits.
pub(crate) fn cum_sum(
    exclusive: bool,
    reverse: bool,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let kind = match x.dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => 0,
        DType::I32 | DType::U32 => 1,
        DType::I64 | DType::U64 => 2,
        other => return Err(message!("{} is {}", x.name, other.name())),
    };
    if x.dtype != y.dtype || x.dims != y.dims {
        return Err(message!("{} is not like {}", y.name, x.name));
    }
    let rows = rows(x, along)?;
    let params = CumSumParams { rows };
    Ok(by_thread(Kernel::CumSum, &params, &rows)
        .reads([x])
        .writes(y)
        .constant("TYPE", kind)
        .constant("EXCLUSIVE", u32::from(exclusive))
        .constant("REVERSE", u32::from(reverse)))
}

/// The first elements of x along an axis by `order`, and their places.
///
/// # Errors
/// When x and its values differ in type, or the outputs have not the same k elements of each row.
pub(crate) fn top_k(
    order: Order,
    x: &Operand,
    axis: usize,
    [values, places]: [&Operand; 2],
) -> Dispatches {
    let whole = !is_float(x.dtype);
    if whole && x.dtype != values.dtype {
        return Err(message!("{} is {}", values.name, values.dtype.name()));
    }
    if !whole {
        all_floats([x, values])?;
    }
    let words = words(places)?;
    let along: Vec<bool> = (0..x.dims.len()).map(|at| at == axis).collect();
    let rows = rows(x, &along)?;
    let k = values.dims.get(axis).copied().unwrap_or_default();
    let whole = u64::from(rows.count) * u64::from(k) == u64::from(values.len());
    if !whole || k > rows.len || values.dims != places.dims {
        return Err(message!(
            "{} are not of {}",
            format_args!("{:?}", values.dims),
            format_args!("{:?}", x.dims)
        ));
    }
    let inner = elements(&x.dims[axis + 1..]);
    // Strides of what lies outside the axis shrink with it.
    let outer = |stride: u32| {
        if stride < inner {
            stride
        } else {
            stride / rows.len.max(1) * k
        }
    };
    let params = TopKParams {
        rows,
        outer_strides: rows.outer_strides.map(outer),
        k,
        along_stride: inner,
        pad: [0; 2],
    };
    let threads = by_thread(Kernel::TopK, &params, &rows);
    let kind = if whole { code(x.dtype) } else { 0 };
    let made = Dispatch {
        grid: grid(x.len()),
        ..threads
    }
    .reads([x])
    .writes(values)
    .writes(places)
    .constant("OP", u32::from(order == Order::Smallest))
    .constant("WORDS", words)
    .constant("KIND", kind);
    let mut found = vec![made];
    if whole {
        // Integers of any width are picked by their places.
        found.extend(gather_elements(x, places, axis, values)?);
    }
    Ok(found)
}
