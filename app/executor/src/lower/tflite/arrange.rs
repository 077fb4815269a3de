//! Builtins that arrange elements anew without looking at them, and those that pick them.

use planner::graph::DType;
use planner::{Message, message};

use crate::elements::{words_of_floats, words_of_ints};
use crate::kernels::Outside;
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::arrange::{
    broadcast, filled, joined, padded, part, rearranged, reshaped, sliced, tiled, transposed,
};
use crate::lower::call::{Call, axis_of};
use crate::lower::elementwise::unary;
use crate::lower::gather::{gather, gather_nd, one_hot};
use crate::lower::strided::fill;
use crate::lower::table::table;
use crate::recording::Operand;
use planner::operators::Operator;

/// The dispatches of a builtin that moves elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Reshape | Operator::Squeeze | Operator::Unsqueeze => both(call, reshaped),
        Operator::Transpose => transpose(call),
        Operator::Slice => slice(call),
        Operator::ReverseV2 => reverse(call),
        Operator::TfliteSplit => split(call, (1, 0)),
        Operator::Split => split(call, (0, 2)),
        Operator::Concat => concatenate(call),
        Operator::Pack => pack(call),
        Operator::Unpack => unpack(call),
        Operator::Pad | Operator::MirrorPad => pad(call),
        Operator::DepthToSpace => depth_to_space(call),
        Operator::SpaceToDepth => space_to_depth(call),
        Operator::Tile => both(call, tiled),
        Operator::Expand => both(call, broadcast),
        Operator::Fill => call
            .input(1)
            .and_then(|value| filled(value, call.output(0)?)),
        Operator::ZerosLike => call.output(0).and_then(|y| Ok(vec![fill(y, [0; 2])?])),
        Operator::TfliteOneHot => marked(call),
        Operator::Gather => pick(call),
        Operator::GatherND => call
            .input(0)
            .and_then(|x| gather_nd(x, call.input(1)?, 0, call.output(0)?)),
        Operator::EmbeddingLookup => call
            .input(1)
            .and_then(|x| gather(x, call.input(0)?, (0, 0), call.output(0)?)),
        _ => return None,
    })
}

fn both(call: &Call<'_>, make: fn(&Operand, &Operand) -> Dispatches) -> Dispatches {
    make(call.input(0)?, call.output(0)?)
}

fn attribute(call: &Call<'_>, name: &str) -> i64 {
    call.op.int(name).unwrap_or(0)
}

fn transpose(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let rank = x.dims.len();
    let perm = call.ints(1)?.iter().map(|&axis| axis_of(axis, rank));
    transposed(x, &perm.collect::<Result<Vec<_>, _>>()?, call.output(0)?)
}

fn slice(call: &Call<'_>) -> Dispatches {
    let (x, starts) = (call.input(0)?, call.ints(1)?);
    sliced(x, starts, &vec![1; starts.len()], call.output(0)?)
}

/// The axes that are listed run backwards.
fn reverse(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let (mut starts, mut steps) = (vec![0; x.dims.len()], vec![1; x.dims.len()]);
    for &axis in call.ints(1)? {
        let axis = axis_of(axis, x.dims.len())?;
        starts[axis] = (i64::from(x.dims[axis]) - 1).max(0);
        steps[axis] = -1;
    }
    sliced(x, &starts, &steps, call.output(0)?)
}

/// x and the axis are inputs, in another order for each of the two builtins.
fn split(call: &Call<'_>, (x, axis): (usize, usize)) -> Dispatches {
    let (x, axis) = (call.input(x)?, call.ints(axis)?);
    let axis = axis.first().ok_or_else(|| message!("it has no axis"))?;
    let axis = axis_of(*axis, x.dims.len())?;
    let (mut start, mut dispatches) = (0, Vec::new());
    for (index, output) in call.outputs.iter().enumerate() {
        let id = call.op.outputs.get(index).copied().flatten();
        let dims = id.and_then(|id| call.graph.tensor(id).dims.as_ref());
        let size = dims.and_then(|dims| dims.get(axis));
        let size = size.ok_or_else(|| message!("output {} has no size", index))?;
        if let Some(output) = output {
            dispatches.extend(part(x, axis, start, output)?);
        }
        start = start.saturating_add_unsigned(*size);
    }
    Ok(dispatches)
}

fn concatenate(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let axis = axis_of(attribute(call, "axis"), y.dims.len())?;
    let pieces: Vec<&Operand> = call.inputs.iter().flatten().collect();
    let mut dispatches = joined(&pieces, axis, y)?;
    let activation = Activation::tflite(call)?;
    if activation != Activation::NONE {
        let Activation { op, alpha, beta } = activation;
        dispatches.push(unary(op, alpha, beta, y, y)?);
    }
    Ok(dispatches)
}

