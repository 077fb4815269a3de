//! A plan that comes with the model: the metadata `OfflineMemoryAllocation`, which TFLite Micro
//! follows. Its buffer holds little-endian 32-bit integers: the format's version, the number of
//! subgraphs, the number of offsets that follow, then one offset per tensor, those of the first
//! subgraph first; −1 leaves a tensor to the runtime.
//!
//! The model opens whatever its plan is like: what contradicts itself is left out with a
//! warning that says what TFLite Micro would make of it.

use super::{MAX_TABLES, Model, limited, schema};
use crate::graph::{Content, Graph, Role};
use crate::load::flatbuffer::{Table, Vector};
use crate::load::{Fault, LoadError, Warning};
use crate::units::Offset;
use crate::{Message, message};

/// The name of the metadata.
pub(super) const NAME: &str = "OfflineMemoryAllocation";

/// Integers before the first offset.
const HEADER: u64 = 3;

/// The most pairs of a tensor that is left to the runtime and another one, of which the
/// completion of a plan may have to look at each.
const MAX_PAIRS: u64 = 1 << 27;

/// Why the plan is left out.
enum Unusable {
    /// What is wrong with it.
    Plan(Message),
    /// The file itself cannot be read.
    File(LoadError),
}

impl From<LoadError> for Unusable {
    fn from(error: LoadError) -> Self {
        match error.kind {
            Fault::Io => Self::File(error),
            _ => Self::Plan(message!("{}: {}", error.place, error.message)),
        }
    }
}

/// Reads the plan that comes with the model, if there is one, into `graph`, whose roles are
/// final.
///
/// # Errors
/// Only when the file cannot be read.
pub(super) fn read(
    model: &Model<'_, '_>,
    root: Table<'_, '_>,
    graph: &mut Graph,
    warnings: &mut Vec<Warning>,
) -> Result<(), LoadError> {
    let warn = |message: Message| Warning::new(Message::verbatim(NAME), message);
    match offsets(model, root, warnings) {
        Ok(None) => {}
        Ok(Some(offsets)) => match judged(graph, &offsets) {
            Ok(left) => {
                graph.offline = offsets;
                warnings.extend(left.map(warn));
            }
            Err(why) => warnings.push(warn(message!("{}: the plan is left out", why))),
        },
        Err(Unusable::Plan(why)) => warnings.push(warn(message!("{}: the plan is left out", why))),
        Err(Unusable::File(error)) => return Err(error),
    }
    Ok(())
}

