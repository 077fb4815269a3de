//! What PyTorch's users are told to do: what each piece of advice comes to, reckoned by hand.

use planner::Bytes;
use planner::graph::Bindings;
use planner::load::load;
use planner::schedule::Phase;
use planner::training::judge::judge;
use planner::training::stage::operators;
use planner::training::switches::{Hint, Measure, Switch, switches};
use planner::training::{Policy, Recipe, stage};
use planner::{PassSet, Settings, passes, prepare};

use super::autograd::{AUTOGRAD, step};

/// A product, an activation and a second product. Sizes are those of one sample: x and a, h, y.
const CHAIN: &str = "\
graph chain onnx 17
input x: f32[2, 4]
const w: f32[4, 8]
const v: f32[8, 2]
a = MatMul(x, w)
h = Relu(a)
y = MatMul(h, v)
output y
";

const SET_TO_NONE: Recipe = Recipe {
    set_to_none: true,
    ..AUTOGRAD
};

fn found(text: &str, recipe: Recipe) -> Vec<Switch> {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    switches(subject.graph().expect("a model"), 1, recipe).expect("a step")
}

fn one(all: &[Switch], name: &str) -> (Measure, u64, u64) {
    let it = all.iter().find(|it| it.hint.name() == name).expect(name);
    (it.measure, it.without.0, it.with.0)
}

/// By hand: x is the caller's. a and h take 64 bytes, y 16, the loss 4. Weights take 128 and 64,
/// their gradients as much again: 384 are fixed.
#[test]
fn figures_follow_from_sizes() {
    let all = found(CHAIN, AUTOGRAD);
    let fixed = 2 * (128 + 64);
    // Backward of the activation: h, its gradient and that of a are there.
    let peak = fixed + 3 * 64;
    // In place a and h are one: nothing is gained, because a was not saved.
    assert_eq!(one(&all, "in_place"), (Measure::Peak, peak, peak));
    // Of the weights' gradients only that of v is there at that time, and at the end both.
    let gone = fixed - 192 + (64 + 3 * 64);
    assert_eq!(one(&all, "set_to_none"), (Measure::Peak, peak, gone));
    // Weights and gradients in 2 bytes, with a copy of the weights in 4: again 8 a parameter.
    assert_eq!(one(&all, "mixed").2, 48 * 8 + 3 * 32);
    // Only v is trained, so that w has no gradient and h is all that is saved. At most a and h.
    let frozen = 128 + 2 * 64 + 2 * 64;
    assert_eq!(one(&all, "frozen"), (Measure::Peak, peak, frozen));
    assert_eq!(all[3].hint, Hint::Frozen(1));
    // y and the loss stay to the end.
    assert_eq!(one(&all, "deleted"), (Measure::Peak, peak + 20, peak));
    // Evaluated, a and h are there at once, and h stays while y is made.
    let (measure, saving, not) = one(&all, "no_grad");
    assert_eq!(
        (measure, saving, not),
        (Measure::ForwardPeak, fixed + 128, fixed + 128)
    );
    // One segment for small tensors is 2 MiB.
    assert_eq!(
        one(&all, "empty_cache"),
        (Measure::ReservedAfter, fixed + (2 << 20), fixed)
    );
}

/// Saved values that no later operator needs are what `no_grad` gives back.
#[test]
fn an_evaluation_saves_nothing() {
    let long = "\
graph long onnx 17
input x: f32[2, 8]
const w: f32[8, 8]
a = MatMul(x, w)
b = Sigmoid(a)
c = Sigmoid(b)
d = Sigmoid(c)
output d
";
    let all = found(long, AUTOGRAD);
    let (_, saving, not) = one(&all, "no_grad");
    // b, c and d are saved, and a is gone once b is there; without, two at a time.
    let fixed = 2 * 4 * 64;
    assert_eq!((saving, not), (fixed + 3 * 64, fixed + 2 * 64));
}

#[test]
fn what_is_on_is_said_and_can_be_turned_off() {
    let on = Recipe {
        in_place: true,
        frozen: 1,
        ..SET_TO_NONE
    };
    let all = found(CHAIN, on);
    let states: Vec<(&str, bool)> = all.iter().map(|it| (it.hint.name(), it.on)).collect();
    let expected = [
        ("in_place", true),
        ("set_to_none", true),
        ("mixed", false),
        ("frozen", true),
        ("checkpoints", false),
        ("deleted", false),
        ("no_grad", false),
        ("empty_cache", false),
    ];
    assert_eq!(states, expected);
    let without = Hint::InPlace.chosen(on, false).expect("a recipe");
    assert_eq!(
        without,
        Recipe {
            in_place: false,
            ..on
        }
    );
}

