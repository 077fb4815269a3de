//! What a schedule needs in addresses: a budget counts bytes, a device has addresses, and what
//! lies between two values may be too small for a third.

use serde::{Deserialize, Serialize};

use super::program::program;
use super::{Problem, Walk};
use crate::bounds::bounds;
use crate::liveness::{Lifetimes, TooLarge, lifetimes};
use crate::plan::{Effort, Options};
use crate::settings::Settings;
use crate::strategies::{Observer, PlanError, Strategy, plan};
use crate::units::Bytes;

/// What addresses are a multiple of, and what is needed is rounded up to.
pub const ALIGNMENT: Bytes = Bytes(256);

/// The strategies that place a schedule: two that know it in advance, the search over several
/// such, and two that see one request at a time. The last reserves segments.
pub const STRATEGIES: [Strategy; 5] = [
    Strategy::Best,
    Strategy::OffsetsBySize,
    Strategy::MegenginePushdown,
    Strategy::MegengineBestFit,
    Strategy::PytorchCaching,
];

/// The same stays in memory, placed by one strategy after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placements {
    /// How many there are: a value that is computed again stays once more.
    pub residencies: usize,
    /// No placement needs less.
    pub bound: Bytes,
    /// What each strategy needs, in the order of [`STRATEGIES`].
    pub rows: Vec<Placement>,
}

/// What one strategy needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The strategy.
    pub strategy: Strategy,
    /// The end of its arena, or what it reserved; or why it has no plan.
    pub bytes: Result<Bytes, PlanError>,
}

/// Every stay in memory of the values of a walk.
///
/// # Errors
/// [`TooLarge`] when they are beyond what can be planned.
pub fn residencies(problem: &Problem, walk: &Walk) -> Result<Lifetimes, TooLarge> {
    // Sizes as they are: how they are rounded up is up to who places them.
    let settings = Settings {
        alignment: Bytes(1),
        ..Settings::default()
    };
    lifetimes(&program(problem, walk), &settings)
}

/// Places `lifetimes` by each of [`STRATEGIES`], with so much effort where one searches.
/// `observer` may break off any of them.
pub fn placements(
    lifetimes: &Lifetimes,
    effort: Effort,
    observer: &mut dyn Observer,
) -> Placements {
    let options = Options {
        effort,
        ..Options::aligned(ALIGNMENT)
    };
    let rows = STRATEGIES.map(|strategy| {
        let planned = plan(strategy, lifetimes, &options, observer);
        let needed = planned.map(|plan| plan.reserved.unwrap_or(plan.arena));
        // What is beyond 64 bits when it is rounded up is that without.
        let bytes = needed.map(|bytes| bytes.align_up(ALIGNMENT).unwrap_or(bytes));
        Placement { strategy, bytes }
    });
    Placements {
        residencies: lifetimes.buffers.len(),
        bound: bounds(lifetimes).offsets,
        rows: rows.into(),
    }
}
