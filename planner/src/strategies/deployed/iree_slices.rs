//! Offsets as IREE's LayoutSlices gives them. Source: IREE, LayoutSlices, packStaticSlicesGreedily.
//!
//! The slices in the order of the program, which is the buffers' order, each into its closest
//! fit by LiteRT's measure. Nothing is sorted by size.

use super::rounded::rounded;
use super::walk::place_all;
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "iree_slices",
    source: "IREE, LayoutSlices",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Square,
    capabilities: Capabilities::WHOLE,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Places the buffers in their own order. The option's alignment is both IREE's offset and
/// its range alignment: sizes are rounded up to it.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = rounded(lifetimes, options)?;
    let order: Vec<usize> = (0..records.len()).collect();
    place_all(
        Strategy::IreeSlices,
        lifetimes,
        (&records, &order),
        Fit::BestRemembered,
        options,
        observer,
    )
}