/// Checkpoints never need more than keeping everything, and the figure is one of their walks'.
#[test]
fn checkpoints_need_what_their_smallest_walk_needs() {
    for name in ["mlp", "transformer"] {
        let step = step(name, AUTOGRAD);
        let text = match name {
            "mlp" => include_str!("../../data/training/autograd/mlp.graph"),
            _ => include_str!("../../data/training/autograd/transformer.graph"),
        };
        let (_, without, with) = one(&found(text, AUTOGRAD), "checkpoints");
        assert!(with < without, "{name}");
        let least = with - step.problem.fixed.0;
        let run = |budget| {
            let budget = Some(Bytes(budget));
            Policy::TorchSegments.run(&step.problem, budget, &mut |_, _| true)
        };
        assert_eq!(run(least).needs.peak, Bytes(least));
        assert!(run(least - 1).walk.is_none());
    }
}

/// Every gradient of a weight is a value that the update reads, of 4 bytes a parameter.
#[test]
fn gradients_set_to_none_are_values_of_the_step() {
    for (name, parameters) in [("mlp", 5_512), ("cnn", 1_578)] {
        let (stays, none) = (step(name, AUTOGRAD), step(name, SET_TO_NONE));
        assert_eq!(none.fixed.gradients, 0);
        assert_eq!(stays.fixed.gradients, 4 * parameters, "{name}");
        let problem = &none.problem;
        let update = problem.nodes.last().expect("nodes");
        assert_eq!(update.phase, Phase::Update);
        let read = update.reads.iter().map(|it| problem.nodes[*it].bytes.0);
        assert_eq!(read.sum::<u64>(), 4 * parameters, "{name}");
        assert_eq!(problem.base_cost(), stays.problem.base_cost());
    }
}

#[test]
fn every_policy_walks_where_gradients_are_values() {
    for name in ["mlp", "cnn", "activations"] {
        let recipe = Recipe {
            in_place: true,
            ..SET_TO_NONE
        };
        let problem = step(name, recipe).problem;
        let all = Policy::KeepAll.run(&problem, None, &mut |_, _| true).needs;
        assert_eq!(all.cost, problem.base_cost());
        let minimum = problem.minimum().0.0;
        for budget in [minimum, minimum.midpoint(all.peak.0), all.peak.0] {
            let budget = Some(Bytes(budget));
            for policy in Policy::ALL {
                let found = policy.glance(&problem, budget);
                if let Some(walk) = &found.walk {
                    let verdict = judge(&problem, walk, budget);
                    assert_eq!(verdict, Ok(()), "{name}: {policy:?}");
                }
            }
        }
    }
}

/// A training step runs its operators in the order that the pass finds, and no other pass.
#[test]
fn a_step_has_the_order_that_is_chosen() {
    let text = "\
graph branches onnx 17
input x: f32[1]
const w: f32[1, 1000]
big1 = Mul(x, w)
big2 = Mul(x, w)
small1 = ReduceMax(big1)
small2 = ReduceMax(big2)
y = Add(small1, small2)
output y
";
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let names = |chosen: PassSet| {
        let chosen = Settings {
            passes: chosen,
            ..Settings::default()
        };
        let subject =
            prepare(&document, &Bindings::new(), &passes::order_alone(&chosen)).expect("sizes");
        let graph = operators(subject.program.expect("a model"));
        let step = stage::step(&graph, 1, Recipe::default()).expect("a step");
        let nodes = step.problem.nodes.iter().take(5);
        nodes.map(|it| it.name.clone()).collect::<Vec<_>>()
    };
    let kinds = |names: Vec<String>| -> Vec<String> {
        let kind = |name: String| name.split('_').next().unwrap_or_default().to_owned();
        names.into_iter().map(kind).collect()
    };
    let of = |text| kinds(names(passes::parse(text).expect("passes")));
    assert_eq!(of(""), ["Mul", "Mul", "ReduceMax", "ReduceMax", "Add"]);
    assert_eq!(of("order"), ["Mul", "ReduceMax", "Mul", "ReduceMax", "Add"]);
    assert_eq!(of("fusion,order"), of("order"));
}
