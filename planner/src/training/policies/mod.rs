//! Policies: from a training step and a budget to a walk.

mod chain;
mod chen;
mod exact;
mod kept;
mod known;
mod live;
mod local;
mod lp;
pub mod min_cut;
mod revolve;
mod rotor;
mod sets;
pub mod swap;
mod torch;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::cost::{Needs, needs};
use super::dtr::{Evictor, Heuristic};
use super::swap::Run;
use super::{Problem, Walk};
use crate::units::Bytes;
use crate::{Message, impl_message, message};

pub use chain::ChainStage;
pub use chen::THRESHOLDS;
pub use exact::{Proof, cheapest};
pub use kept::keeping;
pub use known::Known;
pub use live::{limits, live};
pub use revolve::extra_runs;
pub use rotor::least_cost;
pub use sets::MOST_NODES;

/// How a training step is run under a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Every value is kept until nothing reads it any more.
    KeepAll,
    /// Every √n-th articulation point is kept (Chen et al. 2016, "Training Deep Nets with
    /// Sublinear Memory Cost", section 4.1).
    SqrtN,
    /// Articulation points are kept once so many bytes have gathered between two of them; of 60
    /// such numbers the cheapest walk that fits (section 4.2, algorithm 3).
    ChenGreedy,
    /// The same with every node of the forward pass.
    ChenGreedyAll,
    /// PyTorch's `checkpoint_sequential`: the outputs of chunks are kept, and the whole last chunk.
    TorchSegments,
    /// A knapsack of all activations that the backward pass reads. PyTorch's partitioner has one
    /// too, but of fewer: see [`MinCut`](Self::MinCut).
    Knapsack,
    /// What torch.compile keeps: minimum cuts of the joint graph, and a knapsack of what they do
    /// not compute again.
    MinCut,
    /// The fewest evaluations of a chain of steps with so many checkpoints (Griewank and Walther
    /// 2000, algorithm 799).
    Revolve,
    /// The cheapest persistent schedule of a chain whose segments differ, by dynamic programming
    /// (Beaumont et al. 2019, Rotor).
    Rotor,
    /// The cheapest walk that there is.
    Exact,
    /// The linear relaxation, rounded (Jain et al. 2020, section 5).
    LpRounding,
    /// A local search over what is kept from when to when (see Bartan et al. 2023).
    LocalSearch,
    /// Evict as you go: DTR with this heuristic.
    Live(Heuristic),
    /// Evict as you go in addresses, by `MegEngine`'s interpreter.
    Megengine,
    /// Evict as you go in addresses: DTR that counts the free bytes around.
    Dte,
    /// Evict as you go in addresses: the cheapest window (Coop).
    Coop,
    /// The input of every layer is swapped out while the layer runs (Rhu et al. 2016, vDNN).
    VdnnAll,
    /// The same for convolutions alone.
    VdnnConv,
    /// Swap what has time to leave and come back, recompute what is cheaper (Peng et al. 2020,
    /// Capuchin).
    Capuchin,
    /// Swap what lowers the highest place most, one value after another, by `MegEngine`'s static
    /// pass.
    MegengineSwap,
    /// The least energy, paging included (Patil et al. 2022, POET).
    Poet,
}

/// How long a policy takes, beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// One schedule, made in one go.
    Quick,
    /// The best of some dozens.
    Moderate,
    /// A search.
    Slow,
}

/// What a policy comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The way to run the step; `None` where there is none under this budget, or none was found.
    pub walk: Option<Walk>,
    /// What it needs.
    pub needs: Needs,
    /// Whether no walk under this budget costs less.
    pub optimal: bool,
    /// No walk under this budget costs less than that, as far as the policy knows.
    pub lower_bound: Option<u64>,
    /// Why there is no walk.
    pub why: Option<NoWalk>,
    /// The times of a walk that may swap.
    pub run: Option<Run>,
}

