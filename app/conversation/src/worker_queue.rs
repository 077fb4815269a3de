//! What the planner's worker is asked: one question at a time. When the person changes something
//! meanwhile, the next question is chosen anew once the answer is there; an answer that takes
//! too long is cut off by ending the worker, which then has to read the files again.

use std::sync::Arc;

use planner::Sorting as _;
use worker::{CaseId, PlanRef, Planned, Request, SweepQuestion, Topic};

use crate::asks::Background as _;
use crate::model::case::{Case, Role};
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::effort::uses_effort;
use crate::model::source::Source;
use crate::model::state::State;
use crate::model::sweep::Sweep;
use crate::model::timer::Timer;
use crate::model::worker_queue::{Envelope, Outstanding, QuestionKind};

/// How long a question stands before the worker is asked whether it is there, in milliseconds. It
/// answers only when it has done what it was asked before, so that a search is not disturbed; what
/// is not answered then never will be.
const PING_MS: u32 = 5_000;

/// How long an outdated question may go on before the worker is ended, in milliseconds.
const TIMEOUT_MS: u32 = 250;

impl State {
    /// Asks the next question, if nothing is outstanding and anything is wanted.
    pub(crate) fn proceed(&mut self) {
        if let Some((request, files)) = self.next_question() {
            self.effects.push(Effect::Ask(Box::new(request), files));
        }
        self.prefer_what_is_seen();
    }

    /// Ends the outstanding question unless its answer comes soon.
    pub(crate) fn hurry(&mut self) {
        let Some(outstanding) = &self.worker_queue.outstanding else {
            return;
        };
        if self.worker_queue.hurried != Some(outstanding.id) {
            self.worker_queue.hurried = Some(outstanding.id);
            let timer = Timer::Timeout(outstanding.id);
            self.effects.push(Effect::After(TIMEOUT_MS, timer));
        }
    }

    /// A question stands for too long.
    pub(crate) fn timed_out(&mut self, id: u32) {
        let stands = self.worker_queue.outstanding.as_ref().map(|it| it.id);
        if stands == Some(id) {
            self.cut();
        }
    }

    /// A question stands for long: whether the worker is still at work on it is asked once.
    pub(crate) fn ping(&mut self, id: u32) {
        let stands = self.worker_queue.outstanding.as_ref().map(|it| it.id);
        if stands == Some(id) {
            self.worker_queue.pinged = Some(id);
            self.effects.push(Effect::Ping);
            // Should what it says be lost, it is asked again.
            self.effects.push(Effect::After(PING_MS, Timer::Ping(id)));
        }
    }

    /// The worker is there and has done what it was asked before it was asked that: a question
    /// that still stands was not answered.
    pub(crate) fn here(&mut self) {
        let pinged = self.worker_queue.pinged.take();
        let stands = self.worker_queue.outstanding.as_ref().map(|it| it.id);
        if stands.is_some()
            && stands == pinged
            && let Some(outstanding) = self.worker_queue.outstanding.take()
        {
            self.unanswered(outstanding);
        }
    }

    /// What is at work, of this case.
    pub(crate) fn at_work(&self, id: CaseId) -> Option<&QuestionKind> {
        let outstanding = self.worker_queue.outstanding.as_ref();
        let own = outstanding.filter(|outstanding| outstanding.case == id);
        own.map(|outstanding| &outstanding.kind)
    }

