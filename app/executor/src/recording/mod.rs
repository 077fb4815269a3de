//! A run as data: what is uploaded, dispatched and read back, and where every tensor lives.
//! Nothing here needs a GPU.

mod text;

use std::sync::Arc;

use planner::Bytes;
use planner::graph::{DType, Quantization, Sparsity, TensorId};
use serde::{Deserialize, Serialize};

use crate::elements;
use crate::kernels::{CopyParams, Kernel, UnaryOp};

/// Bytes of a word: every address in a recording counts words.
pub const WORD: u64 = 4;
/// Words of the uniform of one dispatch: WebGPU aligns dynamic offsets to 256 bytes.
pub const UNIFORM_WORDS: usize = 64;
/// Words at the start of a uniform that hold the addresses of the operands.
pub const ADDRESS_WORDS: usize = 12;
/// Most inputs of a dispatch that a shader calls by number.
pub const MAX_INPUTS: usize = 8;
/// Most inputs beyond them, of which a shader has the addresses: the last words of a uniform.
pub const MORE_INPUTS: usize = 12;
/// Most outputs of a dispatch.
pub const MAX_OUTPUTS: usize = 2;

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Size of the arena, whole words.
    pub arena: Bytes,
    /// Size of the buffer for what the plan does not place: the caller's inputs and outputs
    /// unless they are pinned into the arena, and state.
    pub io: Bytes,
    /// Sizes of the read-only buffers of the weights; more than one where a binding's limit
    /// asks for it.
    pub weights: Vec<Bytes>,
    /// Constants and inputs, in the order in which they are written.
    pub uploads: Vec<Upload>,
    /// One per step of the plan, in order.
    pub steps: Vec<RecordedStep>,
    /// Every tensor that the plan places in the arena.
    pub places: Vec<PlacedTensor>,
    /// The graph's outputs, in its order.
    pub outputs: Vec<Operand>,
}

/// The buffer that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Space {
    /// The planned arena.
    Arena,
    /// The read-only weights buffer of this number.
    Weights(u16),
    /// Inputs, outputs and state that the plan does not place.
    Io,
}

/// Words `[word, word + words)` of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Which buffer.
    pub space: Space,
    /// First word.
    pub word: u32,
    /// Number of words; the last may be filled in part.
    pub words: u32,
}

/// A tensor as a dispatch sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Which tensor of the graph.
    pub tensor: TensorId,
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub region: Region,
    /// Index of the buffer of the plan that it lies in; `None` beside the plan.
    pub buffer: Option<usize>,
    /// Dimensions, outermost first.
    pub dims: Vec<u32>,
    /// Elements from one index of each dimension to the next; empty where the elements follow
    /// one another, the last dimension first.
    pub strides: Vec<u32>,
    /// Element type: 64-bit integers take two words, narrow ones share a word.
    pub dtype: DType,
    /// Of a table that lowering has worked out, its words; `None` of a tensor of the graph.
    pub held: Option<Arc<Vec<u32>>>,
}

/// Words that are written before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Upload {
    /// Where they go.
    pub operand: Operand,
    /// Where they come from.
    pub origin: Origin,
}

/// Where uploaded elements come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The caller's input of this position.
    Input(usize),
    /// Little-endian elements that the graph holds.
    Inline(Vec<u8>),
    /// A byte range of the opened file.
    File {
        /// First byte.
        start: u64,
        /// Number of bytes.
        len: u64,
    },
    /// The file does not hold them: seeded random values, bell-shaped.
    Seeded {
        /// Seed, made from the tensor's name.
        seed: u64,
        /// Standard deviation: one over the root of the fan-in.
        scale: f32,
        /// Mean: 0, or 1 for what multiplies or is a variance.
        around: f32,
    },
    /// Integers that the file does not hold either: seeded ones from 0 on.
    SeededInts {
        /// Seed, made from the tensor's name.
        seed: u64,
        /// The number that none reaches: the size of the axis that they index.
        below: u64,
    },
    /// Elements that the file stores quantised, sparse or in another type.
    Stored(Box<Stored>),
    /// Elements known as a whole before the run, as words.
    Words(Vec<u32>),
    /// Computed from other constants before the run: this output of
    /// [`Lowered::folded`](crate::lower::Lowered::folded).
    Folded(usize),
    /// State that begins as zeros.
    Zeros,
}

