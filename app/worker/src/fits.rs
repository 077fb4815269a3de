//! The cheapest way to make a training step fit into devices.

use planner::passes;
use planner::training::advisor::{Advice, Variant, Wanted, advise};
use planner::training::estimate::NoEstimate;
use planner::training::stage;
use planner::{PassSet, Settings};

use crate::asks::AskContext;
use crate::training::Kept;

/// The model as it is prepared, and in an order that needs less memory, are looked at.
pub(crate) fn cheapest(
    at: &AskContext<'_>,
    kept: &Kept,
    wanted: &Wanted,
) -> Result<Box<Advice>, NoEstimate> {
    let order = passes::parse(passes::ORDER).unwrap_or_default();
    let mut of = kept.of.clone();
    of.settings = Settings {
        passes: of.settings.passes.union(order),
        ..of.settings
    };
    let other = of.prepared(&kept.document).ok();
    let other = other.and_then(|it| it.program).map(stage::operators);
    let mut variants = vec![Variant {
        passes: PassSet::NONE,
        graph: &kept.graph,
    }];
    variants.extend(other.as_ref().map(|graph| Variant {
        passes: order,
        graph,
    }));
    advise(&variants, wanted, &mut at.telling()).map(Box::new)
}
