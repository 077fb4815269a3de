//! Products of quantised matrices.

use planner::graph::DType;
use planner::{Message, message};

use super::{range, steps};
use crate::elements;
use crate::fixed_point::Factor;
use crate::kernels::{Kernel, QuantisedConvParams, typed_grid};
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};

/// Each row is a pixel of one column, each column of the second matrix a filter.
///
/// # Errors
/// When the shapes do not fit, or only some of the matrices are broadcast.
pub(super) fn matrices(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    // Rows and columns, and their strides.
    let sides = |x: &Operand, swap: bool| match (x.dims.as_slice(), swap) {
        (&[.., rows, columns], false) => Some(([rows, columns], [columns, 1])),
        (&[.., columns, rows], true) => Some(([rows, columns], [1, rows])),
        _ => None,
    };
    let misfit = || {
        let dims = [a, b, y].map(|it| format!("{:?}", it.dims));
        message!("{} and {} do not make {}", dims[0], dims[1], dims[2])
    };
    let found = (
        sides(a, flag("adj_x")),
        sides(b, flag("adj_y")),
        sides(y, false),
    );
    let (Some((left, a_steps)), Some((right, b_steps)), Some((result, _))) = found else {
        return Err(message!("its operands are not matrices"));
    };
    let [rows, depth] = left;
    let columns = right[1];
    if right[0] != depth || result != [rows, columns] {
        return Err(misfit());
    }
    // Matrices before them are the same in both, or there is one.
    let size = rows.checked_mul(columns).filter(|&size| size > 0);
    let images = size.map_or(0, |size| y.len() / size);
    let step = |x: &Operand, [rows, columns]: [u32; 2]| {
        let size = rows.checked_mul(columns)?;
        match x.len() == size {
            true => Some(0),
            false => (Some(x.len()) == size.checked_mul(images)).then_some(size),
        }
    };
    let (Some(a_step), Some(b_step)) = (step(a, left), step(b, right)) else {
        return Err(misfit());
    };
    let (of_a, of_b, of_y) = (steps(call, a)?, steps(call, b)?, steps(call, y)?);
    let scale = f64::from(of_a.scale) * f64::from(of_b.scale) / f64::from(of_y.scale);
    let params = QuantisedConvParams {
        count: y.len(),
        x: [rows, 1],
        y: [rows, 1, columns],
        group: [depth, columns.max(1)],
        kernel: [1; 2],
        stride: [1; 2],
        dilation: [1; 2],
        from: [a_step, a_steps[0], 0, a_steps[1]],
        w: [b_step, b_steps[1], 0, b_steps[0]],
        zeros: [of_a.zero, of_b.zero, of_y.zero],
        range: range(y),
        factors: 1,
        ..QuantisedConvParams::default()
    };
    let factors = table(y, DType::I32, Factor::of(scale).words().to_vec());
    let dispatch = Dispatch::new(Kernel::QuantisedConv, &params, typed_grid(y));
    Ok(dispatch
        .reads([a, b, &factors])
        .writes(y)
        .constant("X", elements::code(a.dtype))
        .constant("W", elements::code(b.dtype))
        .constant("WIDE", u32::from(a.dtype == DType::I16))
        .constant("KIND", elements::code(y.dtype))
        .constant("LANES", params.lanes(y, false)))
}
