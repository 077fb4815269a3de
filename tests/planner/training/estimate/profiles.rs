//! When a framework asks for what, and when it gives it back.

use planner::training::estimate::profile::{Allocation, Life, Profile, Release};
use planner::training::estimate::requests::requests_as;
use planner::training::estimate::{Act, Allocator, Asked, Purpose, Requests, estimate};
use planner::training::{Optimizer, Policy, Recipe};
use planner::{Bytes, Strategy};

use super::{asked, graph, schedule};

/// x takes 32 bytes, w 128, a and h 64, the loss 4.
const CHAIN: &str = "\
graph chain onnx 17
input x: f32[2, 4]
const w: f32[4, 8]
a = MatMul(x, w)
h = Relu(a)
output h
";

const MOMENTUM: Recipe = Recipe {
    optimizer: Optimizer::Momentum,
    ..crate::training::autograd::AUTOGRAD
};

fn with(purpose: Purpose, allocation: Allocation, release: Release) -> Requests {
    let graph = graph(CHAIN.as_bytes(), &[]);
    let asked = asked(Policy::KeepAll, MOMENTUM);
    let life = Life {
        allocation,
        release,
    };
    let profile = Profile::eager(MOMENTUM).with(purpose, life);
    requests_as(&schedule(&graph, &asked), &asked, profile)
}

/// Its events as text: step, sign, name.
fn told(requests: &Requests, purpose: Purpose) -> Vec<String> {
    let events = requests.events.iter().map(|event| {
        let request = &requests.list[event.request as usize];
        let sign = if event.act == Act::Allocate { '+' } else { '-' };
        (
            request.purpose,
            format!("{} {sign}{}", event.step, request.name),
        )
    });
    let own = events.filter(|it| it.0 == purpose);
    own.map(|it| it.1).collect()
}

#[test]
fn on_demand_is_when_it_is_written_first() {
    let momentum = |allocation| {
        let found = with(Purpose::Optimizer, allocation, Release::OnExit);
        told(&found, Purpose::Optimizer)
    };
    assert_eq!(momentum(Allocation::OnDemand), ["1 +w.momentum"]);
    assert_eq!(momentum(Allocation::OnStart), ["0 +w.momentum"]);
    let gradient = |allocation| {
        let found = with(Purpose::WeightGradients, allocation, Release::OnExit);
        let gradients = told(&found, Purpose::WeightGradients);
        (gradients, told(&found, Purpose::Ephemeral))
    };
    // What finds a gradient is added to it.
    let added = |step: u32| ["+", "-"].map(|sign| format!("{step} {sign}w.grad to add"));
    let (own, temporary) = gradient(Allocation::OnDemand);
    assert_eq!(
        (own, temporary),
        (vec!["1 +w.grad".to_owned()], added(2).to_vec())
    );
    let (own, temporary) = gradient(Allocation::OnStart);
    let both = [added(1), added(2)].concat();
    assert_eq!((own, temporary), (vec!["0 +w.grad".to_owned()], both));
}

#[test]
fn on_death_is_after_what_reads_it_last() {
    let gradients = |release| {
        let found = with(Purpose::WeightGradients, Allocation::OnDemand, release);
        told(&found, Purpose::WeightGradients)
    };
    let each = |step: u32| ["+", "-"].map(|sign| format!("{step} {sign}w.grad"));
    assert_eq!(gradients(Release::OnDeath), [each(1), each(2)].concat());
    let outputs = |release| {
        let found = with(Purpose::Outputs, Allocation::OnDemand, release);
        told(&found, Purpose::Outputs)
    };
    // a goes when h is there, which its own backward pass reads; the loss with the gradient of h.
    let each = |step: u32| {
        let all = [
            "+MatMul_0",
            "+Relu_1",
            "-MatMul_0",
            "+loss",
            "-loss",
            "-Relu_1",
        ];
        all.map(|it| format!("{step} {it}"))
    };
    assert_eq!(outputs(Release::OnDeath), [each(1), each(2)].concat());
    let once = ["1 +MatMul_0", "1 +Relu_1", "1 +loss"];
    assert_eq!(outputs(Release::OnExit), once);
}

/// Nothing is asked for while it runs: weights 128, their gradient and the momentum as much each,
/// x 32, and an arena. At most a, h or h, and two gradients of 64 bytes are there at once, which
/// start at multiples of 256: h, its gradient and that of a.
#[test]
fn what_is_planned_in_advance_is_there_from_the_start() {
    let graph = graph(CHAIN.as_bytes(), &[]);
    let asked = Asked {
        by: Allocator::Planned(Strategy::OffsetsBySize),
        ..asked(Policy::KeepAll, MOMENTUM)
    };
    let found = estimate(&graph, &asked, &mut |_, _| true).expect("an estimate");
    let arena = 2 * 256 + 64;
    let fixed = 3 * 128 + 32;
    assert_eq!((found.reserved, found.segments), (Bytes(fixed + arena), 0));
    for point in &found.points {
        assert_eq!(
            (point.allocated, point.reserved),
            (found.reserved, found.reserved)
        );
        let sum: u64 = point.bytes.iter().map(|it| it.0).sum();
        assert_eq!(sum, point.allocated.0, "{point:?}");
    }
    assert_eq!(found.peak.of(Purpose::Idle), Bytes(arena - 3 * 64));
    let [first, second] = &found.steps[..] else {
        panic!("{:?}", found.steps)
    };
    assert_eq!(first.allocated, second.allocated);
}

/// A workspace is there while something is computed, and a number that a person gives for the
/// driver's own is added at the end.
#[test]
fn what_a_person_gives_is_counted() {
    let graph = graph(CHAIN.as_bytes(), &[]);
    let without = asked(Policy::KeepAll, MOMENTUM);
    let with = Asked {
        workspace: Some(Bytes(3 << 20)),
        context: Some(Bytes(100 << 20)),
        ..without
    };
    let [without, with] = [without, with].map(|asked| {
        let found = estimate(&graph, &asked, &mut |_, _| true);
        found.expect("an estimate")
    });
    // All else is small: one segment of 2 MiB, and one of 20 MiB for the workspace.
    assert_eq!(without.total(), Bytes(2 << 20));
    assert_eq!(with.reserved, Bytes(22 << 20));
    assert_eq!(with.total(), Bytes(122 << 20));
    assert_eq!((without.context, without.workspace), (None, None));
    assert_eq!(with.peak.of(Purpose::Workspace), Bytes(3 << 20));
    assert_eq!(
        with.points.last().map(|it| it.of(Purpose::Workspace)),
        Some(Bytes(0))
    );
}
