//! What the worker says, and what becomes of it.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;
use planner::strategies::PlanError;
use planner::units::Bytes;
use worker::{Opened, Planned, Prepared, Reply};

use super::{FLOW, Flow, PLAN_ALL_UP_TO, Stage, cancel, history, proceed, run, same, what_if};
use crate::links::worker as link;
use crate::state::column::Column;
use crate::state::memory;
use crate::state::session::{Notice, OpenFile, Progress, Session};

pub(super) fn heard(reply: Reply) {
    let Some((session, stage)) = FLOW.with_borrow_mut(|flow| flow.expects(&reply)) else {
        return;
    };
    match (reply, stage) {
        (Reply::Progress { done, total, .. }, Stage::Planning(column)) => {
            session.plans.update(|plans| {
                plans.insert(column, Progress::Working(done, total));
            });
            return;
        }
        (Reply::Opened { opened, .. }, _) => opened_file(session, opened),
        (Reply::Refused { error, .. }, _) => refused(session, error),
        (Reply::Prepared { prepared, .. }, _) => match prepared {
            Ok(prepared) => prepared_document(session, *prepared),
            Err(error) => session.notice.set(Some(Notice::TooLarge(error))),
        },
        (Reply::Planned { planned, .. }, Stage::Planning(column)) => {
            planned_column(session, column, planned);
        }
        (Reply::Planned { planned, .. }, Stage::Finishing(column)) => {
            what_if::finished(session, column, planned.map(|planned| *planned));
        }
        (Reply::Progress { .. } | Reply::Planned { .. }, _) => {}
    }
    proceed(session);
}

impl Flow {
    /// The session and the stage that `reply` belongs to; `None` for an old reply.
    fn expects(&mut self, reply: &Reply) -> Option<(Session, Stage)> {
        let (id, last) = match reply {
            Reply::Progress { id, .. } => (*id, false),
            Reply::Opened { id, .. }
            | Reply::Refused { id, .. }
            | Reply::Prepared { id, .. }
            | Reply::Planned { id, .. } => (*id, true),
        };
        if id != self.id || self.stage == Stage::Idle {
            return None;
        }
        let stage = self.stage.clone();
        if last {
            self.stage = Stage::Idle;
        }
        Some((self.session?, stage))
    }
}

fn opened_file(session: Session, opened: Opened) {
    let source = FLOW.with_borrow_mut(|flow| {
        let source = flow.opening.take();
        // Opened again after a restart: nothing else has changed.
        let again = !flow.held && same(source.as_ref(), flow.open.as_ref());
        flow.held = true;
        flow.stale = true;
        flow.open = source.clone();
        source.filter(|_| !again)
    });
    let Some(source) = source else { return };
    let bytes = source.blob.size();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a file's size is a whole number below 2^53"
    )]
    let bytes = bytes as u64;
    let wanted = source.wanted;
    let mut bindings = memory::bindings(&source.name, bytes);
    bindings.extend(wanted.bindings.clone());
    let known = |name: &String| opened.symbols.iter().any(|symbol| symbol.name == *name);
    bindings.retain(|name, value| known(name) && *value > 0);
    session.bindings.set(bindings);
    session.settings.update(|settings| {
        settings.alignment = Bytes(wanted.alignment.unwrap_or(opened.alignment).max(1));
        settings.io = wanted.io;
        settings.fuse = wanted.fuse;
    });
    let mut shown = wanted.shown;
    if let Some(shown) = &mut shown {
        shown.retain(|column| opened.deployed || *column != Column::Deployed);
    }
    let shown = shown.unwrap_or_else(|| Column::first(opened.deployed));
    // What a link named and the page does not have is still worth saying.
    session.notice.update(|notice| {
        notice.take_if(|notice| !matches!(notice, Notice::Missing(_)));
    });
    run::forget(session, true);
    session.prepared.set(None);
    session.plans.update(std::collections::BTreeMap::clear);
    session.hovered.set(None);
    session.selected.set(None);
    session.query.set(String::new());
    session.shown.set(shown);
    session.window.set(wanted.window);
    history::select_later(wanted.selected);
    what_if::wanted(session, wanted.handiwork);
    session.file.set(Some(OpenFile {
        name: source.name,
        sample: source.sample,
        bytes,
        opened: Arc::new(opened),
    }));
}

fn refused(session: Session, error: planner::load::LoadError) {
    let source = FLOW.with_borrow_mut(|flow| flow.opening.take());
    let name = source.map(|source| source.name).unwrap_or_default();
    session.notice.set(Some(Notice::Refused(name, error)));
}

fn prepared_document(session: Session, prepared: Prepared) {
    if FLOW.with_borrow_mut(|flow| std::mem::take(&mut flow.resume)) {
        return;
    }
    let deployed = prepared.subject.deployed.is_some();
    let many = prepared.subject.lifetimes.buffers.len() > PLAN_ALL_UP_TO;
    let old = session.selected.get_untracked();
    let old = old
        .and_then(|index| session.with_lifetimes(|l| l.buffers.get(index)?.name.clone().into()))
        .flatten();
    let selected = history::selection(old, &prepared.subject.lifetimes);
    let shown = session.shown.get_untracked();
    let rest = Column::all(deployed);
    let rest = rest
        .into_iter()
        .filter(|column| !shown.contains(column) && !many);
    let queue: VecDeque<Column> = shown.iter().copied().chain(rest).collect();
    session.hovered.set(None);
    run::forget(session, false);
    session.prepared.set(Some(Arc::new(prepared)));
    session.plans.update(|plans| {
        plans.clear();
        plans.extend(queue.iter().map(|column| (*column, Progress::Waiting)));
    });
    session.selected.set(selected);
    FLOW.with_borrow_mut(|flow| flow.queue = queue);
}

fn planned_column(session: Session, column: Column, planned: Result<Box<Planned>, PlanError>) {
    let progress = match planned {
        Ok(planned) => Progress::Done(Arc::new(*planned)),
        Err(error) => Progress::Failed(error),
    };
    session.plans.update(|plans| {
        plans.insert(column, progress);
    });
    what_if::resume(session, column);
}

pub(super) fn died(reason: String) {
    let session = FLOW.with_borrow_mut(|flow| {
        link::end();
        flow.stage = Stage::Idle;
        flow.held = false;
        flow.stale = false;
        flow.session
    });
    if let Some(session) = session {
        cancel(session);
        session.notice.set(Some(Notice::Crashed(reason)));
    }
}
