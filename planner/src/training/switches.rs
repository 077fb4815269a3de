//! What PyTorch's users are told to do against running out of memory, and what each comes to for
//! this step, everything else as it is chosen. By autograd's rule, everything that is saved kept.

use serde::{Deserialize, Serialize};

use super::backward::Step;
use super::cost::needs;
use super::placements::{ALIGNMENT, residencies};
use super::policies::{NoWalk, keep_all};
use super::stage::{NoStep, step};
use super::{Move, Policy, Precision, Problem, Recipe, Rule};
use crate::graph::Graph;
use crate::plan::Options;
use crate::strategies::{Silent, Strategy, plan};
use crate::units::Bytes;

/// One piece of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// `nn.ReLU(inplace=True)`, and the same of leaky ReLU and ELU.
    InPlace,
    /// `zero_grad(set_to_none=True)`: gradients of weights are not there in the forward pass.
    SetToNone,
    /// Half precision, with a master copy of the weights.
    Mixed,
    /// `requires_grad_(False)` for so many of the first layers with weights.
    Frozen(u32),
    /// `checkpoint_sequential` with the number of chunks that needs least.
    Checkpoints,
    /// `del loss, output` once they are not needed, in place of keeping them until the next step
    /// assigns both again.
    Deleted,
    /// `torch.no_grad()` around what is only evaluated, in place of a forward pass that saves.
    NoGrad,
    /// `empty_cache()` after the step: it gives free segments back.
    EmptyCache,
}

/// Which bytes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The most bytes of tensors at once in a training step.
    Peak,
    /// The same in a forward pass alone.
    ForwardPeak,
    /// What the caching allocator holds between two steps: the tensors that stay, and segments
    /// without any.
    ReservedAfter,
}

/// What one piece of advice comes to. What stays beside the values counts in all figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// The advice.
    pub hint: Hint,
    /// Which bytes.
    pub measure: Measure,
    /// How many without.
    pub without: Bytes,
    /// How many with.
    pub with: Bytes,
    /// What of both stays beside the values, where no recipe changes it.
    pub fixed: Bytes,
    /// Whether the recipe says so.
    pub on: bool,
}

impl Hint {
    /// Its name in files and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InPlace => "in_place",
            Self::SetToNone => "set_to_none",
            Self::Mixed => "mixed",
            Self::Frozen(_) => "frozen",
            Self::Checkpoints => "checkpoints",
            Self::Deleted => "deleted",
            Self::NoGrad => "no_grad",
            Self::EmptyCache => "empty_cache",
        }
    }

    /// The recipe with it, or without; `None` for what no recipe says.
    #[must_use]
    pub const fn chosen(self, of: Recipe, on: bool) -> Option<Recipe> {
        let mut recipe = of;
        recipe.rule = Rule::Autograd;
        match self {
            Self::InPlace => recipe.in_place = on,
            Self::SetToNone => recipe.set_to_none = on,
            Self::Mixed if on => recipe.precision = Precision::Mixed,
            Self::Mixed => recipe.precision = Precision::Full,
            Self::Frozen(layers) => recipe.frozen = if on { layers } else { 0 },
            Self::Checkpoints | Self::Deleted | Self::NoGrad | Self::EmptyCache => return None,
        }
        Some(recipe)
    }
}

impl Measure {
    /// Its name in files and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::ForwardPeak => "forward_peak",
            Self::ReservedAfter => "reserved_after",
        }
    }
}

