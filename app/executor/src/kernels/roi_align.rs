//! y = the mean or the largest of samples of x in each bin of a region.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Most samples along one side of a bin.
const MOST_SAMPLES: f32 = 1024.0;

/// Parameters, as the shader declares them. `LARGEST_OF` is 1 for the largest, `EXACT` is 1
/// where regions keep the sizes that they have and 0 where none is below one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RoiAlignParams {
    /// Number of elements of y.
    pub count: u32,
    /// Channels of x and y.
    pub channels: u32,
    /// Images of x.
    pub images: u32,
    /// Their height.
    pub height: u32,
    /// Their width.
    pub width: u32,
    /// Bins of a region from top to bottom.
    pub rows: u32,
    /// Bins from left to right.
    pub columns: u32,
    /// Samples along each side of a bin; 0 for one for each element.
    pub samples: u32,
    /// Elements of x for one of a region's units.
    pub scale: f32,
    /// What is taken off afterwards.
    pub offset: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: RoiAlignParams = dispatch.params();
    let largest = dispatch.value_of("LARGEST_OF") == 1;
    let exact = dispatch.value_of("EXACT") == 1;
    let x = memory.floats(&dispatch.inputs[0]);
    let regions = memory.floats(&dispatch.inputs[1]);
    let numbers = memory.ints(&dispatch.inputs[2]);
    let plane = params.height as usize * params.width as usize;
    let mut y = Vec::with_capacity(params.count as usize);
    for (region, &number) in regions.chunks_exact(4).zip(&numbers) {
        let image = number.clamp(0, i64::from(params.images) - 1);
        let image = usize::try_from(image).unwrap_or_default();
        for channel in 0..params.channels as usize {
            let first = (image * params.channels as usize + channel) * plane;
            let x = &x[first..first + plane];
            for row in 0..params.rows {
                let down = params.places((region[1], region[3]), (row, params.rows), exact);
                for column in 0..params.columns {
                    let ends = (region[0], region[2]);
                    let right = params.places(ends, (column, params.columns), exact);
                    y.push(params.bin(x, &down, &right, largest));
                }
            }
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

impl RoiAlignParams {
    /// The places of the samples of a bin along one side.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bins and samples are few"
    )]
    fn places(&self, (from, to): (f32, f32), (index, bins): (u32, u32), exact: bool) -> Vec<f32> {
        let start = from * self.scale - self.offset;
        let end = to * self.scale - self.offset;
        let size = if exact {
            end - start
        } else {
            (end - start).max(1.0)
        };
        let each = size / bins as f32;
        let samples = match self.samples {
            0 => each.ceil().clamp(0.0, MOST_SAMPLES) as u32,
            given => given,
        };
        let start = start + index as f32 * each;
        let place = |sample: u32| start + (sample as f32 + 0.5) * each / samples as f32;
        (0..samples).map(place).collect()
    }

    fn bin(&self, x: &[f32], down: &[f32], right: &[f32], largest: bool) -> f32 {
        let samples = down
            .iter()
            .flat_map(|&v| right.iter().map(move |&h| self.sample(x, v, h)));
        if largest {
            let most = samples.map(|four| four.into_iter().fold(f32::NEG_INFINITY, f32::max));
            return most.reduce(f32::max).unwrap_or_default();
        }
        let sum: f32 = samples.map(|four| four.into_iter().sum::<f32>()).sum();
        #[expect(clippy::cast_precision_loss, reason = "samples are few")]
        let count = (down.len() * right.len()).max(1) as f32;
        sum / count
    }

    /// The four elements around a place, each with its weight.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places are inside of x"
    )]
    fn sample(&self, x: &[f32], v: f32, h: f32) -> [f32; 4] {
        let (height, width) = (self.height as f32, self.width as f32);
        if !((-1.0..=height).contains(&v) && (-1.0..=width).contains(&h)) {
            return [0.0; 4];
        }
        let around = |place: f32, size: f32| {
            let place = place.clamp(0.0, size - 1.0);
            let low = place.floor();
            let high = (low + 1.0).min(size - 1.0);
            (low as usize, high as usize, place - low)
        };
        let (top, bottom, down) = around(v, height);
        let (left, far, along) = around(h, width);
        let at = |row: usize, column: usize| x[row * self.width as usize + column];
        [
            (1.0 - down) * (1.0 - along) * at(top, left),
            (1.0 - down) * along * at(top, far),
            down * (1.0 - along) * at(bottom, left),
            down * along * at(bottom, far),
        ]
    }
}
