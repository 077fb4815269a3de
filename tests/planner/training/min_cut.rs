//! What torch.compile's partitioner saves: PyTorch's own answers for arbitrary small networks
//! (`tests/data/min_cut.py`), and its first lecture example by hand.

use planner::Bytes;
use planner::training::joint::partition::{Partitioner, Solver};
use planner::training::joint::{Class, JointGraph, JointNode};

const NETWORKS: &str = include_str!("../../data/min_cut.txt");

/// An answer of PyTorch: solver, budget and the nodes that are saved.
type Answer = (Solver, f64, Vec<usize>);

fn numbers(text: &str) -> Vec<usize> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().expect("a place")).collect()
}

fn node(line: &str) -> JointNode {
    let (line, listed) = line.split_once('|').unwrap_or((line, ""));
    let mut words = line.splitn(5, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (class, name) = (word(), word().to_owned());
    let [bytes, runtime] = [word(), word()].map(|it| it.parse().expect("a number"));
    let operands = numbers(word());
    JointNode {
        operator: name.clone(),
        name,
        class: match class.chars().next() {
            Some('P') => Class::Input,
            Some('W') => Class::Parameter,
            Some('T') => Class::Tangent,
            Some('v') => Class::View,
            Some('r') => Class::Recomputable,
            Some('n') => Class::Random,
            Some('i') => Class::ComputeIntensive,
            Some('c') => Class::Concatenation,
            Some('g') => Class::Item,
            _ => Class::Other,
        },
        bytes: Bytes(bytes),
        several: class.contains('*'),
        of_input: class.contains('='),
        runtime,
        operands,
        listed: numbers(listed),
    }
}

/// A network's name, its joint graph and what PyTorch saves of it.
fn networks() -> Vec<(String, JointGraph, Vec<Answer>)> {
    let mut networks: Vec<(String, JointGraph, Vec<Answer>)> = Vec::new();
    for line in NETWORKS.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "network" {
            networks.push((rest.to_owned(), JointGraph::default(), Vec::new()));
            continue;
        }
        let (_, graph, answers) = networks.last_mut().expect("a network comes first");
        let solver = match word {
            "forward" => {
                graph.forward = numbers(rest);
                continue;
            }
            "backward" => {
                graph.backward = numbers(rest);
                continue;
            }
            "saved" => Solver::Dp,
            "greedy" => Solver::Greedy,
            _ => {
                graph.nodes.push(node(line));
                continue;
            }
        };
        let (budget, saved) = rest.split_once(':').expect("a budget and nodes");
        answers.push((solver, budget.parse().expect("a budget"), numbers(saved)));
    }
    networks
}

#[test]
fn what_is_saved_of_arbitrary_networks_is_what_pytorch_saves() {
    let networks = networks();
    assert_eq!(networks.len(), 301);
    let mut wrong = Vec::new();
    let mut answers_differ = 0;
    for (name, graph, answers) in &networks {
        let partitioner = Partitioner::new(graph).expect("PyTorch cuts it");
        let mut by_budget: Vec<Vec<usize>> = Vec::new();
        for (solver, budget, expected) in answers {
            let saved = partitioner.saved(*budget, *solver).expect("a cut");
            if saved != *expected {
                wrong.push(format!(
                    "{name} {solver:?} {budget}: {saved:?}, not {expected:?}"
                ));
            }
            by_budget.push(saved);
        }
        by_budget.dedup();
        answers_differ += usize::from(by_budget.len() > 3);
    }
    assert!(
        wrong.is_empty(),
        "{} of them:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // The budget matters in many of them: the vectors are not all the same cut.
    assert!(answers_differ > 100, "{answers_differ}");
}

/// x·rsqrt(mean(x²) + ε)·w for x of 4 × 512 × 2560 numbers of 4 bytes: the handout of CS336 (2026)
/// names what is saved when it is compiled.
#[test]
fn of_a_compiled_rms_norm_three_tensors_are_saved() {
    let networks = networks();
    let (name, graph, _) = &networks[0];
    assert_eq!(name, "rms_norm");
    let partitioner = Partitioner::new(graph).expect("PyTorch cuts it");
    let saved = partitioner.saved(1.0, Solver::Dp).expect("a cut");
    let saved: Vec<(&str, u64)> = saved
        .iter()
        .map(|node| &graph.nodes[*node])
        .map(|node| (node.name.as_str(), node.bytes.0))
        .collect();
    let x = 4 * 512 * 2560 * 4;
    let (weight, scale) = (2560 * 4, 4 * 512 * 4);
    assert_eq!(
        saved,
        [("primals", x), ("primals", weight), ("rsqrt", scale)]
    );
}
