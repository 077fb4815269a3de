//! Pools and the normalization over neighbouring channels → one dispatch each.

use super::activation::Activation;
use super::call::all_floats;
use super::window::{Image, Layout, Window, four, product};
use crate::kernels::{self, Kernel, LrnParams, PoolOp, PoolParams, grid};
use crate::recording::{Dispatch, Operand};
use planner::graph::DType;
use planner::{Message, message};

/// Pixels from which on a channel has a workgroup of its own: below, its barriers cost more.
const WORTH_A_GROUP: u32 = 1024;

/// A pool with its operands.
pub(crate) struct Pool<'a> {
    pub(crate) op: PoolOp,
    pub(crate) x: &'a Operand,
    pub(crate) y: &'a Operand,
    /// Places of the largest elements.
    pub(crate) indices: Option<&'a Operand>,
    pub(crate) layout: Layout,
    pub(crate) window: Window,
    pub(crate) padding_counts: bool,
    pub(crate) first_fastest: bool,
    /// Which norm.
    pub(crate) p: f32,
    pub(crate) activation: Activation,
}

impl Pool<'_> {
    /// The dispatch.
    ///
    /// # Errors
    /// When shapes do not belong together, or an operand is no float.
    pub(crate) fn dispatch(&self) -> Result<Dispatch, Message> {
        all_floats([self.x, self.y])?;
        let from = Image::of(self.x, self.layout)?;
        let to = Image::of(self.y, self.layout)?;
        let indices = self.indices;
        if (from.batch, from.channels) != (to.batch, to.channels)
            || indices.is_some_and(|at| at.dims != self.y.dims || at.dtype != DType::I64)
        {
            let (x, y) = (&self.x.dims, &self.y.dims);
            return Err(message!(
                "a pool does not lead from {} to {}",
                format_args!("{x:?}"),
                format_args!("{y:?}")
            ));
        }
        let kernel = self.window.kernel;
        let taps = kernel
            .iter()
            .try_fold(1_u32, |n, &side| n.checked_mul(side));
        if taps.is_none() {
            return Err(message!(
                "a window of {} elements",
                format_args!("{kernel:?}")
            ));
        }
        let params = PoolParams {
            count: self.y.len(),
            channels: match self.layout {
                Layout::ChannelsFirst => 1,
                Layout::ChannelsLast => to.channels,
            },
            padding_counts: u32::from(self.padding_counts),
            first_fastest: u32::from(self.first_fastest),
            size: four(from.size),
            result: four(to.size),
            kernel: four(self.window.kernel),
            stride: four(self.window.stride),
            dilation: four(self.window.dilation),
            pad: four(self.window.pad),
            pad_end: four(self.window.pad_end),
            p: self.p,
            alpha: self.activation.alpha,
            beta: self.activation.beta,
            nothing: 0,
        };
        if indices.is_none() && self.is_global(&from) {
            let grid = kernels::groups(self.y.len());
            return Ok(Dispatch::new(Kernel::GlobalPool, &params, grid)
                .reads([self.x])
                .writes(self.y)
                .constant("OP", self.op.code())
                .constant("ACTIVATION", self.activation.code()));
        }
        let volume = self.window.has_depth(from.size, to.size);
        let dispatch = Dispatch::new(Kernel::Pool, &params, grid(self.y.len()))
            .reads([self.x])
            .writes(self.y)
            .constant("OP", self.op.code())
            .constant(
                "CHANNELS_LAST",
                u32::from(self.layout == Layout::ChannelsLast),
            )
            .constant("VOLUME", u32::from(volume))
            .constant("INDICES", u32::from(indices.is_some()))
            .constant("ACTIVATION", self.activation.code());
        Ok(match indices {
            Some(indices) => dispatch.writes(indices),
            None => dispatch,
        })
    }
}

impl Pool<'_> {
    /// Whether one window takes in a large line of pixels, so that it is worth a workgroup.
    fn is_global(&self, from: &Image) -> bool {
        let window = &self.window;
        self.layout == Layout::ChannelsFirst
            && self.op != PoolOp::RootMeanSquare
            && from.size == window.kernel
            && from.size[..2] == [1, 1]
            && from.size[2] >= WORTH_A_GROUP
            && self.y.len() == from.batch * from.channels
            && (window.pad, window.pad_end) == ([0; 3], [0; 3])
            && window.dilation == [1; 3]
    }
}

/// Parameters of a normalization over neighbouring channels.
pub(crate) struct Neighbours {
    /// Channels in front that count.
    pub(crate) before: u32,
    /// Channels after that count.
    pub(crate) after: u32,
    /// Factor of the sum of squares.
    pub(crate) alpha: f32,
    /// Exponent.
    pub(crate) beta: f32,
    /// What is added to the sum.
    pub(crate) bias: f32,
}

/// y = x / (bias + alpha * sum of squares over neighbouring channels) ^ beta.
///
/// # Errors
/// When an operand is no float, or has no channels.
pub(crate) fn lrn(
    x: &Operand,
    y: &Operand,
    layout: Layout,
    neighbours: &Neighbours,
) -> Result<Dispatch, Message> {
    all_floats([x, y])?;
    let (channels, stride) = match (layout, x.dims.as_slice()) {
        (Layout::ChannelsFirst, [_, channels, space @ ..]) => (*channels, product(space)),
        (Layout::ChannelsLast, [.., channels]) => (*channels, 1),
        _ => return Err(message!("{} has no channels", format_args!("{:?}", x.dims))),
    };
    if x.dims != y.dims {
        return Err(message!(
            "it leads from {} to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let params = LrnParams {
        count: y.len(),
        channels,
        stride,
        before: neighbours.before,
        after: neighbours.after,
        alpha: neighbours.alpha,
        beta: neighbours.beta,
        bias: neighbours.bias,
    };
    Ok(Dispatch::new(Kernel::Lrn, &params, grid(y.len()))
        .reads([x])
        .writes(y))
}
