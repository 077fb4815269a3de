//! Training steps that are divided among devices.

mod closed_forms;
mod fsdp;
mod pipeline;
mod replicas;
mod tensors;

use planner::generate::presets::classic;
use planner::generate::{Execution, Mode, Transformer, graph};
use planner::graph::{Bindings, Graph, infer};
use planner::training::backward::Step;
use planner::training::policies::keep_all;
use planner::training::sharding::expanded;
use planner::training::{Move, Node, Problem, Walk, stage};
use planner::{Recipe, Rule, Sharding};

/// The graph, with sizes, of `b` sequences of `s` tokens.
fn sized(of: &Transformer, (s, b): (u64, u64)) -> Graph {
    let execution = Execution {
        mode: Mode::Forward(s),
        batch: b,
        ..Execution::default()
    };
    let mut graph = graph(of, &execution).expect("the figures go together");
    infer(&mut graph, &Bindings::new());
    graph
}

fn recipe(sharding: Sharding) -> Recipe {
    Recipe {
        rule: Rule::Autograd,
        sharding,
        ..Recipe::default()
    }
}

/// The step of a rank.
fn step(graph: &Graph, recipe: Recipe) -> Step {
    stage::step(graph, 1, recipe).expect("a step")
}

/// All that a rank runs, with everything kept.
fn kept(step: &Step) -> (Problem, Walk) {
    let walk = keep_all(&step.problem);
    let all = expanded(&step.problem, &walk).expect("it is divided");
    (all.problem, all.walk)
}

/// The bytes of nodes of the forward pass that are there before the first of the backward pass runs,
/// as far as `counts` says.
fn before_backward((problem, walk): &(Problem, Walk), counts: impl Fn(&Node) -> bool) -> u64 {
    use planner::schedule::Phase;
    let is_backward =
        |node: usize| matches!(problem.nodes[node].phase, Phase::Loss | Phase::Backward);
    let mut there = vec![false; problem.nodes.len()];
    for step in walk {
        match *step {
            Move::Compute(node) if is_backward(node) => break,
            Move::Compute(node) => there[node] = true,
            Move::Forget(node) => there[node] = false,
            Move::SwapIn(_) | Move::SwapOut(_) => unreachable!("nothing is swapped"),
        }
    }
    let nodes = problem.nodes.iter().zip(there);
    let there = nodes.filter(|(node, there)| *there && counts(node));
    there.map(|(node, _)| node.bytes.0).sum()
}

/// A sharding comes back from its words and from a message as it was.
#[test]
fn shardings_are_read_as_they_are_written() {
    let mut random = tests::random::Random::new(7);
    for _ in 0..200 {
        let mut number = |most: u64| u32::try_from(1 + random.below(most)).expect("small");
        let sharding = Sharding {
            data: number(9),
            zero: u8::try_from(number(3)).expect("small"),
            tensor: number(9),
            sequence: number(2) == 1,
            context: number(9),
            expert: number(9),
            pipeline: number(9),
            chunks: number(9),
            micro: number(99),
            stage: number(9),
            prefetch: u8::try_from(number(9)).expect("small"),
            bucket: number(99),
            keeps: number(2) == 1,
            offload: number(2) == 1,
            wide_gradients: number(2) == 1,
        };
        let of = recipe(sharding);
        assert_eq!(Recipe::parse(&of.text()), Some(of));
        let told = serde_json::to_string(&of).expect("JSON");
        assert_eq!(serde_json::from_str::<Recipe>(&told).expect("a recipe"), of);
    }
}
