//! What a training step keeps for its backward pass.

use planner::generate::closed_forms::activations_16_bit;
use planner::generate::presets::{classic, gated};
use planner::generate::{AttentionForm, Execution, Mode};
use planner::graph::DType;
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

/// What a layer keeps, by the end of its names, in KiB.
fn kept_of_layer(attention: AttentionForm) -> Vec<(String, u64)> {
    let of = gated(3, 2560, (16, 16, 160), 10_240, 10_000);
    let execution = Execution {
        mode: Mode::Forward(2048),
        attention,
        batch: 4,
        weights: DType::F32,
        activations: DType::F32,
        ..Execution::default()
    };
    let recipe = Recipe {
        rule: Rule::Autograd,
        ..Recipe::default()
    };
    let step = stage::step(&sized(&of, &execution), 1, recipe).expect("a step");
    let own = step.saved.iter().filter_map(|it| {
        let name = it.name.strip_prefix("layers.1.")?;
        Some((name.to_owned(), it.bytes.0 >> 10))
    });
    own.collect()
}

/// A block of Stanford CS336's model `xl` (assignment 2 of spring 2026): 4 sequences of 2,048 tokens,
/// h = 2560, f = 10,240, 16 heads, RMSNorm, rotary positions, SwiGLU, 32 bits. The handout's, as
/// compiled, keeps 3651.31 MiB beside its parameters. Here attention is one softmax, which keeps its
/// result; the handout writes softmax out, and keeps the scores before it, too. Compiled, SwiGLU
/// computes one of its four values again. What is left, 3.25 MiB, are tables and sums that the
/// handout does not list.
#[test]
fn a_block_keeps_what_is_listed() {
    const X: u64 = 80 << 10;
    const F: u64 = 320 << 10;
    const SCORES: u64 = 1024 << 10;
    let expected = [
        ("attention.norm.norm.statistics", 32),
        ("attention.norm.norm", X),
        ("attention.query.by_head.copy", X),
        ("attention.key.by_head.copy", X),
        ("attention.probabilities", SCORES),
        ("attention.value.by_head.copy", X),
        ("attention.context.joined", X),
        ("attention.residual", X),
        ("feed_forward.norm.norm.statistics", 32),
        ("feed_forward.norm.norm", X),
        ("feed_forward.gate.product", F),
        ("feed_forward.activation", F),
        ("feed_forward.up.product", F),
        ("feed_forward.gated", F),
        ("feed_forward.residual", X),
    ];
    let found = kept_of_layer(AttentionForm::Written);
    let found: Vec<(&str, u64)> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
    assert_eq!(found, expected);
    let all: u64 = found.iter().map(|it| it.1).sum();
    let handout = 365_131 * 1024 / 100;
    let rest = (handout + F) - (all + SCORES);
    assert!(rest.abs_diff(3328) < 8, "{rest} KiB");
}

/// As one operator attention keeps what it reads and writes and a number for each query, in 32 bits
/// (Dao et al. 2022, section 3.1), and no scores.
#[test]
fn fused_attention_keeps_no_scores() {
    let found = kept_of_layer(AttentionForm::Fused);
    let of = |name: &str| {
        found
            .iter()
            .filter(|it| it.0.contains(name))
            .map(|it| it.1)
            .sum::<u64>()
    };
    assert_eq!(of("scores") + of("probabilities"), 0, "{found:?}");
    // 4 sequences, 16 heads, 2048 queries, 4 bytes.
    assert_eq!(of("attention.context.logsumexp"), 512, "{found:?}");
}
