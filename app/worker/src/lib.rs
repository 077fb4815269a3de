//! Runs the planner beside the page: Request in, Reply out.
//!
//! The page asks for one thing at a time: open a file, prepare it under some bindings and
//! settings, plan one strategy. A request that has become stale is simply not followed by
//! the next; one that runs too long is ended by terminating the worker. Nothing here needs a
//! browser, so the whole conversation is tested natively.

mod differing;
mod explain;
mod filming;
mod listener;
mod price;
#[cfg(target_arch = "wasm32")]
pub mod thread;

use planner::bounds::{self, Bounds};
use planner::deployed::Deployed;
use planner::graph::{Bindings, Symbol};
use planner::liveness::profile::{Profile, profile};
use planner::liveness::{Io, Lifetimes, Settings, TFLM_ALIGNMENT, TooLarge};
use planner::load::{self, Document, Format, LoadError, Part, Source, Warning};
use planner::offline::{Unwritable, Written, written};
use planner::pipeline::{self, Judged, Subject};
use planner::plan::{Effort, Options, Plan, Pool};
use planner::strategies::film::Film;
use planner::strategies::{PlanError, Stage, Strategy};
use planner::units::Bytes;
use planner::what_if::{self, Kept};
use serde::{Deserialize, Serialize};

use listener::Listener;

pub use differing::Differed;
pub use explain::{Explained, RELIEFS, explain, lane_at, reserved_but_free};
pub use price::{Price, Priced};

/// What the page asks for. `id` comes back in every reply, so that the page can drop
/// replies to questions that it no longer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read the files that come with this message as one document.
    Open {
        /// Number of the question.
        id: u32,
        /// What the person calls each file, in their order.
        names: Vec<String>,
    },
    /// Size the open document and find its lifetimes.
    Prepare {
        /// Number of the question.
        id: u32,
        /// Values of symbolic dimensions.
        bindings: Bindings,
        /// What the user chose about lifetimes.
        settings: Settings,
    },
    /// Plan what was prepared last.
    Plan {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The memories to plan for; none for one without a limit.
        pools: Vec<Pool>,
        /// How long it may search.
        effort: Effort,
    },
    /// Plan what was prepared last around buffers that stay where they are.
    Finish {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The buffers that stay, and where.
        kept: Vec<Kept>,
        /// The memories to plan for; none for one without a limit.
        pools: Vec<Pool>,
        /// How long it may search.
        effort: Effort,
    },
    /// Judge the plan that came with the document.
    Judge {
        /// Number of the question.
        id: u32,
    },
    /// Plan what was prepared last once more, and record every decision.
    Film {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The memories to plan for; empty for one without a limit.
        pools: Vec<Pool>,
        /// How long a search may search.
        effort: Effort,
    },
    /// Compare two dumps of one program, which come with this message; what is open stays.
    Differ {
        /// Number of the question.
        id: u32,
        /// What the person calls each file, those of the dump before first.
        names: Vec<String>,
        /// How many of them are the dump before.
        count: u32,
        /// The arena that is looked at, in the dump that is open.
        arena: u32,
        /// Whether that is the dump after.
        opened_is_after: bool,
    },
    /// Say why a plan of what was prepared last is as large as it is.
    Explain {
        /// Number of the question.
        id: u32,
        /// The plan.
        plan: Box<Plan>,
    },
    /// Write a plan into the TFLite file that comes with this message; what is open stays.
    TakeHome {
        /// Number of the question.
        id: u32,
        /// What was planned: the tensors of that file.
        lifetimes: Box<Lifetimes>,
        /// The plan.
        plan: Box<Plan>,
    },
    /// Plan the open model twice with the best strategy, for operators one after the other
    /// and for operators at the same time.
    Price {
        /// Number of the question.
        id: u32,
        /// How long each may be searched for.
        effort: Effort,
    },
}

