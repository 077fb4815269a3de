//! The messages of a module: its instructions, their order, and what is donated.
//!
//! Field numbers are those of `hlo.proto`. What says nothing of lifetimes is stepped over.

use rten_onnx::protobuf::{Field, Fields, ReadValue};

use super::module::{Computation, Donated, Instruction, Module};
use crate::load::Fault;
use crate::load::protobuf::{Broken, Kept, integers};

/// A message that is being read.
pub(super) type Message<'r, R> = Fields<'r, R>;

/// Reads an `HloModuleProto`.
pub(super) fn module<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    module: &mut Module,
) -> Result<(), Broken> {
    let mut orders = Vec::new();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            3 => computation(field.read_message(Some("HloComputationProto"))?, module)?,
            6 => module.entry = field.get_int64()?,
            7 => {
                let mut schedule = field.read_message(Some("HloScheduleProto"))?;
                while let Some(mut field) = schedule.next()? {
                    match field.number() {
                        1 => orders.push(order(field.read_message(Some("sequence"))?, module)?),
                        _ => field.skip()?,
                    }
                }
            }
            8 => {
                let mut aliases = field.read_message(Some("HloInputOutputAliasProto"))?;
                while let Some(mut field) = aliases.next()? {
                    match field.number() {
                        1 => {
                            let message = field.read_message(Some("AliasEntryProto"))?;
                            let donated = donated(message, module)?;
                            module.donated.insert(donated);
                        }
                        _ => field.skip()?,
                    }
                }
            }
            _ => field.skip()?,
        }
    }
    for (id, order) in orders {
        if let Some(computation) = module.computations.get_mut(&id) {
            computation.order = order;
        }
    }
    Ok(())
}

fn donated<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    module: &mut Module,
) -> Result<Donated, Broken> {
    let mut found = Donated::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            2 => found.parameter = field.get_int64()?,
            3 => numbers(&mut field, &mut found.index, module)?,
            _ => field.skip()?,
        }
    }
    Ok(found)
}

/// The order of one computation.
fn order<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    module: &mut Module,
) -> Result<(i64, Vec<i64>), Broken> {
    let (mut id, mut order) = (0, Vec::new());
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => id = field.get_int64()?,
            2 => {
                let mut sequence = field.read_message(Some("InstructionSequence"))?;
                while let Some(mut field) = sequence.next()? {
                    match field.number() {
                        1 => numbers(&mut field, &mut order, module)?,
                        _ => field.skip()?,
                    }
                }
            }
            _ => field.skip()?,
        }
    }
    Ok((id, order))
}

/// Adds the numbers of a repeated field.
pub(super) fn numbers<R: ReadValue<Types = Kept>>(
    field: &mut Field<'_, R>,
    into: &mut Vec<i64>,
    module: &mut Module,
) -> Result<(), Broken> {
    match integers(field, into, || module.spend())? {
        true => Ok(()),
        false => {
            let message = "a list of numbers is too long".to_owned();
            Err(Broken::Content(Fault::Limit, message))
        }
    }
}

fn computation<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    module: &mut Module,
) -> Result<(), Broken> {
    let (mut id, mut root) = (0, 0);
    let mut instructions = Vec::new();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            2 => {
                module.spend()?;
                let message = field.read_message(Some("HloInstructionProto"))?;
                instructions.push(instruction(message, module)?);
            }
            5 => id = field.get_int64()?,
            6 => root = field.get_int64()?,
            _ => field.skip()?,
        }
    }
    let known = Computation {
        root,
        ..Computation::default()
    };
    if module.computations.insert(id, known).is_some() {
        let message = format!("there are two computations {id}");
        return Err(Broken::Content(Fault::Duplicate, message));
    }
    for instruction in instructions {
        module.add(Instruction {
            computation: id,
            ..instruction
        });
    }
    Ok(())
}

fn instruction<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    module: &mut Module,
) -> Result<Instruction, Broken> {
    let mut found = Instruction::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => found.name = field.read_string()?,
            2 => found.op = field.read_string()?,
            3 => {
                let message = field.read_message(Some("ShapeProto"))?;
                places(message, &mut Vec::new(), &mut found.places, module)?;
            }
            9 => found.parameter = field.get_int64()?,
            13 => found.tuple_index = field.get_int64()?,
            35 => found.id = field.get_int64()?,
            36 => numbers(&mut field, &mut found.operands, module)?,
            38 => numbers(&mut field, &mut found.called, module)?,
            _ => field.skip()?,
        }
    }
    Ok(found)
}

/// Adds every place of a shape: the whole, and for a tuple those of its parts.
fn places<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    at: &mut Vec<i64>,
    places: &mut Vec<Vec<i64>>,
    module: &mut Module,
) -> Result<(), Broken> {
    module.spend()?;
    places.push(at.clone());
    let mut part = 0;
    while let Some(mut field) = fields.next()? {
        match field.number() {
            4 => {
                let inner = field.read_message(Some("ShapeProto"))?;
                at.push(part);
                self::places(inner, at, places, module)?;
                at.pop();
                part += 1;
            }
            _ => field.skip()?,
        }
    }
    Ok(())
}
