//! Operators that few models have come in families of their own, which a program may fetch when
//! a graph needs them; the others are always there.

use planner::graph::{DType, Dialect, Graph, Op};
use planner::operators::Part;

use super::call::Call;
use super::{Dispatches, onnx, tflite};

/// A family of operators, in the order of [`Family::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Arithmetic on quantised integers.
    Quantised,
    /// Attention and what language models have beside it.
    Transformers,
    /// Layers that go from one place of a sequence to the next.
    Recurrent,
    /// Signals, sampling by coordinates, losses, optimizers and the like.
    Special,
}

/// The lowering of some operators of ONNX, whose second argument is the opset.
pub(super) type Onnx = fn(&Call<'_>, u32) -> Option<Dispatches>;
/// The lowering of some operators of TFLite.
pub(super) type Tflite = fn(&Call<'_>) -> Option<Dispatches>;

/// The operators of a family. Each list answers for its own kinds and leaves the others to the
/// next.
#[derive(Debug)]
pub struct Operators {
    pub(super) onnx: &'static [Onnx],
    pub(super) tflite: &'static [Tflite],
}

/// The families that are there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Families([Option<&'static Operators>; Family::ALL.len()]);

impl Family {
    /// Every family.
    pub const ALL: [Self; 4] = [
        Self::Quantised,
        Self::Transformers,
        Self::Recurrent,
        Self::Special,
    ];

    /// Its operators. Code that is to carry one family alone names that one's instead.
    #[must_use]
    pub const fn operators(self) -> &'static Operators {
        match self {
            Self::Quantised => &QUANTISED,
            Self::Transformers => &TRANSFORMERS,
            Self::Recurrent => &RECURRENT,
            Self::Special => &SPECIAL,
        }
    }

    /// The families without which this graph cannot be lowered.
    #[must_use]
    pub fn needed(graph: &Graph) -> Vec<Self> {
        let narrow = |dtype| matches!(dtype, DType::I8 | DType::U8 | DType::I16);
        let quantised = graph.dialect == Dialect::Tflite
            && graph.tensors.iter().any(|tensor| narrow(tensor.dtype));
        let unfused = graph.unfused().0;
        let needed = |family: &Self| {
            let has = |op: &Op| op.facts().part == family.part();
            quantised && *family == Self::Quantised || unfused.ops.iter().any(has)
        };
        Self::ALL.into_iter().filter(needed).collect()
    }

    /// The part of the table whose operators it has.
    const fn part(self) -> Part {
        match self {
            Self::Quantised => Part::Quantised,
            Self::Transformers => Part::Transformers,
            Self::Recurrent => Part::Recurrent,
            Self::Special => Part::Special,
        }
    }
}

impl Families {
    /// None beside the operators that are always there.
    pub const NONE: Self = Self([None; Family::ALL.len()]);

    /// All of them.
    pub const ALL: Self = Self([
        Some(&QUANTISED),
        Some(&TRANSFORMERS),
        Some(&RECURRENT),
        Some(&SPECIAL),
    ]);

    /// The families that a graph needs, for code that carries all.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        let mut families = Self::NONE;
        for family in Family::needed(graph) {
            families.add(family, family.operators());
        }
        families
    }

    /// Whether this one is there.
    #[must_use]
    pub fn has(&self, family: Family) -> bool {
        self.0[family as usize].is_some()
    }

    /// Adds one.
    pub fn add(&mut self, family: Family, operators: &'static Operators) {
        self.0[family as usize] = Some(operators);
    }

    pub(super) fn onnx(&self) -> impl Iterator<Item = &'static Onnx> {
        self.0.into_iter().flatten().flat_map(|all| all.onnx)
    }

    pub(super) fn tflite(&self) -> impl Iterator<Item = &'static Tflite> {
        self.0.into_iter().flatten().flat_map(|all| all.tflite)
    }
}

/// The operators of [`Family::Quantised`].
pub static QUANTISED: Operators = Operators {
    onnx: &[
        onnx::quantization::dispatches,
        onnx::integers::dispatches,
        onnx::quantised::dispatches,
    ],
    tflite: &[tflite::quantised::dispatches_if, tflite::hybrid::dispatches],
};

/// The operators of [`Family::Transformers`].
pub static TRANSFORMERS: Operators = Operators {
    onnx: &[
        onnx::attention::dispatches,
        onnx::caches::dispatches,
        onnx::transformers::dispatches,
        onnx::layers::dispatches,
    ],
    tflite: &[],
};

/// The operators of [`Family::Recurrent`].
pub static RECURRENT: Operators = Operators {
    onnx: &[
        onnx::recurrent::dispatches,
        onnx::dynamic_lstm::dispatches,
        onnx::states::dispatches,
    ],
    tflite: &[tflite::recurrent::dispatches],
};

/// The operators of [`Family::Special`].
pub static SPECIAL: Operators = Operators {
    onnx: &[
        onnx::contrib::dispatches,
        onnx::features::dispatches,
        onnx::training::dispatches,
        onnx::losses::dispatches,
        onnx::sampling::dispatches,
        onnx::overlaps::dispatches,
        onnx::fourier::dispatches,
        onnx::text::dispatches,
    ],
    tflite: &[],
};
