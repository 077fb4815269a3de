//! An estimate beside what was measured.

use planner::Bytes;
use planner::training::estimate::measured::{Compared, Part, compare, of_ledger, of_snapshot};
use planner::training::estimate::replayed::replay;
use planner::training::estimate::requests::requests;
use planner::training::estimate::{Estimate, Requests};
use planner::training::{Optimizer, Policy, Recipe};
use tests::deployed::deployed;
use tests::snapshot::USUAL;

use super::generated::met;
use super::{asked, graph, schedule};

const ADAM: Recipe = Recipe {
    optimizer: Optimizer::Adam,
    ..crate::training::autograd::AUTOGRAD
};

const W: u64 = 1024 * 2048 * 4;
const V: u64 = 2048 * 77 * 4;
const X: u64 = 250 * 1024 * 4;
const A: u64 = 250 * 2048 * 4;

fn of_hand() -> (Requests, Estimate) {
    let graph = graph(super::by_hand::HAND.as_bytes(), &[]);
    let asked = asked(Policy::KeepAll, ADAM);
    let requests = requests(&schedule(&graph, &asked), &asked);
    let found = replay(&requests, planner::AllocatorSettings::DEFAULT, None);
    (requests, found)
}

fn part(table: &[Compared], part: Part) -> (Option<u64>, Option<u64>, Option<i128>) {
    let it = table.iter().find(|it| it.part == part).expect("a part");
    let [estimated, measured] = [it.estimated, it.measured].map(|it| it.map(|it| it.0));
    (estimated, measured, it.error())
}

/// A program that asks for what the estimate expects, of which the file knows stacks. At the peak
/// of the second step (see `by_hand`) the weights, moments and gradients are there, x, the gradient
/// of a, and the gradient of w that is added. What runs without Python is the backward pass: what
/// is gone before the update is temporary.
#[test]
fn a_snapshot_tells_parts_by_its_stacks() {
    let (requests, found) = of_hand();
    let (made, _, failed) = met(&requests, USUAL);
    assert_eq!(failed, 0);
    let (_, document, _) = planner::load::load(&made.bytes(4)).expect("a snapshot");
    let deployed = deployed(document);
    let measured = of_snapshot(&deployed.arenas[0], &deployed.stacks);
    let table = compare(&found, &measured);
    let exact = |bytes: u64| (Some(bytes), Some(bytes), Some(0));
    assert_eq!(
        part(&table, Part::Allocated),
        exact(4 * (W + V) + X + A + W)
    );
    assert_eq!(part(&table, Part::Reserved), exact(66 << 20));
    assert_eq!(part(&table, Part::Weights), exact(W + V));
    assert_eq!(part(&table, Part::Optimizer), exact(2 * (W + V)));
    assert_eq!(part(&table, Part::WeightGradients), exact(W + V));
    assert_eq!(part(&table, Part::Temporary), exact(A + W));
    // x was given in the forward pass, and its stack says no more: it counts as an activation.
    assert_eq!(part(&table, Part::Inputs), (Some(X), None, None));
    let outputs = part(&table, Part::Outputs);
    assert_eq!(outputs, (Some(0), Some(X), Some(-i128::from(X))));
    assert_eq!(part(&table, Part::Unknown), (None, None, None));
}

/// A snapshot without stacks tells how much, and not what for.
#[test]
fn what_is_not_told_is_not_measured() {
    let (_, found) = of_hand();
    let made = tests::snapshot::Made::split_segment();
    let (_, document, _) = planner::load::load(&made.bytes(4)).expect("a snapshot");
    let mut deployed = deployed(document);
    let arena = &mut deployed.arenas[0];
    arena.notes.iter_mut().for_each(|note| note.stack = 0);
    arena.scopes.clear();
    let table = compare(&found, &of_snapshot(arena, &deployed.stacks));
    for it in [
        Part::Weights,
        Part::Optimizer,
        Part::WeightGradients,
        Part::Outputs,
    ] {
        assert_eq!(part(&table, it).1, None, "{it:?}");
        assert_eq!(part(&table, it).2, None, "{it:?}");
    }
    // 11 GiB, then 30 × 16 MiB that are placed into them.
    let most = 11_u64 << 30;
    assert_eq!(part(&table, Part::Unknown).1, Some(most));
    let allocated = table
        .iter()
        .find(|it| it.part == Part::Allocated)
        .expect("a part");
    assert_eq!(allocated.measured, Some(Bytes(most)));
    let percent = allocated.percent().expect("it is known");
    let expected = (found.peak.allocated.0 as f64 - most as f64) / most as f64 * 100.0;
    assert!((percent - expected).abs() < 1e-9, "{percent}");
}

#[test]
fn a_ledger_has_labels() {
    let entries = [
        ("arena", 100),
        ("inputs and outputs", 20),
        ("weights", 7),
        ("weights", 3),
        ("uniforms", 5),
    ];
    let measured = of_ledger(entries.map(|(label, bytes)| (label, Bytes(bytes))));
    let expected = [
        (Part::Weights, 10),
        (Part::Inputs, 20),
        (Part::Values, 100),
        (Part::Run, 5),
        (Part::Allocated, 135),
    ];
    let expected = expected.map(|(part, bytes)| (part, Some(Bytes(bytes))));
    assert_eq!(measured.parts, expected);
    let table = compare(&Estimate::default(), &measured);
    let run = table
        .iter()
        .find(|it| it.part == Part::Run)
        .expect("a part");
    assert_eq!(
        (run.estimated, run.error(), run.percent()),
        (None, None, None)
    );
}
