//! What a person does about training steps.

use planner::training::Policy;
use planner::training::devices::Device;
use planner::training::sharding::bars::Axis;
use planner::{Bytes, Recipe};

use crate::model::training_steps::{Estimating, EvictionFilm, Fitting};

/// Something that a person did with training steps.
#[derive(Clone, Copy, Debug)]
pub enum TrainingAction {
    /// Chose how many samples a step has.
    Batch(u64),
    /// Chose what a step is made of.
    Recipe(Recipe),
    /// Slides over budgets: this one is chosen meanwhile.
    Budget(Option<Bytes>),
    /// Whatever is done but sliding writes the address.
    Rest,
    /// Chose the policy whose schedule is planned, or the model itself.
    Plan(Option<Policy>),
    /// Chose a policy under a budget.
    Open(Policy, Option<Bytes>),
    /// Chose a partition by torch.compile, by its memory budget in hundredths.
    Partition(u8),
    /// Does not want the table any longer.
    Stop,
    /// Asked for it anew.
    Again,
    /// Wants to see why the planned policy evicts what it does, or no longer.
    Explain(bool),
    /// Looks at this run of a policy that swaps.
    Iteration(usize),
    /// Wants to know what the step takes on a device, estimated so, or no longer.
    Estimate(Option<Estimating>),
    /// Wants to know what other allocators would reserve, or no longer.
    Allocators(bool),
    /// Wants to know what a rank holds where this is chosen otherwise, or no longer.
    Bars(Option<Axis>),
    /// Wants to know the cheapest way to make the step fit, or no longer.
    Fits(Option<Fitting>),
    /// Takes what the advisor found, by its place among the cases.
    Take(usize),
    /// Wants all that a step asks for as a problem, or no longer.
    Requests(bool),
    /// Puts the first, the middle and the last stage of the pipeline beside each other.
    Ranks,
    /// Looks at this eviction.
    Eviction(usize),
    /// Shows the picture up to the eviction, or the whole run.
    Film(EvictionFilm),
    /// Wants to know what PyTorch's advice saves, or no longer.
    Switches(bool),
    /// Wants the zeros of ReLUs counted by a run, or no longer.
    Count(bool),
    /// Chose what the step is to run on: what its fixed bytes leave of the memory is the budget.
    Device(Option<Device>),
}
