//! Row i of y is row i of a times one of several matrices: that which the third operand says.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GroupedMatmulParams {
    /// Elements of y.
    pub count: u32,
    /// Columns of y.
    pub n: u32,
    /// Columns of a.
    pub k: u32,
    /// How many matrices there are.
    pub matrices: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: GroupedMatmulParams = dispatch.params();
    let [count, n, k, matrices] =
        bytemuck::cast::<GroupedMatmulParams, [u32; 4]>(params).map(|size| size as usize);
    let (a, b) = (
        memory.floats(&dispatch.inputs[0]),
        memory.floats(&dispatch.inputs[1]),
    );
    let chosen = memory.ints(&dispatch.inputs[2]);
    let mut y = vec![0.0; count];
    for (row, values) in y.chunks_mut(n.max(1)).enumerate() {
        let asked = chosen.get(row).copied().unwrap_or_default().max(0);
        let matrix = usize::try_from(asked).unwrap_or_default().min(matrices - 1);
        for (column, value) in values.iter_mut().enumerate() {
            let terms = (0..k).map(|at| {
                let weight = b[(matrix * k + at) * n + column];
                f64::from(a[row * k + at]) * f64::from(weight)
            });
            *value = terms.sum::<f64>() as f32;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
