//! y[row] = the largest or the smallest integer of a row of x, or its place, or a sum or product of
//! quantised elements.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use super::pair::{wide, wrapped};
use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

codes! {
    /// What is made of a row: the `override` constant `OP`.
    pub enum IntegerReduceOp {
        /// The largest.
        Largest,
        /// The smallest.
        Smallest,
        /// The scaled sum of quantised elements.
        ScaledSum,
        /// Their product, scaled at every step.
        ScaledProduct,
        /// The sum.
        Sum,
        /// The product.
        Product,
        /// The sum of absolute values.
        L1,
        /// The sum of squares.
        SumSquare,
    }
}

codes! {
    /// What is given of the largest or the smallest: the `override` constant `PLACE`.
    pub enum Picked {
        /// The element itself.
        Value,
        /// The place of the first that is equal.
        First,
        /// The place of the last.
        Last,
    }
}

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct IntegerReduceParams {
    /// The rows of x; y has one element for each.
    pub rows: Rows,
    /// The words of what an empty row gives.
    pub empty: [u32; 2],
    /// Zero points of x and y, of quantised elements.
    pub zeros: [i32; 2],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// Mantissa and shift of what sums and products are multiplied by.
    pub factor: [i32; 2],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: IntegerReduceParams = dispatch.params();
    match IntegerReduceOp::read(dispatch, "OP") {
        IntegerReduceOp::Largest => extreme(dispatch, &params, false, memory),
        IntegerReduceOp::Smallest => extreme(dispatch, &params, true, memory),
        IntegerReduceOp::ScaledSum => scaled(dispatch, &params, false, memory),
        IntegerReduceOp::ScaledProduct => scaled(dispatch, &params, true, memory),
        IntegerReduceOp::Sum => total(dispatch, &params, i64::wrapping_add, memory),
        IntegerReduceOp::Product => total(dispatch, &params, i64::wrapping_mul, memory),
        IntegerReduceOp::L1 => total(
            dispatch,
            &params,
            |y, x| y.wrapping_add(x.wrapping_abs()),
            memory,
        ),
        IntegerReduceOp::SumSquare => total(
            dispatch,
            &params,
            |y, x| y.wrapping_add(x.wrapping_mul(x)),
            memory,
        ),
    }
}

/// The largest or the smallest of every row, or its place.
fn extreme(dispatch: &Dispatch, params: &IntegerReduceParams, smallest: bool, memory: &mut Memory) {
    let of = Picked::read(dispatch, "PLACE");
    let x = wide(memory, &dispatch.inputs[0]);
    let empty = u64::from(params.empty[0]) | u64::from(params.empty[1]) << 32;
    let steps = params.rows.steps();
    let starts = params.rows.starts();
    let row = |start: usize| {
        let signed = |at: usize| {
            if smallest {
                -x[start + at]
            } else {
                x[start + at]
            }
        };
        let Some(best) = steps.iter().map(|&at| signed(at)).max() else {
            return empty.cast_signed();
        };
        let equal = |&at: &usize| signed(at) == best;
        let found = match of {
            Picked::Value => return wrapped(if smallest { -best } else { best }),
            Picked::First => steps.iter().position(equal),
            Picked::Last => steps.iter().rposition(equal),
        };
        found
            .and_then(|at| i64::try_from(at).ok())
            .unwrap_or_default()
    };
    let y: Vec<i64> = if params.rows.len == 0 {
        starts.iter().map(|_start| empty.cast_signed()).collect()
    } else {
        starts.into_iter().map(row).collect()
    };
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// The sum or the product of every row, of which as many bits are kept as the type has.
fn total(
    dispatch: &Dispatch,
    params: &IntegerReduceParams,
    step: fn(i64, i64) -> i64,
    memory: &mut Memory,
) {
    let x = wide(memory, &dispatch.inputs[0]);
    let empty = i64::from(params.empty[0]);
    let steps = params.rows.steps();
    let row = |start: usize| {
        let row = steps.iter().map(|at| wrapped(x[start + at]));
        row.fold(empty, step)
    };
    let y: Vec<i64> = params.rows.starts().into_iter().map(row).collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// The sum or the product of every row, in the order of its elements.
fn scaled(dispatch: &Dispatch, params: &IntegerReduceParams, product: bool, memory: &mut Memory) {
    let x = super::narrow(memory, &dispatch.inputs[0]);
    let [mantissa, shift] = params.factor;
    let factor = Factor { mantissa, shift };
    let steps = params.rows.steps();
    let made = params.rows.starts().into_iter().map(|start| {
        let row = steps.iter().map(|at| x[start + at] - params.zeros[0]);
        let y = match product {
            false => factor.times(row.fold(0, i32::wrapping_add)),
            true => {
                let product = |y: i32, x: i32| factor.times_wide(i64::from(y) * i64::from(x));
                factor.times_wide(row.reduce(product).unwrap_or_default().into())
            }
        };
        let y = y.wrapping_add(params.zeros[1]);
        i64::from(y.clamp(params.range[0], params.range[1]))
    });
    let y: Vec<i64> = made.collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}