    /// Ends the outstanding question by ending the worker. What was asked for waits again, unless
    /// the caller that cuts it off ends it.
    pub(crate) fn cut(&mut self) {
        let Some(outstanding) = self.worker_queue.outstanding.take() else {
            return;
        };
        self.lose_worker();
        if outstanding.kind == QuestionKind::Opening
            && let Some(wish) = self.opening.at_work.take()
            && self.opening.next.is_none()
        {
            self.opening.next = Some(wish);
        }
        let Some(case) = self.case_mut(outstanding.case) else {
            return;
        };
        match outstanding.kind {
            QuestionKind::Filming(column) => case.queue.films.push_front(column),
            QuestionKind::Explaining(column, plan) => {
                case.queue.explains.push_front((column, plan));
            }
            QuestionKind::Planning(column) => case.queue.columns.push_front(column),
            QuestionKind::Exporting(column, plan) => case.queue.export = Some((column, plan)),
            QuestionKind::Preparing => case.queue.stale = true,
            QuestionKind::Asking(topic) if !matches!(topic, Topic::Sweep | Topic::Lesson) => {
                if topic == Topic::Training {
                    case.training.put_off();
                }
                case.queue.asks.insert(topic);
            }
            QuestionKind::Rewriting(text) => {
                case.queue.rewrite.get_or_insert(text);
            }
            // A change by hand waits in the case until it is judged, the value of a sweep until
            // its point is there, a scene until it is measured.
            QuestionKind::Opening
            | QuestionKind::Finishing(..)
            | QuestionKind::JudgingEdit
            | QuestionKind::Asking(_) => {}
        }
    }

    /// The worker is gone, and what it knew with it.
    pub(crate) fn lose_worker(&mut self) {
        self.worker_queue.outstanding = None;
        self.worker_queue.unknown = None;
        self.worker_queue.pinged = None;
        self.effects.push(Effect::EndWorker);
        for case in &mut self.cases {
            case.queue.held = false;
        }
    }

    /// A search that is at work is queued after `column`, which is waited for: it may take
    /// minutes, and begins anew then.
    pub(crate) fn put_search_off(&mut self, id: CaseId, column: Column) {
        let Some(outstanding) = &self.worker_queue.outstanding else {
            return;
        };
        let QuestionKind::Planning(search) = outstanding.kind else {
            return;
        };
        let searches = matches!(search, Column::Strategy(strategy) if uses_effort(strategy));
        if searches && (outstanding.case, search) != (id, column) {
            self.cut();
        }
    }

    /// What is seen is not kept waiting for figures of what is not, nor for a sweep; and the advisor
    /// not for a part of a table, which may take long.
    fn prefer_what_is_seen(&mut self) {
        let Some(outstanding) = &self.worker_queue.outstanding else {
            return;
        };
        let of_figures = self.case(outstanding.case).role != Role::Shown;
        let wanted = self.opening.next.is_some() || self.shown().any(Case::wants_something);
        let sweeps = outstanding.kind == QuestionKind::Asking(Topic::Sweep);
        let before = |case: &Case| self.goes_before_sweep(case);
        let first = self.opening.next.is_some() || self.shown().any(before);
        let trains = outstanding.kind == QuestionKind::Asking(Topic::Training);
        let advises = trains && self.case(outstanding.case).training.keeps_advisor();
        if of_figures && wanted || sweeps && first || advises {
            self.hurry();
        }
    }

    fn next_question(&mut self) -> Option<Envelope> {
        if self.worker_queue.outstanding.is_some() {
            return None;
        }
        if let Some(question) = self.open_question() {
            return Some(question);
        }
        if let Some(question) = self.measure_message() {
            return Some(question);
        }
        let active = *self.active;
        let mut order: Vec<CaseId> = self.cases.iter().map(|case| case.id).collect();
        // What the person looks at comes first, what only gives figures last.
        order.order_by_key(|id| (self.case(*id).role != Role::Shown, *id != active));
        for id in order {
            if let Some(question) = self.question_of(id) {
                return Some(question);
            }
        }
        None
    }

    /// A number for a question of this case, which is outstanding from now on.
    pub(crate) fn ask(&mut self, case: CaseId, kind: QuestionKind) -> u32 {
        self.worker_queue.id = self.worker_queue.id.wrapping_add(1);
        self.worker_queue.hurried = None;
        self.worker_queue.preparing = (0, 0);
        let id = self.worker_queue.id;
        self.effects.push(Effect::After(PING_MS, Timer::Ping(id)));
        self.worker_queue.outstanding = Some(Outstanding { id, case, kind });
        id
    }

