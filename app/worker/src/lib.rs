//! Runs the planner beside the page: Request in, Reply out.
//!
//! The page asks for one thing at a time: open a file as a case, prepare it under some bindings
//! and settings, plan one strategy. A request that has become stale is simply not followed by
//! the next; one that runs too long is ended by terminating the worker. Nothing here needs a
//! browser, so the whole conversation is tested natively.

mod case;
mod differing;
mod explain;
mod trace;
mod listener;
mod messages;
#[cfg(target_arch = "wasm32")]
pub mod thread;

use std::collections::BTreeMap;
use std::rc::Rc;

use planner::deployed::Deployed;
use planner::graph::Bindings;
use planner::load::{Document, LoadError, Loaded, Part, Source, Warning};
use planner::offline::{Unwritable, Written, written};
use planner::what_if::Kept;
use planner::{
    Effort, Io, Lifetimes, Options, Plan, Settings, Strategy, TFLM_ALIGNMENT, load, what_if,
};

use case::Case;
use listener::Listener;

pub use explain::{Explained, RELIEFS, explain, lane_at, reserved_but_free};
pub use messages::{
    ArenaFacts, CaseId, Change, Opened, PlanRef, Planned, Prepared, Reply, Request, Unchanged,
};

/// What [`written`] is.
type Write = fn(&dyn Source, &Lifetimes, &Plan) -> Result<Written, Unwritable>;

