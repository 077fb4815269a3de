//! Autograd's rule against PyTorch itself: the bytes that `saved_tensors_hooks` has seen
//! (`tests/data/training/autograd`), and measured anew where `python3` has torch.

use std::process::Command;

use planner::graph::Bindings;
use planner::load::load;
use planner::training::backward::Step;
use planner::training::cost::needs;
use planner::training::judge::judge;
use planner::training::matrices::{least_runs, walk, with_checkpoints};
use planner::training::policies::NoWalk;
use planner::training::{Gist, Optimizer, Policy, Precision, Recipe, Rule, Sharding, stage};
use planner::{Bytes, Settings, prepare};
use serde_json::Value;
use tests::skipped::skip;

const NETWORKS: [(&str, &str); 4] = [
    (
        "cnn",
        include_str!("../../data/training/autograd/cnn.graph"),
    ),
    (
        "mlp",
        include_str!("../../data/training/autograd/mlp.graph"),
    ),
    (
        "transformer",
        include_str!("../../data/training/autograd/transformer.graph"),
    ),
    (
        "activations",
        include_str!("../../data/training/autograd/activations.graph"),
    ),
];
const MEASURED: &str = include_str!("../../data/training/autograd/measured.json");

/// Nothing is packed.
pub(crate) const NOTHING: Gist = Gist {
    signs: false,
    sparse: None,
    bits: None,
    zeros: 500,
    measured: false,
};

pub(crate) const AUTOGRAD: Recipe = Recipe {
    rule: Rule::Autograd,
    optimizer: Optimizer::None,
    precision: Precision::Full,
    frozen: 0,
    in_place: false,
    set_to_none: false,
    decomposed: false,
    gist: NOTHING,
    rates: None,
    sharding: Sharding::ONE,
};

const IN_PLACE: Recipe = Recipe {
    in_place: true,
    ..AUTOGRAD
};

pub(super) fn step(network: &str, recipe: Recipe) -> Step {
    let found = NETWORKS.iter().find(|(name, _)| *name == network);
    let (_, text) = found.expect("a network");
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    stage::step(subject.graph().expect("a model"), 1, recipe).expect("a step")
}

/// Bytes, ascending; the mean and the deviation apart, as PyTorch has them.
fn apart(sizes: impl Iterator<Item = (String, u64)>) -> Vec<u64> {
    let mut found = Vec::new();
    for (name, bytes) in sizes {
        match name.ends_with(".statistics") {
            true => found.extend([bytes / 2, bytes / 2]),
            false => found.push(bytes),
        }
    }
    found.sort_unstable();
    found
}

/// What is there when the loss runs and these nodes are checkpoints.
fn kept(step: &Step, checkpoints: &[usize]) -> Vec<u64> {
    let problem = &step.problem;
    let kept = with_checkpoints(problem, checkpoints);
    let made = walk(problem, &least_runs(problem, &kept), &kept);
    assert_eq!(judge(problem, &made, None), Ok(()));
    let loss = problem.forward();
    let there = (0..loss).filter(|node| kept.get(loss, *node) && kept.get(loss + 1, *node));
    let node = |node: usize| {
        let own = &problem.nodes[node];
        (own.name.clone(), own.bytes.0)
    };
    apart(there.map(node))
}

fn sizes(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("sizes");
    list.iter().map(|it| it.as_u64().expect("bytes")).collect()
}

/// What is saved beside the model's inputs.
fn saved(network: &str, recipe: Recipe) -> Vec<u64> {
    let step = step(network, recipe);
    assert_eq!(step.unknown, Vec::<String>::new());
    let own = step.saved.iter().filter(|it| !it.input);
    apart(own.map(|it| (it.name.clone(), it.bytes.0)))
}

fn compare(measured: &Value) {
    for (name, _) in NETWORKS {
        let expected = sizes(&measured["saved"][name]);
        assert_eq!(saved(name, AUTOGRAD), expected, "{name}");
    }
    let expected = sizes(&measured["in_place"]);
    assert_eq!(saved("activations", IN_PLACE), expected);
    let mlp = step("mlp", AUTOGRAD);
    let last = mlp.problem.forward() - 1;
    for (chunks, expected) in measured["segments"].as_object().expect("segments") {
        let chunks: usize = chunks.parse().expect("a number");
        let size = 6 / chunks;
        let ends = (1..chunks).map(|chunk| chunk * size - 1);
        let checkpoints: Vec<usize> = ends.chain((chunks - 1) * size..=last).collect();
        assert_eq!(kept(&mlp, &checkpoints), sizes(expected), "{chunks} chunks");
    }
    let step = step("transformer", AUTOGRAD);
    let last = step.problem.forward() - 1;
    // Each block ends with the sum that the gradient of the next one's first operator reads.
    let ends = step.saved.iter().filter(|it| it.name == "Add_22");
    assert_eq!(ends.count(), 1);
    let middle = step.problem.nodes.iter().position(|it| it.name == "Add_22");
    let checkpoints = [middle.expect("the first block"), last];
    assert_eq!(kept(&step, &checkpoints), sizes(&measured["blocks"]));
}

#[test]
fn autograd_saves_what_pytorch_has_saved() {
    compare(&serde_json::from_str(MEASURED).expect("JSON"));
}

