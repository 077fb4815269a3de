//! Why a plan cannot be run.

use std::collections::BTreeMap;
use std::fmt;

use planner::counts::Misfit;
use serde::{Deserialize, Serialize};

/// Operators of ONNX whose results are sized but that no kernel computes, and why.
pub const WITHOUT_KERNEL: [(&str, &str); 12] = [
    ("Bernoulli", RANDOM),
    ("BiasSplitGelu", SCRATCH),
    ("DynamicQuantizeMatMul", SCRATCH),
    ("MaxRoiPool", "there is no kernel for a pool over regions"),
    ("Multinomial", RANDOM),
    ("NonMaxSuppression", COUNTED),
    ("NonZero", COUNTED),
    ("RandomNormal", RANDOM),
    ("RandomNormalLike", RANDOM),
    ("RandomUniform", RANDOM),
    ("RandomUniformLike", RANDOM),
    ("Unique", COUNTED),
];
const RANDOM: &str = "its results are drawn at random: no two runs could be compared";
const SCRATCH: &str = "it needs memory that no tensor of the plan has";
const COUNTED: &str = "how much it gives hangs on values of the run";

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// Operators without a kernel, all of them.
    Unsupported(Vec<Unsupported>),
    /// A tensor has no size, so the plan leaves it out.
    Unsized {
        /// Its name.
        tensor: String,
    },
    /// An offset is not a multiple of four bytes.
    Unaligned {
        /// Name of the tensor.
        tensor: String,
        /// Its offset in bytes.
        offset: u64,
    },
    /// A tensor ends beyond the arena.
    Outside {
        /// Name of the tensor.
        tensor: String,
        /// Its end, exclusive.
        end: u64,
        /// Size of the arena in bytes.
        arena: u64,
    },
    /// A buffer is larger than the device can bind.
    TooLarge {
        /// What it is for.
        what: String,
        /// Its size in bytes.
        bytes: u64,
        /// The device's limit in bytes.
        limit: u64,
    },
    /// An operator gave more than was planned for.
    Exceeded {
        /// Its kind.
        kind: String,
        /// Its first output, which names the count.
        tensor: String,
        /// How much it gave.
        found: u64,
        /// The most that was planned for.
        most: u64,
        /// Whether the file says so, and nobody else.
        by_file: bool,
    },
    /// What an operator gives cannot be counted.
    Uncounted {
        /// The operator.
        op: String,
        /// Why not.
        why: String,
    },
    /// With what was counted, the program does not fit its plan.
    Misfit(Misfit),
    /// An operator's input and output overlap, and are not identical and element-wise.
    Hazard {
        /// The operator.
        op: String,
        /// What it reads.
        input: String,
        /// What it writes.
        output: String,
    },
}

/// An operator that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// Its name.
    pub op: String,
    /// Its kind.
    pub kind: String,
    /// What stands in the way.
    pub reason: String,
    /// Whether that is another operator of the list, whose result it reads: without that one it
    /// might run.
    pub follows: bool,
    /// Its step; `None` for what is not run at a step.
    pub step: Option<usize>,
}

impl Refused {
    /// How many steps can be run from the first on, where operators stand in the way and there is
    /// at least one step before them.
    #[must_use]
    pub fn runs_until(&self) -> Option<usize> {
        let Self::Unsupported(operators) = self else {
            return None;
        };
        let steps = operators.iter().map(|operator| operator.step);
        let first = steps.collect::<Option<Vec<usize>>>()?.into_iter().min();
        first.filter(|&steps| steps > 0)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(ops) => {
                let roots = ops.iter().filter(|op| !op.follows);
                let count = roots.clone().count();
                let mut list = String::new();
                let mut alike: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
                for op in roots {
                    let first = alike.entry((&op.kind, &op.reason)).or_insert((&op.op, 0));
                    first.1 += 1;
                }
                for (index, ((kind, reason), (first, count))) in alike.into_iter().enumerate() {
                    let comma = if index == 0 { "" } else { ";" };
                    list.push_str(&format!(
                        "{comma} {kind} × {count}, the first is {first}: {reason}"
                    ));
                }
                match ops.len() - count {
                    0 => write!(f, "{count} operators cannot be run:{list}"),
                    more => write!(
                        f,
                        "{count} operators cannot be run:{list}; {more} more operators read what \
                         these would give"
                    ),
                }
            }
            Self::Unsized { tensor } => write!(f, "{tensor} has no size"),
            Self::Unaligned { tensor, offset } => write!(
                f,
                "{tensor} lies at {offset} B: a run needs multiples of 4 B"
            ),
            Self::Outside { tensor, end, arena } => {
                write!(f, "{tensor} ends at {end} B, behind the arena of {arena} B")
            }
            Self::TooLarge { what, bytes, limit } => write!(
                f,
                "the {what} needs {bytes} B, and this device binds {limit} B at most"
            ),
            Self::Exceeded {
                kind,
                tensor,
                found,
                most,
                by_file,
            } if *by_file => write!(
                f,
                "{kind} gave {found} in \"{tensor}\", and the file says at most {most}: set at \
                 least {found}"
            ),
            Self::Exceeded {
                kind,
                tensor,
                found,
                most,
                by_file: _,
            } => write!(
                f,
                "{kind} gave {found} in \"{tensor}\", and at most {most} was set: set at least \
                 {found}"
            ),
            Self::Uncounted { op, why } => write!(f, "what {op} gives cannot be counted: {why}"),
            Self::Misfit(why) => write!(f, "{why}"),
            Self::Hazard { op, input, output } => write!(
                f,
                "{op} reads {input} where it writes {output}: a GPU's threads run in no order"
            ),
        }
    }
}

impl std::error::Error for Refused {}
