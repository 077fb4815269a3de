//! Choices about planning: what is planned for, for how long, and which plans are made unasked.

use std::collections::VecDeque;
use std::sync::Arc;

use planner::{Bytes, Effort, Growth, Io, PlanError, Strategy, TFLM_ALIGNMENT, inserted};
use worker::{CaseId, Planned, Prepared, Topic};

use crate::model::case::{Case, Role};
use crate::model::column::Column;
use crate::model::effort::{MOST_EFFORT, uses_effort};
use crate::model::event::{PlanningAction, Setting};
use crate::model::notice::{Message, Notice};
use crate::model::progress::Progress;
use crate::model::state::State;
use crate::model::worker_queue::QuestionKind;

/// Many buffers for strategies that look at every pair, or try many orders.
const SQUARE_UP_TO: usize = 5_000;

/// Many buffers for the flow, whose time grows with their cube.
const CUBE_UP_TO: usize = 1_000;

/// Many buffers for searches, which end when their effort is spent.
const SEARCH_UP_TO: usize = 200;

/// Beyond this many buffers only the columns in view are planned unasked.
const ANY_UP_TO: usize = 20_000;

/// How much longer a search may take when it is asked to.
const LONGER: u64 = 4;

/// Whether `column` is planned without being asked for, for so many buffers.
///
/// What takes little more time than there are buffers is planned for up to
/// [`ANY_UP_TO`] of them, what looks at pairs for [`SQUARE_UP_TO`], the flow for
/// [`CUBE_UP_TO`], searches for [`SEARCH_UP_TO`]. What is in view is planned in any case.
fn unasked(column: Column, buffers: usize) -> bool {
    let Column::Strategy(strategy) = column else {
        return true;
    };
    let most = match strategy.description().growth {
        Growth::Linear => ANY_UP_TO,
        Growth::Square => SQUARE_UP_TO,
        Growth::Cube => CUBE_UP_TO,
        Growth::Attempts | Growth::Effort => SEARCH_UP_TO,
    };
    buffers <= most
}

impl State {
    pub(crate) fn choose(&mut self, id: CaseId, action: PlanningAction) {
        match action {
            PlanningAction::Effort(effort) => self.spend(id, effort, None),
            PlanningAction::EffortOutside => self.page.notice.set(Some(Notice::EffortOutside)),
            PlanningAction::SearchLonger(column) => {
                let effort = *self.case(id).planning.effort;
                let longer = |effort: u64| effort.saturating_mul(LONGER).min(MOST_EFFORT);
                let effort = Effort {
                    nodes: longer(effort.nodes),
                    moves: longer(effort.moves),
                };
                self.spend(id, effort, Some(column));
            }
            PlanningAction::MeasurePrice => self.measure_price(id),
            PlanningAction::StopPrice => self.stop_price(id),
            PlanningAction::Stop(column) => self.stop(id, column),
            PlanningAction::Again(column) => self.again(id, column),
            PlanningAction::Witness(shown) => {
                let Some(case) = self.case_mut(id) else {
                    return;
                };
                case.planning.witness.set(shown);
                case.insight.lit.put(None);
                if shown.is_some() {
                    self.select(id, None);
                }
            }
            PlanningAction::Set(setting) => self.set(id, setting),
        }
    }