/// Elements that must be decoded before they are uploaded, as floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Where they are: in the file or in the graph.
    pub origin: Origin,
    /// Their type there.
    pub dtype: DType,
    /// Which of them are there, if not all are.
    pub sparsity: Option<Box<Sparsity>>,
    /// What integers stand for.
    pub quantization: Option<Box<Quantization>>,
}

/// What one step of the plan does.
#[derive(Clone, Debug, Default)]
pub struct RecordedStep {
    /// The operator's name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// What it writes in the arena or beside it.
    pub writes: Vec<Operand>,
    /// Tensors that it makes without writing: their elements lie in what it reads.
    pub views: Vec<Operand>,
    /// Tensors that it makes, each whole, with the type and the dimensions that the graph gives
    /// it: a kernel may see one in parts, as other elements or in another shape.
    pub made: Vec<Operand>,
    /// Tensors that it reads, constants left out.
    pub reads: Vec<Operand>,
    /// Dispatches in order; none where the output already lies where its input is.
    pub dispatches: Vec<Dispatch>,
    /// Whether a written tensor may lie exactly where a read one does.
    pub in_place: bool,
}

impl Upload {
    /// Whether it stays as it is: what is no weight is an input or state.
    pub(crate) fn is_weight(&self) -> bool {
        matches!(self.operand.region.space, Space::Weights(_))
    }

    /// Whether the caller feeds it.
    pub(crate) fn is_input(&self) -> bool {
        matches!(self.origin, Origin::Input(_))
    }
}

impl Recording {
    /// The dispatches of every step.
    pub(crate) fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.steps.iter().flat_map(|step| &step.dispatches)
    }
}

impl RecordedStep {
    /// A step at which nothing runs.
    pub(crate) fn idle(kind: &str) -> Self {
        Self {
            name: kind.to_owned(),
            kind: kind.to_owned(),
            ..Self::default()
        }
    }
}

/// One compute dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// Which kernel.
    pub kernel: Kernel,
    /// Values of its `override` constants beside the spaces of the operands.
    pub constants: Vec<(&'static str, u32)>,
    /// Tensors that it reads, in the kernel's order.
    pub inputs: Vec<Operand>,
    /// Tensors that it writes, in the kernel's order.
    pub outputs: Vec<Operand>,
    /// The kernel's own part of the uniform: its `Params` as words.
    pub params: Vec<u32>,
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
}

/// Where a planned tensor lives, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTensor {
    /// Index of the buffer in the lifetimes.
    pub buffer: usize,
    /// Its name.
    pub name: String,
    /// Where.
    pub region: Region,
    /// Step that writes it first.
    pub born: u32,
    /// Last step that uses it.
    pub last: u32,
}

impl Region {
    /// Its end, exclusive.
    #[must_use]
    pub fn end(self) -> u64 {
        u64::from(self.word) + u64::from(self.words)
    }

    /// Whether the two share a word.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.space == other.space
            && u64::from(self.word) < other.end()
            && u64::from(other.word) < self.end()
    }
}

