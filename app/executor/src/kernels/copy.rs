//! y[b + i] = x[a + i], word by word, for elements of any type.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CopyParams {
    /// Number of words.
    pub count: u32,
    /// First word of x, counted from its start.
    pub x: u32,
    /// First word of y.
    pub y: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: CopyParams = dispatch.params();
    let mut from = dispatch.inputs[0].region;
    from.word = from.word.saturating_add(params.x);
    from.words = params.count;
    let mut to = dispatch.outputs[0].region;
    to.word = to.word.saturating_add(params.y);
    let words = memory.words(from);
    memory.put_words(to, &words);
}
