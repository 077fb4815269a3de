//! One value of a dimension or of the alignment after the other, planned in the background: a
//! question a value, so that whatever else is wanted is asked in between.

use std::sync::Arc;

use planner::sweep::{Over, Point};
use planner::{Bytes, Strategy};
use worker::{CaseId, Packed, SweepQuestion, Topic};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::effort::uses_effort;
use crate::model::event::SweepAction;
use crate::model::progress::Progress;
use crate::model::state::State;
use crate::model::sweep::{Basis, Range, Sweep};
use crate::model::worker_queue::{Envelope, QuestionKind};

/// A sweep of so many buffers at most, and of so many milliseconds, is not waited for.
const FEW: usize = 1_000;

const A_MOMENT_MS: f64 = 1_000.0;

/// Values around `now` that show how memory grows: few small ones, sixteen around a large one,
/// powers of two of the alignment.
#[must_use]
pub fn suggested(over: &Over, now: u64) -> String {
    match over {
        Over::Alignment => "1,2,4,8,16,32,64,128,256,512,1024,2048,4096".to_owned(),
        Over::Dimension(_) | Over::Batch if now <= 16 => "1..16".to_owned(),
        Over::Dimension(_) | Over::Batch => {
            let step = now / 8;
            let first = now - 7 * step;
            format!("{first}..{}:{step}", now.saturating_add(8 * step))
        }
    }
}

impl State {
    pub(crate) fn sweep(&mut self, id: CaseId, action: SweepAction) {
        match action {
            SweepAction::Start(range) => {
                let range = Arc::new(range);
                if let Some(case) = self.case_mut(id) {
                    case.range = Some(Arc::clone(&range));
                }
                self.start_sweep(id, range);
            }
            SweepAction::Stop => {
                self.end_sweep_at_work(id);
                if let Some(case) = self.case_mut(id) {
                    case.stop_sweep();
                }
            }
            SweepAction::GoOn => {
                if let Some(case) = self.case_mut(id)
                    && let Some(sweep) = case.sweep.as_mut()
                {
                    sweep.stopped = false;
                }
            }
        }
    }

    fn start_sweep(&mut self, id: CaseId, range: Arc<Range>) {
        self.end_sweep_at_work(id);
        let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
            return;
        };
        let sweep = Sweep {
            basis: case.basis(&range.over),
            range,
            points: Vec::new(),
            part: (0, 0),
            stopped: false,
        };
        case.sweep.set(Some(sweep));
    }

    fn end_sweep_at_work(&mut self, id: CaseId) {
        self.end_ask(id, Topic::Sweep);
    }

    /// A search that nobody looks at may take minutes: it begins anew after the sweep that
    /// somebody looks at.
    fn put_unseen_search_off(&mut self) {
        let active = self.active();
        let working = active.sweep.as_ref().is_some_and(Sweep::is_working);
        if working
            && *self.page.tab == Tab::SWEEP
            && let Some(QuestionKind::Planning(Column::Strategy(strategy))) =
                self.at_work(active.id)
            && uses_effort(*strategy)
            && !active.shown.contains(&Column::Strategy(*strategy))
        {
            self.cut();
        }
    }

    /// Points of another document, or made with other settings, are forgotten; what takes a moment
    /// is planned unasked once its tab is open.
    fn follow_sweeps(&mut self) {
        self.forget_sweeps();
        let active = self.active();
        if *self.page.tab == Tab::SWEEP
            && active.sweep.is_none()
            && active.is_swept_unasked()
            && let Some(range) = active.usual_range()
        {
            self.start_sweep(active.id, range);
        }
        self.put_unseen_search_off();
    }

    fn forget_sweeps(&mut self) {
        let outdated = |case: &&Case| {
            let sweep = case.sweep.as_ref();
            sweep.is_some_and(|it| it.basis != case.basis(&it.range.over))
        };
        let ids: Vec<CaseId> = self.cases.iter().filter(outdated).map(|it| it.id).collect();
        for id in ids {
            self.end_sweep_at_work(id);
            if let Some(case) = self.case_mut(id) {
                case.sweep.set(None);
            }
        }
    }

    /// Whether a case is to be asked about anything before its sweep goes on.
    pub(crate) fn goes_before_sweep(&self, case: &Case) -> bool {
        let watched = *self.page.tab == Tab::SWEEP && case.id == *self.active;
        let column = case.queue.columns.front();
        case.wants_answers() || column.is_some_and(|it| !watched || case.shown.contains(it))
    }
}

impl Background for SweepQuestion {
    fn follow(state: &mut State) {
        state.follow_sweeps();
    }

