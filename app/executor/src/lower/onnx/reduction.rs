//! Reduce operators, ArgMax, CumSum and TopK.

use crate::kernels::ReduceOp;
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::rows::{axes, axis, reduce};
use crate::lower::scans::{Order, arg_reduce, cum_sum, top_k};
use planner::message;
use planner::operators::Operator;

/// The dispatches of a reducing operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    if let Some(op) = reduce_op(call.op.operator) {
        return Some(reduce_of(call, op));
    }
    Some(match call.op.operator {
        Operator::ArgMax => arg(call, Order::Largest),
        Operator::ArgMin => arg(call, Order::Smallest),
        Operator::CumSum | Operator::CumProd => cumulative(call),
        Operator::TopK => top(call),
        _ => return None,
    })
}

fn reduce_op(operator: Operator) -> Option<ReduceOp> {
    Some(match operator {
        Operator::ReduceSum => ReduceOp::Sum,
        Operator::ReduceMean => ReduceOp::Mean,
        Operator::ReduceMax => ReduceOp::Max,
        Operator::ReduceMin => ReduceOp::Min,
        Operator::ReduceProd => ReduceOp::Prod,
        Operator::ReduceL1 => ReduceOp::L1,
        Operator::ReduceL2 => ReduceOp::L2,
        Operator::ReduceSumSquare => ReduceOp::SumSquare,
        Operator::ReduceLogSum => ReduceOp::LogSum,
        Operator::ReduceLogSumExp => ReduceOp::LogSumExp,
        _ => return None,
    })
}

/// The axes are an attribute or input 1; none means all, or, if the operator says so, none.
fn reduce_of(call: &Call<'_>, op: ReduceOp) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let rank = x.dims.len();
    let list = match call.op.ints("axes") {
        Some(list) => list,
        None if call.optional(1).is_some() => call.ints(1)?,
        None => &[],
    };
    let noop = call.op.int("noop_with_empty_axes").unwrap_or_default() != 0;
    let along = if list.is_empty() {
        vec![!noop; rank]
    } else {
        axes(list, rank)?
    };
    Ok(vec![reduce(op, 0.0, x, &along, y)?])
}

fn arg(call: &Call<'_>, order: Order) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = axes(&[call.op.int("axis").unwrap_or_default()], x.dims.len())?;
    let last = call.op.int("select_last_index").unwrap_or_default() != 0;
    Ok(vec![arg_reduce(order, last, x, &along, y)?])
}

fn cumulative(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let &[along] = call.ints(1)? else {
        return Err(message!("it has not one axis"));
    };
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    let along = axes(&[along], x.dims.len())?;
    let (exclusive, reverse) = (flag("exclusive"), flag("reverse"));
    let made = cum_sum(exclusive, reverse, x, &along, y)?;
    let product = u32::from(call.op.is(Operator::CumProd));
    Ok(vec![made.constant("PRODUCT", product)])
}

fn top(call: &Call<'_>) -> Dispatches {
    let outputs = [call.output(0)?, call.output(1)?];
    let x = call.input(0)?;
    let at = axis(call.op.int("axis").unwrap_or(-1), x.dims.len())?;
    let order = match call.op.int("largest") {
        Some(0) => Order::Smallest,
        _ => Order::Largest,
    };
    top_k(order, x, at, outputs)
}
