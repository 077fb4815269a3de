//! What a training step takes on a device, and what other allocators would reserve for it: asked
//! in the background, of the schedule that is planned, beside a snapshot that is open.

use std::path::Path;
use std::sync::Arc;

use conversation::{Action, Answer, AskedFor, Estimating, Tab, TrainingAction, Where};
use planner::advice::{AllocatorKind, Allocators};
use planner::training::Policy;
use planner::training::estimate::measured::Part;
use planner::training::estimate::{Purpose, Verdict};
use planner::{Bytes, Recipe};
use worker::Estimated;

use super::browser::Browser;

/// Eight products of 64 bytes each, and one weight of 64.
const CHAIN: &str = "\
graph chain onnx 17
input x: f32[4, 4]
const w: f32[4, 4]
a = MatMul(x, w)
b = MatMul(a, w)
c = MatMul(b, w)
d = MatMul(c, w)
output d
";

fn at_training() -> Browser {
    with(CHAIN)
}

fn with(text: &str) -> Browser {
    let mut browser = Browser::open("");
    browser.give("chain.graph", text, Where::Instead);
    browser.settle();
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    browser
}

fn act(browser: &mut Browser, action: TrainingAction) {
    browser.act(Action::Training(action));
    browser.settle();
}

fn estimate(browser: &Browser) -> Option<Estimated> {
    let case = browser.state.case(*browser.state.active);
    match &*case.training.estimate.found {
        Answer::There(found) => Some((**found.as_ref().as_ref().expect("an estimate")).clone()),
        Answer::Unasked => None,
        other => panic!("{other:?}"),
    }
}

fn others(browser: &Browser) -> Option<Arc<Result<Allocators, impl std::fmt::Debug + use<>>>> {
    let case = browser.state.case(*browser.state.active);
    match &*case.training.allocators.found {
        Answer::There(found) => Some(Arc::clone(found)),
        _ => None,
    }
}

/// PyTorch rounds a request up to 512 bytes, and takes small ones from segments of 2 MiB.
#[test]
fn an_estimate_is_of_the_step_that_is_chosen() {
    let mut browser = at_training();
    assert_eq!(estimate(&browser), None);
    act(
        &mut browser,
        TrainingAction::Estimate(Some(Estimating::default())),
    );
    let found = estimate(&browser).expect("an estimate").answer;
    let it = &found.estimate;
    assert_eq!(it.peak.of(Purpose::Weights), Bytes(512));
    assert_eq!(it.peak.of(Purpose::Optimizer), Bytes(0));
    assert_eq!((it.reserved, it.segments), (Bytes(2 << 20), 1));
    assert_eq!(it.total(), Bytes(2 << 20));
    for fit in &found.fits {
        let fits = fit.memory >= Bytes(2 << 20);
        assert_eq!(fit.verdict == Verdict::Fits, fits, "{fit:?}");
    }
    // Adam keeps two numbers for each of the weight's sixteen: two requests.
    let recipe = Recipe {
        optimizer: planner::Optimizer::Adam,
        ..Recipe::default()
    };
    act(&mut browser, TrainingAction::Recipe(recipe));
    let found = estimate(&browser).expect("an estimate").answer;
    assert_eq!(found.estimate.peak.of(Purpose::Optimizer), Bytes(2 * 512));
    // A thousand samples: 64 kB in place of 64 bytes for the input.
    act(&mut browser, TrainingAction::Batch(1000));
    let found = estimate(&browser).expect("an estimate").answer;
    assert_eq!(found.estimate.peak.of(Purpose::Inputs), Bytes(64_000));
    act(&mut browser, TrainingAction::Estimate(None));
    assert_eq!(estimate(&browser), None);
}