    /// What comes of the next value.
    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let it = state.case(case);
        let sweep = it.sweep.as_ref()?;
        let range = &sweep.range;
        let question = Packed::new(&Self {
            bindings: it.bindings.clone(),
            settings: *it.settings,
            over: range.over.clone(),
            value: sweep.next()?,
            strategies: range.strategies.clone(),
            pools: it.planning.pools.clone(),
            effort: *it.planning.effort,
        })?;
        Some(state.ask_behind(case, question, Vec::new()))
    }

    /// So many of so many plans are made at this value.
    fn on_progress(state: &mut State, case: CaseId, part: (u64, u64)) {
        if let Some(case) = state.case_mut(case)
            && let Some(sweep) = case.sweep.as_mut()
        {
            sweep.part = part;
        }
    }

    fn found(state: &mut State, case: CaseId, point: Packed<Point>) -> Option<()> {
        let point = point.open()?;
        if let Some(case) = state.case_mut(case)
            && let Some(sweep) = case.sweep.as_mut()
            && sweep.next() == Some(point.value)
        {
            sweep.points.push(Arc::new(point));
            sweep.part = (0, 0);
        }
        Some(())
    }

    fn unanswered(state: &mut State, case: CaseId) {
        if let Some(case) = state.case_mut(case) {
            case.stop_sweep();
        }
    }
}

impl Case {
    /// What can be swept: the symbolic dimensions or, where there is none, the batch; the
    /// alignment, and what is counted.
    #[must_use]
    pub fn sweepable(&self) -> Vec<Over> {
        let of = |at_most: bool| {
            let symbols = self.file.iter().flat_map(|file| &file.opened.symbols);
            let symbols = symbols.filter(move |symbol| symbol.at_most == at_most);
            symbols.map(|symbol| Over::Dimension(symbol.name.clone()))
        };
        let batch = self.batch().filter(|_| of(false).next().is_none());
        let batch = batch.map(|_| Over::Batch);
        let others = [Over::Alignment].into_iter().chain(of(true));
        of(false).chain(batch).chain(others).collect()
    }

    /// For how many samples its model is written, where the file fixes that.
    fn batch(&self) -> Option<u64> {
        self.prepared.as_ref()?.subject.graph()?.batch()
    }

    /// The value that it is planned at.
    #[must_use]
    pub fn value_of(&self, over: &Over) -> u64 {
        let name = match over {
            Over::Dimension(name) => name,
            Over::Alignment => return self.settings.alignment.0,
            Over::Batch => return self.batch().unwrap_or(1),
        };
        let mut symbols = self.file.iter().flat_map(|file| &file.opened.symbols);
        let default = symbols.find(|symbol| symbol.name == *name);
        let bound = self.bindings.get(name).copied();
        bound.or(default.map(|it| it.default)).unwrap_or(1).max(1)
    }

    /// What is swept: what somebody asked for last, else the first dimension, else the alignment,
    /// with the strategies in view that reuse memory.
    #[must_use]
    pub fn usual_range(&self) -> Option<Arc<Range>> {
        if let Some(range) = &self.range {
            return Some(Arc::clone(range));
        }
        let over = self.sweepable().into_iter().next()?;
        let shown = self.shown.iter().filter_map(|column| match column {
            Column::Strategy(strategy) if *strategy != Strategy::Naive => Some(*strategy),
            Column::Strategy(_) | Column::Deployed => None,
        });
        let mut strategies: Vec<Strategy> = shown.collect();
        if strategies.is_empty() {
            strategies.push(Strategy::Best);
        }
        let text = suggested(&over, self.value_of(&over));
        Range::read(over, &text, strategies).ok().map(Arc::new)
    }

    /// Whether the usual sweep takes a moment, by the time that its plans have taken.
    fn is_swept_unasked(&self) -> bool {
        let Some(range) = self.usual_range().filter(|_| !self.wants_lifetimes()) else {
            return false;
        };
        let few = self.lifetimes().is_some_and(|it| it.buffers.len() <= FEW);
        let took = range.strategies.iter().map(|strategy| {
            match self.plans.get(&Column::Strategy(*strategy)) {
                Some(Progress::Done(planned)) => Some(planned.ms),
                _ => None,
            }
        });
        let took: Option<f64> = took.sum();
        let all = |ms: f64| ms * f64::from(u32::try_from(range.values.len()).unwrap_or(u32::MAX));
        few && took.is_some_and(|ms| all(ms) <= A_MOMENT_MS)
    }

    /// What the points of a sweep hold for: everything that is chosen but what is swept.
    fn basis(&self, over: &Over) -> Basis {
        let mut bindings = self.bindings.clone();
        let mut settings = *self.settings;
        match over {
            Over::Dimension(name) => drop(bindings.remove(name)),
            Over::Alignment => settings.alignment = Bytes(0),
            Over::Batch => {}
        }
        Basis {
            text: self.text.planned.clone(),
            bindings,
            settings,
            pools: self.planning.pools.clone(),
            effort: *self.planning.effort,
        }
    }

    /// Whether somebody has asked for a sweep.
    #[must_use]
    pub fn was_swept(&self) -> bool {
        self.range.is_some()
    }

    /// No further value is planned; the points that are there stay.
    pub(crate) fn stop_sweep(&mut self) {
        if self.sweep.as_ref().is_some_and(Sweep::is_working)
            && let Some(sweep) = self.sweep.as_mut()
        {
            sweep.stopped = true;
        }
    }
}
