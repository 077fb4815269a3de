//! Integers that stand for floats, with scales along an axis.

use planner::graph::DType;

use crate::elements;
use crate::kernels::{DequantizeParams, Kernel, typed_grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_f32};
use crate::recording::{Dispatch, Operand};

/// The dispatches of an operator that quantises or undoes it; `None` for all others.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    match call.op.kind.as_str() {
        "DequantizeLinear" => Some(dequantize(call)),
        "QuantizeLinear" => Some(quantize(call)),
        _ => None,
    }
}

fn dequantize(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_f32([y])?;
    if elements::is_float(x.dtype) {
        return Err(format!("{} is {}", x.name, x.dtype.name()));
    }
    linear(call, Kernel::Dequantize, x.dtype)
}

fn quantize(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_f32([x])?;
    if !matches!(y.dtype, DType::I8 | DType::U8 | DType::I16 | DType::U16) {
        return Err(format!("{} is {}", y.name, y.dtype.name()));
    }
    linear(call, Kernel::Quantize, y.dtype)
}

/// Either way, with scales and zero points as operands.
fn linear(call: &Call<'_>, kernel: Kernel, kind: DType) -> Dispatches {
    let (x, scales, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    all_f32([scales])?;
    if call.op.int("block_size").unwrap_or_default() != 0 {
        return Err("its scales are in blocks".into());
    }
    let zeros = call.optional(2);
    if let Some(zeros) = zeros.filter(|zeros| zeros.dtype != kind || zeros.len() != scales.len()) {
        return Err(format!("{} does not fit {}", zeros.name, scales.name));
    }
    let params = DequantizeParams {
        count: y.len(),
        inner: inner_len(call, x, scales)?,
        size: scales.len(),
    };
    let mut dispatch = Dispatch::new(kernel, &params, typed_grid(y))
        .reads([x, scales])
        .writes(y)
        .constant("KIND", elements::code(kind));
    if let Some(zeros) = zeros {
        dispatch = dispatch.reads([zeros]).constant("ZEROS", 1);
    }
    Ok(vec![dispatch])
}

/// Elements after the axis along which the scales differ.
fn inner_len(call: &Call<'_>, x: &Operand, scales: &Operand) -> Result<u32, String> {
    if scales.len() == 1 {
        return Ok(1);
    }
    let axis = call.op.int("axis").unwrap_or(1);
    let rank = i64::try_from(x.dims.len()).unwrap_or_default();
    let from_start = if axis < 0 {
        axis.saturating_add(rank)
    } else {
        axis
    };
    let at = usize::try_from(from_start).ok();
    let found = at.and_then(|at| Some((x.dims.get(at)?, x.dims.get(at + 1..)?)));
    match found {
        Some((&size, inner)) if size == scales.len() => Ok(inner.iter().product::<u32>().max(1)),
        _ => Err(format!(
            "{} does not fit axis {axis} of {}",
            scales.name, x.name
        )),
    }
}
