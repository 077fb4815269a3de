//! What a training step keeps for its backward pass.

use planner::generate::closed_forms::activations_16_bit;
use planner::generate::presets::classic;
use planner::generate::{Execution, Mode};
use planner::training::backward::Step;
use planner::training::judge::judge;
use planner::training::matrices::{least_runs, walk, with_checkpoints};
use planner::training::stage;
use planner::{Recipe, Rule};

use super::sized;

/// sbh(34 + 5as/h) of each layer, without the means and deviations of its normalisations, which
/// PyTorch keeps in 32 bits: of each of the two 2 · 4 bytes a token (Korthikanti et al. 2022,
/// equation 1).
#[test]
fn a_layer_keeps_what_its_formula_says() {
    for (s, b, h, a) in [
        (16, 1, 8, 2),
        (32, 3, 24, 4),
        (128, 2, 64, 8),
        (7, 5, 12, 3),
    ] {
        let kept = |layers| {
            let of = classic(layers, h, a, 50, s);
            let execution = Execution {
                mode: Mode::Forward(s),
                batch: b,
                ..Execution::default()
            };
            let graph = sized(&of, &execution);
            let recipe = Recipe {
                rule: Rule::Autograd,
                ..Recipe::default()
            };
            let step = stage::step(&graph, 1, recipe).expect("a step");
            assert!(step.unknown.is_empty(), "{:?}", step.unknown);
            let own = step.saved.iter().filter(|it| !it.input);
            let names: Vec<_> = own
                .clone()
                .filter(|it| it.name.contains("layers.1."))
                .map(|it| (it.name.clone(), it.bytes.0))
                .collect();
            (own.map(|it| u128::from(it.bytes.0)).sum::<u128>(), names)
        };
        let (three, names) = kept(3);
        let each = three - kept(2).0;
        let statistics = u128::from(2 * 2 * 4 * s * b);
        assert_eq!(
            each - statistics,
            activations_16_bit((s, b, h, a)),
            "{names:#?}"
        );
    }
}

/// The training step of so many layers.
fn step((s, b, h, a): (u64, u64, u64, u64), layers: u64) -> Step {
    let of = classic(layers, h, a, 50, s);
    let execution = Execution {
        mode: Mode::Forward(s),
        batch: b,
        ..Execution::default()
    };
    let recipe = Recipe {
        rule: Rule::Autograd,
        ..Recipe::default()
    };
    stage::step(&sized(&of, &execution), 1, recipe).expect("a step")
}

/// The bytes that are there when the loss runs where these nodes of the forward pass are kept, and
/// what lies between them is computed once more; the judge has found that everything is there when
/// it is read.
fn there_at_the_loss(step: &Step, checkpoints: &[usize]) -> u64 {
    let problem = &step.problem;
    let kept = with_checkpoints(problem, checkpoints);
    let made = walk(problem, &least_runs(problem, &kept), &kept);
    assert_eq!(judge(problem, &made, None), Ok(()));
    let loss = problem.forward();
    let there = (0..loss).filter(|node| kept.get(loss, *node) && kept.get(loss + 1, *node));
    there.map(|node| problem.nodes[node].bytes.0).sum()
}

const LAYERS: [(u64, u64, u64, u64); 3] = [(32, 3, 24, 4), (128, 2, 64, 8), (7, 5, 12, 3)];

/// Full recomputation keeps what each layer reads: 2sbh (section 5).
#[test]
fn full_recomputation_keeps_the_inputs_of_layers() {
    for sizes @ (s, b, h, _) in LAYERS {
        let kept = |layers: u64| {
            let step = step(sizes, layers);
            let nodes = &step.problem.nodes[..step.problem.forward()];
            let ends = (0..layers).map(|layer| {
                let begin = format!("layers.{layer}.");
                let last = nodes.iter().rposition(|it| it.name.starts_with(&begin));
                last.expect("a layer has nodes")
            });
            there_at_the_loss(&step, &ends.collect::<Vec<_>>())
        };
        assert_eq!(kept(4) - kept(3), 2 * s * b * h, "{sizes:?}");
    }
}

/// Selective recomputation keeps all but the scores, what softmax and dropout make of them, and the
/// mask, whatever grows with s²: 34sbh (section 5), beside the statistics of two normalisations.
#[test]
fn selective_recomputation_keeps_all_but_what_grows_with_the_square() {
    for sizes @ (s, b, h, a) in LAYERS {
        let kept = |layers: u64| {
            let step = step(sizes, layers);
            let square = a * s * s * b;
            let saved = step.saved.iter().filter(|it| !it.input);
            let saved = saved.filter(|it| it.bytes.0 != square && it.bytes.0 != 2 * square);
            let names: Vec<&str> = saved.map(|it| it.name.as_str()).collect();
            let nodes = step.problem.nodes[..step.problem.forward()]
                .iter()
                .enumerate();
            let own = nodes.filter(|(_, it)| names.contains(&it.name.as_str()));
            there_at_the_loss(&step, &own.map(|(index, _)| index).collect::<Vec<_>>())
        };
        let statistics = 2 * 2 * 4 * s * b;
        assert_eq!(kept(4) - kept(3), 34 * s * b * h + statistics, "{sizes:?}");
    }
}
