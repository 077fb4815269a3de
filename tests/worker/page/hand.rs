//! Plans changed by hand: the worker judges every change, one after the other.

use conversation::{Action, Column, Event, HandAction, Message, Notice, RunAction, Where};
use planner::{Bytes, Offset, Options, Plan, Strategy, Violation, save};

use super::browser::{Browser, SECOND};

const NAIVE: Column = Column::Strategy(Strategy::Naive);

/// The first sample with the plan without reuse, its second buffer selected.
fn browser() -> Browser {
    let mut browser = Browser::open("show=naive");
    browser.act(Action::Select(Some(1)));
    browser
}

fn at(browser: &Browser, buffer: usize) -> u64 {
    let case = browser.cases()[0];
    case.offset(NAIVE, buffer).expect("it is planned").0
}

/// A key that repeats faster than the worker answers moves as often as it repeats.
#[test]
fn a_held_key_moves_a_rectangle_as_often_as_it_repeats() {
    let mut browser = browser();
    let before = at(&browser, 1);
    for _ in 0..5 {
        browser.act(Action::Hand(HandAction::Nudge(1)));
    }
    assert_eq!(
        at(&browser, 1),
        before,
        "nothing is shown that was not judged"
    );
    browser.settle();
    assert_eq!(at(&browser, 1), before + 5);
    let case = browser.cases()[0];
    let edit = &case.hand.edits[&NAIVE];
    assert_eq!(edit.moved[&1], Offset(before));
    assert!(
        !case
            .planned(NAIVE)
            .expect("a plan")
            .judged
            .violations
            .is_empty()
    );
    for step in (0..5).rev() {
        browser.act(Action::Hand(HandAction::Undo));
        browser.settle();
        assert_eq!(at(&browser, 1), before + step);
    }
    assert!(browser.cases()[0].hand.edits.is_empty());
    browser.act(Action::Hand(HandAction::Undo));
    assert_eq!(browser.notice(), Some(Notice::Said(Message::NothingToUndo)));
    browser.act(Action::Hand(HandAction::Redo));
    browser.settle();
    assert_eq!(at(&browser, 1), before + 1);
}

#[test]
fn a_pinned_buffer_does_not_move() {
    let mut browser = browser();
    let before = at(&browser, 1);
    browser.act(Action::Hand(HandAction::Pin(NAIVE, 1)));
    browser.act(Action::Hand(HandAction::Nudge(1)));
    browser.settle();
    assert_eq!(at(&browser, 1), before);
    assert_eq!(browser.notice(), Some(Notice::Said(Message::IsPinned)));
}

/// A link brings a change; the plan is judged with it, and the link stays as it was.
#[test]
fn a_link_brings_changes() {
    let mut browser = browser();
    browser.act(Action::Hand(HandAction::Nudge(3)));
    browser.settle();
    let (address, _) = browser.history.last().cloned().expect("an entry");
    assert!(address.contains("edit=naive:b@"), "{address}");
    let again = Browser::open(&address);
    assert_eq!(at(&again, 1), at(&browser, 1));
    assert_eq!(again.history.last().map(|entry| &entry.0), Some(&address));
}

/// A corrupted plan is shown as the judge found it, never before.
#[test]
fn a_corrupted_plan_is_judged_first() {
    let mut browser = Browser::open("show=naive");
    browser.act(Action::Run(RunAction::Corrupt(None)));
    assert!(browser.cases()[0].hand.edits.is_empty());
    browser.settle();
    let planned = browser.cases()[0].planned(NAIVE).expect("a plan").clone();
    assert!(!planned.judged.violations.is_empty());
}

