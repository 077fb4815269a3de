//! The FlatBuffers schema of ExecuTorch programs, as far as memory needs it. Field numbers
//! are those of `program.fbs`.

use crate::deployed::Frame;
use crate::load::flatbuffer::{Table, Vector, error};
use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// What one value, instruction or method costs of the file's budget of elements: they are
/// held in memory, and a hostile file could list the same one many times.
pub(super) const COST: u64 = 8;
/// The longest name of an operator or delegate: each instruction has one.
const MAX_NAME: usize = 128;

/// One method of a program.
#[derive(Debug)]
pub(super) struct Method {
    /// Its name: `forward`.
    pub(super) name: String,
    /// Everything that instructions can refer to.
    pub(super) values: Vec<Value>,
    /// Values that the caller gives.
    pub(super) inputs: Vec<usize>,
    /// Values that the caller gets.
    pub(super) outputs: Vec<usize>,
    /// In the order in which they run.
    pub(super) instructions: Vec<Instruction>,
    /// Bytes of each memory; number 0 is reserved.
    pub(super) memories: Vec<u64>,
}

/// One value.
#[derive(Debug)]
pub(super) enum Value {
    Tensor(Tensor),
    /// Several tensors.
    List(Vec<usize>),
    /// A number, a text, nothing.
    Other,
}

/// One tensor.
#[derive(Debug)]
pub(super) struct Tensor {
    /// Where in the file it stands.
    pub(super) at: u64,
    /// What the model calls it; mostly empty.
    pub(super) name: String,
    /// Bytes of its largest shape; `None` when the type is not known.
    pub(super) bytes: Option<u64>,
    /// Number of its element type.
    pub(super) scalar: u8,
    /// Memory and offset; `None` when the file gives it no place.
    pub(super) place: Option<(u32, u64)>,
    /// Whether the file, or another, holds its values at the start.
    pub(super) stored: bool,
    /// Whether its largest shape is not known.
    pub(super) unbounded: bool,
    /// Elements in front of its first.
    pub(super) skipped: i32,
}

/// One instruction.
#[derive(Debug)]
pub(super) struct Instruction {
    /// What runs: an operator, a delegate, or a word for the rest.
    pub(super) name: String,
    /// What it does.
    pub(super) action: Action,
    /// Where in the source it comes from, innermost first.
    pub(super) frames: Vec<Frame>,
}

/// What an instruction does.
#[derive(Debug)]
pub(super) enum Action {
    /// Reads and writes values; the last is written, or all that it lists.
    Call(Vec<usize>),
    /// One value becomes another.
    Move { from: usize, to: usize },
    /// Goes on at an instruction of its chain when a value is false.
    Jump { condition: usize, to: usize },
    /// Gives a value's bytes back.
    Free(usize),
}

impl Method {
    /// The method in `plan`.
    ///
    /// # Errors
    /// See [`LoadError`]; places are bytes of the file.
    pub(super) fn of(plan: &Table<'_, '_>) -> Result<Self, LoadError> {
        plan.spend(COST)?;
        let tables = plan.tables(2)?;
        plan.spend(tables.len.saturating_mul(COST))?;
        let mut values = Vec::new();
        for index in 0..tables.len {
            values.push(value(&tables.table(index)?, tables.len)?);
        }
        let count = values.len();
        let mut method = Self {
            name: plan.text(0)?,
            values,
            inputs: indices(plan, 3, count)?,
            outputs: indices(plan, 4, count)?,
            instructions: Vec::new(),
            memories: Vec::new(),
        };
        for size in plan.longs(8)? {
            let size = u64::try_from(size).map_err(|wrong| {
                let message = message!(
                    "a memory of {} bytes: {}",
                    size,
                    Message::verbatim(wrong.to_string())
                );
                error(Fault::Malformed, plan.start(), message)
            })?;
            method.memories.push(size);
        }
        let mut operators = Vec::new();
        let tables = plan.tables(6)?;
        plan.spend(tables.len)?;
        for index in 0..tables.len {
            let operator = tables.table(index)?;
            let (name, overload) = (operator.text(0)?, operator.text(1)?);
            let dot = if overload.is_empty() { "" } else { "." };
            operators.push(short(format!("{name}{dot}{overload}"), &operator)?);
        }
        let mut delegates = Vec::new();
        let tables = plan.tables(7)?;
        plan.spend(tables.len)?;
        for index in 0..tables.len {
            let delegate = tables.table(index)?;
            delegates.push(short(delegate.text(0)?, &delegate)?);
        }
        let chains = plan.tables(5)?;
        plan.spend(chains.len)?;
        for index in 0..chains.len {
            method.chain(&chains.table(index)?, &operators, &delegates)?;
        }
        Ok(method)
    }

