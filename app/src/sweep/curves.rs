//! The figures of a sweep as curves over its values.

use std::collections::BTreeMap;

use conversation::{Action, Setting, Sweep};
use planner::Strategy;
use planner::sweep::{Figures, Over};
use timeline::chart::{Curve, is_logarithmic};
use timeline::overlay::Ink;
use timeline::palette::CATEGORIES;

use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::{SweepWord as W, Word, filled};

/// Thickness of a curve, and how much thicker each is than the one that may lie on it.
const WIDTH: f64 = 1.75;
const MORE: f64 = 1.75;

/// Curves, and what they are over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curves {
    pub(super) over: Over,
    /// Ascending, each once, those that are still to be planned, too.
    pub(super) values: Vec<u64>,
    /// The last on top; the first is what no reuse takes.
    pub(super) curves: Vec<Curve>,
    /// Whether no value is still to be planned.
    pub(super) whole: bool,
}

impl Curves {
    pub(super) fn new(session: Session, sweep: &Sweep) -> Self {
        let mut values = sweep.range.values.clone();
        values.sort_unstable();
        values.dedup();
        let found = sweep.points.iter().map(|point| (point.value, &point.found));
        let found: BTreeMap<u64, _> = found.collect();
        let curve = |name: String, (ink, width, dashed): (Ink, f64, bool), of: Of<'_>| {
            let bytes = values
                .iter()
                .map(|value| of(found.get(value)?.as_ref().ok()?));
            Curve {
                name,
                ink,
                width,
                dashed,
                bytes: bytes.collect(),
            }
        };
        let naive = curve(
            session.say(W::Naive).to_owned(),
            (Ink::Curve, WIDTH, false),
            &|it| Some(it.naive.0),
        );
        let strategies = &sweep.range.strategies;
        let plans = strategies.iter().enumerate().map(|(index, strategy)| {
            let above = strategies.len() - index;
            let width = WIDTH + MORE * f64::from(u8::try_from(above.min(5)).unwrap_or(1));
            let category = index % usize::from(CATEGORIES);
            let ink = Ink::Fill(u8::try_from(category).unwrap_or_default());
            let dashed = index >= usize::from(CATEGORIES);
            curve(strategy.name().to_owned(), (ink, width, dashed), &|it| {
                Some(it.arenas.get(index)?.as_ref().ok()?.0)
            })
        });
        let bound = curve(
            session.say(Word::Bound).to_owned(),
            (Ink::Bound, WIDTH, true),
            &|it| Some(it.bound.0),
        );
        Self {
            curves: [naive].into_iter().chain(plans).chain([bound]).collect(),
            over: sweep.range.over.clone(),
            whole: sweep.points.len() == sweep.range.values.len(),
            values,
        }
    }

    /// The curves that are drawn: with what no reuse takes, or without.
    pub(super) fn drawn(&self, naive: bool) -> &[Curve] {
        let first = usize::from(!naive);
        self.curves.get(first..).unwrap_or_default()
    }

    /// What the values are, as their axis says it.
    pub(super) fn axis(&self, session: Session) -> String {
        let name = match &self.over {
            Over::Dimension(name) => name.clone(),
            Over::Alignment => session.say(W::AlignmentAxis).to_owned(),
            Over::Batch => session.say(W::BatchAxis).to_owned(),
        };
        match is_logarithmic(&self.values) {
            true => filled(session.say(W::Log), &[&name]),
            false => name,
        }
    }
}

/// The bytes of a curve at one value.
type Of<'a> = &'a dyn Fn(&Figures) -> Option<u64>;

/// What is swept, as it is called on the page.
pub(super) fn name(session: Session, over: &Over) -> String {
    match over {
        Over::Dimension(name) => name.clone(),
        Over::Alignment => session.say(W::Alignment).to_owned(),
        Over::Batch => session.say(W::Batch).to_owned(),
    }
}

/// The value that is planned now; follows it.
pub(super) fn now(session: Session, over: &Over) -> u64 {
    session.file.track();
    session.bindings.track();
    session.settings.track();
    session.case(|case| case.value_of(over))
}

/// Makes a value the one that is planned.
pub(super) fn plan(session: Session, over: &Over, value: u64) {
    match over {
        Over::Dimension(name) if value > 0 => act(session, Action::Bind(name.clone(), Some(value))),
        // No dimension is bound to nothing, and none is the batch of a model that fixes it.
        Over::Dimension(_) | Over::Batch => {}
        Over::Alignment => act(session, Setting::Align(value)),
    }
}

/// Every strategy that plans at a value, in their order.
pub(super) fn strategies() -> impl Iterator<Item = Strategy> {
    // What it needs is a figure of every value.
    let all = Strategy::ALL.into_iter();
    all.filter(|strategy| *strategy != Strategy::Naive)
}
