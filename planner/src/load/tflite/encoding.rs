//! Quantisation and sparsity of tensors. Contradictions in them spoil no plan: they are left
//! out with a warning.

use super::schema::{self, dimension, index_vector, quantization, sparsity};
use crate::graph::{Level, Numbers, Quantization, Sparsity, Tensor};
use crate::load::flatbuffer::Table;
use crate::load::{LoadError, Warning};
use crate::sorting::Sorting as _;
use crate::{Message, message};

/// The most levels of a sparse tensor: twice the most dimensions of any.
const MAX_LEVELS: u64 = 128;

/// Reads how the elements of `tensor` are stored, from a table of the schema's type `Tensor`.
pub(super) fn read(
    table: Table<'_, '_>,
    tensor: &mut Tensor,
    warnings: &mut Vec<Warning>,
) -> Result<(), LoadError> {
    let mut warn = |what: Message| {
        warnings.push(Warning::new(
            Message::verbatim(&tensor.name),
            message!("its {} contradicts itself and is left out", what),
        ));
    };
    let dims = tensor.dims.clone().unwrap_or_default();
    if let Some(found) = table.table(schema::tensor::QUANTIZATION)? {
        match quantization(found, &dims)? {
            Ok(found) => tensor.quantization = found.map(Box::new),
            Err(Contradiction) => warn(message!("quantisation")),
        }
    }
    if let Some(found) = table.table(schema::tensor::SPARSITY)? {
        match sparsity(found, dims.len())? {
            Ok(found) => tensor.sparsity = Some(Box::new(found)),
            Err(Contradiction) => warn(message!("sparsity")),
        }
    }
    Ok(())
}

/// What is there cannot be meant.
struct Contradiction;

/// Of the schema's type `QuantizationParameters`; many files have it without any scale.
fn quantization(
    table: Table<'_, '_>,
    dims: &[u64],
) -> Result<Result<Option<Quantization>, Contradiction>, LoadError> {
    let scales = table.floats(quantization::SCALE)?;
    let mut zero_points = table.longs(quantization::ZERO_POINT)?;
    let axis = u32::try_from(table.i32(quantization::QUANTIZED_DIMENSION, 0)?);
    if scales.is_empty() {
        return Ok(Ok(None));
    }
    if zero_points.is_empty() {
        zero_points = vec![0];
    }
    if zero_points.len() == 1 {
        zero_points.resize(scales.len(), zero_points[0]);
    }
    let along = axis.ok().and_then(|axis| dims.get(axis as usize).copied());
    let fits = zero_points.len() == scales.len()
        && (scales.len() == 1 || along == Some(scales.len() as u64));
    Ok(match axis {
        Ok(axis) if fits => Ok(Some(Quantization {
            scales,
            zero_points,
            axis,
        })),
        _ => Err(Contradiction),
    })
}

/// Of the schema's type `SparsityParameters`.
fn sparsity(
    table: Table<'_, '_>,
    rank: usize,
) -> Result<Result<Sparsity, Contradiction>, LoadError> {
    let numbers = |id| -> Result<Option<Vec<u32>>, LoadError> {
        let numbers = table.ints(id)?.unwrap_or_default().into_iter();
        Ok(numbers.map(|n| u32::try_from(n).ok()).collect())
    };
    let (order, blocks) = (
        numbers(sparsity::TRAVERSAL_ORDER)?,
        numbers(sparsity::BLOCK_MAP)?,
    );
    let tables = table.tables(sparsity::DIM_METADATA)?;
    let (Some(order), Some(blocks)) = (order, blocks) else {
        return Ok(Err(Contradiction));
    };
    let mut sorted = order.clone();
    sorted.order();
    let each_once = sorted.iter().zip(0..).all(|(&level, index)| level == index);
    let inside = blocks.iter().all(|&dim| (dim as usize) < rank);
    if order.len() != rank + blocks.len()
        || tables.len != order.len() as u64
        || tables.len > MAX_LEVELS
        || !(each_once && inside)
    {
        return Ok(Err(Contradiction));
    }
    let mut levels = Vec::with_capacity(order.len());
    for index in 0..tables.len {
        match level(tables.table(index)?)? {
            Some(level) => levels.push(level),
            None => return Ok(Err(Contradiction)),
        }
    }
    Ok(Ok(Sparsity {
        order,
        blocks,
        levels,
    }))
}

/// Of the schema's type `DimensionMetadata`.
fn level(table: Table<'_, '_>) -> Result<Option<Level>, LoadError> {
    const DENSE: u8 = 0;
    const COMPRESSED: u8 = 1;
    Ok(match table.u8(dimension::FORMAT, DENSE)? {
        DENSE => u32::try_from(table.i32(dimension::DENSE_SIZE, 0)?)
            .ok()
            .map(Level::Dense),
        COMPRESSED => {
            let (segments, indices) = (
                indices(table, dimension::ARRAY_SEGMENTS_TYPE)?,
                indices(table, dimension::ARRAY_INDICES_TYPE)?,
            );
            segments
                .zip(indices)
                .map(|(segments, indices)| Level::Compressed { segments, indices })
        }
        _ => None,
    })
}

/// The union `SparseIndexVector`, whose type is in the field `id` and its member in the next.
fn indices(table: Table<'_, '_>, id: u16) -> Result<Option<Numbers>, LoadError> {
    let width = match table.u8(id, 0)? {
        index_vector::INT32 => 4,
        index_vector::UINT16 => 2,
        index_vector::UINT8 => 1,
        _ => return Ok(None),
    };
    let Some(member) = table.table(id + 1)? else {
        return Ok(None);
    };
    let values = member.vector(index_vector::VALUES, u64::from(width))?;
    Ok(values.map(|values| Numbers {
        start: values.start,
        len: values.len,
        width,
    }))
}
