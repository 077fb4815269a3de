//! Convolutions and pooling: windows that slide over the spatial dimensions.

use crate::graph::DType;
use crate::graph::infer::{Call, InferredOutput, Outputs, Unsized};
use crate::message;

/// The window of a convolution or pooling operator.
struct Window {
    kernel: Vec<u64>,
    strides: Vec<u64>,
    dilations: Vec<u64>,
    /// Begins, then ends; may be negative, which crops.
    pads: Vec<i64>,
}

impl Window {
    /// Reads the attributes; `kernel` stands in for a missing `kernel_shape`.
    fn of(call: &Call<'_>, spatial: usize, kernel: Option<&[u64]>) -> Result<Self, Unsized> {
        let sizes = |name: &str| -> Result<Option<Vec<u64>>, Unsized> {
            let Some(list) = call.op.ints(name) else {
                return Ok(None);
            };
            if list.len() != spatial {
                return Err(call.invalid(message!("{} {}", name, format_args!("{list:?}"))));
            }
            let positive = |&x: &i64| match call.size(x)? {
                0 => Err(call.invalid(message!("{} {}", name, format_args!("{list:?}")))),
                size => Ok(size),
            };
            list.iter()
                .map(positive)
                .collect::<Result<_, _>>()
                .map(Some)
        };
        let kernel = match sizes("kernel_shape")? {
            Some(kernel) => kernel,
            None => match kernel {
                Some(kernel) => kernel.to_vec(),
                None => return Err(call.invalid(message!("no kernel_shape"))),
            },
        };
        let pads = match call.op.ints("pads") {
            Some(pads) if pads.len() == 2 * spatial => pads.to_vec(),
            Some(pads) => return Err(call.invalid(message!("pads {}", format_args!("{pads:?}")))),
            None => vec![0; 2 * spatial],
        };
        if kernel.len() != spatial {
            return Err(call.invalid(message!("a kernel {}", format_args!("{kernel:?}"))));
        }
        Ok(Self {
            kernel,
            strides: sizes("strides")?.unwrap_or_else(|| vec![1; spatial]),
            dilations: sizes("dilations")?.unwrap_or_else(|| vec![1; spatial]),
            pads,
        })
    }

    /// Elements that the window spans along `axis`: `(kernel - 1) * dilation + 1`.
    fn extent(&self, axis: usize) -> Option<u64> {
        let steps = self.kernel[axis].checked_sub(1)?;
        steps.checked_mul(self.dilations[axis])?.checked_add(1)
    }

    /// How often the window fits into `size` elements along `axis`.
    fn positions(&self, call: &Call<'_>, size: u64, axis: usize) -> Result<u64, Unsized> {
        let stride = self.strides[axis];
        let extent = self.extent(axis).ok_or_else(|| call.too_large())?;
        match call.op.text("auto_pad") {
            Some("SAME_UPPER" | "SAME_LOWER") => return Ok(size.div_ceil(stride)),
            Some("VALID") => {
                let room = size.checked_sub(extent);
                return match room {
                    Some(room) => Ok(room / stride + 1),
                    None => Err(call.invalid(message!("a window of {} over {}", extent, size))),
                };
            }
            _ => {}
        }
        let spatial = self.kernel.len();
        let (begin, end) = (self.pads[axis], self.pads[spatial + axis]);
        let padded = size
            .checked_add_signed(begin)
            .and_then(|x| x.checked_add_signed(end));
        let room = padded.and_then(|padded| padded.checked_sub(extent));
        let small = || call.invalid(message!("a window of {} over {}", extent, size));
        let room = room.ok_or_else(small)?;
        if !call.flag("ceil_mode") {
            return Ok(room / stride + 1);
        }
        // A last window must begin inside the tensor or its padding in front.
        let count = room.div_ceil(stride) + 1;
        let inside = size.checked_add_signed(begin).ok_or_else(small)?;
        let last = (count - 1).checked_mul(stride);
        Ok(if last.is_some_and(|last| last >= inside) {
            count - 1
        } else {
            count
        })
    }
}

/// Batch, channels and spatial dimensions of the input at 0.
fn image<'a>(call: &Call<'a>) -> Result<(u64, u64, &'a [u64]), Unsized> {
    match call.dims(0)? {
        [batch, channels, spatial @ ..] => Ok((*batch, *channels, spatial)),
        dims => Err(call.invalid(message!("an image of {}", format_args!("{dims:?}")))),
    }
}

fn windows(
    call: &Call<'_>,
    batch: u64,
    channels: u64,
    spatial: &[u64],
    window: &Window,
) -> Result<Vec<u64>, Unsized> {
    let mut dims = vec![batch, channels];
    for (axis, &size) in spatial.iter().enumerate() {
        dims.push(window.positions(call, size, axis)?);
    }
    Ok(dims)
}

pub(super) fn convolution(call: &Call<'_>, weights: usize, dtype: Option<DType>) -> Outputs {
    let (batch, channels, spatial) = image(call)?;
    let weights = call.dims(weights)?;
    let [filters, per_group, kernel @ ..] = weights else {
        return Err(call.invalid(message!("weights of {}", format_args!("{weights:?}"))));
    };
    let group = call.size(call.int("group", 1))?;
    if per_group.checked_mul(group) != Some(channels) || kernel.len() != spatial.len() {
        return Err(call.invalid(message!(
            "weights of {} for {} channels",
            format_args!("{weights:?}"),
            channels
        )));
    }
    let window = Window::of(call, spatial.len(), Some(kernel))?;
    let dims = windows(call, batch, *filters, spatial, &window)?;
    Ok(vec![InferredOutput::new(dtype, dims)])
}

