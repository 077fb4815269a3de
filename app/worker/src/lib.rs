//! Runs the planner beside the page: Request in, Reply out.
//!
//! The page asks for one thing at a time: open a file, prepare it under some bindings and
//! settings, plan one strategy. A request that has become stale is simply not followed by
//! the next; one that runs too long is ended by terminating the worker. Nothing here needs a
//! browser, so the whole conversation is tested natively.

mod differing;
mod explain;
mod trace;
mod listener;
mod messages;
mod price;
#[cfg(target_arch = "wasm32")]
pub mod thread;

use planner::deployed::Deployed;
use planner::graph::Bindings;
use planner::load::{Document, LoadError, Loaded, Part, Source};
use planner::offline::{Unwritable, Written, written};
use planner::what_if::Kept;
use planner::{
    Effort, Io, Lifetimes, Options, Plan, PlanError, Pool, Settings, Strategy, TFLM_ALIGNMENT,
    bounds, load, profile, what_if,
};

use listener::Listener;

pub use differing::Differed;
pub use explain::{Explained, RELIEFS, explain, lane_at, reserved_but_free};
pub use messages::{ArenaFacts, Opened, Planned, Prepared, Reply, Request};
pub use price::{Price, Priced};

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

/// What the worker keeps between requests.
#[derive(Debug)]
pub struct Desk {
    skills: Skills,
    document: Option<Document>,
    prepared: Option<Prepared>,
    bindings: Bindings,
    settings: Settings,
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
            document: None,
            prepared: None,
            bindings: Bindings::default(),
            settings: Settings::default(),
        }
    }

    /// Answers one request. `files` are those that came with it.
    pub fn answer(&mut self, request: Request, files: &[&dyn Source], around: &dyn Surroundings) {
        let reply = match request {
            Request::Open { id, names } => self.open(id, &names, files),
            Request::Prepare {
                id,
                bindings,
                settings,
            } => {
                self.prepare(id, &bindings, settings, around);
                None
            }
            Request::Plan {
                id,
                strategy,
                pools,
                effort,
            } => {
                let options = self.options(pools, effort);
                self.plan(id, strategy, &options, around)
            }
            Request::Finish {
                id,
                strategy,
                kept,
                pools,
                effort,
            } => {
                let options = self.options(pools, effort);
                self.finish(id, strategy, &kept, &options, around)
            }
            Request::Judge { id } => self.judge(id),
            Request::Trace {
                id,
                strategy,
                pools,
                effort,
            } => {
                let options = self.options(pools, effort);
                self.trace(id, strategy, &options, around)
            }
            Request::Explain { id, plan } => self.explain(id, &plan),
            Request::Price { id, effort } => self.price(id, effort, around),
            Request::Differ { .. } | Request::ReadPlan { .. } | Request::TakeHome { .. } => {
                self.beside(request, files)
            }
        };
        if let Some(reply) = reply {
            around.reply(&reply);
        }
    }

    /// Answers what has nothing to do with what is open.
    fn beside(&self, request: Request, files: &[&dyn Source]) -> Option<Reply> {
        match request {
            Request::Differ {
                id,
                names,
                count,
                arena,
                opened_is_after,
            } => {
                let differ = self.skills.differ;
                Some(differ.map_or(Reply::Elsewhere { id }, |differ| {
                    let differed = differ(&names, files, count, arena, opened_is_after);
                    let differed = differed.map(Box::new);
                    Reply::Differed { id, differed }
                }))
            }
            Request::ReadPlan { id } => files.first().map(|file| Reply::PlanRead {
                id,
                read: load::load_plan(*file).map(Box::new),
            }),
            Request::TakeHome {
                id,
                lifetimes,
                plan,
            } => files.first().map(|file| match self.skills.write {
                Some(write) => Reply::TakenHome {
                    id,
                    written: write(*file, &lifetimes, &plan),
                },
                None => Reply::Elsewhere { id },
            }),
            // About what is open: `answer` has them.
            Request::Open { .. }
            | Request::Prepare { .. }
            | Request::Plan { .. }
            | Request::Finish { .. }
            | Request::Judge { .. }
            | Request::Trace { .. }
            | Request::Explain { .. }
            | Request::Price { .. } => None,
        }
    }

    /// `None` without any file, and where a file has no name.
    fn open(&mut self, id: u32, names: &[String], files: &[&dyn Source]) -> Option<Reply> {
        if files.is_empty() || names.len() != files.len() {
            return None;
        }
        let parts = parts(names, files);
        let (format, document, warnings) = match (self.skills.load)(&parts) {
            Ok(Some(read)) => read,
            Ok(None) => return Some(Reply::Elsewhere { id }),
            Err(error) => return Some(Reply::Refused { id, error }),
        };
        let graph = document.graph();
        let symbols = graph.map_or_else(Vec::new, |graph| graph.symbols.clone());
        let deployed = document.deployed();
        let brings = graph.is_some_and(|graph| !graph.offline.is_empty());
        let opened = Opened {
            format,
            symbols,
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
        };
        self.document = Some(document);
        self.prepared = None;
        Some(Reply::Opened { id, opened })
    }

    /// Reports to the page what is prepared, and keeps that very thing: a copy of a million buffers
    /// would cost as much again.
    fn prepare(
        &mut self,
        id: u32,
        bindings: &Bindings,
        settings: Settings,
        around: &dyn Surroundings,
    ) {
        let Some(document) = &self.document else {
            return;
        };
        let prepared = planner::prepare(document, bindings, &settings).map(|subject| {
            Box::new(Prepared {
                bounds: bounds::aligned(&subject.lifetimes, settings.alignment),
                profile: profile(&subject.lifetimes),
                subject,
            })
        });
        let reply = Reply::Prepared { id, prepared };
        around.reply(&reply);
        if let Reply::Prepared {
            prepared: Ok(prepared),
            ..
        } = reply
        {
            self.bindings.clone_from(bindings);
            self.settings = settings;
            self.prepared = Some(*prepared);
        }
    }

    fn options(&self, pools: Vec<Pool>, effort: Effort) -> Options {
        Options {
            pools,
            effort,
            ..Options::aligned(self.settings.alignment)
        }
    }

    fn plan(
        &self,
        id: u32,
        strategy: Strategy,
        options: &Options,
        around: &dyn Surroundings,
    ) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
        let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
        let mut listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
        let judged = planner::judged(strategy, lifetimes, bounds, options, &mut listener);
        let planned = judged.map(|judged| {
            Box::new(Planned {
                judged: prepared.subject.counted(judged),
                order: listener.order(),
                ms: listener.elapsed(),
            })
        });
        Some(Reply::Planned { id, planned })
    }

    /// Plans around what is kept, and has the plan judged without that wish, so that what was
    /// pinned onto others is found.
    fn finish(
        &self,
        id: u32,
        strategy: Strategy,
        kept: &[Kept],
        options: &Options,
        around: &dyn Surroundings,
    ) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
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

    fn trace(
        &self,
        id: u32,
        strategy: Strategy,
        options: &Options,
        around: &dyn Surroundings,
    ) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
        let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
        let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
        let trace = trace::record(strategy, lifetimes, options, listener.for_figures());
        Some(Reply::Trace { id, trace })
    }

    fn price(&self, id: u32, effort: Effort, around: &dyn Surroundings) -> Option<Reply> {
        let document = self.document.as_ref()?;
        let price = price::price(id, document, &self.bindings, &self.settings, effort, around);
        Some(Reply::Priced { id, price })
    }

    fn explain(&self, id: u32, plan: &Plan) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
        let explained = explain(&prepared.subject, &prepared.bounds, plan);
        let explained = Box::new(explained);
        Some(Reply::Explained { id, explained })
    }

    fn judge(&self, id: u32) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
        let Some(plan) = prepared.subject.deployed.clone() else {
            // A model's plan has a meaning only under the lifetimes that it was made for.
            let graph = prepared.subject.graph()?;
            graph.offline.first()?;
            let what = "inputs and outputs other than as TFLite Micro has them";
            let planned = Err(PlanError::Unsupported { what: what.into() });
            return Some(Reply::Planned { id, planned });
        };
        let lifetimes = &prepared.subject.lifetimes;
        // It was made for the pools that it names, whatever is planned for now.
        let pools = prepared.subject.declared_pools().to_vec();
        let options = self.options(pools, Effort::DEFAULT);
        let judged = planner::judge(lifetimes, &prepared.bounds, &options, plan);
        let planned = Ok(Box::new(Planned {
            judged: prepared.subject.counted(judged),
            order: Vec::new(),
            ms: 0.0,
        }));
        Some(Reply::Planned { id, planned })
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
