//! Why a plan cannot be run.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

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
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(ops) => {
                write!(f, "{} operators cannot be run:", ops.len())?;
                let mut alike: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
                for op in ops {
                    let first = alike.entry((&op.kind, &op.reason)).or_insert((&op.op, 0));
                    first.1 += 1;
                }
                for (index, ((kind, reason), (first, count))) in alike.into_iter().enumerate() {
                    let comma = if index == 0 { "" } else { ";" };
                    write!(
                        f,
                        "{comma} {kind} × {count}, the first is {first}: {reason}"
                    )?;
                }
                Ok(())
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
            Self::Hazard { op, input, output } => write!(
                f,
                "{op} reads {input} where it writes {output}: a GPU's threads run in no order"
            ),
        }
    }
}

impl std::error::Error for Refused {}