impl Operand {
    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }

    /// Elements from one index of each dimension to the next, spelt out.
    #[must_use]
    pub fn steps(&self) -> Vec<u32> {
        if !self.strides.is_empty() {
            return self.strides.clone();
        }
        let mut steps = vec![1_u32; self.dims.len()];
        for axis in (1..self.dims.len()).rev() {
            steps[axis - 1] = steps[axis].saturating_mul(self.dims[axis].max(1));
        }
        steps
    }

    /// Its elements one after the other, of the words of its region: of strided tensors every
    /// element is a word.
    #[must_use]
    pub fn gathered(&self, words: &[u32]) -> Vec<u32> {
        if self.strides.is_empty() {
            return words.to_vec();
        }
        let mut places = vec![0_usize];
        for (&dim, &stride) in self.dims.iter().zip(&self.strides) {
            let along = |place: &usize| {
                let place = *place;
                (0..dim as usize).map(move |index| place + index * stride as usize)
            };
            places = places.iter().flat_map(along).collect();
        }
        let word = |place: &usize| words.get(*place).copied().unwrap_or_default();
        places.iter().map(word).collect()
    }

    /// The same words seen with other dimensions of the same product. Only of elements that
    /// follow one another.
    #[must_use]
    pub fn viewed(&self, dims: impl Into<Vec<u32>>) -> Self {
        let dims = dims.into();
        debug_assert_eq!(
            dims.iter().product::<u32>(),
            self.len(),
            "a view keeps its elements"
        );
        debug_assert!(self.strides.is_empty(), "its elements follow one another");
        Self {
            dims,
            ..self.clone()
        }
    }
}

impl Dispatch {
    /// A dispatch of `kernel` with its parameters, over `grid` workgroups.
    #[must_use]
    pub fn new<P: bytemuck::Pod>(kernel: Kernel, params: &P, grid: [u32; 3]) -> Self {
        Self {
            kernel,
            constants: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            params: bytemuck::pod_collect_to_vec(std::slice::from_ref(params)),
            grid,
        }
    }

