//! Operators on quantised elements: convolutions and products of integers of 8 bits, whose sums
//! are integers of 32 bits or elements again, and the quantisation that is found during the run.

use planner::graph::DType;
use planner::{Message, message};

use super::quantised::{bounded, zero_at};
use super::window::{groups, padding, weights, window};
use crate::elements;
use crate::kernels::{
    BinaryOp, DequantizeParams, DynamicRangeParams, Kernel, QuantisedConvParams, Scaling,
    typed_grid,
};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::elementwise::binary;
use crate::lower::table::table;
use crate::lower::window::{Image, Layout, product};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator on quantised elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::ConvInteger => one(convolution(call, &INTEGER)),
        Operator::QLinearConv => one(convolution(call, &LINEAR)),
        Operator::MatMulInteger => one(product_of(call, &INTEGER)),
        Operator::QLinearMatMul => one(product_of(call, &LINEAR)),
        Operator::QGemm if call.optional(QGEMM_Y_SCALE).is_some() => one(product_of(call, &GEMM)),
        Operator::QGemm => real(call, &UNSCALED_GEMM, [1, 4], None),
        Operator::MatMulIntegerToFloat => real(call, &TO_FLOAT, [2, 3], Some(6)),
        Operator::DynamicQuantizeLinear => dynamic(call),
        _ => return None,
    })
}

fn product_of(call: &Call<'_>, form: &Form) -> Result<Dispatch, Message> {
    matrices(call, form, call.output(0)?)
}

