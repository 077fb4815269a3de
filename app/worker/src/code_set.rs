//! The code that a server has. The page's worker begins with what the first picture of a small
//! model needs and fetches the rest when it is needed: what names only the first set does not carry
//! the others.

use planner::bounds::Bounds;
use planner::load::{self, Figures, LoadError, Member, Part, Readers, Source, Table};
use planner::tflm_offline_plan::written;
use planner::what_if::{self, Kept};
use planner::{
    Bytes, Effort, Message, Options, Pipeline, Plan, Planners, Strategy, Subject, message,
};

use crate::asks::AskContext;
use crate::case::Case;
use crate::explain::explain;
use crate::listener::Listener;
use crate::writing::rewrite;
use crate::{
    CaseId, Change, Explained, Packed, PlanRef, Planned, Reply, Request, Server, Surroundings,
    asks, trace,
};

/// What is asked for needs code that the server does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingCode;

impl MissingCode {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("the code that this needs is not loaded")
    }
}

planner::impl_message!(MissingCode);
impl std::error::Error for MissingCode {}

/// The files that are inside of packed ones.
type Unpack = fn(&[Part<'_>]) -> Result<Vec<Member>, LoadError>;

/// Says why a plan is as large as it is.
type Explain = fn(&Subject, &Bounds, &Plan, Bytes) -> Explained;

/// Answers a request.
type Answer = fn(&mut Server, &Request, &[&dyn Source], &dyn Surroundings) -> Option<Reply>;

/// What a server can do: each set does what those before it do.
#[derive(Clone, Copy, Debug)]
pub struct CodeSet {
    pub(crate) readers: Readers,
    pub(crate) unpack: Option<Unpack>,
    /// The table that a file is.
    pub(crate) table: fn(&[Part<'_>]) -> Option<Table>,
    /// The figures of a text without a plan.
    pub(crate) figures: fn(&[Part<'_>]) -> Option<Figures>,
    pub(crate) pipeline: Pipeline,
    pub(crate) planners: Planners,
    /// Reasons that come with a plan.
    pub(crate) explain: Option<Explain>,
    /// What is asked of plans.
    pub(crate) usual: Option<Answer>,
    /// What is asked of dumps and of files.
    pub(crate) dumps: Option<Answer>,
}

impl CodeSet {
    /// Reads ONNX models and finds the plans that are seen first, without any search.
    pub const FIRST: Self = Self {
        readers: Readers::ONNX,
        unpack: None,
        table: |_| None,
        figures: |_| None,
        pipeline: Pipeline::ONNX,
        planners: Planners::AT_ONCE,
        explain: None,
        usual: None,
        dumps: None,
    };

    /// Everything but what is about a toolchain's dump or file.
    pub const USUAL: Self = Self {
        readers: Readers::USUAL,
        unpack: None,
        table: load::table,
        figures: |_| None,
        pipeline: Pipeline::ALL,
        planners: Planners::ALL,
        explain: Some(explain),
        usual: Some(usual),
        dumps: None,
    };

    /// Everything.
    pub const ALL: Self = Self {
        readers: Readers::ALL,
        unpack: Some(|parts| load::unpack(parts, load::MOST_UNPACKED)),
        figures: |parts| load::figures(parts).ok().flatten(),
        dumps: Some(dumps),
        ..Self::USUAL
    };

    /// Whether nothing is missing.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.dumps.is_some()
    }

    /// Whether it goes beyond the first set.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.usual.is_some()
    }
}

/// Answers what is asked of plans.
fn usual(
    server: &mut Server,
    request: &Request,
    files: &[&dyn Source],
    around: &dyn Surroundings,
) -> Option<Reply> {
    match request {
        Request::Zeros { case, shares } => {
            let case = server.cases.get_mut(case)?;
            case.keep_zeros(shares.open().unwrap_or_default());
            None
        }
        Request::Finish {
            id,
            case,
            strategy,
            kept,
            pools,
            effort,
        } => {
            let case = server.cases.get_mut(case)?;
            let options = case.options(pools, *effort);
            finish(case, (*id, *strategy), kept, &options, around)
        }
        Request::Trace {
            id,
            case,
            strategy,
            pools,
            effort,
        } => {
            let case = server.cases.get(case)?;
            let options = case.options(pools, *effort);
            record(case, (*id, *strategy), &options, around)
        }
        Request::Explain { id, case, plan } => {
            let case = server.cases.get_mut(case)?;
            let Some(plan) = case.plan(plan) else {
                return Some(Reply::Unknown { id: *id });
            };
            let prepared = case.prepared.as_ref()?;
            let explained = explain(
                &prepared.subject,
                &prepared.bounds,
                &plan,
                case.settings.alignment,
            );
            Some(Reply::Explained {
                id: *id,
                explained: Box::new(explained),
            })
        }
        Request::Change {
            id,
            case,
            plan,
            change,
            pools,
        } => {
            let case = server.cases.get_mut(case)?;
            let options = case.options(pools, Effort::DEFAULT);
            changed(case, *id, (plan, change), &options, files)
        }
        Request::Ask { id, case, ask } => {
            asks::answered::<false>(ask, &place(server, (*id, *case), files, around))
        }
        Request::Rewrite { id, case, text } => {
            Some(rewrite(server.cases.get_mut(case)?, *id, text.as_deref()))
        }
        // Answered elsewhere.
        _ => None,
    }
}

/// Answers what is about dumps and files.
fn dumps(
    server: &mut Server,
    request: &Request,
    files: &[&dyn Source],
    around: &dyn Surroundings,
) -> Option<Reply> {
    match request {
        Request::Ask { id, case, ask } => {
            asks::answered::<true>(ask, &place(server, (*id, *case), files, around))
        }
        Request::Export { id, case, plan } => {
            let case = server.cases.get_mut(case)?;
            let Some(plan) = case.plan(plan) else {
                return Some(Reply::Unknown { id: *id });
            };
            let lifetimes = &case.prepared.as_ref()?.subject.lifetimes;
            let written = match written(*files.first()?, lifetimes, &plan) {
                Ok(written) => Ok(Packed::new(&written)?),
                Err(error) => Err(error),
            };
            Some(Reply::Exported { id: *id, written })
        }
        // Answered elsewhere.
        _ => None,
    }
}

fn place<'a>(
    server: &'a Server,
    (id, case): (u32, CaseId),
    files: &'a [&'a dyn Source],
    around: &'a dyn Surroundings,
) -> AskContext<'a> {
    AskContext {
        server,
        id,
        case,
        files,
        around,
    }
}

/// Changes a plan by hand, and has it judged.
fn changed(
    case: &mut Case,
    id: u32,
    (plan, change): (&PlanRef, &Change),
    options: &Options,
    files: &[&dyn Source],
) -> Option<Reply> {
    let Some(plan) = case.plan(plan) else {
        return Some(Reply::Unknown { id });
    };
    let changed = case.changed(&plan, change, options, files.first().copied())?;
    let changed = match changed {
        Ok(plan) => Ok(Box::new(match change {
            Change::Import => case.judged_by_litert(id, plan, options)?,
            Change::Move(_) | Change::Corrupt(_) => {
                case.planned(CodeSet::USUAL, id, plan, options)?
            }
        })),
        Err(error) => Err(error),
    };
    if let Ok(planned) = &changed {
        case.keep(planned);
    }
    Some(Reply::Changed { id, changed })
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
            ..case.planned(CodeSet::USUAL, id, plan, options)?
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
    (id, strategy): (u32, Strategy),
    options: &Options,
    around: &dyn Surroundings,
) -> Option<Reply> {
    let prepared = case.prepared.as_ref()?;
    let (lifetimes, bounds) = (&prepared.subject.lifetimes, &prepared.bounds);
    let listener = Listener::new(id, strategy, around, (lifetimes, bounds, options));
    let trace = match trace::record(strategy, lifetimes, options, listener.for_figures()) {
        Ok(trace) => Ok(Packed::new(&*trace)?),
        Err(error) => Err(error),
    };
    Some(Reply::Trace { id, trace })
}