/// What the page is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The file was read.
    Opened {
        /// Number of the question.
        id: u32,
        /// What it turned out to be.
        opened: Opened,
    },
    /// The file could not be read; what was open before stays.
    Refused {
        /// Number of the question.
        id: u32,
        /// Why.
        error: LoadError,
    },
    /// The document is ready to be planned.
    Prepared {
        /// Number of the question.
        id: u32,
        /// Graph, lifetimes, bounds, profile; or why there are none.
        prepared: Result<Box<Prepared>, TooLarge>,
    },
    /// A strategy is at work.
    Progress {
        /// Number of the question.
        id: u32,
        /// The stage that it is in, of a strategy that says so.
        stage: Option<Stage>,
        /// Parts done, of that stage where there is one.
        done: u64,
        /// Parts in all, about.
        total: u64,
    },
    /// A strategy is at work and has a plan that is smaller than all before.
    Incumbent {
        /// Number of the question.
        id: u32,
        /// The judged plan.
        planned: Box<Planned>,
    },
    /// A strategy is done.
    Planned {
        /// Number of the question.
        id: u32,
        /// The judged plan, or why there is none.
        planned: Result<Box<Planned>, PlanError>,
    },
    /// A strategy's decisions are recorded.
    Film {
        /// Number of the question.
        id: u32,
        /// The film, or why there is none.
        film: Result<Box<Film>, PlanError>,
    },
    /// What differs between two dumps.
    Differed {
        /// Number of the question.
        id: u32,
        /// Both dumps and what differs, or why one of them could not be read.
        differed: Result<Box<Differed>, LoadError>,
    },
    /// Why a plan is as large as it is.
    Explained {
        /// Number of the question.
        id: u32,
        /// Its bytes by reason, its holes, its free bytes over time.
        explained: Box<Explained>,
    },
    /// A TFLite file with a plan in it.
    TakenHome {
        /// Number of the question.
        id: u32,
        /// The file's new start and what it promises, or why there is none.
        written: Result<Written, Unwritable>,
    },
    /// What running operators at the same time costs.
    Priced {
        /// Number of the question.
        id: u32,
        /// Both plans' figures; `None` where one of them could not be made.
        price: Option<Price>,
    },
}

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its format.
    pub format: Format,
    /// The symbolic dimensions that can be bound.
    pub symbols: Vec<Symbol>,
    /// Whether it brings a plan of its own.
    pub deployed: bool,
    /// What made the plans, as people call it; empty for what is no deployed plan, and where
    /// the file does not say.
    pub toolchain: String,
    /// The arenas of a deployed plan, in the file's order.
    pub arenas: Vec<ArenaFacts>,
    /// How many source lines it knows.
    pub frames: u64,
    /// How whoever saved it looked at it, as the fragment of a link; empty where nobody says.
    pub view: String,
    /// Alignment to start with, in bytes: 64 for models, 16 for those that bring a plan for
    /// TFLite Micro, 1 for problems.
    pub alignment: u64,
    /// Where inputs and outputs live to start with: as the plan has them that a model brings.
    pub io: Io,
    /// What the reader has to say.
    pub warnings: Vec<Warning>,
}

/// What there is to choose an arena by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaFacts {
    /// What the file calls it; empty where it has only one.
    pub name: String,
    /// Its size as deployed.
    pub size: Bytes,
    /// How many buffers share it.
    pub buffers: u64,
}

/// A document ready to be planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Graph and lifetimes. Of the weights only their places in the file are here.
    pub subject: Subject,
    /// Lower bounds.
    pub bounds: Bounds,
    /// Live bytes per step.
    pub profile: Profile,
}

/// A judged plan and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// Plan, figures and verdict.
    pub judged: Judged,
    /// The buffers in the order in which the strategy decided them.
    pub order: Vec<u32>,
    /// Milliseconds that planning took.
    pub ms: f64,
}

