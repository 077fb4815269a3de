//! Deployed plans that files bring.

use planner::deployed::{Arena, Deployed};
use planner::load::Document;
use planner::waste::{Waste, WasteKind, waste};
use planner::{Bytes, Lifetimes, Options, Plan, Violation, bounds};

/// The deployed plan that `document` is.
///
/// # Panics
/// When it is a model or a problem.
#[must_use]
pub fn deployed(document: Document) -> Deployed {
    match document {
        Document::Deployed(deployed) => deployed,
        Document::Model(_) | Document::Program(_) => panic!("a model, no deployed plan"),
        Document::Problem(_) | Document::Log(_) => panic!("a problem, no deployed plan"),
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

/// What the judge finds in the arena, nothing for a valid one.
#[must_use]
pub fn violations(arena: &Arena) -> Vec<Violation> {
    planner::check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1)))
}

/// What an allocator held, split where it reserved most; they sum to that.
///
/// # Panics
/// As [`split`].
#[must_use]
pub fn split_fullest(arena: &Arena) -> Waste {
    let mut waste = split(arena);
    waste.fullest.take().map_or(waste, |fullest| *fullest)
}

/// The arena's bytes, split; they sum to the arena, or to what was reserved where most was needed.
///
/// # Panics
/// When they do not, or when there are notes but not one per buffer.
#[must_use]
pub fn split(arena: &Arena) -> Waste {
    let Arena {
        lifetimes,
        notes,
        plan,
        ..
    } = arena;
    assert!(notes.is_empty() || notes.len() == lifetimes.buffers.len());
    let bounds = bounds::aligned(lifetimes, Bytes(1));
    let waste = waste(lifetimes, notes, plan, &bounds);
    let sum: i64 = waste.parts.iter().map(|part| part.bytes).sum();
    let whole = match plan.segments {
        Some(_) => plan.reserved.expect("it is known"),
        None => plan.arena,
    };
    assert_eq!(waste.most(), whole);
    let signed = |bytes: Bytes| i64::try_from(bytes.0).expect("an arena below 2^63");
    let own = signed(waste.arena);
    assert_eq!(sum, own, "the parts of {waste:?} do not sum to the arena");
    if let Some(fullest) = &waste.fullest {
        let sum: i64 = fullest.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(sum, signed(whole));
    }
    waste
}

/// The bytes of one part of a split.
#[must_use]
pub fn part(waste: &Waste, kind: WasteKind) -> i64 {
    let parts = waste.parts.iter().filter(|part| part.kind == kind);
    parts.map(|part| part.bytes).sum()
}