#[test]
fn what_no_model_knows_counts_where_a_person_says_it() {
    let mut browser = at_training();
    let said = Estimating {
        context: Some(Bytes(300 << 20)),
        workspace: Some(Bytes(1 << 20)),
        ..Estimating::default()
    };
    act(&mut browser, TrainingAction::Estimate(Some(said)));
    let it = estimate(&browser).expect("an estimate").answer.estimate;
    assert_eq!(it.total().0, it.reserved.0 + (300 << 20));
    assert_eq!(it.peak.of(Purpose::Workspace), Bytes(1 << 20));
    // In advance there are no segments.
    let planned = Estimating {
        by: AskedFor::Planned,
        ..Estimating::default()
    };
    act(&mut browser, TrainingAction::Estimate(Some(planned)));
    let it = estimate(&browser).expect("an estimate").answer.estimate;
    assert_eq!(it.segments, 0);
    assert!(it.reserved < Bytes(2 << 20));
}

/// It is the schedule in view that is estimated: of twelve products, some and those of a block are there
/// in place of all.
#[test]
fn an_estimate_follows_the_policy() {
    let products = (0..12).map(|at| format!("v{} = MatMul(v{at}, w)\n", at + 1));
    let products: String = products.collect();
    let head = "graph chain onnx 17\ninput v0: f32[4, 4]\nconst w: f32[4, 4]\n";
    let mut browser = with(&format!("{head}{products}output v12\n"));
    let batch = TrainingAction::Batch(10_000);
    act(&mut browser, batch);
    act(
        &mut browser,
        TrainingAction::Estimate(Some(Estimating::default())),
    );
    let kept = estimate(&browser).expect("an estimate").answer.estimate;
    act(&mut browser, TrainingAction::Plan(Some(Policy::SqrtN)));
    let fewer = estimate(&browser).expect("an estimate").answer.estimate;
    assert!(fewer.peak.allocated < kept.peak.allocated);
}

#[test]
fn a_snapshot_stands_beside_it() {
    let mut browser = at_training();
    let chain = *browser.state.active;
    let sample =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/samples/torch_training.pickle");
    let bytes = std::fs::read(sample).expect("the sample");
    browser.give("measured.pickle", bytes, Where::Beside);
    browser.settle();
    let snapshot = *browser.state.active;
    assert_ne!(snapshot, chain);
    browser.act_in(chain, Action::Turn(Tab::TRAINING));
    browser.settle();
    let measured = Some(snapshot);
    let beside = TrainingAction::Estimate(Some(Estimating {
        measured,
        ..Estimating::default()
    }));
    browser.act_in(chain, Action::Training(beside));
    browser.settle();
    let found = estimate(&browser).expect("an estimate");
    let reserved = found.compared.iter().find(|it| it.part == Part::Reserved);
    let reserved = reserved.expect("a row");
    assert_eq!(reserved.estimated, Some(found.answer.estimate.reserved));
    // What the file's segments sum to.
    let case = browser.state.case(snapshot);
    let prepared = case.prepared.as_ref().expect("a plan");
    let shipped = prepared.subject.deployed.as_ref().expect("a plan");
    assert_eq!(reserved.measured, shipped.reserved);
}

#[test]
fn other_allocators_serve_the_same_requests() {
    let mut browser = at_training();
    assert!(others(&browser).is_none());
    act(&mut browser, TrainingAction::Allocators(true));
    let found = others(&browser).expect("a table");
    let found = found.as_ref().as_ref().expect("a step");
    let of = |kind| {
        let row = found.rows.iter().find(|it| it.kind == kind);
        row.and_then(|it| it.reserved).expect("a figure")
    };
    assert_eq!(of(AllocatorKind::Caching), Bytes(2 << 20));
    assert!(of(AllocatorKind::Bound) <= of(AllocatorKind::Best));
    assert!(of(AllocatorKind::Best) <= of(AllocatorKind::Stalloc));
    let needed = found.rows.iter().map(|it| it.needed);
    assert!(needed.clone().all(|it| it <= of(AllocatorKind::Bound)));
    act(&mut browser, TrainingAction::Allocators(false));
    assert!(others(&browser).is_none());
}
