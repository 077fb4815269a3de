//! What is known of a plan's arena, as badges: invalid, optimal and why, or how far it may be
//! from that.

use crate::state::session::Session;
use conversation::{Column, Progress, uses_effort};
use leptos::prelude::*;
use planner::metrics::Metrics;
use planner::{AboveNaive, Bytes, Constraint, Strategy, Unsearched};
use worker::Planned;

use super::replan;
use crate::format;
use crate::strings::{ConstraintWord, DeployedWord, Spoken, Word, filled};

/// One badge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Badge {
    text: String,
    hint: String,
    class: &'static str,
}

impl Badge {
    fn new(session: Session, word: impl Spoken, hint: impl Spoken, class: &'static str) -> Self {
        Self {
            text: session.say(word).to_owned(),
            hint: session.say(hint).to_owned(),
            class,
        }
    }

    /// The plan is the smallest of all that there are.
    pub(crate) fn smallest(session: Session) -> Self {
        Self::new(session, Word::Best, Word::Best, "badge")
    }

    /// What it says.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn with(session: Session, word: Word, bytes: u64, hint: Word) -> Self {
        Self {
            text: filled(session.say(word), &[&format::bytes(bytes)]),
            hint: format!("{} ({})", session.say(hint), format::exact(bytes)),
            class: "badge",
        }
    }
}

/// The badges as they are shown.
pub(crate) fn show(badges: Vec<Badge>) -> impl IntoView {
    let show = |badge: Badge| {
        view! { <span class=badge.class title=badge.hint>{badge.text}</span> " " }
    };
    badges.into_iter().map(show).collect_view()
}

/// How many nodes the exact search has visited, while it is at work.
pub(crate) fn nodes(session: Session, column: Column, done: u64, total: u64) -> Option<String> {
    let exact = column == Column::Strategy(Strategy::Exact) && total > 0;
    let counts = [done, total].map(format::grouped);
    exact.then(|| {
        filled(
            session.say(Word::NodesOf),
            &counts.each_ref().map(String::as_str),
        )
    })
}

/// Whether the search for a plan goes on, waits to, or was stopped; nothing of a plan that is
/// known to be the smallest: whatever is still searched, it is found.
pub(crate) fn of_search(session: Session, column: Column, progress: &Progress) -> Option<Badge> {
    let planned = progress.planned();
    if planned.is_some_and(|planned| is_smallest(session, planned)) {
        return None;
    }
    let badge = |word, hint, class| Some(Badge::new(session, word, hint, class));
    match progress {
        Progress::Improving(_, done, total) => {
            let badge = badge(Word::StillSearching, Word::StillSearchingHint, "badge")?;
            let text = match nodes(session, column, *done, *total) {
                Some(nodes) => format!("{} {nodes}", badge.text),
                None => badge.text,
            };
            Some(Badge { text, ..badge })
        }
        Progress::Queued(_) => badge(Word::WaitingColumn, Word::QueuedHint, "badge"),
        Progress::Stopped(_) => badge(Word::StoppedEarly, Word::StoppedHint, "badge stopped"),
        _ => None,
    }
}

/// The same of a plan in pools.
fn in_pools(session: Session, planned: &Planned) -> Vec<Badge> {
    let metrics = planned.judged.metrics;
    let mut badges = of_pools(session, metrics);
    let why = planned.judged.plan.unsearched;
    if let Some(why) = why.filter(|_| metrics.spilled != metrics.must_move) {
        let (text, hint) = (Word::NotSearched, unsearched(why));
        badges.push(Badge::new(session, text, hint, "badge"));
    }
    badges
}

