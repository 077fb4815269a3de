//! The figures of a plan that the judge lets pass.

use planner::bounds::bounds;
use planner::metrics::metrics;
use planner::{Bytes, Lifetimes, Step, metrics};

use super::objects::two_objects;
use super::pools::pooled;
use super::{plan, three};

#[test]
fn figures_of_pools_and_proofs() {
    let mut lifetimes = three();
    lifetimes.buffers[1].pools = vec![0, 1];
    let bounds = bounds(&lifetimes);
    let figures = metrics(&lifetimes, &pooled(), &bounds);
    assert_eq!(figures.spilled, Some(Bytes(8)));
    let per_pool = metrics::pools(&lifetimes, &pooled());
    let summary = per_pool
        .iter()
        .map(|it| (it.used.0, it.buffers, it.spilled.0));
    assert_eq!(summary.collect::<Vec<_>>(), [(16, 2, 0), (8, 1, 8)]);
    // An arena above the bound is optimal when that much was proved.
    let mut proved = plan(&[0, 16, 24], 40);
    assert_eq!(metrics(&lifetimes, &proved, &bounds).spilled, None);
    proved.proved = Some(Bytes(32));
    assert!(!metrics(&lifetimes, &proved, &bounds).optimal);
    proved.proved = Some(Bytes(40));
    assert!(metrics(&lifetimes, &proved, &bounds).optimal);
}

/// Live bytes of `three`: 16, 24, 24, 24. Positional maxima: 16 and 8.
#[test]
fn figures_of_a_plan() {
    let lifetimes = three();
    let bounds = bounds(&lifetimes);
    assert_eq!((bounds.offsets, bounds.peak), (Bytes(24), Step(1)));
    assert_eq!(bounds.witness, [0, 1]);
    assert_eq!(bounds.maxima, [Bytes(16), Bytes(8)]);
    let best = metrics(&lifetimes, &two_objects(), &bounds);
    assert!(best.optimal);
    assert_eq!(best.objects, Some(2));
    assert_eq!(best.model_bound, Bytes(24));
    assert!(best.over_bound.abs() < 1e-12);
    assert!(best.fragmentation.abs() < 1e-12);
    assert!((best.reuse - 40.0 / 24.0).abs() < 1e-12);
    // The same blocks, for which an allocator held 48 bytes: twice the bound.
    let held = best.counting_reserved(Some(Bytes(48)));
    assert_eq!((held.arena, held.taken()), (Bytes(24), Bytes(48)));
    assert!(!held.optimal);
    assert!((held.over_bound - 1.0).abs() < 1e-12);
    assert!((held.fragmentation - 0.5).abs() < 1e-12);
    assert!((held.reuse - 40.0 / 48.0).abs() < 1e-12);
    assert_eq!(best.counting_reserved(None), best);
    assert!(best.counting_reserved(Some(Bytes(24))).optimal);
    // Of nothing no plan takes less than nothing.
    let none = Lifetimes::default();
    let nothing = metrics(&none, &plan(&[], 0), &planner::bounds::bounds(&none));
    assert!(nothing.optimal && nothing.counting_reserved(Some(Bytes(0))).optimal);
    let none = metrics(&lifetimes, &plan(&[0, 16, 24], 40), &bounds);
    assert!(!none.optimal);
    assert_eq!(none.objects, None);
    assert!((none.over_bound - 16.0 / 24.0).abs() < 1e-12);
    assert!((none.fragmentation - 16.0 / 40.0).abs() < 1e-12);
    assert!((none.reuse - 1.0).abs() < 1e-12);
}
