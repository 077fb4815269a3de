//! What a training step is made of, as options, and what of it is kept for the backward pass.

use clap::{Args, ValueEnum};
use planner::training::backward::{Saved, Step};
use planner::training::devices::link;
use planner::training::fixed::Fixed;
use planner::training::layers::Layers;
use planner::training::stage::NoStep;
use planner::training::{Gist, Optimizer, Precision, Recipe, Rule, Sharding};
use serde_json::{Map, Value, json};

use super::args::Output;
use super::report::{columns_of, lines};

#[derive(Args)]
pub(super) struct RecipeArgs {
    /// What the backward pass reads.
    #[arg(long, value_enum, default_value = "checkmate")]
    rule: RuleName,
    /// What the optimizer keeps for each parameter.
    #[arg(long, value_enum, default_value = "none")]
    optimizer: OptimizerName,
    /// What numbers take.
    #[arg(long, value_enum, default_value = "full")]
    precision: PrecisionName,
    /// So many of the first layers with parameters are not trained.
    #[arg(long, value_name = "N", default_value_t = 0)]
    frozen: u32,
    /// ReLU and its like write over what they read where they can; needs --rule autograd.
    #[arg(long)]
    relu_in_place: bool,
    /// Gradients of weights are made anew in every step; needs --rule autograd or compile.
    #[arg(long)]
    set_to_none: bool,
    /// Normalisations, softmax and activations count in their parts; needs --rule autograd or
    /// compile.
    #[arg(long)]
    decomposed: bool,
    /// How values are packed between the passes, by Gist: words of signs, sparse or `sparse_wide`,
    /// bits=16, 10 or 8, and zeros=500 of a thousand elements of a ReLU, tied by +; not with --rule
    /// compile.
    #[arg(long, value_name = "WORDS", value_parser = gist)]
    gist: Option<Gist>,
    /// How it is divided among devices, and which one is looked at: words of dp=, zero=, tp=, sp,
    /// cp=, ep=, pp=, chunks=, micro=, stage=, prefetch=, bucket=, `keep_gathered`, offload and
    /// gradients32, tied by +, as in tp=8+sp+pp=4+micro=8; needs --rule autograd.
    #[arg(long, value_name = "WORDS", value_parser = sharding)]
    sharding: Option<Sharding>,
    /// Prints what the backward pass reads of the forward pass, and what for, instead.
    #[arg(long, conflicts_with_all = ["placements", "decisions"])]
    pub(super) saved: bool,
}

/// Words that say how values are packed.
fn gist(text: &str) -> Result<Gist, String> {
    let mut gist = Gist::default();
    for word in text.split('+') {
        gist.take(word)
            .ok_or_else(|| format!("\"{word}\" says nothing of how values are packed"))?;
    }
    unmeasured(gist)?;
    Ok(gist)
}

/// Words that say how a step is divided.
fn sharding(text: &str) -> Result<Sharding, String> {
    let mut sharding = Sharding::default();
    for word in text.split('+') {
        let taken = sharding.take(word);
        taken.ok_or_else(|| format!("\"{word}\" says nothing of how a step is divided"))?;
    }
    Ok(sharding)
}

