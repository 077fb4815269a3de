//! Layers of transformers around attention, of the `com.microsoft` domain. Source: the operator
//! documentation of ONNX Runtime.

use planner::graph::DType;
use planner::{Message, message};

use crate::elements;
use crate::kernels::{
    BinaryOp, EmbedParams, GroupedMatmulParams, Kernel, MatmulBitsParams, NormalizeOp, grid, groups,
};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::elementwise::binary;
use crate::lower::heads::product;
use crate::lower::rows::{Affine, normalize};
use crate::lower::strided::fill;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of such a layer; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::SkipLayerNormalization => skip(call, NormalizeOp::Layer),
        Operator::SkipSimplifiedLayerNormalization => skip(call, NormalizeOp::RootMeanSquare),
        Operator::EmbedLayerNormalization => embed(call),
        Operator::MatMulNBits => few_bits(call),
        Operator::GroupedMatMul => grouped(call),
        _ => return None,
    })
}

/// The last axis of `x` normalized.
fn normalized(
    call: &Call<'_>,
    op: NormalizeOp,
    x: &Operand,
    [scale, bias]: [Option<&Operand>; 2],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let rank = x.dims.len();
    let along: Vec<bool> = (1..=rank).map(|axis| axis == rank).collect();
    let affine = Affine {
        scale,
        bias,
        period: x.dims.last().copied().unwrap_or(1),
        ..Affine::NONE
    };
    let epsilon = call.float_attribute("epsilon").unwrap_or(1e-12);
    normalize(op, epsilon, x, &along, &affine, y)
}

