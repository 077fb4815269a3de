//! The instructions of a module, as far as lifetimes need them.

use std::collections::{BTreeMap, BTreeSet};

use super::frames::Frames;
use super::platform::Platform;
use super::tiles;
use crate::deployed::IrValue;
use crate::load::protobuf::Broken;
use crate::load::{Fault, LoadError};
use crate::message;

/// The types of elements as text writes them, by their numbers in `xla_data.proto`.
const DTYPES: [&str; 34] = [
    "",
    "pred",
    "s8",
    "s16",
    "s32",
    "s64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f16",
    "f32",
    "f64",
    TUPLE,
    "opaque",
    "c64",
    "bf16",
    "token",
    "c128",
    "f8e5m2",
    "f8e4m3fn",
    "s4",
    "u4",
    "f8e4m3b11fnuz",
    "f8e5m2fnuz",
    "f8e4m3fnuz",
    "s2",
    "u2",
    "f8e4m3",
    "f8e3m4",
    "s1",
    "u1",
    "f4e2m1fn",
    "f8e8m0fnu",
];
/// The type of several values together.
pub(super) const TUPLE: &str = "tuple";

/// Most instructions, operands and places in tuples, each.
const MAX_ROWS: usize = 1 << 23;

/// A module with its schedule.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// All instructions of all computations.
    pub(super) instructions: Vec<Instruction>,
    /// All computations, by their number.
    pub(super) computations: BTreeMap<i64, Computation>,
    /// The computation that is the program.
    pub(super) entry: i64,
    /// The parameters that a result is written over.
    pub(super) donated: BTreeSet<Donated>,
    /// Where an instruction of that number stands in [`instructions`](Self::instructions).
    pub(super) by_id: BTreeMap<i64, usize>,
    /// The same by name.
    pub(super) by_name: BTreeMap<String, usize>,
    /// What it was compiled for.
    pub(super) platform: Platform,
    /// The lines of source.
    pub(super) frames: Frames,
    rows: usize,
}

/// A parameter, and the place in it, that a result is written over.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Donated {
    /// Which parameter.
    pub(super) parameter: i64,
    /// Which place in its tuple.
    pub(super) index: Vec<i64>,
}

/// What lies at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Number of the type.
    pub(super) dtype: i64,
    pub(super) dims: Vec<i64>,
    /// Whether it is laid out in tiles.
    pub(super) tiled: bool,
    /// Bits of an element, where the layout says so; otherwise 0.
    pub(super) element_bits: i64,
}

/// Instructions that belong together.
#[derive(Debug, Default)]
pub(super) struct Computation {
    pub(super) name: String,
    /// The instruction whose result is that of all.
    pub(super) root: i64,
    /// Where its parameters stand in the module, by their numbers.
    pub(super) parameters: BTreeMap<i64, usize>,
    /// The order of its instructions; empty where they are not scheduled.
    pub(super) order: Vec<i64>,
}

/// One instruction.
#[derive(Debug, Default)]
pub(super) struct Instruction {
    pub(super) name: String,
    /// Its kind.
    pub(super) op: String,
    pub(super) id: i64,
    /// Numbers of the instructions that it reads.
    pub(super) operands: Vec<i64>,
    /// Numbers of the computations that it calls.
    pub(super) called: Vec<i64>,
    /// Which parameter it is.
    pub(super) parameter: i64,
    /// Which place of a tuple it takes.
    pub(super) tuple_index: i64,
    /// Every place of its result, the whole first.
    pub(super) places: Vec<Vec<i64>>,
    /// What lies at each of them.
    pub(super) shapes: Vec<Shape>,
    /// The operator of the framework that it was made from.
    pub(super) source: String,
    /// The number of the frame that made it, in [`Module::frames`]; 0 for none.
    pub(super) frame: i64,
    /// The computation that it is in.
    pub(super) computation: i64,
}

impl Module {
    /// Counts something of which a file must not have too much.
    ///
    /// # Errors
    /// [`Fault::Limit`] when it has.
    pub(super) fn spend(&mut self) -> Result<(), Broken> {
        self.rows += 1;
        match self.rows > MAX_ROWS {
            true => Err(Broken::new(
                Fault::Limit,
                message!(
                    "more than {} instructions, operands and parts of results",
                    MAX_ROWS
                ),
            )),
            false => Ok(()),
        }
    }

    /// Takes an instruction in.
    pub(super) fn add(&mut self, instruction: Instruction) {
        let index = self.instructions.len();
        self.by_id.insert(instruction.id, index);
        self.by_name.insert(instruction.name.clone(), index);
        if instruction.op == "parameter" {
            let computation = self
                .computations
                .entry(instruction.computation)
                .or_default();
            computation.parameters.insert(instruction.parameter, index);
        }
        self.instructions.push(instruction);
    }

    /// What lies at a place of the result of the instruction at `index`, and what made it.
    pub(super) fn value(&self, index: usize, place: &[i64]) -> IrValue {
        let Some(made) = self.instructions.get(index) else {
            return IrValue::default();
        };
        let computation = self.computations.get(&made.computation);
        let mut shapes = made.places.iter().zip(&made.shapes);
        let shape = shapes.find(|(known, _)| *known == place);
        let shape = shape.map(|(_, shape)| shape.clone()).unwrap_or_default();
        let dtype = usize::try_from(shape.dtype).unwrap_or_default();
        let dtype = DTYPES.get(dtype).copied().unwrap_or_default();
        let dims = shape.dims.iter().map(|&dim| u64::try_from(dim).ok());
        let is_array = !dtype.is_empty() && dtype != TUPLE;
        IrValue {
            dtype: dtype.to_owned(),
            shape: dims.collect::<Option<_>>().filter(|_| is_array),
            computation: computation.map(|it| it.name.clone()).unwrap_or_default(),
            source: made.source.clone(),
        }
    }

    /// The bytes of the elements at a place of that result, where they are laid out in tiles.
    pub(super) fn payload(&self, index: usize, place: &[i64]) -> Option<u64> {
        let made = self.instructions.get(index)?;
        let mut shapes = made.places.iter().zip(&made.shapes);
        let (_, shape) = shapes.find(|(known, _)| *known == place)?;
        let value = self.value(index, place);
        let packed = u64::try_from(shape.element_bits).ok();
        let packed = packed.filter(|bits| *bits > 0);
        let bits = packed.or_else(|| tiles::bits(&value.dtype))?;
        tiles::payload(value.shape.as_deref().filter(|_| shape.tiled)?, bits)
    }

    /// The instruction of that number.
    pub(super) fn find(&self, id: i64) -> Option<(usize, &Instruction)> {
        let index = *self.by_id.get(&id)?;
        Some((index, self.instructions.get(index)?))
    }

    /// The instruction of that number, which must be there.
    ///
    /// # Errors
    /// [`Fault::Dangling`] when it is not.
    pub(super) fn instruction(&self, id: i64) -> Result<(usize, &Instruction), LoadError> {
        self.find(id).ok_or_else(|| {
            Fault::Dangling.at(
                message!("instruction {}", id),
                message!("the schedule names it, but no computation has it"),
            )
        })
    }
}
