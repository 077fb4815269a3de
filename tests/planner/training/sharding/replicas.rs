//! What replicas divide.

use planner::generate::AttentionForm;
use planner::generate::closed_forms::parameters;
use planner::training::estimate::{Share, Weight, scheduled};
use planner::training::judge::judge;
use planner::training::policies::keep_all;
use planner::training::program::program;
use planner::training::sharding::{Collective, Group};
use planner::training::{Optimizer, Policy, Precision, choice};

use super::*;

fn adam(sharding: Sharding) -> Recipe {
    Recipe {
        optimizer: Optimizer::Adam,
        precision: Precision::Mixed,
        ..recipe(sharding)
    }
}

/// 16Ψ; 4Ψ + 12Ψ/d; 2Ψ + 14Ψ/d; 16Ψ/d (Rajbhandari et al. 2020, figure 1), where the replicas
/// divide each part of the model.
#[test]
fn resident_state_is_what_zero_says() {
    for (layers, h, a, data) in [(2, 16, 2, 4), (3, 32, 4, 8), (1, 64, 4, 2)] {
        let of = classic(layers, h, a, 64, 32);
        let all = u64::try_from(parameters(&of)).expect("small");
        let graph = sized(&of, (32, 1));
        let fixed = |zero| {
            let sharding = Sharding {
                data,
                zero,
                ..Sharding::default()
            };
            step(&graph, adam(sharding)).problem.fixed.0
        };
        let d = u64::from(data);
        assert!(all.is_multiple_of(d), "the test divides evenly");
        assert_eq!(fixed(0), 16 * all);
        assert_eq!(fixed(1), 4 * all + 12 * all / d);
        assert_eq!(fixed(2), 2 * all + 14 * all / d);
        assert_eq!(fixed(3), 16 * all / d);
    }
}

/// More of ZeRO never needs more resident state, whatever the model and the number of replicas.
#[test]
fn more_zero_never_needs_more() {
    let random = &mut tests::random::Random::new(45);
    for _ in 0..200 {
        let heads = 1 + random.below(3);
        let of = classic(
            1 + random.below(3),
            heads * (1 + random.below(9)),
            heads,
            1 + random.below(60),
            20,
        );
        let graph = sized(&of, (1 + random.below(20), 1 + random.below(2)));
        let data = u32::try_from(1 + random.below(9)).expect("small");
        let offload = random.below(2) == 0;
        let fixed = |zero| {
            let sharding = Sharding {
                data,
                zero,
                offload,
                prefetch: 2,
                ..Sharding::default()
            };
            step(&graph, adam(sharding)).problem.fixed
        };
        let all: Vec<_> = (0..=3).map(fixed).collect();
        assert!(all.is_sorted_by(|a, b| a >= b), "{all:?} {of:?} {data}");
        // What all replicas have together is at least what one would have.
        let alone = fixed(0).0;
        assert!(all.iter().all(|it| it.0 * u64::from(data) >= alone));
    }
}

/// A step that nothing divides is the same program, byte for byte.
#[test]
fn one_device_runs_the_same_step() {
    for of in [classic(2, 16, 2, 50, 32), classic(4, 24, 3, 60, 32)] {
        let graph = sized(&of, (32, 2));
        let plain = step(&graph, adam(Sharding::default())).problem;
        // It is divided, among one.
        let sharding = Sharding {
            prefetch: 2,
            ..Sharding::default()
        };
        let one = step(&graph, adam(sharding)).problem;
        assert_eq!(plain.fixed, one.fixed);
        let walk = keep_all(&plain);
        assert_eq!(walk, keep_all(&one));
        assert_eq!(program(&plain, &walk), program(&one, &walk));
    }
}