    /// Adds the instructions of a chain.
    fn chain(
        &mut self,
        chain: &Table<'_, '_>,
        operators: &[String],
        delegates: &[String],
    ) -> Result<(), LoadError> {
        let tables = chain.tables(2)?;
        chain.spend(tables.len.saturating_mul(COST))?;
        let traces = chain.tables(3)?;
        let first = self.instructions.len();
        for index in 0..tables.len {
            let instruction = tables.table(index)?;
            let (name, action) = action(
                &instruction,
                [operators, delegates],
                self.values.len(),
                first,
            )?;
            let frames = match index < traces.len {
                true => frames(&traces, index)?,
                false => Vec::new(),
            };
            self.instructions.push(Instruction {
                name,
                action,
                frames,
            });
        }
        Ok(())
    }
}

/// The name of an operator, if it is not too long.
fn short(name: String, table: &Table<'_, '_>) -> Result<String, LoadError> {
    if name.len() <= MAX_NAME {
        return Ok(name);
    }
    let message = message!("an operator with a name of {} bytes", name.len());
    Err(error(Fault::Limit, table.start(), message))
}

/// The value in `table`, of `count` in all.
fn value(table: &Table<'_, '_>, count: u64) -> Result<Value, LoadError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let kind = table.u8(0, 0)?;
    if !matches!(kind, 5 | 10 | 11) {
        return match kind {
            0..=9 => Ok(Value::Other),
            _ => Err(error(
                Fault::Unsupported,
                table.start(),
                message!("a value of kind {}, which we do not know", kind),
            )),
        };
    }
    let inner = required(table, 1)?;
    if kind == 5 {
        return tensor(&inner).map(Value::Tensor);
    }
    let items = inner.ints(0)?.unwrap_or_default();
    // An optional tensor that is not there is below zero.
    let items = items.into_iter().filter(|&item| kind == 10 || item >= 0);
    let items = items.map(|item| index(item, count, inner.start()));
    items.collect::<Result<_, _>>().map(Value::List)
}

fn tensor(table: &Table<'_, '_>) -> Result<Tensor, LoadError> {
    let scalar = table.u8(0, 0)?;
    let dims = table.ints(2)?.unwrap_or_default();
    let unbounded = table.u8(8, 0)? == 2;
    let place = match table.table(6)? {
        None => None,
        Some(details) => {
            let (low, high) = (details.u32(1, 0)?, details.u32(2, 0)?);
            let offset = u64::from(high) << 32 | u64::from(low);
            Some((details.u32(0, 0)?, offset))
        }
    };
    let mut bytes = width(scalar);
    for dim in dims {
        // Nothing reads the shape of a tensor without bounds.
        let dim = match u64::try_from(dim) {
            Ok(dim) => dim,
            Err(_) if unbounded => 0,
            Err(_) => {
                let message = message!("a tensor with {} in its shape", dim);
                return Err(error(Fault::Malformed, table.start(), message));
            }
        };
        bytes = match bytes.map(|bytes| bytes.checked_mul(dim)) {
            None => None,
            Some(Some(bytes)) => Some(bytes),
            Some(None) => {
                let message = message!("a tensor of 2^64 bytes or more");
                return Err(error(Fault::Limit, table.start(), message));
            }
        };
    }
    let extra = table.table(9)?;
    let (name, external) = match &extra {
        Some(extra) => (extra.text(1)?, extra.u8(2, 0)? == 1),
        None => (String::new(), false),
    };
    Ok(Tensor {
        at: table.start(),
        name,
        bytes,
        scalar,
        place,
        stored: external || table.u32(5, 0)? > 0,
        unbounded,
        skipped: table.i32(1, 0)?,
    })
}