pub(super) fn transposed(call: &Call<'_>) -> Outputs {
    let (batch, channels, spatial) = image(call)?;
    let weights = call.dims(1)?;
    let [inputs, per_group, kernel @ ..] = weights else {
        return Err(call.invalid(message!("weights of {}", format_args!("{weights:?}"))));
    };
    if *inputs != channels || kernel.len() != spatial.len() {
        return Err(call.invalid(message!(
            "weights of {} for {} channels",
            format_args!("{weights:?}"),
            channels
        )));
    }
    let group = call.size(call.int("group", 1))?;
    let window = Window::of(call, spatial.len(), Some(kernel))?;
    let filters = per_group
        .checked_mul(group)
        .ok_or_else(|| call.too_large())?;
    let mut dims = vec![batch, filters];
    let given = call.op.ints("output_shape");
    for (axis, &size) in spatial.iter().enumerate() {
        let given = given.and_then(|shape| {
            let skipped = shape.len().saturating_sub(spatial.len());
            shape.get(skipped + axis)
        });
        dims.push(match given {
            Some(&size) => call.size(size)?,
            None => transposed_size(call, &window, size, axis)?,
        });
    }
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

fn transposed_size(
    call: &Call<'_>,
    window: &Window,
    size: u64,
    axis: usize,
) -> Result<u64, Unsized> {
    let stride = window.strides[axis];
    let same = matches!(call.op.text("auto_pad"), Some("SAME_UPPER" | "SAME_LOWER"));
    if same {
        return size.checked_mul(stride).ok_or_else(|| call.too_large());
    }
    let extra = call
        .op
        .ints("output_padding")
        .and_then(|list| list.get(axis));
    let full = || {
        let steps = size.checked_sub(1)?.checked_mul(stride)?;
        let full = steps.checked_add(window.extent(axis)?)?;
        full.checked_add_signed(extra.copied().unwrap_or(0))
    };
    let spatial = window.kernel.len();
    let full = full().ok_or_else(|| call.invalid(message!("over {} elements", size)))?;
    let begin = full.checked_add_signed(window.pads[axis].saturating_neg());
    let end =
        begin.and_then(|x| x.checked_add_signed(window.pads[spatial + axis].saturating_neg()));
    end.ok_or_else(|| call.invalid(message!("more padding than output")))
}

fn pool(call: &Call<'_>) -> Result<InferredOutput, Unsized> {
    let (batch, channels, spatial) = image(call)?;
    let window = Window::of(call, spatial.len(), None)?;
    let dims = windows(call, batch, channels, spatial, &window)?;
    Ok(InferredOutput::new(call.need(0)?.dtype, dims))
}

/// A pool of one output.
pub(super) fn one_pool(call: &Call<'_>) -> Outputs {
    Ok(vec![pool(call)?])
}

/// A pool that also says where its elements were.
pub(super) fn max_pool(call: &Call<'_>) -> Outputs {
    let made = pool(call)?;
    let indices = InferredOutput::new(DType::I64, made.dims.clone());
    Ok(vec![made, indices])
}

/// Every spatial dimension becomes 1.
pub(super) fn global_pool(call: &Call<'_>) -> Outputs {
    let (batch, channels, spatial) = image(call)?;
    let mut dims = vec![batch, channels];
    dims.resize(spatial.len() + 2, 1);
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

pub(super) fn unpool(call: &Call<'_>) -> Outputs {
    let dtype = call.need(0)?.dtype;
    if call.input(2).is_some() {
        return Ok(vec![InferredOutput::new(
            dtype,
            call.sizes(call.elements(2)?)?,
        )]);
    }
    let (batch, channels, spatial) = image(call)?;
    let window = Window::of(call, spatial.len(), None)?;
    let mut dims = vec![batch, channels];
    for (axis, &size) in spatial.iter().enumerate() {
        dims.push(transposed_size(call, &window, size, axis)?);
    }
    Ok(vec![InferredOutput::new(dtype, dims)])
}

/// One image per region, of the sides that two attributes name.
pub(super) fn roi_align(call: &Call<'_>) -> Outputs {
    let sides = ["output_height", "output_width"].map(|name| call.int(name, 1));
    roi(call, Some(&sides))
}

/// One image of `side`s per region.
pub(super) fn roi(call: &Call<'_>, sides: Option<&[i64]>) -> Outputs {
    let (_, channels, _) = image(call)?;
    let regions = call.dims(1)?.first().copied();
    let (Some(regions), Some(sides)) = (regions, sides) else {
        return Err(call.invalid(message!("no regions or no size")));
    };
    let mut dims = vec![regions, channels];
    for &side in sides {
        dims.push(call.size(side)?);
    }
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

pub(super) fn col2im(call: &Call<'_>) -> Outputs {
    let block = call.elements(2)?;
    let mut block_size = 1_u64;
    for &side in block {
        let side = call.size(side)?;
        block_size = block_size
            .checked_mul(side)
            .ok_or_else(|| call.too_large())?;
    }
    let [batch, columns, ..] = call.dims(0)? else {
        return Err(call.invalid(message!("fewer than two dimensions")));
    };
    let channels = columns.checked_div(block_size);
    let mut dims = vec![
        *batch,
        channels.ok_or_else(|| call.invalid(message!("an empty block")))?,
    ];
    for &side in call.elements(1)? {
        dims.push(call.size(side)?);
    }
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}