    /// What is to be opened.
    fn open_question(&mut self) -> Option<Envelope> {
        let wish = self.opening.next.take()?;
        let source = wish.source.clone();
        self.latest = self.latest.wrapping_add(1);
        let case = CaseId(self.latest);
        let id = self.ask(case, QuestionKind::Opening);
        // The same document in another way is there already.
        let other = wish.like.filter(|other| self.case(*other).queue.held);
        self.opening.at_work = Some(wish);
        Some(reading((id, case), source, other))
    }

    /// What the first picture needs next: a case that is opened, prepared, and planned as far as
    /// it is seen.
    pub(crate) fn first_question(&mut self) -> Option<Envelope> {
        if self.worker_queue.outstanding.is_some() {
            return None;
        }
        if let Some(question) = self.open_question() {
            return Some(question);
        }
        let case = *self.active;
        let it = self.known(case)?;
        if it.queue.stale {
            return self.prepare_question(case);
        }
        let seen = it.queue.columns.front()?;
        if !it.shown.contains(seen) {
            return None;
        }
        self.plan_question(case)
    }

    fn prepare_question(&mut self, case: CaseId) -> Option<Envelope> {
        let id = self.ask(case, QuestionKind::Preparing);
        let it = self.case_mut(case)?;
        it.queue.stale = false;
        let (bindings, settings) = (it.bindings.clone(), *it.settings);
        it.queue.asked_with = Some((bindings.clone(), settings));
        let request = Request::Prepare {
            id,
            case,
            bindings,
            settings,
        };
        Some((request, Vec::new()))
    }

    /// What is wanted of a case.
    pub(crate) fn question_of(&mut self, case: CaseId) -> Option<Envelope> {
        if !self.case(case).wants_something() {
            return None;
        }
        if !self.case(case).queue.held {
            return self.open_again(case);
        }
        if let Some(rewrite) = self.rewrite_question(case) {
            return Some(rewrite);
        }
        self.tell_zeros(case);
        if self.case(case).queue.stale {
            return self.prepare_question(case);
        }
        let about_plan = self.finish_question(case);
        let about_plan = about_plan.or_else(|| self.change_question(case));
        let about_plan = about_plan.or_else(|| self.explain_question(case));
        let about_plan = about_plan.or_else(|| self.film_question(case));
        let about_plan = about_plan.or_else(|| self.export_question(case));
        let about_plan = about_plan.or_else(|| self.background_message(case));
        if about_plan.is_none() && !self.goes_before_sweep(self.case(case)) {
            let about_sweep = SweepQuestion::message(self, case);
            return about_sweep.or_else(|| self.plan_question(case));
        }
        about_plan.or_else(|| self.plan_question(case))
    }

    /// The worker was started since it read the files of this case.
    pub(crate) fn open_again(&mut self, case: CaseId) -> Option<Envelope> {
        let source = self.case(case).queue.source.clone()?;
        let mut others = self.cases.iter();
        let like = others.find(|it| it.queue.held && it.queue.source.as_ref() == Some(&source));
        let like = like.map(|it| it.id);
        let id = self.ask(case, QuestionKind::Opening);
        let queue = &mut self.case_mut(case)?.queue;
        queue.resume = !queue.stale;
        Some(reading((id, case), source, like))
    }

    fn finish_question(&mut self, case: CaseId) -> Option<Envelope> {
        let finish = self.case_mut(case)?.queue.finish.take()?;
        let id = self.ask(case, QuestionKind::Finishing(finish.column, finish.number));
        let it = self.case(case);
        let request = Request::Finish {
            id,
            case,
            strategy: finish.strategy,
            kept: finish.kept,
            pools: it.planning.pools.clone(),
            effort: *it.planning.effort,
        };
        Some((request, Vec::new()))
    }

    fn change_question(&mut self, case: CaseId) -> Option<Envelope> {
        let pending = self.case(case).hand.pending.clone()?;
        let id = self.ask(case, QuestionKind::JudgingEdit);
        let request = Request::Change {
            id,
            case,
            plan: self.plan_ref(&pending.base),
            change: pending.change,
            pools: self.case(case).planning.pools.clone(),
        };
        Some((request, pending.file.into_iter().collect()))
    }

