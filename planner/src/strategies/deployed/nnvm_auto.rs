//! Storage tokens with the best of five match ranges. Source: MXNet/nnvm, `PlanMemory` with
//! `NNVM_AUTO_SEARCH_MATCH_RANGE`.

use core::ops::ControlFlow;

use super::nnvm_tokens::{Match, assign};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::{Event, Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "nnvm_auto",
    source: "MXNet/nnvm, automatic match range",
    family: Family::Deployed,
    model: Model::Objects,
    cost: "5 × nnvm_tokens",
    growth: Growth::Linear,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::OBJECTS
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// The ranges tried, in this order.
const RANGES: [u64; 5] = [1, 2, 4, 8, 16];

/// Tries every range; the smallest sum of token sizes wins, the first on ties. The observer
/// receives progress while the ranges are tried, then the decisions of the winner.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut muted = Muted {
        total: (RANGES.len() * lifetimes.buffers.len()) as u64,
        done: 0,
        observer,
    };
    let mut best: Option<(u128, u64)> = None;
    for range in RANGES {
        let tried = tokens(lifetimes, options, &mut muted, range)?;
        let sizes = tried.objects.iter().flat_map(|objects| &objects.sizes);
        let sum = sizes.map(|size| u128::from(size.0)).sum();
        if best.is_none_or(|(least, _)| sum < least) {
            best = Some((sum, range));
        }
    }
    let range = best.map_or(RANGES[0], |(_, range)| range);
    tokens(lifetimes, options, observer, range)
}

fn tokens(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
    range: u64,
) -> Result<Plan, PlanError> {
    let how = Match {
        range,
        colored: false,
    };
    assign(Strategy::NnvmAuto, lifetimes, (options, how), observer)
}

/// Passes decisions on as progress, since it is not yet known which of them will count.
struct Muted<'a> {
    observer: &'a mut dyn Observer,
    done: u64,
    total: u64,
}

impl Observer for Muted<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.done += u64::from(matches!(event, Event::Assigned { .. }));
        let (done, total) = (self.done, self.total);
        self.observer.observe(Event::Progress { done, total })
    }
}
