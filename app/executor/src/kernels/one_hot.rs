//! y = values[1] where the place along one dimension is the index, values[0] elsewhere.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct OneHotParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Places along the dimension that is added.
    pub depth: u32,
    /// Elements from one place to the next.
    pub inner: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        1 => mark::<u8>(dispatch, memory),
        2 => mark::<u16>(dispatch, memory),
        8 => mark::<[u32; 2]>(dispatch, memory),
        _ => mark::<u32>(dispatch, memory),
    }
}

/// Marks the places, elements of one width.
fn mark<E: Pod>(dispatch: &Dispatch, memory: &mut Memory) {
    let params: OneHotParams = dispatch.params();
    let values = memory.words(dispatch.inputs[0].region);
    let values: &[E] = bytemuck::cast_slice(&values);
    let &[off, on, ..] = values else { return };
    let mut y = vec![0; dispatch.outputs[0].region.words as usize];
    let elements: &mut [E] = bytemuck::cast_slice_mut(&mut y);
    let count = (params.count as usize).min(elements.len());
    elements[..count].fill(off);
    let (depth, inner) = (i64::from(params.depth), params.inner.max(1) as usize);
    let indices = memory.ints(&dispatch.inputs[1]);
    let blocks = elements[..count].chunks_mut(inner * params.depth.max(1) as usize);
    for (block, indices) in blocks.zip(indices.chunks(inner)) {
        for (i, &index) in indices.iter().enumerate() {
            let place = if index < 0 { index + depth } else { index };
            let place = usize::try_from(place).ok();
            if let Some(y) = place.and_then(|place| block.get_mut(place * inner + i)) {
                *y = on;
            }
        }
    }
    memory.put_words(dispatch.outputs[0].region, &y);
}