    /// With these tensors to read.
    #[must_use]
    pub fn reads<'a>(mut self, inputs: impl IntoIterator<Item = &'a Operand>) -> Self {
        self.inputs.extend(inputs.into_iter().cloned());
        self
    }

    /// With this tensor to write.
    #[must_use]
    pub fn writes(mut self, output: &Operand) -> Self {
        self.outputs.push(output.clone());
        self
    }

    /// With an `override` constant.
    #[must_use]
    pub fn constant(mut self, name: &'static str, value: u32) -> Self {
        self.constants.push((name, value));
        self
    }

    /// The value of an `override` constant; 0 where the dispatch does not set it.
    #[must_use]
    pub fn value_of(&self, name: &str) -> u32 {
        let found = self.constants.iter().find(|(key, _)| *key == name);
        found.map_or(0, |(_, value)| *value)
    }

    /// The kernel's parameters.
    #[must_use]
    pub fn params<P: bytemuck::Pod>(&self) -> P {
        let mut params = P::zeroed();
        let words = bytemuck::cast_slice_mut::<P, u32>(std::slice::from_mut(&mut params));
        let len = words.len().min(self.params.len());
        words[..len].copy_from_slice(&self.params[..len]);
        params
    }

    /// The uniform: addresses of inputs (6 words), of outputs (2 words) and of more inputs (2
    /// words, and 2 that are 0), then the parameters, at whose end the addresses of inputs beyond
    /// those may lie.
    #[must_use]
    pub fn uniform(&self) -> [u32; UNIFORM_WORDS] {
        let mut words = [0; UNIFORM_WORDS];
        const FIRST: usize = MAX_INPUTS - MAX_OUTPUTS;
        for (at, input) in self.inputs.iter().enumerate().take(MAX_INPUTS) {
            words[if at < FIRST { at } else { at + MAX_OUTPUTS }] = input.region.word;
        }
        for (word, output) in words[FIRST..MAX_INPUTS].iter_mut().zip(&self.outputs) {
            *word = output.region.word;
        }
        for (word, param) in words[ADDRESS_WORDS..].iter_mut().zip(&self.params) {
            *word = *param;
        }
        let more = self.inputs.iter().skip(MAX_INPUTS);
        for (word, input) in words[UNIFORM_WORDS - MORE_INPUTS..].iter_mut().zip(more) {
            *word = input.region.word;
        }
        words
    }

    /// Products that are summed, or elements that are read and written, about: what bounds the
    /// time that it takes.
    #[must_use]
    pub fn work(&self) -> u64 {
        let operands = self.inputs.iter().chain(&self.outputs);
        let moved = operands.map(|x| u64::from(x.len())).sum();
        self.kernel.products(self).max(moved)
    }

    /// Floating-point operations, about: two for each product that is summed, else one for each
    /// element that is computed or reduced; none where elements are only moved or converted.
    #[must_use]
    pub fn flops(&self) -> u64 {
        match self.kernel.products(self) {
            0 if !self.kernel.computes_floats() => 0,
            0 => self.kernel.elements(self),
            products => products.saturating_mul(2),
        }
    }

    /// The spaces of the operands as `override` constants, then the kernel's own.
    #[must_use]
    pub fn overrides(&self) -> Vec<(&'static str, u32)> {
        const INPUTS: [&str; MAX_INPUTS] = ["IN0", "IN1", "IN2", "IN3", "IN4", "IN5", "IN6", "IN7"];
        const OUTPUTS: [&str; MAX_OUTPUTS] = ["OUT0", "OUT1"];
        let inputs = INPUTS.into_iter().zip(&self.inputs);
        let spaces = inputs.chain(OUTPUTS.into_iter().zip(&self.outputs));
        let spaces = spaces.map(|(name, operand)| (name, operand.region.space.code()));
        let own = self.constants.iter().copied();
        spaces.chain(self.stored_types()).chain(own).collect()
    }

    /// Whether it computes on floats that are not all stored in 32 bits.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        let mut operands = self.inputs.iter().chain(&self.outputs);
        let other = |x: &Operand| x.dtype != DType::F32 && elements::is_float(x.dtype);
        self.kernel.computes_floats() && operands.any(other)
    }

    /// The types of its operands, and the last elements that have a word for themselves, as
    /// `override` constants; none where all floats are of 32 bits.
    fn stored_types(&self) -> Vec<(&'static str, u32)> {
        const INPUTS: [&str; MAX_INPUTS] = ["T0", "T1", "T2", "T3", "T4", "T5", "T6", "T7"];
        const OUTPUTS: [[&str; 2]; MAX_OUTPUTS] = [["TY0", "LAST0"], ["TY1", "LAST1"]];
        if !self.is_stored() {
            return Vec::new();
        }
        let types = INPUTS.into_iter().zip(&self.inputs);
        let mut found: Vec<_> = types
            .map(|(name, x)| (name, elements::code(x.dtype)))
            .collect();
        for ([name, last], y) in OUTPUTS.into_iter().zip(&self.outputs) {
            found.push((name, elements::code(y.dtype)));
            let lanes = 32 / y.dtype.bits().unwrap_or(32).min(32);
            if lanes > 1 && u64::from(y.len()) % lanes == 1 {
                found.push((last, y.len() - 1));
            }
        }
        found
    }

    /// Whether it moves nothing: a copy of words that already are where they belong.
    #[must_use]
    pub fn is_copy_onto_itself(&self) -> bool {
        let identity = self.value_of("OP") == UnaryOp::Identity.code();
        let (from, to) = if self.kernel == Kernel::Copy {
            let params: CopyParams = self.params();
            (params.x, params.y)
        } else if self.kernel == Kernel::Unary && identity {
            (0, 0)
        } else {
            return false;
        };
        let same = |(x, y): (&Operand, &Operand)| {
            x.region.space == y.region.space
                && u64::from(x.region.word) + u64::from(from)
                    == u64::from(y.region.word) + u64::from(to)
        };
        self.inputs.iter().zip(&self.outputs).all(same)
    }

    /// The weights buffer that it reads; the first where it reads none.
    #[must_use]
    pub fn chunk(&self) -> u16 {
        let chunk = self
            .inputs
            .iter()
            .find_map(|input| match input.region.space {
                Space::Weights(chunk) => Some(chunk),
                Space::Arena | Space::Io => None,
            });
        chunk.unwrap_or_default()
    }
}

impl Space {
    /// The number by which shaders know it, whichever weights buffer is bound.
    #[must_use]
    pub fn code(self) -> u32 {
        match self {
            Self::Arena => 0,
            Self::Weights(_) => 1,
            Self::Io => 2,
        }
    }
}