/// Bytes of an element, by PyTorch's number of its type.
fn width(scalar: u8) -> Option<u64> {
    Some(match scalar {
        // Whole bytes, booleans, quantised and packed bytes, 8-bit floats.
        0 | 1 | 11 | 12 | 13 | 16..=21 | 23..=26 => 1,
        // 16 bits: short, half, bfloat16, bits16, uint16.
        2 | 5 | 15 | 22 | 27 => 2,
        // 32 bits: int, float, complex half, qint32, uint32.
        3 | 6 | 8 | 14 | 28 => 4,
        // 64 bits: long, double, complex float, uint64.
        4 | 7 | 9 | 29 => 8,
        // Complex double.
        10 => 16,
        _ => return None,
    })
}

/// The name of what an instruction runs, and what it does; `first` is the index of the first
/// instruction of its chain.
fn action(
    instruction: &Table<'_, '_>,
    [operators, delegates]: [&[String]; 2],
    count: usize,
    first: usize,
) -> Result<(String, Action), LoadError> {
    let kind = instruction.u8(0, 0)?;
    let inner = required(instruction, 1)?;
    let value = |field: u16| index(inner.i32(field, 0)?, count, inner.start());
    Ok(match kind {
        1 | 2 => {
            let names = if kind == 1 { operators } else { delegates };
            let name = index(inner.i32(0, 0)?, names.len(), inner.start())?;
            let name = names.get(name).cloned().unwrap_or_default();
            let args = indices(&inner, 1, count)?;
            (name, Action::Call(args))
        }
        3 => {
            let (from, to) = (value(0)?, value(1)?);
            ("move".into(), Action::Move { from, to })
        }
        4 => {
            let condition = value(0)?;
            let to = index(inner.i32(1, 0)?, usize::MAX, inner.start())?;
            let to = to.saturating_add(first);
            ("jump".into(), Action::Jump { condition, to })
        }
        5 => ("free".into(), Action::Free(value(0)?)),
        _ => {
            let message = message!("an instruction of kind {}, which we do not know", kind);
            return Err(error(Fault::Unsupported, instruction.start(), message));
        }
    })
}

/// The stack of the instruction at `index`, innermost first; the file has it the other way.
fn frames(traces: &Vector<'_, '_>, index: u64) -> Result<Vec<Frame>, LoadError> {
    let list = traces.table(index)?;
    let items = list.tables(0)?;
    list.spend(items.len.saturating_mul(COST))?;
    let mut frames = Vec::new();
    for index in (0..items.len).rev() {
        let frame = items.table(index)?;
        frames.push(Frame {
            function: frame.text(2)?,
            file: frame.text(0)?,
            line: u32::try_from(frame.i32(1, 0)?).unwrap_or_default(),
        });
    }
    Ok(frames)
}

/// The table in a field that has to be there.
fn required<'r, 'a>(table: &Table<'r, 'a>, field: u16) -> Result<Table<'r, 'a>, LoadError> {
    table.table(field)?.ok_or_else(|| {
        let message = message!("a value or instruction without content");
        error(Fault::Malformed, table.start(), message)
    })
}

/// The indices in a field, each below `count`.
fn indices(table: &Table<'_, '_>, field: u16, count: usize) -> Result<Vec<usize>, LoadError> {
    let ints = table.ints(field)?.unwrap_or_default();
    let each = ints.into_iter().map(|int| index(int, count, table.start()));
    each.collect()
}

fn index(int: i32, count: usize, at: u64) -> Result<usize, LoadError> {
    let index = usize::try_from(int).ok().filter(|&index| index < count);
    index.ok_or_else(|| {
        let message = message!("number {} of {}, counted from 0", int, count);
        error(Fault::Dangling, at, message)
    })
}