/// Why a policy has no walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoWalk {
    /// No walk at all fits: this node needs so many bytes at once.
    BelowMinimum {
        /// The node.
        node: usize,
        /// What it reads and its value.
        bytes: Bytes,
    },
    /// Every walk was looked at, and none fits.
    Impossible,
    /// The policy's smallest walk needs so many bytes.
    SmallestNeeds(Bytes),
    /// Memory ran out at this node.
    OutOfMemory(usize),
    /// More than as much again was computed.
    Thrashed,
    /// The search is limited, and ended before it knew.
    NotSearched,
    /// It is for steps of at most so many nodes.
    MoreNodesThan(usize),
    /// The observer had it stop.
    Stopped,
    /// The forward pass is no chain of at least two segments.
    NotAChain,
    /// It needs to know the whole step, of which a log is one run.
    NotForLogs,
    /// It cuts a joint graph, and the step is none.
    NoJointGraph,
    /// The backward pass needs what can be neither kept nor computed again.
    NoCut,
    /// There is nothing to swap over.
    NoLink,
    /// It is not known what energy computing and copying take.
    NoEnergy,
}

/// A name that no policy has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPolicy(pub String);

impl UnknownPolicy {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let names: Vec<&str> = Policy::ALL.iter().map(|it| it.name()).collect();
        let names = names.join(", ");
        message!("no policy is called {}: there is {}", self.0, names)
    }
}

impl_message!(UnknownPolicy);
impl std::error::Error for UnknownPolicy {}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

impl Policy {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 28] = [
        Self::KeepAll,
        Self::SqrtN,
        Self::ChenGreedy,
        Self::ChenGreedyAll,
        Self::TorchSegments,
        Self::Knapsack,
        Self::MinCut,
        Self::Revolve,
        Self::Rotor,
        Self::Exact,
        Self::LpRounding,
        Self::LocalSearch,
        Self::Live(Heuristic::Dtr),
        Self::Live(Heuristic::DtrEq),
        Self::Live(Heuristic::DtrLocal),
        Self::Live(Heuristic::Msps),
        Self::Live(Heuristic::Lru),
        Self::Live(Heuristic::Size),
        Self::Live(Heuristic::NotStale),
        Self::Live(Heuristic::Random),
        Self::Megengine,
        Self::Dte,
        Self::Coop,
        Self::VdnnAll,
        Self::VdnnConv,
        Self::Capuchin,
        Self::MegengineSwap,
        Self::Poet,
    ];

    /// Whether it copies values to the host and back, and has times of its own.
    #[must_use]
    pub const fn swaps(self) -> bool {
        matches!(
            self,
            Self::VdnnAll | Self::VdnnConv | Self::Capuchin | Self::MegengineSwap
        )
    }

    /// The eager runtime that it is, if it is one.
    #[must_use]
    pub fn evictor(self) -> Option<Evictor> {
        match self {
            Self::Live(heuristic) => Some(Evictor::Bytes(heuristic)),
            Self::Megengine => Some(Evictor::Megengine),
            Self::Dte => Some(Evictor::Dte),
            Self::Coop => Some(Evictor::Coop),
            _ => None,
        }
    }

    /// Its name in files, links and commands.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::KeepAll => "keep_all",
            Self::SqrtN => "sqrt_n",
            Self::ChenGreedy => "chen_greedy",
            Self::ChenGreedyAll => "chen_greedy_all",
            Self::TorchSegments => "torch_segments",
            Self::Knapsack => "knapsack",
            Self::MinCut => "min_cut",
            Self::Revolve => "revolve",
            Self::Rotor => "rotor",
            Self::Exact => "exact",
            Self::LpRounding => "lp_rounding",
            Self::LocalSearch => "local_search",
            Self::Live(heuristic) => heuristic.name(),
            Self::Megengine => "megengine",
            Self::Dte => "dte",
            Self::Coop => "coop",
            Self::VdnnAll => "vdnn_all",
            Self::VdnnConv => "vdnn_conv",
            Self::Capuchin => "capuchin",
            Self::MegengineSwap => "megengine_swap",
            Self::Poet => "poet",
        }
    }

    /// Finds a walk through `problem` whose values take at most `budget` at once. `watch` hears
    /// how far it is, where it can know, and says whether to go on.
    pub fn run(
        self,
        problem: &Problem,
        budget: Option<Bytes>,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Found {
        Known::default().run(self, problem, budget, watch)
    }
}

