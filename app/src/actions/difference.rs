//! Comparing: two plans of the open file, or the open dump with another of the same program.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use web_sys::Blob;
use worker::{Reply, Request};

use super::flow;
use crate::links::differ as link;
use crate::links::files::{Given, JOINT};
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
    /// Took the other dump for the one after, or for the one before.
    Turn,
    /// Is done with the other dump, or does not wait for it any longer.
    Close,
}

thread_local! {
    static TALK: RefCell<Talk> = RefCell::new(Talk::default());
}

/// What the worker was asked last.
#[derive(Default)]
struct Talk {
    session: Option<Session>,
    /// Number of the outstanding question.
    id: u32,
    files: Vec<Given>,
}

/// Hears the worker for this session.
pub(crate) fn start(session: Session) {
    TALK.with_borrow_mut(|talk| talk.session = Some(session));
    link::hear(link::Ears { reply: heard, died });
}

pub(super) fn act(session: Session, action: DifferenceAction) {
    match action {
        DifferenceAction::Plans(from, to) => plans(session, from, to),
        DifferenceAction::Dump(files) if files.is_empty() => {}
        DifferenceAction::Dump(files) => {
            TALK.with_borrow_mut(|talk| talk.files = files);
            ask(session, true);
        }
        DifferenceAction::Turn => {
            let is_after = session
                .differences
                .other
                .with_untracked(|other| other.as_ref().is_none_or(|other| other.opened_is_after));
            ask(session, !is_after);
        }
        DifferenceAction::Close => close(session),
    }
}

/// Forgets the other dump.
pub(super) fn close(session: Session) {
    link::end();
    TALK.with_borrow_mut(|talk| {
        talk.id = talk.id.wrapping_add(1);
        talk.files.clear();
    });
    session.differences.other.set(None);
}

/// Compares two plans, and shows both.
fn plans(session: Session, from: Column, to: Column) {
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

/// Has the open dump compared with the other one.
fn ask(session: Session, opened_is_after: bool) {
    let opened = flow::files();
    // Whoever compared before is done with that.
    link::end();
    let (id, others) = TALK.with_borrow_mut(|talk| {
        talk.id = talk.id.wrapping_add(1);
        (talk.id, talk.files.clone())
    });
    if opened.is_empty() || others.is_empty() {
        return;
    }
    let names: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
    session.differences.other.set(Some(Other {
        name: names.join(JOINT),
        opened_is_after,
        found: Found::Waiting,
    }));
    let (before, after) = match opened_is_after {
        true => (others, opened),
        false => (opened, others),
    };
    let count = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let files: Vec<Given> = before.into_iter().chain(after).collect();
    let blobs: Vec<Blob> = files.iter().map(|file| file.blob.clone()).collect();
    let request = Request::Differ {
        id,
        names: files.into_iter().map(|file| file.name).collect(),
        count,
        arena: session.settings.get_untracked().arena,
        opened_is_after,
    };
    link::ask(&request, &blobs);
}

fn heard(reply: Reply) {
    let Reply::Differed { id, differed } = reply else {
        return;
    };
    let session = TALK.with_borrow(|talk| talk.session.filter(|_| talk.id == id));
    let Some(session) = session else { return };
    // It holds both dumps, which nobody needs any longer.
    link::end();
    tell(
        session,
        match differed {
            Ok(differed) => Found::There(Arc::from(differed)),
            Err(error) => Found::Refused(error),
        },
    );
}

fn died(reason: String) {
    link::end();
    if let Some(session) = TALK.with_borrow(|talk| talk.session) {
        tell(session, Found::Crashed(reason));
    }
}

fn tell(session: Session, found: Found) {
    session.differences.other.update(|other| {
        if let Some(other) = other {
            other.found = found;
        }
    });
}
