//! What a desk can do. The page's worker begins with what the first picture of a small model needs
//! and fetches the rest when it is needed: code that only names the first skills does not carry
//! the others.

use std::fmt;

use planner::bounds::Bounds;
use planner::graph::Bindings;
use planner::load::{self, Document, LoadError, Loaded, Part, Source};
use planner::offline::written;
use planner::what_if::{self, Kept};
use planner::{
    Judged, Lifetimes, Observer, Options, Plan, PlanError, Settings, Strategy, Subject, TooLarge,
};

use crate::explain::explain;
use crate::listener::Listener;
use crate::{Desk, Planned, Reply, Request, Surroundings, differing, price, trace};

/// What is asked for needs skills that the desk does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacking;

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the desk lacks what this needs")
    }
}

impl std::error::Error for Lacking {}

/// Reads files; `None` for what it cannot read.
type Load = fn(&[Part<'_>]) -> Result<Option<Loaded>, LoadError>;

/// Makes a document ready; `None` for what it cannot.
type Prepare = fn(&Document, &Bindings, &Settings) -> Option<Result<Subject, TooLarge>>;

/// Plans and judges; `None` for what it cannot plan.
type Judge = fn(
    Strategy,
    &Lifetimes,
    &Bounds,
    &Options,
    &mut dyn Observer,
) -> Option<Result<Judged, PlanError>>;

/// Answers a request about what is open, or beside it.
type Answer = fn(&Desk, &Request, &[&dyn Source], &dyn Surroundings) -> Option<Reply>;

/// What a desk can do: each of these does what those before it do.
#[derive(Clone, Copy, Debug)]
pub struct Skills {
    pub(crate) load: Load,
    pub(crate) prepare: Prepare,
    pub(crate) judged: Judge,
    /// What is asked of plans.
    pub(crate) usual: Option<Answer>,
    /// What is asked of dumps and of files.
    pub(crate) dumps: Option<Answer>,
}

impl Skills {
    /// Reads ONNX models and finds the plans that are seen first, without any search.
    pub const FIRST: Self = Self {
        load: load::load_onnx,
        prepare: planner::prepare_onnx,
        judged: planner::judged_at_once,
        usual: None,
        dumps: None,
    };

    /// Everything but what is about a toolchain's dump or file.
    pub const USUAL: Self = Self {
        load: load::load_but_dumps,
        prepare: |document, bindings, settings| {
            Some(planner::prepare(document, bindings, settings))
        },
        judged: |strategy, lifetimes, bounds, options, observer| {
            Some(planner::judged(
                strategy, lifetimes, bounds, options, observer,
            ))
        },
        usual: Some(usual),
        dumps: None,
    };

    /// Everything.
    pub const ALL: Self = Self {
        load: |parts| load::load_parts(parts).map(Some),
        dumps: Some(dumps),
        ..Self::USUAL
    };

    /// Whether a desk with these skills lacks none.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.dumps.is_some()
    }

    /// Whether they go beyond the first ones.
    #[must_use]
    pub fn are_usual(&self) -> bool {
        self.usual.is_some()
    }
}

/// Answers what is asked of plans.
fn usual(
    desk: &Desk,
    request: &Request,
    files: &[&dyn Source],
    around: &dyn Surroundings,
) -> Option<Reply> {
    match request {
        Request::Finish {
            id,
            strategy,
            kept,
            pools,
            effort,
        } => {
            let options = desk.options(pools, *effort);
            finish(desk, (*id, *strategy), kept, &options, around)
        }
        Request::Trace {
            id,
            strategy,
            pools,
            effort,
        } => {
            let options = desk.options(pools, *effort);
            record(desk, (*id, *strategy), &options, around)
        }
        Request::Explain { id, plan } => explained(desk, *id, plan),
        Request::Price { id, effort } => {
            let document = desk.document.as_ref()?;
            let with = (&desk.bindings, &desk.settings);
            let price = price::price(*id, document, with.0, with.1, *effort, around);
            Some(Reply::Priced { id: *id, price })
        }
        Request::ReadPlan { id } => files.first().map(|file| Reply::PlanRead {
            id: *id,
            read: load::load_plan(*file).map(Box::new),
        }),
        // Answered elsewhere.
        _ => None,
    }
}

/// Answers what has nothing to do with what is open.
fn dumps(
    _: &Desk,
    request: &Request,
    files: &[&dyn Source],
    _: &dyn Surroundings,
) -> Option<Reply> {
    match request {
        Request::Differ {
            id,
            names,
            count,
            arena,
            opened_is_after,
        } => {
            let differed = differing::differ(names, files, *count, *arena, *opened_is_after);
            let differed = differed.map(Box::new);
            Some(Reply::Differed { id: *id, differed })
        }
        Request::TakeHome {
            id,
            lifetimes,
            plan,
        } => files.first().map(|file| Reply::TakenHome {
            id: *id,
            written: written(*file, lifetimes, plan),
        }),
        // Answered elsewhere.
        _ => None,
    }
}

/// Plans around what is kept, and has the plan judged without that wish, so that what was
/// pinned onto others is found.
fn finish(
    desk: &Desk,
    (id, strategy): (u32, Strategy),
    kept: &[Kept],
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = desk.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let mut listener = listener.for_figures();
    let made = what_if::finish(strategy, lifetimes, kept, options, &mut listener);
    let planned = made.map(|plan| {
        Box::new(Planned {
            judged: prepared
                .subject
                .counted(planner::judge(lifetimes, bounds, options, plan)),
            order: listener.order(),
            ms: listener.elapsed(),
        })
    });
    Some(Reply::Planned { id, planned })
}

fn record(
    desk: &Desk,
    (id, strategy): (u32, Strategy),
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = desk.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let trace = trace::record(strategy, lifetimes, options, listener.for_figures());
    Some(Reply::Trace { id, trace })
}

fn explained(desk: &Desk, id: u32, plan: &Plan) -> Option<Reply> {
    let prepared = desk.prepared.as_ref()?;
    let explained = explain(&prepared.subject, &prepared.bounds, plan);
    let explained = Box::new(explained);
    Some(Reply::Explained { id, explained })
}
