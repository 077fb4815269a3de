//! Advice: found while its tab is open, anew with another wish, not any longer once it is left.

use conversation::{Action, AdviceAction, Answer, Event, Setting, Tab, Where};
use planner::advice::{Advice, Wish};
use planner::{Bytes, Step};
use worker::Reply;

use super::browser::Browser;

const SHIPPED: &str = "id,lower,upper,size,offset\na,0,3,100,0\nb,1,3,50,200\nc,2,5,60,300\n";

/// A page at a plan, and at its advice.
fn at_advice() -> Browser {
    let mut browser = Browser::open("");
    browser.give("shipped.csv", SHIPPED, Where::Instead);
    browser.settle();
    assert_eq!(advised(&browser), Answer::Unasked);
    browser.act(Action::Turn(Tab::ADVICE));
    browser
}

fn advised(browser: &Browser) -> Answer<Advice> {
    let case = browser.state.case(*browser.state.active);
    (*case.advice.ask.found).clone()
}

/// All three are live at step 2.
fn found(browser: &Browser) -> Bytes {
    match advised(browser) {
        Answer::There(advice) => advice.base.taken,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_is_found_once_its_tab_is_open() {
    let mut browser = at_advice();
    assert_eq!(advised(&browser), Answer::Working(0, 0));
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
        matches!(steps[..], [Answer::Working(0, _), Answer::Working(1, _)]),
        "{steps:?}"
    );
    browser.act(Action::Advice(AdviceAction::Stop));
    browser.settle();
    assert_eq!(advised(&browser), Answer::Stopped);
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
        ..Wish::default()
    };
    browser.act(Action::Advice(AdviceAction::Wish(wish)));
    assert_eq!(advised(&browser), Answer::Working(0, 0));
    browser.act(Action::Turn(Tab::COMPARE));
    browser.settle();
    assert_eq!(advised(&browser), Answer::Unasked);
    browser.act(Action::Turn(Tab::ADVICE));
    browser.settle();
    assert_eq!(found(&browser), Bytes(210));
}

/// What is replayed is in the link, and Back is what was replayed before. What a link wants waits
/// until the file is there; what says nothing is left out aloud.
#[test]
fn a_link_says_what_is_replayed() {
    let wish = |browser: &Browser| {
        let case = browser.state.case(*browser.state.active);
        *case.advice.wish
    };
    let wanted = Wish {
        capacity: Some(Bytes(1 << 30)),
        empty: Some(Step(2)),
        ..Wish::default()
    };
    let mut browser = at_advice();
    browser.settle();
    assert!(!browser.state.link().contains("replay"));
    browser.act(Action::Advice(AdviceAction::Wish(wanted)));
    browser.settle();
    let link = browser.state.link();
    assert!(link.contains("&replay=1073741824,2"), "{link}");
    browser.back();
    browser.settle();
    browser.act(Action::Turn(Tab::ADVICE));
    browser.settle();
    assert_eq!(
        (wish(&browser), found(&browser)),
        (Wish::default(), Bytes(210))
    );
    let capacity = wanted.capacity;
    let empty = wanted.empty;
    for (said, wanted) in [
        ("1073741824,2", wanted),
        (
            "1073741824",
            Wish {
                capacity,
                empty: None,
                ..Wish::default()
            },
        ),
        (
            ",2",
            Wish {
                capacity: None,
                empty,
                ..Wish::default()
            },
        ),
    ] {
        let mut browser = Browser::open(&format!("#file=shipped.csv&tab=advice&replay={said}"));
        browser.give("shipped.csv", SHIPPED, Where::Instead);
        browser.settle();
        assert_eq!(wish(&browser), wanted, "{said}");
        let link = browser.state.link();
        assert!(link.contains(&format!("replay={said}")), "{link}");
        // Other lifetimes are replayed as the file has them.
        browser.act(Setting::Align(64));
        browser.settle();
        assert_eq!(wish(&browser), Wish::default());
    }
    for said in ["0", "x", ",", "7,x", "-1"] {
        let browser = Browser::open(&format!("#sample=blazeface&replay={said}"));
        let notice = format!("{:?}", browser.notice());
        assert!(notice.contains(&format!("replay={said}")), "{notice}");
    }
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
    assert_eq!(advised(&browser), Answer::Nothing);
}
