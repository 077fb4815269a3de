//! The sum, or the product, of the elements of each row up to this one.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `TYPE` is 0 for floats, 1 for 32-bit and 2 for 64-bit
/// integers; `PRODUCT` = 1 multiplies, `EXCLUSIVE` = 1 leaves this element out, `REVERSE` = 1
/// begins at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CumSumParams {
    /// The rows of x and of y.
    pub rows: Rows,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: CumSumParams = dispatch.params();
    let (x, y) = (&dispatch.inputs[0], &dispatch.outputs[0]);
    let product = dispatch.value_of("PRODUCT") == 1;
    if dispatch.value_of("TYPE") == 0 {
        let (first, step): (f32, fn(f32, f32) -> f32) = match product {
            true => (1.0, |a, b| a * b),
            false => (0.0, |a, b| a + b),
        };
        let values = runs(dispatch, &params.rows, &memory.floats(x), first, step);
        memory.put_floats(y, &values);
    } else {
        let (first, step): (i64, fn(i64, i64) -> i64) = match product {
            true => (1, i64::wrapping_mul),
            false => (0, i64::wrapping_add),
        };
        let values = runs(dispatch, &params.rows, &memory.ints(x), first, step);
        memory.put_ints(y, &values);
    }
}

fn runs<T: Copy>(
    dispatch: &Dispatch,
    rows: &Rows,
    x: &[T],
    first: T,
    together: impl Fn(T, T) -> T,
) -> Vec<T> {
    let exclusive = dispatch.value_of("EXCLUSIVE") == 1;
    let mut steps = rows.steps();
    if dispatch.value_of("REVERSE") == 1 {
        steps.reverse();
    }
    let mut y = vec![first; x.len()];
    for start in rows.starts() {
        let mut sum = first;
        for step in &steps {
            let next = together(sum, x[start + step]);
            y[start + step] = if exclusive { sum } else { next };
            sum = next;
        }
    }
    y
}