/// The weights of a layer are there while its operators run, one layer's at a time unless they stay;
/// what surrounds the layers stays. Each is gathered forward and backward, or once where it stays.
#[test]
fn weights_are_gathered_before_use_and_given_back() {
    let (layers, h, a, v, s) = (5, 16, 2, 40, 32);
    let of = classic(layers, h, a, v, s);
    let graph = sized(&of, (s, 1));
    // 12h² + 13h (Narayanan et al. 2021, section 5.1), 4 bytes each.
    let layer = 4 * (12 * h * h + 13 * h);
    let rest = 4 * ((v + s) * h + 2 * h);
    for prefetch in 0..4_u8 {
        for keeps in [false, true] {
            let sharding = Sharding {
                data: 4,
                zero: 3,
                prefetch,
                keeps,
                ..Sharding::default()
            };
            let step = step(&graph, recipe(sharding));
            assert_eq!(judge(&step.problem, &keep_all(&step.problem), None), Ok(()));
            let (problem, walk) = kept(&step);
            let most = |end: &str| {
                let (mut now, mut most, mut times) = (0, 0, 0);
                let own = |node: usize| problem.nodes[node].name.ends_with(end);
                for step in walk.iter().filter(|it| own(it.node())) {
                    let bytes = problem.nodes[step.node()].bytes.0;
                    match *step {
                        Move::Compute(_) => (now, times) = (now + bytes, times + 1),
                        _ => now -= bytes,
                    }
                    most = most.max(now);
                }
                assert_eq!(now, 0, "all is given back");
                (most, times)
            };
            let (weights, copied) = most(".weights");
            let at_once = if keeps { layers } else { 1 };
            assert_eq!(weights, rest + at_once * layer, "{prefetch} {keeps}");
            let times = if keeps { layers } else { 2 * layers };
            assert_eq!(copied, 1 + times, "{prefetch} {keeps}");
            // That of the part before stays until the next is copied, beside those ahead.
            let (blocks, gathered) = most(".gathered");
            let ahead = u64::from(prefetch.max(1));
            assert_eq!(blocks, (1 + ahead) * layer, "{prefetch} {keeps}");
            assert_eq!(gathered, copied, "{prefetch} {keeps}");
        }
    }
}

/// A rank that runs a layer without its gathered weights is found out by the judge.
#[test]
fn what_was_not_gathered_is_missed() {
    let graph = sized(&classic(3, 16, 2, 40, 32), (32, 1));
    let sharding = Sharding {
        data: 4,
        zero: 3,
        ..Sharding::default()
    };
    let (problem, walk) = kept(&step(&graph, recipe(sharding)));
    assert_eq!(judge(&problem, &walk, None), Ok(()));
    let gathers = walk.iter().enumerate().filter(|(_, step)| {
        let node = &problem.nodes[step.node()];
        matches!(step, Move::Compute(_)) && node.communicates.is_some() && node.bytes.0 > 0
    });
    let gathers: Vec<usize> = gathers.map(|(at, _)| at).collect();
    assert!(gathers.len() > 6, "{gathers:?}");
    for at in gathers {
        let mut without = walk.clone();
        without.remove(at);
        let found = judge(&problem, &without, None);
        assert!(found.is_err(), "move {at} is missed by nobody");
    }
}

/// What is estimated of a rank is what stays of its share: with everything divided 2Ψ/d weights,
/// 4Ψ/d of a copy, 8Ψ/d of Adam and 2Ψ/d gradients; each weight is a tensor of its own, whose share
/// is rounded up.
#[test]
fn the_estimate_has_the_shares() {
    let (h, data) = (16, 4);
    let of = classic(2, h, 2, 64, 32);
    let graph = sized(&of, (32, 1));
    let all = u64::try_from(parameters(&of)).expect("small");
    for zero in 0..4 {
        let sharding = Sharding {
            data,
            zero,
            micro: 3,
            ..Sharding::default()
        };
        let training = choice::of(Policy::KeepAll, 1, None, adam(sharding));
        let scheduled = scheduled(&graph, training, &mut |_, _| true).expect("a schedule");
        let share = |of: fn(&Share) -> u64| {
            let shares = scheduled.weights.iter().map(|it| of(&it.share()));
            shares.sum::<u64>()
        };
        let divided = |from: u8| {
            if zero >= from {
                all / u64::from(data)
            } else {
                all
            }
        };
        assert_eq!(share(|it| it.weights), divided(3));
        assert_eq!(share(|it| it.gradients), divided(2));
        assert_eq!(share(|it| it.states), divided(1));
        // Every gradient is there at some time.
        let nodes = scheduled.step.problem.nodes.len();
        let computed = |it: &Weight| it.gradient.is_some_and(|at| at < nodes);
        assert!(scheduled.weights.iter().all(computed));
    }
}

