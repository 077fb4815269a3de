//! y[i] = a[k] where c[j] is true, else b[l]: the same bits, whatever they mean.

use bytemuck::{Pod, Zeroable};

use super::MAX_RANK;
use super::pair::source;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SelectParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
    /// Dimensions of the output.
    pub dims: [u32; MAX_RANK],
    /// Strides of the condition in elements, 0 where it is broadcast.
    pub c: [u32; MAX_RANK],
    /// Strides of what is taken where it is true.
    pub a: [u32; MAX_RANK],
    /// Strides of what is taken where it is not.
    pub b: [u32; MAX_RANK],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: SelectParams = dispatch.params();
    let [condition, a, b] = [0, 1, 2].map(|position| &dispatch.inputs[position]);
    let output = &dispatch.outputs[0];
    let width = usize::try_from(output.dtype.bits().unwrap_or(32) / 8).unwrap_or(4);
    let bytes = |operand| -> Vec<u8> {
        let words: Vec<u32> = memory.words(operand);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    };
    let conditions = memory.ints(condition);
    let (a, b) = (bytes(a.region), bytes(b.region));
    let same = dispatch.value_of("SAME") == 1;
    let at = |i, strides| match same {
        true => i as usize,
        false => source(i, params.rank, &params.dims, strides),
    };
    let mut chosen = Vec::with_capacity(output.region.words as usize * 4);
    for i in 0..params.count {
        let (from, strides) = match conditions[at(i, &params.c)] {
            0 => (&b, &params.b),
            _ => (&a, &params.a),
        };
        let start = at(i, strides) * width;
        chosen.extend_from_slice(&from[start..start + width]);
    }
    chosen.resize(output.region.words as usize * 4, 0);
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&chosen);
    memory.put_words(output.region, &words);
}
