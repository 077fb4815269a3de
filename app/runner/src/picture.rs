//! Pictures as inputs: pixels become planes or interleaved channels from 0 to 1.

/// How the channels of a picture lie in a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `[1, channels, height, width]`, as ONNX models have it.
    Planes,
    /// `[1, height, width, channels]`, as TFLite models have it.
    Interleaved,
}

/// The size of the picture that a tensor takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// How its channels lie.
    pub layout: Layout,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 1 for grey, 3 for red, green and blue, 4 with opacity.
    pub channels: usize,
}

impl Frame {
    /// The picture that a tensor of these dimensions takes; `None` when it takes none.
    #[must_use]
    pub fn of(dims: &[u64]) -> Option<Self> {
        let [1, a, b, c] = *dims else { return None };
        let (layout, channels, height, width) = if [1, 3, 4].contains(&a) {
            (Layout::Planes, a, b, c)
        } else if [1, 3, 4].contains(&c) {
            (Layout::Interleaved, c, a, b)
        } else {
            return None;
        };
        let side = |side: u64| {
            u32::try_from(side)
                .ok()
                .filter(|side| (1..=8192).contains(side))
        };
        Some(Self {
            layout,
            width: side(width)?,
            height: side(height)?,
            channels: usize::try_from(channels).ok()?,
        })
    }

    /// The elements of the tensor, from 0 to 1, of pixels of four bytes (red, green, blue,
    /// opacity), row by row. Grey is the luma of ITU-R BT.601.
    #[must_use]
    pub fn elements(&self, rgba: &[u8]) -> Vec<f32> {
        let channel = |pixel: &[u8], channel: usize| match (self.channels, pixel) {
            (1, [red, green, blue, _]) => {
                let luma = 0.299 * f32::from(*red) + 0.587 * f32::from(*green);
                (luma + 0.114 * f32::from(*blue)) / 255.0
            }
            _ => f32::from(pixel[channel]) / 255.0,
        };
        let pixels = || rgba.chunks_exact(4);
        match self.layout {
            Layout::Planes => (0..self.channels)
                .flat_map(|plane| pixels().map(move |pixel| channel(pixel, plane)))
                .collect(),
            Layout::Interleaved => pixels()
                .flat_map(|pixel| (0..self.channels).map(move |plane| channel(pixel, plane)))
                .collect(),
        }
    }
}
