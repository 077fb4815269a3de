//! Comparing: two plans of the open file, or the open dump with another of the same program.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use planner::Sorting as _;
use planner::load::{Fault, LoadError};
use web_sys::Blob;
use worker::{Reply, Request};

use super::{flow, insight};
use crate::links::aside::Aside;
use crate::links::files::{Given, JOINT};
use crate::links::waiting::Waiting;
use crate::state::column::Column;
use crate::state::difference::{Found, Other};
use crate::state::session::Session;

/// Something that a person did with differences.
#[derive(Clone, Debug)]
pub(crate) enum DifferenceAction {
    /// Compared these two plans.
    Plans(Column, Column),
    /// Compared the open dump with another one.
    Dump(Vec<Given>),
    /// Had the outlines shown again, in place of what is lit.
    Outlines,
    /// Took the other dump for the one after, or for the one before.
    Turn,
    /// Is done with the other dump, or does not wait for it any longer.
    Close,
}

thread_local! {
    /// The files of the other dump.
    static FILES: RefCell<Vec<Given>> = const { RefCell::new(Vec::new()) };
    /// Files that wait for others to be the other dump.
    static WAITING: RefCell<Waiting> = RefCell::default();
}

pub(super) fn act(session: Session, action: DifferenceAction) {
    match action {
        DifferenceAction::Plans(from, to) => plans(session, from, to),
        DifferenceAction::Outlines => insight::unlight(session),
        DifferenceAction::Dump(files) if files.is_empty() => {}
        DifferenceAction::Dump(files) => {
            let attempts = WAITING.with_borrow(|waiting| waiting.attempts(files));
            ask(session, true, attempts);
        }
        DifferenceAction::Turn => {
            let is_after = session
                .differences
                .other
                .with_untracked(|other| other.as_ref().is_none_or(|other| other.opened_is_after));
            ask(session, !is_after, vec![FILES.with_borrow(Vec::clone)]);
        }
        DifferenceAction::Close => close(session),
    }
}

/// Forgets the other dump.
pub(super) fn close(session: Session) {
    Aside::Differences.end();
    FILES.take();
    WAITING.take();
    session.differences.other.set(None);
}

/// Compares with the other dump again if another arena of what is open is looked at.
pub(super) fn follow_arena(session: Session) {
    let arena = session.settings.get_untracked().arena;
    let other = session.differences.other.get_untracked();
    if let Some(other) = other.filter(|other| other.arena != arena) {
        ask(
            session,
            other.opened_is_after,
            vec![FILES.with_borrow(Vec::clone)],
        );
    }
}

/// Compares two plans, and shows both.
fn plans(session: Session, from: Column, to: Column) {
    insight::unlight(session);
    session.differences.chosen.set(Some((from, to)));
    for column in [from, to] {
        if session
            .shown
            .with_untracked(|shown| !shown.contains(&column))
        {
            super::show_column(session, column, true);
        }
    }
}

/// Has the open dump compared with the first of `attempts`, and with the others one after the
/// other as long as their files do not belong together.
fn ask(session: Session, opened_is_after: bool, mut attempts: Vec<Vec<Given>>) {
    let opened = flow::files();
    if opened.is_empty() || attempts.first().is_none_or(Vec::is_empty) {
        return;
    }
    let mut others = attempts.remove(0);
    others.order_by(|a, b| a.name.cmp(&b.name));
    FILES.set(others.clone());
    let arena = session.settings.get_untracked().arena;
    let names: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
    session.differences.other.set(Some(Other {
        name: names.join(JOINT),
        opened_is_after,
        arena,
        found: Found::Waiting,
        waiting: WAITING.with_borrow(Waiting::names),
    }));
    let (before, after) = match opened_is_after {
        true => (others, opened),
        false => (opened, others),
    };
    let count = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let files: Vec<Given> = before.into_iter().chain(after).collect();
    let blobs: Vec<Blob> = files.iter().map(|file| file.blob.clone()).collect();
    let request = Request::Differ {
        id: 0,
        names: files.into_iter().map(|file| file.name).collect(),
        count,
        arena,
        opened_is_after,
    };
    Aside::Differences.ask(&request, &blobs, move |answer| {
        let apart = |error: &LoadError| error.kind == Fault::Apart;
        if let Ok(Reply::Differed { differed, .. }) = &answer
            && differed.as_ref().is_err_and(apart)
            && !attempts.is_empty()
        {
            return ask(session, opened_is_after, attempts);
        }
        let found = match answer {
            Ok(Reply::Differed { differed, .. }) => match differed {
                Ok(differed) => Found::There(Arc::from(differed)),
                Err(error) => Found::Refused(error),
            },
            Ok(_) => return,
            Err(reason) => Found::Crashed(reason),
        };
        session.differences.other.update(|other| {
            if let Some(other) = other {
                other.waiting = who_waits(&found);
                other.found = found;
            }
        });
    });
}

/// What waits for others after this was found of the other dump.
fn who_waits(found: &Found) -> Vec<String> {
    let files = FILES.with_borrow(Vec::clone);
    WAITING.with_borrow_mut(|waiting| {
        match found {
            Found::Refused(error) if error.kind == Fault::Partner => waiting.keep(files),
            // Compared with another dump, the rest of the one before is not needed.
            Found::There(_) => waiting.clear(),
            _ => {}
        }
        waiting.names()
    })
}
