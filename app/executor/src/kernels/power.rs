//! y[i] = a[j] to the power of b[k], whose types differ; y has the type of a.

use super::pair::paired;
use crate::arena::Memory;
use crate::recording::Dispatch;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let a = memory.floats(&dispatch.inputs[0]);
    let b = memory.floats(&dispatch.inputs[1]);
    let y = paired(dispatch, &a, &b, f32::powf);
    memory.put_floats(&dispatch.outputs[0], &y);
}
