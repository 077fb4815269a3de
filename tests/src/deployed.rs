//! Deployed plans that files bring.

use planner::deployed::Deployed;
use planner::liveness::Lifetimes;
use planner::load::Document;
use planner::plan::Plan;

/// The deployed plan that `document` is.
///
/// # Panics
/// When it is a model or a problem.
#[must_use]
pub fn deployed(document: Document) -> Deployed {
    match document {
        Document::Deployed(deployed) => deployed,
        Document::Model(_) => panic!("a model, no deployed plan"),
        Document::Problem(_) => panic!("a problem, no deployed plan"),
    }
}

/// Lifetimes and plan of the one arena that `document` has.
///
/// # Panics
/// When it is no deployed plan, or one of several arenas.
#[must_use]
pub fn only_plan(document: Document) -> (Lifetimes, Plan) {
    let mut arenas = deployed(document).arenas;
    assert_eq!(arenas.len(), 1, "one arena");
    let arena = arenas.remove(0);
    (arena.lifetimes, arena.plan)
}
