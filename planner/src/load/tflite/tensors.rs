//! The tensors of a subgraph: names, shapes, contents.

use std::collections::BTreeSet;

use super::schema::{self, tensor as field};
use super::{MAX_TENSORS, Model, builtin, encoding, limited};
use crate::graph::{Content, Dim, Graph, Shape, Symbol, SymbolId, Tensor, TensorId};
use crate::load::flatbuffer::{Table, error};
use crate::load::{Fault, LoadError, Warning};
use crate::units::narrow;
use crate::{Message, message};

/// The most dimensions of a tensor.
const MAX_RANK: usize = 64;
/// Constants up to this many bytes are copied, because shape arithmetic may need them.
const MAX_INLINE: u64 = 4096;

/// Reads every tensor of the subgraph `from` into `graph`; returns those that are variables.
///
/// The file's own dimensions go into `dims`; `declared` says which of them are only the
/// placeholder of a dynamic signature.
pub(super) fn tensors(
    model: &Model<'_, '_>,
    from: Table<'_, '_>,
    graph: &mut Graph,
    warnings: &mut Vec<Warning>,
) -> Result<BTreeSet<TensorId>, LoadError> {
    let tables = limited(
        from.tables(schema::subgraph::TENSORS)?,
        MAX_TENSORS,
        message!("tensors"),
    )?;
    let mut names = BTreeSet::new();
    let mut variables = BTreeSet::new();
    let mut absent = 0_u64;
    for index in 0..tables.len {
        let table = tables.table(index)?;
        let name = unique(&mut names, table.text(field::NAME)?, index);
        let mut tensor = Tensor::new(name, builtin::dtype(table.u8(field::TYPE, 0)?));
        shape(table, &mut tensor, warnings)?;
        tensor.content = content(model, table, &tensor.name)?;
        encoding::read(table, &mut tensor, warnings)?;
        absent += u64::from(tensor.content == Content::Stripped);
        if table.u8(field::IS_VARIABLE, 0)? != 0 {
            variables.insert(TensorId::at(graph.tensors.len()));
        }
        graph.tensors.push(tensor);
    }
    if absent > 0 {
        warnings.push(Warning::new(
            message!("buffers"),
            message!(
                "{} constants have no data in this file; it can be planned, not run",
                absent
            ),
        ));
    }
    Ok(variables)
}

/// Names repeat legitimately in TFLite, where indices identify.
fn unique(names: &mut BTreeSet<String>, name: String, index: u64) -> String {
    let mut unique = match name.is_empty() {
        true => format!("tensor {index}"),
        false => name,
    };
    while !names.insert(unique.clone()) {
        unique = format!("{unique}#{index}");
    }
    unique
}

fn shape(
    table: Table<'_, '_>,
    tensor: &mut Tensor,
    warnings: &mut Vec<Warning>,
) -> Result<(), LoadError> {
    let shape = table.ints(field::SHAPE)?.unwrap_or_default();
    let signature = table.ints(field::SHAPE_SIGNATURE)?.unwrap_or_default();
    let rank = shape.len().max(signature.len());
    if rank > MAX_RANK {
        let message = message!("{} dimensions, of which we read at most {}", rank, MAX_RANK);
        return Err(fault(Fault::Limit, &tensor.name, message));
    }
    let negative = |&dim: &i32| {
        u64::try_from(dim).map_err(|_below| {
            let message = message!("{} is no dimension", dim);
            fault(Fault::Malformed, &tensor.name, message)
        })
    };
    let dims = shape.iter().map(negative).collect::<Result<Vec<_>, _>>()?;
    if !signature.is_empty() && signature.len() != dims.len() {
        warnings.push(Warning::new(
            Message::verbatim(tensor.name.clone()),
            message!("shape and shape signature differ in rank; the signature is ignored"),
        ));
    }
    let dynamic = |axis: usize| {
        signature.len() == dims.len() && signature.get(axis).is_some_and(|&dim| dim < 0)
    };
    let declared = dims.iter().enumerate();
    let declared: Shape = declared
        .map(|(axis, &dim)| match dynamic(axis) {
            true => Dim::Unknown,
            false => Dim::Fixed(dim),
        })
        .collect();
    tensor.declared = Some(declared);
    tensor.dims = Some(dims);
    Ok(())
}

/// Where the elements are: nowhere for buffer 0 and for emptied buffers. Elements that should
/// lie after the FlatBuffers part but do not were stripped, which spoils no plan.
fn content(model: &Model<'_, '_>, table: Table<'_, '_>, name: &str) -> Result<Content, LoadError> {
    let index = u64::from(table.u32(field::BUFFER, 0)?);
    if index == 0 {
        return Ok(Content::None);
    }
    if index >= model.buffers.len {
        let message = message!(
            "buffer {} is not among {} buffers",
            index,
            model.buffers.len
        );
        return Err(fault(Fault::Dangling, name, message));
    }
    let buffer = model.buffers.table(index)?;
    let (outside, outside_len) = (
        buffer.u64(schema::buffer::OFFSET)?,
        buffer.u64(schema::buffer::SIZE)?,
    );
    let (start, len) = match buffer.vector(schema::buffer::DATA, 1)? {
        // Files of more than 2 GB keep their buffers after the FlatBuffers part; offsets
        // 0 and 1 mean that this one does not.
        _ if outside > 1 && model.reader.inside(outside, outside_len).is_err() => {
            return Ok(Content::Stripped);
        }
        _ if outside > 1 => (outside, outside_len),
        Some(data) => (data.start, data.len),
        None => return Ok(Content::None),
    };
    if len == 0 {
        return Ok(Content::None);
    }
    if len <= MAX_INLINE && model.reader.affords(len) {
        return Ok(Content::Inline(model.reader.copy(start, len)?));
    }
    Ok(Content::Range { start, len })
}

/// Names the open dimensions of graph inputs, for the user to bind.
pub(super) fn symbols(graph: &mut Graph) {
    for &input in &graph.inputs {
        let tensor = &mut graph.tensors[input.index()];
        let (Some(declared), Some(dims)) = (&mut tensor.declared, &tensor.dims) else {
            continue;
        };
        for (axis, (dim, &value)) in declared.iter_mut().zip(dims).enumerate() {
            if *dim == Dim::Unknown {
                let symbol = narrow(graph.symbols.len());
                *dim = Dim::Symbol(SymbolId(symbol));
                graph.symbols.push(Symbol {
                    name: format!("{}.{axis}", tensor.name),
                    default: value.max(1),
                    at_most: false,
                });
            }
        }
    }
}

fn fault(kind: Fault, tensor: &str, message: Message) -> LoadError {
    LoadError {
        place: Message::verbatim(tensor),
        ..error(kind, 0, message)
    }
}
