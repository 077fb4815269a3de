//! y = the sum of x under a window times a filter, plus a bias, of floats and filters of 8 bits:
//! each image of x becomes integers of 8 bits by its own range first. This is LiteRT's dynamic
//! range quantisation (`hybrid` in its kernels), with every rounding of its reference kernels.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct HybridParams {
    /// Images, and workgroups that share one.
    pub images: [u32; 2],
    /// Height, width and channels of x.
    pub x: [u32; 3],
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
    /// Strides of the filters: by filter, by tap, by channel.
    pub w: [u32; 3],
    /// What y is not below, and not above.
    pub ends: [f32; 2],
    /// 0.
    pub none: u32,
    /// Elements of the output before each that is written.
    pub gap: u32,
    /// Images of x: each is met by as many matrices of filters as there are images of y for it.
    pub given: u32,
    /// Images of y that one matrix of filters makes, and elements from one matrix to the next.
    pub matrix: [u32; 2],
}

/// Floats as integers of 8 bits, which begin at a zero point and are steps of a scale apart.
pub(super) struct Quantised {
    pub(super) elements: Vec<i32>,
    pub(super) scale: f32,
}

impl Quantised {
    /// By their own range, with a zero point or without.
    pub(super) fn of(x: &[f32], has_zero: bool) -> Self {
        match has_zero {
            true => asymmetric(x),
            false => symmetric(x),
        }
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: HybridParams = dispatch.params();
    let [x, scales, bias] = [0, 2, 3].map(|at| memory.floats(&dispatch.inputs[at]));
    let filters = super::narrow(memory, &dispatch.inputs[1]);
    let has = |name: &str| dispatch.value_of(name) == 1;
    let size: u32 = params.x.iter().product();
    let mut y = Vec::with_capacity(dispatch.outputs[0].len() as usize);
    let gap = params.gap as usize;
    for image in 0..params.images[0] {
        let start = (image % params.given * size) as usize;
        let elements = x.get(start..start + size as usize).unwrap_or_default();
        let quantised = Quantised::of(elements, has("ASYMMETRIC"));
        let [each, step] = params.matrix;
        let filters = &filters[(image / each * step) as usize..];
        for at in 0..params.y.iter().product() {
            let filter = at % params.y[2];
            #[expect(clippy::cast_precision_loss, reason = "LiteRT rounds it, too")]
            let sum = params.sum(&quantised.elements, filters, at) as f32;
            let (scale, own) = (quantised.scale, scales[filter as usize]);
            let real = match has("CHANNEL_FIRST") {
                true => sum * own * scale,
                false => sum * (scale * own),
            };
            let real = match has("BIAS") {
                true => real + bias[filter as usize],
                false => real,
            };
            let [low, high] = params.ends;
            y.push(real.max(low).min(high));
        }
    }
    if gap == 0 {
        return memory.put_floats(&dispatch.outputs[0], &y);
    }
    let mut all = memory.floats(&dispatch.outputs[0]);
    for (place, value) in all.iter_mut().skip(gap).step_by(gap + 1).zip(y) {
        *place = value;
    }
    memory.put_floats(&dispatch.outputs[0], &all);
}

#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
fn symmetric(x: &[f32]) -> Quantised {
    let range = x.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let (scale, inverse) = match range == 0.0 {
        true => (1.0, 0.0),
        false => (range / 127.0, 127.0 / range),
    };
    let element = |x: &f32| ((x * inverse).round() as i32).clamp(-127, 127);
    Quantised {
        elements: x.iter().map(element).collect(),
        scale,
    }
}

/// With a zero point, which is subtracted.
#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
fn asymmetric(x: &[f32]) -> Quantised {
    let low = x.iter().copied().fold(0.0_f32, f32::min);
    let high = x.iter().copied().fold(0.0_f32, f32::max);
    // One is 0 or below, the other 0 or above: all elements are 0.
    if low >= high {
        let elements = vec![0; x.len()];
        return Quantised {
            elements,
            scale: 1.0,
        };
    }
    let step = f64::from(high - low) / 255.0;
    let (below, above) = (-f64::from(low) / step, f64::from(high) / step);
    // From the end that is nearer to zero.
    let zero = match 128.0 + below < 127.0 + above {
        true => below - 128.0,
        false => 127.0 - above,
    };
    let zero = zero.clamp(-128.0, 127.0).round() as f32;
    let scale = step as f32;
    let inverse = 1.0 / scale;
    let element = |x: &f32| ((zero + x * inverse).round() as i32).clamp(-128, 127) - zero as i32;
    Quantised {
        elements: x.iter().map(element).collect(),
        scale,
    }
}

impl HybridParams {
    /// The sum of element `at` of y.
    fn sum(&self, x: &[i32], filters: &[i32], at: u32) -> i32 {
        let [filter, pixel] = [at % self.y[2], at / self.y[2]];
        let place = [pixel / self.y[1], pixel % self.y[1]];
        let first = filter / self.group[1] * self.group[0];
        let mut sum = 0_i32;
        for tap in 0..self.kernel[0] * self.kernel[1] {
            let taps = [tap / self.kernel[1], tap % self.kernel[1]];
            let along = |axis: usize| {
                let forward = place[axis] * self.stride[axis] + taps[axis] * self.dilation[axis];
                let along = forward.checked_add_signed(-self.pad[axis]);
                along.filter(|&along| along < self.x[axis])
            };
            let (Some(row), Some(column)) = (along(0), along(1)) else {
                continue;
            };
            let from = (row * self.x[1] + column) * self.x[2] + first;
            let w = filter * self.w[0] + tap * self.w[1];
            for channel in 0..self.group[0] {
                let product = x[(from + channel) as usize]
                    .wrapping_mul(filters[(w + channel * self.w[2]) as usize]);
                sum = sum.wrapping_add(product);
            }
        }
        sum
    }
}
