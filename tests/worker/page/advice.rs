//! Advice: found while its tab is open, anew with another wish, not any longer once it is left.

use conversation::{Action, AdviceAction, Advised, Event, Setting, Tab, Where};
use planner::advice::Wish;
use planner::{Bytes, Step};
use worker::Reply;

use super::browser::Browser;

const SHIPPED: &str = "id,lower,upper,size,offset\na,0,3,100,0\nb,1,3,50,200\nc,2,5,60,300\n";

/// A page at a plan, and at its advice.
fn at_advice() -> Browser {
    let mut browser = Browser::open("");
    browser.give("shipped.csv", SHIPPED, Where::Instead);
    browser.settle();
    assert_eq!(advised(&browser), Advised::Unasked);
    browser.act(Action::Turn(Tab::ADVICE));
    browser
}

fn advised(browser: &Browser) -> Advised {
    let case = browser.state.case(*browser.state.active);
    (*case.advice.advised).clone()
}

/// All three are live at step 2.
fn found(browser: &Browser) -> Bytes {
    match advised(browser) {
        Advised::There(advice) => advice.base.taken,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_is_found_once_its_tab_is_open() {
    let mut browser = at_advice();
    assert_eq!(advised(&browser), Advised::Working(0, 0));
    browser.settle();
    assert_eq!(found(&browser), Bytes(210));
    // Other lifetimes are advised on anew: what lies highest needs no padding above it.
    browser.act(Setting::Align(64));
    browser.settle();
    assert_eq!(found(&browser), Bytes(64 + 64 + 100));
}

#[test]
fn it_says_how_far_it_is_and_can_be_stopped() {
    let mut browser = at_advice();
    let mut steps = Vec::new();
    while let Some(event) = browser.reply() {
        let told = matches!(&event, Event::Worker(it) if matches!(**it, Reply::Progress { .. }));
        browser.take(event);
        if told {
            steps.push(advised(&browser));
        }
        if steps.len() == 2 {
            break;
        }
    }
    assert!(
        matches!(steps[..], [Advised::Working(0, _), Advised::Working(1, _)]),
        "{steps:?}"
    );
    browser.act(Action::Advice(AdviceAction::Stop));
    browser.settle();
    assert_eq!(advised(&browser), Advised::Stopped);
    browser.act(Action::Advice(AdviceAction::Wish(Wish::default())));
    browser.settle();
    assert_eq!(found(&browser), Bytes(210));
}

#[test]
fn another_wish_is_another_question_and_leaving_ends_it() {
    let mut browser = at_advice();
    browser.settle();
    let wish = Wish {
        capacity: Some(Bytes(1 << 30)),
        empty: Some(Step(2)),
    };
    browser.act(Action::Advice(AdviceAction::Wish(wish)));
    assert_eq!(advised(&browser), Advised::Working(0, 0));
    browser.act(Action::Turn(Tab::COMPARE));
    browser.settle();
    assert_eq!(advised(&browser), Advised::Unasked);
    browser.act(Action::Turn(Tab::ADVICE));
    browser.settle();
    assert_eq!(found(&browser), Bytes(210));
}

#[test]
fn a_problem_without_a_plan_has_none() {
    let mut browser = Browser::open("");
    browser.give(
        "problem.csv",
        "id,lower,upper,size\na,0,3,100\n",
        Where::Instead,
    );
    browser.settle();
    browser.act(Action::Turn(Tab::ADVICE));
    browser.settle();
    assert_eq!(advised(&browser), Advised::Nothing);
}