/// What the worker keeps between requests.
#[derive(Debug, Default)]
pub struct Desk {
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

impl Desk {
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
            Request::Film {
                id,
                strategy,
                pools,
                effort,
            } => {
                let options = self.options(pools, effort);
                self.film(id, strategy, &options, around)
            }
            Request::Differ {
                id,
                names,
                count,
                arena,
                opened_is_after,
            } => {
                let differed = differing::differ(&names, files, count, arena, opened_is_after);
                let differed = differed.map(Box::new);
                Some(Reply::Differed { id, differed })
            }
            Request::Explain { id, plan } => self.explain(id, &plan),
            Request::TakeHome {
                id,
                lifetimes,
                plan,
            } => files.first().map(|file| Reply::TakenHome {
                id,
                written: written(*file, &lifetimes, &plan),
            }),
            Request::Price { id, effort } => self.price(id, effort, around),
        };
        if let Some(reply) = reply {
            around.reply(&reply);
        }
    }

    /// `None` without any file, and where a file has no name.
    fn open(&mut self, id: u32, names: &[String], files: &[&dyn Source]) -> Option<Reply> {
        if files.is_empty() || names.len() != files.len() {
            return None;
        }
        let parts = parts(names, files);
        let (format, document, warnings) = match load::load_parts(&parts) {
            Ok(read) => read,
            Err(error) => return Some(Reply::Refused { id, error }),
        };
        let symbols = match &document {
            Document::Model(graph) => graph.symbols.clone(),
            Document::Problem(_) | Document::Deployed(..) => Vec::new(),
        };
        let deployed = match &document {
            Document::Deployed(deployed) => Some(deployed),
            Document::Model(_) | Document::Problem(_) => None,
        };
        let brings = matches!(&document, Document::Model(graph) if !graph.offline.is_empty());
        let opened = Opened {
            format,
            symbols,
            deployed: brings || matches!(document, Document::Deployed(..)),
            toolchain: deployed.map_or_else(String::new, |it| it.toolchain.clone()),
            arenas: deployed.map(arenas).unwrap_or_default(),
            view: deployed.map_or_else(String::new, |it| it.view.clone()),
            frames: deployed.map_or(0, |it| it.frames.len() as u64),
            alignment: match document {
                Document::Model(_) if brings => TFLM_ALIGNMENT.0,
                Document::Model(_) => 64,
                _ => 1,
            },
            io: if brings { Io::Tflm } else { Io::Beside },
            warnings,
        };
        self.document = Some(document);
        self.prepared = None;
        Some(Reply::Opened { id, opened })
    }

    /// Tells the page what is prepared, and keeps that very thing: a copy of a million buffers
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
        let prepared = pipeline::prepare(document, bindings, &settings).map(|subject| {
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
        let judged = pipeline::judged(strategy, lifetimes, bounds, options, &mut listener);
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
                    .counted(pipeline::judge(lifetimes, bounds, options, plan)),
                order: listener.order(),
                ms: listener.elapsed(),
            })
        });
        Some(Reply::Planned { id, planned })
    }

    fn film(
        &self,
        id: u32,
        strategy: Strategy,
        options: &Options,
        around: &dyn Surroundings,
    ) -> Option<Reply> {
        let prepared = self.prepared.as_ref()?;
        let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
        let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
        let film = filming::film(strategy, lifetimes, options, listener.for_figures());
        Some(Reply::Film { id, film })
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
            let graph = prepared.subject.graph.as_ref()?;
            graph.offline.first()?;
            let what = "inputs and outputs other than as TFLite Micro has them";
            let planned = Err(PlanError::Unsupported { what: what.into() });
            return Some(Reply::Planned { id, planned });
        };
        let lifetimes = &prepared.subject.lifetimes;
        // It was made for the pools that it names, whatever is planned for now.
        let pools = prepared.subject.declared_pools().to_vec();
        let options = self.options(pools, Effort::DEFAULT);
        let judged = pipeline::judge(lifetimes, &prepared.bounds, &options, plan);
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
