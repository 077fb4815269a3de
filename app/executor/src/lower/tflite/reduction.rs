//! Operators that work along axes: softmax, L2 normalization, reductions, places, running sums.

use crate::kernels::{NormalizeOp, ReduceOp};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::rows::{Affine, axes, normalize, reduce, softmax};
use crate::lower::scans::{Order, arg_reduce, cum_sum, top_k};
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of an operator along axes; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::ReduceMean => reduce_of(call, ReduceOp::Mean),
        Operator::ReduceSum => reduce_of(call, ReduceOp::Sum),
        Operator::ReduceMax | Operator::ReduceAny => reduce_of(call, ReduceOp::Max),
        Operator::ReduceMin | Operator::ReduceAll => reduce_of(call, ReduceOp::Min),
        Operator::ReduceProd => reduce_of(call, ReduceOp::Prod),
        Operator::Softmax => {
            let beta = call.float_attribute("beta").unwrap_or(1.0);
            soft(call, false, beta)
        }
        Operator::LogSoftmax => soft(call, true, 1.0),
        Operator::L2Normalization => l2(call),
        Operator::ArgMax => arg(call, Order::Largest),
        Operator::ArgMin => arg(call, Order::Smallest),
        Operator::CumSum => cumulative(call),
        Operator::TopK => top(call),
        _ => return None,
    })
}

fn reduce_of(call: &Call<'_>, op: ReduceOp) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = axes(call.ints(1)?, x.dims.len())?;
    Ok(vec![reduce(op, 0.0, x, &along, y)?])
}

/// Along the last axis.
fn soft(call: &Call<'_>, log: bool, beta: f32) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = axes(&[-1], x.dims.len())?;
    Ok(vec![softmax(log, beta, x, &along, y)?])
}

/// Along the last axis; a norm below a millionth counts as one.
fn l2(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    if !matches!(
        call.op.text("fused_activation_function"),
        None | Some("NONE")
    ) {
        return Err(message!("it has an activation fused"));
    }
    let along = axes(&[-1], x.dims.len())?;
    let op = NormalizeOp::L2;
    Ok(vec![normalize(op, 1e-6, x, &along, &Affine::NONE, y)?])
}

/// The axis of the axes that input 1 holds.
fn one_axis(call: &Call<'_>, rank: usize) -> Result<Vec<bool>, Message> {
    let &[along] = call.ints(1)? else {
        return Err(message!("it has not one axis"));
    };
    axes(&[along], rank)
}

fn arg(call: &Call<'_>, order: Order) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = one_axis(call, x.dims.len())?;
    Ok(vec![arg_reduce(order, false, x, &along, y)?])
}

fn cumulative(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = one_axis(call, x.dims.len())?;
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    let (exclusive, reverse) = (flag("exclusive"), flag("reverse"));
    Ok(vec![cum_sum(exclusive, reverse, x, &along, y)?])
}

/// Along the last axis.
fn top(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let last = x
        .dims
        .len()
        .checked_sub(1)
        .ok_or_else(|| message!("a scalar has no axis"))?;
    let outputs = [call.output(0)?, call.output(1)?];
    top_k(Order::Largest, x, last, outputs)
}
