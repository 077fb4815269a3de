//! The sum of the elements of each row up to this one.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `TYPE` is 0 for f32, 1 for 32-bit and 2 for 64-bit
/// integers; `EXCLUSIVE` = 1 leaves this element out, `REVERSE` = 1 begins at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// The rows of x and of y.
    pub rows: Rows,
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let (x, y) = (&dispatch.inputs[0], &dispatch.outputs[0]);
    if dispatch.value_of("TYPE") == 0 {
        let sums = sums(dispatch, &params.rows, &memory.floats(x), |a, b| a + b);
        memory.put_floats(y, &sums);
    } else {
        let sums = sums(dispatch, &params.rows, &memory.ints(x), i64::wrapping_add);
        memory.put_ints(y, &sums);
    }
}

fn sums<T: Copy + Default>(
    dispatch: &Dispatch,
    rows: &Rows,
    x: &[T],
    add: impl Fn(T, T) -> T,
) -> Vec<T> {
    let exclusive = dispatch.value_of("EXCLUSIVE") == 1;
    let mut steps = rows.steps();
    if dispatch.value_of("REVERSE") == 1 {
        steps.reverse();
    }
    let mut y = vec![T::default(); x.len()];
    for start in rows.starts() {
        let mut sum = T::default();
        for step in &steps {
            let next = add(sum, x[start + step]);
            y[start + step] = if exclusive { sum } else { next };
            sum = next;
        }
    }
    y
}