/// The offsets of the main subgraph's tensors, as the file has them.
fn offsets(
    model: &Model<'_, '_>,
    root: Table<'_, '_>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Vec<Option<Offset>>>, Unusable> {
    let mut warn = |message: Message| {
        warnings.push(Warning::new(Message::verbatim(NAME), message));
    };
    let Some(buffer) = buffer(root, &mut warn)? else {
        return Ok(None);
    };
    if u64::from(buffer) >= model.buffers.len {
        let count = model.buffers.len;
        let message = message!("its buffer {} is not among the {} buffers", buffer, count);
        return Err(Unusable::Plan(message));
    }
    let data = model
        .buffers
        .table(u64::from(buffer))?
        .vector(schema::buffer::DATA, 1)?;
    let data = data.ok_or_else(|| Unusable::Plan(message!("its buffer {} is empty", buffer)))?;
    let first = header(model, data, &mut warn)?;
    let before: u64 = model.tensors[..model.index].iter().sum();
    let main = model.tensors[model.index];
    root.spend(main)?;
    let mut offsets = Vec::new();
    for index in 0..main {
        offsets.push(match model.reader.i32(first + 4 * (before + index))? {
            -1 => None,
            offset => Some(Offset(u64::try_from(offset).map_err(|_negative| {
                Unusable::Plan(message!(
                    "tensor {} has the offset {}, where TFLite Micro would write \
                     before its arena",
                    index,
                    offset
                ))
            })?)),
        });
    }
    Ok(Some(offsets))
}

/// The buffer of the last plan among the metadata.
fn buffer(root: Table<'_, '_>, warn: &mut dyn FnMut(Message)) -> Result<Option<u32>, LoadError> {
    let entries = limited(
        root.tables(schema::model::METADATA)?,
        MAX_TABLES,
        message!("metadata"),
    )?;
    let mut found = None;
    for index in 0..entries.len {
        let entry = entries.table(index)?;
        if entry.text(schema::metadata::NAME)? == NAME
            && found
                .replace(entry.u32(schema::metadata::BUFFER, 0)?)
                .is_some()
        {
            warn(message!(
                "there are two plans; as in TFLite Micro the last one counts"
            ));
        }
    }
    Ok(found)
}

/// Checks what stands before the offsets; returns where the first of them lies.
fn header(
    model: &Model<'_, '_>,
    data: Vector<'_, '_>,
    warn: &mut dyn FnMut(Message),
) -> Result<u64, Unusable> {
    let words = data.len / 4;
    if words < HEADER {
        let message = message!("{} bytes are too few for a plan", data.len);
        return Err(Unusable::Plan(message));
    }
    let word = |index: u64| model.reader.i32(data.start + 4 * index);
    let (version, subgraphs, count) = (word(0)?, word(1)?, word(2)?.cast_unsigned());
    if version != 0 {
        warn(message!(
            "its format has version {}; as TFLite Micro does we read it as version 0",
            version
        ));
    }
    let tensors: u64 = model.tensors.iter().sum();
    if u64::from(count) != tensors {
        return Err(Unusable::Plan(message!(
            "it has {} offsets, but the model has {} tensors, so that TFLite Micro \
             refuses the model",
            count,
            tensors
        )));
    }
    let there = words - HEADER;
    if there < tensors {
        return Err(Unusable::Plan(message!(
            "{} offsets should follow, but there are only {}",
            count,
            there
        )));
    }
    let more = data.len - 4 * (HEADER + tensors);
    if more > 0 {
        warn(message!(
            "{} bytes behind the last offset are ignored",
            more
        ));
    }
    // Some writers have the subgraph's number there instead, which is 0.
    let stated = usize::try_from(subgraphs);
    if subgraphs != 0 && stated != Ok(model.tensors.len()) {
        let there = model.tensors.len();
        warn(message!(
            "it says that it is for {} subgraphs, but there are {}",
            subgraphs,
            there
        ));
    }
    Ok(data.start + 4 * HEADER)
}

/// What is worth saying about a plan that can be shown.
///
/// # Errors
/// Why it cannot.
fn judged(graph: &Graph, offsets: &[Option<Offset>]) -> Result<Option<Message>, Message> {
    let placed = |role| matches!(role, Role::Input | Role::Intermediate | Role::Output);
    let mut tensors = graph.tensors.iter().zip(offsets);
    let working = |tensor: &crate::graph::Tensor| {
        tensor.role == Role::Constant && tensor.content == Content::Stripped
    };
    let given = |(tensor, offset): (&crate::graph::Tensor, &Option<Offset>)| {
        offset.is_some() && (placed(tensor.role) || working(tensor))
    };
    if !tensors.clone().any(given) {
        return Err(message!("it leaves every tensor to the runtime"));
    }
    let left = |&(tensor, offset): &(&crate::graph::Tensor, &Option<Offset>)| {
        offset.is_none() && placed(tensor.role) && tensor.bytes().is_none_or(|it| it.0 > 0)
    };
    let first = tensors.clone().find(left).map(|(tensor, _)| &tensor.name);
    let count = tensors.by_ref().filter(left).count() as u64;
    if count.saturating_mul(offsets.len() as u64) > MAX_PAIRS {
        return Err(message!(
            "it leaves {} tensors to the runtime, more than we place around the others",
            count
        ));
    }
    Ok(first.map(|first| {
        message!(
            "it leaves {} tensors to the runtime, {} first; they are shown where \
             TFLite Micro places them around the others",
            count,
            Message::verbatim(first)
        )
    }))
}