/// Refuses what a run would have to measure.
pub(super) fn unmeasured(gist: Gist) -> Result<(), String> {
    match gist.measured {
        true => Err("the command line runs no model: say a number, as zeros=500".to_owned()),
        false => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// The gradient of a layer reads its output, those that read it, and their gradients.
    Checkmate,
    /// What PyTorch's autograd saves of each operator.
    Autograd,
    /// What torch.compile traces: operators in parts, both passes in one graph.
    Compile,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OptimizerName {
    /// Nothing.
    None,
    /// The momentum, 4 bytes.
    Momentum,
    /// Two moments, 8 bytes.
    Adam,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PrecisionName {
    /// As the model says.
    Full,
    /// Halves, and a master copy of the weights.
    Mixed,
}

impl OptimizerName {
    pub(super) const fn optimizer(self) -> Optimizer {
        match self {
            Self::None => Optimizer::None,
            Self::Momentum => Optimizer::Momentum,
            Self::Adam => Optimizer::Adam,
        }
    }
}

impl PrecisionName {
    pub(super) const fn precision(self) -> Precision {
        match self {
            Self::Full => Precision::Full,
            Self::Mixed => Precision::Mixed,
        }
    }
}

impl RecipeArgs {
    /// Whether something is chosen that the rule has no use for.
    pub(super) fn without_effect(&self) -> bool {
        let in_place = self.relu_in_place && self.rule != RuleName::Autograd;
        if self.gist.is_some() && self.rule == RuleName::Compile {
            return true;
        }
        let parts = self.set_to_none || self.decomposed;
        in_place || parts && self.rule == RuleName::Checkmate
    }

    pub(super) fn recipe(&self) -> Recipe {
        Recipe {
            rule: match self.rule {
                RuleName::Checkmate => Rule::Checkmate,
                RuleName::Autograd => Rule::Autograd,
                RuleName::Compile => Rule::Compile,
            },
            optimizer: self.optimizer.optimizer(),
            precision: self.precision.precision(),
            frozen: self.frozen,
            in_place: self.relu_in_place,
            set_to_none: self.set_to_none,
            decomposed: self.decomposed,
            gist: self.gist.unwrap_or_default(),
            rates: None,
            sharding: self.sharding.unwrap_or_default(),
        }
    }
}

/// The step of the layers of a file.
pub(super) fn of_layers(layers: &Layers, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    if recipe.rule != Rule::Checkmate {
        return Err(NoStep::OnlyLayers);
    }
    let step = layers.step(batch, recipe);
    let step = step.map(|mut step| {
        step.problem.link = recipe.rates.map(link);
        step
    });
    step.map_err(|error| NoStep::TooLarge(error.message))
}

/// What is fixed, by what it is for.
pub(super) fn by_kind(fixed: Fixed) -> Value {
    let parts = fixed.parts().into_iter();
    let parts = parts.map(|(name, bytes)| (name.to_owned(), json!(bytes)));
    Value::Object(parts.collect::<Map<String, Value>>())
}

/// Which modules are saved as such.
fn recognised(step: &Step) -> String {
    let found = step.recognised.iter();
    let found: Vec<String> = found
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    match found.is_empty() {
        true => "every operator counts as exported\n".to_owned(),
        false => {
            let found = found.join(", ");
            format!("counted as modules: {found}; every other operator as exported\n")
        }
    }
}

/// What is saved in all, and what of it is there without.
fn sums(step: &Step) -> String {
    let sum = |keep: &dyn Fn(&Saved) -> bool| {
        let kept = step.saved.iter().filter(|it| keep(it));
        kept.fold(0_u64, |sum, it| sum.saturating_add(it.bytes.0))
    };
    format!(
        "{:>14}  in all, of it {} of inputs and {} that the loss alone reads\n",
        sum(&|_| true),
        sum(&|it| it.input),
        sum(&|it| !it.input && it.by.is_empty()),
    )
}

/// What the backward pass reads of the forward pass.
pub(super) fn saved(step: &Step, format: Output) -> String {
    let rows = step.saved.iter().map(|saved| {
        json!({
            "bytes": saved.bytes.0,
            "tensor": saved.name,
            "input": saved.input,
            // The loss reads the results.
            "by": if saved.by.is_empty() { "the loss".to_owned() } else { saved.by.join(" ") },
        })
    });
    let rows: Vec<Value> = rows.collect();
    let columns = ["bytes", "tensor", "input", "by"];
    match format {
        Output::Json => {
            let recognised = step.recognised.iter().cloned();
            let recognised: Map<String, Value> = recognised
                .map(|(name, count)| (name, json!(count)))
                .collect();
            lines(&json!({
                "rule": step.problem.rule.name(),
                "recognised": recognised,
                "saved": rows,
            }))
        }
        Output::Csv => columns_of(&columns, &rows, |cells| cells.join(",")),
        Output::Table => {
            let table = columns_of(&columns, &rows, |cells| {
                format!(
                    "{:>14}  {:<40} {:<6} {}",
                    cells[0], cells[1], cells[2], cells[3]
                )
            });
            table + &sums(step) + &recognised(step)
        }
    }
}
