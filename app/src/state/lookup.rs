//! What is looked for: the query, what it means here, and the buffers that it finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use conversation::Action;
use leptos::prelude::*;
use planner::Plan;
use planner::query::{Facts, Known, Query, QueryError, parse, parse_for};
use planner::waste::{Waste, waste};
use worker::Prepared;

use super::driver::act;
use super::part::Part;
use super::session::{Column, Progress, Session};

/// Texts of every buffer; equal only to itself, so that comparing costs nothing.
#[derive(Clone)]
pub(crate) struct Texts(pub(crate) Arc<Facts>);

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a query finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The buffers, by index.
    pub(crate) buffers: Vec<usize>,
    /// Their sizes together.
    pub(crate) bytes: u64,
    /// The same of those that are live at the peak.
    pub(crate) at_peak: u64,
}

/// How queries are read and answered: fetched after the first picture, which needs none.
#[derive(Clone, Copy)]
pub(crate) struct Seeking {
    /// Reads a query, by what is known of the buffers if anything is.
    read: fn(&str, Option<&Facts>) -> Result<Query, QueryError>,
    /// The buffers that it finds.
    matches: fn(&Query, &Known<'_>) -> Vec<usize>,
    /// Which buffers make which part of any arena; the bytes are those of an arena of none.
    parts: fn(&Prepared) -> Waste,
    /// All texts of the buffers.
    texts: fn(&Prepared, &Waste) -> Facts,
}

impl Seeking {
    /// Only what is fetched later may name it.
    pub(crate) const WHOLE: Self = Self {
        read: |query, facts| match facts {
            Some(facts) => parse_for(query, facts),
            None => parse(query),
        },
        matches: |query, known| query.matches(known),
        // Which buffers make which part does not depend on where they lie.
        parts: |prepared| {
            let subject = &prepared.subject;
            let (nowhere, bounds) = (Plan::default(), &prepared.bounds);
            waste(&subject.lifetimes, &subject.notes, &nowhere, bounds)
        },
        texts: |prepared, parts| prepared.subject.facts(prepared.bounds.peak, Some(parts)),
    };
}

/// The search and what follows from it.
#[derive(Clone, Copy)]
pub(crate) struct Lookup {
    /// Which buffers make which part of any arena; `None` until that is fetched.
    pub(crate) parts: Memo<Option<Arc<Waste>>>,
    /// Texts of every buffer of what is open: those that the first picture needs, until the others
    /// can be made.
    pub(crate) texts: Memo<Option<Texts>>,
    /// What is typed, as a query or as what is wrong with it.
    pub(crate) parsed: Memo<Result<Query, QueryError>>,
    /// What it finds. `None` where nothing is asked, and while it cannot be read: nothing is
    /// counted, left out or gone through then.
    pub(crate) found: Memo<Option<Arc<Found>>>,
}

impl Lookup {
    pub(crate) fn new(
        query: Part<String>,
        prepared: Part<Option<Arc<Prepared>>>,
        (shown, plans): (Part<Vec<Column>>, Part<BTreeMap<Column, Progress>>),
        seeking: fn() -> Option<Seeking>,
    ) -> Self {
        let parts = Memo::new(move |_| {
            let find = seeking()?.parts;
            prepared.with(|it| Some(Arc::new(find(it.as_deref()?))))
        });
        let texts = Memo::new(move |_| {
            let parts = parts.get();
            prepared.with(|it| {
                let prepared = it.as_deref()?;
                let facts = match (seeking(), &parts) {
                    (Some(seeking), Some(parts)) => (seeking.texts)(prepared, parts),
                    _ => prepared.subject.facts_at_once(prepared.bounds.peak),
                };
                Some(Texts(Arc::new(facts)))
            })
        });
        // What steps there are is known once a file is open.
        let parsed = Memo::new(move |_| {
            let Some(seeking) = seeking() else {
                return Ok(Query::default());
            };
            query.with(|query| {
                texts.with(|texts| (seeking.read)(query, texts.as_ref().map(|it| it.0.as_ref())))
            })
        });
        let plan = move || {
            let shown = shown.get();
            plans.with(|plans| {
                let mut planned = shown.iter().filter_map(|it| plans.get(it)?.planned());
                planned.next().cloned()
            })
        };
        let found = Memo::new(move |_| {
            let query = parsed.get().ok()?;
            query.expr.as_ref()?;
            let (prepared, texts) = (prepared.get()?, texts.get()?);
            let planned = query.needs_plan().then(plan).flatten();
            let known = Known {
                lifetimes: &prepared.subject.lifetimes,
                facts: &texts.0,
                plan: planned.as_ref().map(|planned| &planned.judged.plan),
            };
            let buffers = (seeking()?.matches)(&query, &known);
            Some(Arc::new(found(&prepared, buffers)))
        });
        Self {
            parts,
            texts,
            parsed,
            found,
        }
    }
}

impl Session {
    /// Whether this is what is looked for.
    pub(crate) fn is_sought(self, query: &str) -> bool {
        self.query.with(|now| now == query)
    }

    /// Looks for it; once more, and everything shows again.
    pub(crate) fn seek(self, query: &str) {
        let sought = untrack(|| self.is_sought(query));
        let next = if sought { "" } else { query };
        act(self, Action::Search(next.to_owned()));
    }
}

fn found(prepared: &Prepared, buffers: Vec<usize>) -> Found {
    let all = &prepared.subject.lifetimes.buffers;
    let mut found = Found::default();
    for buffer in buffers.iter().filter_map(|&index| all.get(index)) {
        found.bytes = found.bytes.saturating_add(buffer.size.0);
        if let Some((start, end)) = buffer.needed_at(prepared.bounds.peak) {
            let bytes = end.0.saturating_sub(start.0);
            found.at_peak = found.at_peak.saturating_add(bytes);
        }
    }
    found.buffers = buffers;
    found
}
