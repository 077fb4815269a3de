//! What is opened: files that a person gave, alone or together, and samples.

use std::sync::Arc;

use leptos::prelude::*;
use planner::Sorting as _;
use planner::load::unpacked;
use web_sys::Blob;

use super::{FLOW, Flow, hurry};
use crate::actions::history;
use crate::links::files::{self as links, Given};
use crate::state::fragment::Fragment;
use crate::state::session::{Notice, Session, Work};

/// A file that is being opened or is open, or several that make one document.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) sample: Option<String>,
    pub(super) files: Vec<Given>,
    /// The number of the visit, of user files.
    pub(super) visit: Option<u32>,
    /// The plan that came with a link.
    pub(super) shared: Option<Arc<str>>,
    /// What is opened instead if these files do not belong together, one after the other.
    pub(super) instead: Vec<Vec<Given>>,
    /// Whether it is tried once more with what waits.
    pub(super) retried: bool,
    /// What to show once it is open.
    pub(super) wanted: Fragment,
}

impl Source {
    /// User files, opened in this visit.
    fn own(name: String, files: Vec<Given>, visit: u32, wanted: Fragment) -> Self {
        Self {
            name,
            sample: None,
            files,
            visit: Some(visit),
            shared: None,
            instead: Vec::new(),
            retried: false,
            wanted,
        }
    }
}

/// Keeps what a link says of a file that only its owner has, until that file is opened.
pub(in crate::actions) fn expect_file(wanted: Fragment) {
    FLOW.with_borrow_mut(|flow| flow.expected = Some(wanted));
}

/// Opens files as one document, with those that wait for them.
pub(in crate::actions) fn open_files(session: Session, given: Vec<Given>) {
    if given.is_empty() {
        return;
    }
    let attempts = FLOW.with_borrow(|flow| flow.waiting.attempts(given));
    open_first_of(session, attempts, false);
}

/// Opens the first of `attempts`, and the others one after the other as long as files do not
/// belong together.
pub(super) fn open_first_of(session: Session, mut attempts: Vec<Vec<Given>>, retried: bool) {
    if attempts.is_empty() {
        return;
    }
    let mut files = attempts.remove(0);
    // In whatever order they come, they are the same document.
    files.order_by(|a, b| a.name.cmp(&b.name));
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let name = names.join(links::JOINT);
    let wanted = FLOW.with_borrow_mut(|flow| {
        let named = |wanted: &mut Fragment| wanted.file.as_deref() == Some(name.as_str());
        flow.expected.take_if(named)
    });
    let visit = FLOW.with_borrow_mut(|flow| flow.visits.number());
    open(
        session,
        Source {
            instead: attempts,
            retried,
            ..Source::own(name, files, visit, wanted.unwrap_or_default())
        },
    );
}

/// Opens files again that were open under this name, those of this visit if they are still
/// there; whether there are any.
pub(in crate::actions) fn reopen(session: Session, visit: Option<u32>, wanted: &Fragment) -> bool {
    let name = wanted.file.clone().unwrap_or_default();
    let Some((visit, files)) = FLOW.with_borrow(|flow| flow.visits.find(visit, &name)) else {
        return false;
    };
    // What was missing is here.
    session.notice.update(|notice| {
        notice.take_if(|notice| matches!(notice, Notice::Missing(_)));
    });
    open(session, Source::own(name, files, visit, wanted.clone()));
    true
}

/// Opens the plan that a link brings, packed.
pub(in crate::actions) fn open_shared(session: Session, letters: &Arc<str>, wanted: Fragment) {
    let name = wanted.file.clone().unwrap_or_default();
    let given = unpacked(letters).map(|text| Given::text(&name, &text));
    match given {
        Ok(Some(given)) => open(
            session,
            Source {
                name,
                sample: None,
                files: vec![given],
                visit: None,
                shared: Some(Arc::clone(letters)),
                instead: Vec::new(),
                retried: false,
                wanted,
            },
        ),
        Ok(None) => session.notice.set(Some(Notice::Unreachable(name))),
        Err(error) => {
            if session.file.with_untracked(Option::is_none) {
                history::open_first(session);
            }
            session.notice.set(Some(Notice::BadLink(name, error)));
        }
    }
}

/// No file waits any longer for another.
pub(in crate::actions) fn forget_waiting(session: Session) {
    FLOW.with_borrow_mut(|flow| flow.waiting.clear());
    show_waiting(session);
}

/// `files` wait for others that belong to them.
pub(super) fn wait(session: Session, files: Vec<Given>) {
    FLOW.with_borrow_mut(|flow| flow.waiting.keep(files));
    show_waiting(session);
}

