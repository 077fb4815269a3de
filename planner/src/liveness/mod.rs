//! Program → lifetimes: which buffers there are, how large, and when each is live.

mod limit;
#[cfg(feature = "files")]
mod dependencies;
#[cfg(feature = "files")]
mod parallel;
#[cfg(feature = "files")]
mod residencies;
#[cfg(feature = "files")]
mod unwaiting;
#[cfg(feature = "files")]
mod tflm;
#[cfg(feature = "files")]
mod scratch;
#[cfg(feature = "files")]
mod aliases;
#[cfg(feature = "files")]
mod spans;
#[cfg(feature = "files")]
mod colors;
mod needs;
mod turned;
mod fixed;
pub(crate) mod profile;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::ids::{StorageId, TensorId};
use crate::units::{Bytes, Offset, Span, Step};

pub use fixed::{Clash, FixedBlock, clash, fixed_unaligned};
pub(crate) use limit::admit;
pub use limit::{LIMIT, TooLarge};
pub(crate) use needs::{Need, savings};
#[cfg(feature = "files")]
pub use residencies::Residencies;
#[cfg(feature = "files")]
pub(crate) use scratch::requests as scratch_requests;
#[cfg(feature = "files")]
pub use spans::lifetimes;
#[cfg(feature = "files")]
pub(crate) use spans::lifetimes_in_order;
#[cfg(feature = "files")]
pub use tflm::ALIGNMENT as TFLM_ALIGNMENT;
#[cfg(feature = "files")]
pub(crate) use tflm::unused;

/// What a strategy plans: buffers and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetimes {
    /// The buffers, in order of first use for a model, in file order for a problem.
    pub buffers: Vec<Buffer>,
    /// One step past the last: every span ends here or before.
    pub horizon: Step,
    /// What runs at each step, by the name that a file without a model gives; empty where it
    /// gives none, and for models, whose schedule leads to the names.
    pub step_names: Vec<String>,
    /// The pairs that may share bytes, none by default.
    #[serde(default)]
    pub handovers: Vec<Handover>,
    /// The tensors that share a buffer with others, by buffer. Strategies need not know.
    #[serde(default)]
    pub views: Vec<BufferView>,
    /// For operators that run at the same time: no plan that makes none of them wait needs
    /// less. Spans are one order for all buffers, so that the bound over them may be larger.
    /// `None` for serial runs, and where it was not found.
    #[serde(default)]
    pub unwaiting: Option<Bytes>,
    /// The colour of the operator at each step, by longest-path colouring as MXNet does it;
    /// empty where nothing is coloured. Only `nnvm_colors` looks at it.
    #[serde(default)]
    pub colors: Vec<u32>,
    /// The steps of the turn of a loop that is repeated without an end, such as the second step of
    /// a training; `None` where nothing is said of one. Only `stalloc` looks at it.
    #[serde(default)]
    pub iteration: Option<Span>,
    /// The steps at which another phase begins, such as the backward pass of a training; empty where
    /// nothing is said of them. Only `stalloc` looks at it.
    #[serde(default)]
    pub phases: Vec<Step>,
}

/// A pair of buffers of which the later may be written over the earlier: the operator that
/// reads `before` for the last time writes `after`, element by element.
///
/// It allows an overlap only where both are live during exactly one step, the last of
/// `before` and the first of `after`, and only when `after` starts exactly `shift` bytes
/// after the start of `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Handover {
    /// Index of the buffer that is read for the last time.
    pub before: usize,
    /// Index of the buffer that is written.
    pub after: usize,
    /// Bytes from the start of `before` to the start of `after`.
    pub shift: Bytes,
}

/// A tensor that is a part of a buffer, or one of several names of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferView {
    /// Index of the buffer.
    pub buffer: usize,
    /// The tensor of the model.
    pub tensor: TensorId,
    /// Its name.
    pub name: String,
    /// The bytes that it touches, from the buffer's own start: start and end.
    pub window: (Bytes, Bytes),
    /// From its first use in this buffer to its last.
    pub span: Span,
}

impl Lifetimes {
    /// The lifetimes of a problem: `buffers`, and the horizon that they need.
    #[must_use]
    pub fn of(buffers: impl IntoIterator<Item = Buffer>) -> Self {
        let buffers: Vec<Buffer> = buffers.into_iter().collect();
        let horizon = buffers.iter().map(|buffer| buffer.span.end).max();
        Self {
            buffers,
            horizon: horizon.unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// One block of memory to place: a residency, that is one uninterrupted stay of a storage in
/// memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// Name of the tensor, or the problem's id.
    pub name: String,
    /// Bytes to reserve: the payload rounded up to the alignment.
    pub size: Bytes,
    /// Bytes that the tensor itself holds.
    pub payload: Bytes,
    /// When it is live, half-open.
    pub span: Span,
    /// Its own alignment in bytes, at least 1; strategies take the larger of this and
    /// their option.
    pub alignment: Bytes,
    /// An address that the problem fixes.
    pub fixed: Option<Offset>,
    /// The storage of the model that stays here, if there is a model.
    pub storage: Option<StorageId>,
    /// Times within `span` during which only a part of it, or nothing, is needed; by
    /// ascending step, none overlapping.
    #[serde(default)]
    pub pauses: Vec<Pause>,
    /// The pools that it may live in, by index into
    /// [`Options::pools`](crate::plan::Options::pools), the preferred first; empty for all
    /// of them in their order.
    #[serde(default)]
    pub pools: Vec<u32>,
}

/// A time during which a buffer needs only a part of its bytes (as in MiniMalloc's CSV).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// When, half-open, within the buffer's span.
    pub span: Span,
    /// The bytes that it still needs, from its own start: start, end;
    /// `None` when it needs none.
    pub window: Option<(Bytes, Bytes)>,
}

impl Buffer {
    /// A buffer of which only name, size and span matter.
    #[must_use]
    pub fn new(name: impl Into<String>, size: u64, span: Span) -> Self {
        Self {
            name: name.into(),
            size: Bytes(size),
            payload: Bytes(size),
            span,
            alignment: Bytes(1),
            fixed: None,
            storage: None,
            pauses: Vec::new(),
            pools: Vec::new(),
        }
    }
}
