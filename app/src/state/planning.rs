//! What the page knows of planning beside the plans: pools, effort, the price of running in
//! parallel, and the bound whose witness is shown.

use leptos::prelude::*;
use planner::trace::Stage;
use planner::{Clash, Effort, Growth, Options, Pool, Strategy};
use worker::Price;

use super::column::Column;
use super::session::Session;

/// Many buffers for strategies that look at every pair, or try many orders.
const SQUARE_UP_TO: usize = 5_000;

/// Many buffers for the flow, whose time grows with their cube.
const CUBE_UP_TO: usize = 1_000;

/// Many buffers for searches, which end when their effort is spent.
const SEARCH_UP_TO: usize = 200;

/// Beyond this many buffers only the columns in view are planned unasked.
const ANY_UP_TO: usize = 20_000;

/// Beyond this many buffers the price of running in parallel is measured on request.
const PRICE_UP_TO: usize = 2_000;

/// The most nodes or moves that can be chosen: the page counts in whole floats.
pub(crate) const MOST_EFFORT: u64 = (1 << 53) - 1;

/// What is known of the price of running in parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Pricing {
    /// It was not measured.
    #[default]
    Unmeasured,
    /// It is being measured.
    Measuring,
    /// It was measured.
    Measured(Price),
    /// There is none, for one of both plans failed.
    Failed,
}

/// A bound whose witness is shown: its place in the list.
pub(crate) type Shown = usize;

/// The signals of planning.
#[derive(Clone, Copy)]
pub(crate) struct Planning {
    pub(crate) pools: RwSignal<Vec<Pool>>,
    pub(crate) effort: RwSignal<Effort>,
    /// The stage of the strategy at work, as far as it says so.
    pub(crate) stage: RwSignal<Option<Stage>>,
    pub(crate) price: RwSignal<Pricing>,
    pub(crate) witness: RwSignal<Option<Shown>>,
    /// Two fixed addresses that collide, so that there is no plan.
    pub(crate) clash: RwSignal<Option<Clash>>,
}

impl Planning {
    pub(crate) fn new() -> Self {
        Self {
            pools: RwSignal::new(Vec::new()),
            effort: RwSignal::new(Effort::DEFAULT),
            stage: RwSignal::new(None),
            price: RwSignal::new(Pricing::default()),
            witness: RwSignal::new(None),
            clash: RwSignal::new(None),
        }
    }
}

impl Session {
    /// What plans must respect beside their lifetimes, as chosen now; follows it.
    pub(crate) fn options(self) -> Options {
        Options {
            alignment: self.settings.get().alignment,
            pools: self.planning.pools.get(),
            effort: self.planning.effort.get(),
        }
    }
}

/// Whether a strategy searches for as long as its effort lasts.
pub(crate) fn uses_effort(strategy: Strategy) -> bool {
    strategy.description().growth == Growth::Effort
}

/// Whether `column` is planned without being asked for, for so many buffers.
///
/// What takes little more time than there are buffers is planned for up to
/// [`ANY_UP_TO`] of them, what looks at pairs for [`SQUARE_UP_TO`], the flow for
/// [`CUBE_UP_TO`], searches for [`SEARCH_UP_TO`]. What is in view is planned in any case.
pub(crate) fn unasked(column: Column, buffers: usize) -> bool {
    let Column::Strategy(strategy) = column else {
        return true;
    };
    buffers <= most(strategy)
}

/// Whether the price of running in parallel is measured without being asked for.
pub(crate) fn priced_unasked(buffers: usize) -> bool {
    buffers <= PRICE_UP_TO
}

fn most(strategy: Strategy) -> usize {
    match strategy.description().growth {
        Growth::Linear => ANY_UP_TO,
        Growth::Square => SQUARE_UP_TO,
        Growth::Cube => CUBE_UP_TO,
        Growth::Attempts | Growth::Effort => SEARCH_UP_TO,
    }
}
