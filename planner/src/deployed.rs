//! What a toolchain deployed: arenas, each with its lifetimes and its plan, and what the file
//! says of every buffer beyond that. No algorithm.

mod category;
mod clock;
mod stacks;

use serde::{Deserialize, Serialize};

use crate::Message;
use crate::liveness::Lifetimes;
use crate::liveness::profile::profile;
use crate::plan::Plan;
use crate::units::{Bytes, Span, Step};

pub use category::Category;
pub use clock::Clock;
pub(crate) use stacks::Gathered;
pub use stacks::{Frame, Stacks};

/// The plans that one file, or several that belong together, bring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployed {
    /// What made them, as people call it: "XLA", "Vela"; empty where the file does not say.
    pub toolchain: String,
    /// Every arena that buffers share, in the file's order; at least one.
    pub arenas: Vec<Arena>,
    /// The stacks that [`Note::stack`] leads to.
    pub stacks: Stacks,
    /// What all arenas hold together, by what it is for; empty where the toolchain has no such
    /// sums.
    pub totals: Vec<Total>,
    /// What the toolchain says that went wrong, each a sentence of its own words.
    pub said: Vec<Message>,
    /// How it was viewed when it was saved, as the fragment of a link; empty where the file does
    /// not say.
    pub view: String,
}

/// A sum over the memory of a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    /// What it is for.
    pub kind: TotalKind,
    /// How much.
    pub bytes: Bytes,
}

/// What memory is for, as XLA tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TotalKind {
    /// Parameters of the program.
    Arguments,
    /// What results may be left in, arguments that are written over among it.
    Outputs,
    /// Arguments that results are written over: part of both, there once.
    Aliased,
    /// Arguments that results of the same size could be written over, if they were donated.
    Donatable,
    /// Temporary bytes that would fit into arguments which are written over and hold little
    /// meanwhile.
    Reusable,
    /// What is free again after the run.
    Temporary,
    /// Constants.
    Constants,
    /// What each thread has of its own; counted once.
    ThreadLocal,
    /// Everything, each byte once.
    All,
    /// Everything that the toolchain knows of, where it says that there may be more.
    AtLeast,
}

/// One block of memory that buffers share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arena {
    /// What the file calls it; empty where it has only one.
    pub name: Message,
    /// What lives there, and when.
    pub lifetimes: Lifetimes,
    /// Where it lives. Without an offset of any buffer, see [`Arena::placed`], only as large as what
    /// is live at once.
    pub plan: Plan,
    /// What the file says of each buffer, in the buffers' order; empty where it says nothing.
    pub notes: Vec<Note>,
    /// What the file says of the whole arena over time, such as the bytes reserved.
    pub lanes: Vec<Lane>,
    /// What the program said that it was about, and when.
    pub scopes: Vec<Scope>,
    /// Requests for which there was no memory, by step.
    pub refused: Vec<Refused>,
    /// When each step began.
    pub clock: Clock,
    /// Whether these are separate allocations that only the picture lays end to end: they
    /// were not planned as one arena, and cannot be.
    pub separate: bool,
}

/// What a file says of one buffer beyond size, span and offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Why it keeps its bytes for longer than its values are needed, and when they are.
    pub held: Option<Held>,
    /// Other names of the very same bytes at the very same time.
    pub aliases: Vec<String>,
    /// Kind of the operator that writes it; empty where the file does not say.
    pub op: String,
    /// The steps at which it is read, ascending; empty where the file does not say.
    pub uses: Vec<Step>,
    /// What kind of thing it is in the file's own words ("constant", "parameter 3"); empty
    /// where the file does not say.
    pub role: String,
    /// What torch's profiler says that it holds.
    pub category: Option<Category>,
    /// The stream that it was allocated for, where the file has streams.
    pub stream: Option<i64>,
    /// The stack that allocated it, by index into [`Deployed::stacks`]; 0 for none.
    pub stack: u32,
    /// Of what a node of the backward pass allocated, the stack of the operator that the node
    /// belongs to, as that ran in the forward pass; 0 for none.
    pub forward: u32,
    /// Buffers of the same number are one array that a loop fills slice by slice, wherever it is
    /// handed on; 0 for any other.
    pub filled: u32,
    /// How many allocations are shown as this one, of which the file says only the sum; 0 for one.
    pub several: u32,
    /// What the compiler says of the value in it, where the file has that.
    pub value: Option<Box<IrValue>>,
}