/// x with a dimension of 1 more, at `axis`.
fn unsqueezed(x: &Operand, axis: usize) -> Result<Operand, Message> {
    let mut dims = x.dims.clone();
    if axis > dims.len() {
        return Err(message!("there is no axis {} in {}", axis, x.name));
    }
    dims.insert(axis, 1);
    Ok(x.viewed(dims))
}

fn pack(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let axis = axis_of(attribute(call, "axis"), y.dims.len())?;
    let pieces = call.inputs.iter().flatten();
    let pieces = pieces.map(|x| unsqueezed(x, axis));
    let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
    joined(&pieces.iter().collect::<Vec<_>>(), axis, y)
}

fn unpack(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let axis = axis_of(attribute(call, "axis"), x.dims.len())?;
    let mut dispatches = Vec::new();
    for (start, output) in (0..).zip(&call.outputs) {
        if let Some(output) = output {
            dispatches.extend(part(x, axis, start, &unsqueezed(output, axis)?)?);
        }
    }
    Ok(dispatches)
}

fn pad(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let sides = call.ints(1)?.chunks_exact(2);
    let (begins, ends): (Vec<i64>, Vec<i64>) = sides.map(|both| (both[0], both[1])).unzip();
    let outside = match (call.op.operator, call.op.text("mode")) {
        (Operator::MirrorPad, Some("SYMMETRIC")) => Outside::Symmetric,
        (Operator::MirrorPad, _) => Outside::Reflect,
        _ if call.optional(2).is_some() => {
            let mut dispatches = filled(call.input(2)?, y)?;
            dispatches.extend(padded(x, &begins, &ends, (Outside::Keep, [0; 2]), y)?);
            return Ok(dispatches);
        }
        _ if matches!(x.dtype, DType::I8 | DType::U8 | DType::I16) => {
            return Err(message!(
                "it pads with a zero point, which is not read from the file"
            ));
        }
        _ => Outside::Fill,
    };
    padded(x, &begins, &ends, (outside, [0; 2]), y)
}

/// Batch, height, width and channels of x, and the side of a block.
fn blocks(call: &Call<'_>) -> Result<([u32; 4], u32), Message> {
    let side = u32::try_from(attribute(call, "block_size")).ok();
    let dims: Result<[u32; 4], _> = call.input(0)?.dims.as_slice().try_into();
    match (dims, side.filter(|&side| side > 0)) {
        (Ok(dims), Some(side)) => Ok((dims, side)),
        _ => Err(message!("it has no blocks of pixels")),
    }
}

fn depth_to_space(call: &Call<'_>) -> Dispatches {
    let ([n, h, w, c], side) = blocks(call)?;
    let view = [n, h, w, side, side, c / side / side];
    rearranged(call.input(0)?, &view, &[0, 1, 3, 2, 4, 5], call.output(0)?)
}

fn space_to_depth(call: &Call<'_>) -> Dispatches {
    let ([n, h, w, c], side) = blocks(call)?;
    let view = [n, h / side, side, w / side, side, c];
    rearranged(call.input(0)?, &view, &[0, 1, 3, 2, 4, 5], call.output(0)?)
}

fn pick(call: &Call<'_>) -> Dispatches {
    let (x, indices) = (call.input(0)?, call.input(1)?);
    let axis = axis_of(attribute(call, "axis"), x.dims.len())?;
    let batch = axis_of(attribute(call, "batch_dims"), indices.dims.len() + 1)?;
    gather(x, indices, (axis, batch), call.output(0)?)
}

/// One value at the index along a new axis, another everywhere else.
fn marked(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let value = |position: usize| {
        let value = call.value(position);
        value.ok_or_else(|| message!("input {} is not known before the run", position))
    };
    let (on, off) = (value(2)?, value(3)?);
    let words = match (off.as_ints(), on.as_ints()) {
        (Some(&[off]), Some(&[on])) => words_of_ints(y.dtype, &[off, on]),
        _ => {
            let both = [off.to_floats(), on.to_floats()].concat();
            #[expect(clippy::cast_possible_truncation, reason = "they are f32 in the file")]
            let both: Vec<f32> = both.into_iter().map(|value| value as f32).collect();
            words_of_floats(y.dtype, &both)
        }
    };
    let axis = axis_of(call.op.int("axis").unwrap_or(-1), y.dims.len())?;
    one_hot(call.input(0)?, &table(y, y.dtype, words), axis, y)
}
