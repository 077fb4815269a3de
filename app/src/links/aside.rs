//! Workers for what is asked beside planning: there while they answer, so that planning goes on
//! meanwhile and the page never holds whole files.

use std::cell::RefCell;

use web_sys::Blob;
use worker::{Reply, Request};

use super::thread::{self, Handlers, Key, Link};
use super::worker::SCRIPT;

/// What becomes of an answer, or of the reason why there is none.
type Done = Box<dyn FnOnce(Result<Reply, String>)>;

/// What is asked for; each has a worker of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// What differs between two dumps.
    Differences,
    /// A model with a plan in it.
    Home,
    /// A plan alone.
    Plan,
}

thread_local! {
    static DIFFERENCES: Link<Reply> = Link::new(SCRIPT);
    static HOME: Link<Reply> = Link::new(SCRIPT);
    static PLAN: Link<Reply> = Link::new(SCRIPT);
    static WAITING: RefCell<[Option<Done>; 3]> = const { RefCell::new([None, None, None]) };
}

impl Aside {
    fn link(self) -> Key<Reply> {
        match self {
            Self::Differences => &DIFFERENCES,
            Self::Home => &HOME,
            Self::Plan => &PLAN,
        }
    }

    fn handlers(self) -> Handlers<Reply> {
        match self {
            Self::Differences => Handlers {
                reply: |reply| Self::Differences.received(Ok(reply)),
                died: |reason| Self::Differences.received(Err(reason)),
            },
            Self::Home => Handlers {
                reply: |reply| Self::Home.received(Ok(reply)),
                died: |reason| Self::Home.received(Err(reason)),
            },
            Self::Plan => Handlers {
                reply: |reply| Self::Plan.received(Ok(reply)),
                died: |reason| Self::Plan.received(Err(reason)),
            },
        }
    }

    fn put(self, done: Option<Done>) -> Option<Done> {
        WAITING.with_borrow_mut(|all| std::mem::replace(&mut all[self as usize], done))
    }

    fn received(self, answer: Result<Reply, String>) {
        let done = self.put(None);
        // What it holds is not needed any longer.
        thread::end(self.link());
        if let Some(done) = done {
            done(answer);
        }
    }

    /// Asks; whatever was asked for before is not answered any longer.
    pub(crate) fn ask(
        self,
        request: &Request,
        files: &[Blob],
        done: impl FnOnce(Result<Reply, String>) + 'static,
    ) {
        self.end();
        self.put(Some(Box::new(done)));
        thread::handle(self.link(), self.handlers());
        thread::ask(self.link(), request, files);
    }

    /// The answer is not needed any longer.
    pub(crate) fn end(self) {
        self.put(None);
        thread::end(self.link());
    }
}
