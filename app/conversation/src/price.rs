//! The price of parallel safety: the same document once for operators one after the other, and
//! once for operators that run at the same time. Each is a case of its own, which can be shown.

use planner::{Parallel, Settings, Strategy};
use worker::{CaseId, Prepared};

use crate::model::case::{Case, Role};
use crate::model::column::Column;
use crate::model::link::Fragment;
use crate::model::opening::{OpenTarget, Where, Wish};
use crate::model::price::{Price, Priced, Pricing};
use crate::model::progress::Progress;
use crate::model::state::State;

/// Beyond this many buffers the price of running in parallel is measured on request.
const PRICE_UP_TO: usize = 2_000;

/// The plan whose arena is compared.
const BEST: Column = Column::Strategy(Strategy::Best);

/// How far one way of running is.
enum Side {
    /// There is no case for it.
    Absent,
    /// It is being planned.
    Open,
    /// It has no plan, or one that breaks a rule.
    Failed,
    There(Priced),
}

impl State {
    /// Measures what running operators at the same time costs, once nothing else is at work.
    pub(crate) fn measure_price(&mut self, id: CaseId) {
        self.close_figures(id);
        let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
            return;
        };
        case.queue.price = true;
    }

    /// Stops measuring it.
    pub(crate) fn stop_price(&mut self, id: CaseId) {
        self.close_figures(id);
        if let Some(case) = self.case_mut(id) {
            case.queue.price = false;
        }
    }

    /// Closes the cases that are there for the figures of this one.
    pub(crate) fn close_figures(&mut self, id: CaseId) {
        let own = |case: &&Case| case.role == Role::Figures(id);
        let figures: Vec<CaseId> = self.cases.iter().filter(own).map(|case| case.id).collect();
        for figures in figures {
            self.close(figures);
        }
        let own = |wish: &Wish| wish.role == Role::Figures(id);
        self.opening.figures.retain(|wish| !own(wish));
        if self.opening.at_work.as_ref().is_some_and(own) {
            self.opening.at_work = None;
        }
        if let Some(case) = self.case_mut(id) {
            case.planning.price.put(Pricing::Unmeasured);
        }
    }

    /// Keeps the price of every case as its two sides have it, and asks for a side that is not
    /// there when nothing else is wanted.
    pub(crate) fn follow_prices(&mut self) {
        let shown: Vec<CaseId> = self.shown().map(|case| case.id).collect();
        for id in shown {
            let price = self.pricing(id);
            if let Some(case) = self.case_mut(id) {
                case.planning.price.put(price);
            }
        }
        let waits =
            self.worker_queue.outstanding.is_some() || self.shown().any(Case::wants_something);
        if !waits
            && self.opening.next.is_none()
            && let Some(wish) = self.opening.figures.pop_front()
        {
            self.opening.next = Some(wish);
        }
    }

    fn pricing(&mut self, id: CaseId) -> Pricing {
        let case = self.case(id);
        if !case.queue.price {
            return Pricing::Unmeasured;
        }
        let Some(prepared) = case.prepared.as_ref() else {
            return Pricing::Unmeasured;
        };
        if !may_overlap(prepared) {
            return Pricing::Failed;
        }
        let parallel = match case.settings.parallel {
            Parallel::Serial => Parallel::Free,
            chosen => chosen,
        };
        let sides = [Parallel::Serial, parallel].map(|parallel| {
            let side = self.side(id, parallel);
            if matches!(side, Side::Absent) {
                self.want_side(id, parallel);
            }
            side
        });
        match sides {
            [Side::There(serial), Side::There(safe)] => Pricing::Measured(Price {
                parallel,
                serial,
                safe,
            }),
            [Side::Failed, _] | [_, Side::Failed] => Pricing::Failed,
            _ => Pricing::Measuring,
        }
    }

    /// How far one way of running is: in the case itself where it is planned so and without
    /// pools, else in a case that is there for it.
    fn side(&self, id: CaseId, parallel: Parallel) -> Side {
        let own = self.case(id);
        let settings = Settings {
            parallel,
            ..*own.settings
        };
        let is_so = |case: &&Case| {
            *case.settings == settings
                && case.queue.source == own.queue.source
                && *case.bindings == *own.bindings
                && *case.planning.effort == *own.planning.effort
                && case.planning.pools.is_empty()
                && !case.is_held(BEST)
        };
        let mut others = self.cases.iter().filter(is_so);
        let Some(case) = Some(own).filter(is_so).or_else(|| others.next()) else {
            return Side::Absent;
        };
        let (Some(prepared), Some(progress)) = (case.prepared.as_ref(), case.plans.get(&BEST))
        else {
            return Side::Open;
        };
        let planned = match progress {
            Progress::Done(planned) | Progress::Stopped(planned) => planned,
            Progress::Failed(_) => return Side::Failed,
            _ => return Side::Open,
        };
        if !planned.judged.violations.is_empty() {
            return Side::Failed;
        }
        Side::There(Priced {
            case: case.id,
            bound: prepared.bounds.offsets,
            unwaiting: prepared.subject.lifetimes.unwaiting,
            arena: planned.judged.metrics.arena,
        })
    }

    /// Asks for a case that is planned for one way of running, unless that waits already.
    fn want_side(&mut self, id: CaseId, parallel: Parallel) {
        let role = Role::Figures(id);
        let same = |wish: &&Wish| wish.role == role && wish.wanted.parallel == parallel;
        let opening = &self.opening;
        let mut wishes = opening
            .figures
            .iter()
            .chain(&opening.next)
            .chain(&opening.at_work);
        if wishes.any(|wish| same(&wish)) {
            return;
        }
        let case = self.case(id);
        let place = OpenTarget {
            at: Where::Beside,
            of: id,
        };
        let wanted = Fragment {
            text: case.text.letters.clone(),
            bindings: case.bindings.clone(),
            shown: Some(vec![BEST]),
            effort: *case.planning.effort,
            parallel,
            ..Fragment::of_settings(&case.settings)
        };
        if let Some(wish) = self.like(id, place, Some(wanted)) {
            let wish = Wish { role, ..wish };
            self.opening.figures.push_back(wish);
        }
    }

    /// Shows the panes of a case that was there for its figures.
    pub(crate) fn reveal(&mut self, id: CaseId) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.role = Role::Shown;
        if let Some(prepared) = case.prepared.clone() {
            let mut rest = case.first_queue(&prepared);
            rest.retain(|column| !case.plans.contains_key(column));
            let waiting = rest.iter().map(|column| (*column, Progress::Waiting));
            case.plans.extend(waiting);
            case.queue.columns = rest;
        }
        self.active.set(id);
    }
}

impl Fragment {
    /// Settings as a link has them.
    pub(crate) fn of_settings(settings: &Settings) -> Self {
        Self {
            arena: Some(settings.arena),
            alignment: Some(settings.alignment.0),
            largest_allocation: settings.largest_allocation.map(|it| it.0),
            io: Some(settings.io),
            passes: settings.passes,
            stage: settings.until,
            training: settings.training,
            parallel: settings.parallel,
            ..Self::default()
        }
    }
}

impl Case {
    /// Whether the price of running in parallel is measured without being asked for.
    pub(crate) fn is_priced_unasked(&self, prepared: &Prepared) -> bool {
        let few = prepared.subject.lifetimes.buffers.len() <= PRICE_UP_TO;
        few && may_overlap(prepared)
    }
}

/// Whether operators may run in another order: not where the schedule does more than compute.
fn may_overlap(prepared: &Prepared) -> bool {
    let program = prepared.subject.program.as_ref();
    program.is_some_and(|program| program.schedule.only_computes())
}
