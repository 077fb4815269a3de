//! Largest and smallest integers along axes, and their places.

use planner::graph::DType;
use planner::{Message, message};

use super::rows::{by_thread, rows};
use super::scans::Order;
use crate::elements;
use crate::kernels::{IntegerReduceOp, IntegerReduceParams, Kernel, Picked, ReduceOp, typed_grid};
use crate::recording::{Dispatch, Operand};

/// y = the first element of each row of x by `order`, or its place.
///
/// # Errors
/// When x holds no integers, or y has not one element for each row.
pub(crate) fn integer_reduce(
    order: Order,
    of: Picked,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let rows = rows(x, along)?;
    if rows.count != y.len() || rows.len == 0 && of != Picked::Value {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let whole = |it: &Operand| !elements::is_float(it.dtype);
    if !whole(x) || !whole(y) || of == Picked::Value && x.dtype != y.dtype {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
    }
    let empty = elements::words_of_ints(DType::I64, &[end(x.dtype, order)]);
    let params = IntegerReduceParams {
        rows,
        empty: [empty[0], empty[1]],
        ..IntegerReduceParams::default()
    };
    let op = match order {
        Order::Largest => IntegerReduceOp::Largest,
        Order::Smallest => IntegerReduceOp::Smallest,
    };
    Ok(reduction(&params, op, x, y).constant("PLACE", of.code()))
}

/// y = the sum or product of each row of x, of which as many bits are kept as the type has.
///
/// # Errors
/// When x holds no integers, y is of another type or has not one element for each row, or `op` is
/// none of these.
pub(crate) fn integer_total(
    op: ReduceOp,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let op = match op {
        ReduceOp::Sum => IntegerReduceOp::Sum,
        ReduceOp::Prod => IntegerReduceOp::Product,
        ReduceOp::L1 => IntegerReduceOp::L1,
        ReduceOp::SumSquare => IntegerReduceOp::SumSquare,
        _ => return Err(message!("{} is {}, no float", x.name, x.dtype.name())),
    };
    let rows = rows(x, along)?;
    if rows.count != y.len() {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    if x.dtype != y.dtype || elements::is_float(y.dtype) {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
    }
    let params = IntegerReduceParams {
        rows,
        empty: [u32::from(op == IntegerReduceOp::Product), 0],
        ..IntegerReduceParams::default()
    };
    Ok(reduction(&params, op, x, y))
}

/// One number of each row of x.
pub(crate) fn reduction(
    params: &IntegerReduceParams,
    op: IntegerReduceOp,
    x: &Operand,
    y: &Operand,
) -> Dispatch {
    let made = Dispatch {
        grid: typed_grid(y),
        ..by_thread(Kernel::IntegerReduce, params, &params.rows)
    };
    made.reads([x])
        .writes(y)
        .constant("OP", op.code())
        .constant("KIND", elements::code(x.dtype))
        .constant("TO", elements::code(y.dtype))
}

/// The integer that comes after all others by `order`.
fn end(dtype: DType, order: Order) -> i64 {
    let bits = dtype.bits().unwrap_or(32).clamp(1, 64);
    let least = -1_i64 << (bits - 1);
    let unsigned = matches!(dtype, DType::U64 | DType::U32 | DType::U16 | DType::U8);
    let unsigned = unsigned || matches!(dtype, DType::U4 | DType::U2);
    match order {
        Order::Largest if unsigned || dtype == DType::Bool => 0,
        Order::Smallest if dtype == DType::Bool => 1,
        // All bits of it.
        Order::Smallest if unsigned => -1,
        Order::Largest => least,
        Order::Smallest => !least,
    }
}
