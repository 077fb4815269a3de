//! The lower bounds as they are listed, and the one whose witness is shown.

use std::sync::Arc;

use planner::bounds::{Bound, BoundKind, Bounds};
use planner::{Bytes, Step};

use super::session::Session;
use crate::format;
use crate::strings::Word;

/// A bound in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its kind, in one word.
    pub(crate) kind: &'static str,
    /// What it is called, and what is put in there.
    pub(crate) word: Word,
    pub(crate) values: Vec<String>,
    pub(crate) bytes: Bytes,
    /// The step at which it is reached; none where it is no sum of one step.
    pub(crate) step: Option<Step>,
    /// The buffers that reach it, largest first.
    pub(crate) witness: Arc<Vec<usize>>,
    /// Whether it holds for plans of shared objects only.
    pub(crate) of_objects: bool,
    /// Whether it is the one that plans are compared with.
    pub(crate) strongest: bool,
}

impl Session {
    /// The bounds in the order in which they are listed; follows the document and the plans.
    pub(crate) fn listed_bounds(self) -> Vec<Listed> {
        let listed = self
            .prepared
            .with(|prepared| prepared.as_ref().map(|prepared| listed(&prepared.bounds)));
        let mut listed = listed.unwrap_or_default();
        // A search that proves no more than the others adds nothing.
        let most = listed.iter().filter(|bound| !bound.of_objects);
        let most = most.map(|bound| bound.bytes).max().unwrap_or_default();
        if let Some(proved) = self.proved().filter(|proved| *proved > most) {
            listed.push(Listed {
                kind: "proved",
                word: Word::BoundProved,
                values: Vec::new(),
                bytes: proved,
                step: None,
                witness: Arc::default(),
                of_objects: false,
                strongest: false,
            });
        }
        listed
    }

    /// The bound whose witness is shown; follows it.
    pub(crate) fn lit_bound(self) -> Option<Listed> {
        let index = self.planning.witness.get()?;
        self.listed_bounds().into_iter().nth(index)
    }
}

fn listed(bounds: &Bounds) -> Vec<Listed> {
    if bounds.offsets == Bytes::ZERO {
        return Vec::new();
    }
    let strongest =
        |bound: &Bound| bound.bytes == bounds.offsets && bound.kind != BoundKind::Maxima;
    let strongest = bounds.list.iter().position(strongest);
    let known = bounds.list.iter().enumerate();
    let listed = known.map(|(index, bound)| {
        let (word, values) = named(bound.kind);
        Listed {
            kind: bound.kind.name(),
            word,
            values,
            bytes: bound.bytes,
            step: bound.step,
            witness: Arc::new(bound.witness.clone()),
            of_objects: bound.kind == BoundKind::Maxima,
            strongest: Some(index) == strongest,
        }
    });
    listed.collect()
}

/// What a kind of bound is called, and what is put in there.
fn named(kind: BoundKind) -> (Word, Vec<String>) {
    match kind {
        BoundKind::Live => (Word::BoundLive, Vec::new()),
        BoundKind::Largest => (Word::BoundLargest, Vec::new()),
        BoundKind::Partition { span } => {
            let ends = [span.start.0, span.end.0.saturating_sub(1)];
            (Word::BoundPartition, ends.map(format::grouped).into())
        }
        BoundKind::Aligned { alignment } => (Word::BoundAligned, vec![format::exact(alignment.0)]),
        BoundKind::Fixed { top, .. } => (Word::BoundFixed, vec![format::bytes(top.0)]),
        BoundKind::Pools => (Word::BoundPools, Vec::new()),
        BoundKind::Maxima => (Word::BoundObjects, Vec::new()),
        BoundKind::Proved => (Word::BoundProved, Vec::new()),
    }
}
