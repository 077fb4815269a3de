//! What all ranks have together, of arbitrary transformers.

use planner::generate::presets::{gated, preset};
use planner::generate::{AttentionForm, Experts, Positions};
use planner::graph::{Op, Role, TensorId};
use planner::operators::Operator;
use planner::training::judge::judge;
use planner::training::policies::keep_all;
use tests::random::Random;

use super::consistent::faults;
use super::*;
use crate::generate::arbitrary;

/// A transformer, how it runs, and how it is divided.
fn drawn(random: &mut Random) -> (Graph, Sharding) {
    let of = arbitrary(random);
    let execution = Execution {
        mode: Mode::Forward(4 * (1 + random.below(6))),
        attention: match random.below(2) {
            0 => AttentionForm::Written,
            _ => AttentionForm::Fused,
        },
        batch: 1 + random.below(3),
        ..Execution::default()
    };
    let mut graph = graph(&of, &execution.fitted(&of)).expect("the figures go together");
    infer(&mut graph, &Bindings::new());
    let degree = |random: &mut Random| u32::try_from(1 + random.below(4)).expect("few");
    let sharding = Sharding {
        tensor: degree(random),
        sequence: random.below(2) == 0,
        context: degree(random).min(2),
        expert: degree(random),
        ..Sharding::ONE
    };
    (graph, sharding)
}

/// Whatever can be divided, and how often what cannot.
fn each(count: u64, mut look: impl FnMut(&Graph, Sharding, &Ranked)) {
    let mut random = Random::new(45);
    let mut divided = 0;
    for _ in 0..count {
        let (graph, sharding) = drawn(&mut random);
        if let Ok(rank) = rewritten(&graph, &sharding) {
            divided += 1;
            look(&graph, sharding, &rank);
        }
    }
    assert!(divided > count / 4, "{divided} of {count}");
}

#[test]
fn sizes_go_together() {
    each(600, |_, sharding, rank| {
        let faults = faults(&rank.graph);
        assert!(faults.is_empty(), "{sharding:?}: {faults:#?}");
    });
}

/// One device has the graph as it is, and the same step.
#[test]
fn one_device_has_everything() {
    let mut random = Random::new(1);
    for _ in 0..40 {
        let (graph, _) = drawn(&mut random);
        let one = Sharding {
            sequence: true,
            ..Sharding::ONE
        };
        assert!(rank(&graph, one).graph == graph);
        let alone = step(&graph, recipe(Sharding::ONE));
        let among = step(
            &graph,
            recipe(Sharding {
                micro: 2,
                ..Sharding::ONE
            }),
        );
        // Parts of the model are named where there are several ranks.
        let nodes = among.problem.nodes.into_iter();
        let told = |node| Node {
            part: 0,
            weights: 0,
            ..node
        };
        let nodes: Vec<Node> = nodes.map(told).collect();
        assert!(nodes == alone.problem.nodes);
        assert_eq!(among.saved, alone.saved);
        assert_eq!(among.fixed, alone.fixed);
    }
}

/// All ranks together have at least what one device has of each tensor.
#[test]
fn ranks_have_at_least_the_whole_together() {
    each(200, |graph, sharding, rank| {
        let devices = u64::from(sharding.tensor) * u64::from(sharding.context);
        let devices = devices * u64::from(sharding.expert);
        for (before, after) in graph.tensors.iter().zip(&rank.graph.tensors) {
            let (Some(whole), Some(own)) = (before.bytes(), after.bytes()) else {
                continue;
            };
            assert_eq!(before.name, after.name);
            assert!(
                own <= whole && own.0 * devices >= whole.0,
                "{} {sharding:?}",
                after.name
            );
        }
    });
}

/// The walk that keeps everything is one, and what is told is read by someone.
#[test]
fn what_is_told_is_read() {
    each(200, |graph, sharding, _| {
        let step = step(
            graph,
            recipe(Sharding {
                data: sharding.expert,
                ..sharding
            }),
        );
        let problem = &step.problem;
        assert_eq!(judge(problem, &keep_all(problem), None), Ok(()));
        let readers = problem.readers();
        for (node, readers) in problem.nodes.iter().zip(&readers) {
            let told = node.communicates.is_some() && node.bytes.0 > 0;
            let gradient = node.gradient_of.is_some();
            // The gradient of what the first weights make is read by their gradients alone, which
            // are no nodes.
            assert!(!told || gradient || !readers.is_empty(), "{}", node.name);
        }
    });
}

/// Weights of an operator: its name, and how many.
fn weights(graph: &Graph) -> Vec<(String, u64)> {
    let is = |id: &TensorId| {
        let tensor = graph.tensor(*id);
        tensor.role == Role::Constant && tensor.name.ends_with("weight")
            || tensor.name.ends_with("bias")
    };
    let mut all: Vec<TensorId> = graph.ops.iter().flat_map(Op::read).filter(is).collect();
    all.sort();
    all.dedup();
    let named = all.iter().map(|id| graph.tensor(*id));
    let count = |dims: &[u64]| dims.iter().product();
    named
        .map(|it| (it.name.clone(), count(it.dims.as_deref().expect("sizes"))))
        .collect()
}

