//! Bytes that layers keep, by the formulas of Korthikanti et al. 2022, "Reducing Activation
//! Recomputation in Large Transformer Models": s tokens, b sequences, h elements, a heads, t devices.
//! Means and deviations of normalisations, 4 bytes each of a token, are not in them.

use planner::graph::{Attribute, DType, Op, Role, Tensor, TensorId};
use planner::operators::Operator;
use planner::training::judge::judge;
use planner::training::matrices::{least_runs, walk, with_checkpoints};

use super::*;

const SIZES: [(Sizes, &[u64]); 4] = [
    (
        Sizes {
            s: 16,
            b: 1,
            h: 8,
            a: 4,
        },
        &[1, 2, 4],
    ),
    (
        Sizes {
            s: 32,
            b: 3,
            h: 24,
            a: 4,
        },
        &[2, 4],
    ),
    (
        Sizes {
            s: 128,
            b: 2,
            h: 64,
            a: 8,
        },
        &[2, 8],
    ),
    (
        Sizes {
            s: 9,
            b: 5,
            h: 12,
            a: 3,
        },
        &[3],
    ),
];

/// Every model with every number of devices, tokens whole and divided.
fn all() -> impl Iterator<Item = (Sizes, u64, bool)> {
    let all = SIZES.into_iter();
    all.flat_map(|(of, degrees)| {
        let degrees = degrees.iter().copied();
        degrees.flat_map(move |t| [false, true].map(|sequence| (of, t, sequence)))
    })
}

fn graph_of(of: Sizes, layers: u64, vocabulary: u64) -> Graph {
    let Sizes { s, b, h, a } = of;
    sized(&classic(layers, h, a, vocabulary, s), (s, b))
}

fn step_of(of: Sizes, layers: u64, sharding: Sharding) -> Step {
    step(&graph_of(of, layers, 64), recipe(sharding))
}

/// Bytes of all that the backward pass reads of the forward pass.
fn saved(step: &Step) -> u64 {
    assert!(step.unknown.is_empty(), "{:?}", step.unknown);
    let own = step.saved.iter().filter(|it| !it.input);
    own.map(|it| it.bytes.0).sum()
}

/// Means and deviations of a layer's two normalisations.
fn statistics(of: Sizes, sequence: u64) -> u64 {
    2 * 2 * 4 * of.s * of.b / sequence
}

/// sbh(10 + 24/t + 5as/(ht)), and sbh/t · (34 + 5as/h) where tokens are divided.
fn formula(Sizes { s, b, h, a }: Sizes, t: u64, sequence: bool) -> u64 {
    let scores = 5 * a * s * s * b / t;
    match sequence {
        false => 10 * s * b * h + 24 * s * b * h / t + scores,
        true => 34 * s * b * h / t + scores,
    }
}

#[test]
fn a_layer_keeps_what_the_formula_says() {
    for (of, t, sequence) in all() {
        let sharding = tensor(t, sequence);
        let kept = |layers| saved(&step_of(of, layers, sharding));
        let own = kept(4) - kept(3) - statistics(of, if sequence { t } else { 1 });
        assert_eq!(own, formula(of, t, sequence), "{of:?} {t} {sequence}");
    }
}

/// The bytes that are there when the loss runs where these nodes are kept, as the judge has found.
fn there_at_the_loss(step: &Step, checkpoints: &[usize]) -> u64 {
    let problem = &step.problem;
    let kept = with_checkpoints(problem, checkpoints);
    let made = walk(problem, &least_runs(problem, &kept), &kept);
    assert_eq!(judge(problem, &made, None), Ok(()));
    let loss = problem.forward();
    let there = (0..loss).filter(|node| kept.get(loss, *node) && kept.get(loss + 1, *node));
    there.map(|node| problem.nodes[node].bytes.0).sum()
}

/// Whether it grows with the square of the tokens.
fn is_square(name: &str) -> bool {
    let square = [
        "probabilities",
        "probabilities.dropout",
        "probabilities.dropout.mask",
    ];
    square.iter().any(|end| name.ends_with(end))
}

/// All but what grows with s²: sbh(10 + 24/t), and 34sbh/t (section 5).
#[test]
fn selective_recomputation_keeps_all_but_the_scores() {
    for (of, t, sequence) in all() {
        let Sizes { s, b, h, .. } = of;
        let kept = |layers: u64| {
            let step = step_of(of, layers, tensor(t, sequence));
            let saved = step
                .saved
                .iter()
                .filter(|it| !it.input && !is_square(&it.name));
            let names: Vec<&str> = saved.map(|it| it.name.as_str()).collect();
            let nodes = step.problem.nodes[..step.problem.forward()]
                .iter()
                .enumerate();
            let own = nodes.filter(|(_, it)| names.contains(&it.name.as_str()));
            there_at_the_loss(&step, &own.map(|(index, _)| index).collect::<Vec<_>>())
        };
        let own = kept(4) - kept(3) - statistics(of, if sequence { t } else { 1 });
        let expected = match sequence {
            false => 10 * s * b * h + 24 * s * b * h / t,
            true => 34 * s * b * h / t,
        };
        assert_eq!(own, expected, "{of:?} {t} {sequence}");
    }
}

