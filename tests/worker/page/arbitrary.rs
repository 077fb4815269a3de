//! Arbitrary sequences of events: what people do, with replies that come late, doubled, out of
//! order or never, and a worker that dies at any point.

use conversation::{
    Action, Case, Column, DifferenceAction, Event, FilmAction, HandAction, InsightAction,
    PlanningAction, Progress, RunAction, Tab, Where, Window,
};
use conversation::{CaseAction, Setting};
use planner::{Parallel, Strategy, message};
use proptest::prelude::*;

use super::browser::{Browser, FIRST, SECOND, TABS};

/// A model would have more to choose; these are read by the same worker and answer at once.
const FILES: [(&str, &str); 4] = [
    ("first.csv", FIRST),
    ("second.csv", SECOND),
    ("broken.csv", "id,lower,upper,size\na,0,x,3\n"),
    (
        "large.csv",
        "id,lower,upper,size\na,0,2,18446744073709551615\nb,0,2,18446744073709551615\n",
    ),
];

/// What happens next.
#[derive(Clone, Debug)]
enum Turn {
    /// A person opens a file of [`FILES`].
    Open(usize, usize),
    /// A person does something in one of the cases.
    Act(usize, Act),
    /// So many replies of the worker arrive.
    Hear(usize),
    /// The next reply arrives twice.
    Twice,
    /// The next reply is lost.
    Lose,
    /// The reply after the next arrives before it.
    Swap,
    /// The worker dies.
    Die,
    /// A sample arrives.
    Fetch,
    /// The earliest timer is over.
    Elapse,
    Back,
}

/// What a person does, without what has to be looked up in the state.
#[derive(Clone, Debug)]
enum Act {
    Sample(bool),
    Duplicate,
    Close,
    Cancel,
    Align(u64),
    Parallel,
    Arena,
    Show(usize, bool),
    Again(usize),
    Stop(usize),
    Select(Option<usize>),
    Look,
    Link(bool),
    Turn(usize),
    Nudge(i8),
    Undo,
    Pin(usize),
    Finish,
    Corrupt,
    Compare,
    Unpair,
    Film,
    Ask,
    Price,
    Longer,
    SideBySide,
}

fn act() -> impl Strategy_<Value = Act> {
    prop_oneof![
        any::<bool>().prop_map(Act::Sample),
        Just(Act::Duplicate),
        Just(Act::Close),
        Just(Act::Cancel),
        prop_oneof![Just(1), Just(64), Just(1024)].prop_map(Act::Align),
        Just(Act::Parallel),
        Just(Act::Arena),
        (0..8_usize, any::<bool>()).prop_map(|(column, on)| Act::Show(column, on)),
        (0..8_usize).prop_map(Act::Again),
        (0..8_usize).prop_map(Act::Stop),
        proptest::option::of(0..4_usize).prop_map(Act::Select),
        Just(Act::Look),
        any::<bool>().prop_map(Act::Link),
        (0..TABS.len()).prop_map(Act::Turn),
        any::<i8>().prop_map(Act::Nudge),
        Just(Act::Undo),
        (0..4_usize).prop_map(Act::Pin),
        Just(Act::Finish),
        Just(Act::Corrupt),
        Just(Act::Compare),
        Just(Act::Unpair),
        Just(Act::Film),
        Just(Act::Ask),
        Just(Act::Price),
        Just(Act::Longer),
        Just(Act::SideBySide),
    ]
}

fn turn() -> impl Strategy_<Value = Turn> {
    prop_oneof![
        3 => (0..FILES.len(), 0..3_usize).prop_map(|(file, at)| Turn::Open(file, at)),
        12 => (0..4_usize, act()).prop_map(|(case, act)| Turn::Act(case, act)),
        8 => (0..40_usize).prop_map(Turn::Hear),
        1 => Just(Turn::Twice),
        1 => Just(Turn::Lose),
        1 => Just(Turn::Swap),
        1 => Just(Turn::Die),
        2 => Just(Turn::Fetch),
        3 => Just(Turn::Elapse),
        1 => Just(Turn::Back),
    ]
}

/// Proptest's name for what makes values; ours makes plans.
use proptest::strategy::Strategy as Strategy_;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_mixed_up_lost_or_left_at_work(turns in proptest::collection::vec(turn(), 1..60)) {
        let mut browser = Browser::at("");
        for turn in turns {
            let before = browser.names();
            let closes = matches!(&turn, Turn::Act(_, Act::Close | Act::Unpair) | Turn::Back)
                || matches!(&turn, Turn::Hear(_) | Turn::Twice | Turn::Swap);
            happen(&mut browser, turn);
            if !closes {
                // Only who closes, or what was opened in its place, takes a document away.
                let now = browser.names();
                prop_assert!(before.iter().all(|name| now.contains(name)), "{before:?} {now:?}");
            }
            check(&browser)?;
        }
        end(&mut browser);
        check(&browser)?;
        prop_assert!(!browser.state.page.work.is_busy(), "{:?}", *browser.state.page.work);
        for case in &browser.state.cases {
            let open = case.plans.iter().find(|(_, plan)| plan.is_open());
            prop_assert!(open.is_none(), "{:?} {open:?}", case.id);
            prop_assert!(!case.is_open());
        }
    }
}

/// Everything arrives that still can; timers that wait are over.
fn end(browser: &mut Browser) {
    for _ in 0..20_000 {
        browser.settle();
        let Some(timer) = browser.timers.pop_front() else {
            return;
        };
        browser.take(Event::Elapsed(timer));
    }
    // A film that plays asks for a timer after every step.
    browser.act(Action::Turn(Tab::COMPARE));
    browser.settle();
}