/// Input, skip and bias added up, into the fourth output or where the result goes; then
/// normalized.
fn skip(call: &Call<'_>, op: NormalizeOp) -> Dispatches {
    let (x, skip, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let shifts = if op == NormalizeOp::Layer {
        [3, 4]
    } else {
        [5, 3]
    };
    let [shift, bias] = shifts.map(|at| call.optional(at));
    let unasked = call.outputs.iter().skip(1).take(2).flatten().count();
    if unasked > 0 {
        return Err(message!("it has {} outputs that are not known", unasked));
    }
    let sum = call.output(3).unwrap_or(y);
    let mut dispatches = vec![binary(BinaryOp::Add, x, skip, sum)?];
    if let Some(bias) = bias {
        dispatches.push(binary(BinaryOp::Add, sum, bias, sum)?);
    }
    dispatches.push(normalized(call, op, sum, [call.optional(2), shift], y)?);
    Ok(dispatches)
}

/// Words of an element of integers.
fn words(x: Option<&Operand>) -> Result<u32, Message> {
    match x.map(|x| x.dtype) {
        None => Ok(0),
        Some(DType::I32) => Ok(1),
        Some(DType::I64) => Ok(2),
        Some(other) => Err(message!(
            "elements of type {} cannot be moved",
            other.name()
        )),
    }
}

/// Embeddings of words, positions and segments added up, then normalized.
fn embed(call: &Call<'_>) -> Dispatches {
    let (ids, y) = (call.input(0)?, call.output(0)?);
    let tables = [call.input(2)?, call.input(3)?];
    let segments = call.optional(1).zip(call.optional(4));
    let (mask, positions) = (call.optional(7), call.optional(8));
    let sum = call.output(2).unwrap_or(y);
    let third = segments.map_or(tables[0], |(_, table)| table);
    all_floats([tables[0], tables[1], third, sum])?;
    let (&[batches, length], &[.., columns]) = (&*ids.dims, &*y.dims) else {
        return Err(message!(
            "{} of {} has no batches",
            ids.name,
            format_args!("{:?}", ids.dims)
        ));
    };
    let count = product([batches, length, columns])?;
    let misfit = |x: &Operand| message!("{} does not fit {}", x.name, y.name);
    let mut rows = [0; 3];
    for (slot, table) in rows.iter_mut().zip([tables[0], tables[1], third]) {
        match *table.dims.as_slice() {
            [size, width] if size > 0 && width == columns => *slot = size,
            _ => return Err(misfit(table)),
        }
    }
    let short = segments.filter(|(ids, _)| Some(ids.len()) != batches.checked_mul(length));
    let of_positions = positions.map_or(1, |x| x.len().checked_div(length).unwrap_or_default());
    if short.is_some() || ![1, batches].contains(&of_positions) {
        return Err(misfit(ids));
    }
    let params = EmbedParams {
        count,
        length,
        columns,
        rows,
        batches: of_positions,
    };
    let ids_of_segments = segments.map(|(ids, _)| ids);
    let dispatch = Dispatch::new(Kernel::Embed, &params, grid(count))
        .reads([
            ids,
            tables[0],
            tables[1],
            ids_of_segments.unwrap_or(ids),
            third,
        ])
        .reads([positions.unwrap_or(ids)])
        .writes(sum)
        .constant("ID_WORDS", words(Some(ids))?)
        .constant("SEGMENT_WORDS", words(ids_of_segments)?)
        .constant("POSITION_WORDS", words(positions)?);
    let affine = [call.optional(5), call.optional(6)];
    let mut dispatches = vec![
        dispatch,
        normalized(call, NormalizeOp::Layer, sum, affine, y)?,
    ];
    if let Ok(index) = call.output(1) {
        dispatches.push(counted(mask, length, index)?);
    }
    Ok(dispatches)
}

/// How many tokens of each batch a mask keeps; 0 without one.
fn counted(mask: Option<&Operand>, length: u32, y: &Operand) -> Result<Dispatch, Message> {
    let Some(mask) = mask else {
        return fill(y, [0; 2]);
    };
    if y.dtype != DType::I32 || Some(mask.len()) != length.checked_mul(y.len()) {
        return Err(message!("{} does not fit {}", mask.name, y.name));
    }
    let params = EmbedParams {
        count: y.len(),
        length,
        ..EmbedParams::default()
    };
    Ok(Dispatch::new(Kernel::Embed, &params, grid(y.len()))
        .reads([mask])
        .writes(y)
        .constant("COUNT", 1)
        .constant("ID_WORDS", words(Some(mask))?))
}

/// a times the transpose of weights that are packed as `bits` each, in blocks with a scale and
/// a zero point.
fn few_bits(call: &Call<'_>) -> Dispatches {
    let (a, b, scales, y) = (
        call.input(0)?,
        call.input(1)?,
        call.input(2)?,
        call.output(0)?,
    );
    let bias = call.optional(5);
    if let Some(order) = call.optional(4) {
        return Err(message!("there is no kernel for its input {}", order.name));
    }
    let attribute = |name: &str, usual: i64| {
        let given = call.op.int(name).unwrap_or(usual);
        let found = u32::try_from(given).ok().filter(|&size| size > 0);
        found.ok_or_else(|| message!("its attribute {} is not there", name))
    };
    let (k, n, block) = (
        attribute("K", 0)?,
        attribute("N", 0)?,
        attribute("block_size", 0)?,
    );
    let (bits, narrow) = match attribute("bits", 4)? {
        2 => (2, DType::U2),
        4 => (4, DType::U4),
        8 => (8, DType::U8),
        other => return Err(message!("there is no kernel for weights of {} bits", other)),
    };
    all_floats([a, scales, y].into_iter().chain(bias))?;
    let misfit = |x: &Operand| Err(message!("{} does not fit {}", x.name, y.name));
    let blocks = k.div_ceil(block);
    let weights = product([n, blocks, block])?;
    let whole = block.is_multiple_of(16) && u64::from(b.len()) * 8 == u64::from(weights) * bits;
    if !whole || b.dtype != DType::U8 {
        return misfit(b);
    }
    if scales.len() != product([n, blocks])? || bias.is_some_and(|bias| bias.len() != n) {
        return misfit(scales);
    }
    let m = y.len().checked_div(n).unwrap_or_default();
    if m.checked_mul(k) != Some(a.len()) || a.dims.last() != Some(&k) {
        return misfit(a);
    }
    let (zeros, kind, places) = zero_points(call, [n, blocks], (bits, narrow))?;
    let params = MatmulBitsParams {
        m,
        n,
        k,
        block,
        blocks,
        places,
    };
    let count = product([m.div_ceil(4), n])?;
    Ok(vec![
        Dispatch::new(Kernel::MatmulBits, &params, groups(count))
            .reads([a, b, scales, zeros.unwrap_or(a), bias.unwrap_or(a)])
            .writes(y)
            .constant("BITS", u32::try_from(bits).unwrap_or(4))
            .constant("ZEROS", kind)
            .constant("BIAS", u32::from(bias.is_some())),
    ])
}

/// Rows of which each is multiplied by the matrix that the third input says.
fn grouped(call: &Call<'_>) -> Dispatches {
    let (a, b, chosen) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let y = call.output(0)?;
    all_floats([a, b, y])?;
    let index_words: u32 = match chosen.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    let misfit = |x: &Operand| Err(message!("{} does not fit {}", x.name, y.name));
    let (&[rows, k], &[matrices, own, n]) = (&a.dims[..], &b.dims[..]) else {
        return misfit(a);
    };
    if k != own || y.len() != product([rows, n])? || matrices == 0 {
        return misfit(b);
    }
    if chosen.len() != rows {
        return misfit(chosen);
    }
    let params = GroupedMatmulParams {
        count: y.len(),
        n,
        k,
        matrices,
    };
    Ok(vec![
        Dispatch::new(Kernel::GroupedMatmul, &params, grid(y.len()))
            .reads([a, b, chosen])
            .writes(y)
            .constant("INDEX_WORDS", index_words),
    ])
}

/// Zero points, 1 + the code of their type, and how many a row of weights has room for. Integers
/// are as narrow as weights, and those of a row begin with a byte of their own.
fn zero_points<'a>(
    call: &'a Call<'_>,
    [n, blocks]: [u32; 2],
    (bits, narrow): (u64, DType),
) -> Result<(Option<&'a Operand>, u32, u32), Message> {
    let Some(zeros) = call.optional(3) else {
        return Ok((None, 0, 0));
    };
    let bytes = (u64::from(blocks) * bits).div_ceil(8);
    if zeros.dtype == DType::U8 && u64::from(zeros.len()) == bytes * u64::from(n) {
        let places = u32::try_from(bytes * 8 / bits).unwrap_or(u32::MAX);
        return Ok((Some(zeros), 1 + elements::code(narrow), places));
    }
    if elements::is_float(zeros.dtype) && zeros.len() == product([n, blocks])? {
        return Ok((Some(zeros), 1 + elements::code(zeros.dtype), blocks));
    }
    let y = call.output(0)?;
    Err(message!("{} does not fit {}", zeros.name, y.name))
}