/// A chosen tensor is put exactly where it was said, of the plan as it was made; the change is in
/// the link and can be undone. What was chosen says nothing of another document.
#[test]
fn a_chosen_tensor_corrupts_the_plan() {
    let mut browser = Browser::open("show=naive");
    browser.act(Action::Run(RunAction::Culprit(Some(2))));
    browser.act(Action::Run(RunAction::Victim(Some(1))));
    let before = at(&browser, 2);
    let victim = at(&browser, 1);
    for _ in 0..2 {
        browser.act(Action::Run(RunAction::Corrupt(Some((2, Offset(victim))))));
        browser.settle();
        let case = browser.cases()[0];
        let edit = &case.hand.edits[&NAIVE];
        assert_eq!(edit.moved, [(2, Offset(before))].into());
        let planned = case.planned(NAIVE).expect("a plan");
        let overlap = Violation::Overlap {
            first: 1,
            second: 2,
        };
        assert_eq!(planned.judged.violations, [overlap]);
    }
    // It is written where the look at the overlap comes to rest.
    while let Some(timer) = browser.timers.pop_front() {
        browser.take(Event::Elapsed(timer));
    }
    let (address, _) = browser.history.last().cloned().expect("an entry");
    assert!(address.contains("edit=naive:c@"), "{address}");
    for _ in 0..2 {
        browser.act(Action::Hand(HandAction::Undo));
        browser.settle();
    }
    assert_eq!(at(&browser, 2), before);
    let chosen = |browser: &Browser| {
        let hand = &browser.cases()[0].hand;
        (*hand.culprit, *hand.victim)
    };
    assert_eq!(chosen(&browser), (Some(2), Some(1)));
    // Another tensor is moved onto others.
    browser.act(Action::Run(RunAction::Culprit(Some(0))));
    assert_eq!(chosen(&browser), (Some(0), None));
    browser.give("second.csv", SECOND, Where::Instead);
    browser.settle();
    assert_eq!(chosen(&browser), (None, None));
}

/// The plan of a file is laid over the one that the buttons are about.
#[test]
fn a_plan_is_imported() {
    let mut browser = Browser::open("");
    browser.give(
        "problem.csv",
        "id,lower,upper,size\na,0,2,100\nb,1,3,80\n",
        Where::Instead,
    );
    browser.settle();
    let file = browser.file("plan.csv", SECOND);
    browser.act(Action::Run(RunAction::Import(file)));
    browser.settle();
    let case = browser.cases()[0];
    let target = case.target().expect("a plan");
    assert_eq!(
        [0, 1].map(|it| case.offset(target, it)),
        [Some(Offset(0)), Some(Offset(100))]
    );
}

/// The arena of a file is judged where its offsets are the same, and the same plan says so.
#[test]
fn a_plan_with_another_arena_is_another_plan() {
    let mut browser = Browser::open("");
    let problem = "id,lower,upper,size\na,0,2,100\nb,1,3,80\n";
    browser.give("problem.csv", problem, Where::Instead);
    browser.settle();
    let target = browser.cases()[0].target().expect("a plan");
    let case = browser.cases()[0];
    let lifetimes = case.lifetimes().expect("a problem").clone();
    let made = case.planned(target).expect("a plan").judged.plan.clone();
    let options = Options::aligned(Bytes(1));
    let mut import = |arena: u64| {
        let plan = Plan {
            arena: Bytes(arena),
            ..made.clone()
        };
        let text = save::plan_json(&lifetimes, &plan, &options, &["", "", ""]);
        let file = browser.file("plan.json", &text);
        browser.act(Action::Run(RunAction::Import(file)));
        browser.settle();
        let case = browser.cases()[0];
        let planned = case.planned(target).expect("a plan").clone();
        let same = browser.notice() == Some(Notice::Said(Message::SamePlan));
        (
            planned.judged.plan.arena.0,
            planned.judged.violations.len(),
            same,
        )
    };
    let arena = made.arena.0;
    assert_eq!(import(arena), (arena, 0, true));
    // A tail of 76 bytes is reserved; of one byte less the last one of a buffer is missing.
    assert_eq!(import(arena + 76), (arena + 76, 0, false));
    assert_eq!(import(arena - 1), (arena - 1, 1, false));
    assert_eq!(import(arena), (arena, 0, true));
}
