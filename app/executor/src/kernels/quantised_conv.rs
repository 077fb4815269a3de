//! y = the sum of x under a window times a filter, plus a bias, as an integer or as an element of
//! y's quantisation. Matrix products are such sums, too.

use bytemuck::{Pod, Zeroable};

use super::quantised_pair::element;
use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::{Dispatch, Operand};

codes! {
    /// How sums become elements: the `override` constant `SCALE`.
    pub enum Scaling {
        /// By fixed-point factors, two words each.
        FixedPoint,
        /// By factors that are floats.
        Floats,
        /// They are the elements.
        None,
        /// By the scales of x and y and those of the filters, which are read.
        Scales,
        /// By fixed-point factors, with one rounding.
        Once,
    }
}

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedConvParams {
    /// Number of elements of y.
    pub count: u32,
    /// Height and width of x.
    pub x: [u32; 2],
    /// Height, width and channels of y.
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
    /// Strides of x in elements: by image, by row, by column, by channel.
    pub from: [u32; 4],
    /// Strides of the filters: by image, by filter, by tap, by channel.
    pub w: [u32; 4],
    /// Zero points of x, filters and y.
    pub zeros: [i32; 3],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// How many factors there are: one for each channel of y, or one.
    pub factors: u32,
    /// Scales of x and y, where those of the filters are read.
    pub scales: [f32; 2],
    /// A third dimension.
    pub depth: Depth,
}

/// Of a third dimension, as the shaders declare it; all 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Depth {
    /// How many planes x, y and the window have beyond the first.
    pub more: [u32; 3],
    /// Steps of the window.
    pub stride: u32,
    /// Distances of its taps.
    pub dilation: u32,
    /// Padding in front.
    pub pad: i32,
    /// Stride of x in elements.
    pub plane: u32,
}

/// What a dispatch reads beside its parameters.
struct Reads {
    x: Vec<i32>,
    w: Vec<i32>,
    bias: Option<Vec<i64>>,
    x_zeros: Vec<i32>,
    w_zeros: Vec<i32>,
    transposed: bool,
    planes: bool,
}

/// A place in y.
#[derive(Clone, Copy)]
struct Spot {
    image: u32,
    row: u32,
    column: u32,
    channel: u32,
    plane: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedConvParams = dispatch.params();
    let ints = |at: usize| {
        let operand = dispatch.inputs.get(at);
        operand
            .map(|it| super::narrow(memory, it))
            .unwrap_or_default()
    };
    let given = |name: &str, at: usize| match dispatch.value_of(name) {
        0 => Vec::new(),
        _ => ints(at),
    };
    let reads = Reads {
        x: ints(0),
        w: ints(1),
        bias: (dispatch.value_of("BIAS") == 1).then(|| memory.ints(&dispatch.inputs[3])),
        x_zeros: given("X_ZEROS", 4),
        w_zeros: given("W_ZEROS", 5),
        transposed: dispatch.value_of("TRANSPOSED") == 1,
        planes: dispatch.value_of("PLANES") == 1,
    };
    let scaling = Scaling::read(dispatch, "SCALE");
    let wide = dispatch.value_of("WIDE") == 1;
    let fixed = match scaling {
        Scaling::FixedPoint | Scaling::Once => ints(2),
        _ => Vec::new(),
    };
    let floats = match (scaling, dispatch.inputs.get(2)) {
        (Scaling::Floats | Scaling::Scales, Some(table)) => memory.floats(table),
        _ => Vec::new(),
    };
    let [lowest, highest] = params.range;
    let y: Vec<i64> = (0..params.count)
        .map(|i| {
            let spot = params.spot(i, reads.planes);
            let all = params.sum(spot, &reads);
            #[expect(clippy::cast_possible_truncation, reason = "32 bits wrap")]
            let sum = all as i32;
            let at = if params.factors > 1 {
                spot.channel as usize
            } else {
                0
            };
            let factor = || Factor {
                mantissa: fixed[2 * at],
                shift: fixed[2 * at + 1],
            };
            let scaled = match scaling {
                Scaling::FixedPoint if wide => factor().times_wide(all),
                Scaling::FixedPoint => factor().times(sum),
                Scaling::Once if wide => factor().times_once(all),
                Scaling::Once => factor().times_once(sum.into()),
                Scaling::Floats => nearest(sum, floats[at]),
                Scaling::Scales => nearest(sum, params.scales[0] * floats[at] / params.scales[1]),
                Scaling::None => return i64::from(sum),
            };
            let y = scaled.wrapping_add(params.zeros[2]);
            i64::from(y.clamp(lowest, highest))
        })
        .collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// sum · factor to nearest, ties to even.
#[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
fn nearest(sum: i32, factor: f32) -> i32 {
    element(sum as f32 * factor)
}

impl QuantisedConvParams {
    /// The `override` constant `LANES`: what the four elements of a word of y are, where words can
    /// be read whole. 1: pixels of a plane; 2: columns of a product; 3: filters over a pixel; 0
    /// where none of these.
    #[must_use]
    pub fn lanes(&self, y: &Operand, planes: bool) -> u32 {
        let words = |sizes: &[u32]| sizes.iter().all(|size| size.is_multiple_of(4));
        let [rows, columns, channels] = self.y;
        let still = self.kernel == [1; 2] && self.stride == [1; 2] && self.pad == [0; 2];
        let alike = still && self.x == [rows, columns];
        let flat = self.depth == Depth::default();
        let whole =
            flat && y.dtype.bits() == Some(8) && words(&[self.group[0], self.from[0], self.w[0]]);
        let [_, row, column, channel] = self.from;
        let [_, filter, tap, input] = self.w;
        let filters = !planes && words(&[channels, self.group[1], row]) && channel == 1;
        match whole {
            true if planes && alike && (row, column, input) == (columns, 1, 1) => {
                u32::from(words(&[channel, filter]))
            }
            true if filters && alike && columns == 1 && filter == 1 && words(&[input]) => 2,
            true if filters && input == 1 && words(&[column, filter, tap]) => 3,
            _ => 0,
        }
    }

