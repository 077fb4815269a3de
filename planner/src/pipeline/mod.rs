//! The whole way in two calls: [`prepare`] takes a document to lifetimes, [`judged`] takes
//! lifetimes to a plan that the judge has passed. Page and command line both go this way; what
//! they ask of a plan beside it, each module answers for itself.

mod advised;
mod code;
mod left_out;
mod recorded;
mod split;
mod trained;
mod unused;

use serde::{Deserialize, Serialize};

use crate::Message;
use crate::attribution::label;
use crate::bounds::Bounds;
use crate::check::{self, Violation};
use crate::deployed::{Clock, Lane, Note, Refused, Scope, Stacks, Total};
use crate::graph::infer::{Sizers, infer_by};
use crate::graph::{Bindings, Graph, Op, TensorId};
use crate::liveness::{self, Buffer, Lifetimes, Residencies, TooLarge};
use crate::load::{Document, Format};
use crate::metrics::{self, Metrics};
use crate::passes::{self, Given, OnProgress, Report};
use crate::plan::{Options, Plan, Pool};
use crate::program::Program;
use crate::query::{Facts, Sources};
use crate::save::{Provenance, plan_json_from};
use crate::settings::{Io, Settings};
use crate::strategies::{self, Observer, PlanError, Strategy};
use crate::training::stage::Trained;
use crate::units::{Bytes, Step};
use crate::waste::{Waste, reach};

pub use code::Pipeline;
use code::is_tflm;
use recorded::of_arena;
pub use recorded::prepare_owned;
pub use split::Split;
use split::split;
pub use unused::Unused;

/// A document made ready for planning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The graph after the last pass, its schedule and storages, if the document is a model.
    pub program: Option<Program>,
    /// What each pass did, in the order in which they ran.
    pub reports: Vec<Report>,
    /// Of a training step, what the policy came to.
    pub trained: Option<Trained>,
    /// What is to be planned.
    pub lifetimes: Lifetimes,
    /// The plan that came with the document, if any.
    pub deployed: Option<Plan>,
    /// What the file says of each buffer, in the buffers' order; empty where it says nothing.
    pub notes: Vec<Note>,
    /// What the file says of the whole arena over time.
    pub lanes: Vec<Lane>,
    /// What the program said that it was about, and when.
    pub scopes: Vec<Scope>,
    /// Requests for which there was no memory, by step.
    pub refused: Vec<Refused>,
    /// When each step began, where the file says so.
    pub clock: Clock,
    /// The stacks that [`Note::stack`] leads to.
    pub stacks: Stacks,
    /// What all arenas of the file hold together, by what it is for.
    pub totals: Vec<Total>,
    /// What the toolchain says that went wrong.
    pub said: Vec<Message>,
    /// Bytes by role, if the document is a model.
    pub split: Option<Split>,
    /// What made the plan that came with the document; empty where it does not say.
    pub toolchain: String,
    /// Whether these are separate allocations, see
    /// [`Arena::separate`](crate::deployed::Arena::separate).
    pub separate: bool,
    /// What TFLite Micro needs for tensors without a use.
    pub unused: Unused,
}

/// A plan with its figures and the judge's findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The plan.
    pub plan: Plan,
    /// Its figures.
    pub metrics: Metrics,
    /// Every rule it breaks; none for a valid plan.
    pub violations: Vec<Violation>,
}

impl Subject {
    /// `judged` as it counts in this document, whoever made the plan. Beside an allocator's
    /// trace, what was reserved counts, for plans that reserve. Of separate allocations no
    /// plan is called optimal, for there is nothing to plan.
    #[must_use]
    pub fn counted(&self, judged: Judged) -> Judged {
        let mut judged = self.with_unused(judged);
        if self.is_trace() {
            judged.metrics = judged.metrics.counting_reserved(judged.plan.reserved);
            // A plan that breaks a rule can be as small as it likes.
            judged.metrics.optimal &= judged.violations.is_empty();
        }
        judged.metrics.optimal &= !self.separate;
        if let Some(more) = self.not_listed() {
            let plan = &mut judged.plan;
            let listed = reach(&self.lifetimes, plan).0;
            plan.partial = true;
            plan.stated = self
                .deployed
                .as_ref()
                .map(|it| it.stated)
                .unwrap_or_default();
            let known = listed.saturating_add(plan.stated.sum().0);
            plan.arena = Bytes(known.saturating_add(more.0));
            judged.metrics.arena = plan.arena;
            judged.metrics.optimal = false;
        }
        judged
    }

    /// Of a training step, what its values may take at once.
    #[must_use]
    pub fn budget(&self) -> Option<Bytes> {
        self.trained.as_ref()?.as_ref().ok()?.budget
    }

