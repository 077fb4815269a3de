//! Matrix products.

use planner::message;

use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::product::{Finish, Matrices, product};
use planner::operators::Operator;

/// The dispatches of a matrix product; `None` when the operator is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::FullyConnected => fully_connected(call),
        Operator::MatMul => batch_matmul(call),
        _ => return None,
    })
}

/// Weights have a row for each output; the input is rows of as many elements as a row has.
fn fully_connected(call: &Call<'_>) -> Dispatches {
    let (x, weights, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    if call.op.int("weights_format").unwrap_or_default() != 0 {
        return Err(message!("its weights are shuffled"));
    }
    let &[units, depth] = weights.dims.as_slice() else {
        return Err(message!("{} is no matrix", weights.name));
    };
    let rows = x.len().checked_div(depth).unwrap_or_default();
    if u64::from(rows) * u64::from(depth) != u64::from(x.len()) {
        return Err(message!(
            "{} is not in rows of {}",
            format_args!("{:?}", x.dims),
            depth
        ));
    }
    // Without depth there is nothing to count rows by.
    let rows = if depth == 0 {
        y.len() / units.max(1)
    } else {
        rows
    };
    let left = Matrices::plain(rows, depth);
    let right = Matrices::plain(units, depth).transposed(true);
    let mut finish = Finish::plain(Activation::tflite(call)?);
    if let Some(bias) = call.optional(2) {
        if bias.len() != units {
            return Err(message!("{} is not for {} outputs", bias.name, units));
        }
        finish.c = Some((bias, 1.0, [0, 1]));
    }
    Ok(vec![product([x, weights], left, right, &finish, y)?])
}

fn batch_matmul(call: &Call<'_>) -> Dispatches {
    let (x, y, result) = (call.input(0)?, call.input(1)?, call.output(0)?);
    if x.dims.len() < 2 || y.dims.len() < 2 {
        return Err(message!("its operands are not matrices"));
    }
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    let left = Matrices::of(x)?.transposed(flag("adj_x"));
    let right = Matrices::of(y)?.transposed(flag("adj_y"));
    let finish = Finish::plain(Activation::NONE);
    Ok(vec![product([x, y], left, right, &finish, result)?])
}
