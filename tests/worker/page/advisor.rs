//! The advisor is asked beside the table of policies.

use conversation::{
    Action, Answer, Event, Fitting, Tab, Timer, TrainingAction, TrainingFound, Where,
};
use planner::Bytes;
use planner::training::Policy;
use planner::training::devices::Device;
use worker::{Request, TrainingQuestion, TrainingWanted};

use super::browser::Browser;
use super::training::CHAIN;

/// What of training steps the worker was asked.
fn wanted(asked: &Request) -> Option<TrainingWanted> {
    match asked {
        Request::Ask { ask, .. } => ask.open::<TrainingQuestion>().map(|it| it.wanted),
        _ => None,
    }
}

/// The advisor is wanted while a part of the table is made: that is cut off if it is not there soon,
/// and made after the advisor has answered.
#[test]
fn the_advisor_does_not_wait_for_the_table() {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    browser.settle();
    let device = Device {
        flops: 1_000,
        products: 1_000,
        memory: Bytes(1 << 30),
        link: 10,
        peers: 0,
        network: 0,
    };
    browser.act(Action::Training(TrainingAction::Device(Some(device))));
    browser.settle();
    browser.act(Action::Turn(Tab::TRAINING));
    let part = |asked: &Request| matches!(wanted(asked), Some(TrainingWanted::Part(_)));
    while !browser.asked.last().is_some_and(part) {
        let reply = browser.reply().expect("the table is asked for");
        browser.take(reply);
    }
    browser.timers.clear();
    let fitting = Fitting::default();
    browser.act(Action::Training(TrainingAction::Fits(Some(fitting))));
    let timeout = browser
        .timers
        .iter()
        .position(|it| matches!(it, Timer::Timeout(_)));
    let timer = timeout
        .and_then(|at| browser.timers.remove(at))
        .expect("it is hurried");
    // The answer is not there in time.
    browser.take(Event::Elapsed(timer));
    browser.settle();
    let mut asked = browser.asked.iter().filter_map(wanted);
    assert!(
        asked
            .by_ref()
            .any(|it| matches!(it, TrainingWanted::Part(_)))
    );
    let next = asked.next();
    assert!(matches!(next, Some(TrainingWanted::Fits(_))), "{next:?}");
    assert!(
        asked.any(|it| matches!(it, TrainingWanted::Part(_))),
        "the part is made after it"
    );
    let case = browser.state.case(*browser.state.active);
    assert!(matches!(&*case.training.fits.found, Answer::There(_)));
    let TrainingFound::There(table) = &*case.training.found else {
        panic!("the table is there");
    };
    assert_eq!(table.rows.len(), Policy::ALL.len());
}