    /// The graph after the last pass, if the document is a model.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        self.program.as_ref().map(|program| &program.graph)
    }

    /// What is known of its buffers as text. `peak` is the step whose live bytes set the bound,
    /// `waste` the parts of the arena, where they were found.
    #[must_use]
    pub fn facts(&self, peak: Step, waste: Option<&Waste>) -> Facts {
        Facts::new(self.sources(peak, waste))
    }

    /// The same without what stacks and the parts of the arena say, see [`Facts::at_once`].
    #[must_use]
    pub fn facts_at_once(&self, peak: Step) -> Facts {
        Facts::at_once(self.sources(peak, None))
    }

    fn sources<'a>(&'a self, peak: Step, waste: Option<&'a Waste>) -> Sources<'a> {
        Sources {
            lifetimes: &self.lifetimes,
            program: self.program.as_ref(),
            notes: &self.notes,
            scopes: &self.scopes,
            stacks: &self.stacks,
            peak,
            waste,
        }
    }

    /// Number of steps of the schedule; 0 without a model.
    #[must_use]
    pub fn scheduled(&self) -> usize {
        self.program.as_ref().map_or(0, |it| it.schedule.len())
    }

    /// The operator that runs at `step`, if one does.
    #[must_use]
    pub fn op(&self, step: Step) -> Option<&Op> {
        let program = self.program.as_ref()?;
        let op = program.schedule.op(usize::try_from(step.0).ok()?)?;
        program.graph.ops.get(op.index())
    }

    /// The tensor that names the storage in `buffer`; `None` without a model.
    #[must_use]
    pub fn tensor(&self, buffer: &Buffer) -> Option<TensorId> {
        self.program.as_ref()?.storages.named(buffer.storage?)
    }

    /// Whether `tensor` is stored in `buffer` while that is live.
    #[must_use]
    pub fn stores(&self, buffer: &Buffer, tensor: TensorId) -> bool {
        let view = self
            .program
            .as_ref()
            .and_then(|it| it.storages.view(tensor));
        view.is_some_and(|view| Some(view.base) == buffer.storage)
    }

    /// The buffers that hold what the operator at `step` reads, and what it writes.
    #[must_use]
    pub fn operands(&self, residencies: &Residencies, step: Step) -> (Vec<usize>, Vec<usize>) {
        let (Some(program), Some(op)) = (&self.program, self.op(step)) else {
            return (Vec::new(), Vec::new());
        };
        let buffer = |tensor| residencies.operand(program, &self.lifetimes, (step, tensor));
        let read = op.read().filter_map(buffer).collect();
        (read, op.written().filter_map(buffer).collect())
    }

    /// What runs at each step, empty where nothing has a name.
    #[must_use]
    pub fn step_names(&self) -> Vec<&str> {
        let named = self.scheduled().max(self.lifetimes.step_names.len()) as u64;
        let name = |step| self.step_name(Step(step)).unwrap_or_default();
        (0..named).map(name).collect()
    }

    /// Plan JSON of `plan`, made with `options`, with all that is known of the buffers and
    /// where they come from. `view` is how it was looked at, as the fragment of a link.
    #[must_use]
    pub fn plan_json(&self, plan: &Plan, options: &Options, view: &str) -> String {
        let from = Provenance {
            toolchain: &self.toolchain,
            notes: &self.notes,
            stacks: Some(&self.stacks),
            scopes: &self.scopes,
            refused: self.refused_under(plan),
            clock: self.clock.times(),
            totals: &self.totals,
            said: &self.said,
            separate: self.separate,
            reserved: plan.reserved.filter(|_| self.is_trace()),
            segments: plan.segments.as_ref(),
            view,
        };
        plan_json_from(from, &self.lifetimes, plan, options, &self.step_names())
    }

    /// What a buffer is called where people read it: see [`label`].
    #[must_use]
    pub fn label(&self, buffer: usize) -> Option<String> {
        let note = self.notes.get(buffer);
        let buffer = self.lifetimes.buffers.get(buffer)?;
        Some(label(buffer, note, &self.stacks))
    }

    /// Whether the plan in the file is what a running allocator did, of which counts what it
    /// reserved and not how high its blocks reach.
    #[must_use]
    pub fn is_trace(&self) -> bool {
        let plan = self.deployed.as_ref();
        plan.is_some_and(|plan| plan.reserved.is_some())
    }

    /// The pools that the plan in the file says it was made for; none without such a plan.
    #[must_use]
    pub fn declared_pools(&self) -> &[Pool] {
        let plan = self.deployed.as_ref();
        let pools = plan.and_then(|plan| plan.pools.as_ref());
        pools.map_or(&[], |pools| &pools.declared)
    }

    /// What happens at `step`: the name of the operator that runs; the name that a plan without
    /// a model gives, or a schedule that does more than compute. `None` where nothing has a
    /// name.
    #[must_use]
    pub fn step_name(&self, step: Step) -> Option<&str> {
        let index = usize::try_from(step.0).ok()?;
        let name = match (&self.program, self.lifetimes.step_names.get(index)) {
            (_, Some(name)) => name,
            (Some(program), None) => &program.graph.op(program.schedule.op(index)?).name,
            (None, None) => return None,
        };
        Some(name)
            .filter(|name| !name.is_empty())
            .map(String::as_str)
    }
}

