//! The messages of a module: its instructions, their order, and what is donated.
//!
//! Field numbers are those of `hlo.proto` and `xla_data.proto`. What says nothing of values is
//! stepped over.

use super::module::{Computation, Donated, Instruction, Module, Shape};
use super::platform::Platform;
use crate::load::Fault;
use crate::load::protobuf::{Broken, Field, Message};
use crate::message;

/// Reads an `HloModuleProto`.
pub(super) fn module(mut fields: Message<'_, '_>, module: &mut Module) -> Result<(), Broken> {
    let mut orders = Vec::new();
    while let Some(mut field) = fields.next()? {
        match field.number {
            3 => computation(field.message("HloComputationProto")?, module)?,
            6 => module.entry = field.integer()?,
            7 => {
                let mut schedule = field.message("HloScheduleProto")?;
                while let Some(mut field) = schedule.next()? {
                    if field.number == 1 {
                        orders.push(order(field.message("sequence")?, module)?);
                    }
                }
            }
            8 => {
                let mut aliases = field.message("HloInputOutputAliasProto")?;
                while let Some(mut field) = aliases.next()? {
                    if field.number == 1 {
                        let donated = donated(field.message("AliasEntryProto")?, module)?;
                        module.donated.insert(donated);
                    }
                }
            }
            17 => frames(field.message("StackFrameIndexProto")?, module)?,
            _ => {}
        }
    }
    for (id, order) in orders {
        if let Some(computation) = module.computations.get_mut(&id) {
            computation.order = order;
        }
    }
    Ok(())
}

/// Reads the tables that lead to the lines of source.
fn frames(mut fields: Message<'_, '_>, module: &mut Module) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        module.spend()?;
        match field.number {
            1 => module.frames.files.push(field.text()?),
            2 => module.frames.functions.push(field.text()?),
            3 => {
                let mut location = [0; 3];
                integers(field.message("FileLocation")?, &mut location)?;
                module.frames.locations.push(location);
            }
            4 => {
                let mut frame = [0; 2];
                integers(field.message("StackFrame")?, &mut frame)?;
                module.frames.frames.push(frame);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fills `into` with the first fields of a message, which are integers.
fn integers(mut fields: Message<'_, '_>, into: &mut [i64]) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        let place = usize::try_from(field.number - 1).ok();
        if let Some(slot) = place.and_then(|place| into.get_mut(place)) {
            *slot = field.integer()?;
        }
    }
    Ok(())
}

fn donated(mut fields: Message<'_, '_>, module: &mut Module) -> Result<Donated, Broken> {
    let mut found = Donated::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            2 => found.parameter = field.integer()?,
            3 => numbers(&mut field, &mut found.index, module)?,
            _ => {}
        }
    }
    Ok(found)
}

/// The order of one computation.
fn order(mut fields: Message<'_, '_>, module: &mut Module) -> Result<(i64, Vec<i64>), Broken> {
    let (mut id, mut order) = (0, Vec::new());
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => id = field.integer()?,
            2 => {
                let mut sequence = field.message("InstructionSequence")?;
                while let Some(mut field) = sequence.next()? {
                    if field.number == 1 {
                        numbers(&mut field, &mut order, module)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok((id, order))
}

/// Adds the numbers of a repeated field.
pub(super) fn numbers(
    field: &mut Field<'_, '_>,
    into: &mut Vec<i64>,
    module: &mut Module,
) -> Result<(), Broken> {
    match field.integers(into, || module.spend())? {
        None => Ok(()),
        Some(_) => Err(Broken::new(
            Fault::Limit,
            message!("a list of numbers is too long"),
        )),
    }
}

fn computation(mut fields: Message<'_, '_>, module: &mut Module) -> Result<(), Broken> {
    let (mut id, mut root, mut name) = (0, 0, String::new());
    let mut instructions = Vec::new();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => name = field.text()?,
            2 => {
                module.spend()?;
                instructions.push(instruction(field.message("HloInstructionProto")?, module)?);
            }
            5 => id = field.integer()?,
            6 => root = field.integer()?,
            _ => {}
        }
    }
    let known = Computation {
        name,
        root,
        ..Computation::default()
    };
    if module.computations.insert(id, known).is_some() {
        let message = message!("there are two computations {}", id);
        return Err(Broken::new(Fault::Duplicate, message));
    }
    for instruction in instructions {
        module.add(Instruction {
            computation: id,
            ..instruction
        });
    }
    Ok(())
}

fn instruction(mut fields: Message<'_, '_>, module: &mut Module) -> Result<Instruction, Broken> {
    let mut found = Instruction::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => found.name = field.text()?,
            2 => found.op = field.text()?,
            3 => {
                let message = field.message("ShapeProto")?;
                places(message, &mut Vec::new(), &mut found, module)?;
            }
            7 => {
                let mut metadata = field.message("OpMetadata")?;
                let (mut file, mut line) = (String::new(), 0);
                while let Some(mut field) = metadata.next()? {
                    match field.number {
                        2 => found.source = field.text()?,
                        3 => file = field.text()?,
                        4 => line = field.integer()?,
                        15 => found.frame = field.integer()?,
                        _ => {}
                    }
                }
                if found.frame <= 0 {
                    found.frame = module.frames.own(&file, line);
                }
            }
            9 => found.parameter = field.integer()?,
            28 if module.platform == Platform::Unknown => {
                module.platform = Platform::told(&field.text()?);
            }
            43 if module.platform == Platform::Unknown => {
                let blob = field.blob()?.bytes.unwrap_or_default();
                module.platform = Platform::told(&String::from_utf8_lossy(&blob));
            }
            13 => found.tuple_index = field.integer()?,
            35 => found.id = field.integer()?,
            36 => numbers(&mut field, &mut found.operands, module)?,
            38 => numbers(&mut field, &mut found.called, module)?,
            _ => {}
        }
    }
    Ok(found)
}

/// Adds every place of a result: the whole, and for a tuple those of its parts.
fn places(
    mut fields: Message<'_, '_>,
    at: &mut Vec<i64>,
    into: &mut Instruction,
    module: &mut Module,
) -> Result<(), Broken> {
    module.spend()?;
    into.places.push(at.clone());
    let own = into.shapes.len();
    into.shapes.push(Shape::default());
    let (mut part, mut shape) = (0, Shape::default());
    while let Some(mut field) = fields.next()? {
        match field.number {
            2 => shape.dtype = field.integer()?,
            3 => numbers(&mut field, &mut shape.dims, module)?,
            4 => {
                let inner = field.message("ShapeProto")?;
                at.push(part);
                places(inner, at, into, module)?;
                at.pop();
                part += 1;
            }
            5 => {
                let mut layout = field.message("LayoutProto")?;
                while let Some(mut field) = layout.next()? {
                    match field.number {
                        6 => {
                            shape.tiled = true;
                            module.platform = Platform::Tpu;
                        }
                        7 => shape.element_bits = field.integer()?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(known) = into.shapes.get_mut(own) {
        *known = shape;
    }
    Ok(())
}
