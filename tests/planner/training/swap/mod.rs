//! Swapping: runs over two lanes against figures worked by hand, judged on arbitrary steps.

mod brute_force;
mod capuchin;
mod exact;
mod judged;
mod lesson;
mod links;
mod megengine;
mod poet;
mod vdnn;

use planner::Bytes;
use planner::operators::Operator;
use planner::schedule::Phase;
use planner::training::policies::swap::played;
use planner::training::swap::{Played, judge};
use planner::training::{Lane, Link, Node, Policy, Problem};
use tests::random::Random;

const MIB: u64 = 1 << 20;

/// The policies that swap.
pub(super) const SWAPS: [Policy; 4] = [
    Policy::VdnnAll,
    Policy::VdnnConv,
    Policy::Capuchin,
    Policy::MegengineSwap,
];

/// Five layers, a1…a5 of 250, 500, 500, 100 and 50 MiB: f1…f5 take 10, 10, 2, 10, 10 ms, b5…b1
/// 20, 20, 4, 20, 20 ms. b(i) reads a(i) and a(i − 1). The link moves 25 MiB in a ms.
pub(super) fn lesson() -> Problem {
    let sizes = [250, 500, 500, 100, 50];
    let forward = [10, 10, 2, 10, 10];
    let backward = [20, 20, 4, 20, 20];
    let mut nodes = Vec::new();
    for layer in 0..5_usize {
        nodes.push(Node {
            name: format!("a{}", layer + 1),
            phase: Phase::Forward,
            reads: layer.checked_sub(1).into_iter().collect(),
            bytes: Bytes(sizes[layer] * MIB),
            cost: forward[layer],
            gradient_of: None,
            ..Node::default()
        });
    }
    for (at, cost) in backward.into_iter().enumerate() {
        let layer = 4 - at;
        let before = (at > 0).then(|| 5 + at - 1);
        let reads = layer.checked_sub(1).into_iter().chain([layer]);
        nodes.push(Node {
            name: format!("b{}", layer + 1),
            phase: Phase::Backward,
            reads: reads.chain(before).collect(),
            bytes: Bytes(0),
            cost,
            gradient_of: Some(layer),
            ..Node::default()
        });
    }
    let link = Link::both(Lane {
        bytes: 25 * MIB,
        cost: 1,
        latency: 0,
    });
    problem(nodes, link)
}

pub(super) fn problem(nodes: Vec<Node>, link: Link) -> Problem {
    let problem = Problem {
        nodes,
        link: Some(link),
        ..Problem::default()
    };
    problem.checked().expect("a problem")
}

/// A chain of up to so many layers, some of which read one more: half of the nodes and the loss
/// are of the forward pass. Gradients are smaller, so that values between are what counts.
pub(super) fn arbitrary(random: &mut Random, most: usize, link: Link) -> Problem {
    let layers = 2 + random.index(most - 1);
    let mut nodes: Vec<Node> = Vec::new();
    for layer in 0..layers {
        let mut reads: Vec<usize> = layer.checked_sub(1).into_iter().collect();
        if layer > 1 && random.index(3) == 0 {
            reads.insert(0, random.index(layer - 1));
        }
        nodes.push(Node {
            name: format!("f{layer}"),
            phase: Phase::Forward,
            reads,
            bytes: Bytes(1 + random.below(6)),
            cost: 1 + random.below(5),
            gradient_of: None,
            ..Node::default()
        });
    }
    nodes.push(Node {
        name: "loss".to_owned(),
        phase: Phase::Loss,
        reads: vec![layers - 1],
        bytes: Bytes(1),
        cost: 0,
        gradient_of: None,
        ..Node::default()
    });
    for layer in (0..layers).rev() {
        let mut reads: Vec<usize> = Vec::new();
        if random.index(4) > 0 {
            reads.push(layer);
        }
        for read in nodes[layer].reads.clone() {
            if random.index(4) > 0 {
                reads.push(read);
            }
        }
        reads.push(nodes.len() - 1);
        reads.sort_unstable();
        reads.dedup();
        nodes.push(Node {
            name: format!("b{layer}"),
            phase: Phase::Backward,
            reads,
            bytes: Bytes(random.below(3)),
            cost: 1 + random.below(8),
            gradient_of: Some(layer),
            ..Node::default()
        });
    }
    for node in &mut nodes[..layers] {
        if random.index(2) == 0 {
            node.operator = Operator::Conv;
        }
    }
    problem(nodes, link)
}

/// Links from one that is much slower than computing to one that is much faster.
pub(super) fn any_link(random: &mut Random) -> Link {
    let mut lane = || Lane {
        bytes: 1 + random.below(3),
        cost: random.below(7),
        latency: random.below(2),
    };
    Link {
        out: lane(),
        back: lane(),
        power: None,
    }
}

/// What a policy does, judged twice: the walk, and its times.
pub(super) fn run(policy: Policy, problem: &Problem, budget: Option<u64>) -> Option<Played> {
    let budget = budget.map(Bytes);
    let played = played(policy, problem, budget, &mut |_, _| true).ok()?;
    let judged = judge(problem, &played.walk, &played.run, budget);
    assert_eq!(
        judged,
        Ok(()),
        "{policy:?} {budget:?}\n{problem:?}\n{played:?}"
    );
    Some(played)
}

pub(super) fn name(problem: &Problem, node: usize) -> &str {
    &problem.nodes[node].name
}
