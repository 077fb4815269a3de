//! What the worker keeps of one case: the document, what was prepared of it, and the plans.

use std::collections::BTreeMap;
use std::rc::Rc;

use planner::basis::basis;
use planner::graph::Graph;
use planner::load::{Document, Source};
use planner::what_if::{self, moved};
use planner::{
    Bytes, Effort, Lifetimes, Offset, Options, Plan, PlanError, Pool, Settings, Subject, bounds,
    clash, judge, load, message, passes, profile,
};

use crate::{Change, CodeSet, Opened, PlanRef, Planned, Prepared, Unchanged};

/// Up to this many buffers a plan is explained at once, for the page to have it when it asks.
const AT_ONCE: usize = 1_000;

/// So many offsets are kept of all plans together: 128 MiB.
const MOST_OFFSETS: usize = 1 << 24;

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) document: Rc<Document>,
    /// The document as it was opened, whatever has been read in its place since.
    pub(crate) base: Rc<Document>,
    pub(crate) opened: Opened,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) settings: Settings,
    /// By the number of the question that each answers.
    plans: BTreeMap<u32, Plan>,
}

impl Case {
    pub(crate) fn new(base: Rc<Document>, opened: Opened) -> Self {
        Self {
            document: Rc::clone(&base),
            base,
            opened,
            prepared: None,
            settings: Settings::default(),
            plans: BTreeMap::new(),
        }
    }

    /// Keeps with the document what a run has counted of it.
    pub(crate) fn keep_zeros(&mut self, shares: Vec<(String, u16)>) {
        let Document::Model(graph) = &*self.document else {
            return;
        };
        if graph.zeros != shares {
            let graph = Graph {
                zeros: shares,
                ..graph.clone()
            };
            self.document = Rc::new(Document::Model(graph));
        }
    }

    /// What is prepared of the document, to be kept by the caller; the plans of what was before
    /// are gone.
    pub(crate) fn prepare(&mut self, subject: Subject, settings: Settings) -> Prepared {
        let lifetimes = &subject.lifetimes;
        let bounds = bounds::aligned(lifetimes, settings.alignment);
        self.settings = settings;
        self.plans.clear();
        Prepared {
            profile: profile(lifetimes),
            basis: basis(&subject, &self.opened.arenas),
            clash: clash(lifetimes),
            bounds,
            subject,
        }
    }

    /// What plans must respect beside their lifetimes.
    pub(crate) fn options(&self, pools: &[Pool], effort: Effort) -> Options {
        Options {
            pools: pools.to_vec(),
            effort,
            largest_allocation: self.settings.largest_allocation,
            ..Options::aligned(self.settings.alignment)
        }
    }

    /// Keeps a plan under its number. The oldest go where there are too many.
    pub(crate) fn keep(&mut self, planned: &Planned) {
        let plan = planned.judged.plan.clone();
        self.plans.insert(planned.number, plan);
        let count = |plans: &BTreeMap<u32, Plan>| plans.values().map(|it| it.offsets.len()).sum();
        let mut kept: usize = count(&self.plans);
        while kept > MOST_OFFSETS && self.plans.len() > 1 {
            let oldest = self.plans.pop_first();
            kept -= oldest.map_or(0, |(_, plan)| plan.offsets.len());
        }
    }

    /// The plan that the page means; one that it sent along is kept from now on. `None` for one
    /// that is not known here.
    pub(crate) fn plan(&mut self, of: &PlanRef) -> Option<Plan> {
        if let Some(plan) = &of.plan {
            self.plans.insert(of.number, plan.as_ref().clone());
        }
        self.plans.get(&of.number).cloned()
    }

    /// A judged plan, ready to be sent. It is kept when it is sent.
    pub(crate) fn planned(
        &self,
        code: CodeSet,
        number: u32,
        plan: Plan,
        options: &Options,
    ) -> Option<Planned> {
        let prepared = self.prepared.as_ref()?;
        let subject = &prepared.subject;
        let judged = judge(&subject.lifetimes, &prepared.bounds, options, plan);
        let planned = Planned {
            number,
            judged: subject.counted(judged),
            order: Vec::new(),
            ms: 0.0,
            explained: None,
        };
        Some(self.with_reasons(code, planned))
    }

