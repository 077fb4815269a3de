//! y = x, of each sequence the first steps in reverse order, as many as it is long.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `WIDTH` is the size of an element in bytes, `WORDS`
/// that of a length in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ReverseSequenceParams {
    /// Number of elements.
    pub count: u32,
    /// Number of steps.
    pub steps: u32,
    /// Elements from one step to the next.
    pub step: u32,
    /// Number of sequences.
    pub sequences: u32,
    /// Elements from one sequence to the next.
    pub sequence: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        1 => reverse::<u8>(dispatch, memory),
        2 => reverse::<u16>(dispatch, memory),
        8 => reverse::<[u32; 2]>(dispatch, memory),
        _ => reverse::<u32>(dispatch, memory),
    }
}

/// Reverses elements of one width.
fn reverse<E: Pod>(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ReverseSequenceParams = dispatch.params();
    let lengths = memory.ints(&dispatch.inputs[1]);
    let x = memory.words(dispatch.inputs[0].region);
    let x: &[E] = bytemuck::cast_slice(&x);
    let mut y = vec![0; dispatch.outputs[0].region.words as usize];
    let elements: &mut [E] = bytemuck::cast_slice_mut(&mut y);
    for (i, element) in (0..params.count).zip(elements) {
        let sequence = i / params.sequence % params.sequences;
        let length = lengths.get(sequence as usize).copied().unwrap_or_default();
        let length = i64::from(params.steps).min(length);
        let at = i64::from(i / params.step % params.steps);
        let from = if at < length { length - 1 - at } else { at };
        let from = i64::from(i) + (from - at) * i64::from(params.step);
        let found = usize::try_from(from).ok().and_then(|from| x.get(from));
        *element = found.copied().unwrap_or_else(E::zeroed);
    }
    memory.put_words(dispatch.outputs[0].region, &y);
}