    /// Changes what is planned for, and plans anew.
    fn set(&mut self, id: CaseId, setting: Setting) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let arena = matches!(setting, Setting::Arena(_));
        case.set(setting);
        let edited = !case.hand.edits.is_empty();
        case.hand.wanted.clear();
        if arena {
            // What was in view is another memory's.
            case.window.put(None);
            case.selected.put(None);
        }
        if edited {
            self.say(Message::EditsDropped);
        }
        self.replan(id);
        if arena {
            self.follow_arena(id);
        }
    }

    /// Searches with another effort, for `first` before all others.
    fn spend(&mut self, id: CaseId, effort: Effort, first: Option<Column>) {
        if let Some(case) = self.case_mut(id)
            && *case.planning.effort != effort
        {
            case.planning.effort.set(effort);
            // Another effort makes other decisions.
            case.films.states.set(std::collections::BTreeMap::new());
            self.search_again(id, first);
        }
    }

    /// Finds lifetimes and plans again, because bindings or settings changed.
    pub(crate) fn replan(&mut self, id: CaseId) {
        self.close_figures(id);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.forget_questions();
        case.queue.stale = true;
        self.hurry();
    }

    /// Makes sure that `column` gets planned, before any other that waits.
    pub(crate) fn plan(&mut self, id: CaseId, column: Column) {
        if let Some(
            Progress::Done(_)
            | Progress::Stopped(_)
            | Progress::Working(..)
            | Progress::Improving(..),
        ) = self.case(id).plans.get(&column)
        {
            return;
        }
        self.put_search_off(id, column);
        self.enqueue(id, column);
    }

    /// Plans `column` once more; the plan that it has stays until there is a smaller one or the
    /// strategy is done.
    fn again(&mut self, id: CaseId, column: Column) {
        if self.at_work(id) == Some(&QuestionKind::Planning(column)) {
            self.cut();
        }
        self.forget_run_of(id, column);
        self.enqueue(id, column);
    }

    /// Puts `column` first in the queue. A plan that was changed by hand stays in view.
    fn enqueue(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id).filter(|case| case.has(column)) else {
            return;
        };
        if case.prepared.is_none() {
            // Lifetimes whose search was stopped are needed after all.
            case.queue.stale = true;
            return;
        }
        if !case.is_held(column) {
            let waiting = Progress::queued(case.plans.get(&column));
            case.plans.insert(column, waiting);
        }
        case.queue.columns.retain(|other| *other != column);
        case.queue.columns.push_front(column);
    }

    /// The effort is another: what searches searches again.
    pub(crate) fn search_again(&mut self, id: CaseId, first: Option<Column>) {
        let case = self.case(id);
        let tried = case.plans.iter().filter_map(|(column, progress)| {
            let Column::Strategy(strategy) = *column else {
                return None;
            };
            let refused = matches!(progress, Progress::Failed(PlanError::Unsupported { .. }));
            (uses_effort(strategy) && !refused).then_some(*column)
        });
        let mut columns: Vec<Column> = tried.collect();
        let priced = case.planning.price.is_measured();
        let first = first.filter(|first| columns.contains(first));
        let first = first.or(columns.first().copied());
        columns.retain(|column| Some(*column) != first);
        for column in columns.into_iter().rev().chain(first) {
            self.again(id, column);
        }
        if priced {
            self.measure_price(id);
        }
    }

    /// Stops one strategy; the smallest plan that it had found stays, and the others go on.
    fn stop(&mut self, id: CaseId, column: Column) {
        if self.at_work(id) == Some(&QuestionKind::Planning(column)) {
            self.cut();
        }
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.queue.columns.retain(|other| *other != column);
        if let Some(progress) = case.plans.get(&column) {
            let ended = progress.ended();
            case.plans.insert(column, ended);
        }
    }

    /// Stops everything that is at work; what is there stays.
    pub(crate) fn cancel(&mut self) {
        self.cut();
        self.opening.clear();
        let ids: Vec<CaseId> = self.cases.iter().map(|case| case.id).collect();
        for id in ids {
            self.give_up(id);
        }
    }

    /// Stops everything that is at work for a case.
    pub(crate) fn give_up(&mut self, id: CaseId) {
        if let Some(Role::Figures(of)) = self.known(id).map(|case| case.role) {
            self.stop_price(of);
            return;
        }
        self.close_figures(id);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let asked = case.queue.asked_with.is_some();
        let unfound = asked || case.queue.stale && !case.queue.resume;
        case.forget_questions();
        case.stop_sweep();
        case.queue.stale = false;
        if unfound {
            case.without_lifetimes();
        }
        case.end_films();
        let plans = &mut case.plans;
        let open = plans.iter().filter(|(_, plan)| plan.is_open());
        let ended: Vec<(Column, Progress)> =
            open.map(|(column, plan)| (*column, plan.ended())).collect();
        if !ended.is_empty() {
            plans.extend(ended);
        }
    }

    /// The worker has found lifetimes, or sizes go beyond what can be planned.
    pub(crate) fn prepared(&mut self, id: CaseId, prepared: Prepared) {
        let selected = self.selection(id, &prepared);
        let role = self.case(id).role;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.queue.found_with = case.queue.asked_with.take();
        if std::mem::take(&mut case.queue.resume) {
            return;
        }
        let (queue, clash) = (case.first_queue(&prepared), prepared.clash.clone());
        case.queue.columns = queue;
        case.queue.price = role == Role::Shown && case.is_priced_unasked(&prepared);
        case.prepared.set(Some(Arc::new(prepared)));
        let waiting = |column: &Column| (*column, Progress::Waiting);
        case.plans
            .set(inserted(case.queue.columns.iter().map(waiting)));
        if let Some(clash) = &clash {
            let failed = Progress::Failed(PlanError::FixedClash(Box::new(clash.clone())));
            let none = Column::all(false).into_iter();
            case.plans
                .extend(none.map(|column| (column, failed.clone())));
        }
        case.planning.clash.put(clash);
        case.planning.witness.put(None);
        case.films.states.set(std::collections::BTreeMap::new());
        case.queue.films.clear();
        case.forget_questions_of_plans();
        case.forget_advice();
        case.selected.put(selected);
        case.hovered.put(None);
        self.forget_runs(id);
        if let Some(case) = self.case_mut(id) {
            case.open_at_failure();
        }
    }

    /// A strategy is so far. A plan that was changed by hand stays in view.
    pub(crate) fn on_progress(&mut self, id: CaseId, column: Column, (done, total): (u64, u64)) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if case.is_held(column) {
            return;
        }
        let progress = match case.planned(column).cloned() {
            Some(planned) => Progress::Improving(planned, done, total),
            None => Progress::Working(done, total),
        };
        case.plans.insert(column, progress);
    }

    /// A search has found a smaller plan and goes on.
    pub(crate) fn improved(&mut self, id: CaseId, column: Column, planned: Planned) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let before = case.original(column);
        let arena = planned.judged.plan.arena;
        if before.is_some_and(|before| arena >= before.judged.plan.arena) {
            return;
        }
        let planned = Arc::new(planned);
        if case.is_held(column) {
            case.rebase(column, planned);
            return;
        }
        let (done, total) = match case.plans.get(&column) {
            Some(Progress::Working(done, total) | Progress::Improving(_, done, total)) => {
                (*done, *total)
            }
            _ => (0, 0),
        };
        let progress = Progress::Improving(planned, done, total);
        case.plans.insert(column, progress);
    }

    /// A strategy is done, or has no plan.
    pub(crate) fn planned(&mut self, id: CaseId, column: Column, made: Result<Planned, PlanError>) {
        self.forget_run_of(id, column);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        // What was changed by hand while it was planned is not lost.
        let held = case.is_held(column);
        let progress = match made {
            Ok(planned) => {
                let planned = case.take_reasons(column, planned, held);
                if held {
                    case.rebase(column, planned);
                    return;
                }
                Progress::Done(planned)
            }
            Err(_) if held => return,
            Err(error) => Progress::Failed(error),
        };
        case.plans.insert(column, progress);
        self.change_as_linked(id, column);
    }

    /// Shows or hides a column's pane.
    pub(crate) fn show_column(&mut self, id: CaseId, column: Column, show: bool) {
        let Some(case) = self.case_mut(id).filter(|case| case.has(column)) else {
            return;
        };
        case.shown.retain(|other| *other != column);
        if show {
            case.shown.push(column);
            self.plan(id, column);
        }
    }

    /// Shows the plan in the file and the best one for the same lifetimes, and nothing else.
    pub(crate) fn side_by_side(&mut self, id: CaseId) {
        let both = [Column::Deployed, Column::Strategy(Strategy::Best)];
        let brings = |case: &&mut Case| case.has(Column::Deployed);
        if let Some(case) = self.case_mut(id).filter(brings) {
            case.shown.set(both.to_vec());
            case.window.put(None);
        }
        for column in both {
            self.plan(id, column);
        }
    }

    /// Distinguishes the columns that are at work from those that wait.
    pub(crate) fn show_turns(&mut self) {
        let at_work = self
            .worker_queue
            .outstanding
            .as_ref()
            .and_then(|it| match it.kind {
                QuestionKind::Planning(column) => Some((it.case, column)),
                _ => None,
            });
        for case in &mut self.cases {
            let id = case.id;
            let turned = |(column, progress): (&Column, &Progress)| {
                let progress = progress.turned(at_work == Some((id, *column)))?;
                Some((*column, progress))
            };
            let turned: Vec<(Column, Progress)> = case.plans.iter().filter_map(turned).collect();
            if !turned.is_empty() {
                case.plans.extend(turned);
            }
        }
    }
}

