//! y[n, r, s, c] = the largest, the mean or the scaled sum of the quantised elements of x under a window.

use bytemuck::{Pod, Zeroable};

use super::quantised_conv::Depth;
use super::quantised_pair::element;
use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

codes! {
    /// What is made of a window: the `override` constant `OP`.
    pub enum QuantisedPoolOp {
        /// The largest element.
        Largest,
        /// The mean.
        Mean,
        /// The sum of distances from the zero point, times a factor.
        ScaledSum,
        /// The sum of distances from the zero point, times a factor that is a float.
        RealSum,
        /// The mean of the floats that elements stand for.
        RealMean,
    }
}

/// Parameters, as the shader declares them: images are rows, columns, channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedPoolParams {
    /// Number of elements of y.
    pub count: u32,
    /// Height and width of x.
    pub x: [u32; 2],
    /// Channels.
    pub channels: u32,
    /// Height and width of y.
    pub y: [u32; 2],
    /// Height and width of the window.
    pub kernel: [u32; 2],
    /// Steps of the window.
    pub stride: [u32; 2],
    /// Padding above and on the left.
    pub pad: [i32; 2],
    /// Zero points of x and y.
    pub zeros: [i32; 2],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// Mantissa and shift of what sums are multiplied by.
    pub factor: [i32; 2],
    /// What sums are multiplied by; for means the scales of x and y.
    pub reals: [f32; 2],
    /// How many elements a mean is of; 0: as many as are under the window.
    pub taps: u32,
    /// A third dimension, whose taps are next to each other.
    pub depth: Depth,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedPoolParams = dispatch.params();
    let op = QuantisedPoolOp::read(dispatch, "OP");
    let x = super::narrow(memory, &dispatch.inputs[0]);
    let y: Vec<i64> = (0..params.count)
        .map(|i| {
            let under = params.under(i, &x);
            let y = match op {
                QuantisedPoolOp::Largest => under.into_iter().max().unwrap_or(params.range[0]),
                QuantisedPoolOp::Mean => QuantisedPoolParams::mean(&under),
                QuantisedPoolOp::ScaledSum => params.scaled(&under),
                QuantisedPoolOp::RealSum => params.real_sum(&under),
                QuantisedPoolOp::RealMean => params.real_mean(&under),
            };
            i64::from(y.clamp(params.range[0], params.range[1]))
        })
        .collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}

impl QuantisedPoolParams {
    /// Towards zero after half of the number was added to the size.
    fn mean(under: &[i32]) -> i32 {
        let number = i32::try_from(under.len().max(1)).unwrap_or(i32::MAX);
        let (sum, half) = (under.iter().sum::<i32>(), number / 2);
        (if sum > 0 { sum + half } else { sum - half }) / number
    }

    fn scaled(&self, under: &[i32]) -> i32 {
        let [mantissa, shift] = self.factor;
        let sum = under.iter().map(|x| x - self.zeros[0]).sum();
        Factor { mantissa, shift }
            .times(sum)
            .wrapping_add(self.zeros[1])
    }

    #[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
    fn real_sum(&self, under: &[i32]) -> i32 {
        let sum: i32 = under.iter().map(|x| x - self.zeros[0]).sum();
        element(sum as f32 * self.reals[0]).wrapping_add(self.zeros[1])
    }

    #[expect(clippy::cast_precision_loss, reason = "they have 9 bits, or are few")]
    fn real_mean(&self, under: &[i32]) -> i32 {
        let real = |x: &i32| (x - self.zeros[0]) as f32 * self.reals[0];
        let sum = under.iter().map(real).fold(0.0, |sum: f32, x| sum + x);
        let taps = match self.taps {
            0 => under.len() as f32,
            taps => taps as f32,
        };
        element(sum / taps / self.reals[1] + self.zeros[1] as f32)
    }

    /// The elements under the window of element `i` of y.
    fn under(&self, i: u32, x: &[i32]) -> Vec<i32> {
        let (c, pixel) = (i % self.channels, i / self.channels);
        let (column, line) = (pixel % self.y[1], pixel / self.y[1]);
        let (row, plane) = (line % self.y[0], line / self.y[0]);
        let Depth { more, .. } = self.depth;
        let (image, plane) = (plane / (more[1] + 1), plane % (more[1] + 1));
        let along = |d: usize, place: u32| {
            let (stride, pad, kernel, size) = match d {
                2 => (self.depth.stride, self.depth.pad, more[2] + 1, more[0] + 1),
                _ => (self.stride[d], self.pad[d], self.kernel[d], self.x[d]),
            };
            let start = i64::from(place * stride) - i64::from(pad);
            let end = start + i64::from(kernel);
            start.max(0)..end.min(i64::from(size))
        };
        let planes = i64::from(image * (more[0] + 1));
        let mut under = Vec::new();
        for z in along(2, plane) {
            for r in along(0, row) {
                for s in along(1, column) {
                    let line = (planes + z) * i64::from(self.x[0]) + r;
                    let pixel = line * i64::from(self.x[1]) + s;
                    let at = pixel * i64::from(self.channels) + i64::from(c);
                    under.extend(usize::try_from(at).ok().and_then(|at| x.get(at)));
                }
            }
        }
        under
    }
}