impl Policy {
    /// How long it takes, beside the others.
    #[must_use]
    pub fn pace(self) -> Pace {
        match self {
            Self::KeepAll | Self::SqrtN => Pace::Quick,
            Self::Live(_) | Self::Megengine | Self::Dte | Self::Coop => Pace::Quick,
            Self::VdnnAll | Self::VdnnConv => Pace::Quick,
            Self::ChenGreedy | Self::ChenGreedyAll | Self::TorchSegments => Pace::Moderate,
            Self::Knapsack | Self::MinCut | Self::Revolve | Self::Rotor => Pace::Moderate,
            Self::Capuchin | Self::MegengineSwap => Pace::Moderate,
            Self::Exact | Self::LpRounding | Self::LocalSearch | Self::Poet => Pace::Slow,
        }
    }

    /// [`run`](Self::run) for a table of many: an exact search that takes longer than a moment
    /// is ended early, and has what others find; for a long chain memory is divided into fewer
    /// slots.
    pub fn glance(self, problem: &Problem, budget: Option<Bytes>) -> Found {
        Known::default().glance(self, problem, budget)
    }
}

impl Found {
    /// There is no walk.
    #[must_use]
    pub fn none(why: NoWalk) -> Self {
        Self {
            walk: None,
            needs: Needs::default(),
            optimal: false,
            lower_bound: None,
            why: Some(why),
            run: None,
        }
    }

    /// The cheapest of `walks` that fits, of equally cheap ones the smallest, then the first.
    pub(super) fn fitting(
        problem: &Problem,
        walks: impl IntoIterator<Item = Walk>,
        budget: Option<Bytes>,
    ) -> Self {
        let walks = walks.into_iter();
        let walks: Vec<(Needs, Walk)> = walks.map(|it| (needs(problem, &it), it)).collect();
        Self::cheapest(problem, &walks, budget)
    }

    /// The same of walks of which it is known what they need.
    fn cheapest(problem: &Problem, walks: &[(Needs, Walk)], budget: Option<Bytes>) -> Self {
        let fits = |it: &&(Needs, Walk)| budget.is_none_or(|budget| it.0.peak <= budget);
        let fitting = walks.iter().filter(fits);
        let smallest = walks.iter().map(|it| it.0.peak).min();
        match fitting.min_by_key(|it| (it.0.time(), it.0.peak)) {
            Some((needs, walk)) => Self {
                walk: Some(walk.clone()),
                needs: *needs,
                // Nothing is cheaper than computing everything once.
                optimal: needs.time() == problem.base_cost(),
                lower_bound: None,
                why: None,
                run: None,
            },
            None => Self::none(NoWalk::SmallestNeeds(smallest.unwrap_or_default())),
        }
    }
}

/// Why no policy has a walk under so small a budget.
#[must_use]
pub fn below_minimum(problem: &Problem, budget: Option<Bytes>) -> Option<NoWalk> {
    let (bytes, Some(node)) = problem.minimum() else {
        return None;
    };
    let below = budget.is_some_and(|budget| budget < bytes);
    below.then_some(NoWalk::BelowMinimum { node, bytes })
}

/// Everything once, each value forgotten after the last that reads it.
#[must_use]
pub fn keep_all(problem: &Problem) -> Walk {
    let all: Vec<usize> = (0..problem.forward()).collect();
    keeping(problem, &all)
}
