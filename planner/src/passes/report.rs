//! What a pass did: the rewrites that it made, and those that it refused with the reason.

use serde::{Deserialize, Serialize};

use crate::graph::{OpId, TensorId};
use crate::program::Program;
use crate::units::Bytes;
use crate::{Message, impl_message, message};

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the pass.
    pub pass: String,
    /// How many rewrites there were: operators fused, tensors folded or sized, aliases found.
    pub changes: u64,
    /// For each tensor before the pass the one that it is after it, `None` where it is gone;
    /// empty where every tensor stays what it is.
    pub tensors: Vec<Option<TensorId>>,
    /// For each operator before the pass the one that does its work after it, `None` where it
    /// is gone; empty where every operator stays what it is.
    #[serde(default)]
    pub ops: Vec<Option<OpId>>,
    /// What it looked at one by one, in the order of the operators: what was rewritten, and
    /// what was refused. Empty for passes that only count.
    #[serde(default)]
    pub found: Vec<Finding>,
    /// What an order was chosen for.
    #[serde(default)]
    pub order: Option<OrderFound>,
    /// Why the pass looked at nothing.
    #[serde(default)]
    pub left_alone: Option<LeftAlone>,
}

/// Why a pass leaves a program as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftAlone {
    /// The schedule does more than compute.
    DoesMore,
    /// Operators run at the same time, which the order does not decide.
    Parallel,
    /// The model comes with offsets, made for what it is.
    Offsets,
    /// Sizes, or what must be kept, are beyond what can be planned.
    TooLarge,
}

/// Live bytes at the peak, one operator after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderFound {
    /// In the order of the file.
    pub before: Bytes,
    /// In the order that was chosen.
    pub peak: Bytes,
    /// What every order needs.
    pub bound: Bytes,
    /// Whether no order needs less than the chosen one.
    pub proven: bool,
}

/// A place where a pass could rewrite something. Ids are those of the graph before the pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found: the name of a pattern, the kind of an operator.
    pub what: Message,
    /// The operators, in the order in which they run.
    pub ops: Vec<OpId>,
    /// The tensors: those that vanish; what is viewed and the view; what is written over and
    /// what is written there.
    pub tensors: Vec<TensorId>,
    /// Why it was left as it is; `None` where it was rewritten.
    pub refused: Option<Reason>,
}

/// Why a rewrite was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Another operator reads the tensor.
    ReadBy {
        /// That operator.
        op: OpId,
    },
    /// An operator needs the elements one after the other.
    NeedsContiguous {
        /// That operator.
        op: OpId,
    },
    /// The tensor is fed by the caller.
    IsInput,
    /// The tensor is read by the caller.
    IsOutput,
    /// The tensor is known before the run.
    IsConstant,
    /// The tensor is kept from one run to the next.
    IsState,
    /// A tensor has no size.
    Unsized,
    /// The two do not hold equally many bytes.
    OtherSize,
    /// The two do not hold elements of one type.
    OtherType,
    /// So few bytes may stand for a shape.
    Scalar,
    /// The two have different scales or zero points.
    OtherScale,
    /// It reads floats beside quantised elements.
    NotQuantised,
    /// Several of its elements share a byte.
    Repeats,
    /// Its elements run backwards.
    Backwards,
    /// Its first element does not start at a whole word of four bytes.
    OffWord,
    /// It lies in another tensor already.
    Held,
    /// Other tensors lie between its elements.
    Gaps,
    /// Where it would lie depends on values of the run.
    Unknown,
    /// There were too many to try each of them.
    Untried,
    /// It would keep more alive than it saves: at the peak there would be more to hold.
    RaisesPeak {
        /// Live bytes at the peak without it.
        from: Bytes,
        /// With it.
        to: Bytes,
    },
}

impl Report {
    /// A report of `changes` that keep every tensor.
    pub(super) fn keeping(changes: usize) -> Self {
        Self {
            changes: changes as u64,
            ..Self::default()
        }
    }