    fn spot(&self, i: u32, planes: bool) -> Spot {
        let [rows, columns, channels] = self.y;
        let deep = self.depth.more[1] + 1;
        let pixels = deep * rows * columns;
        let (channel, pixel, image) = match planes {
            true => (i / pixels % channels, i, i / pixels / channels),
            false => (i % channels, i / channels, i / channels / pixels),
        };
        Spot {
            image,
            row: pixel / columns % rows,
            column: pixel % columns,
            channel,
            plane: pixel / columns / rows % deep,
        }
    }

    /// The products under the window at a place of y, and the bias.
    fn sum(&self, spot: Spot, reads: &Reads) -> i64 {
        let c = spot.channel;
        let first = spot.image * self.from[0] + c / self.group[1] * self.group[0] * self.from[3];
        let zero = |zeros: &[i32], at: u32, usual: i32| match zeros {
            [] => usual,
            [only] => *only,
            all => all[at as usize],
        };
        let x_zero = zero(&reads.x_zeros, spot.row, self.zeros[0]);
        let w_zero = zero(&reads.w_zeros, c, self.zeros[1]);
        let Depth { more, .. } = self.depth;
        let at = |d: usize, place: u32, tap: u32| {
            let (size, stride, dilation, pad) = match d {
                2 => (
                    more[0] + 1,
                    self.depth.stride.max(1),
                    self.depth.dilation,
                    self.depth.pad,
                ),
                _ => (self.x[d], self.stride[d], self.dilation[d], self.pad[d]),
            };
            let (pad, tap) = (i64::from(pad), i64::from(tap * dilation));
            let (place, stride) = (i64::from(place), i64::from(stride));
            let at = match reads.transposed {
                false => place * stride + tap - pad,
                true if (place + pad - tap) % stride == 0 => (place + pad - tap) / stride,
                true => return None,
            };
            u32::try_from(at).ok().filter(|at| *at < size)
        };
        let mut sum = reads.bias.as_ref().map_or(0, |bias| bias[c as usize]);
        let [height, width] = self.kernel;
        for tap in 0..(more[2] + 1) * height * width {
            let (q, r, s) = (tap / width / height, tap / width % height, tap % width);
            let (Some(z), Some(y), Some(x)) = (
                at(2, spot.plane, q),
                at(0, spot.row, r),
                at(1, spot.column, s),
            ) else {
                continue;
            };
            let start = first + z * self.depth.plane + y * self.from[1] + x * self.from[2];
            let tap = spot.image * self.w[0] + c * self.w[1] + tap * self.w[2];
            for k in 0..self.group[0] {
                let value = reads.x[(start + k * self.from[3]) as usize] - x_zero;
                let weight = reads.w[(tap + k * self.w[3]) as usize] - w_zero;
                sum = sum.wrapping_add(value.wrapping_mul(weight).into());
            }
        }
        sum
    }
}