    /// A judged plan of a file, which may be LiteRT's: its element-wise operators write
    /// over inputs that end there.
    pub(crate) fn judged_by_litert(
        &self,
        number: u32,
        plan: Plan,
        options: &Options,
    ) -> Option<Planned> {
        let prepared = self.prepared.as_ref()?;
        let subject = &prepared.subject;
        let Some(program) = &subject.program else {
            return self.planned(CodeSet::USUAL, number, plan, options);
        };
        let settings = &self.settings;
        let handovers = passes::litert_handovers(program, &subject.lifetimes, settings);
        let lifetimes = Lifetimes {
            handovers,
            ..subject.lifetimes.clone()
        };
        let judged = judge(&lifetimes, &prepared.bounds, options, plan);
        let planned = Planned {
            number,
            judged: subject.counted(judged),
            order: Vec::new(),
            ms: 0.0,
            explained: None,
        };
        Some(self.with_reasons(CodeSet::USUAL, planned))
    }

    /// The plan with the reasons for its size, where there are few buffers.
    pub(crate) fn with_reasons(&self, code: CodeSet, planned: Planned) -> Planned {
        let plan = &planned.judged.plan;
        let few = plan.offsets.len() <= AT_ONCE;
        let both = code.explain.filter(|_| few).zip(self.prepared.as_ref());
        let explained = both
            .map(|(explain, it)| explain(&it.subject, &it.bounds, plan, self.settings.alignment));
        Planned {
            explained: explained.map(Box::new),
            ..planned
        }
    }

    /// The plan that came with the document, judged.
    pub(crate) fn deployed(
        &self,
        code: CodeSet,
        number: u32,
    ) -> Option<Result<Planned, PlanError>> {
        let subject = &self.prepared.as_ref()?.subject;
        let Some(plan) = subject.deployed.clone() else {
            if self.document.deployed().is_some() {
                let what = message!("memory of which only sizes and lifetimes are known");
                return Some(Err(PlanError::Unsupported { what }));
            }
            // A model's plan has a meaning only under the lifetimes that it was made for.
            let graph = subject.graph()?;
            graph.offline.first()?;
            let what = message!("inputs and outputs other than as TFLite Micro has them");
            return Some(Err(PlanError::Unsupported { what }));
        };
        // It was made for the pools that it names, whatever is planned for now.
        let options = self.options(subject.declared_pools(), Effort::DEFAULT);
        self.planned(code, number, plan, &options).map(Ok)
    }

    /// `plan` changed by hand; `file` is the one with another plan, for [`Change::Import`].
    pub(crate) fn changed(
        &self,
        plan: &Plan,
        change: &Change,
        options: &Options,
        file: Option<&dyn Source>,
    ) -> Option<Result<Plan, Unchanged>> {
        let lifetimes = &self.prepared.as_ref()?.subject.lifetimes;
        let places = match change {
            Change::Move(places) => places.clone(),
            Change::Corrupt(seed) => match what_if::corrupt(lifetimes, plan, *seed) {
                Some(corrupted) => {
                    let to = corrupted.plan.offsets.get(corrupted.moved)?;
                    vec![(corrupted.moved, *to)]
                }
                None => return Some(Err(Unchanged::NothingToCorrupt)),
            },
            Change::Import => return Some(self.imported(plan, options, file?)),
        };
        let changed = moved(lifetimes, plan, options, &places);
        Some(Ok(Plan {
            origin: changed.origin.edited(),
            ..changed
        }))
    }

    /// Every buffer where the plan in `file` has it, found by its name.
    fn imported(
        &self,
        plan: &Plan,
        options: &Options,
        file: &dyn Source,
    ) -> Result<Plan, Unchanged> {
        let (theirs, read) = load::load_plan(file).map_err(Unchanged::Unreadable)?;
        let places = theirs.buffers.iter().zip(&read.offsets);
        let places: BTreeMap<&str, (Bytes, Offset)> = places
            .map(|(buffer, &offset)| (buffer.name.as_str(), (buffer.size, offset)))
            .collect();
        let Some(prepared) = &self.prepared else {
            return Ok(read);
        };
        let lifetimes = &prepared.subject.lifetimes;
        let mut offsets = Vec::with_capacity(plan.offsets.len());
        for buffer in &lifetimes.buffers {
            let found = places.get(buffer.name.as_str());
            let fits = found.filter(|(size, _)| *size >= buffer.payload);
            let misses = || Unchanged::Misses(buffer.name.clone());
            offsets.push(fits.ok_or_else(misses)?.1);
        }
        let laid = if plan.pools.is_some() {
            let places: Vec<(usize, Offset)> = offsets.into_iter().enumerate().collect();
            moved(lifetimes, plan, options, &places)
        } else {
            Plan {
                offsets,
                ..Plan::default()
            }
        };
        // The file's own figure is judged, not the one that its offsets would need.
        Ok(Plan {
            origin: read.origin,
            arena: read.arena,
            ..laid
        })
    }
}
