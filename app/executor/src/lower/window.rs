//! Windows over images: sizes, steps and padding of convolutions and pools, in up to three
//! spatial dimensions, whichever way the channels lie.

use planner::{Message, message};

use crate::kernels::Depth;
use crate::recording::Operand;

/// Spatial dimensions of the kernels: depth, height, width.
pub(crate) const SPACE: usize = 3;

/// Largest coordinate that the kernels reach, padding included.
const REACH: i64 = 1 << 30;

/// Where the channels of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Batch, channels, space: ONNX.
    ChannelsFirst,
    /// Batch, space, channels: TFLite.
    ChannelsLast,
}

/// Sizes of an image and its strides in elements. Spatial dimensions that it lacks are 1 and
/// lie in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) batch: u32,
    pub(crate) channels: u32,
    pub(crate) size: [u32; SPACE],
    /// From image to image.
    pub(crate) batch_stride: u32,
    /// From channel to channel.
    pub(crate) channel_stride: u32,
    /// From pixel to pixel.
    pub(crate) pixel_stride: u32,
}

/// How a window steps over an image, by spatial dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Number of taps.
    pub(crate) kernel: [u32; SPACE],
    /// Steps.
    pub(crate) stride: [u32; SPACE],
    /// Distance of taps.
    pub(crate) dilation: [u32; SPACE],
    /// Padding in front.
    pub(crate) pad: [i32; SPACE],
    /// Padding after.
    pub(crate) pad_end: [i32; SPACE],
}

/// How an operator says its padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding<'a> {
    /// Begins, then ends.
    Explicit(&'a [i64]),
    /// As much as the output's size asks for; an odd rest lies at the end.
    SameUpper,
    /// As much as the output's size asks for; an odd rest lies in front.
    SameLower,
    /// None.
    Valid,
}

impl Image {
    /// The image in `operand`.
    ///
    /// # Errors
    /// When it has no or more than three spatial dimensions.
    pub(crate) fn of(operand: &Operand, layout: Layout) -> Result<Self, Message> {
        let refused = || {
            let dims = &operand.dims;
            message!(
                "an image of {}: there is a kernel for 1 to 3 spatial dimensions",
                format_args!("{dims:?}")
            )
        };
        let (batch, channels, space) = match (layout, operand.dims.as_slice()) {
            (Layout::ChannelsFirst, [batch, channels, space @ ..])
            | (Layout::ChannelsLast, [batch, space @ .., channels]) => (*batch, *channels, space),
            _ => return Err(refused()),
        };
        if space.is_empty() {
            return Err(refused());
        }
        let size = in_front(space, 1).ok_or_else(refused)?;
        let pixels = product(&size);
        let (channel_stride, pixel_stride) = match layout {
            Layout::ChannelsFirst => (pixels, 1),
            Layout::ChannelsLast => (1, channels),
        };
        Ok(Self {
            batch,
            channels,
            size,
            batch_stride: pixels.wrapping_mul(channels),
            channel_stride,
            pixel_stride,
        })
    }

    /// Pixels of one channel.
    pub(crate) fn pixels(&self) -> u32 {
        product(&self.size)
    }

    /// Strides along depth, height and width, and a word of padding.
    pub(crate) fn space_strides(&self) -> [u32; 4] {
        let row = self.pixel_stride.wrapping_mul(self.size[2]);
        [row.wrapping_mul(self.size[1]), row, self.pixel_stride, 0]
    }
}

/// The product of sizes; of no use, but no panic either, where they overflow: that can only be
/// where another dimension is 0 and nothing is computed.
pub(crate) fn product(sizes: &[u32]) -> u32 {
    sizes.iter().fold(1, |n, &size| n.wrapping_mul(size))
}

/// Three numbers, those that are missing put in front.
fn in_front<T: Copy>(list: &[T], missing: T) -> Option<[T; SPACE]> {
    let mut all = [missing; SPACE];
    all[SPACE.checked_sub(list.len())?..].copy_from_slice(list);
    Some(all)
}

fn extent(kernel: u32, dilation: u32) -> i64 {
    (i64::from(kernel) - 1) * i64::from(dilation) + 1
}

