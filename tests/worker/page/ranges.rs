//! Recordings with more events than can be held: the page asks for a range, which stays with the
//! file.

use conversation::{CaseAction, Dialog, Notice, Where};
use planner::load::{Excerpt, Fault};
use planner::{Span, Step};
use tests::snapshot::Spec;

use super::browser::Browser;

fn recording() -> Vec<u8> {
    Spec::of(5, 400).make().bytes(4)
}

/// What is asked of a recording that is opened by `link`.
fn asked(link: &str) -> (Browser, Excerpt) {
    let mut browser = Browser::open(link);
    browser.give("r.pickle", recording(), Where::Instead);
    browser.settle();
    let Some(Notice::Refused(_, error)) = browser.notice() else {
        panic!("{:?}", browser.notice());
    };
    let Fault::Range(excerpt) = error.kind else {
        panic!("{error}");
    };
    (browser, excerpt)
}

/// The steps of what is open, of which the first is before the range.
fn steps(browser: &Browser) -> Option<Step> {
    let prepared = browser.state.active().prepared.clone()?;
    Some(prepared.subject.lifetimes.horizon)
}

/// A range that has none of the events is asked for anew, as one that has too many is.
#[test]
fn the_page_asks_which_events_to_hold() {
    let (mut browser, excerpt) = asked("#file=r.pickle&range=1000000..1000001");
    assert_eq!(*browser.state.page.dialog, Some(Dialog::Columns));
    assert_eq!(excerpt.span, Span::new(0, excerpt.events));
    assert!(browser.state.page.table.is_none());
    browser.act(CaseAction::ReadRange(Span::new(100, 200)));
    browser.settle();
    assert_eq!((browser.notice(), *browser.state.page.dialog), (None, None));
    assert_eq!(steps(&browser), Some(Step(101)));
    // A link names the range for whoever opens the file again.
    let link = browser.state.link();
    assert!(link.contains("&range=100..200&"), "{link}");
    let mut again = Browser::open(&link);
    again.give("r.pickle", recording(), Where::Instead);
    again.settle();
    assert_eq!((again.notice(), steps(&again)), (None, Some(Step(101))));
    assert_eq!(again.state.link(), link);
}
