//! y[i] = value, for elements of any type.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FillParams {
    /// Number of words.
    pub count: u32,
    /// Every word at an even place, seen from the tensor's start.
    pub even: u32,
    /// Every word at an odd place: another one for elements of two words.
    pub odd: u32,
    /// The last word, zero where it goes beyond the tensor.
    pub last: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: FillParams = dispatch.params();
    let pairs = [params.even, params.odd].into_iter().cycle();
    let mut words: Vec<u32> = pairs.take(params.count as usize).collect();
    if let Some(last) = words.last_mut() {
        *last = params.last;
    }
    memory.put_words(dispatch.outputs[0].region, &words);
}
