//! Which plans a document opens with: those from which most is learnt.

use planner::Strategy;
use worker::Opened;

use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::effort::uses_effort;
use crate::model::progress::Progress;
use crate::model::state::State;

const NAIVE: Column = Column::Strategy(Strategy::Naive);

const BEST: Column = Column::Strategy(Strategy::Best);

impl Column {
    /// The columns that a document opens with: the plan that it brings, or one without any
    /// reuse, and the best one. Where the best one is above the bound, the second look is at the
    /// largest plan of all that reuse memory: see `follow_comparisons`.
    pub fn first(opened: &Opened) -> Vec<Self> {
        let before = if opened.deployed {
            Self::Deployed
        } else {
            NAIVE
        };
        vec![before, BEST]
    }
}

impl State {
    /// Whether plans that are seen are still to come.
    pub fn awaits_seen_plans(&self) -> bool {
        let open = |case: &Case| {
            let mut seen = case.shown.iter();
            seen.any(|column| case.plans.get(column).is_some_and(Progress::is_open))
        };
        self.shown().any(open)
    }

    /// Changes what is compared at first, once that is known and unless somebody has chosen;
    /// whether anything has changed.
    pub(crate) fn follow_comparisons(&mut self) -> bool {
        let mut changed = Vec::new();
        for case in &mut self.cases {
            if !case.undecided {
                continue;
            }
            match case.comparison() {
                Comparison::Open => {}
                Comparison::Stays => case.undecided = false,
                Comparison::Is(pair) => {
                    case.undecided = false;
                    case.shown.set(pair.to_vec());
                    changed.push((case.id, pair));
                }
            }
        }
        for (id, pair) in &changed {
            for column in pair {
                self.plan(*id, *column);
            }
        }
        !changed.is_empty()
    }
}

/// What is to be compared at first.
enum Comparison {
    /// It is not known yet.
    Open,
    /// What is compared already.
    Stays,
    /// These, the larger one first.
    Is([Column; 2]),
}

impl Case {
    /// Where the best plan meets the bound, it is compared with the one without reuse: what
    /// there is to gain is then all that there can be. Else the two plans that differ most,
    /// which both reuse memory: why one is larger is then the question.
    fn comparison(&self) -> Comparison {
        if *self.shown != [NAIVE, BEST] {
            return Comparison::Stays;
        }
        let done = |column: Column| matches!(self.plans.get(&column), Some(Progress::Done(_)));
        let Some(best) = self.planned(BEST).filter(|_| done(BEST)) else {
            return Comparison::Open;
        };
        if best.judged.metrics.optimal || best.judged.plan.pools.is_some() {
            return Comparison::Stays;
        }
        let quick = |column: &Column| match column {
            Column::Deployed => false,
            Column::Strategy(strategy) => !uses_effort(*strategy),
        };
        let mut open = self.plans.iter().filter(|(column, _)| quick(column));
        if open.any(|(_, progress)| progress.is_open()) {
            return Comparison::Open;
        }
        let plans = self.plans.iter().filter_map(|(column, progress)| {
            let judged = &progress.planned()?.judged;
            let counts = judged.violations.is_empty() && *column != NAIVE;
            counts.then_some((judged.metrics.taken(), *column))
        });
        let plans: Vec<_> = plans.collect();
        let largest = plans.iter().max_by_key(|(bytes, _)| *bytes);
        let smallest = plans
            .iter()
            .min_by_key(|(bytes, column)| (*bytes, *column != BEST));
        match largest.zip(smallest) {
            Some((largest, smallest)) if largest.0 > smallest.0 => {
                Comparison::Is([largest.1, smallest.1])
            }
            _ => Comparison::Stays,
        }
    }
}
