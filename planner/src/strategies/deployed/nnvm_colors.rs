//! Storage tokens shared only within a colour. Source: MXNet/nnvm, `PlanMemory` with more
//! than one colour in `NNVM_EXEC_NUM_TEMP` (Chen et al. 2015, arXiv 1512.01274).
//!
//! A token is taken only when the step that released it and the step that requests it have
//! one colour, that is, lie on one path through the model (`Lifetimes::colors`). So most
//! operators that may run at the same time get no memory in common. Most, not all: the other
//! readers of a token need not lie on the path, and the last colour holds all that is left.
//! MXNet's engine orders such operators by the memory that they touch; spans widened for
//! parallel runs need no such engine. A problem without colours is planned as with one.

use super::nnvm_tokens::{Match, assign};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "nnvm_colors",
    source: "MXNet/nnvm, tokens shared within a colour (Chen et al. 2015)",
    family: Family::Deployed,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::OBJECTS
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Tokens with a match range of 16 within each colour.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let how = Match {
        range: 16,
        colored: true,
    };
    assign(Strategy::NnvmColors, lifetimes, (options, how), observer)
}
