//! The closed list of strategies: one row each. What is known of a strategy stands in its own
//! file, as `STRATEGY`.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use super::description::Description;
use super::{Observer, PlanError};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::{Message, impl_message, message};

/// The steps of a strategy.
type Planner = fn(&Lifetimes, &Options, &mut dyn Observer) -> Result<Plan, PlanError>;

/// No strategy has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy {
    /// The name asked for.
    pub name: String,
}

/// Rows `Variant: module;` in the order in which strategies are listed everywhere.
/// `module::STRATEGY` describes the strategy and `module::plan` plans; its name is that of the variant in snake case.
macro_rules! strategies {
    ($($(#[doc = $doc:literal])+ $variant:ident: $($module:ident)::+;)+) => {
        /// Every strategy, in the order in which they are listed everywhere.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum Strategy {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Strategy {
            /// All strategies, in the order in which they are listed everywhere.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// What is known of it.
            #[must_use]
            pub fn description(self) -> &'static Description {
                match self {
                    $(Self::$variant => &super::$($module)::+::STRATEGY,)+
                }
            }

            /// Its steps. They are no part of the description, so that a program that only
            /// lists strategies, as the page does, carries the code of none.
            pub(super) fn planner(self) -> Planner {
                match self {
                    $(Self::$variant => super::$($module)::+::plan,)+
                }
            }
        }
    };
}

strategies! {
    /// One object per buffer.
    Naive: naive;
    /// Objects, reused for equal sizes only.
    Equality: equality;
    /// Objects, buffers in order of first use, closest size.
    GreedyInOrder: greedy_in_order;
    /// Objects, operators by breadth.
    GreedyByBreadth: greedy_by_breadth;
    /// Objects, buffers by size and distance.
    GreedyBySize: greedy_by_size;
    /// Objects, the better of by-size and by-breadth.
    GreedyBest: greedy_best;
    /// Objects, minimum-cost flow.
    MinCostFlow: min_cost_flow;
    /// Offsets, buffers by size, best fit.
    OffsetsBySize: offsets_by_size;
    /// Offsets, operators by breadth, best fit.
    OffsetsByBreadth: offsets_by_breadth;
    /// Offsets, buffers in order of first use, best fit.
    OffsetsInOrder: offsets_in_order;
    /// Offsets, strip packing, best fit on the lowest line.
    StripBestFit: strip_best_fit;
    /// Offsets as LiteRT's CPU arena gives them.
    LitertArena: deployed::litert_arena;
    /// Offsets as TFLite Micro gives them.
    TflmGreedy: deployed::tflm_greedy;
    /// Offsets as XNNPACK gave them, which overlooks the leading free range.
    Xnnpack: deployed::xnnpack;
    /// Offsets as IREE's LayoutSlices gives them.
    IreeSlices: deployed::iree_slices;
    /// Offsets inside shared objects as ExecuTorch gives them.
    ExecutorchGreedy: deployed::executorch_greedy;
    /// Offsets by ONNX Runtime's memory pattern.
    OnnxruntimePattern: deployed::onnxruntime_pattern;
    /// Offsets as XLA's heap gives them, by size.
    XlaSpatial: deployed::xla_spatial;
    /// Offsets as XLA's heap gives them, by duration.
    XlaTemporal: deployed::xla_temporal;
    /// Offsets, the smaller of XLA's two heaps.
    XlaBest: deployed::xla_best;
    /// Offsets as TVM's USMP gives them, by size.
    UsmpBySize: deployed::usmp_by_size;
    /// Offsets as TVM's USMP gives them, by conflicts.
    UsmpByConflicts: deployed::usmp_by_conflicts;
    /// Offsets as TVM's USMP searches for them.
    UsmpHillClimb: deployed::usmp_hill_climb;
    /// Storage tokens as MXNet gives them.
    NnvmTokens: deployed::nnvm_tokens;
    /// Storage tokens, the best of five match ranges.
    NnvmAuto: deployed::nnvm_auto;
    /// Storage tokens shared only within a colour, for parallel runs.
    NnvmColors: deployed::nnvm_colors;
    /// Offsets by best fit, then pushed down.
    MegenginePushdown: deployed::megengine_pushdown;
    /// Offsets by length, moving what is in the way.
    MegengineIntervalMove: deployed::megengine_interval_move;
    /// Offsets by online best fit.
    MegengineBestFit: deployed::megengine_best_fit;
    /// Offsets as ggml's graph allocator gives them.
    GgmlGallocr: deployed::ggml_gallocr;
    /// Offsets as STAlloc plans them from the trace of a training step.
    Stalloc: deployed::stalloc;
    /// Offsets as TensorFlow's allocator would give them at run time.
    TensorflowBfc: online::tensorflow_bfc;
    /// Offsets as PyTorch's caching allocator would give them at run time.
    PytorchCaching: online::pytorch_caching;
    /// Offsets as GMLake's allocator would give them at run time, in virtual addresses.
    Gmlake: online::gmlake;
    /// Offsets as tinygrad's two-level segregated fit gives them.
    Tlsf: online::tlsf;
    /// Objects as colours, in order of first use.
    ColoringFirstUse: coloring::first_use;
    /// Objects as colours, the largest buffer first.
    ColoringBySize: coloring::by_size;
    /// Objects as colours, by number of conflicts.
    ColoringWelshPowell: coloring::welsh_powell;
    /// Objects as colours, the most constrained buffer first.
    ColoringDsatur: coloring::dsatur;
    /// Objects as colours, by start, with the fewest objects.
    ColoringLeftEdge: coloring::left_edge;
    /// Offsets, always the buffer that can lie lowest.
    Skyline: skyline;
    /// Offsets, the best of several, then searched.
    Best: best;
    /// Offsets, searched until no plan can be smaller.
    Exact: exact;
}

impl Strategy {
    /// The name used on command lines, in links and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.description().name
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| UnknownStrategy { name: name.into() })
    }
}

impl UnknownStrategy {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let names = Strategy::ALL.map(Strategy::name).join(", ");
        message!(
            "no strategy is called {}; there are {}",
            format_args!("{:?}", self.name),
            names
        )
    }
}

impl_message!(UnknownStrategy);
impl core::error::Error for UnknownStrategy {}
