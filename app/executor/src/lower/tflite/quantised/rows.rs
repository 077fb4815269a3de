//! Sums, means and products of quantised elements along axes.

use planner::graph::DType;
use planner::{Message, message};

use super::{range, steps};
use crate::fixed_point::Factor;
use crate::kernels::{IntegerReduceOp, IntegerReduceParams};
use crate::lower::call::Call;
use crate::lower::integer_rows::reduction;
use crate::lower::rows::{axes, rows};
use crate::recording::Dispatch;

/// What becomes of a row.
#[derive(Clone, Copy)]
pub(super) enum Reduced {
    Sum,
    Mean,
    Product,
}

/// As `kernels/internal/reference/reduce.h` computes them.
///
/// # Errors
/// When the shapes or types do not fit.
pub(super) fn reduced(call: &Call<'_>, of: Reduced) -> Result<Dispatch, Message> {
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
    let op = match of {
        Reduced::Sum | Reduced::Mean => IntegerReduceOp::ScaledSum,
        Reduced::Product => IntegerReduceOp::ScaledProduct,
    };
    let factor = match (of, x.dtype) {
        // LiteRT's reference kernel reads elements of 16 bits as bytes where it sums them, and
        // there are no products of unsigned ones.
        (Reduced::Sum, DType::I16) | (Reduced::Product, DType::U8) => {
            return Err(message!("there is no kernel for it on quantised elements"));
        }
        (Reduced::Sum, _) => Factor::of(from / to),
        (Reduced::Mean, _) => Factor::of(from / to).divided(rows.len),
        // Every product is scaled.
        (Reduced::Product, _) => Factor::of(from / to.powf(1.0 / f64::from(rows.len))),
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
