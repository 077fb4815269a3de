//! y = the sum of all the elements of blocks that lie on each pixel.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie outermost first; those that are
/// missing are 1 and lie in front, and the last word of each is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Col2imParams {
    /// Sizes of y.
    pub image: [u32; 4],
    /// Sizes of a block.
    pub kernel: [u32; 4],
    /// Numbers of blocks.
    pub blocks: [u32; 4],
    /// Pixels from one block to the next.
    pub stride: [u32; 4],
    /// Distances of a block's taps.
    pub dilation: [u32; 4],
    /// Padding in front.
    pub pad: [i32; 4],
    /// Number of elements of y.
    pub count: u32,
    /// Unused, for the alignment.
    pub end: [u32; 3],
}

/// Puts every element of every block where it belongs.
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Col2imParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let product = |sizes: [u32; 4]| sizes[..3].iter().product::<u32>();
    let (taps, blocks) = (product(params.kernel), product(params.blocks));
    let pixels = product(params.image) as usize;
    let mut y = vec![0.0_f32; params.count as usize];
    for (plane, x) in y
        .chunks_exact_mut(pixels)
        .zip(x.chunks_exact((taps * blocks) as usize))
    {
        for (at, value) in (0..).zip(x) {
            if let Some(pixel) = params.pixel(at / blocks, at % blocks) {
                plane[pixel] += value;
            }
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

impl Col2imParams {
    /// The pixel under a tap of a block, unless it is in the padding.
    fn pixel(&self, tap: u32, block: u32) -> Option<usize> {
        let parts = |n: u32, [_, y, x, _]: [u32; 4]| [n / x / y, n / x % y, n % x];
        let (tap, block) = (parts(tap, self.kernel), parts(block, self.blocks));
        let mut pixel = 0;
        for d in 0..3 {
            let from = i64::from(block[d]) * i64::from(self.stride[d]) - i64::from(self.pad[d]);
            let place = from + i64::from(tap[d]) * i64::from(self.dilation[d]);
            let place = u32::try_from(place).ok().filter(|&it| it < self.image[d])?;
            pixel = pixel * self.image[d] as usize + place as usize;
        }
        Some(pixel)
    }
}
