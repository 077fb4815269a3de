//! What is asked for against what is counted elsewhere: the bytes that stay, and the most that a
//! schedule's values take at once.

use planner::Step;
use planner::graph::Graph;
use planner::schedule::Phase;
use planner::training::cost::needs;
use planner::training::estimate::requests::requests;
use planner::training::estimate::{Act, Asked, Purpose, Requests, scheduled};
use planner::training::{Gist, Move, Optimizer, Policy, Precision, Rates, Recipe, Rule};
use tests::networks;

use super::{asked, graph, schedule};
use crate::training::autograd::NOTHING;

fn models() -> Vec<Graph> {
    let text = [
        &include_bytes!("../../../data/training/autograd/cnn.graph")[..],
        include_bytes!("../../../data/training/autograd/mlp.graph"),
        include_bytes!("../../../data/training/autograd/transformer.graph"),
        include_bytes!("../../../data/training/autograd/activations.graph"),
    ];
    let mut all: Vec<Graph> = text.iter().map(|it| graph(it, &[])).collect();
    all.push(graph(&networks::mobilenet_v2(), &[]));
    all.push(graph(&networks::densenet(), &[]));
    let bindings = [("batch", 2), ("sequence_length", 64)];
    all.push(graph(&networks::transformer(), &bindings));
    all
}

/// Every rule with every optimizer, in both precisions, gradients kept and set to none, some
/// layers frozen.
fn recipes() -> Vec<Recipe> {
    let mut all = Vec::new();
    for rule in Rule::ALL {
        for (optimizer, precision) in
            Optimizer::ALL
                .into_iter()
                .zip([Precision::Full, Precision::Mixed, Precision::Mixed])
        {
            for set_to_none in [false, true] {
                for frozen in [0, 2] {
                    all.push(Recipe {
                        rule,
                        optimizer,
                        precision,
                        frozen,
                        set_to_none,
                        ..Recipe::default()
                    });
                }
            }
        }
    }
    all
}

fn sum(requests: &Requests, purpose: Purpose) -> u64 {
    let own = requests.list.iter().filter(|it| it.purpose == purpose);
    own.map(|it| it.bytes.0).sum()
}

#[test]
fn weight_by_weight_is_what_is_fixed() {
    for graph in models() {
        for recipe in recipes() {
            let asked = Asked {
                steps: 1,
                ..asked(Policy::KeepAll, recipe)
            };
            let scheduled = schedule(&graph, &asked);
            let found = requests(&scheduled, &asked);
            let case = format!("{} {recipe:?}", graph.name);
            let fixed = scheduled.step.fixed;
            assert_eq!(sum(&found, Purpose::Weights), fixed.weights, "{case}");
            assert_eq!(sum(&found, Purpose::Master), fixed.master, "{case}");
            assert_eq!(sum(&found, Purpose::Optimizer), fixed.optimizer, "{case}");
            // Where they are values they are not fixed.
            let number = recipe.precision.bytes();
            let trained = scheduled.weights.iter().filter(|it| it.trained);
            let trained: u64 = trained.map(|it| it.elements * number).sum();
            let gradients = sum(&found, Purpose::WeightGradients);
            assert_eq!(gradients, trained, "{case}");
            let stay = !recipe.set_to_none || recipe.rule == Rule::Checkmate;
            assert_eq!(fixed.gradients, if stay { trained } else { 0 }, "{case}");
        }
    }
}

/// The most bytes that requests take at once for which `counts` says so, before they are rounded.
fn most(requests: &Requests, counts: impl Fn(&str, Purpose) -> bool) -> u64 {
    let (mut now, mut most) = (0, 0);
    for event in &requests.events {
        let request = &requests.list[event.request as usize];
        if !counts(&request.name, request.purpose) {
            continue;
        }
        match event.act {
            Act::Allocate => now += request.bytes.0,
            Act::Free => now -= request.bytes.0,
        }
        most = most.max(now);
    }
    most
}