/// What is known of the arena of a column's plan; nothing where only figures are known.
pub(crate) fn of_plan(session: Session, column: Column, planned: &Planned) -> Vec<Badge> {
    let metrics = planned.judged.metrics;
    let badge = |word, hint, class| vec![Badge::new(session, word, hint, class)];
    if !planned.judged.violations.is_empty() {
        return badge(Word::Invalid, Word::Invalid, "badge invalid");
    }
    if metrics.arena == Bytes::ZERO {
        return badge(Word::NothingToPlace, Word::NothingToPlace, "badge");
    }
    if session.is_separate() {
        return of_separate(session);
    }
    if planned.judged.plan.pools.is_some() {
        return in_pools(session, planned);
    }
    let taken = metrics.taken();
    let met = metrics.optimal && taken == metrics.bound;
    // The request that failed is no part of any plan: none of them is optimal for the program.
    if (met || is_smallest(session, planned)) && failed(session) {
        let (text, hint) = (Word::BoundMet, DeployedWord::PlacedOnly);
        return vec![Badge::new(session, text, hint, "badge")];
    }
    if met && session.left_out() > 0 {
        return badge(Word::BoundMet, Word::BoundMetHint, "badge");
    }
    if met {
        return badge(Word::OptimalBound, Word::OptimalHint, "badge optimal");
    }
    let proved = session.proved();
    if is_smallest(session, planned) {
        // Of a model of which tensors are left out nothing is optimal.
        if session.left_out() > 0 {
            return vec![Badge::with(
                session,
                Word::NothingBelow,
                metrics.arena.0,
                Word::OptimalProvedHint,
            )];
        }
        return badge(
            Word::OptimalProved,
            Word::OptimalProvedHint,
            "badge optimal",
        );
    }
    let mut badges = Vec::new();
    if metrics.objects.is_some() && metrics.arena == metrics.model_bound {
        badges.extend(badge(Word::ObjectOptimal, Word::ObjectOptimalHint, "badge"));
    }
    // What was changed by hand is no strategy's best.
    let edited = session.runs.edits.with(|edits| edits.contains_key(&column));
    let searched = matches!(column, Column::Strategy(strategy) if uses_effort(strategy));
    if searched && !edited {
        if let Some(proved) = proved.filter(|proved| *proved > metrics.bound) {
            badges.push(Badge::with(
                session,
                Word::NothingBelow,
                proved.0,
                Word::NothingBelowHint,
            ));
        }
        let floor = proved.unwrap_or_default().max(metrics.bound);
        let gap = taken.0.saturating_sub(floor.0);
        let (word, hint) = match planned.judged.plan.unsearched {
            None => (Word::NotProvedOptimal, Word::NotProvedOptimalHint),
            Some(why) => (Word::OnlyBoundProved, unsearched(why)),
        };
        badges.push(Badge::with(session, word, gap, hint));
    }
    badges
}

/// That these are separate allocations, of which the file may list the largest only.
fn of_separate(session: Session) -> Vec<Badge> {
    let partial = of_partial(session);
    let hint = match partial {
        Some(_) => DeployedWord::NotListedHint,
        None => DeployedWord::SeparateHint,
    };
    let badge = Badge::new(session, DeployedWord::Separate, hint, "badge separate");
    [badge].into_iter().chain(partial).collect()
}

/// That the file lists the largest buffers only.
fn of_partial(session: Session) -> Option<Badge> {
    let more = session.not_listed()?;
    let text = match more {
        Bytes::ZERO => session.say(DeployedWord::NotListedUnsaid).to_owned(),
        more => filled(
            session.say(DeployedWord::NotListed),
            &[&format::bytes(more.0)],
        ),
    };
    Some(Badge {
        text,
        hint: session.say(DeployedWord::NotListedHint).to_owned(),
        class: "badge not-listed",
    })
}

/// Whether there was no memory for a request of the trace.
pub(super) fn failed(session: Session) -> bool {
    session.prepared.with(|prepared| {
        let prepared = prepared.as_ref();
        prepared.is_some_and(|it| !it.subject.refused.is_empty())
    })
}

/// Whether it is proved, by its own search or another, that no plan is smaller than this valid one.
fn is_smallest(session: Session, planned: &Planned) -> bool {
    let metrics = planned.judged.metrics;
    let is_plain = planned.judged.violations.is_empty() && planned.judged.plan.pools.is_none();
    is_plain && (metrics.optimal || session.proved() == Some(metrics.taken()))
}

/// How much smaller a plan is than the one in the file; nothing where it is not, or where one
/// of both is invalid.
pub(crate) fn of_savings(session: Session, column: Column, planned: &Planned) -> Option<Badge> {
    if column == Column::Deployed {
        return None;
    }
    let deployed = replan::shipped(session)?;
    let both = [deployed.as_ref(), planned];
    let plain = |planned: &&Planned| {
        planned.judged.violations.is_empty() && planned.judged.plan.pools.is_none()
    };
    let (before, after) = (replan::taken(&deployed), replan::taken(planned));
    if after >= before || !both.iter().all(plain) {
        return None;
    }
    let share = replan::share(before, after);
    let figures = [before, after, before - after].map(format::exact);
    let figures = figures.each_ref().map(String::as_str);
    Some(Badge {
        text: filled(session.say(DeployedWord::Saves), &[&share]),
        hint: filled(session.say(DeployedWord::SavesHint), &figures),
        class: "badge saves",
    })
}

/// That what was reserved counts, and how high the blocks reach; nothing where the arena does.
pub(crate) fn of_reserved(session: Session, planned: &Planned) -> Option<Badge> {
    let metrics = planned.judged.metrics;
    let reach = format::bytes(metrics.arena.0);
    metrics.reserved.map(|_| Badge {
        text: filled(session.say(DeployedWord::ReservedReach), &[&reach]),
        hint: session.say(DeployedWord::BlocksReachHint).to_owned(),
        class: "badge",
    })
}

