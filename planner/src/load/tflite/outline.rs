//! Where the parts of a TFLite file lie that a new root has to refer to, for a writer that
//! keeps all the others as they are.

use super::{MAX_OPS, MAX_TABLES, limited, schema, tflm_offline_plan};
use crate::load::flatbuffer::{Reader, Table, error};
use crate::load::{Fault, LoadError, Source};
use crate::{Message, message};

/// The last field of the schema's type `Model` that we know.
const LAST_FIELD: u16 = schema::model::SIGNATURE_DEFS;

/// The fields of the root that refer to something, but for buffers and metadata.
const REFERENCES: [u16; 5] = [
    schema::model::OPERATOR_CODES,
    schema::model::SUBGRAPHS,
    schema::model::DESCRIPTION,
    schema::model::METADATA_BUFFER,
    schema::model::SIGNATURE_DEFS,
];

/// The root of a TFLite file, by positions in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The schema's version.
    pub version: u32,
    /// Where the things lie that the root's other fields refer to, by the field's number.
    pub references: Vec<(u16, u64)>,
    /// Where each `Buffer` lies.
    pub buffers: Vec<u64>,
    /// Where each `Metadata` lies, without that of an offline plan.
    pub metadata: Vec<u64>,
    /// Number of tensors of each subgraph.
    pub tensors: Vec<u64>,
    /// The subgraph that we plan.
    pub main: usize,
    /// Bytes of the file.
    pub len: u64,
}

/// Reads the outline of the model in `source`.
///
/// # Errors
/// [`LoadError`] for whatever the file contradicts; [`Fault::Unsupported`] when it holds
/// addresses that are counted from its start, or fields that we do not know.
pub fn outline(source: &dyn Source) -> Result<Outline, LoadError> {
    let reader = Reader::new(source);
    let model = super::model(&reader)?;
    let root = reader.root()?;
    if root.has_beyond(LAST_FIELD)? {
        let message = message!("the model has fields that we do not know and could not keep");
        return Err(error(Fault::Unsupported, root.start(), message));
    }
    let mut references = Vec::new();
    for id in REFERENCES {
        references.extend(root.target(id)?.map(|target| (id, target)));
    }
    let mut buffers = Vec::new();
    for index in 0..model.buffers.len {
        let buffer = model.buffers.table(index)?;
        if buffer.u64(schema::buffer::OFFSET)? > 1 {
            return Err(outside(buffer, message!("a buffer")));
        }
        buffers.push(buffer.start());
    }
    let entries = limited(
        root.tables(schema::model::METADATA)?,
        MAX_TABLES,
        message!("metadata"),
    )?;
    let mut metadata = Vec::new();
    for index in 0..entries.len {
        let entry = entries.table(index)?;
        if entry.text(schema::metadata::NAME)? != tflm_offline_plan::NAME {
            metadata.push(entry.start());
        }
    }
    let subgraphs = root.tables(schema::model::SUBGRAPHS)?;
    for index in 0..subgraphs.len {
        let operators = subgraphs
            .table(index)?
            .tables(schema::subgraph::OPERATORS)?;
        let operators = limited(operators, MAX_OPS, message!("operators"))?;
        for index in 0..operators.len {
            let operator = operators.table(index)?;
            if operator.u64(schema::operator::LARGE_CUSTOM_OPTIONS_OFFSET)? > 1 {
                return Err(outside(operator, message!("options of an operator")));
            }
        }
    }
    Ok(Outline {
        version: root.u32(schema::model::VERSION, 0)?,
        references,
        buffers,
        metadata,
        tensors: model.tensors,
        main: model.index,
        len: source.len(),
    })
}

fn outside(table: Table<'_, '_>, what: Message) -> LoadError {
    let message = message!(
        "{} behind the FlatBuffers part, as in files of more than 2 GB",
        what
    );
    error(Fault::Unsupported, table.start(), message)
}