/// Products and tables are divided, whatever is computed of whole tokens is not: normalisations, the
/// biases that are added to sums, the places.
#[test]
fn weights_are_divided_or_on_all() {
    for (t, sequence) in [(2, false), (4, false), (4, true), (8, true)] {
        let graph = sized(&classic(3, 64, 8, 96, 16), (16, 2));
        let rank = rank(&graph, tensor(t, sequence));
        let (before, after) = (weights(&graph), weights(&rank.graph));
        assert_eq!(before.len(), after.len());
        for ((name, whole), (_, own)) in before.iter().zip(&after) {
            let on_all = name.contains("norm.")
                || name.ends_with("output.bias")
                || name.ends_with("down.bias")
                || name == "embedding.positions.weight";
            let by = if on_all { 1 } else { t };
            assert_eq!(own * by, *whole, "{name}");
        }
    }
}

#[test]
fn experts_are_divided() {
    let of = Transformer {
        experts: Some(Experts {
            count: 8,
            active: 2,
            shared: 1,
            size: 32,
            ..Experts::default()
        }),
        positions: Positions::Learned(16),
        ..classic(2, 16, 4, 96, 16)
    };
    let graph = sized(&of, (16, 2));
    for e in [2, 8] {
        let sharding = Sharding {
            expert: e,
            ..Sharding::ONE
        };
        let rank = rank(&graph, sharding);
        for ((name, whole), (_, own)) in weights(&graph).iter().zip(weights(&rank.graph)) {
            let routed = ["feed_forward.up.weight", "feed_forward.down.weight"];
            let is = routed.iter().any(|end| name.ends_with(end)) && !name.contains("shared");
            let by = if is { u64::from(e) } else { 1 };
            assert_eq!(own * by, *whole, "{name}");
        }
        // There and back in each layer.
        let told = rank.graph.ops.iter().filter(|op| op.is(Operator::AllToAll));
        assert_eq!(told.count(), 2 * 2);
    }
    let uneven = Sharding {
        expert: 3,
        ..Sharding::ONE
    };
    let why = rewritten(&graph, &uneven).expect_err("8 experts");
    assert_eq!(
        why.to_string(),
        "8 experts cannot be divided evenly among 3 devices"
    );
}

fn why_not(graph: &Graph, sharding: Sharding) -> String {
    let why = rewritten(graph, &sharding).expect_err("it cannot be divided");
    why.to_string()
}

/// What cannot be divided is said.
#[test]
fn what_cannot_be_divided_is_said() {
    let graph = sized(&classic(1, 12, 4, 50, 6), (6, 1));
    let why = |sharding| why_not(&graph, sharding);
    let context = Sharding {
        context: 4,
        ..Sharding::ONE
    };
    assert_eq!(
        why(context),
        "6 tokens cannot be divided evenly among 4 devices"
    );
    assert_eq!(
        why(tensor(4, true)),
        "6 tokens cannot be divided evenly among 4 devices"
    );
    // One head of 7 elements, 28 elements inside: the logits alone could be.
    let odd = sized(&classic(1, 7, 1, 49, 6), (6, 1));
    assert_eq!(
        why_not(&odd, tensor(3, false)),
        "no product can be divided among 3 devices: choose a number that divides heads, and the size \
         between the products of a feed-forward part"
    );
    let image = preset("vit-base").expect("it is known");
    let execution = Execution::default().fitted(&image);
    let mut image = planner::generate::graph(&image, &execution).expect("it can run");
    infer(&mut image, &Bindings::new());
    assert_eq!(
        why_not(&image, tensor(2, true)),
        "the model reads no tokens that could be divided"
    );
}

/// Heads, and what is inside the feed-forward part, are divided; of a vocabulary that does not divide
/// evenly a device has the larger part.
#[test]
fn what_can_be_divided_is() {
    let graph = sized(&classic(1, 18, 3, 49, 6), (6, 1));
    let rank = rank(&graph, tensor(3, false)).graph;
    let dims = |name: &str| {
        let found = rank.tensors.iter().find(|it| it.name == name);
        found.and_then(|it| it.dims.clone()).expect("it has a size")
    };
    assert_eq!(dims("layers.0.attention.query.weight"), [18, 6]);
    assert_eq!(dims("layers.0.attention.output.weight"), [6, 18]);
    assert_eq!(dims("layers.0.feed_forward.up.weight"), [18, 24]);
    assert_eq!(dims("layers.0.feed_forward.up.bias"), [24]);
    assert_eq!(dims("layers.0.feed_forward.down.weight"), [24, 18]);
    assert_eq!(dims("layers.0.feed_forward.down.bias"), [18]);
    assert_eq!(dims("embedding.weight"), [17, 18]);
    assert_eq!(dims("head.tied"), [6, 17]);
}

/// Where there are fewer heads of keys than devices, each has all of them, and some of the queries of
/// each.
#[test]
fn shared_keys_are_on_all() {
    let graph = sized(&gated(1, 16, (8, 2, 4), 32, 48), (6, 1));
    let rank = rank(&graph, tensor(4, false)).graph;
    let dims = |name: &str| {
        let found = rank.tensors.iter().find(|it| it.name == name);
        found.and_then(|it| it.dims.clone()).expect("it has a size")
    };
    assert_eq!(dims("layers.0.attention.query.weight"), [16, 8]);
    assert_eq!(dims("layers.0.attention.key.weight"), [16, 8]);
    assert_eq!(dims("layers.0.attention.scores"), [1, 2, 1, 6, 6]);
    assert_eq!(dims("layers.0.attention.output.weight"), [8, 16]);
}
