//! Policies against runs of Checkmate's own code and of a MILP solver on its formulation
//! (`tests/data/training/cm_*.json`: bytes and floating point operations), and its published
//! maximal batch sizes of VGG19.

use planner::Bytes;
use planner::training::cost::needs;
use planner::training::judge::judge;
use planner::training::layers::{self, Layer, Layers};
use planner::training::policies::Found;
use planner::training::{Policy, Problem};
use serde_json::Value;

const FILES: [&str; 3] = [
    include_str!("../../data/training/cm_linear8.json"),
    include_str!("../../data/training/cm_linear16.json"),
    include_str!("../../data/training/cm_vgg16_b256.json"),
];

pub(super) fn all() -> impl Iterator<Item = (Value, Problem)> {
    FILES.into_iter().map(|text| {
        let layers = layers::read(text).expect("layers");
        let problem = layers.problem(layers.batch).expect("a problem");
        (serde_json::from_str(text).expect("JSON"), problem)
    })
}

pub(super) fn run(policy: Policy, problem: &Problem, budget: Option<u64>) -> Found {
    let found = policy.run(problem, budget.map(Bytes), &mut |_, _| true);
    if let Some(walk) = &found.walk {
        assert_eq!(judge(problem, walk, budget.map(Bytes)), Ok(()));
        assert_eq!(needs(problem, walk), found.needs);
    }
    found
}

pub(super) fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().expect("rows")
}

pub(super) fn whole(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

#[test]
fn the_problems_are_checkmates() {
    for (file, problem) in all() {
        assert_eq!(problem.nodes.len() as u64, whole(&file["T"]));
        let edges: usize = problem.nodes.iter().map(|node| node.reads.len()).sum();
        assert_eq!(edges as u64, whole(&file["edges"]));
        assert_eq!(problem.base_cost(), whole(&file["base_cpu"]));
        assert_eq!(problem.fixed.0, whole(&file["cost_ram_fixed"]));
        assert_eq!(problem.minimum().0.0, whole(&file["working_set_bound"]));
    }
}

#[test]
fn heuristics_need_what_checkmates_own_need() {
    for (file, problem) in all() {
        let base = problem.base_cost() as f64;
        let baselines = &file["baselines"];
        for (name, policy) in [
            ("CHECKPOINT_ALL", Policy::KeepAll),
            ("CHEN_SQRTN", Policy::SqrtN),
        ] {
            let row = &baselines[name][0];
            let found = run(policy, &problem, None);
            assert_eq!(found.needs.peak.0, whole(&row["activation_ram"]), "{name}");
            let overhead = found.needs.cost as f64 / base;
            assert!((overhead - row["overhead"].as_f64().expect("a number")).abs() < 1e-9);
        }
        // Each of the greedy's own walks is found under a budget that just admits it.
        for (name, policy) in [
            ("CHEN_GREEDY", Policy::ChenGreedy),
            ("CHEN_GREEDY_NOAP", Policy::ChenGreedyAll),
        ] {
            for row in rows(&baselines[name]) {
                let budget = whole(&row["activation_ram"]);
                let found = run(policy, &problem, Some(budget));
                let least = rows(&baselines[name])
                    .iter()
                    .filter(|row| whole(&row["activation_ram"]) <= budget)
                    .map(|row| row["overhead"].as_f64().expect("a number"))
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    (found.needs.cost as f64 / base - least).abs() < 1e-9,
                    "{name} {budget}"
                );
            }
        }
    }
}

#[test]
fn the_exact_search_finds_the_solvers_optima_of_chains() {
    for (file, problem) in all().take(2) {
        for row in rows(&file["ilp"]) {
            let budget = whole(&row["budget"]);
            let found = run(Policy::Exact, &problem, Some(budget));
            let solved = whole(&row["cpu"]);
            // The solver gave up on these two, at gaps of 7 and 11 %: what it had is no optimum.
            match problem.nodes.len() == 33 && budget < 8 {
                true => assert!(found.needs.cost <= solved, "{} {budget}", problem.name),
                false => assert_eq!(found.needs.cost, solved, "{} {budget}", problem.name),
            }
            assert!(found.optimal);
        }
    }
}

/// Layers of VGG19 for images of 224 × 224 (Simonyan and Zisserman 2015, table 1, column E):
/// convolutions of 3 × 3 with bias, max pools of 2 × 2, three dense layers.
pub(super) fn vgg19() -> Layers {
    let mut list: Vec<Layer> = Vec::new();
    let mut push = |name: String, flops: u64, elements: u64, parameters: u64| {
        let inputs = list.len().checked_sub(1).into_iter().collect();
        list.push(Layer {
            name,
            inputs,
            flops,
            bytes: 4 * elements,
            parameters,
        });
    };
    let (mut side, mut channels) = (224, 3);
    for (block, (convolutions, out)) in [(2, 64), (2, 128), (4, 256), (4, 512), (4, 512)]
        .into_iter()
        .enumerate()
    {
        for index in 0..convolutions {
            let elements = side * side * out;
            let name = format!("block{}_conv{}", block + 1, index + 1);
            push(
                name,
                9 * channels * elements,
                elements,
                9 * channels * out + out,
            );
            channels = out;
        }
        side /= 2;
        push(format!("block{}_pool", block + 1), 0, side * side * out, 0);
    }
    let mut features = side * side * channels;
    push("flatten".to_owned(), 0, features, 0);
    for (index, out) in [4096, 4096, 1000].into_iter().enumerate() {
        push(
            format!("fc{}", index + 1),
            features * out,
            out,
            features * out + out,
        );
        features = out;
    }
    Layers {
        name: "VGG19".to_owned(),
        batch: 1,
        list,
    }
}

/// The device of Checkmate's figure 6. Its baselines count fixed bytes twice: they take part in
/// the peak, and the peak is compared with what is left beside them.
const DEVICE: u64 = 16_000_000_000;

#[test]
fn vgg19_fits_the_published_batches() {
    let layers = vgg19();
    let parameters: u64 = layers.list.iter().map(|layer| layer.parameters).sum();
    assert_eq!(parameters, 143_667_240);
    let problem = |batch| layers.problem(batch).expect("a problem");
    let fixed = problem(1).fixed.0;
    assert_eq!(fixed, 1_149_337_920);
    let peak = |policy, batch| {
        let problem = problem(batch);
        let found = run(policy, &problem, Some(DEVICE - 2 * fixed));
        found.walk.map(|_| found.needs.peak.0 + fixed)
    };
    for (policy, batch, with_fixed) in [
        (Policy::KeepAll, 167, 14_797_128_352),
        (Policy::SqrtN, 197, 14_830_511_968),
        (Policy::ChenGreedy, 266, 14_816_477_504),
    ] {
        assert_eq!(peak(policy, batch), Some(with_fixed), "{policy:?}");
        assert_eq!(peak(policy, batch + 1), None, "{policy:?}");
    }
    // Checkmate's own schedule counts them once, and no batch of 290 can fit: the gradient of the
    // first layer alone needs more.
    let budget = Bytes(DEVICE - fixed);
    assert!(problem(289).minimum().0 <= budget);
    let (minimum, node) = problem(290).minimum();
    assert!(minimum > budget);
    assert_eq!(
        node.map(|node| problem(290).nodes[node].name.clone())
            .as_deref(),
        Some("block1_conv1.grad")
    );
}