impl Case {
    fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Arena(arena) => self.settings.arena = arena,
            Setting::Align(alignment) => self.settings.alignment = Bytes(alignment),
            Setting::LargestAllocation(most) => self.settings.largest_allocation = most,
            Setting::PlaceIo(io) => {
                self.settings.io = io;
                if io == Io::Tflm {
                    self.settings.alignment = TFLM_ALIGNMENT;
                }
            }
            Setting::Pass(row, rule) => {
                self.settings.passes = self.settings.passes.with(row, rule);
                self.settings.until = None;
            }
            Setting::Passes(passes) => {
                self.settings.passes = passes;
                self.settings.until = None;
            }
            Setting::Until(last) => self.settings.until = last,
            Setting::Training(training) => self.settings.training = training,
            Setting::Parallel(parallel) => self.settings.parallel = parallel,
            Setting::Pools(pools) => self.planning.pools.set(pools),
        }
    }

    /// Nothing more is asked about it.
    fn forget_questions(&mut self) {
        self.queue.resume = false;
        self.queue.finish = None;
        self.queue.export = None;
        self.queue.columns.clear();
        self.queue.films.clear();
        self.queue.price = false;
        self.queue.asks.remove(&Topic::Comparison);
        self.stop_advising();
        self.stop_staging();
        self.stop_training();
        self.forget_questions_of_plans();
    }

    fn forget_questions_of_plans(&mut self) {
        self.queue.explains.clear();
        self.hand.waiting.clear();
        self.hand.pending = None;
        self.hand.finishing.put(None);
        let unanswered = |known: &crate::model::insight::Known| known.explained.is_none();
        if self.insight.known.values().any(unanswered) {
            self.insight.known.retain(|_, known| !unanswered(known));
        }
    }

    /// Lifetimes are not looked for any longer: what was asked of them is as those have it that
    /// are on the page.
    pub(crate) fn without_lifetimes(&mut self) {
        self.queue.asked_with = None;
        let found = self.queue.found_with.clone();
        if let Some((bindings, settings)) = found.filter(|_| self.prepared.is_some()) {
            self.bindings.put(bindings);
            self.settings.put(settings);
        }
    }

    /// The columns that are planned, in that order: what is seen first; what searches comes last,
    /// for it may take long and was not asked for.
    pub(crate) fn first_queue(&self, prepared: &Prepared) -> VecDeque<Column> {
        if self.role != Role::Shown {
            return self.shown.iter().copied().collect();
        }
        let count = prepared.subject.lifetimes.buffers.len();
        let deployed = prepared.subject.deployed.is_some();
        let rest = Column::all(deployed).into_iter();
        let rest = rest.filter(|it| !self.shown.contains(it) && unasked(*it, count));
        let searches = |column: &Column| matches!(column, Column::Strategy(s) if uses_effort(*s));
        let (last, rest): (Vec<Column>, Vec<Column>) = rest.partition(searches);
        let shown = self.shown.iter().copied();
        let mut queue: VecDeque<Column> = shown.chain(rest).chain(last).collect();
        if prepared.clash.is_some() {
            // Without any plan no strategy is asked for one: it is said once, of the document.
            queue.retain(|column| *column == Column::Deployed);
        }
        queue
    }
}
