//! What a training step takes before it runs.

mod by_hand;
mod devices;
mod errors;
mod generated;
mod profiles;
mod sums;

use planner::graph::{Bindings, Graph};
use planner::load::{Document, load};
use planner::passes;
use planner::training::estimate::{Allocator, Asked, Scheduled, scheduled};
use planner::training::stage::operators;
use planner::training::{Policy, Recipe, choice};
use planner::{AllocatorSettings, Settings, prepare};

/// A sized graph of the bytes of a file.
fn graph(bytes: &[u8], bindings: &[(&str, u64)]) -> Graph {
    let (_, document, _) = load(&bytes.to_vec()).expect("a model");
    let bindings = bindings
        .iter()
        .map(|(name, size)| ((*name).to_owned(), *size));
    let bindings: Bindings = bindings.collect();
    let settings = passes::order_alone(&Settings::default());
    let subject = prepare(&document, &bindings, &settings).expect("sizes");
    assert!(matches!(document, Document::Model(_)));
    operators(subject.program.expect("a model"))
}

/// Two steps of one sample, by the allocator as it is configured by default.
fn asked(policy: Policy, recipe: Recipe) -> Asked {
    Asked {
        training: choice::of(policy, 1, None, recipe),
        steps: 2,
        workspace: None,
        context: None,
        by: Allocator::Caching(AllocatorSettings::DEFAULT),
    }
}

fn schedule(graph: &Graph, asked: &Asked) -> Scheduled {
    scheduled(graph, asked.training, &mut |_, _| true).expect("a schedule")
}