/// What every piece of advice comes to for `batch` samples of a sized graph.
///
/// # Errors
/// Why there is no training step.
pub fn switches(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Vec<Switch>, NoStep> {
    let chosen = Recipe {
        rule: Rule::Autograd,
        ..recipe
    };
    let now = step(graph, batch, chosen)?;
    // Where nothing is frozen yet, all but the last layer: a new head on a trained network.
    let frozen = match chosen.frozen {
        0 => now.layers.saturating_sub(1),
        frozen => frozen,
    };
    let mut all = Vec::new();
    let of_recipe = [
        (Hint::InPlace, chosen.in_place),
        (Hint::SetToNone, chosen.set_to_none),
        (Hint::Mixed, chosen.precision == Precision::Mixed),
        (Hint::Frozen(frozen), chosen.frozen > 0),
    ];
    for (hint, on) in of_recipe {
        let peak = |with| match hint.chosen(chosen, with) {
            Some(recipe) if recipe != chosen => step(graph, batch, recipe).map(|it| peak(&it)),
            _ => Ok(peak(&now)),
        };
        all.push(Switch {
            hint,
            measure: Measure::Peak,
            without: peak(false)?,
            with: peak(true)?,
            fixed: now.problem.fixed,
            on,
        });
    }
    all.extend(of_step(&now));
    Ok(all)
}

/// What a step needs, everything that is saved kept.
fn peak(step: &Step) -> Bytes {
    let problem = &step.problem;
    with_fixed(problem, needs(problem, &keep_all(problem)).peak)
}

fn with_fixed(problem: &Problem, bytes: Bytes) -> Bytes {
    Bytes(problem.fixed.0.saturating_add(bytes.0))
}

/// What no recipe says. What the allocator reserves is left out where its model cannot place the
/// step.
fn of_step(step: &Step) -> Vec<Switch> {
    let problem = &step.problem;
    let switch = |hint, measure, without, with| Switch {
        hint,
        measure,
        without: with_fixed(problem, without),
        with: with_fixed(problem, with),
        fixed: problem.fixed,
        on: false,
    };
    let peak = needs(problem, &keep_all(problem)).peak;
    let (saving, not_saving) = forward_peaks(problem);
    let reserved = reserved(problem).map(|reserved| {
        let measure = Measure::ReservedAfter;
        switch(Hint::EmptyCache, measure, reserved, Bytes::ZERO)
    });
    let known = [
        switch(
            Hint::Checkpoints,
            Measure::Peak,
            peak,
            least_segments(problem),
        ),
        switch(Hint::Deleted, Measure::Peak, held_peak(problem), peak),
        switch(Hint::NoGrad, Measure::ForwardPeak, saving, not_saving),
    ];
    known.into_iter().chain(reserved).collect()
}

/// The least that checkpoints between chunks need.
fn least_segments(problem: &Problem) -> Bytes {
    let least = problem.minimum().0;
    let found = Policy::TorchSegments.run(problem, Some(least), &mut |_, _| true);
    match found.why {
        Some(NoWalk::SmallestNeeds(bytes)) => bytes,
        _ => found.needs.peak,
    }
}

/// What is needed where the names of the outputs and the loss are held until the next step
/// assigns them: in the forward pass those of the step before are there, from then on these.
fn held_peak(problem: &Problem) -> Bytes {
    let loss = problem.forward();
    let Some(of_loss) = problem.nodes.get(loss) else {
        return Bytes::ZERO;
    };
    let mut held = vec![false; problem.nodes.len()];
    of_loss.reads.iter().for_each(|node| held[*node] = true);
    held[loss] = true;
    let bytes = |node: usize| problem.nodes[node].bytes.0;
    let named = (0..held.len()).filter(|node| held[*node]);
    let mut live: u64 = named.map(bytes).sum();
    let mut peak = live;
    for step in keep_all(problem) {
        match step {
            Move::Compute(node) => {
                live += bytes(node);
                peak = peak.max(live);
                if held[node] {
                    live -= bytes(node);
                }
            }
            Move::Forget(node) if !held[node] => live -= bytes(node),
            // Keeping everything swaps nothing.
            Move::Forget(_) | Move::SwapOut(_) | Move::SwapIn(_) => {}
        }
    }
    Bytes(peak)
}

/// What a forward pass needs at most that saves for a backward pass, and one that does not.
fn forward_peaks(problem: &Problem) -> (Bytes, Bytes) {
    let forward = problem.forward();
    let before_loss = keep_all(problem).into_iter();
    let before_loss = before_loss.take_while(|it| *it != Move::Compute(forward));
    let saving = needs(problem, &before_loss.collect::<Vec<_>>()).peak;
    let alone = Problem {
        nodes: problem.nodes[..forward].to_vec(),
        ..problem.clone()
    };
    (saving, needs(&alone, &keep_all(&alone)).peak)
}

/// What `PyTorch`'s caching allocator has reserved for the values after a step; `None` where
/// they are beyond what can be placed.
fn reserved(problem: &Problem) -> Option<Bytes> {
    let stays = residencies(problem, &keep_all(problem)).ok()?;
    let options = Options::aligned(ALIGNMENT);
    let plan = plan(Strategy::PytorchCaching, &stays, &options, &mut Silent).ok()?;
    plan.reserved
}