/// What only the worker for dumps can do. The page starts with one that cannot, because the
/// readers are a quarter of it.
#[derive(Clone, Copy, Debug)]
struct Skills {
    /// Reads files; `None` for a dump or a program JSON that it cannot read.
    load: fn(&[Part<'_>]) -> Result<Option<Loaded>, LoadError>,
    /// Compares two dumps.
    differ: Option<differing::Differ>,
    /// Writes a plan into a TFLite file.
    write: Option<Write>,
}

/// What the worker keeps between requests: the open cases.
#[derive(Debug)]
pub struct Desk {
    skills: Skills,
    cases: BTreeMap<CaseId, Case>,
}

/// Things that only a browser or a test can give.
pub trait Surroundings {
    /// Milliseconds since some moment.
    fn now(&self) -> f64;
    /// Sends a reply to the page.
    fn reply(&self, reply: &Reply);
}

impl Default for Desk {
    /// Answers everything.
    fn default() -> Self {
        Self::skilled(Skills {
            load: |parts| load::load_parts(parts).map(Some),
            differ: Some(differing::differ),
            write: Some(written),
        })
    }
}

impl Desk {
    /// Answers everything but what is about a toolchain's dump or file: that is
    /// [`Reply::Elsewhere`].
    #[must_use]
    pub fn without_dumps() -> Self {
        Self::skilled(Skills {
            load: load::load_but_dumps,
            differ: None,
            write: None,
        })
    }

    fn skilled(skills: Skills) -> Self {
        Self {
            skills,
            cases: BTreeMap::new(),
        }
    }

    /// Answers one request. `files` are those that came with it.
    pub fn answer(&mut self, request: Request, files: &[&dyn Source], around: &dyn Surroundings) {
        let reply = match request {
            Request::Open { id, case, names } => self.open(id, case, &names, files),
            Request::Like { id, case, other } => self.like(id, case, other),
            Request::Close { case } => {
                self.cases.remove(&case);
                None
            }
            Request::Prepare {
                id,
                case,
                bindings,
                settings,
            } => {
                self.prepare(id, case, &bindings, settings, around);
                None
            }
            Request::Judge { id, case } => self.judge(id, case),
            Request::Explain { id, case, plan } => self.explain(id, case, plan),
            Request::Change { id, case, .. } => self.change(request, (id, case), files),
            Request::Differ { id, before, after } => self.differ(id, before, after),
            Request::TakeHome { id, case, plan } => self.take_home(id, case, plan, files),
            Request::Plan { .. } | Request::Finish { .. } | Request::Trace { .. } => {
                self.strategy(request, around)
            }
        };
        if let Some(reply) = reply {
            around.reply(&reply);
        }
    }

    /// Answers what a strategy has to work for.
    fn strategy(&mut self, request: Request, around: &dyn Surroundings) -> Option<Reply> {
        match request {
            Request::Plan {
                id,
                case,
                strategy,
                pools,
                effort,
            } => {
                let case = self.cases.get_mut(&case)?;
                let options = case.options(pools, effort);
                plan(case, id, strategy, &options, around)
            }
            Request::Finish {
                id,
                case,
                strategy,
                kept,
                pools,
                effort,
            } => {
                let case = self.cases.get_mut(&case)?;
                let options = case.options(pools, effort);
                finish(case, (id, strategy), &kept, &options, around)
            }
            Request::Trace {
                id,
                case,
                strategy,
                pools,
                effort,
            } => {
                let case = self.cases.get(&case)?;
                let options = case.options(pools, effort);
                record(case, id, strategy, &options, around)
            }
            _ => None,
        }
    }

    /// `None` without any file, and where a file has no name.
    fn open(
        &mut self,
        id: u32,
        case: CaseId,
        names: &[String],
        files: &[&dyn Source],
    ) -> Option<Reply> {
        if files.is_empty() || names.len() != files.len() {
            return None;
        }
        let parts = parts(names, files);
        let (format, document, warnings) = match (self.skills.load)(&parts) {
            Ok(Some(read)) => read,
            Ok(None) => return Some(Reply::Elsewhere { id }),
            Err(error) => return Some(Reply::Refused { id, error }),
        };
        let opened = opened(format, &document, warnings);
        let kept = Case::new(Rc::new(document), opened.clone());
        self.cases.insert(case, kept);
        Some(Reply::Opened { id, opened })
    }

    /// The same document as another case.
    fn like(&mut self, id: u32, case: CaseId, other: CaseId) -> Option<Reply> {
        let other = self.cases.get(&other)?;
        let opened = other.opened.clone();
        let kept = Case::new(Rc::clone(&other.document), opened.clone());
        self.cases.insert(case, kept);
        Some(Reply::Opened { id, opened })
    }

    /// Reports to the page what is prepared, and keeps that very thing: a copy of a million buffers
    /// would cost as much again.
    fn prepare(
        &mut self,
        id: u32,
        case: CaseId,
        bindings: &Bindings,
        settings: Settings,
        around: &dyn Surroundings,
    ) {
        let Some(case) = self.cases.get_mut(&case) else {
            return;
        };
        let prepared = case.prepare(bindings, settings).map(Box::new);
        let reply = Reply::Prepared { id, prepared };
        around.reply(&reply);
        if let Reply::Prepared {
            prepared: Ok(prepared),
            ..
        } = reply
        {
            case.prepared = Some(*prepared);
        }
    }

    fn judge(&mut self, id: u32, case: CaseId) -> Option<Reply> {
        let case = self.cases.get_mut(&case)?;
        let planned = case.deployed(id)?;
        if let Ok(planned) = &planned {
            case.keep(planned);
        }
        let planned = planned.map(Box::new);
        Some(Reply::Planned { id, planned })
    }

    fn explain(&mut self, id: u32, case: CaseId, plan: PlanRef) -> Option<Reply> {
        let case = self.cases.get_mut(&case)?;
        let Some(plan) = case.plan(plan) else {
            return Some(Reply::Unknown { id });
        };
        let explained = Box::new(case.explained(&plan)?);
        Some(Reply::Explained { id, explained })
    }

    fn change(
        &mut self,
        request: Request,
        (id, case): (u32, CaseId),
        files: &[&dyn Source],
    ) -> Option<Reply> {
        let Request::Change {
            plan,
            change,
            pools,
            ..
        } = request
        else {
            return None;
        };
        let case = self.cases.get_mut(&case)?;
        let Some(plan) = case.plan(plan) else {
            return Some(Reply::Unknown { id });
        };
        let options = case.options(pools, Effort::DEFAULT);
        let changed = case.changed(&plan, change, &options, files.first().copied())?;
        let changed = match changed {
            Ok(plan) => Ok(Box::new(case.planned(id, plan, &options)?)),
            Err(error) => Err(error),
        };
        if let Ok(planned) = &changed {
            case.keep(planned);
        }
        Some(Reply::Changed { id, changed })
    }

    fn differ(&self, id: u32, before: CaseId, after: CaseId) -> Option<Reply> {
        let (before, after) = (self.cases.get(&before)?, self.cases.get(&after)?);
        let Some(differ) = self.skills.differ else {
            return Some(Reply::Elsewhere { id });
        };
        let differed = differ(before, after).map(Box::new);
        Some(Reply::Differed { id, differed })
    }

    fn take_home(
        &mut self,
        id: u32,
        case: CaseId,
        plan: PlanRef,
        files: &[&dyn Source],
    ) -> Option<Reply> {
        let Some(write) = self.skills.write else {
            return Some(Reply::Elsewhere { id });
        };
        let case = self.cases.get_mut(&case)?;
        let Some(plan) = case.plan(plan) else {
            return Some(Reply::Unknown { id });
        };
        let lifetimes = &case.prepared.as_ref()?.subject.lifetimes;
        let written = write(*files.first()?, lifetimes, &plan);
        Some(Reply::TakenHome { id, written })
    }
}

fn plan(
    case: &mut Case,
    id: u32,
    strategy: Strategy,
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = case.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let mut listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let judged = planner::judged(strategy, lifetimes, bounds, options, &mut listener);
    let planned = judged.map(|judged| {
        case.with_reasons(Planned {
            number: id,
            judged: prepared.subject.counted(judged),
            order: listener.order(),
            ms: listener.elapsed(),
            explained: None,
        })
    });
    if let Ok(planned) = &planned {
        case.keep(planned);
    }
    let planned = planned.map(Box::new);
    Some(Reply::Planned { id, planned })
}

/// Plans around what is kept, and has the plan judged without that wish, so that what was
/// pinned onto others is found.
fn finish(
    case: &mut Case,
    (id, strategy): (u32, Strategy),
    kept: &[Kept],
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = case.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let mut listener = listener.for_figures();
    let made = what_if::finish(strategy, lifetimes, kept, options, &mut listener);
    let planned = match made {
        Ok(plan) => Ok(Planned {
            order: listener.order(),
            ms: listener.elapsed(),
            ..case.planned(id, plan, options)?
        }),
        Err(error) => Err(error),
    };
    if let Ok(planned) = &planned {
        case.keep(planned);
    }
    let planned = planned.map(Box::new);
    Some(Reply::Planned { id, planned })
}

fn record(
    case: &Case,
    id: u32,
    strategy: Strategy,
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = case.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let trace = trace::record(strategy, lifetimes, options, listener.for_figures());
    Some(Reply::Trace { id, trace })
}

/// What a document turned out to be.
fn opened(format: load::Format, document: &Document, warnings: Vec<Warning>) -> Opened {
    let graph = document.graph();
    let deployed = document.deployed();
    let brings = graph.is_some_and(|graph| !graph.offline.is_empty());
    Opened {
        format,
        symbols: graph.map_or_else(Vec::new, |graph| graph.symbols.clone()),
        deployed: brings || deployed.is_some(),
        toolchain: deployed.map_or_else(String::new, |it| it.toolchain.clone()),
        arenas: deployed.map(arenas).unwrap_or_default(),
        view: deployed.map_or_else(String::new, |it| it.view.clone()),
        frames: deployed.map_or(0, |it| it.frames.len() as u64),
        alignment: match graph {
            Some(_) if brings => TFLM_ALIGNMENT.0,
            Some(_) => 64,
            None => 1,
        },
        io: if brings { Io::Tflm } else { Io::Beside },
        warnings,
    }
}

/// Files with what the person calls them.
fn parts<'s>(names: &'s [String], files: &[&'s dyn Source]) -> Vec<Part<'s>> {
    let parts = names.iter().zip(files);
    let part = |(name, source): (&'s String, &&'s dyn Source)| Part {
        name,
        source: *source,
    };
    parts.map(part).collect()
}

fn arenas(deployed: &Deployed) -> Vec<ArenaFacts> {
    let arenas = deployed.arenas.iter();
    let facts = arenas.map(|arena| ArenaFacts {
        name: arena.name.clone(),
        size: arena.plan.arena,
        buffers: arena.lifetimes.buffers.len() as u64,
    });
    facts.collect()
}
