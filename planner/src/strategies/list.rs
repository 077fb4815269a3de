//! The closed list of strategies: one row each, and everything that is known of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Observer, PlanError};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// How a strategy sees memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Every buffer gets its own address in one arena.
    Offsets,
    /// Every buffer gets a shared object that one buffer at a time fills; the objects are
    /// laid end to end in one arena.
    Objects,
}

/// Where a strategy comes from, for listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// What the others are measured against.
    Baseline,
    /// TFLite's GPU delegate and the papers behind it.
    TfliteGpu,
    /// What other toolchains deploy, bit for bit.
    Deployed,
    /// Allocators that see one request at a time, replayed.
    Online,
    /// Colourings of the interference graph.
    Coloring,
    /// One pass over the buffers in some order.
    Packing,
    /// Searches, within a budget.
    Search,
}

/// What is known of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Where it comes from: a paper or a code base.
    pub source: &'static str,
    /// Where it is listed.
    pub family: Family,
    /// How it sees memory.
    pub model: Model,
    /// Time for n buffers, k of which conflict with a buffer on average.
    pub cost: &'static str,
}

/// No strategy has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy {
    /// The name asked for.
    pub name: String,
}

const PISARCHYK_LEE: &str = "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite";

type Planner = fn(&Lifetimes, &Options, &mut dyn Observer) -> Result<Plan, PlanError>;

