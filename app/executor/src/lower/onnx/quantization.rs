//! Integers that stand for floats, with scales along an axis.

use planner::graph::DType;
use planner::{Message, message};

use crate::elements;
use crate::kernels::{DequantizeParams, Kernel, typed_grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats, axis_of};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator that quantises or undoes it; `None` for all others.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    match call.op.operator {
        Operator::DequantizeLinear => Some(dequantize(call)),
        Operator::QuantizeLinear => Some(quantize(call)),
        _ => None,
    }
}

fn dequantize(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([y])?;
    let found = linear(call, Kernel::Dequantize, x.dtype)?;
    let to = |it: Dispatch| it.constant("TO", elements::code(y.dtype));
    Ok(found.into_iter().map(to).collect())
}

fn quantize(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([x])?;
    if y.dtype.bits().is_none_or(|bits| bits > 16) {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
    }
    linear(call, Kernel::Quantize, y.dtype)
}

/// Either way, with scales and zero points as operands.
fn linear(call: &Call<'_>, kernel: Kernel, kind: DType) -> Dispatches {
    let (x, scales, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    all_floats([scales])?;
    let zeros = call.optional(2);
    if let Some(zeros) = zeros.filter(|zeros| zeros.dtype != kind || zeros.len() != scales.len()) {
        return Err(message!("{} does not fit {}", zeros.name, scales.name));
    }
    let blocked = call.op.int("block_size").unwrap_or_default() != 0;
    let params = match blocked {
        true => blocks(call, x, scales)?,
        false => DequantizeParams {
            inner: inner_len(call, x, scales)?,
            size: scales.len(),
            ..DequantizeParams::default()
        },
    };
    let params = DequantizeParams {
        count: y.len(),
        ..params
    };
    let mut dispatch = Dispatch::new(kernel, &params, typed_grid(y))
        .reads([x, scales])
        .writes(y)
        .constant("KIND", elements::code(kind))
        .constant("BLOCKED", u32::from(blocked));
    if let Some(zeros) = zeros {
        dispatch = dispatch.reads([zeros]).constant("ZEROS", 1);
    }
    Ok(vec![dispatch])
}

/// Of scales that blocks of elements along the axis share.
fn blocks(call: &Call<'_>, x: &Operand, scales: &Operand) -> Result<DequantizeParams, Message> {
    let axis = axis_of(call.op.int("axis").unwrap_or(1), x.dims.len())?;
    let block = call.op.int("block_size").unwrap_or_default();
    let block = u32::try_from(block).unwrap_or_default().max(1);
    let mut dims = x.dims.clone();
    dims[axis] = dims[axis].div_ceil(block);
    if dims != scales.dims {
        return Err(message!("{} does not fit {}", scales.name, x.name));
    }
    Ok(DequantizeParams {
        inner: x.dims[axis + 1..].iter().product::<u32>().max(1),
        size: x.dims[axis],
        block,
        blocks: dims[axis],
        ..DequantizeParams::default()
    })
}

/// Elements after the axis along which the scales differ.
fn inner_len(call: &Call<'_>, x: &Operand, scales: &Operand) -> Result<u32, Message> {
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
        _ => Err(message!(
            "{} does not fit axis {} of {}",
            scales.name,
            axis,
            x.name
        )),
    }
}