    /// A report of what was found, every tensor and operator kept.
    pub(super) fn of(found: Vec<Finding>) -> Self {
        let made = found.iter().filter(|it| it.refused.is_none());
        Self {
            changes: made.count() as u64,
            found,
            ..Self::default()
        }
    }

    /// The tensor after the pass that `tensor` is; `None` where it is gone.
    #[must_use]
    pub fn after(&self, tensor: TensorId) -> Option<TensorId> {
        match self.tensors.get(tensor.index()) {
            Some(after) => *after,
            None => Some(tensor),
        }
    }
}

impl Reason {
    /// The operator that stands in the way, if one does.
    #[must_use]
    pub fn op(self) -> Option<OpId> {
        match self {
            Self::ReadBy { op } | Self::NeedsContiguous { op } => Some(op),
            _ => None,
        }
    }

    /// One word for files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadBy { .. } => "read_by",
            Self::NeedsContiguous { .. } => "needs_contiguous",
            Self::IsInput => "is_input",
            Self::IsOutput => "is_output",
            Self::IsConstant => "is_constant",
            Self::IsState => "is_state",
            Self::Unsized => "unsized",
            Self::OtherSize => "other_size",
            Self::OtherType => "other_type",
            Self::Scalar => "scalar",
            Self::OtherScale => "other_scale",
            Self::NotQuantised => "not_quantised",
            Self::Repeats => "repeats",
            Self::Backwards => "backwards",
            Self::OffWord => "off_word",
            Self::Held => "held",
            Self::Gaps => "gaps",
            Self::Unknown => "unknown",
            Self::Untried => "untried",
            Self::RaisesPeak { .. } => "raises_peak",
        }
    }
}

impl LeftAlone {
    /// Whether outputs can be given other places than their own.
    pub(super) fn storages(program: &Program) -> Option<Self> {
        if !program.schedule.only_computes() {
            return Some(Self::DoesMore);
        }
        let given = program.graph.offline.iter().any(Option::is_some);
        given.then_some(Self::Offsets)
    }
}

impl LeftAlone {
    /// The sentence.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::DoesMore => message!("its schedule does more than compute"),
            Self::Parallel => message!("operators run at the same time"),
            Self::Offsets => message!("the file gives offsets of its own"),
            Self::TooLarge => {
                message!("sizes, or what must be kept, are beyond what can be planned")
            }
        }
    }
}

impl Reason {
    /// The sentence, without the name of the operator, which only the graph knows.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::ReadBy { .. } => message!("another operator reads it"),
            Self::NeedsContiguous { .. } => {
                message!("its reader needs the elements one after the other")
            }
            Self::IsInput => message!("the caller feeds it"),
            Self::IsOutput => message!("the caller reads it"),
            Self::IsConstant => message!("it is known before the run"),
            Self::IsState => message!("it is kept from one run to the next"),
            Self::Unsized => message!("it has no size"),
            Self::OtherSize => message!("the two hold different numbers of bytes"),
            Self::OtherType => message!("the two hold elements of different types"),
            Self::Scalar => message!("so few bytes may stand for a shape"),
            Self::OtherScale => {
                message!("scales or zero points are not those that the operator needs")
            }
            Self::NotQuantised => message!("it reads floats beside quantised elements"),
            Self::Repeats => message!("several of its elements share a byte"),
            Self::Backwards => message!("its elements run backwards"),
            Self::OffWord => message!("it does not start at a whole word of 4 bytes"),
            Self::Held => message!("it lies in another tensor already"),
            Self::Gaps => message!("the others would lie between its elements"),
            Self::Unknown => message!("where it would lie depends on values of the run"),
            Self::Untried => message!("there were too many to try each of them"),
            Self::RaisesPeak { from, to } => message!(
                "it would raise the live bytes at the peak from {} to {}",
                from.0,
                to.0
            ),
        }
    }
}

impl_message!(LeftAlone, Reason);