/// What each layer reads: 2sbh, and 2sbh/t where tokens are divided (section 5).
#[test]
fn full_recomputation_keeps_the_inputs_of_layers() {
    for (of, t, sequence) in all() {
        let kept = |layers: u64| {
            let step = step_of(of, layers, tensor(t, sequence));
            let nodes = &step.problem.nodes[..step.problem.forward()];
            let ends = (0..layers).map(|layer| {
                let begin = format!("layers.{layer}.");
                let last = nodes.iter().rposition(|it| it.name.starts_with(&begin));
                last.expect("a layer has nodes")
            });
            there_at_the_loss(&step, &ends.collect::<Vec<_>>())
        };
        let by = if sequence { t } else { 1 };
        assert_eq!(
            kept(4) - kept(3),
            2 * of.s * of.b * of.h / by,
            "{of:?} {t} {sequence}"
        );
    }
}

/// The models of the paper, table 3: elements, heads, and twice the MiB that a layer keeps of 2048
/// tokens among 8 devices: undivided, products divided, tokens too; of both the same with selective
/// recomputation.
const MODELS: [(u64, u64, [u64; 5]); 4] = [
    (6144, 64, [3376, 632, 422, 312, 102]),
    (12_288, 96, [5472, 1104, 684, 624, 204]),
    (20_480, 128, [7840, 1680, 980, 1040, 340]),
    (25_600, 160, [9800, 2100, 1225, 1300, 425]),
];

#[test]
fn the_models_of_the_paper_keep_what_it_says() {
    for (h, a, [none, products, tokens, selective, both]) in MODELS {
        let of = Sizes {
            s: 2048,
            b: 1,
            h,
            a,
        };
        for (t, sequence, all, without) in [
            (1, false, none, None),
            (8, false, products, Some(selective)),
            (8, true, tokens, Some(both)),
        ] {
            let steps = [2, 1].map(|layers| step_of(of, layers, tensor(t, sequence)));
            let by = if sequence { t } else { 1 };
            let own = saved(&steps[0]) - saved(&steps[1]) - statistics(of, by);
            assert_eq!(2 * own, all << 20, "{h} {t} {sequence}");
            let square = |step: &Step| {
                let own = step.saved.iter().filter(|it| is_square(&it.name));
                own.map(|it| it.bytes.0).sum::<u64>()
            };
            let rest = own - (square(&steps[0]) - square(&steps[1]));
            if let Some(without) = without {
                assert_eq!(2 * rest, without << 20, "{h} {t} {sequence}");
            }
        }
    }
}

/// The graph with its logits in 32 bits, which the loss reads.
fn with_wide_logits(mut graph: Graph) -> Graph {
    let logits = graph.outputs[0];
    graph.tensors[logits.index()].role = Role::Intermediate;
    let wide = TensorId::at(graph.tensors.len());
    graph.tensors.push(Tensor {
        dims: graph.tensor(logits).dims.clone(),
        role: Role::Output,
        ..Tensor::new("logits.wide", DType::F32)
    });
    graph.ops.push(Op {
        name: "logits.wide".to_owned(),
        inputs: vec![Some(logits)],
        outputs: vec![Some(wide)],
        attributes: vec![("to".to_owned(), Attribute::Int(1))],
        ..Op::of(graph.dialect, Operator::Cast)
    });
    graph.outputs = vec![wide];
    graph
}

/// What is around the layers (section 4.3): the dropout of the embedding, sbh, and the last
/// normalisation, the product and the logits in 32 bits, 4sbh(1 + v/h); all of it by t where tokens
/// are divided, of the last three the logits alone where they are not.
#[test]
fn the_ends_keep_what_the_formula_says() {
    const V: u64 = 96;
    for (of, t, sequence) in all().filter(|(_, t, _)| V.is_multiple_of(*t)) {
        let Sizes { s, b, h, .. } = of;
        let by = if sequence { t } else { 1 };
        let graph = with_wide_logits(graph_of(of, 1, V));
        let step = step(&graph, recipe(tensor(t, sequence)));
        let ends = saved(&step) - formula(of, t, sequence) - statistics(of, by);
        let last = 2 * 4 * s * b / by;
        let expected = s * b * h / by + 4 * s * b * h / by + 4 * s * b * V / t;
        assert_eq!(ends - last, expected, "{of:?} {t} {sequence}");
    }
}

/// Attention that gathers keys and values keeps its own tokens of everything: all by c.
#[test]
fn what_is_kept_is_divided_with_the_sequence() {
    for (of, c) in [
        (SIZES[0].0, 2),
        (SIZES[1].0, 4),
        (SIZES[2].0, 8),
        (SIZES[3].0, 3),
    ] {
        let sharding = Sharding {
            context: u32::try_from(c).expect("few"),
            ..Sharding::ONE
        };
        let step = |layers| step_of(of, layers, sharding);
        let own = saved(&step(4)) - saved(&step(3)) - statistics(of, c);
        assert_eq!(own, formula(of, 1, false) / c, "{of:?} {c}");
        // Keys and values of all tokens are there while they are used, in both passes.
        let nodes = step(1).problem.nodes;
        let gathered = nodes.iter().filter(|it| it.name.ends_with(".gathered"));
        let gathered: Vec<u64> = gathered.map(|it| it.bytes.0).collect();
        assert_eq!(gathered, [2 * of.s * of.b * of.h; 2]);
        let again = nodes
            .iter()
            .filter(|it| it.name.ends_with(".gathered again"));
        assert_eq!(again.map(|it| it.bytes.0).collect::<Vec<u64>>(), gathered);
    }
}
