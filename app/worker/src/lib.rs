//! Runs the planner beside the page: Request in, Reply out.
//!
//! The page asks for one thing at a time: open a file as a case, prepare it under some bindings
//! and settings, plan one strategy. A request that has become stale is simply not followed by
//! the next; one that runs too long is ended by terminating the worker. Nothing here needs a
//! browser, so the whole conversation is tested natively.

mod advice;
mod asks;
mod case;
mod differing;
mod explain;
mod code_set;
mod stages;
mod sweep;
mod trace;
mod estimates;
mod fits;
mod ranks;
mod training;
mod writing;
mod measuring;
mod listener;
mod answers;
mod messages;
mod packed;
#[cfg(target_arch = "wasm32")]
pub mod thread;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use planner::graph::Bindings;
use planner::load::{Columns, Document, Fault, Files, Format, Part, Source, Warning};
use planner::overview::{overview, worst_first};
use planner::{Options, Settings, Span, Strategy, judge};

use case::Case;
use listener::{Listener, REPORT_EVERY_MS};

pub use advice::AdviceQuestion;
pub use answers::{Opened, Planned, Prepared};
pub use asks::{Ask, Question, Topic};
pub use code_set::{CodeSet, MissingCode};
pub use differing::ComparisonQuestion;
pub use estimates::Estimated;
pub use explain::{Explained, RELIEFS, explain, lane_at, reserved_but_free};
pub use measuring::{Asked, Found};
pub use messages::{CaseId, Change, PlanRef, Reply, Request, Unchanged};
pub use packed::Packed;
pub use stages::StagesQuestion;
pub use sweep::SweepQuestion;
pub use training::{TrainingAnswer, TrainingQuestion, TrainingWanted, Untrained};
pub use writing::TextQuestion;

/// What the worker keeps between requests: the open cases.
#[derive(Debug)]
pub struct Server {
    code: CodeSet,
    cases: BTreeMap<CaseId, Case>,
    /// What answers to one question leave for the next. What it is, only they know, so that this
    /// code does not carry theirs.
    kept: RefCell<Option<Box<dyn Any>>>,
}

/// Things that only a browser or a test can give.
pub trait Surroundings {
    /// Milliseconds since some moment.
    fn now(&self) -> f64;
    /// Sends a reply to the page.
    fn reply(&self, reply: &Reply);
}

impl Default for Server {
    /// Answers everything.
    fn default() -> Self {
        Self::with(CodeSet::ALL)
    }
}

impl Server {
    /// Answers as far as this code goes.
    #[must_use]
    pub fn with(code: CodeSet) -> Self {
        Self {
            code,
            cases: BTreeMap::new(),
            kept: RefCell::new(None),
        }
    }

    /// The code that it has.
    #[must_use]
    pub fn code(&self) -> CodeSet {
        self.code
    }

    /// From now on it answers as far as this code goes.
    pub fn set_code(&mut self, code: CodeSet) {
        self.code = code;
    }

    /// Answers one request. `files` are those that came with it.
    ///
    /// # Errors
    /// [`MissingCode`] where that needs code that it does not have: nothing has changed then, and
    /// nothing but progress was reported.
    pub fn answer(
        &mut self,
        request: &Request,
        files: &[&dyn Source],
        around: &dyn Surroundings,
    ) -> Result<(), MissingCode> {
        let reply = match request {
            Request::Open {
                id,
                case,
                names,
                columns,
                range,
                text,
            } => {
                let usual = self.code.usual;
                if text.is_some() && usual.is_none() {
                    return Err(MissingCode);
                }
                let opened = self.open((*id, *case), names, (columns, *range), files)?;
                match (usual, &opened) {
                    (Some(usual), Some(Reply::Opened { .. })) if text.is_some() => {
                        let (id, case, text) = (*id, *case, text.clone());
                        let rewrite = Request::Rewrite { id, case, text };
                        usual(self, &rewrite, files, around)
                    }
                    _ => opened,
                }
            }
            Request::Like { id, case, other } => self.like(*id, *case, *other),
            Request::Close { case } => {
                self.cases.remove(case);
                self.kept.take();
                None
            }
            Request::Prepare {
                id,
                case,
                bindings,
                settings,
            } => {
                self.prepare((*id, *case), bindings, *settings, around)?;
                None
            }
            Request::Plan {
                id,
                case,
                strategy,
                pools,
                effort,
            } => match self.cases.get_mut(case) {
                Some(case) => {
                    let options = case.options(pools, *effort);
                    plan(self.code, case, (*id, *strategy), &options, around)?
                }
                None => None,
            },
            Request::Judge { id, case } => self.judge(*id, *case),
            Request::Export { .. } => {
                self.code.dumps.ok_or(MissingCode)?(self, request, files, around)
            }
            Request::Ask { ask, .. } if ask.topic.is_of_dumps() => {
                self.code.dumps.ok_or(MissingCode)?(self, request, files, around)
            }
            _ => self.code.usual.ok_or(MissingCode)?(self, request, files, around),
        };
        if let Some(reply) = reply {
            around.reply(&reply);
        }
        Ok(())
    }

