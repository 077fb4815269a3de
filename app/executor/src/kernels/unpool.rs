//! y[place] = x[i], where the place is an index into a box at the start of y. Indices that are
//! there twice come from the same largest element, so it does not matter which one is last.

use bytemuck::{Pod, Zeroable};

use super::MAX_RANK;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct UnpoolParams {
    /// Dimensions of the box.
    pub dims: [u32; MAX_RANK],
    /// Strides of y.
    pub stride: [u32; MAX_RANK],
    /// Number of elements of x.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// Number of elements of the box.
    pub places: u32,
    /// Unused, for the alignment.
    pub pad: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: UnpoolParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let indices = memory.ints(&dispatch.inputs[1]);
    let mut y = memory.floats(&dispatch.outputs[0]);
    for (&x, &index) in x.iter().zip(&indices) {
        let Some(mut rest) = u32::try_from(index).ok().filter(|&it| it < params.places) else {
            continue;
        };
        let mut at = 0;
        for d in 0..params.rank as usize {
            at += rest % params.dims[d] * params.stride[d];
            rest /= params.dims[d];
        }
        if let Some(y) = y.get_mut(at as usize) {
            *y = x;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