/// How many allocations `buffers` are.
#[must_use]
pub fn allocations(notes: &[Note], buffers: impl IntoIterator<Item = usize>) -> usize {
    let several = |it: usize| notes.get(it).map_or(1, |note| note.several.max(1));
    let several = buffers.into_iter().map(several);
    several.fold(0, |sum, it| sum.saturating_add(it as usize))
}

/// A value of a compiler's intermediate representation. Texts are in the file's own words, and
/// empty where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IrValue {
    /// Type of its elements: "f32".
    pub dtype: String,
    /// Outermost dimension first; `None` where the file does not say, and for tuples.
    pub shape: Option<Vec<u64>>,
    /// The computation or function that makes it.
    pub computation: String,
    /// What it was made from: the operator in the framework ("jit(step)/dot_general"), or the
    /// whole name of a kernel.
    pub source: String,
}

impl IrValue {
    /// It as a note has it: nothing where nothing is known.
    #[must_use]
    pub fn noted(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// Dimensions in one word: "32x64", or "scalar".
#[must_use]
pub fn shape_word(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
    dims.join("x")
}

/// A buffer that keeps its bytes for longer than its values are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Why.
    pub why: Hold,
    /// When its values are needed; within the buffer's span.
    pub needed: Span,
}

/// Why a buffer keeps its bytes for longer than its values are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Hold {
    /// The toolchain never lets an input or output be written over.
    Pinned,
    /// It is given its bytes for the whole run, as variables and constants are.
    WholeLife,
    /// The program gave it back, but another stream still uses it.
    Pending,
}

/// What a program said that it was about for a while, as `record_function` does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// In the program's own words.
    pub name: String,
    /// When.
    pub span: Span,
}

/// A request for which an allocator had no memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// When.
    pub step: Step,
    /// Bytes that were asked for.
    pub asked: Bytes,
    /// Bytes that the device had left.
    pub device_free: Bytes,
    /// The stream that they were for.
    pub stream: i64,
    /// The private pool that they were for, (0, 0) for none; `None` where the file does not say.
    pub pool: Option<(i64, i64)>,
    /// The stack that asked, by index into [`Deployed::stacks`]; 0 for none.
    pub stack: u32,
}

/// A figure of the whole arena over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// What it counts.
    pub kind: LaneKind,
    /// Bytes from each point's step until the next point's, by ascending step.
    pub points: Vec<(Step, Bytes)>,
}

/// What a lane counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LaneKind {
    /// Bytes that the allocator took from the device.
    Reserved,
    /// Bytes of the blocks that it handed out.
    Allocated,
    /// The same, with blocks that are freed but still in use on another stream.
    Active,
    /// Bytes that the program asked for.
    Requested,
    /// Bytes of keys and values that attention may still look at.
    Tokens,
    /// Bytes that wait for tokens to come.
    ToCome,
    /// Bytes inside blocks that nothing will use any more.
    Internal,
    /// Free bytes in blocks that are too small for the largest request.
    External,
}

impl TotalKind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 10] = [
        Self::Arguments,
        Self::Outputs,
        Self::Aliased,
        Self::Donatable,
        Self::Reusable,
        Self::Temporary,
        Self::Constants,
        Self::ThreadLocal,
        Self::All,
        Self::AtLeast,
    ];
}

impl Arena {
    /// Its plan; `None` where the file does not say where buffers live, but only when.
    #[must_use]
    pub fn placed(&self) -> Option<&Plan> {
        let known = self.plan.offsets.len() == self.lifetimes.buffers.len();
        known.then_some(&self.plan)
    }

    /// Takes back where its buffers live: nothing is known but when.
    pub(crate) fn unplaced(self) -> Self {
        Self {
            plan: Plan {
                arena: profile(&self.lifetimes)
                    .highest()
                    .map_or(Bytes::ZERO, |it| it.1),
                ..Plan::default()
            },
            ..self
        }
    }
}

impl Deployed {
    /// One arena without a name, of which nothing more is known.
    #[must_use]
    pub fn single(toolchain: impl Into<String>, lifetimes: Lifetimes, plan: Plan) -> Self {
        Self {
            toolchain: toolchain.into(),
            arenas: vec![Arena {
                lifetimes,
                plan,
                ..Arena::default()
            }],
            ..Self::default()
        }
    }

    /// The arena at `index`, or the first where there is none; `None` without any arena.
    #[must_use]
    pub fn arena(&self, index: u32) -> Option<&Arena> {
        self.arenas.get(index as usize).or(self.arenas.first())
    }
}