/// Why a search proves only the bound.
fn unsearched(why: Unsearched) -> Word {
    match why {
        Unsearched::Handovers => Word::UnsearchedHandovers,
        Unsearched::Windows => Word::UnsearchedWindows,
        Unsearched::Pools => Word::UnsearchedPools,
        Unsearched::Large => Word::UnsearchedLarge,
    }
}

/// What is known of a plan for several pools. They lie end to end in one arena, so that the
/// bound of one arena holds for their sum; what has to move is counted apart.
fn of_pools(session: Session, metrics: Metrics) -> Vec<Badge> {
    let (spilled, must) = (metrics.spilled, metrics.must_move);
    let filled_in = |text: ConstraintWord, hint: ConstraintWord| Badge {
        text: filled(
            session.say(text),
            &[&format::bytes(must.unwrap_or_default().0)],
        ),
        hint: filled(session.say(hint), &[&format::bytes(metrics.bound.0)]),
        class: "badge",
    };
    // Of a model of which tensors are left out nothing is optimal.
    let whole = session.left_out() == 0;
    if spilled == must && metrics.optimal && whole {
        return vec![Badge::new(
            session,
            ConstraintWord::PoolsOptimal,
            ConstraintWord::PoolsOptimalHint,
            "badge optimal",
        )];
    }
    let moved = match spilled {
        _ if spilled != must => (ConstraintWord::MustMove, ConstraintWord::MustMoveHint),
        Some(Bytes::ZERO) => (
            ConstraintWord::NothingMoved,
            ConstraintWord::FewestMovedHint,
        ),
        _ => (ConstraintWord::FewestMoved, ConstraintWord::FewestMovedHint),
    };
    let mut badges = vec![filled_in(moved.0, moved.1)];
    if metrics.optimal {
        let (text, hint) = (ConstraintWord::SumMet, ConstraintWord::SumMetHint);
        badges.push(Badge::new(session, text, hint, "badge"));
    }
    badges
}

/// What the problem allows and a column's strategy makes no use of.
pub(crate) fn of_unused(session: Session, column: Column) -> Vec<Badge> {
    let Column::Strategy(strategy) = column else {
        return Vec::new();
    };
    let unused = session.with_lifetimes(|lifetimes| strategy.unused(lifetimes));
    let unused = unused.unwrap_or_default().into_iter();
    let badge = |constraint: Constraint| {
        let (text, hint) = match constraint {
            Constraint::Pauses => (
                ConstraintWord::PausesUnused,
                ConstraintWord::PausesUnusedHint,
            ),
            Constraint::Handovers => (
                ConstraintWord::HandoversUnused,
                ConstraintWord::HandoversUnusedHint,
            ),
        };
        Badge::new(session, text, hint, "badge unused")
    };
    unused.map(badge).collect()
}

/// That a plan is larger than one without reuse, and how that can be.
pub(crate) fn of_naive(session: Session, column: Column, planned: &Planned) -> Option<Badge> {
    let Column::Strategy(strategy) = column else {
        return None;
    };
    let naive = session.plans.with(|plans| {
        let naive = plans.get(&Column::Strategy(Strategy::Naive))?;
        Some(naive.planned()?.judged.metrics.arena)
    })?;
    let edited = session.runs.edits.with(|edits| edits.contains_key(&column));
    let larger = planned.judged.metrics.arena > naive && !edited;
    larger.then(|| Badge {
        text: session.say(ConstraintWord::AboveNaive).to_owned(),
        hint: why_above_naive(session, strategy),
        class: "badge above-naive",
    })
}

/// When and why a strategy's plan may be larger than one without reuse.
pub(crate) fn why_above_naive(session: Session, strategy: Strategy) -> String {
    let (word, block) = match strategy.description().above_naive {
        None => (ConstraintWord::NaiveItself, None),
        Some(AboveNaive::Padding) => (ConstraintWord::NaivePadding, None),
        Some(AboveNaive::Blocks(block)) => (ConstraintWord::NaiveBlocks, Some(block)),
        Some(AboveNaive::Segments(block)) => (ConstraintWord::NaiveSegments, Some(block)),
    };
    let block = block.map_or_else(String::new, |block| format::exact(block.0));
    filled(session.say(word), &[&block])
}

impl Session {
    /// What is there beyond the largest buffers, where the file lists no others, see
    /// [`Subject::not_listed`](planner::Subject::not_listed). Follows what is open.
    pub(crate) fn not_listed(self) -> Option<Bytes> {
        self.prepared
            .with(|prepared| prepared.as_ref()?.subject.not_listed())
    }

    /// What searches have proved: no plan of offsets has a smaller arena. Follows the plans.
    pub(crate) fn proved(self) -> Option<Bytes> {
        self.plans.with(|plans| {
            let judged = plans.values().filter_map(Progress::planned);
            let whole = judged.filter(|planned| {
                planned.judged.violations.is_empty() && planned.judged.plan.pools.is_none()
            });
            whole.filter_map(|planned| planned.judged.plan.proved).max()
        })
    }
}
