//! PyTorch's policies: what chunks of a chain compute again, in closed form, and a knapsack
//! whose best choice can be told by hand.

use std::collections::BTreeSet;

use planner::Bytes;
use planner::training::layers::{Layer, Layers};
use planner::training::{Policy, Problem};

fn chain(figures: &[(u64, u64)]) -> Problem {
    let layer = |(index, (bytes, flops)): (usize, &(u64, u64))| Layer {
        name: format!("l{index}"),
        inputs: index.checked_sub(1).into_iter().collect(),
        flops: *flops,
        bytes: *bytes,
        parameters: 0,
    };
    let layers = Layers {
        name: "chain".to_owned(),
        batch: 1,
        list: figures.iter().enumerate().map(layer).collect(),
    };
    layers.problem(1).expect("a problem")
}

/// `checkpoint_sequential(modules, segments)` has `segments - 1` chunks of `modules / segments`
/// modules, of which it keeps the output, and computes the others once more.
#[test]
fn chunks_compute_again_all_but_their_outputs() {
    for count in [4_u64, 9, 12, 30] {
        let problem = chain(&vec![(1, 1); usize::try_from(count).expect("few")]);
        let all = Policy::KeepAll
            .run(&problem, None, &mut |_, _| true)
            .needs
            .peak;
        let costs = |budget| {
            let found = Policy::TorchSegments.run(&problem, Some(Bytes(budget)), &mut |_, _| true);
            found.walk.map(|_| found.needs.cost - problem.base_cost())
        };
        let found: BTreeSet<u64> = (problem.minimum().0.0..=all.0).filter_map(costs).collect();
        let told: BTreeSet<u64> = (1..=count).map(|it| (count / it - 1) * (it - 1)).collect();
        assert!(found.is_subset(&told), "{found:?} {told:?}");
        assert!(found.contains(&0) && found.len() > 1, "{found:?}");
    }
}

/// Twelve layers of a hundred bytes and one FLOP, among which four cost a thousand: whatever is
/// dropped, it is not these, as long as they fit.
#[test]
fn the_knapsack_keeps_what_costs_most() {
    let figures: Vec<(u64, u64)> = (0..12)
        .map(|layer| (100, if layer % 3 == 1 { 1000 } else { 1 }))
        .collect();
    let problem = chain(&figures);
    let base = problem.base_cost();
    let mut overheads = BTreeSet::new();
    for budget in (problem.minimum().0.0..1600).step_by(20) {
        let found = Policy::Knapsack.run(&problem, Some(Bytes(budget)), &mut |_, _| true);
        if found.walk.is_some() {
            overheads.insert(found.needs.cost - base);
        }
    }
    // Eight that cost one each can be computed again, more than once, before one of a thousand.
    let cheap = overheads.iter().filter(|more| **more > 0 && **more < 1000);
    assert!(cheap.count() > 0, "{overheads:?}");
    assert!(overheads.contains(&0));
}