/// The alignment in bytes, and where inputs and outputs live, that are usual for a document: 64 for
/// models, as TFLite Micro has it for those that bring a plan for it, 1 for problems.
#[must_use]
pub fn usual(document: &Document, format: Format) -> (Bytes, Io) {
    match document.graph() {
        Some(graph) if !graph.offline.is_empty() => (liveness::TFLM_ALIGNMENT, Io::Tflm),
        // Their bytes may be any unit.
        Some(_) if format == Format::LayersJson => (Bytes(1), Io::Beside),
        Some(_) => (Bytes(64), Io::Beside),
        None => (Bytes(1), Io::Beside),
    }
}

/// Takes a document to lifetimes.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn prepare(
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
) -> Result<Subject, TooLarge> {
    prepare_watched(document, bindings, settings, &mut |_, _| true)
}

/// The same; a pass that takes long tells `on_progress` how far it is, and ends with what it has
/// found where it is not to go on.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn prepare_watched(
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Subject, TooLarge> {
    let known = (bindings, &Given::new());
    prepared(Pipeline::ALL, document, known, settings, on_progress)
}

/// The same with the elements of some inputs of a model, which become constants, and no training
/// step.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn prepare_given(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
) -> Result<Subject, TooLarge> {
    prepared(
        Pipeline::UNTRAINED,
        document,
        known,
        settings,
        &mut |_, _| true,
    )
}

fn prepared(
    by: Pipeline,
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Subject, TooLarge> {
    if let Some(trained) = (by.train)(document, known, settings, on_progress) {
        return trained;
    }
    let mut subject = Subject::default();
    match document {
        Document::Model(_) | Document::Program(_) => {
            let program = before_passes(by.sizers, document, known.0, settings);
            return planned(
                by,
                program.unwrap_or_default(),
                known,
                settings,
                on_progress,
            );
        }
        Document::Problem(lifetimes) => subject.lifetimes.clone_from(lifetimes),
        // Without training it is not played.
        Document::Log(_) => {}
        Document::Deployed(deployed) => {
            let arena = deployed.arena(settings.arena).cloned().unwrap_or_default();
            subject = of_arena(arena);
            subject.stacks.clone_from(&deployed.stacks);
            subject.toolchain.clone_from(&deployed.toolchain);
            subject.totals.clone_from(&deployed.totals);
            subject.said.clone_from(&deployed.said);
        }
    }
    liveness::admit(&subject.lifetimes, settings.alignment)?;
    Ok(subject)
}

/// What the passes start from; `None` for a document without operators.
pub(crate) fn before_passes(
    sizers: Sizers,
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
) -> Option<Program> {
    let graph = match document {
        Document::Model(graph) => graph,
        Document::Program(program) => {
            return Some(Program {
                as_written: true,
                ..program.clone()
            });
        }
        Document::Problem(_) | Document::Log(_) | Document::Deployed(_) => return None,
    };
    // TFLite Micro runs every operator as the file has it, and has the file's sizes.
    let as_written = is_tflm(graph, settings);
    let mut graph = graph.clone();
    if as_written && rebinds(&graph, bindings) {
        infer_by(&mut graph, bindings, sizers);
    }
    Some(Program {
        as_written,
        ..Program::new(graph)
    })
}

/// A program after its passes, made ready for planning.
fn planned(
    by: Pipeline,
    program: Program,
    known: (&Bindings, &Given),
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Subject, TooLarge> {
    let mut reports = Vec::new();
    let mut seen = |_: &Program, report| reports.push(report);
    let program = passes::run_by(
        (by.sizers, by.runs),
        program,
        known,
        settings,
        &mut seen,
        on_progress,
    );
    let (lifetimes, deployed, unused) = (by.lives)(&program, settings)?;
    Ok(Subject {
        reports,
        lifetimes,
        deployed,
        unused,
        split: Some(split(&program)),
        program: Some(program),
        ..Subject::default()
    })
}

/// Whether `bindings` give a dimension another value than the file suggests.
fn rebinds(graph: &Graph, bindings: &Bindings) -> bool {
    let mut symbols = graph.symbols.iter();
    symbols.any(|symbol| {
        bindings
            .get(&symbol.name)
            .is_some_and(|size| *size != symbol.default)
    })
}

/// Plans with `strategy` and has the plan judged.
///
/// # Errors
/// See [`PlanError`].
pub fn judged(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    bounds: &Bounds,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Judged, PlanError> {
    let plan = strategies::plan(strategy, lifetimes, options, observer)?;
    Ok(judge(lifetimes, bounds, options, plan))
}

/// Judges a plan, wherever it came from, by its arena.
#[must_use]
pub fn judge(lifetimes: &Lifetimes, bounds: &Bounds, options: &Options, plan: Plan) -> Judged {
    let violations = check::check(lifetimes, &plan, options);
    let mut metrics = metrics::metrics(lifetimes, &plan, bounds);
    // A plan that breaks a rule can be as small as it likes.
    metrics.optimal &= violations.is_empty();
    Judged {
        plan,
        metrics,
        violations,
    }
}