/// Rows `Variant: module, "name", family, model, source, cost;` in the order in which
/// strategies are listed everywhere. `module::plan` is the strategy.
macro_rules! strategies {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident: $($module:ident)::+, $name:literal, $family:ident, $model:ident,
        $source:expr,
        $cost:literal;
    )+) => {
        /// Every strategy, in the order in which they are listed everywhere.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Strategy {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Strategy {
            /// All strategies, in the order in which they are listed everywhere.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// The name used on command lines, in links and in files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Source, family, model and cost.
            #[must_use]
            pub fn facts(self) -> Facts {
                let (source, family, model, cost) = match self {
                    $(Self::$variant => ($source, Family::$family, Model::$model, $cost),)+
                };
                Facts { source, family, model, cost }
            }

            /// The function that plans.
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
    Naive: naive, "naive", Baseline, Objects,
        "no reuse: what reuse is measured against",
        "O(n)";
    /// Objects, reused for equal sizes only.
    Equality: equality, "equality", TfliteGpu, Objects,
        "TFLite GPU delegate, EQUALITY",
        "O(n log n)";
    /// Objects, buffers in order of first use, closest size.
    GreedyInOrder: greedy_in_order, "greedy_in_order", TfliteGpu, Objects,
        "Lee et al. 2019 (arXiv 1907.01989), as in TFLite GREEDY_IN_ORDER",
        "O(n log n)";
    /// Objects, operators by breadth.
    GreedyByBreadth: greedy_by_breadth, "greedy_by_breadth", TfliteGpu, Objects,
        PISARCHYK_LEE,
        "O(n · objects · log n)";
    /// Objects, buffers by size and distance.
    GreedyBySize: greedy_by_size, "greedy_by_size", TfliteGpu, Objects,
        PISARCHYK_LEE,
        "O(n²), O(n² · objects) at worst";
    /// Objects, the better of by-size and by-breadth.
    GreedyBest: greedy_best, "greedy_best", TfliteGpu, Objects,
        "TFLite GPU delegate, GREEDY_BEST",
        "greedy_by_size + greedy_by_breadth";
    /// Objects, minimum-cost flow.
    MinCostFlow: min_cost_flow, "min_cost_flow", TfliteGpu, Objects,
        "Lee et al. 2019, as in TFLite MINCOSTFLOW",
        "O(n³)";
    /// Offsets, buffers by size, best gap.
    OffsetsBySize: offsets_by_size, "offsets_by_size", TfliteGpu, Offsets,
        PISARCHYK_LEE,
        "O(n · k log k)";
    /// Offsets, operators by breadth, best gap.
    OffsetsByBreadth: offsets_by_breadth, "offsets_by_breadth", TfliteGpu, Offsets,
        "Pisarchyk and Lee 2020 (arXiv 2001.03288)",
        "O(n · k log k)";
    /// Offsets, buffers in order of first use, best gap.
    OffsetsInOrder: offsets_in_order, "offsets_in_order", Packing, Offsets,
        "best gap in execution order",
        "O(n · k log k)";
    /// Offsets, strip packing, best fit on the lowest line.
    StripBestFit: strip_best_fit, "strip_best_fit", Packing, Offsets,
        "Sekiyama et al. 2018 (arXiv 1804.10001), after Burke et al. 2004",
        "O(n log n), O(n²) at worst";
    /// Offsets as LiteRT's CPU arena gives them.
    LitertArena: deployed::litert_arena, "litert_arena", Deployed, Offsets,
        "LiteRT, ArenaPlanner and SimpleMemoryArena",
        "O(n · k log k)";
    /// Offsets as TFLite Micro gives them.
    TflmGreedy: deployed::tflm_greedy, "tflm_greedy", Deployed, Offsets,
        "TFLite Micro, GreedyMemoryPlanner",
        "O(n · k log k)";
    /// Offsets as XNNPACK gave them, blind to the leading gap.
    Xnnpack: deployed::xnnpack, "xnnpack", Deployed, Offsets,
        "XNNPACK, memory planner before its issue 10800",
        "O(n · k log k)";
    /// Offsets as IREE's LayoutSlices gives them.
    IreeSlices: deployed::iree_slices, "iree_slices", Deployed, Offsets,
        "IREE, LayoutSlices",
        "O(n · k log k)";
    /// Offsets inside shared objects as ExecuTorch gives them.
    ExecutorchGreedy: deployed::executorch_greedy, "executorch_greedy", Deployed, Offsets,
        "ExecuTorch, memory_planning greedy",
        "O(n · objects · log n)";
    /// Offsets by ONNX Runtime's memory pattern.
    OnnxruntimePattern: deployed::onnxruntime_pattern, "onnxruntime_pattern", Deployed, Offsets,
        "ONNX Runtime, MemPatternPlanner",
        "O(n · live)";
    /// Offsets as XLA's heap gives them, by size.
    XlaSpatial: deployed::xla_spatial, "xla_spatial", Deployed, Offsets,
        "XLA, GlobalDecreasingSizeBestFitHeap, kSpatial",
        "O(n · k log k)";
    /// Offsets as XLA's heap gives them, by duration.
    XlaTemporal: deployed::xla_temporal, "xla_temporal", Deployed, Offsets,
        "XLA, GlobalDecreasingSizeBestFitHeap, kTemporal",
        "O(n · k log k)";
    /// Offsets, the smaller of XLA's two heaps.
    XlaBest: deployed::xla_best, "xla_best", Deployed, Offsets,
        "XLA, ChooseBestHeapAlgorithm",
        "xla_spatial + xla_temporal";
    /// Offsets as TVM's USMP gives them, by size.
    UsmpBySize: deployed::usmp_by_size, "usmp_by_size", Deployed, Offsets,
        "TVM USMP, greedy_by_size",
        "O(n log n)";
    /// Offsets as TVM's USMP gives them, by conflicts.
    UsmpByConflicts: deployed::usmp_by_conflicts, "usmp_by_conflicts", Deployed, Offsets,
        "TVM USMP, greedy_by_conflicts",
        "O(n log n)";
    /// Offsets as TVM's USMP searches for them.
    UsmpHillClimb: deployed::usmp_hill_climb, "usmp_hill_climb", Deployed, Offsets,
        "TVM USMP, hill_climb",
        "500 attempts of O(n · k log k)";
    /// Storage tokens as MXNet gives them.
    NnvmTokens: deployed::nnvm_tokens, "nnvm_tokens", Deployed, Objects,
        "MXNet/nnvm, PlanMemory, match range 16",
        "O(n log n)";
    /// Storage tokens, the best of five match ranges.
    NnvmAuto: deployed::nnvm_auto, "nnvm_auto", Deployed, Objects,
        "MXNet/nnvm, automatic match range",
        "5 × nnvm_tokens";
    /// Storage tokens shared only within a colour, for parallel runs.
    NnvmColors: deployed::nnvm_colors, "nnvm_colors", Deployed, Objects,
        "MXNet/nnvm, tokens shared within a colour (Chen et al. 2015)",
        "O(n log n)";
    /// Offsets by best fit, then pushed down.
    MegenginePushdown: deployed::megengine_pushdown, "megengine_pushdown", Deployed, Offsets,
        "MegEngine, StaticMemAllocPushdown",
        "O(n log n)";
    /// Offsets by length, moving what is in the way.
    MegengineIntervalMove: deployed::megengine_interval_move, "megengine_interval_move", Deployed, Offsets,
        "MegEngine, StaticMemAllocIntervalMove",
        "O(n²)";
    /// Offsets by online best fit.
    MegengineBestFit: deployed::megengine_best_fit, "megengine_best_fit", Deployed, Offsets,
        "MegEngine, StaticMemAllocBestFit",
        "O(n log n)";
    /// Offsets as TensorFlow's allocator would give them at run time.
    TensorflowBfc: online::tensorflow_bfc, "tensorflow_bfc", Online, Offsets,
        "TensorFlow, BFCAllocator",
        "O(n log n)";
    /// Offsets as PyTorch's caching allocator would give them at run time.
    PytorchCaching: online::pytorch_caching, "pytorch_caching", Online, Offsets,
        "PyTorch, CUDACachingAllocator",
        "O(n log n)";
    /// Objects as colours, in order of first use.
    ColoringFirstUse: coloring::first_use, "coloring_first_use", Coloring, Objects,
        "graph colouring, in order of first use",
        "O(n log n)";
    /// Objects as colours, the largest buffer first.
    ColoringBySize: coloring::by_size, "coloring_by_size", Coloring, Objects,
        "graph colouring, largest first",
        "O(n log n + conflicts)";
    /// Objects as colours, by number of conflicts.
    ColoringWelshPowell: coloring::welsh_powell, "coloring_welsh_powell", Coloring, Objects,
        "Welsh and Powell 1967",
        "O(n log n + conflicts)";
    /// Objects as colours, the most constrained buffer first.
    ColoringDsatur: coloring::dsatur, "coloring_dsatur", Coloring, Objects,
        "Brélaz 1979, DSATUR",
        "O((n + conflicts) log n)";
    /// Objects as colours, by start, with the fewest objects.
    ColoringLeftEdge: coloring::left_edge, "coloring_left_edge", Coloring, Objects,
        "Hashimoto and Stevens 1971, left edge",
        "O(n log n)";
    /// Offsets, always the buffer that can lie lowest.
    Skyline: skyline, "skyline", Packing, Offsets,
        "greedy of MiniMalloc (Moffitt 2023), first descent, best of 13 orders",
        "O(n log² n) per order";
    /// Offsets, the best of several, then searched.
    Best: best, "best", Search, Offsets,
        "by size and skyline, a short exact search, then local search on the order",
        "effort";
    /// Offsets, searched until no plan can be smaller.
    Exact: exact, "exact", Search, Offsets,
        "MiniMalloc (Moffitt 2023), branch and bound",
        "exponential, up to its budget";
}

impl Strategy {
    /// How it sees memory.
    #[must_use]
    pub fn model(self) -> Model {
        self.facts().model
    }

    /// Where it is listed.
    #[must_use]
    pub fn family(self) -> Family {
        self.facts().family
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

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Strategy::ALL.map(Strategy::name).join(", ");
        write!(
            f,
            "no strategy is called {:?}; there are {names}",
            self.name
        )
    }
}

impl std::error::Error for UnknownStrategy {}
