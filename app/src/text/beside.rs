//! What TFLite Micro keeps in its arena beside a plan.

use std::slice;

use planner::graph::Dialect;
use planner::tail::{Tail, tail};
use planner::{Bytes, Io, Subject};

use super::fault::told;
use crate::format;
use crate::state::session::Session;
use crate::words::{ReportWord as W, filled};

/// What is kept beside a plan that takes `head`, and the arena to give for both; nothing for
/// other runtimes.
pub(crate) fn beside(session: Session, subject: &Subject, head: Bytes) -> Option<(Tail, Bytes)> {
    let graph = subject.program.as_ref().map(|it| &it.graph);
    let is_micro = session.settings.with(|it| it.io == Io::Tflm);
    let graph = graph.filter(|it| is_micro && it.dialect == Dialect::Tflite)?;
    let found = tail(slice::from_ref(graph))?;
    let arena = found.arena(head)?;
    Some((found, arena))
}

/// The same in sentences: the sum, what is not known of it, and what kernels it is for.
pub(crate) fn says(session: Session, (found, arena): &(Tail, Bytes)) -> Vec<String> {
    let (beside, arena) = (format::exact(found.bytes.0), format::exact(arena.0));
    let mut says = vec![filled(session.say(W::BesideSays), &[&beside, &arena])];
    if !found.unknown.is_empty() {
        let kinds = found.unknown.join(", ");
        says.push(filled(session.say(W::BesideUnknown), &[&kinds]));
    }
    says.push(session.say(W::BesideKernels).to_owned());
    says
}

/// What is kept, and its bytes.
pub(crate) fn parts(session: Session, found: &Tail) -> Vec<(String, String)> {
    let parts = found.parts.iter();
    let parts = parts.map(|(what, bytes)| (told(session, what.says()), format::exact(bytes.0)));
    parts.collect()
}