/// Attention whose heads cannot be shared evenly is not left whole without a word.
#[test]
fn heads_that_cannot_be_divided_are_refused() {
    let shared = Transformer {
        key_value_heads: 2,
        ..classic(2, 32, 8, 64, 32)
    };
    for (of, attention, tensor, can) in [
        (classic(2, 32, 4, 64, 32), AttentionForm::Written, 4, true),
        (classic(2, 32, 4, 64, 32), AttentionForm::Written, 8, false),
        (classic(2, 32, 4, 64, 32), AttentionForm::Fused, 8, false),
        (shared.clone(), AttentionForm::Fused, 2, true),
        // Each device has some of the queries of every head of keys, as long as there are enough.
        (shared.clone(), AttentionForm::Fused, 4, true),
        (shared, AttentionForm::Fused, 8, false),
    ] {
        let execution = Execution {
            mode: Mode::Forward(32),
            attention,
            ..Execution::default()
        };
        let mut graph = graph(&of, &execution).expect("the figures go together");
        infer(&mut graph, &Bindings::new());
        let sharding = Sharding {
            tensor,
            ..Sharding::default()
        };
        let made = stage::step(&graph, 1, recipe(sharding));
        let refused = made.err().map(|it| format!("{it:?}"));
        let says = refused
            .as_ref()
            .is_some_and(|it| it.contains("attention cannot be divided"));
        assert_eq!(
            (refused.is_none(), says),
            (can, !can),
            "{attention:?} {tensor}: {refused:?}"
        );
    }
}

/// Bytes of gradients that a group adds up at the end, or by parts.
fn added_up(of: &Problem, group: Group) -> u64 {
    let told = of.nodes.iter().filter_map(|it| it.communicates);
    let told = told.filter(|it| (it.collective, it.group) == (Collective::AllReduce, group));
    told.map(|it| it.sent.0).sum()
}

/// Devices that share the tokens of a sample have the same weights: they add up gradients and divide
/// what replicas divide.
#[test]
fn devices_that_share_tokens_are_replicas() {
    for (data, context) in [(1, 2), (2, 2), (1, 4)] {
        let of = classic(2, 16, 2, 64, 32);
        let graph = sized(&of, (32, 1));
        let of = |zero| {
            let sharding = Sharding {
                data,
                context,
                zero,
                ..Sharding::default()
            };
            step(&graph, adam(sharding))
        };
        let fixed = |zero| of(zero).problem.fixed.0;
        let devices = u64::from(data * context);
        // 16 bytes of a weight: weights, gradients, master copy and Adam's two.
        let all = fixed(0) / 16;
        assert_eq!(fixed(1), 4 * all + 12 * all / devices);
        assert_eq!(fixed(3), 16 * all / devices);
        // By the ring each device sends (n - 1) / n of 2 bytes a weight, twice.
        let (problem, _) = kept(&of(0));
        let sent = 2 * 2 * all * (devices - 1) / devices;
        assert_eq!(added_up(&problem, Group::Data), sent);
    }
}

/// Under sequence parallelism each device of a tensor group has the gradients of its own tokens: those
/// of norms and of biases that are added after sums, 6h a layer and 2h after them, are added up once,
/// in one block (Megatron-LM, `finalize_model_grads.py`), with those of the table of positions, of
/// which each device looks up its tokens'. Without it every device has them whole, but
/// for norms of heads, which it has some of: weight and bias for queries and for keys.
#[test]
fn norms_are_added_up_over_the_tensor_group() {
    let (layers, h) = (3, 32);
    for (sequence, tensor, head_norm) in [
        (false, 2, false),
        (true, 2, false),
        (true, 4, true),
        (false, 4, true),
    ] {
        let of = Transformer {
            head_norm,
            ..classic(layers, h, 4, 64, 32)
        };
        let graph = sized(&of, (32, 1));
        let sharding = Sharding {
            tensor,
            sequence,
            micro: 2,
            ..Sharding::default()
        };
        let (problem, walk) = kept(&step(&graph, recipe(sharding)));
        let summed = problem
            .nodes
            .iter()
            .filter(|it| it.name == "gradients.summed");
        let summed: Vec<&Node> = summed.collect();
        let tokens = if sequence {
            layers * 6 * h + 2 * h + 32 * h
        } else {
            0
        };
        let heads = if head_norm {
            layers * 4 * of.head_size
        } else {
            0
        };
        let bytes = 4 * (tokens + heads);
        assert_eq!(summed.len(), usize::from(bytes > 0));
        for node in summed {
            assert_eq!(node.bytes.0, bytes);
            let told = node.communicates.expect("it is told");
            let t = u64::from(tensor);
            assert_eq!(
                (told.group, told.sent.0),
                (Group::Tensor, 2 * bytes * (t - 1) / t)
            );
        }
        assert!(matches!(walk.last(), Some(Move::Forget(_))));
    }
}
