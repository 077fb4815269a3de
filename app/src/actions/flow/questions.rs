//! What the worker is asked next.

use leptos::prelude::*;
use web_sys::Blob;
use worker::Request;

use super::opening::same;
use super::{Flow, Stage};
use crate::parts::HANDS;
use crate::state::column::Column;

impl Flow {
    /// The next question, if there is one: its request, its files.
    pub(super) fn next_question(&mut self) -> Option<(Request, Vec<Blob>)> {
        if self.stage != Stage::Idle {
            return None;
        }
        self.id = self.id.wrapping_add(1);
        let id = self.id;
        let asked = self.finish.is_some() || !self.films.is_empty() || !self.explains.is_empty();
        let waits = self.stale || self.price || asked || !self.queue.is_empty();
        let reopen = !self.held && waits;
        if let Some(source) = self
            .next
            .take()
            .or_else(|| self.open.clone().filter(|_| reopen))
        {
            self.stage = Stage::Opening;
            self.resume = reopen && !self.stale && same(Some(&source), self.open.as_ref());
            let names = source.files.iter().map(|file| file.name.clone()).collect();
            let blobs = source.files.iter().map(|file| file.blob.clone()).collect();
            self.opening = Some(source);
            return Some((Request::Open { id, names }, blobs));
        }
        if self.stale && self.open.is_some() {
            let session = self.session?;
            self.stage = Stage::Preparing;
            self.stale = false;
            let bindings = session.bindings.get_untracked();
            let settings = session.settings.get_untracked();
            self.asked_with = Some((bindings.clone(), settings));
            let request = Request::Prepare {
                id,
                bindings,
                settings,
            };
            return Some((request, Vec::new()));
        }
        Some((self.next_plan(id)?, Vec::new()))
    }

    /// The next question about plans: what was asked for, before what is only waiting.
    fn next_plan(&mut self, id: u32) -> Option<Request> {
        let session = self.session?;
        let effort = session.planning.effort.get_untracked();
        if let Some(finish) = self.finish.take() {
            self.stage = Stage::Finishing(finish.column, finish.number);
            return Some(Request::Finish {
                id,
                strategy: finish.strategy,
                kept: finish.kept,
                pools: session.planning.pools.get_untracked(),
                effort,
            });
        }
        if let Some(request) = self.explain_question(session) {
            return Some(request);
        }
        if let Some(request) = self.film_question(session) {
            return Some(request);
        }
        // What is not seen waits for the first picture.
        let seen = |column: &Column| session.shown.with_untracked(|shown| shown.contains(column));
        let waits = HANDS.now().is_none();
        let next = self.queue.front().filter(|column| !waits || seen(column));
        if waits && next.is_none() {
            return None;
        }
        let Some(column) = self.queue.pop_front() else {
            self.open.as_ref().filter(|_| self.price)?;
            self.price = false;
            self.stage = Stage::Pricing;
            return Some(Request::Price { id, effort });
        };
        self.stage = Stage::Planning(column);
        Some(match column {
            Column::Deployed => Request::Judge { id },
            Column::Strategy(strategy) => Request::Plan {
                id,
                strategy,
                pools: session.planning.pools.get_untracked(),
                effort,
            },
        })
    }
}
