//! What a rank holds while one thing is chosen otherwise.

use planner::generate::SEQUENCE;
use planner::training::estimate::Asked;
use planner::training::sharding::bars::{Axis, Bar, bar};
use planner::training::stage;

use crate::asks::AskContext;
use crate::training::Kept;

/// A rank for each value that is tried; of sequences only where the model has such a dimension.
pub(crate) fn ranks(at: &AskContext<'_>, kept: &Kept, (asked, axis): (&Asked, Axis)) -> Vec<Bar> {
    let symbols = kept.document.graph().map(|it| it.symbols.as_slice());
    let own = symbols
        .unwrap_or_default()
        .iter()
        .find(|it| it.name == SEQUENCE);
    let bound = kept.of.bindings.get(SEQUENCE).copied();
    let tokens = own.map(|it| bound.unwrap_or(it.default));
    if axis == Axis::Sequence && tokens.is_none() {
        return Vec::new();
    }
    let values = axis.values(&asked.training, tokens.unwrap_or_default());
    let mut telling = at.telling();
    let all = values.len() as u64;
    let mut bars = Vec::new();
    for (done, value) in (0..).zip(values) {
        let other = (axis == Axis::Sequence).then(|| {
            let mut of = kept.of.clone();
            of.bindings.insert(SEQUENCE.to_owned(), value);
            let subject = of.prepared(&kept.document).ok()?;
            Some(stage::operators(subject.program?))
        });
        let graph = match &other {
            None => &kept.graph,
            Some(Some(sized)) => sized,
            // Beyond what can be planned: there is no such bar.
            Some(None) => continue,
        };
        bars.push(bar(graph, (asked, axis, value), &mut |_, _| true));
        if !telling(done + 1, all) {
            break;
        }
    }
    bars
}
