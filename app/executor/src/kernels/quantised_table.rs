//! y[i] = table[x[i]] of elements of 8 or 16 bits: what stands at their bits as an unsigned number.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements.
    pub count: u32,
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let table = memory.ints(&dispatch.inputs[1]);
    let x = memory.ints(&dispatch.inputs[0]);
    // The bits of a negative element are those of a large unsigned one.
    let size = i64::try_from(table.len()).unwrap_or(i64::MAX).max(1);
    let found = |x: &i64| {
        let at = usize::try_from(x.rem_euclid(size)).ok();
        at.and_then(|at| table.get(at)).copied().unwrap_or_default()
    };
    let y: Vec<i64> = x.iter().map(found).collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}
