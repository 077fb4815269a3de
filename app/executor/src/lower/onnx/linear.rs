//! Matrix products.

use crate::kernels::{DeterminantParams, Kernel, MOST_ROWS, groups};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::{Call, all_floats};
use crate::lower::einsum::einsum;
use crate::lower::product::{Finish, Matrices, product};
use crate::recording::Dispatch;
use planner::message;
use planner::operators::Operator;

/// The dispatches of a matrix product; `None` when the operator is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::MatMul | Operator::FusedMatMul | Operator::TransposeMatMul => matmul(call),
        Operator::Gemm | Operator::FusedGemm => gemm(call),
        Operator::Det => determinant(call),
        Operator::Einsum => {
            let equation = call.op.text("equation");
            let equation = equation.ok_or_else(|| message!("it has no equation"));
            equation.and_then(|equation| einsum(call, equation))
        }
        _ => return None,
    })
}

fn flag(call: &Call<'_>, name: &str) -> bool {
    call.op.int(name).unwrap_or_default() != 0
}

/// A vector on the left is a row, one on the right is a column. `FusedMatMul` and its older
/// name `TransposeMatMul` also transpose matrices and multiply by alpha.
fn matmul(call: &Call<'_>) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    if flag(call, "transBatchA") || flag(call, "transBatchB") {
        return Err(message!("it transposes batches"));
    }
    let left = Matrices::of(a)?.transposed(flag(call, "transA") && a.dims.len() > 1);
    let swap = b.dims.len() == 1 || flag(call, "transB");
    let right = Matrices::of(b)?.transposed(swap);
    let mut finish = Finish::plain(Activation::onnx(call)?);
    finish.alpha = call.float_attribute("alpha").unwrap_or(1.0);
    Ok(vec![product([a, b], left, right, &finish, y)?])
}

fn determinant(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([x, y])?;
    let [.., rows, columns] = *x.dims else {
        return Err(message!("it has no matrices"));
    };
    if rows != columns || u64::from(y.len()) * u64::from(rows).pow(2) != u64::from(x.len()) {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    if rows > MOST_ROWS {
        return Err(message!(
            "a matrix of {} rows: a kernel has {}",
            rows,
            MOST_ROWS
        ));
    }
    let params = DeterminantParams {
        count: y.len(),
        size: rows,
    };
    let made = Dispatch::new(Kernel::Determinant, &params, groups(y.len()));
    Ok(vec![made.reads([x]).writes(y)])
}

fn gemm(call: &Call<'_>) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    if a.dims.len() != 2 || b.dims.len() != 2 {
        return Err(message!("its operands are not two matrices"));
    }
    let left = Matrices::of(a)?.transposed(flag(call, "transA"));
    let right = Matrices::of(b)?.transposed(flag(call, "transB"));
    let mut finish = Finish::plain(Activation::onnx(call)?);
    finish.alpha = call.float_attribute("alpha").unwrap_or(1.0);
    if let Some(c) = call.optional(2) {
        let beta = call.float_attribute("beta").unwrap_or(1.0);
        let strides = match c.dims.as_slice() {
            [] | [1] | [1, 1] => [0, 0],
            [n] if *n == right.columns => [0, 1],
            [1, n] if *n == right.columns => [0, 1],
            [m, 1] if *m == left.rows => [1, 0],
            [m, n] if *m == left.rows && *n == right.columns => [*n, 1],
            dims => {
                return Err(message!(
                    "{} does not broadcast to {}",
                    format_args!("{dims:?}"),
                    format_args!("{:?}", y.dims)
                ));
            }
        };
        finish.c = Some((c, beta, strides));
    }
    Ok(vec![product([a, b], left, right, &finish, y)?])
}
