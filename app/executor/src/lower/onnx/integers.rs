//! Operators on quantised elements: convolutions and products of integers of 8 bits, whose sums
//! are integers of 32 bits or elements again, and the quantisation that is found during the run.

use planner::graph::DType;

use super::window::{groups, padding, weights, window};
use crate::elements;
use crate::kernels::{
    DequantizeParams, DynamicRangeParams, Kernel, QuantisedConvParams, Scaling, typed_grid,
};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::table::table;
use crate::lower::window::{Image, Layout, product};
use crate::recording::{Dispatch, Operand};

/// The dispatches of an operator on quantised elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.kind.as_str() {
        "ConvInteger" => one(convolution(call, &INTEGER)),
        "QLinearConv" => one(convolution(call, &LINEAR)),
        "MatMulInteger" => one(matrices(call, &INTEGER)),
        "QLinearMatMul" => one(matrices(call, &LINEAR)),
        "DynamicQuantizeLinear" => dynamic(call),
        _ => return None,
    })
}

fn one(made: Result<Dispatch, String>) -> Dispatches {
    made.map(|made| vec![made])
}

/// Where an operator has its operands.
struct Form {
    w: usize,
    x_zero: usize,
    w_zero: usize,
    /// Scales of x, w and y, and the zero point of y, where sums become elements.
    scales: Option<[usize; 4]>,
    bias: usize,
}

const INTEGER: Form = Form {
    w: 1,
    x_zero: 2,
    w_zero: 3,
    scales: None,
    // None has one.
    bias: usize::MAX,
};
const LINEAR: Form = Form {
    w: 3,
    x_zero: 2,
    w_zero: 5,
    scales: Some([1, 4, 6, 7]),
    bias: 8,
};

fn convolution(call: &Call<'_>, form: &Form) -> Result<Dispatch, String> {
    let (x, w, y) = (call.input(0)?, call.input(form.w)?, call.output(0)?);
    let ([filters, inputs], kernel) = weights(w)?;
    let groups = groups(call)?;
    let from = Image::of(x, Layout::ChannelsFirst)?;
    let to = Image::of(y, Layout::ChannelsFirst)?;
    let padding = padding(call, kernel.len())?;
    let window = window(call, kernel)?.padded(padding, from.size, to.size)?;
    let fits = from.batch == to.batch
        && u64::from(inputs) * u64::from(groups) == u64::from(from.channels)
        && filters == to.channels
        && filters.is_multiple_of(groups);
    if !fits || window.has_depth(from.size, to.size) {
        let dims = [x, w, y].map(|it| format!("{:?}", it.dims));
        return Err(format!(
            "{} and {} do not make {}",
            dims[0], dims[1], dims[2]
        ));
    }
    let taps = product(kernel);
    let [_, row, column, _] = from.space_strides();
    let params = QuantisedConvParams {
        x: [from.size[1], from.size[2]],
        y: [to.size[1], to.size[2], to.channels],
        group: [inputs, (filters / groups).max(1)],
        kernel: [window.kernel[1], window.kernel[2]],
        stride: [window.stride[1], window.stride[2]],
        dilation: [window.dilation[1], window.dilation[2]],
        pad: [window.pad[1], window.pad[2]],
        from: [from.batch_stride, row, column, from.channel_stride],
        w: [0, inputs * taps, 1, taps],
        ..QuantisedConvParams::default()
    };
    let made = summed(call, form, params)?;
    Ok(made.constant("PLANES", 1))
}

/// Each row is a pixel of one column, each column of the second matrix a filter.
fn matrices(call: &Call<'_>, form: &Form) -> Result<Dispatch, String> {
    let (a, b, y) = (call.input(0)?, call.input(form.w)?, call.output(0)?);
    let side = |x: &Operand, from_end: usize| x.dims.iter().rev().nth(from_end).copied();
    let (Some(depth), Some(columns), Some(rows)) = (side(a, 0), side(b, 0), side(a, 1)) else {
        return Err("its operands are not matrices".into());
    };
    let misfit = || {
        let dims = [a, b, y].map(|it| format!("{:?}", it.dims));
        format!("{} and {} do not make {}", dims[0], dims[1], dims[2])
    };
    if side(b, 1) != Some(depth) || side(y, 0) != Some(columns) || side(y, 1) != Some(rows) {
        return Err(misfit());
    }
    // Matrices before them are the same in both, or there is one.
    let images = y.len().checked_div(rows * columns).unwrap_or_default();
    let step = |x: &Operand, size: u32| match x.len() == size {
        true => Some(0),
        false => (Some(x.len()) == size.checked_mul(images)).then_some(size),
    };
    let steps = (step(a, rows * depth), step(b, depth * columns));
    let (Some(a_step), Some(b_step)) = steps else {
        return Err(misfit());
    };
    let params = QuantisedConvParams {
        x: [rows, 1],
        y: [rows, 1, columns],
        group: [depth, columns.max(1)],
        kernel: [1; 2],
        stride: [1; 2],
        dilation: [1; 2],
        from: [a_step, depth, 0, 1],
        w: [b_step, 1, 0, columns],
        ..QuantisedConvParams::default()
    };
    summed(call, form, params)
}