fn happen(browser: &mut Browser, turn: Turn) {
    match turn {
        Turn::Open(file, at) => {
            let (name, text) = FILES[file];
            let at = [Where::Instead, Where::Beside, Where::Other][at];
            browser.give(name, text, at);
        }
        Turn::Act(case, act) => {
            let ids = browser.ids();
            let case = ids.get(case % ids.len().max(1)).copied();
            perform(browser, case.unwrap_or_default(), act);
        }
        Turn::Hear(count) => {
            for _ in 0..count {
                hear(browser, Browser::reply);
            }
        }
        Turn::Twice => {
            if let Some(event) = browser.reply() {
                browser.take(event.clone());
                browser.take(event);
            }
        }
        Turn::Lose => {
            browser.reply();
        }
        Turn::Swap => {
            let first = browser.reply();
            hear(browser, Browser::reply);
            hear(browser, |_| first);
        }
        Turn::Die => browser.take(Event::WorkerDied(message!("it was killed"))),
        Turn::Fetch => {
            browser.fetch();
        }
        Turn::Elapse => {
            if let Some(timer) = browser.timers.pop_front() {
                browser.take(Event::Elapsed(timer));
            }
        }
        Turn::Back => browser.back(),
    }
}

fn hear(browser: &mut Browser, next: impl FnOnce(&mut Browser) -> Option<Event>) {
    if let Some(event) = next(browser) {
        browser.take(event);
    }
}

fn perform(browser: &mut Browser, case: worker::CaseId, act: Act) {
    let columns = Column::all(true);
    let column = |index: usize| columns[index % columns.len()];
    let best = Column::Strategy(Strategy::Best);
    let planning = Action::Planning;
    let action: Action = match act {
        Act::Sample(beside) => CaseAction::OpenSample(
            if beside { "second" } else { "blazeface" }.into(),
            if beside {
                Where::Beside
            } else {
                Where::Instead
            },
        )
        .into(),
        Act::Duplicate => CaseAction::Duplicate.into(),
        Act::Close => CaseAction::Close(case).into(),
        Act::Cancel => Action::Cancel,
        Act::Align(bytes) => Setting::Align(bytes).into(),
        Act::Parallel => Setting::Parallel(Parallel::Free).into(),
        Act::Arena => Setting::Arena(1).into(),
        Act::Show(index, on) => Action::Show(column(index), on),
        Act::Again(index) => planning(PlanningAction::Again(column(index))),
        Act::Stop(index) => planning(PlanningAction::Stop(column(index))),
        Act::Select(index) => Action::Select(index),
        Act::Look => Action::Look(Some(Window {
            x: (0.0, 1.0),
            y: (0.0, 64.0),
        })),
        Act::Link(on) => CaseAction::LinkAxes(on).into(),
        Act::Turn(tab) => Action::Turn(TABS[tab]),
        Act::Nudge(steps) => Action::Hand(HandAction::Nudge(steps)),
        Act::Undo => Action::Hand(HandAction::Undo),
        Act::Pin(buffer) => Action::Hand(HandAction::Pin(best, buffer)),
        Act::Finish => Action::Hand(HandAction::Finish(best, conversation::Keep::Pins)),
        Act::Corrupt => Action::Run(RunAction::Corrupt(None)),
        Act::Compare => {
            let file = browser.file("other.csv", SECOND);
            Action::Differ(DifferenceAction::Dump(vec![file]))
        }
        Act::Unpair => Action::Differ(DifferenceAction::Close),
        Act::Film => Action::Film(FilmAction::Play(true)),
        Act::Ask => Action::Insight(InsightAction::Open(true)),
        Act::Price => planning(PlanningAction::MeasurePrice),
        Act::Longer => planning(PlanningAction::SearchLonger(best)),
        Act::SideBySide => Action::SideBySide,
    };
    browser.act_in(case, action);
}

/// What holds at any moment: no pane has figures of another subject, and no plan is shown that
/// was not judged.
fn check(browser: &Browser) -> Result<(), TestCaseError> {
    let state = &browser.state;
    let there = state.known(*state.active).is_some_and(Case::is_shown);
    prop_assert!(
        there || state.shown().next().is_none(),
        "{:?}",
        *state.active
    );
    let mut ids: Vec<_> = state.cases.iter().map(|case| case.id).collect();
    ids.sort_unstable();
    ids.dedup();
    prop_assert_eq!(ids.len(), state.cases.len());
    for case in &state.cases {
        check_case(case)?;
    }
    Ok(())
}

fn check_case(case: &Case) -> Result<(), TestCaseError> {
    let planned = case.plans.values().filter_map(Progress::planned);
    let planned: Vec<_> = planned.collect();
    let Some(prepared) = case.prepared.as_ref() else {
        prop_assert!(planned.is_empty(), "plans without lifetimes");
        return Ok(());
    };
    let lifetimes = &prepared.subject.lifetimes;
    for planned in planned {
        let judged = &planned.judged;
        prop_assert_eq!(judged.plan.offsets.len(), lifetimes.buffers.len());
        // The judge's word is about this very plan, these lifetimes and this alignment.
        let options = planner::Options::aligned(case.settings.alignment);
        if judged.plan.pools.is_none() && !case.wants_lifetimes() {
            let again = planner::judge(lifetimes, &prepared.bounds, &options, judged.plan.clone());
            prop_assert_eq!(&again.violations, &judged.violations);
        }
    }
    let count = lifetimes.buffers.len();
    prop_assert!(case.selected.is_none_or(|index| index < count));
    prop_assert!(case.hovered.is_none_or(|index| index < count));
    for edit in case.hand.edits.values() {
        prop_assert!(edit.moved.keys().all(|buffer| *buffer < count));
    }
    Ok(())
}
