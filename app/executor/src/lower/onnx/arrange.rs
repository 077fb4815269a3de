//! Operators that arrange elements anew without looking at them.

use planner::graph::{Attribute, Content, DType, Elements, Value};
use planner::{Message, message};

use crate::elements;
use crate::kernels::{Kernel, Outside, TriluParams, grid};
use crate::lower::Dispatches;
use crate::lower::arrange::{
    broadcast, filled, joined, padded, part, rearranged, reshaped, sliced, tiled, transposed,
};
use crate::lower::call::{Call, axis_of};
use crate::lower::strided::{Axis, StridedCopy, fill, width};
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator that moves elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Reshape
        | Operator::Flatten
        | Operator::Squeeze
        | Operator::Unsqueeze
        | Operator::Identity => both(call, reshaped),
        Operator::BitCast | Operator::OptionalGetElement => both(call, reshaped),
        Operator::Dropout => dropout(call, opset),
        Operator::Transpose => transpose(call),
        Operator::Slice => slice(call),
        Operator::Split => split(call),
        Operator::Concat => concat(call),
        Operator::Expand => both(call, broadcast),
        Operator::Tile => both(call, tiled),
        Operator::Pad => pad(call),
        Operator::CenterCropPad => center_crop_pad(call),
        Operator::DepthToSpace => depth_to_space(call),
        Operator::SpaceToDepth => space_to_depth(call),
        Operator::ConstantOfShape => constant_of_shape(call),
        Operator::Trilu => triangle(call),
        Operator::EyeLike => diagonal(call),
        _ => return None,
    })
}

fn both(call: &Call<'_>, make: fn(&Operand, &Operand) -> Dispatches) -> Dispatches {
    make(call.input(0)?, call.output(0)?)
}

/// The identity outside of training. The mask says that every element is kept.
fn dropout(call: &Call<'_>, opset: u32) -> Dispatches {
    let given = call.op.inputs.get(2).copied().flatten().is_some();
    if opset >= 12 && given {
        let training = call
            .ints(2)
            .map_err(|_unknown| message!("it may be training"))?;
        let keeps = call.float(1) == Some(0.0);
        if training.contains(&1) && !keeps {
            return Err(message!("it drops at random: that is training"));
        }
    }
    let mut dispatches = Vec::new();
    if let Ok(y) = call.output(0) {
        dispatches.extend(reshaped(call.input(0)?, y)?);
    }
    if let Ok(mask) = call.output(1) {
        dispatches.push(fill(mask, element(mask.dtype, &Elements::Ints(vec![1])))?);
    }
    Ok(dispatches)
}

/// The first of `values` as an element of type `dtype`.
fn element(dtype: DType, values: &Elements) -> [u32; 2] {
    let words = match values {
        Elements::Ints(ints) => elements::words_of_ints(dtype, ints.get(..1).unwrap_or_default()),
        Elements::Floats(floats) => {
            #[expect(clippy::cast_possible_truncation, reason = "the tensor holds f32")]
            let first = floats.first().map(|&float| float as f32);
            elements::words_of_floats(dtype, first.as_slice())
        }
    };
    let word = |index: usize| words.get(index).copied().unwrap_or_default();
    [word(0), word(1)]
}

fn transpose(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let rank = x.dims.len();
    let perm = match call.op.ints("perm") {
        Some(perm) => axes_of(perm, rank)?,
        None => (0..rank).rev().collect(),
    };
    transposed(x, &perm, call.output(0)?)
}

fn axes_of(axes: &[i64], rank: usize) -> Result<Vec<usize>, Message> {
    axes.iter().map(|&axis| axis_of(axis, rank)).collect()
}

