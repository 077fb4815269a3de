//! The advisor: given a model, devices and a batch, the cheapest way to make it fit.
//!
//! What is cheapest is the least time by a stated model (`clock.rs`); of ways that take as long the one
//! that changes least. Nothing is changed where that fits. Else `plans.rs` lists what a step can be
//! made of, those first that take least time at best, and `search.rs` asks policies for schedules of
//! each, until no plan is left that could be better than the best one found. `room.rs` proves that a
//! schedule fits: every request is met with what the device has, and the [judge](super::judge) finds
//! no fault.
//!
//! That nothing cheaper was found holds under the rules that are looked at: [`Searched`] lists them.

mod case;
mod clock;
mod divisions;
mod kind;
mod largest;
mod outline;
mod plans;
mod room;
mod search;
mod trials;

use serde::{Deserialize, Serialize};

use super::devices::Device;
use super::estimate::{Allocator, NoEstimate};
use super::{Policy, Recipe};
use crate::graph::Graph;
use crate::settings::PassSet;
use crate::units::Bytes;

pub use case::{Case, front};
pub use clock::Time;
pub use kind::{Kind, Kinds};
pub use largest::largest;
pub use room::ARENAS;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// What it is to run on.
    pub device: Device,
    /// How many such devices.
    pub devices: u32,
    /// Samples of a step, over all devices.
    pub batch: u64,
    /// What a step is made of where nothing is changed.
    pub recipe: Recipe,
    /// What the driver takes of a device's memory.
    pub context: Bytes,
    /// What each operator has while it runs; `None` where nobody knows.
    pub workspace: Option<Bytes>,
    /// What may be changed.
    pub kinds: Kinds,
}

/// A sized model after some passes.
#[derive(Clone, Copy, Debug)]
pub struct Variant<'a> {
    /// The passes.
    pub passes: PassSet,
    /// What they have made.
    pub graph: &'a Graph,
}

/// What was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// What might be changed.
    pub kinds: Kinds,
    /// The policies that were asked where a step does not fit as it is.
    pub policies: Vec<Policy>,
    /// Who was asked for memory, in this order.
    pub allocators: Vec<Allocator>,
    /// How many ways of making a step, passes, switches, packing, sharding, were looked at.
    pub plans: u64,
    /// How many were not, because they take longer at best than what was found.
    pub passed: u64,
    /// How many schedules were made.
    pub schedules: u64,
}

/// What comes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// The best case that fits; where none does, the one that lacks least.
    pub answer: Option<Case>,
    /// Cases that would be better than the answer and do not fit, those that lack least first.
    pub cheaper: Vec<Case>,
    /// All cases, up to [`MOST_CASES`], in the order in which they were looked at.
    pub cases: Vec<Case>,
    /// Those of them that no other one dominates, by time.
    pub front: Vec<usize>,
    /// What was looked at.
    pub searched: Searched,
    /// Whether it was ended before all was looked at.
    pub stopped: bool,
}

/// The most cases that are listed, and that are named as cheaper.
pub const MOST_CASES: usize = 1_000;
const MOST_CHEAPER: usize = 8;

impl Advice {
    /// Whether something fits.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.answer.as_ref().is_some_and(Case::fits)
    }
}

/// Looks for the cheapest way to make the training step of a sized model fit. `variants` are the
/// model as it is, and after passes that may be chosen. `on_progress` hears how far it is and says
/// whether to go on.
///
/// # Errors
/// Why there is no training step of the model as it is.
pub fn advise(
    variants: &[Variant<'_>],
    wanted: &Wanted,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Advice, NoEstimate> {
    search::search(variants, wanted, false, on_progress)
}

/// Whether anything fits: ends with the first case that does.
///
/// # Errors
/// Why there is no training step of the model as it is.
pub fn fits(
    variants: &[Variant<'_>],
    wanted: &Wanted,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, NoEstimate> {
    search::search(variants, wanted, true, on_progress).map(|found| found.fits())
}