    fn explain_question(&mut self, case: CaseId) -> Option<Envelope> {
        loop {
            let (column, plan) = self.case_mut(case)?.queue.explains.pop_front()?;
            // Of a plan that is not there any longer nothing is asked.
            let there = self.case(case).planned(column);
            if there.is_none_or(|there| !Arc::ptr_eq(there, &plan)) {
                continue;
            }
            let id = self.ask(case, QuestionKind::Explaining(column, Arc::clone(&plan)));
            let plan = self.plan_ref(&plan);
            return Some((Request::Explain { id, case, plan }, Vec::new()));
        }
    }

    fn film_question(&mut self, case: CaseId) -> Option<Envelope> {
        let column = self.case_mut(case)?.queue.films.pop_front()?;
        let Column::Strategy(strategy) = column else {
            return None;
        };
        let id = self.ask(case, QuestionKind::Filming(column));
        let it = self.case(case);
        let request = Request::Trace {
            id,
            case,
            strategy,
            pools: it.planning.pools.clone(),
            effort: *it.planning.effort,
        };
        Some((request, Vec::new()))
    }

    fn export_question(&mut self, case: CaseId) -> Option<Envelope> {
        let (column, plan) = self.case_mut(case)?.queue.export.take()?;
        let source = self.case(case).queue.source.as_ref()?;
        let file = source.files.first()?.content.clone();
        let id = self.ask(case, QuestionKind::Exporting(column, Arc::clone(&plan)));
        let plan = self.plan_ref(&plan);
        Some((Request::Export { id, case, plan }, vec![file]))
    }

    fn plan_question(&mut self, case: CaseId) -> Option<Envelope> {
        let column = self.case_mut(case)?.queue.columns.pop_front()?;
        let id = self.ask(case, QuestionKind::Planning(column));
        let it = self.case(case);
        let request = match column {
            Column::Deployed => Request::Judge { id, case },
            Column::Strategy(strategy) => Request::Plan {
                id,
                case,
                strategy,
                pools: it.planning.pools.clone(),
                effort: it.training.effort(*it.planning.effort),
            },
        };
        Some((request, Vec::new()))
    }

    /// A plan by its number, and whole where the worker has said that it does not know it.
    fn plan_ref(&mut self, planned: &Planned) -> PlanRef {
        let unknown = self.worker_queue.unknown.take() == Some(planned.number);
        PlanRef {
            number: planned.number,
            plan: unknown.then(|| Box::new(planned.judged.plan.clone())),
        }
    }
}

/// The question that has files read as a case, or the same as `other`, which is there already.
fn reading((id, case): (u32, CaseId), source: Source, other: Option<CaseId>) -> Envelope {
    if let Some(other) = other {
        return (Request::Like { id, case, other }, Vec::new());
    }
    let files = source.files.into_iter();
    let (names, contents) = files.map(|file| (file.name, file.content)).unzip();
    let open = Request::Open {
        id,
        case,
        names,
        columns: source.columns,
        range: source.range,
        text: source.text.map(|text| text.to_string()),
    };
    (open, contents)
}

impl Case {
    /// Whether anything is to be asked about it.
    pub(crate) fn wants_something(&self) -> bool {
        let sweeps = self.sweep.as_ref().is_some_and(Sweep::is_working);
        self.wants_answers() || !self.queue.columns.is_empty() || sweeps
    }

    /// Whether anything is to be asked beside plans and the next value of a sweep.
    pub(crate) fn wants_answers(&self) -> bool {
        let queue = &self.queue;
        queue.stale
            || queue.finish.is_some()
            || self.hand.pending.is_some()
            || queue.export.is_some()
            || !queue.explains.is_empty()
            || !queue.films.is_empty()
            || !queue.asks.is_empty()
            || queue.rewrite.is_some()
    }
}