/// Positions are clamped to the axis, as in the definition; how many are taken of it, the
/// size of the output says.
fn slice(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let rank = x.dims.len();
    let given = call
        .list("starts", 1)?
        .ok_or_else(|| message!("it has no starts"))?;
    let axes = match call.list("axes", 3)? {
        Some(axes) => axes_of(axes, rank)?,
        None => (0..given.len().min(rank)).collect(),
    };
    let steps_given = call.list("steps", 4)?;
    let (mut starts, mut steps) = (vec![0; rank], vec![1; rank]);
    for (index, axis) in axes.into_iter().enumerate() {
        let start = *given
            .get(index)
            .ok_or_else(|| message!("it has more axes than starts"))?;
        let step = match steps_given {
            Some(steps) => *steps
                .get(index)
                .ok_or_else(|| message!("it has more axes than steps"))?,
            None => 1,
        };
        let size = i64::from(x.dims[axis]);
        let start = if start < 0 {
            start.saturating_add(size)
        } else {
            start
        };
        let last = if step < 0 { size - 1 } else { size };
        starts[axis] = start.clamp(0, last.max(0));
        steps[axis] = step;
    }
    sliced(x, &starts, &steps, y)
}

fn split(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let axis = axis_of(call.op.int("axis").unwrap_or(0), x.dims.len())?;
    let sizes = call.list("split", 1)?;
    let count = call.outputs.len().max(1);
    let even = i64::from(x.dims[axis]).div_euclid(i64::try_from(count).unwrap_or(i64::MAX));
    let rest = i64::from(x.dims[axis]) % i64::try_from(count).unwrap_or(i64::MAX);
    let even = even + i64::from(rest > 0);
    let (mut start, mut dispatches) = (0_i64, Vec::new());
    for (index, output) in call.outputs.iter().enumerate() {
        let size = match (sizes, output) {
            (Some(sizes), _) => sizes.get(index).copied().unwrap_or_default(),
            (None, Some(output)) => i64::from(output.dims.get(axis).copied().unwrap_or_default()),
            (None, None) => even,
        };
        if let Some(output) = output {
            dispatches.extend(part(x, axis, start, output)?);
        }
        start = start.saturating_add(size);
    }
    Ok(dispatches)
}

fn concat(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let axis = axis_of(call.op.int("axis").unwrap_or(1), y.dims.len())?;
    let pieces: Vec<&Operand> = call.inputs.iter().flatten().collect();
    joined(&pieces, axis, y)
}

fn pad(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let rank = x.dims.len();
    let pads = match call.op.ints("paddings") {
        Some(pads) => Some(pads),
        None => call.list("pads", 1)?,
    };
    let pads = pads.ok_or_else(|| message!("it has no pads"))?;
    let axes = match call.list("axes", 3)? {
        Some(axes) => axes_of(axes, rank)?,
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return Err(message!("{} pads for {} axes", pads.len(), axes.len()));
    }
    let (mut begins, mut ends) = (vec![0; rank], vec![0; rank]);
    for (index, &axis) in axes.iter().enumerate() {
        begins[axis] = pads[index];
        ends[axis] = pads[axes.len() + index];
    }
    let outside = match call.op.text("mode").unwrap_or("constant") {
        "constant" => return pad_with_value(call, &begins, &ends),
        "edge" => Outside::Edge,
        "reflect" => Outside::Reflect,
        "wrap" => Outside::Wrap,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    padded(x, &begins, &ends, (outside, [0; 2]), y)
}

fn pad_with_value(call: &Call<'_>, begins: &[i64], ends: &[i64]) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let known = match (call.optional(2), call.value(2)) {
        (Some(value), None) => {
            // The value is computed in the run: it fills all, then x is put inside.
            let mut dispatches = filled(value, y)?;
            dispatches.extend(padded(x, begins, ends, (Outside::Keep, [0; 2]), y)?);
            return Ok(dispatches);
        }
        (_, Some(value)) => element(y.dtype, &value.elements),
        (None, None) => match call.op.attribute("value") {
            Some(Attribute::Float(value)) => {
                element(y.dtype, &Elements::Floats(vec![f64::from(*value)]))
            }
            _ => [0; 2],
        },
    };
    padded(x, begins, ends, (Outside::Fill, known), y)
}

/// The middle of x, or x in the middle; where it is uneven, one element less in front.
fn center_crop_pad(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    if x.dims.len() != y.dims.len() {
        return Err(message!("it changes the rank"));
    }
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for (&from, &to) in x.dims.iter().zip(&y.dims) {
        let more = i64::from(to) - i64::from(from);
        begins.push(more / 2);
        ends.push(more - more / 2);
    }
    padded(x, &begins, &ends, (Outside::Fill, [0; 2]), y)
}