/// As lifetimes the same is there after each event.
#[test]
fn lifetimes_are_what_is_asked_for() {
    for graph in models() {
        for recipe in recipes().into_iter().step_by(5) {
            let asked = asked(Policy::SqrtN, recipe);
            let scheduled = schedule(&graph, &asked);
            let found = requests(&scheduled, &asked);
            let lifetimes = found.lifetimes();
            assert_eq!(lifetimes.buffers.len(), found.list.len());
            let mut now = 0_i128;
            let mut change = vec![0_i128; found.events.len() + 1];
            let at = |step: Step| usize::try_from(step.0).unwrap();
            for buffer in &lifetimes.buffers {
                change[at(buffer.span.start)] += i128::from(buffer.size.0);
                change[at(buffer.span.end)] -= i128::from(buffer.size.0);
            }
            // Two steps, of each the forward and the backward pass.
            let begins = lifetimes.phases.iter().map(|it| at(*it));
            let begins: Vec<_> = begins
                .map(|at| (found.events[at].step, found.events[at].phase))
                .collect();
            let passes = [1, 2]
                .map(|step| [Phase::Forward, Phase::Backward].map(|phase| (step, Some(phase))));
            assert_eq!(begins, passes.concat(), "{} {recipe:?}", graph.name);
            let mut held = 0;
            for (event, change) in found.events.iter().zip(change) {
                let bytes = i128::from(found.list[event.request as usize].bytes.0);
                match event.act {
                    Act::Allocate => held += bytes,
                    Act::Free => held -= bytes,
                }
                now += change;
                assert_eq!(now, held, "{} {recipe:?}", graph.name);
            }
        }
    }
}

/// What the policies' own count of a schedule says of its values.
#[test]
fn values_take_what_the_schedule_needs() {
    for graph in models() {
        for recipe in recipes() {
            for policy in [Policy::KeepAll, Policy::SqrtN] {
                let asked = Asked {
                    steps: 1,
                    ..asked(policy, recipe)
                };
                let scheduled = schedule(&graph, &asked);
                let found = requests(&scheduled, &asked);
                let values = recipe.set_to_none && recipe.rule != Rule::Checkmate;
                let most = most(&found, |name, purpose| match purpose {
                    Purpose::Outputs | Purpose::Gradients => true,
                    Purpose::Ephemeral => !name.ends_with(" rooted"),
                    Purpose::WeightGradients => values,
                    _ => false,
                });
                let needs = needs(&scheduled.step.problem, &scheduled.walk);
                let case = format!("{} {recipe:?} {policy:?}", graph.name);
                assert_eq!(most, needs.peak.0, "{case}");
            }
        }
    }
}

/// What is packed is there in two forms at times, and what is swapped is away.
#[test]
fn packed_and_swapped_values_take_what_the_schedule_needs() {
    let rates = Some(Rates {
        flops: 10_000_000_000_000,
        link: 16_000_000_000,
    });
    let packed = Gist {
        signs: true,
        bits: Some(16),
        ..NOTHING
    };
    let (mut swapped, mut fewer) = (0, 0);
    for graph in models() {
        for rule in [Rule::Checkmate, Rule::Autograd] {
            for gist in [NOTHING, packed] {
                for policy in [Policy::KeepAll, Policy::VdnnAll] {
                    let recipe = Recipe {
                        rule,
                        gist,
                        rates,
                        ..Recipe::default()
                    };
                    let asked = Asked {
                        steps: 1,
                        ..asked(policy, recipe)
                    };
                    let Ok(scheduled) = scheduled(&graph, asked.training, &mut |_, _| true) else {
                        continue;
                    };
                    let found = requests(&scheduled, &asked);
                    let values = [Purpose::Outputs, Purpose::Gradients, Purpose::Ephemeral];
                    let most = most(&found, |_, purpose| values.contains(&purpose));
                    let needs = needs(&scheduled.step.problem, &scheduled.walk);
                    let case = format!("{} {recipe:?} {policy:?}", graph.name);
                    assert_eq!(most, needs.peak.0, "{case}");
                    let gone = scheduled.walk.iter();
                    let gone = gone.filter(|it| matches!(it, Move::SwapOut(_)));
                    swapped += usize::from(gone.count() > 0);
                    fewer += usize::from(gist.is_on());
                    // Whatever is packed or swapped, each weight has its gradient.
                    let gradients = sum(&found, Purpose::WeightGradients);
                    assert_eq!(gradients, scheduled.step.fixed.gradients, "{case}");
                }
            }
        }
    }
    assert!(swapped > 0 && fewer > 0, "{swapped} {fewer}");
}
