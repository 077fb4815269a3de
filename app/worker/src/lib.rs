//! Runs the planner beside the page: Request in, Reply out.
//!
//! The page asks for one thing at a time: open a file, prepare it under some bindings and
//! settings, plan one strategy. A request that has become stale is simply not followed by
//! the next; one that runs too long is ended by terminating the worker. Nothing here needs a
//! browser, so the whole conversation is tested natively.

mod differing;
mod explain;
mod skills;
mod trace;
mod listener;
mod messages;
mod price;
#[cfg(target_arch = "wasm32")]
pub mod thread;

use planner::deployed::Deployed;
use planner::graph::Bindings;
use planner::load::{Document, Part, Source};
use planner::{
    Effort, Io, Options, PlanError, Pool, Settings, Strategy, TFLM_ALIGNMENT, bounds, profile,
};

use listener::Listener;

pub use differing::Differed;
pub use explain::{Explained, RELIEFS, explain, lane_at, reserved_but_free};
pub use messages::{ArenaFacts, Opened, Planned, Prepared, Reply, Request};
pub use price::{Price, Priced};
pub use skills::{Lacking, Skills};

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
        Self::skilled(Skills::ALL)
    }
}

impl Desk {
    /// Answers as far as these skills go.
    #[must_use]
    pub fn skilled(skills: Skills) -> Self {
        Self {
            skills,
            document: None,
            prepared: None,
            bindings: Bindings::default(),
            settings: Settings::default(),
        }
    }

    /// How far its skills go.
    #[must_use]
    pub fn skills(&self) -> Skills {
        self.skills
    }

    /// From now on it answers as far as these skills go.
    pub fn learn(&mut self, skills: Skills) {
        self.skills = skills;
    }

    /// Answers one request. `files` are those that came with it.
    ///
    /// # Errors
    /// [`Lacking`] where that needs skills that it does not have: nothing has changed then, and
    /// nothing but progress was reported.
    pub fn answer(
        &mut self,
        request: &Request,
        files: &[&dyn Source],
        around: &dyn Surroundings,
    ) -> Result<(), Lacking> {
        let reply = match request {
            Request::Open { id, names } => self.open(*id, names, files)?,
            Request::Prepare {
                id,
                bindings,
                settings,
            } => {
                self.prepare(*id, bindings, *settings, around)?;
                None
            }
            Request::Plan {
                id,
                strategy,
                pools,
                effort,
            } => {
                let options = self.options(pools, *effort);
                self.plan(*id, *strategy, &options, around)?
            }
            Request::Judge { id } => self.judge(*id),
            Request::Finish { .. }
            | Request::Trace { .. }
            | Request::Explain { .. }
            | Request::Price { .. }
            | Request::ReadPlan { .. } => {
                self.skills.usual.ok_or(Lacking)?(self, request, files, around)
            }
            Request::Differ { .. } | Request::TakeHome { .. } => {
                self.skills.dumps.ok_or(Lacking)?(self, request, files, around)
            }
        };
        if let Some(reply) = reply {
            around.reply(&reply);
        }
        Ok(())
    }

    /// `None` without any file, and where a file has no name.
    fn open(
        &mut self,
        id: u32,
        names: &[String],
        files: &[&dyn Source],
    ) -> Result<Option<Reply>, Lacking> {
        if files.is_empty() || names.len() != files.len() {
            return Ok(None);
        }
        let parts = parts(names, files);
        let (format, document, warnings) = match (self.skills.load)(&parts) {
            Ok(read) => read.ok_or(Lacking)?,
            Err(error) => return Ok(Some(Reply::Refused { id, error })),
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
        Ok(Some(Reply::Opened { id, opened }))
    }

    /// Reports to the page what is prepared, and keeps that very thing: a copy of a million buffers
    /// would cost as much again.
    fn prepare(
        &mut self,
        id: u32,
        bindings: &Bindings,
        settings: Settings,
        around: &dyn Surroundings,
    ) -> Result<(), Lacking> {
        let Some(document) = &self.document else {
            return Ok(());
        };
        let prepared = (self.skills.prepare)(document, bindings, &settings).ok_or(Lacking)?;
        let prepared = prepared.map(|subject| {
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
        Ok(())
    }

    fn options(&self, pools: &[Pool], effort: Effort) -> Options {
        Options {
            pools: pools.to_vec(),
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
    ) -> Result<Option<Reply>, Lacking> {
        let Some(prepared) = self.prepared.as_ref() else {
            return Ok(None);
        };
        let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
        let mut listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
        let judged = (self.skills.judged)(strategy, lifetimes, bounds, options, &mut listener);
        let planned = judged.ok_or(Lacking)?.map(|judged| {
            Box::new(Planned {
                judged: prepared.subject.counted(judged),
                order: listener.order(),
                ms: listener.elapsed(),
            })
        });
        Ok(Some(Reply::Planned { id, planned }))
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
        let pools = prepared.subject.declared_pools();
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
