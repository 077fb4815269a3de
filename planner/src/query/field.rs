//! What can be asked of a buffer: fields, how they are compared, and flags.

use serde::{Deserialize, Serialize};

/// Something that is known of a buffer, or may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Field {
    /// Bytes that it reserves.
    Size,
    /// Bytes that its values take.
    Payload,
    /// Size less payload.
    Padding,
    /// Bytes that its own offset is a multiple of.
    Alignment,
    /// Its first byte in the plan.
    Offset,
    /// Its end in the plan.
    Top,
    /// The address that the problem fixes.
    Fixed,
    /// The first step at which it is live.
    Start,
    /// The last step at which it is live.
    Last,
    /// Its end.
    End,
    /// The number of steps.
    Length,
    /// Its name.
    Name,
    /// Other names of the same bytes.
    Alias,
    /// The part that it plays: input, output, intermediate, or the file's own word.
    Role,
    /// The type of the operator that writes it.
    Op,
    /// What that operator was made from, in the framework.
    Source,
    /// The computation or function that makes it.
    Computation,
    /// The type of its elements.
    Dtype,
    /// Its dimensions.
    Shape,
    /// The name of the operator that writes it.
    Producer,
    /// The names of the operators that read it.
    Consumer,
    /// Where it was allocated: the innermost line of the program itself.
    Caller,
    /// The innermost module that allocated it.
    Module,
    /// The phase of a training step: forward, backward, optimizer.
    Phase,
    /// What it holds in a training step, as far as phases and lifetimes tell: parameter,
    /// activation, gradient.
    Category,
    /// The stream that it was allocated for.
    Stream,
    /// Every frame of the stack that allocated it: its function, and its file and line.
    Frame,
    /// Every function of that stack.
    Function,
    /// Every source file of that stack.
    File,
    /// The pool that it lives in.
    Pool,
    /// Why it keeps its bytes for longer than needed: pinned, whole-life or pending.
    Held,
    /// The parts of the arena that it makes: needed, padding, pinned, and so on.
    Waste,
}

/// What a field is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Text.
    Text,
    /// Bytes: units are allowed.
    Bytes,
    /// Steps.
    Steps,
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `~`
    Like,
    /// `!~`
    Unlike,
}

/// A property that a buffer has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Has a fixed address.
    Fixed,
    /// Keeps its bytes for longer than needed.
    Held,
    /// Does so because inputs and outputs are never written over.
    Pinned,
    /// Does so for the whole run.
    WholeLife,
    /// Reserves more than its values take.
    Padded,
    /// Has other names.
    Aliased,
    /// May be written over another, or have another written over it.
    InPlace,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 32] = [
        Self::Size,
        Self::Payload,
        Self::Padding,
        Self::Alignment,
        Self::Offset,
        Self::Top,
        Self::Fixed,
        Self::Start,
        Self::Last,
        Self::End,
        Self::Length,
        Self::Name,
        Self::Alias,
        Self::Role,
        Self::Op,
        Self::Source,
        Self::Computation,
        Self::Dtype,
        Self::Shape,
        Self::Producer,
        Self::Consumer,
        Self::Caller,
        Self::Module,
        Self::Phase,
        Self::Category,
        Self::Stream,
        Self::Frame,
        Self::Function,
        Self::File,
        Self::Pool,
        Self::Held,
        Self::Waste,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Payload => "payload",
            Self::Padding => "padding",
            Self::Alignment => "alignment",
            Self::Offset => "offset",
            Self::Top => "top",
            Self::Fixed => "fixed",
            Self::Start => "start",
            Self::Last => "last",
            Self::End => "end",
            Self::Length => "length",
            Self::Name => "name",
            Self::Alias => "alias",
            Self::Role => "role",
            Self::Op => "op",
            Self::Source => "source",
            Self::Computation => "computation",
            Self::Dtype => "dtype",
            Self::Shape => "shape",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
            Self::Caller => "caller",
            Self::Module => "module",
            Self::Phase => "phase",
            Self::Category => "category",
            Self::Stream => "stream",
            Self::Frame => "frame",
            Self::Function => "function",
            Self::File => "file",
            Self::Pool => "pool",
            Self::Held => "held",
            Self::Waste => "waste",
        }
    }

    /// The field of this name, large or small.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|field| field.name().eq_ignore_ascii_case(name))
    }

    /// What it is measured in.
    #[must_use]
    pub const fn measure(self) -> Measure {
        match self {
            Self::Size
            | Self::Payload
            | Self::Padding
            | Self::Alignment
            | Self::Offset
            | Self::Top
            | Self::Fixed => Measure::Bytes,
            Self::Start | Self::Last | Self::End | Self::Length => Measure::Steps,
            _ => Measure::Text,
        }
    }

    /// The comparisons that it allows.
    #[must_use]
    pub const fn comparisons(self) -> &'static [Comparison] {
        match self.measure() {
            Measure::Text => &[
                Comparison::Equal,
                Comparison::Unequal,
                Comparison::Like,
                Comparison::Unlike,
            ],
            Measure::Bytes | Measure::Steps => &[
                Comparison::Equal,
                Comparison::Unequal,
                Comparison::Less,
                Comparison::AtMost,
                Comparison::More,
                Comparison::AtLeast,
            ],
        }
    }
}

impl Comparison {
    /// As it is written.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Like => "~",
            Self::Unlike => "!~",
        }
    }
}

impl Flag {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Fixed,
        Self::Held,
        Self::Pinned,
        Self::WholeLife,
        Self::Padded,
        Self::Aliased,
        Self::InPlace,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Held => "held",
            Self::Pinned => "pinned",
            Self::WholeLife => "whole-life",
            Self::Padded => "padded",
            Self::Aliased => "aliased",
            Self::InPlace => "in-place",
        }
    }

    /// The flag of this name, large or small.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|flag| flag.name().eq_ignore_ascii_case(name))
    }
}
