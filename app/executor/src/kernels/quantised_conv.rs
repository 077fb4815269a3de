//! y[n, r, s, c] = the sum of x under a window times the filter c, plus a bias, as an element of
//! y's quantisation.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them: images are rows, columns, channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements of y.
    pub count: u32,
    /// Height, width and channels of x.
    pub x: [u32; 3],
    /// The same of y.
    pub y: [u32; 3],
    /// Channels of x and of y in a group.
    pub group: [u32; 2],
    /// Height and width of a filter.
    pub kernel: [u32; 2],
    /// Steps of the window.
    pub stride: [u32; 2],
    /// Distances of its taps.
    pub dilation: [u32; 2],
    /// Padding above and on the left.
    pub pad: [i32; 2],
    /// Strides of the filters in elements: by filter, by tap, by channel.
    pub w: [u32; 3],
    /// Zero points of x, filters and y.
    pub zeros: [i32; 3],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// How many factors there are: one for each channel of y, or one.
    pub factors: u32,
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let x = super::narrow(memory, &dispatch.inputs[0]);
    let w = super::narrow(memory, &dispatch.inputs[1]);
    let factors = super::narrow(memory, &dispatch.inputs[2]);
    let transposed = dispatch.value_of("TRANSPOSED") == 1;
    let bias = dispatch.inputs.get(3);
    let bias = bias.map(|bias| super::narrow(memory, bias));
    let y: Vec<i64> = (0..params.count)
        .map(|i| {
            let c = i % params.y[2];
            let sum = params.sum(i, transposed, &x, &w);
            let sum = sum.wrapping_add(bias.as_ref().map_or(0, |bias| bias[c as usize]));
            let at = if params.factors > 1 {
                2 * c as usize
            } else {
                0
            };
            let factor = Factor {
                mantissa: factors[at],
                shift: factors[at + 1],
            };
            let y = factor.times(sum).wrapping_add(params.zeros[2]);
            i64::from(y.clamp(params.range[0], params.range[1]))
        })
        .collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}

impl Params {
    /// The products under the window of element `i` of y.
    fn sum(&self, i: u32, transposed: bool, x: &[i32], w: &[i32]) -> i32 {
        let (c, pixel) = (i % self.y[2], i / self.y[2]);
        let (column, line) = (pixel % self.y[1], pixel / self.y[1]);
        let (row, image) = (line % self.y[0], line / self.y[0]);
        let first = c / self.group[1] * self.group[0];
        let at = |d: usize, place: u32, tap: u32| {
            let (pad, tap) = (i64::from(self.pad[d]), i64::from(tap * self.dilation[d]));
            let (place, stride) = (i64::from(place), i64::from(self.stride[d]));
            let at = match transposed {
                false => place * stride + tap - pad,
                true if (place + pad - tap) % stride == 0 => (place + pad - tap) / stride,
                true => return None,
            };
            u32::try_from(at).ok().filter(|at| *at < self.x[d])
        };
        let mut sum = 0_i32;
        for r in 0..self.kernel[0] {
            for s in 0..self.kernel[1] {
                let (Some(y), Some(z)) = (at(0, row, r), at(1, column, s)) else {
                    continue;
                };
                let from = ((image * self.x[0] + y) * self.x[1] + z) * self.x[2] + first;
                let tap = c * self.w[0] + (r * self.kernel[1] + s) * self.w[1];
                for k in 0..self.group[0] {
                    let value = x[(from + k) as usize] - self.zeros[0];
                    let weight = w[(tap + k * self.w[2]) as usize] - self.zeros[1];
                    sum = sum.wrapping_add(value.wrapping_mul(weight));
                }
            }
        }
        sum
    }
}