/// One element everywhere, 0 where none is given.
fn constant_of_shape(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let given = match call.op.attribute("value") {
        Some(Attribute::Tensor(id)) => call.graph.tensor(*id),
        _ => return Ok(vec![fill(y, [0; 2])?]),
    };
    let value = match &given.content {
        Content::Inline(bytes) => Value::from_bytes(given.dtype, &[1], bytes),
        _ => None,
    };
    let value = value.ok_or_else(|| message!("its value is not in the file"))?;
    Ok(vec![fill(y, element(y.dtype, &value.elements))?])
}

/// One side of a diagonal of every matrix.
fn triangle(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let [.., rows, columns] = *x.dims else {
        return Err(message!("it has no matrices"));
    };
    let diagonal = match call.optional(1) {
        Some(_) => call.ints(1)?.first().copied().unwrap_or_default(),
        None => 0,
    };
    // Beyond the matrix it makes no difference how far.
    let most = i64::from(i32::MAX / 4);
    let k = i32::try_from(diagonal.clamp(-most, most)).unwrap_or_default();
    let count = y.len();
    let params = TriluParams {
        count,
        rows,
        columns,
        k,
    };
    let upper = call.op.int("upper").unwrap_or(1) != 0;
    Ok(vec![
        Dispatch::new(Kernel::Trilu, &params, grid(count.div_ceil(4)))
            .reads([x])
            .writes(y)
            .constant("WIDTH", width(y)?)
            .constant("UPPER", upper.into()),
    ])
}

/// Batch, channels, height and width of x, and the side of a block.
fn blocks(call: &Call<'_>) -> Result<([u32; 4], u32), Message> {
    let side = call.op.int("blocksize").unwrap_or(1);
    let side = u32::try_from(side).ok().filter(|&side| side > 0);
    let dims: Result<[u32; 4], _> = call.input(0)?.dims.as_slice().try_into();
    match (dims, side) {
        (Ok(dims), Some(side)) => Ok((dims, side)),
        _ => Err(message!("it has no blocks of pixels")),
    }
}

fn depth_to_space(call: &Call<'_>) -> Dispatches {
    let ([n, c, h, w], side) = blocks(call)?;
    let (x, y) = (call.input(0)?, call.output(0)?);
    let left = c / side / side;
    match call.op.text("mode").unwrap_or("DCR") {
        "CRD" => rearranged(x, &[n, left, side, side, h, w], &[0, 1, 4, 2, 5, 3], y),
        _ => rearranged(x, &[n, side, side, left, h, w], &[0, 3, 4, 1, 5, 2], y),
    }
}

fn space_to_depth(call: &Call<'_>) -> Dispatches {
    let ([n, c, h, w], side) = blocks(call)?;
    let view = [n, c, h / side, side, w / side, side];
    let (x, y) = (call.input(0)?, call.output(0)?);
    match call.op.text("mode").unwrap_or("DCR") {
        "CRD" => rearranged(x, &view, &[0, 1, 3, 5, 2, 4], y),
        _ => rearranged(x, &view, &[0, 3, 5, 1, 2, 4], y),
    }
}

/// Ones on a diagonal, zeros beside it.
fn diagonal(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let &[rows, columns] = y.dims.as_slice() else {
        return Err(message!("{} is no matrix", y.name));
    };
    let k = call.op.int("k").unwrap_or_default();
    let (rows, columns) = (i64::from(rows), i64::from(columns));
    // The first row or column is passed by.
    let (down, right) = (k.saturating_neg().clamp(0, rows), k.clamp(0, columns));
    let size = (rows - down).min(columns - right);
    let ones = StridedCopy {
        axes: vec![Axis {
            size,
            x: 0,
            y: columns + 1,
            window: None,
        }],
        b: down * columns + right,
        ..StridedCopy::default()
    };
    let one = table(y, y.dtype, elements::words_of_ints(y.dtype, &[1]));
    let mut dispatches = vec![fill(y, [0; 2])?];
    dispatches.extend(ones.dispatches(&one, y)?);
    Ok(dispatches)
}