/// With zero points, and with what sums are multiplied by.
fn summed(call: &Call<'_>, form: &Form, params: QuantisedConvParams) -> Result<Dispatch, String> {
    let (x, w, y) = (call.input(0)?, call.input(form.w)?, call.output(0)?);
    for narrow in [x, w] {
        if !matches!(narrow.dtype, DType::I8 | DType::U8) {
            return Err(format!("{} is {}", narrow.name, narrow.dtype.name()));
        }
    }
    let [rows, channels] = [params.y[0], params.y[2]];
    let zeros = |at: usize, x: &Operand, most: u32| {
        let found = call.optional(at);
        let fits = |it: &&Operand| it.dtype == x.dtype && [1, most].contains(&it.len());
        match found {
            Some(zeros) if !fits(&zeros) => Err(format!("{} does not fit {}", zeros.name, x.name)),
            found => Ok(found),
        }
    };
    let (x_zero, w_zero) = (
        zeros(form.x_zero, x, rows)?,
        zeros(form.w_zero, w, channels)?,
    );
    let bias = call.optional(form.bias);
    if let Some(bias) = bias.filter(|it| it.dtype != DType::I32 || it.len() != channels) {
        return Err(format!("{} is not for {channels} outputs", bias.name));
    }
    let (scaling, zero, range, factors) = match form.scales {
        None => (Scaling::None, 0, [i32::MIN, i32::MAX], Vec::new()),
        Some(scales) => linear(call, scales, channels)?,
    };
    let params = QuantisedConvParams {
        count: y.len(),
        zeros: [0, 0, zero],
        range,
        factors: u32::try_from(factors.len()).unwrap_or(1),
        ..params
    };
    let words = factors.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
    let factors = table(y, DType::F32, words);
    let factors = if scaling == Scaling::None {
        w
    } else {
        &factors
    };
    let count = |zeros: Option<&Operand>| zeros.map_or(0, Operand::len);
    let dispatch = Dispatch::new(Kernel::QuantisedConv, &params, typed_grid(y));
    // Where one is left out another stands, which is not read.
    Ok(dispatch
        .reads([x, w, factors])
        .reads([bias, x_zero, w_zero].map(|it| it.unwrap_or(w)))
        .writes(y)
        .constant("X", elements::code(x.dtype))
        .constant("W", elements::code(w.dtype))
        .constant("KIND", elements::code(y.dtype))
        .constant("BIAS", u32::from(bias.is_some()))
        .constant("SCALE", scaling.code())
        .constant("X_ZEROS", count(x_zero))
        .constant("W_ZEROS", count(w_zero)))
}

/// Zero point and range of y, and a factor for each channel or one.
type Linear = (Scaling, i32, [i32; 2], Vec<f32>);

fn linear(call: &Call<'_>, [x, w, y, zero]: [usize; 4], channels: u32) -> Result<Linear, String> {
    let floats = |at: usize| {
        let value = call.value(at).map(|value| value.to_floats());
        #[expect(clippy::cast_possible_truncation, reason = "they are f32 in the file")]
        let narrow = |all: Vec<f64>| all.into_iter().map(|it| it as f32).collect::<Vec<f32>>();
        value
            .map(narrow)
            .ok_or_else(|| format!("input {at} is not known before the run"))
    };
    let (of_x, of_w, of_y) = (floats(x)?, floats(w)?, floats(y)?);
    let (&[of_x], &[of_y]) = (&*of_x, &*of_y) else {
        return Err("its scales are not one for each operand".into());
    };
    if of_w.len() != 1 && of_w.len() != channels as usize {
        return Err("its scales are not one for each operand".into());
    }
    let &[zero] = call.ints(zero)? else {
        return Err("its scales are not one for each operand".into());
    };
    let range = match call.output(0)?.dtype {
        DType::I8 => [-128, 127],
        DType::U8 => [0, 255],
        other => return Err(format!("{} is {}", call.output(0)?.name, other.name())),
    };
    let factors = of_w.into_iter().map(|of_w| of_x * of_w / of_y);
    let zero = i32::try_from(zero).unwrap_or_default();
    Ok((Scaling::Floats, zero, range, factors.collect()))
}

/// The scale and the zero point first, then the elements by them.
fn dynamic(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (scale, zero) = (call.output(1)?, call.output(2)?);
    all_floats([x, scale])?;
    if y.dtype != DType::U8 || zero.dtype != DType::U8 || x.len() != y.len() {
        return Err(format!("{} is {}", y.name, y.dtype.name()));
    }
    let params = DynamicRangeParams { count: x.len() };
    let range = Dispatch::new(Kernel::DynamicRange, &params, [1; 3])
        .reads([x])
        .writes(scale)
        .writes(zero);
    let params = DequantizeParams {
        count: y.len(),
        inner: 1,
        size: 1,
        ..DequantizeParams::default()
    };
    let quantized = Dispatch::new(Kernel::Quantize, &params, typed_grid(y))
        .reads([x, scale, zero])
        .writes(y)
        .constant("KIND", elements::code(y.dtype))
        .constant("ZEROS", 1);
    Ok(vec![range, quantized])
}
