//! Tensors: what a file says of each, and the part it plays.

use serde::{Deserialize, Serialize};

use super::{DType, Dim, Quantization, Shape, Sparsity};
use crate::Message;
use crate::units::Bytes;

pub use crate::ids::TensorId;

/// One tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tensor {
    /// Unique name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Declared shape, as far as the file gives it; `None` when it gives no rank.
    pub declared: Option<Shape>,
    /// Where its constant elements are, if it is a constant.
    pub content: Content,
    /// What its integers stand for, if they are quantised.
    pub quantization: Option<Box<Quantization>>,
    /// Which of its elements are stored, if not all are.
    pub sparsity: Option<Box<Sparsity>>,
    /// The part it plays.
    pub role: Role,
    /// Concrete dimensions, once inference has found them.
    pub dims: Option<Vec<u64>>,
    /// Why it has no concrete size; set exactly when the role is [`Role::Unsized`].
    pub missing: Option<Unsized>,
    /// Whether its dimensions are a bound, because a count that only a run finds makes them.
    #[serde(default)]
    pub at_most: bool,
}

/// The part a tensor plays in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Fed by the caller.
    Input,
    /// Read by the caller.
    Output,
    /// Known before the run: in the file, or computed from constants alone.
    Constant,
    /// Written and read during the run: what a plan places.
    #[default]
    Intermediate,
    /// Kept from one run to the next.
    State,
    /// Its size cannot be known; left out of every plan.
    Unsized,
}

/// Where the elements of a constant are, or those that state has before the first run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Not a constant of the file.
    #[default]
    None,
    /// Small: raw little-endian elements, copied so that shape arithmetic can read them.
    Inline(Vec<u8>),
    /// A byte range of the opened file.
    Range {
        /// First byte.
        start: u64,
        /// Number of bytes.
        len: u64,
    },
    /// In another file, which need not be there.
    External {
        /// Path relative to the model.
        path: String,
        /// First byte in that file.
        start: u64,
        /// Number of bytes; `None` when the model does not say.
        len: Option<u64>,
    },
    /// A constant whose elements were removed from the file.
    Stripped,
    /// A constant that a file has in so many bytes, quantised in blocks: its elements are not read.
    Packed(Bytes),
}

/// Why a tensor has no concrete size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsized {
    /// What kind of obstacle.
    pub reason: UnsizedReason,
    /// Which operator, input or value stands in the way, in the file's own names.
    pub detail: Message,
}

/// The kinds of obstacle to sizing a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnsizedReason {
    /// The operator that writes it is of a kind whose shapes we do not know.
    UnknownOperator,
    /// The operator's output shape depends on element values known only at run time.
    DataDependent,
    /// An input of its producer is itself unsized.
    UnsizedInput,
    /// The operator's inputs or attributes contradict its definition.
    InvalidOperator,
    /// The file gives neither a shape nor a producer.
    Undeclared,
    /// Elements have no fixed size (strings, resources, variants).
    DType,
    /// The number of bytes does not fit 64 bits, or exceeds what can be planned.
    TooLarge,
    /// Written by control flow that stays one operator.
    ControlFlow,
}

impl Tensor {
    /// A tensor of which only the name and the element type are known.
    #[must_use]
    pub fn new(name: impl Into<String>, dtype: DType) -> Self {
        Self {
            name: name.into(),
            dtype,
            declared: None,
            content: Content::None,
            quantization: None,
            sparsity: None,
            role: Role::default(),
            dims: None,
            missing: None,
            at_most: false,
        }
    }

    /// Whether a run has to find room for it: the file has no elements of it, and it is no
    /// variable.
    pub(crate) fn is_without_elements(&self) -> bool {
        let empty = matches!(
            self.content,
            Content::None | Content::Stripped | Content::Packed(_)
        );
        empty && self.role != Role::State
    }

    /// Bytes of its elements, packed (sub-byte elements are rounded up to a whole byte once
    /// per tensor), or those that the file has them in; `None` while unsized, for elements of no fixed size and beyond 64 bits.
    #[must_use]
    pub fn bytes(&self) -> Option<Bytes> {
        // Nothing, whatever the elements are.
        if self.dims.as_ref()?.contains(&0) {
            return Some(Bytes::ZERO);
        }
        if let Content::Packed(bytes) = self.content {
            return Some(bytes);
        }
        let bits = self.elements()?.checked_mul(self.dtype.bits()?)?;
        Some(Bytes(bits.div_ceil(8)))
    }

    /// How many elements it has; `None` while unsized and beyond 64 bits.
    pub(super) fn elements(&self) -> Option<u64> {
        let dims = self.dims.as_ref()?;
        if dims.contains(&0) {
            // None, however large the other dimensions are.
            return Some(0);
        }
        dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim))
    }

    /// The same by the shape that it is declared to have, of which nothing is open.
    pub(crate) fn fixed_elements(&self) -> Option<u64> {
        let mut all = 1_u64;
        for dim in self.declared.as_ref()? {
            let Dim::Fixed(size) = dim else {
                return None;
            };
            all = all.checked_mul(*size)?;
        }
        Some(all)
    }
}
