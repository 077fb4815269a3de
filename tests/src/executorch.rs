//! Writes small ExecuTorch programs with the `flatbuffers` crate, whose writer shares no code
//! with our reader. Field numbers are those of the schema.

use flatbuffers::{FlatBufferBuilder, VOffsetT, WIPOffset};

type Table = WIPOffset<flatbuffers::TableFinishedWIPOffset>;

/// A float.
pub const FLOAT: i8 = 6;

/// A tensor.
#[derive(Clone, Debug, Default)]
pub struct Tensor {
    /// Kind of its elements.
    pub scalar: i8,
    /// Its shape.
    pub dims: Vec<i32>,
    /// Memory and offset.
    pub place: Option<(u32, u64)>,
    /// Above 0 where the file holds values.
    pub data: u32,
    /// 1 for bounded shapes, 2 for unbounded ones.
    pub dynamism: i8,
    /// What the export calls it; empty where it does not.
    pub name: &'static str,
}

/// A value of a method.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Int(i64),
    /// A list of tensors, by number of the value.
    List(Vec<i32>),
    /// A list with -1 for what is not there.
    Optional(Vec<i32>),
    /// A kind that the schema does not have.
    Unknown(u8),
}

/// What a step does, by numbers of values.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// Calls an operator.
    Kernel(i32, Vec<i32>),
    /// Calls a delegate.
    Delegate(i32, Vec<i32>),
    /// Copies.
    Move(i32, i32),
    /// Goes elsewhere where a value is false.
    JumpFalse(i32, i32),
    /// Gives a value up.
    Free(i32),
}

/// A method of a program.
#[derive(Clone, Debug, Default)]
pub struct Method {
    /// What it is called.
    pub name: &'static str,
    /// Its values.
    pub values: Vec<Value>,
    /// Those that it is given.
    pub inputs: Vec<i32>,
    /// Those that it returns.
    pub outputs: Vec<i32>,
    /// Its steps.
    pub instructions: Vec<Instruction>,
    /// Operators by name and overload.
    pub operators: Vec<&'static str>,
    /// Delegates by name.
    pub delegates: Vec<&'static str>,
    /// Bytes of each memory; number 0 is none.
    pub memories: Vec<i64>,
    /// File, function and line of each instruction, outermost first.
    pub frames: Vec<Vec<(&'static str, &'static str, i32)>>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What its file begins with.
    pub identifier: &'static str,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// Floats of one dimension at an offset of memory 1.
#[must_use]
pub fn floats(count: i32, offset: u64) -> Value {
    Value::Tensor(Tensor {
        scalar: FLOAT,
        dims: vec![count],
        place: Some((1, offset)),
        ..Tensor::default()
    })
}

impl Program {
    /// The file of a program of these methods.
    #[must_use]
    pub fn of(methods: &[Method]) -> Vec<u8> {
        let program = Self {
            identifier: "ET12",
            methods: methods.to_vec(),
        };
        program.bytes()
    }

    /// Its file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut b = FlatBufferBuilder::new();
        let methods: Vec<Table> = self.methods.iter().map(|it| it.write(&mut b)).collect();
        let methods = b.create_vector(&methods);
        let start = b.start_table();
        b.push_slot_always(field(0), 0_u32);
        b.push_slot_always(field(1), methods);
        let program = b.end_table(start);
        b.finish(program, Some(self.identifier));
        b.finished_data().to_vec()
    }
}

/// The same program with the extended header, and how long it says that all is.
///
/// # Panics
/// When it is no program.
#[must_use]
pub fn with_header(program: &[u8]) -> Vec<u8> {
    const LENGTH: u32 = 32;
    let (front, rest) = program.split_at(8);
    let root = u32::from_le_bytes(front[..4].try_into().expect("four bytes")) + LENGTH;
    let total = program.len() as u64 + u64::from(LENGTH);
    let mut bytes = root.to_le_bytes().to_vec();
    bytes.extend(&front[4..]);
    bytes.extend(b"eh00");
    bytes.extend(LENGTH.to_le_bytes());
    for long in [total, 0, 0] {
        bytes.extend(long.to_le_bytes());
    }
    bytes.extend(rest);
    bytes
}

impl Method {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let name = b.create_string(self.name);
        let values: Vec<Table> = self.values.iter().map(|value| value.write(b)).collect();
        let values = b.create_vector(&values);
        let inputs = b.create_vector(&self.inputs);
        let outputs = b.create_vector(&self.outputs);
        let instructions: Vec<Table> = self.instructions.iter().map(|it| it.write(b)).collect();
        let instructions = b.create_vector(&instructions);
        let frames: Vec<Table> = self.frames.iter().map(|stack| frames(b, stack)).collect();
        let frames = b.create_vector(&frames);
        let start = b.start_table();
        b.push_slot_always(field(2), instructions);
        b.push_slot_always(field(3), frames);
        let chain = b.end_table(start);
        let chains = b.create_vector(&[chain]);
        let operators: Vec<Table> = self
            .operators
            .iter()
            .map(|name| operator(b, name))
            .collect();
        let operators = b.create_vector(&operators);
        let delegates: Vec<Table> = self
            .delegates
            .iter()
            .map(|name| delegate(b, name))
            .collect();
        let delegates = b.create_vector(&delegates);
        let memories = b.create_vector(&self.memories);
        let start = b.start_table();
        b.push_slot_always(field(0), name);
        b.push_slot_always(field(2), values);
        b.push_slot_always(field(3), inputs);
        b.push_slot_always(field(4), outputs);
        b.push_slot_always(field(5), chains);
        b.push_slot_always(field(6), operators);
        b.push_slot_always(field(7), delegates);
        b.push_slot_always(field(8), memories);
        b.end_table(start)
    }
}