impl Window {
    /// A window of `kernel` with steps and distances as attributes give them; 1 where they
    /// are left out. It is not padded yet.
    ///
    /// # Errors
    /// When there are not as many numbers as dimensions, or one of them is not positive.
    pub(crate) fn of(
        kernel: &[u32],
        stride: Option<&[i64]>,
        dilation: Option<&[i64]>,
    ) -> Result<Self, Message> {
        let numbers = |list: Option<&[i64]>| {
            let ones = vec![1; kernel.len()];
            let list = list.unwrap_or(&ones);
            let all = in_front(list, 1).filter(|_| list.len() == kernel.len());
            let all = all.ok_or_else(|| {
                message!(
                    "{} for {} dimensions",
                    format_args!("{list:?}"),
                    kernel.len()
                )
            })?;
            positive(all).ok_or_else(|| message!("{} is out of range", format_args!("{list:?}")))
        };
        let taps = in_front(kernel, 1).and_then(|kernel| positive(kernel.map(i64::from)));
        Ok(Self {
            kernel: taps.ok_or_else(|| message!("a window of {}", format_args!("{kernel:?}")))?,
            stride: numbers(stride)?,
            dilation: numbers(dilation)?,
            pad: [0; SPACE],
            pad_end: [0; SPACE],
        })
    }

    /// With the padding under which the window goes from an image of `size` to `result`. A
    /// transposed convolution passes them the other way round.
    ///
    /// # Errors
    /// When it is out of range.
    pub(crate) fn padded(
        mut self,
        padding: Padding<'_>,
        size: [u32; SPACE],
        result: [u32; SPACE],
    ) -> Result<Self, Message> {
        for d in 0..SPACE {
            let steps = (i64::from(result[d]) - 1).saturating_mul(i64::from(self.stride[d]));
            let reach = steps.saturating_add(extent(self.kernel[d], self.dilation[d]));
            let total = (reach - i64::from(size[d])).max(0);
            let (begin, end) = match padding {
                Padding::Explicit(pads) => explicit(pads, d),
                Padding::SameUpper => (total / 2, total - total / 2),
                Padding::SameLower => (total - total / 2, total / 2),
                Padding::Valid => (0, 0),
            };
            let far = [
                reach,
                begin.saturating_abs(),
                end.saturating_abs(),
                i64::from(size[d]),
            ];
            if far.iter().any(|&far| far > REACH) {
                return Err(message!("its window reaches beyond 2^30 elements"));
            }
            let narrow = |n: i64| i32::try_from(n).unwrap_or_default();
            (self.pad[d], self.pad_end[d]) = (narrow(begin), narrow(end));
        }
        Ok(self)
    }

    /// The third dimension of a window from an image onto another, for kernels of integers.
    pub(crate) fn depth(&self, from: &Image, to: &Image) -> Depth {
        let beyond = |count: u32| count.saturating_sub(1);
        let [plane, ..] = from.space_strides();
        match self.has_depth(from.size, to.size) {
            false => Depth::default(),
            true => Depth {
                more: [from.size[0], to.size[0], self.kernel[0]].map(beyond),
                stride: self.stride[0],
                dilation: self.dilation[0],
                pad: self.pad[0],
                plane,
            },
        }
    }

    /// Whether there is depth: more than the only tap at the only layer.
    pub(crate) fn has_depth(&self, size: [u32; SPACE], result: [u32; SPACE]) -> bool {
        let alone = [size[0], result[0], self.kernel[0]] == [1; SPACE];
        !alone || (self.pad[0], self.pad_end[0]) != (0, 0)
    }

    /// Whether a tap of a window on `result` can lie outside of `size`.
    pub(crate) fn leaves(&self, size: [u32; SPACE], result: [u32; SPACE]) -> bool {
        (0..SPACE).any(|d| {
            let steps = (i64::from(result[d]) - 1) * i64::from(self.stride[d]);
            let end = steps - i64::from(self.pad[d]) + extent(self.kernel[d], self.dilation[d]);
            self.pad[d] > 0 || end > i64::from(size[d])
        })
    }
}

/// Begin and end along dimension `d` of three, from a list of begins, then ends.
fn explicit(pads: &[i64], d: usize) -> (i64, i64) {
    let spatial = pads.len() / 2;
    match (d + spatial).checked_sub(SPACE) {
        Some(at) => (pads[at], pads[spatial + at]),
        None => (0, 0),
    }
}

fn positive(all: [i64; SPACE]) -> Option<[u32; SPACE]> {
    let fits = all.iter().all(|n| (1..REACH).contains(n));
    fits.then(|| all.map(|n| u32::try_from(n).unwrap_or(1)))
}

/// Three sizes and a word of padding, as uniforms have them.
pub(crate) fn four<T: Copy + Default>([z, y, x]: [T; SPACE]) -> [T; 4] {
    [z, y, x, T::default()]
}
