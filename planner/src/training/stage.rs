//! A model as a training step: the stage that a policy makes of it.

use serde::{Deserialize, Serialize};

use super::backward::{self, Step};
use super::devices::link;
use super::fixed::Fixed;
use super::gist::{packed, packings};
use super::policies::{Found, min_cut};
use super::table::Row;
use super::{Policy, Problem, Recipe, Rule, choice, joint, layers, model, program, sharding};
use crate::Message;
use crate::graph::Graph;
use crate::program::Program;
use crate::settings::Training;

/// What a training step came to: what the policy found, which may be no schedule and so nothing
/// to plan, or why there is no step.
pub type Trained = Result<Row, NoStep>;

/// Why a document has no training step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoStep {
    /// There are no operators, or they have a schedule already.
    NoModel,
    /// The tensor of this name has no size, so there is no step.
    Unsized(String),
    /// Layers do not say what autograd saves of them.
    OnlyLayers,
    /// Sizes or costs go beyond 64 bits, or there are too many nodes.
    TooLarge(Message),
    /// It cannot be divided among devices so.
    Undivided(Message),
}

/// The operators of a prepared model in the order in which its schedule runs them.
#[must_use]
pub fn operators(program: Program) -> Graph {
    let mut graph = program.graph;
    let steps = program.schedule.steps.iter();
    let order: Vec<usize> = steps
        .filter_map(|step| Some(step.action.op()?.index()))
        .collect();
    // What a schedule has evicted and computed again is no order of operators.
    if order.len() == graph.ops.len() {
        graph.ops = order.iter().map(|op| graph.ops[*op].clone()).collect();
    }
    graph
}

/// The training step of `batch` samples of a sized model.
///
/// # Errors
/// [`NoStep::Unsized`] or [`NoStep::TooLarge`].
pub fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    let mut step = plain(graph, batch, recipe)?;
    step.problem.link = recipe.rates.map(link);
    if recipe.gist.is_on() && recipe.rule != Rule::Compile {
        let packings = packings(&step.problem, recipe.gist, recipe.precision, &graph.zeros);
        let made = packed(&step.problem, &packings).checked();
        step.problem = made.map_err(|error| NoStep::TooLarge(error.message))?;
    }
    Ok(step)
}

/// The step with every value as it is computed.
fn plain(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    match recipe.rule {
        Rule::Autograd if recipe.sharding.is_on() => {
            return sharding::step(graph, batch, recipe);
        }
        Rule::Autograd => return backward::step(graph, batch, recipe),
        Rule::Compile => return joint::step(graph, batch, recipe),
        Rule::Checkmate => {}
    }
    let layers = model::layers(graph).map_err(NoStep::Unsized)?;
    let step = layers.step(batch, recipe);
    let mut step = step.map_err(|error| NoStep::TooLarge(error.message))?;
    let layers = step.problem.nodes.iter_mut().zip(model::operators(graph));
    // Layers of a file are known by their names alone.
    for (node, op) in layers.filter(|(_, op)| !layers::is_layer(op)) {
        node.operator = op.operator;
    }
    Ok(step)
}

/// What the chosen policy finds. `on_progress` hears how far it is and says whether to go on.
pub fn found(
    problem: &Problem,
    choice: Training,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let policy = choice::policy(choice);
    match choice.share.filter(|_| policy == Policy::MinCut) {
        Some(share) => min_cut::at(problem, share, choice.budget),
        None => policy.run(problem, choice.budget, on_progress),
    }
}

/// The program that trains `graph` as chosen, without operators where there is no schedule, what
/// the policy came to, and what stays beside it. `on_progress` hears how far the policy is and says whether to go on.
pub fn stage(
    graph: &Graph,
    choice: Training,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> (Program, Trained, Fixed) {
    let (problem, fixed) = match step(graph, choice.batch, choice.recipe) {
        Ok(step) => (step.problem, step.fixed),
        Err(why) => return (Program::default(), Err(why), Fixed::default()),
    };
    let policy = choice::policy(choice);
    let found = found(&problem, choice, on_progress);
    let row = Row::new(&problem, policy, choice.budget, &found);
    let walk = found.walk.unwrap_or_default();
    let made = match row.needs {
        Some(_) => program::program(&problem, &walk),
        None => Program::default(),
    };
    (made, Ok(row), fixed)
}
