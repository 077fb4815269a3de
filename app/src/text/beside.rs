//! What a runtime needs beside a plan.

use std::slice;

use planner::graph::Dialect;
use planner::load::Format;
use planner::tail::{Tail, tail};
use planner::{Bytes, Io, Subject};

use super::fault::said;
use crate::format;
use crate::state::session::Session;
use crate::strings::{ReportWord as W, filled};

/// What is said of it.
pub(crate) struct Beside {
    /// The arena to give for the plan and what is kept beside it, where that is known.
    pub(crate) arena: Option<Bytes>,
    pub(crate) says: Vec<String>,
    /// What is kept, and its bytes.
    pub(crate) parts: Vec<(String, String)>,
}

/// What is kept beside a plan that takes `head`; nothing for runtimes that keep nothing there.
pub(crate) fn beside(session: Session, subject: &Subject, head: Bytes) -> Option<Beside> {
    modelled(session, subject, head).or_else(|| untold(session))
}

/// TFLite Micro's, of a model.
fn modelled(session: Session, subject: &Subject, head: Bytes) -> Option<Beside> {
    let graph = subject.program.as_ref().map(|it| &it.graph);
    let is_micro = session.settings.with(|it| it.io == Io::Tflm);
    let graph = graph.filter(|it| is_micro && it.dialect == Dialect::Tflite)?;
    let found = tail(slice::from_ref(graph))?;
    let arena = found.arena(head)?;
    let parts = found.parts.iter();
    let parts = parts.map(|(what, bytes)| (said(session, &what.says()), format::exact(bytes.0)));
    Some(Beside {
        arena: Some(arena),
        says: says(session, &found, arena),
        parts: parts.collect(),
    })
}

/// The sum, what is not known of it, and what kernels it is for.
fn says(session: Session, found: &Tail, arena: Bytes) -> Vec<String> {
    let (beside, arena) = (format::exact(found.bytes.0), format::exact(arena.0));
    let mut says = vec![filled(session.say(W::BesideSays), &[&beside, &arena])];
    if found.others > 0 {
        let others = format::grouped(found.others as u64);
        says.push(filled(session.say(W::BesideOthers), &[&others]));
    }
    if !found.unknown.is_empty() {
        let kinds = found.unknown.join(", ");
        says.push(filled(session.say(W::BesideUnknown), &[&kinds]));
    }
    says.push(session.say(W::BesideKernels).to_owned());
    says
}

/// What a file does not tell of it.
fn untold(session: Session) -> Option<Beside> {
    let format = session
        .file
        .with(|file| file.as_ref().map(|it| it.opened.format))?;
    let word = match format {
        Format::Executorch => W::BesideExecutorch,
        Format::Tflm => W::BesideTflm,
        _ => return None,
    };
    Some(Beside {
        arena: None,
        says: vec![session.say(word).to_owned()],
        parts: Vec::new(),
    })
}