    /// `None` without any file, and where a file has no name.
    fn open(
        &mut self,
        (id, case): (u32, CaseId),
        names: &[String],
        (columns, range): (&Columns, Option<Span>),
        files: &[&dyn Source],
    ) -> Result<Option<Reply>, MissingCode> {
        if files.is_empty() || names.len() != files.len() {
            return Ok(None);
        }
        let parts = parts(names, files);
        let all = Files {
            parts: &parts,
            columns,
            range,
        };
        let (format, document, warnings) = match self.code.readers.load(&all) {
            Ok(read) => read.ok_or(MissingCode)?,
            Err(error) if error.kind == Fault::Packed => {
                let unpack = self.code.unpack.ok_or(MissingCode)?;
                return Ok(Some(match unpack(&parts) {
                    Ok(members) => Reply::Unpacked { id, members },
                    Err(error) => Reply::Refused {
                        id,
                        error,
                        table: None,
                        figures: None,
                    },
                }));
            }
            Err(error) => {
                let asks = error.kind == Fault::Columns || !columns.0.is_empty();
                let table = asks.then(|| (self.code.table)(&parts)).flatten();
                let table = table.map(Box::new);
                let said = error.kind == Fault::Figures;
                let figures = said.then(|| (self.code.figures)(&parts)).flatten();
                return Ok(Some(Reply::Refused {
                    id,
                    error,
                    table,
                    figures: figures.map(Box::new),
                }));
            }
        };
        let opened = opened(format, &document, warnings);
        let kept = Case::new(Rc::new(document), opened.clone());
        self.cases.insert(case, kept);
        Ok(Some(Reply::Opened { id, opened }))
    }

    /// Opens the document of another case as this one.
    fn like(&mut self, id: u32, case: CaseId, other: CaseId) -> Option<Reply> {
        let other = self.cases.get(&other)?;
        let opened = other.opened.clone();
        let mut kept = Case::new(Rc::clone(&other.base), opened.clone());
        kept.document = Rc::clone(&other.document);
        self.cases.insert(case, kept);
        Some(Reply::Opened { id, opened })
    }

    /// Reports to the page what is prepared, and keeps that very thing: a copy of a million buffers
    /// would cost as much again.
    fn prepare(
        &mut self,
        (id, case): (u32, CaseId),
        bindings: &Bindings,
        settings: Settings,
        around: &dyn Surroundings,
    ) -> Result<(), MissingCode> {
        let Some(case) = self.cases.get_mut(&case) else {
            return Ok(());
        };
        let mut told = around.now();
        let mut on_progress = |done, total| {
            let now = around.now();
            if now - told >= REPORT_EVERY_MS {
                told = now;
                around.reply(&Reply::Progress {
                    id,
                    stage: None,
                    done,
                    total,
                });
            }
            true
        };
        let pipeline = self.code.pipeline;
        let subject = pipeline.prepare(&case.document, bindings, &settings, &mut on_progress);
        let subject = subject.ok_or(MissingCode)?;
        let prepared = subject.map(|subject| Box::new(case.prepare(subject, settings)));
        let reply = Reply::Prepared { id, prepared };
        around.reply(&reply);
        if let Reply::Prepared {
            prepared: Ok(prepared),
            ..
        } = reply
        {
            case.prepared = Some(*prepared);
        }
        Ok(())
    }

    fn judge(&mut self, id: u32, case: CaseId) -> Option<Reply> {
        let case = self.cases.get_mut(&case)?;
        let planned = case.deployed(self.code, id)?;
        if let Ok(planned) = &planned {
            case.keep(planned);
        }
        let planned = planned.map(Box::new);
        Some(Reply::Planned { id, planned })
    }
}

fn plan(
    code: CodeSet,
    case: &mut Case,
    (id, strategy): (u32, Strategy),
    options: &Options,
    around: &dyn Surroundings,
) -> Result<Option<Reply>, MissingCode> {
    let Some(prepared) = case.prepared.as_ref() else {
        return Ok(None);
    };
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let mut listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let planners = code.planners;
    let plan = planners.plan(strategy, lifetimes, options, &mut listener);
    let planned = plan.ok_or(MissingCode)?.map(|plan| {
        let judged = judge(lifetimes, bounds, options, plan);
        let planned = Planned {
            number: id,
            judged: prepared.subject.counted(judged),
            order: listener.order(),
            ms: listener.elapsed(),
            explained: None,
        };
        case.with_reasons(code, planned)
    });
    if let Ok(planned) = &planned {
        case.keep(planned);
    }
    let planned = planned.map(Box::new);
    Ok(Some(Reply::Planned { id, planned }))
}

/// What a document turned out to be.
fn opened(format: Format, document: &Document, warnings: Vec<Warning>) -> Opened {
    let graph = document.graph();
    let (alignment, io) = planner::usual(document, format);
    let deployed = document.deployed();
    let brings = graph.is_some_and(|graph| !graph.offline.is_empty());
    // The bounds of a large trace take a while, and of one arena they are found later anyway.
    let several = deployed.filter(|it| it.arenas.len() > 1);
    let arenas = several.map(overview).unwrap_or_default();
    Opened {
        format,
        symbols: graph.map_or_else(Vec::new, |graph| graph.symbols.clone()),
        deployed: brings
            || deployed.is_some_and(|it| it.arenas.iter().any(|it| it.placed().is_some())),
        toolchain: deployed.map_or_else(String::new, |it| it.toolchain.clone()),
        arena: worst_first(&arenas).first().copied().unwrap_or(0),
        arenas,
        totals: deployed.map_or_else(Vec::new, |it| it.totals.clone()),
        view: deployed.map_or_else(String::new, |it| it.view.clone()),
        frames: deployed.map_or(0, |it| it.stacks.frames.len() as u64),
        alignment: alignment.0,
        io,
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