/// An operator by `name.overload`.
fn operator(b: &mut FlatBufferBuilder<'_>, name: &str) -> Table {
    let (name, overload) = name.split_once('.').unwrap_or((name, ""));
    let (name, overload) = (b.create_string(name), b.create_string(overload));
    let start = b.start_table();
    b.push_slot_always(field(0), name);
    b.push_slot_always(field(1), overload);
    b.end_table(start)
}

fn delegate(b: &mut FlatBufferBuilder<'_>, name: &str) -> Table {
    let name = b.create_string(name);
    let start = b.start_table();
    b.push_slot_always(field(0), name);
    b.end_table(start)
}

fn frames(b: &mut FlatBufferBuilder<'_>, stack: &[(&str, &str, i32)]) -> Table {
    let mut items = Vec::new();
    for &(file, function, line) in stack {
        let (file, function) = (b.create_string(file), b.create_string(function));
        let start = b.start_table();
        b.push_slot_always(field(0), file);
        b.push_slot_always(field(1), line);
        b.push_slot_always(field(2), function);
        items.push(b.end_table(start));
    }
    let items = b.create_vector(&items);
    let start = b.start_table();
    b.push_slot_always(field(0), items);
    b.end_table(start)
}

/// A table with a kind and what is of that kind, as unions are written.
fn union(b: &mut FlatBufferBuilder<'_>, kind: u8, inner: Table) -> Table {
    let inner = inner.as_union_value();
    let start = b.start_table();
    b.push_slot_always(field(0), kind);
    b.push_slot_always(field(1), inner);
    b.end_table(start)
}

impl Value {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let list = |b: &mut FlatBufferBuilder<'_>, items: &[i32]| {
            let items = b.create_vector(items);
            let start = b.start_table();
            b.push_slot_always(field(0), items);
            b.end_table(start)
        };
        let (kind, inner) = match self {
            Self::Int(int) => {
                let start = b.start_table();
                b.push_slot_always(field(0), *int);
                (2, b.end_table(start))
            }
            Self::Tensor(tensor) => (5, tensor.write(b)),
            Self::List(items) => (10, list(b, items)),
            Self::Optional(items) => (11, list(b, items)),
            Self::Unknown(kind) => (*kind, list(b, &[])),
        };
        union(b, kind, inner)
    }
}

impl Tensor {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let dims = b.create_vector(&self.dims);
        let place = self.place.map(|(memory, offset)| {
            let [low, high] = [offset & 0xffff_ffff, offset >> 32];
            let [low, high] = [low, high].map(|half| u32::try_from(half).expect("32 bits"));
            let start = b.start_table();
            b.push_slot_always(field(0), memory);
            b.push_slot_always(field(1), low);
            b.push_slot_always(field(2), high);
            b.end_table(start)
        });
        let extra = (!self.name.is_empty()).then(|| {
            let name = b.create_string(self.name);
            let start = b.start_table();
            b.push_slot_always(field(1), name);
            b.end_table(start)
        });
        let start = b.start_table();
        b.push_slot_always(field(0), self.scalar);
        b.push_slot_always(field(2), dims);
        b.push_slot_always(field(5), self.data);
        if let Some(place) = place {
            b.push_slot_always(field(6), place);
        }
        b.push_slot_always(field(8), self.dynamism);
        if let Some(extra) = extra {
            b.push_slot_always(field(9), extra);
        }
        b.end_table(start)
    }
}

impl Instruction {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let pair = |b: &mut FlatBufferBuilder<'_>, one: i32, two: i32| {
            let start = b.start_table();
            b.push_slot_always(field(0), one);
            b.push_slot_always(field(1), two);
            b.end_table(start)
        };
        let call = |b: &mut FlatBufferBuilder<'_>, index: i32, args: &[i32]| {
            let args = b.create_vector(args);
            let start = b.start_table();
            b.push_slot_always(field(0), index);
            b.push_slot_always(field(1), args);
            b.end_table(start)
        };
        let (kind, inner) = match self {
            Self::Kernel(operator, args) => (1, call(b, *operator, args)),
            Self::Delegate(delegate, args) => (2, call(b, *delegate, args)),
            Self::Move(from, to) => (3, pair(b, *from, *to)),
            Self::JumpFalse(condition, to) => (4, pair(b, *condition, *to)),
            Self::Free(value) => (5, pair(b, *value, 0)),
        };
        union(b, kind, inner)
    }
}

/// Where the vtable has the field with this number.
fn field(id: u16) -> VOffsetT {
    4 + 2 * id
}
