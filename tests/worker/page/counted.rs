//! Counts that only a run finds: bounded by shapes, or by a number that is set as dimensions are,
//! kept in the address as these are.

use conversation::{Action, Where};
use planner::graph::Limit;

use super::browser::Browser;

/// Twelve elements, so at most 12 places in each of two rows of 8 bytes.
const TEXT: &str = "input x: f32[3, 4]\nplaces = NonZero(x)\nn = Identity(places)\noutput n\n";

fn planned(browser: &Browser) -> (u64, Limit, u64) {
    let case = browser.state.case(*browser.state.active);
    let prepared = case.prepared.as_ref().expect("it is planned");
    let count = &prepared.subject.graph().expect("a graph").counts[0];
    let buffer = &prepared.subject.lifetimes.buffers[0];
    (count.most, count.limit, buffer.payload.0)
}

#[test]
fn a_count_is_set_in_the_address_and_taken_back() {
    let mut browser = Browser::open("");
    browser.give("places.graph", TEXT, Where::Instead);
    browser.settle();
    assert_eq!(planned(&browser), (12, Limit::Shapes, 2 * 12 * 8));
    browser.act(Action::Bind("places".into(), Some(5)));
    browser.settle();
    assert_eq!(planned(&browser), (5, Limit::Set, 2 * 5 * 8));
    let (address, _) = browser.history.last().expect("an address").clone();
    assert!(address.contains("bind=places:5"), "{address}");
    // The same file by that address is planned for as many.
    let mut other = Browser::open(&address);
    other.give("places.graph", TEXT, Where::Instead);
    other.settle();
    assert_eq!(planned(&other).0, 5);
    // Without a number, shapes alone are the bound again; other dimensions need one.
    browser.act(Action::Bind("places".into(), None));
    browser.settle();
    assert_eq!(planned(&browser).1, Limit::Shapes);
    assert!(browser.notice().is_none());
    browser.act(Action::Bind("N".into(), None));
    assert!(browser.notice().is_some());
}
