//! What a figure of a lesson is: how the planner, the judge or the search finds it.

use serde::{Deserialize, Serialize};

/// How a figure is found. A plan is named by the strategy that makes it; `deployed` is the one that
/// came with the problem, `edited` the one that the scene's `edit=` changes by hand.
///
/// In JSON: `"bound"`, `{"arena": "naive"}`, `{"offset": ["tflm_greedy", "b"]}`,
/// `{"on": ["other", "bound"]}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// A number of the problem's own that no plan has, such as how many lines it has.
    Given(f64),
    /// In another setup of the lesson.
    On(String, Box<Self>),
    /// The sum.
    Plus(Vec<Self>),
    /// The first less the second.
    Less(Box<(Self, Self)>),
    /// The product.
    Times(Box<(Self, Self)>),
    /// The first over the second.
    Over(Box<(Self, Self)>),
    /// The smallest.
    Least(Vec<Self>),
    /// The largest.
    Most(Vec<Self>),
    /// Bytes of a plan's arena.
    Arena(String),
    /// Bytes that the allocator of a plan reserved.
    Reserved(String),
    /// Bytes of the smallest arena, proved by an exact search.
    Proved,
    /// Shared objects of a plan.
    Objects(String),
    /// The number of the shared object of a plan that holds a buffer, from 1.
    ObjectOf(String, String),
    /// Where a plan has a buffer, in bytes.
    Offset(String, String),
    /// Bytes of a part of a plan's arena: `fragmentation`, `needed`, `pinned`, ….
    Waste(String, String),
    /// Free bytes of a plan at a step.
    Free(String, u64),
    /// Bytes of the largest free range of a plan at a step.
    LargestFree(String, u64),
    /// How many rules a plan breaks.
    Faults(String),
    /// Bytes below which no plan is.
    Bound,
    /// Bytes below which no set of shared objects is.
    ObjectBound,
    /// Live bytes at a step.
    Live(u64),
    /// Bytes of all buffers together.
    Total,
    /// Bytes of a buffer.
    Size(String),
    /// Bytes of the largest buffer.
    Largest,
    /// The first step of a buffer.
    First(String),
    /// The last step of a buffer.
    Last(String),
    /// How many buffers there are.
    Buffers,
    /// How many steps there are.
    Steps,
    /// How often an operator is computed again.
    Recomputations,
    /// Of a training step that swaps, how long the bytes of a value are free between its copies out
    /// and back; below 0 the step waits so long. Times are in units of cost.
    FreeTime(String),
    /// How long the copy of a value takes, in one direction.
    CopyTime(String),
    /// How often a value is copied to the host.
    Copies(String),
    /// When an operator starts, the first time.
    Starts(String),
    /// When an operator ends, the first time.
    Ends(String),
    /// How long the step waits before an operator starts, the first time.
    Waited(String),
    /// How long the step waits in all.
    Stall,
    /// How long the step takes in all.
    Takes,
    /// Which swap of a step, from 0, in the order of choice: the name of what is swapped.
    Swapped(u64),
    /// Names: the operator with whose start the copy back of a value starts.
    FetchedBy(String),
    /// Which eviction of a DTR run, from 0: the name of what it evicts.
    Evicts(u64),
    /// Names: the steps at which so many bytes are live.
    FullSteps(Box<Self>),
    /// Names: the first buffer that begins after this one has ended.
    FirstAfter(String),
    /// Names: the buffers that share a step with this one.
    Meets(String),
    /// Names: the buffers whose absence lowers the peak most.
    BestRelief,
    /// Names: the buffers that bound every free range of a plan at a step.
    BoundsEveryHole(String, u64),
    /// Names: what this buffer of a plan rests on, down to the floor, and never meets.
    HeldUpApart(String, String),
    /// Names: the buffers that end later than in another setup.
    LivesLongerThan(String),
    /// Names: the buffers over whose bytes a plan writes this one while they are still there.
    WrittenOver(String, String),
    /// Names: operators before this one in a plan that it has to wait for although the graph does
    /// not say so.
    AddedWaits(String, String),
    /// Names: the passes that rewrite a model, in the order in which they run.
    Passes,
}

/// What a measure comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A number, in the unit that the measure says.
    Number(f64),
    /// Names, in the order of the problem.
    Names(Vec<String>),
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// The same.
    #[serde(rename = "=")]
    Same,
    /// Others.
    #[serde(rename = "≠")]
    Other,
    /// Smaller.
    #[serde(rename = "<")]
    Below,
    /// Smaller or the same.
    #[serde(rename = "≤")]
    AtMost,
    /// A name among names, or all names of the first among those of the second.
    #[serde(rename = "in")]
    In,
    /// No name of the first among those of the second.
    #[serde(rename = "not in")]
    NotIn,
}

/// Two numbers closer than that are the same: figures are whole bytes or quotients of them.
const SAME: f64 = 1e-9;

impl Relation {
    /// Whether it holds.
    #[must_use]
    pub fn holds(self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => {
                let same = (one - other).abs() <= SAME * one.abs().max(1.0);
                match self {
                    Self::Same => same,
                    Self::Other => !same,
                    Self::Below => !same && one < other,
                    Self::AtMost => same || one < other,
                    Self::In | Self::NotIn => false,
                }
            }
            (Value::Names(one), Value::Names(other)) => match self {
                Self::Same => one == other,
                Self::Other => one != other,
                Self::In => one.iter().all(|name| other.contains(name)),
                Self::NotIn => one.iter().all(|name| !other.contains(name)),
                Self::Below | Self::AtMost => false,
            },
            _ => false,
        }
    }
}
