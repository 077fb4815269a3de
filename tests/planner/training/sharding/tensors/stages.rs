//! Divided layers in stages of a pipeline, and under policies.

use planner::Bytes;
use planner::training::Policy;
use planner::training::judge::judge;
use planner::training::sharding::{Collective, Group};

use super::*;

/// What a stage receives and sends has the tokens of a device alone where tokens are divided, and
/// nothing more is gathered than on one stage: once for each part of a layer, in both passes.
#[test]
fn stages_tell_each_other_what_a_device_has() {
    let (s, b, h) = (16, 2, 32);
    let graph = sized(&classic(4, h, 4, 64, s), (s, b));
    for (t, sequence, c) in [(4, false, 1), (4, true, 1), (2, true, 2), (1, false, 2)] {
        for at in 0..2 {
            let sharding = Sharding {
                pipeline: 2,
                stage: at,
                context: c,
                micro: 2,
                ..tensor(t, sequence)
            };
            let step = step(&graph, recipe(sharding));
            let nodes = &step.problem.nodes;
            let by = u64::from(c) * if sequence { t } else { 1 };
            let passed = 2 * s * b * h / by;
            let told = |collective, group| {
                let own = nodes
                    .iter()
                    .filter_map(|node| Some((node, node.communicates?)));
                own.filter(move |(_, it)| (it.collective, it.group) == (collective, group))
            };
            let received = told(Collective::Receive, Group::Pipeline);
            let received: Vec<u64> = received.map(|(node, _)| node.bytes.0).collect();
            assert_eq!(received, [passed], "{sharding:?}");
            let sent = told(Collective::Send, Group::Pipeline);
            let sent: Vec<u64> = sent.map(|(_, it)| it.sent.0).collect();
            assert_eq!(sent, [passed], "{sharding:?}");
            // The logits, too, are a part.
            let parts = 2 * 2 + usize::from(at == 1);
            let gathers = told(Collective::AllGather, Group::Tensor).count();
            // In the forward pass, again in the backward pass, and where sums were scattered.
            let sums = 2 * 2 + usize::from(at == 0);
            let expected = if sequence { 2 * parts + sums } else { 0 };
            assert_eq!(gathers, expected, "{sharding:?}");
            let reduced = told(Collective::AllReduce, Group::Tensor).count();
            let expected = if t > 1 && !sequence { parts + sums } else { 0 };
            assert_eq!(reduced, expected, "{sharding:?}");
        }
    }
}

/// Bytes that a device sends for a layer of both passes, by the ring: an all-reduce of sbh four times,
/// or as much in halves (Korthikanti et al. 2022, section 4.2.2), and once more half of it twice for
/// what is gathered again.
#[test]
fn dividing_tokens_sends_as_much() {
    let (s, b, h, t) = (32, 1, 64, 4);
    let whole = 2 * s * b * h;
    let sent = |layers, sequence| {
        let graph = sized(&classic(layers, h, 4, 64, s), (s, b));
        let step = step(&graph, recipe(tensor(t, sequence)));
        let own = step
            .problem
            .nodes
            .iter()
            .filter_map(|node| node.communicates);
        own.map(|it| it.sent.0).sum::<u64>()
    };
    let each = |sequence| sent(3, sequence) - sent(2, sequence);
    let half = whole * (t - 1) / t;
    assert_eq!(each(false), 4 * 2 * half);
    assert_eq!(each(true), 4 * 2 * half + 2 * half);
}

#[test]
fn every_policy_has_walks_of_a_rank() {
    let graph = sized(&classic(2, 32, 4, 64, 16), (16, 1));
    for (sharding, context) in [
        (tensor(2, false), 1),
        (tensor(4, true), 1),
        (tensor(2, true), 2),
    ] {
        let sharding = Sharding {
            context,
            ..sharding
        };
        let problem = step(&graph, recipe(sharding)).problem;
        let all = Policy::KeepAll.run(&problem, None, &mut |_, _| true).needs;
        let minimum = problem.minimum().0.0;
        for budget in [minimum, minimum.midpoint(all.peak.0), all.peak.0] {
            for policy in Policy::ALL {
                let found = policy.glance(&problem, Some(Bytes(budget)));
                if let Some(walk) = &found.walk {
                    assert_eq!(
                        judge(&problem, walk, None),
                        Ok(()),
                        "{sharding:?} {policy:?}"
                    );
                }
            }
        }
    }
}