#[test]
fn autograd_saves_what_pytorch_saves() {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/training/autograd/measure.py"
    );
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = ["-c", "import torch"];
    let there = Command::new(&python).args(probe).output();
    if !there.is_ok_and(|it| it.status.success()) {
        skip("python3 has no torch: compared with recorded figures only");
        return;
    }
    let made = Command::new(&python).arg(script).output().expect("it runs");
    assert!(made.status.success());
    compare(&serde_json::from_slice(&made.stdout).expect("JSON"));
}

/// 16 bytes for each parameter with Adam in mixed precision: 2 + 2 + 4 + 4 + 4 (Rajbhandari et
/// al., "ZeRO", SC 2020, section 3.1). In full precision 4 + 4, and 8 more with Adam.
#[test]
fn what_is_fixed_follows_from_the_recipe() {
    // 48·24 + 48 + 48·48 + 48 + 40·48 + 40.
    let parameters = 5_512;
    let fixed = |recipe| step("mlp", recipe).fixed.sum().expect("few");
    let mixed = Recipe {
        optimizer: Optimizer::Adam,
        precision: Precision::Mixed,
        ..AUTOGRAD
    };
    assert_eq!(fixed(AUTOGRAD), 8 * parameters);
    assert_eq!(fixed(mixed), 16 * parameters);
    let momentum = Recipe {
        optimizer: Optimizer::Momentum,
        ..AUTOGRAD
    };
    assert_eq!(fixed(momentum), 12 * parameters);
    // By both rules the same parameters are trained.
    let checkmate = Recipe {
        rule: Rule::Checkmate,
        ..mixed
    };
    assert_eq!(fixed(checkmate), 16 * parameters);
    let frozen = Recipe { frozen: 2, ..mixed };
    // Of the first two layers (48·24 + 48 + 48·48 + 48) the 2 bytes that are read stay.
    assert_eq!(fixed(frozen), 2 * 3_552 + 16 * 1_960);
}

#[test]
fn what_is_frozen_saves_nothing_and_has_no_gradient() {
    for rule in Rule::ALL {
        let free = step("mlp", Recipe { rule, ..AUTOGRAD });
        let frozen = Recipe {
            rule,
            frozen: 2,
            ..AUTOGRAD
        };
        let frozen = step("mlp", frozen);
        let gradients = |step: &Step| {
            let nodes = step.problem.nodes.iter();
            nodes.filter(|node| node.gradient_of.is_some()).count()
        };
        // Two products and two activations come before the last product.
        assert_eq!(gradients(&free), 6, "{rule:?}");
        assert_eq!(gradients(&frozen), 2, "{rule:?}");
    }
    let all = Recipe {
        frozen: 9,
        ..AUTOGRAD
    };
    let all = step("mlp", all);
    assert_eq!(all.saved, Vec::new());
    let free = Policy::KeepAll.run(&all.problem, None, &mut |_, _| true);
    // `no_grad`: the product that is under way and its input, 48 numbers of 32 samples each.
    assert_eq!(free.needs.peak, Bytes(2 * 6_144));
}

#[test]
fn halves_take_half() {
    let full = step("mlp", AUTOGRAD);
    let mixed = Recipe {
        precision: Precision::Mixed,
        ..AUTOGRAD
    };
    let mixed = step("mlp", mixed);
    for (one, other) in full.problem.nodes.iter().zip(&mixed.problem.nodes) {
        let is_loss = one.name == "loss";
        assert_eq!(one.bytes.0, other.bytes.0 * if is_loss { 1 } else { 2 });
    }
    let peak = |step: &Step| {
        let all = planner::training::policies::keep_all(&step.problem);
        needs(&step.problem, &all).peak.0
    };
    assert!(peak(&mixed) < peak(&full));
}

#[test]
fn every_policy_has_walks_by_autograds_rule() {
    let names = NETWORKS.iter().map(|(name, _)| (*name, AUTOGRAD));
    for (name, recipe) in names.chain([("activations", IN_PLACE)]) {
        let problem = step(name, recipe).problem;
        let all = Policy::KeepAll.run(&problem, None, &mut |_, _| true).needs;
        assert_eq!(all.cost, problem.base_cost());
        let minimum = problem.minimum().0.0;
        for budget in [minimum, minimum.midpoint(all.peak.0), all.peak.0] {
            for policy in Policy::ALL {
                let found = policy.glance(&problem, Some(Bytes(budget)));
                // Each is a chain of more than two segments.
                assert_ne!(found.why, Some(NoWalk::NotAChain), "{name}: {policy:?}");
                if let Some(walk) = &found.walk {
                    let verdict = judge(&problem, walk, Some(Bytes(budget)));
                    assert_eq!(verdict, Ok(()), "{name}: {policy:?}");
                }
            }
        }
    }
}

#[test]
fn recipes_are_text() {
    for rule in Rule::ALL {
        for optimizer in Optimizer::ALL {
            for precision in Precision::ALL {
                for (frozen, in_place, set_to_none) in
                    [(0, false, false), (7, true, false), (0, false, true)]
                {
                    let recipe = Recipe {
                        rule,
                        optimizer,
                        precision,
                        frozen,
                        in_place,
                        set_to_none,
                        decomposed: false,
                        ..AUTOGRAD
                    };
                    assert_eq!(Recipe::parse(&recipe.text()), Some(recipe));
                }
            }
        }
    }
    assert_eq!(Recipe::parse("autograd+sgd"), None);
    assert_eq!(Recipe::parse("frozen=-1"), None);
}