fn one(made: Result<Dispatch, Message>) -> Dispatches {
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
const QGEMM_Y_SCALE: usize = 7;
const UNSCALED_GEMM: Form = Form {
    scales: None,
    bias: 6,
    ..LINEAR
};
const GEMM: Form = Form {
    scales: Some([1, 4, QGEMM_Y_SCALE, 8]),
    ..UNSCALED_GEMM
};
const TO_FLOAT: Form = Form {
    x_zero: 4,
    w_zero: 5,
    ..INTEGER
};

fn convolution(call: &Call<'_>, form: &Form) -> Result<Dispatch, Message> {
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
    if !fits {
        let dims = [x, w, y].map(|it| format!("{:?}", it.dims));
        return Err(message!(
            "{} and {} do not make {}",
            dims[0],
            dims[1],
            dims[2]
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
        depth: window.depth(&from, &to),
        ..QuantisedConvParams::default()
    };
    summed(call, form, params, (y, true))
}

/// Each row is a pixel of one column, each column of the second matrix a filter.
fn matrices(call: &Call<'_>, form: &Form, y: &Operand) -> Result<Dispatch, Message> {
    let (a, b) = (call.input(0)?, call.input(form.w)?);
    let side = |x: &Operand, from_end: usize| x.dims.iter().rev().nth(from_end).copied();
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    let (swap_a, swap_b) = (flag("transA"), flag("transB"));
    // Rows and columns, and their strides.
    let sides = |x: &Operand, swap: bool| match (side(x, 1)?, side(x, 0)?) {
        (rows, columns) if !swap => Some(([rows, columns], [columns, 1])),
        (columns, rows) => Some(([rows, columns], [1, rows])),
    };
    let (Some((left, a_steps)), Some((right, b_steps))) = (sides(a, swap_a), sides(b, swap_b))
    else {
        return Err(message!("its operands are not matrices"));
    };
    let ([rows, depth], [_, columns]) = (left, right);
    let misfit = || {
        let dims = [a, b, y].map(|it| format!("{:?}", it.dims));
        message!("{} and {} do not make {}", dims[0], dims[1], dims[2])
    };
    if right[0] != depth || side(y, 0) != Some(columns) || side(y, 1) != Some(rows) {
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
        from: [a_step, a_steps[0], 0, a_steps[1]],
        w: [b_step, b_steps[1], 0, b_steps[0]],
        ..QuantisedConvParams::default()
    };
    summed(call, form, params, (y, false))
}

/// With zero points, and with what sums are multiplied by.
fn summed(
    call: &Call<'_>,
    form: &Form,
    params: QuantisedConvParams,
    (y, planes): (&Operand, bool),
) -> Result<Dispatch, Message> {
    let (x, w) = (call.input(0)?, call.input(form.w)?);
    for narrow in [x, w] {
        if !matches!(narrow.dtype, DType::I8 | DType::U8) {
            return Err(message!("{} is {}", narrow.name, narrow.dtype.name()));
        }
    }
    let [rows, channels] = [params.y[0], params.y[2]];
    let zeros = |at: usize, x: &Operand, most: u32| {
        let found = call.optional(at);
        let fits = |it: &&Operand| it.dtype == x.dtype && [1, most].contains(&it.len());
        match found {
            Some(zeros) if !fits(&zeros) => Err(message!("{} does not fit {}", zeros.name, x.name)),
            found => Ok(found),
        }
    };
    let (x_zero, w_zero) = (
        zeros(form.x_zero, x, rows)?,
        zeros(form.w_zero, w, channels)?,
    );
    let bias = call.optional(form.bias);
    if let Some(bias) = bias.filter(|it| it.dtype != DType::I32 || it.len() != channels) {
        return Err(message!("{} is not for {} outputs", bias.name, channels));
    }
    let linear = match form.scales {
        None => Linear::none(w),
        Some(scales) => Linear::of(call, scales, (y, channels))?,
    };
    let params = QuantisedConvParams {
        count: y.len(),
        zeros: [0, 0, linear.zero],
        range: linear.range,
        factors: linear.factors.len(),
        scales: linear.scales,
        ..params
    };
    let count = |zeros: Option<&Operand>| zeros.map_or(0, Operand::len);
    let dispatch = Dispatch::new(Kernel::QuantisedConv, &params, typed_grid(y));
    // Where one is left out another stands, which is not read.
    Ok(dispatch
        .reads([x, w, &linear.factors])
        .reads([bias, x_zero, w_zero].map(|it| it.unwrap_or(w)))
        .writes(y)
        .constant("X", elements::code(x.dtype))
        .constant("W", elements::code(w.dtype))
        .constant("KIND", elements::code(y.dtype))
        .constant("BIAS", u32::from(bias.is_some()))
        .constant("SCALE", linear.scaling.code())
        .constant("PLANES", u32::from(planes))
        .constant("LANES", params.lanes(y, planes))
        .constant("X_ZEROS", count(x_zero))
        .constant("W_ZEROS", count(w_zero)))
}

/// How sums become elements of y.
struct Linear {
    scaling: Scaling,
    zero: i32,
    range: [i32; 2],
    /// What sums are multiplied by, or the scales of the filters: one for each channel, or one.
    factors: Operand,
    scales: [f32; 2],
}

impl Linear {
    /// They stay sums; `unread` stands where factors would.
    fn none(unread: &Operand) -> Self {
        Self {
            scaling: Scaling::None,
            zero: 0,
            range: [i32::MIN, i32::MAX],
            factors: unread.clone(),
            scales: [1.0; 2],
        }
    }

    /// By the inputs that have the scales of x, w and y and the zero point of y.
    fn of(
        call: &Call<'_>,
        [x, w, y, zero]: [usize; 4],
        (result, channels): (&Operand, u32),
    ) -> Result<Self, Message> {
        let unknown = |at: usize| message!("input {} is not known before the run", at);
        let of_x = call.float(x).ok_or_else(|| unknown(x))?;
        let of_y = call.float(y).ok_or_else(|| unknown(y))?;
        let alpha = call.float_attribute("alpha").unwrap_or(1.0);
        let (scaling, factors) = match call.floats(w) {
            Some(of_w) => {
                let factors = of_w.into_iter().map(|of_w| alpha * of_x * of_w / of_y);
                let words = factors.map(f32::to_bits).collect();
                (Scaling::Floats, table(result, DType::F32, words))
            }
            // Too many to be known here.
            None => (Scaling::Scales, call.input(w)?.clone()),
        };
        if factors.dtype != DType::F32 || ![1, channels].contains(&factors.len()) {
            return Err(message!("its scales are not one for each operand"));
        }
        Ok(Self {
            scaling,
            zero: zero_at(call, zero)?,
            range: bounded(call, result)?,
            factors,
            scales: [alpha * of_x, of_y],
        })
    }
}

/// Sums that become floats where they lie: times the scales of both matrices, plus a bias.
fn real(call: &Call<'_>, form: &Form, [a, b]: [usize; 2], bias: Option<usize>) -> Dispatches {
    let y = call.output(0)?;
    all_floats([y])?;
    if y.dtype != DType::F32 {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
    }
    let sums = Operand {
        dtype: DType::I32,
        ..y.clone()
    };
    let alpha = call.float_attribute("alpha").unwrap_or(1.0);
    let (of_a, of_b) = (call.input(a)?, call.input(b)?);
    let columns = y.dims.last().copied().unwrap_or_default();
    all_floats([of_a, of_b])?;
    if of_a.len() != 1 || ![1, columns].contains(&of_b.len()) {
        return Err(message!("its scales are not one for each operand"));
    }
    let known = call.float(a).zip(call.floats(b)).map(|(of_a, of_b)| {
        let factors = of_b.into_iter().map(|of_b| alpha * of_a * of_b);
        table(y, DType::F32, factors.map(f32::to_bits).collect())
    });
    let factors = known.as_ref().unwrap_or(of_a);
    let params = DequantizeParams {
        count: y.len(),
        inner: 1,
        size: factors.len(),
        ..DequantizeParams::default()
    };
    let scaled = Dispatch::new(Kernel::Dequantize, &params, typed_grid(y))
        .reads([&sums, factors])
        .writes(y)
        .constant("KIND", elements::code(DType::I32))
        .constant("TO", elements::code(y.dtype));
    let mut dispatches = vec![matrices(call, form, &sums)?, scaled];
    if known.is_none() {
        if alpha.to_bits() != 1_f32.to_bits() {
            return Err(message!("input {} is not known before the run", a));
        }
        dispatches.push(binary(BinaryOp::Mul, y, of_b, y)?);
    }
    if let Some(bias) = bias.and_then(|at| call.optional(at)) {
        dispatches.push(binary(BinaryOp::Add, y, bias, y)?);
    }
    Ok(dispatches)
}

/// The scale and the zero point first, then the elements by them.
fn dynamic(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (scale, zero) = (call.output(1)?, call.output(2)?);
    all_floats([x, scale])?;
    if y.dtype != DType::U8 || zero.dtype != DType::U8 || x.len() != y.len() {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
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
