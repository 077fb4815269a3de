//! Sums, means and products of quantised elements along axes.

use planner::graph::DType;
use planner::{Message, message};

use super::{range, steps};
use crate::fixed_point::Factor;
use crate::kernels::IntegerReduceParams;
use crate::lower::call::Call;
use crate::lower::integer_rows::reduction;
use crate::lower::rows::{axes, rows};
use crate::recording::Dispatch;
use planner::operators::Operator;

/// As `kernels/internal/reference/reduce.h` computes them.
///
/// # Errors
/// When the shapes or types do not fit.
pub(super) fn reduced(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = axes(call.ints(1)?, x.dims.len())?;
    let rows = rows(x, &along)?;
    if rows.count != y.len() || rows.len == 0 || x.dtype != y.dtype {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    let [from, to] = [of_x, of_y].map(|it| f64::from(it.scale));
    // LiteRT's reference kernel reads elements of 16 bits as bytes where it sums them, and there
    // are no products of unsigned ones.
    let other = match call.op.operator {
        Operator::ReduceSum => DType::I16,
        Operator::ReduceProd => DType::U8,
        _ => DType::F32,
    };
    if x.dtype == other {
        return Err(message!("there is no kernel for it on quantised elements"));
    }
    let (op, factor) = match call.op.operator {
        Operator::ReduceSum => (2, Factor::of(from / to)),
        Operator::ReduceMean => (2, Factor::of(from / to).divided(rows.len)),
        // Every product is scaled.
        _ => (3, Factor::of(from / to.powf(1.0 / f64::from(rows.len)))),
    };
    let params = IntegerReduceParams {
        rows,
        zeros: [of_x.zero, of_y.zero],
        range: range(y),
        factor: [factor.mantissa, factor.shift],
        ..IntegerReduceParams::default()
    };
    Ok(reduction(&params, op, x, y))
}
