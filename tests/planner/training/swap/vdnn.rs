//! vDNN's layers on arbitrary steps.

use planner::operators::Operator;
use planner::training::Policy;
use planner::training::swap::Direction;
use tests::random::Random;

use super::{any_link, arbitrary, run};

/// A layer of the forward pass takes as long as computing it or copying what it sends: inputs that
/// no later layer reads, and some gradient or the loss does.
#[test]
fn a_layer_takes_the_longer_of_computing_and_copying() {
    let mut random = Random::new(50);
    let mut longer = 0;
    for _ in 0..200 {
        let link = any_link(&mut random);
        let problem = arbitrary(&mut random, 9, link);
        let forward = problem.forward();
        for policy in [Policy::VdnnAll, Policy::VdnnConv] {
            let played = run(policy, &problem, None).expect("a run");
            let convolution = |node: &usize| problem.nodes[*node].operator == Operator::Conv;
            for layer in 0..forward {
                let sent = problem.nodes[layer].reads.iter().filter(|value| {
                    let readers = |it: &usize| problem.nodes[*it].reads.contains(value);
                    let mut layers = (0..forward).filter(readers);
                    let mut later = (forward..problem.nodes.len()).filter(readers);
                    let sends =
                        policy == Policy::VdnnAll || layers.clone().any(|it| convolution(&it));
                    layers.next_back() == Some(layer) && later.next().is_some() && sends
                });
                let copies = sent.map(|value| link.out.time(problem.nodes[*value].bytes));
                let copies: u64 = copies.map(|time| time.expect("a time")).sum();
                let expected = problem.nodes[layer].cost.max(copies);
                let start = |at: usize| played.run.ran[at].start;
                // What the layer after waits for at its own start is none of this layer.
                let next = played.run.ran[layer + 1];
                let waits = next.stall.arrival + next.stall.room;
                assert_eq!(start(layer + 1) - waits - start(layer), expected);
                longer += usize::from(copies > problem.nodes[layer].cost);
            }
            // In the backward pass a copy back ends with the node with which it starts.
            let nodes = played.run.ran.windows(2).skip(forward);
            for pair in nodes {
                let back = played.run.transfers.iter().filter(|it| {
                    let within = pair[0].start <= it.start && it.start < pair[1].start;
                    it.direction == Direction::Back && within
                });
                let ends = back.map(|it| it.end).max().unwrap_or(0);
                assert!(pair[1].start >= ends);
            }
        }
    }
    assert!(longer > 200, "{longer}");
}
