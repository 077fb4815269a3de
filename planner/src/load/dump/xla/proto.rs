//! `*.hlo.pb`: the module with its schedule, and its buffer assignment, in protobuf.
//!
//! Field numbers are those of `hlo.proto` and, for the module, in [`messages`].

use std::collections::BTreeMap;

use super::filled::Sources;
use super::flow;
use super::messages::{self, numbers};
use super::module::Module;
use super::program::{Allocation, Program, Value};
use super::schedule::{Schedule, schedule};
use super::trace::{self, Event, HeapEventKind};
use crate::load::protobuf::{Broken, Message, Reader, varint};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::message;

/// Whether `head` begins like an `HloProto`: with a module that has a name, the name of its
/// entry, and a computation of named instructions.
pub(super) fn sniff(head: &[u8]) -> bool {
    let module = || {
        let module = enter(head, 0x0a)?;
        let computation = enter(text(text(module, 0x0a)?, 0x12)?, 0x1a)?;
        let instruction = enter(text(computation, 0x0a)?, 0x12)?;
        text(text(instruction, 0x0a)?, 0x12)
    };
    module().is_some()
}

/// What stands within the field of that tag in front.
fn enter(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (length, inside) = varint(bytes.strip_prefix(&[tag])?)?;
    (length > 0).then_some(inside)
}

/// What follows the name of that tag in front.
fn text(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (length, inside) = varint(bytes.strip_prefix(&[tag])?)?;
    let (name, rest) = inside.split_at_checked(usize::try_from(length).ok()?)?;
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic());
    is_name.then_some(rest)
}

/// A value as the file has it.
#[derive(Debug, Default)]
struct Logical {
    /// The instruction, by number, or by name in older files.
    made: i64,
    name: String,
    place: Vec<i64>,
}

/// What the file says of memory.
#[derive(Debug, Default)]
struct Assignment {
    values: BTreeMap<i64, Logical>,
    /// Allocations, of whose values only number, size and offset are known.
    allocations: Vec<(Allocation, Vec<[i64; 3]>)>,
    /// What the simulators of the heaps did, each in its order.
    traces: Vec<Vec<Event>>,
}

/// The program in `source`.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn read(source: &dyn Source, warnings: &mut Vec<Warning>) -> Result<Program, LoadError> {
    let mut reader = Reader::copying(source);
    let mut module = Module::default();
    let mut assignment = None;
    let read = proto(&mut reader, &mut module, &mut assignment);
    if let Err(broken) = read {
        return Err(reader.fault(broken));
    }
    let assignment = assignment.ok_or_else(|| {
        Fault::Unsupported.in_file(message!(
            "it has no buffer assignment: open the `.hlo.pb` that was written after \
             the optimizations"
        ))
    })?;
    let schedule = schedule(&module)?;
    program(&module, &schedule, assignment, warnings)
}

fn proto(
    reader: &mut Reader<'_>,
    module: &mut Module,
    found: &mut Option<Assignment>,
) -> Result<(), Broken> {
    let mut fields = reader.root("HloProto");
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => messages::module(field.message("HloModuleProto")?, module)?,
            3 => {
                let message = field.message("BufferAssignmentProto")?;
                *found = Some(buffers(message, module)?);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a `BufferAssignmentProto`.
fn buffers(mut fields: Message<'_, '_>, module: &mut Module) -> Result<Assignment, Broken> {
    let mut found = Assignment::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => {
                module.spend()?;
                let (id, value) = logical(field.message("LogicalBufferProto")?, module)?;
                if found.values.insert(id, value).is_some() {
                    let message = message!("there are two values {}", id);
                    return Err(Broken::new(Fault::Duplicate, message));
                }
            }
            3 => {
                module.spend()?;
                found
                    .allocations
                    .push(allocation(field.message("BufferAllocationProto")?, module)?);
            }
            4 => {
                found
                    .traces
                    .extend(events(field.message("HeapSimulatorTrace")?, module)?);
            }
            _ => {}
        }
    }
    Ok(found)
}

