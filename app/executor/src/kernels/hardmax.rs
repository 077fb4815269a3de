//! y = 1 at the first largest element of each row of x, 0 elsewhere.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HardmaxParams {
    /// The rows of x and of y.
    pub rows: Rows,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: HardmaxParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let steps = params.rows.steps();
    let mut y = vec![0.0_f32; x.len()];
    for start in params.rows.starts() {
        // Of equal ones the last to be compared stays, so they are gone through backwards.
        let row = steps.iter().rev().map(|step| start + step);
        if let Some(first) = row.max_by(|&a, &b| x[a].total_cmp(&x[b])) {
            y[first] = 1.0;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
