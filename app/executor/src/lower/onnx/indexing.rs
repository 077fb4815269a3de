//! Operators that pick elements by indices.

use planner::graph::DType;
use planner::message;

use crate::elements::words_of_ints;
use crate::kernels::{Kernel, Reduce, ReverseSequenceParams, grid};
use crate::lower::Dispatches;
use crate::lower::arrange::part;
use crate::lower::call::{Call, axis_of};
use crate::lower::gather::{gather, gather_elements, gather_nd, one_hot as one_hot_of};
use crate::lower::scatter::{scatter_elements, scatter_nd};
use crate::lower::strided::width;
use crate::lower::table::table;
use crate::recording::Dispatch;
use planner::operators::Operator;

/// The dispatches of an operator that picks elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Gather => rows(call),
        Operator::Compress => kept(call),
        Operator::GatherElements => elements(call),
        Operator::GatherND => tuples(call),
        Operator::ScatterElements | Operator::Scatter => scatter(call),
        Operator::ScatterND => scatter(call),
        Operator::OneHot => one_hot(call),
        Operator::ReverseSequence => reversed(call),
        _ => return None,
    })
}

fn rows(call: &Call<'_>) -> Dispatches {
    let (x, indices, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let axis = axis_of(call.op.int("axis").unwrap_or(0), x.dims.len())?;
    match call.ints(1) {
        // One index that is known is a slice, and often needs no copy at all.
        Ok(&[index]) => {
            let mut dims = x.dims.clone();
            dims[axis] = 1;
            let index = if index < 0 {
                index.saturating_add(x.dims[axis].into())
            } else {
                index
            };
            part(x, axis, index, &y.viewed(dims))
        }
        _ => gather(x, indices, (axis, 0), y),
    }
}

/// Compress: the first elements whose condition is known to hold, along an axis or of all.
fn kept(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let places = (0_i64..).zip(call.ints(1)?).filter(|(_, kept)| **kept != 0);
    let places: Vec<i64> = places.map(|(place, _)| place).collect();
    let (x, axis) = match call.op.int("axis") {
        Some(axis) => (x.clone(), axis_of(axis, x.dims.len())?),
        None => (x.viewed([x.len()]), 0),
    };
    let size = x.dims[axis];
    if let Some(beyond) = places.last().filter(|&&place| place >= i64::from(size)) {
        return Err(message!("there is no index {} of {}", beyond, size));
    }
    let indices = table(y, DType::I32, words_of_ints(DType::I32, &places));
    gather(&x, &indices, (axis, 0), y)
}

fn elements(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let axis = axis_of(call.op.int("axis").unwrap_or(0), x.dims.len())?;
    gather_elements(x, call.input(1)?, axis, call.output(0)?)
}

fn scatter(call: &Call<'_>) -> Dispatches {
    let how = match call.op.text("reduction").unwrap_or("none") {
        "none" => Reduce::Last,
        "add" => Reduce::Add,
        "mul" => Reduce::Mul,
        "max" => Reduce::Max,
        "min" => Reduce::Min,
        other => return Err(message!("there is no kernel for its reduction {}", other)),
    };
    let operands = [
        call.input(0)?,
        call.input(1)?,
        call.input(2)?,
        call.output(0)?,
    ];
    if call.op.is(Operator::ScatterND) {
        return scatter_nd(operands, how);
    }
    let axis = axis_of(call.op.int("axis").unwrap_or(0), operands[0].dims.len())?;
    scatter_elements(operands, axis, how)
}

fn one_hot(call: &Call<'_>) -> Dispatches {
    let (indices, values, y) = (call.input(0)?, call.input(2)?, call.output(0)?);
    let axis = axis_of(call.op.int("axis").unwrap_or(-1), y.dims.len())?;
    one_hot_of(indices, values, axis, y)
}

/// Of each sequence the first steps in reverse order.
fn reversed(call: &Call<'_>) -> Dispatches {
    let (x, lengths, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let axis = |name, usual| axis_of(call.op.int(name).unwrap_or(usual), x.dims.len());
    let (time, batch) = (axis("time_axis", 0)?, axis("batch_axis", 1)?);
    let words: u32 = match lengths.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    if lengths.len() != x.dims[batch] || x.dims != y.dims || width(x)? != width(y)? {
        return Err(message!("its shapes do not fit"));
    }
    let after = |axis: usize| x.dims[axis + 1..].iter().product();
    let params = ReverseSequenceParams {
        count: y.len(),
        steps: x.dims[time],
        step: after(time),
        sequences: x.dims[batch],
        sequence: after(batch),
    };
    let grid = grid(y.len().div_ceil(4));
    Ok(vec![
        Dispatch::new(Kernel::ReverseSequence, &params, grid)
            .reads([x, lengths])
            .writes(y)
            .constant("WIDTH", width(y)?)
            .constant("WORDS", words),
    ])
}

fn tuples(call: &Call<'_>) -> Dispatches {
    let batch = usize::try_from(call.op.int("batch_dims").unwrap_or(0));
    let batch = batch.map_err(|_error| message!("its batch dimensions are negative"))?;
    gather_nd(call.input(0)?, call.input(1)?, batch, call.output(0)?)
}