/// What is open now waits no longer, and is found again.
pub(super) fn complete(session: Session, source: &Source) {
    FLOW.with_borrow_mut(|flow| {
        flow.waiting.done(&source.files);
        if let Some(visit) = source.visit {
            flow.visits.keep(visit, &source.name, &source.files);
        }
    });
    show_waiting(session);
}

/// Shows what waits.
fn show_waiting(session: Session) {
    let names = FLOW.with_borrow(|flow| flow.waiting.names());
    if session.waiting.with_untracked(|shown| *shown != names) {
        session.waiting.set(names);
    }
}

pub(in crate::actions) fn open_sample(session: Session, id: String) {
    open_sample_as(
        session,
        Fragment {
            sample: Some(id),
            ..Fragment::default()
        },
    );
}

/// Opens the sample that `wanted` names, and shows it as `wanted` says.
pub(in crate::actions) fn open_sample_as(session: Session, mut wanted: Fragment) {
    let samples = links::samples();
    let named = samples
        .iter()
        .find(|sample| Some(&sample.id) == wanted.sample.as_ref());
    let Some(sample) = named.cloned() else {
        let name = wanted.sample.unwrap_or_default();
        session.notice.set(Some(Notice::Missing(name)));
        if session.file.with_untracked(Option::is_none) {
            history::open_first(session);
        }
        return;
    };
    suggest_bindings(&mut wanted);
    let title = sample.title(session.language.get_untracked()).to_owned();
    session.work.set(Work::Opening(title.clone()));
    let asked = FLOW.with_borrow_mut(Flow::ask_anew);
    wasm_bindgen_futures::spawn_local(async move {
        let fetched = links::fetch_sample(&sample.file).await;
        if FLOW.with_borrow(|flow| flow.asked != asked) {
            return;
        }
        match fetched {
            Ok(blob) => open(
                session,
                Source {
                    files: vec![Given {
                        name: sample.file,
                        blob,
                    }],
                    name: title,
                    sample: Some(sample.id),
                    visit: None,
                    shared: None,
                    instead: Vec::new(),
                    retried: false,
                    wanted,
                },
            ),
            Err(reason) => {
                session.work.set(Work::Idle);
                session.notice.set(Some(Notice::Unreachable(reason)));
            }
        }
    });
}

/// Binds what the sample suggests where a link binds nothing, so that a link shows the same
/// whatever is open.
pub(in crate::actions) fn suggest_bindings(wanted: &mut Fragment) {
    if wanted.bindings.is_empty() {
        let samples = links::samples().into_iter();
        let named = samples.filter(|sample| Some(&sample.id) == wanted.sample.as_ref());
        wanted.bindings = named.flat_map(|sample| sample.bind).collect();
    }
}

fn open(session: Session, source: Source) {
    session.work.set(Work::Opening(source.name.clone()));
    FLOW.with_borrow_mut(|flow| {
        flow.ask_anew();
        let unanswered = flow.next.take().or_else(|| flow.opening.clone());
        let own = unanswered.filter(|source| source.visit.is_some());
        flow.superseded = own.map(|source| source.files);
        flow.next = Some(source);
    });
    hurry(session);
}

impl Flow {
    /// What to try for `given`, with what was given a moment before and with what waits.
    pub(super) fn attempts(&mut self, given: Vec<Given>) -> Vec<Vec<Given>> {
        let before = self.superseded.take().map(|files| {
            let older = |kept: &Given| given.iter().all(|file| file.name != kept.name);
            let older = files.into_iter().filter(older);
            older.chain(given.iter().cloned()).collect::<Vec<Given>>()
        });
        let before = before.filter(|files| files.len() > given.len());
        before
            .into_iter()
            .chain(self.waiting.attempts(given))
            .collect()
    }
}

/// Every file of what is open.
pub(in crate::actions) fn files() -> Vec<Given> {
    FLOW.with_borrow(|flow| {
        let open = flow.open.as_ref();
        open.map(|open| open.files.clone()).unwrap_or_default()
    })
}

/// The file that is open; the first of several.
pub(in crate::actions) fn blob() -> Option<Blob> {
    FLOW.with_borrow(|flow| Some(flow.open.as_ref()?.files.first()?.blob.clone()))
}

pub(super) fn same(left: Option<&Source>, right: Option<&Source>) -> bool {
    let blobs = |source: &Source| -> Vec<Blob> {
        let files = source.files.iter();
        files.map(|file| file.blob.clone()).collect()
    };
    matches!((left, right), (Some(left), Some(right)) if blobs(left) == blobs(right))
}
