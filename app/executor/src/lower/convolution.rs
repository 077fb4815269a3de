//! Convolutions of every kind → one dispatch: which kernel, and how its threads are laid out.

use planner::{Message, message};

use super::activation::Activation;
use super::call::all_floats;
use super::window::{Image, Layout, Window, four};
use crate::kernels::{self, ConvParams, GROUP, Kernel, grid};
use crate::recording::{Dispatch, Operand};

/// Rows of a thread of the depthwise kernel.
const ROWS: u32 = 8;
/// Pixels of a thread.
const PIXELS: u32 = 4;

/// The operands of a convolution and how they belong together.
pub(crate) struct Convolution<'a> {
    pub(crate) x: &'a Operand,
    pub(crate) w: &'a Operand,
    pub(crate) bias: Option<&'a Operand>,
    pub(crate) y: &'a Operand,
    /// Of `x` and `y`.
    pub(crate) layout: Layout,
    pub(crate) groups: u32,
    /// From the input to the output; from the output to the input where it is transposed.
    pub(crate) window: Window,
    pub(crate) transposed: bool,
    pub(crate) weights: WeightStrides,
    pub(crate) activation: Activation,
}

/// Strides of the weights in elements.
pub(crate) struct WeightStrides {
    /// From group to group.
    pub(crate) group: u32,
    /// From output channel to output channel of a group.
    pub(crate) filter: u32,
    /// From input channel to input channel of a group.
    pub(crate) channel: u32,
    /// From tap to tap.
    pub(crate) tap: u32,
}

impl Convolution<'_> {
    /// The dispatch.
    ///
    /// # Errors
    /// When shapes do not belong together, or an operand is no float.
    pub(crate) fn dispatch(&self) -> Result<Dispatch, Message> {
        let Self { x, w, y, .. } = *self;
        all_floats([x, w, y].into_iter().chain(self.bias))?;
        let (from, to) = (Image::of(x, self.layout)?, Image::of(y, self.layout)?);
        let groups = self.groups;
        let (inputs, outputs) = (from.channels / groups.max(1), to.channels / groups.max(1));
        let mut sizes = self.window.kernel.into_iter().chain([inputs, to.channels]);
        let weights = sizes.try_fold(1_u32, |n, size| n.checked_mul(size));
        let fits = from.batch == to.batch
            && u64::from(inputs) * u64::from(groups) == u64::from(from.channels)
            && u64::from(outputs) * u64::from(groups) == u64::from(to.channels)
            && groups > 0
            && weights == Some(w.len())
            && self.bias.is_none_or(|bias| bias.len() == to.channels);
        if !fits {
            let (x, w, y) = (&x.dims, &w.dims, &y.dims);
            return Err(message!(
                "weights of {} in {} groups do not lead from {} to {}",
                format_args!("{w:?}"),
                groups,
                format_args!("{x:?}"),
                format_args!("{y:?}")
            ));
        }
        let volume = self.window.has_depth(from.size, to.size);
        if inputs == 1 && !self.transposed && !volume {
            return self.depthwise(&from, &to);
        }
        let tile = tile(outputs);
        let pixels = to.pixels();
        let lanes = lanes(pixels);
        let units = to.batch * groups * outputs.div_ceil(tile);
        let params = ConvParams {
            units,
            tiles: outputs.div_ceil(tile),
            lanes,
            blocks: pixels.div_ceil(PIXELS * lanes),
            ..self.params(&from, &to)
        };
        let padded = self.transposed || self.window.leaves(from.size, to.size);
        let number = units.div_ceil(GROUP / lanes).checked_mul(params.blocks);
        let grid = kernels::groups(number.ok_or_else(|| message!("it has too many pixels"))?);
        let window = &self.window;
        let pointwise = window.kernel == [1; 3] && window.stride == [1; 3] && from.size == to.size;
        let dispatch = self.on(Kernel::Conv, &params, grid);
        Ok(dispatch
            .constant("TILE", tile)
            .constant("TRANSPOSED", u32::from(self.transposed))
            .constant("PADDED", u32::from(padded))
            .constant("POINTWISE", u32::from(pointwise && !padded))
            .constant("VOLUME", u32::from(volume)))
    }

    /// One thread per eight rows of a column.
    fn depthwise(&self, from: &Image, to: &Image) -> Result<Dispatch, Message> {
        let blocks = to.size[1].div_ceil(ROWS);
        let threads = [to.batch, to.channels, blocks, to.size[2]];
        let units = threads
            .iter()
            .try_fold(1_u32, |n, &size| n.checked_mul(size));
        let params = ConvParams {
            units: units.ok_or_else(|| message!("it has too many pixels"))?,
            blocks,
            ..self.params(from, to)
        };
        let rolling = self.window.stride[1] == self.window.dilation[1];
        let dispatch = self.on(Kernel::Depthwise, &params, grid(params.units));
        Ok(dispatch
            .constant(
                "CHANNELS_LAST",
                u32::from(self.layout == Layout::ChannelsLast),
            )
            .constant("ROLLING", u32::from(rolling)))
    }

    fn on(&self, kernel: Kernel, params: &ConvParams, grid: [u32; 3]) -> Dispatch {
        Dispatch::new(kernel, params, grid)
            .reads([self.x, self.w].into_iter().chain(self.bias))
            .writes(self.y)
            .constant("BIAS", u32::from(self.bias.is_some()))
            .constant("ACTIVATION", self.activation.code())
    }

    /// What all kernels need; how the threads are laid out is left open.
    fn params(&self, from: &Image, to: &Image) -> ConvParams {
        ConvParams {
            groups: self.groups,
            inputs: from.channels / self.groups.max(1),
            outputs: to.channels / self.groups.max(1),
            pixels: to.pixels(),
            size: four(from.size),
            result: four(to.size),
            kernel: four(self.window.kernel),
            stride: four(self.window.stride),
            dilation: four(self.window.dilation),
            pad: four(self.window.pad),
            x_space: from.space_strides(),
            x_batch: from.batch_stride,
            x_channel: from.channel_stride,
            w_group: self.weights.group,
            w_filter: self.weights.filter,
            w_channel: self.weights.channel,
            w_tap: self.weights.tap,
            y_batch: to.batch_stride,
            y_channel: to.channel_stride,
            y_pixel: to.pixel_stride,
            alpha: self.activation.alpha,
            beta: self.activation.beta,
            ..ConvParams::default()
        }
    }
}

/// Output channels of a thread: few would leave most of a large tile idle.
fn tile(outputs: u32) -> u32 {
    match outputs {
        0 | 1 => 1,
        2..=4 => 4,
        _ => 8,
    }
}

/// Threads of a workgroup that lie side by side over pixels: as many as keep idle threads
/// below a tenth.
fn lanes(pixels: u32) -> u32 {
    let busy = |lanes: u32| u64::from(pixels.div_ceil(PIXELS * lanes)) * u64::from(lanes);
    let least = [64, 32, 16, 8, 4]
        .map(busy)
        .into_iter()
        .min()
        .unwrap_or_default();
    let good = |&lanes: &u32| busy(lanes) * 10 <= least * 11;
    [64, 32, 16, 8].into_iter().find(good).unwrap_or(4)
}
