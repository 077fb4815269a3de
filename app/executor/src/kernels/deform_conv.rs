//! y = the sum of x at the shifted places of a window times a filter, plus a bias (Dai et al.,
//! "Deformable Convolutional Networks", 2017; the mask is that of Zhu et al., 2018).

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `BIAS` and `MASK` are 1 where there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DeformConvParams {
    /// Number of elements of y.
    pub count: u32,
    /// Channels, height and width of x.
    pub x: [u32; 3],
    /// Channels, height and width of y.
    pub y: [u32; 3],
    /// Channels of x and of y in a group.
    pub group: [u32; 2],
    /// Channels of x that are shifted alike.
    pub shifted: u32,
    /// Height and width of a filter.
    pub kernel: [u32; 2],
    /// Steps of the window.
    pub stride: [u32; 2],
    /// Distances of its taps.
    pub dilation: [u32; 2],
    /// Padding above and on the left.
    pub pad: [i32; 2],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: DeformConvParams = dispatch.params();
    let floats = |at: usize| memory.floats(&dispatch.inputs[at]);
    let (x, w, offsets) = (floats(0), floats(1), floats(2));
    let bias = (dispatch.value_of("BIAS") == 1).then(|| floats(3));
    let mask = (dispatch.value_of("MASK") == 1).then(|| floats(4));
    let [channels, height, width] = params.x.map(|it| it as usize);
    let [filters, rows, columns] = params.y.map(|it| it as usize);
    let [inputs, outputs] = params.group.map(|it| it as usize);
    let shifted = params.shifted as usize;
    let pixels = rows * columns;
    let taps = (params.kernel[0] * params.kernel[1]) as usize;
    let mut y = Vec::with_capacity(params.count as usize);
    for i in 0..params.count as usize {
        let (image, filter, spot) = (i / pixels / filters, i / pixels % filters, i % pixels);
        let mut sum = bias.as_ref().map_or(0.0, |bias| f64::from(bias[filter]));
        for k in 0..inputs {
            let channel = filter / outputs * inputs + k;
            let plane = &x[(image * channels + channel) * height * width..][..height * width];
            let part = image * (channels / shifted) + channel / shifted;
            for tap in 0..taps {
                let place = params.place((spot / columns, spot % columns), tap);
                let at = part * taps + tap;
                let shift = |d: usize| offsets[(2 * at + d) * pixels + spot];
                let [v, h] = [place[0] + shift(0), place[1] + shift(1)];
                let scale = mask
                    .as_ref()
                    .map_or(1.0, |mask| f64::from(mask[at * pixels + spot]));
                let weight = f64::from(w[(filter * inputs + k) * taps + tap]);
                sum += params.sample(plane, v.into(), h.into()) * scale * weight;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
        y.push(sum as f32);
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

impl DeformConvParams {
    /// Where a tap lies before it is shifted.
    #[expect(clippy::cast_precision_loss, reason = "windows reach at most 2^30")]
    fn place(&self, (row, column): (usize, usize), tap: usize) -> [f32; 2] {
        let tap = [tap / self.kernel[1] as usize, tap % self.kernel[1] as usize];
        [(0, row), (1, column)].map(|(d, at)| {
            let steps = at * self.stride[d] as usize + tap[d] * self.dilation[d] as usize;
            steps as f32 - self.pad[d] as f32
        })
    }

    /// The weighted sum of the elements that are less than one element away.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places are inside of x"
    )]
    fn sample(&self, plane: &[f32], v: f64, h: f64) -> f64 {
        let [_, height, width] = self.x.map(f64::from);
        let near = |place: f64, size: f64| {
            [place.floor(), place.floor() + 1.0]
                .into_iter()
                .filter(move |at| (0.0..size).contains(at))
                .map(move |at| (at as usize, 1.0 - (place - at).abs()))
        };
        let mut sum = 0.0;
        for (row, down) in near(v, height) {
            for (column, right) in near(h, width) {
                sum += down * right * f64::from(plane[row * self.x[2] as usize + column]);
            }
        }
        sum
    }
}