fn logical(mut fields: Message<'_, '_>, module: &mut Module) -> Result<(i64, Logical), Broken> {
    let (mut id, mut found) = (0, Logical::default());
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => id = field.integer()?,
            3 => {
                let mut place = field.message("Location")?;
                while let Some(mut field) = place.next()? {
                    match field.number {
                        2 => found.name = field.text()?,
                        3 => numbers(&mut field, &mut found.place, module)?,
                        4 => found.made = field.integer()?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Ok((id, found))
}

/// An allocation, and number, offset and size of each value in it.
fn allocation(
    mut fields: Message<'_, '_>,
    module: &mut Module,
) -> Result<(Allocation, Vec<[i64; 3]>), Broken> {
    let mut found = Allocation {
        size: Some(0),
        ..Allocation::default()
    };
    let (mut parameter, mut number, mut assigned) = (false, 0, Vec::new());
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => found.index = natural(field.integer()?, || message!("number of an allocation"))?,
            2 => {
                let size = natural(field.integer()?, || message!("size of an allocation"))?;
                found.size = Some(size);
            }
            3 => found.thread_local = field.integer()? != 0,
            5 => parameter = field.integer()? != 0,
            6 => number = natural(field.integer()?, || message!("number of a parameter"))?,
            7 => found.live_out = field.integer()? != 0,
            8 => found.color = natural(field.integer()?, || message!("color"))?,
            9 => {
                module.spend()?;
                let mut value = [0; 3];
                let mut message = field.message("Assigned")?;
                while let Some(mut field) = message.next()? {
                    match field.number {
                        1 => value[0] = field.integer()?,
                        2 => value[1] = field.integer()?,
                        3 => value[2] = field.integer()?,
                        _ => {}
                    }
                }
                assigned.push(value);
            }
            12 => found.constant = field.integer()? != 0,
            _ => {}
        }
    }
    found.parameter = parameter.then_some(number);
    Ok((found, assigned))
}

/// A number that cannot be below zero.
fn natural(number: i64, what: fn() -> crate::Message) -> Result<u64, Broken> {
    u64::try_from(number).map_err(|_below| {
        let message = message!("the {} is {}", what(), number);
        Broken::new(Fault::Malformed, message)
    })
}

/// What a simulator did; nothing when it saw only a part of the module.
fn events(mut fields: Message<'_, '_>, module: &mut Module) -> Result<Option<Vec<Event>>, Broken> {
    let (mut events, mut whole) = (Vec::new(), false);
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => {
                module.spend()?;
                events.push(event(field.message("Event")?)?);
            }
            2 => whole = field.integer()? != 0,
            _ => {}
        }
    }
    Ok(whole.then_some(events))
}

fn event(mut fields: Message<'_, '_>) -> Result<Event, Broken> {
    let mut found = Event::default();
    let mut kind = 0;
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => kind = field.integer()?,
            2 => found.value = field.integer()?,
            5 => found.with = field.integer()?,
            _ => {}
        }
    }
    found.kind = match kind {
        0 => HeapEventKind::Alloc,
        1 => HeapEventKind::Free,
        2 => HeapEventKind::Share,
        _ => {
            let message = message!("the simulator of the heap did {}, which is not known", kind);
            return Err(Broken::new(Fault::Unsupported, message));
        }
    };
    Ok(found)
}

/// Everything together.
fn program(
    module: &Module,
    schedule: &Schedule,
    assignment: Assignment,
    warnings: &mut Vec<Warning>,
) -> Result<Program, LoadError> {
    let mut origins = flow::Origins::new();
    let mut made = BTreeMap::new();
    for (order, (id, value)) in assignment.values.iter().enumerate() {
        let index = module.by_id.get(&value.made).filter(|_| value.made != 0);
        let index = index.or_else(|| module.by_name.get(&value.name));
        let index = *index.ok_or_else(|| {
            Fault::Dangling.at(
                message!("value {}", id),
                message!("no instruction makes it"),
            )
        })?;
        origins.insert((index, value.place.clone()), order);
        made.insert(*id, (order, index, value.place.as_slice()));
    }
    let mut lives = flow::lives(module, schedule, &origins, made.len())?;
    let order: BTreeMap<i64, usize> = made.iter().map(|(id, it)| (*id, it.0)).collect();
    let groups = trace::follow(
        &assignment.traces,
        &order,
        schedule.end(),
        &mut lives,
        warnings,
    )?;
    let root = module.computations.get(&module.entry).map(|it| it.root);
    let root = root.and_then(|root| module.by_id.get(&root));
    let result = root.and_then(|root| origins.get(&(*root, Vec::new())));
    let mut sources = Sources::of(module);
    let mut allocations = Vec::new();
    for (mut allocation, assigned) in assignment.allocations {
        let mut values = Vec::new();
        for [id, offset, size] in assigned {
            let place = || message!("allocation {}, value {}", allocation.index, id);
            let missing = || Fault::Dangling.at(place(), message!("there is no such value"));
            let (order, index, within) = made.get(&id).ok_or_else(missing)?;
            allocation.output |= Some(order) == result;
            let below = |_| {
                let message = message!("its offset or its size is below zero");
                Fault::Malformed.at(place(), message)
            };
            let mut value = Value {
                name: name(module, *index, within),
                payload: module.payload(*index, within),
                size: u64::try_from(size).map_err(below)?,
                offset: u64::try_from(offset).map_err(below)?,
                at: u64::try_from(id).unwrap_or_default(),
                group: groups.get(order).copied(),
                life: lives.get(*order).cloned().flatten(),
                ir: module.value(*index, within),
                ..Value::default()
            };
            sources.add(&module.frames, (*index, within.to_vec()), &mut value);
            values.push(value);
        }
        allocations.push(Allocation {
            values,
            ..allocation
        });
    }
    let steps = schedule.order.iter();
    let steps = steps.filter_map(|index| Some(module.instructions.get(*index)?.name.clone()));
    Ok(Program {
        allocations,
        stacks: sources.shown.finish(),
        platform: module.platform,
        steps: steps.collect(),
        end: schedule.end(),
    })
}

/// The instruction with the place in its result, as the text writes it.
fn name(module: &Module, index: usize, place: &[i64]) -> String {
    let name = module.instructions.get(index).map(|it| it.name.as_str());
    let name = name.unwrap_or_default();
    if place.is_empty() {
        return name.to_owned();
    }
    let place: Vec<String> = place.iter().map(i64::to_string).collect();
    format!("{name}{{{}}}", place.join(","))
}
