//! Tables that do not say what their columns mean: the page asks, and the answer stays with them.

use conversation::{Action, CaseAction, Dialog, Event, Notice, PageAction, Where};
use planner::load::{Columns, Fault, Meaning};
use planner::{Bytes, Span, message};

use super::browser::{Browser, FIRST};

/// `x` and `y` meet at step 2 if the last use counts.
const FOREIGN: &str = "tensor;first_use;last_use;weight\nx;0;2;4 B\ny;2;3;8 B\n";

fn columns(size: &str) -> Columns {
    let pairs = [
        (Meaning::Lower, "first_use"),
        (Meaning::End, "last_use"),
        (Meaning::Size, size),
    ];
    Columns(pairs.map(|(it, name)| (it, name.to_owned())).to_vec())
}

/// The fault that is shown.
fn fault(browser: &Browser) -> Option<Fault> {
    match browser.notice() {
        Some(Notice::Refused(_, error)) => Some(error.kind),
        _ => None,
    }
}

fn asked() -> Browser {
    let mut browser = Browser::open("");
    browser.give("foreign.csv", FOREIGN, Where::Instead);
    browser.settle();
    browser
}

#[test]
fn the_page_asks_what_columns_mean() {
    let mut browser = asked();
    assert_eq!(fault(&browser), Some(Fault::Columns));
    assert_eq!(*browser.state.page.dialog, Some(Dialog::Columns));
    let table = browser.state.page.table.clone().expect("a table");
    assert_eq!(table.names, ["tensor", "first_use", "last_use", "weight"]);
    assert_eq!(table.rows, [["x", "0", "2", "4 B"], ["y", "2", "3", "8 B"]]);
    assert!(table.guess.0.contains(&(Meaning::End, "last_use".into())));
    // What was open stays until it is said.
    assert_eq!(browser.names(), ["First"]);
    browser.act(CaseAction::ReadAs(columns("weight")));
    browser.settle();
    assert_eq!(browser.names(), ["foreign.csv"]);
    assert_eq!((browser.notice(), *browser.state.page.dialog), (None, None));
    assert!(browser.state.page.table.is_none());
    let prepared = browser.state.active().prepared.clone().expect("prepared");
    let spans: Vec<Span> = (prepared.subject.lifetimes.buffers.iter())
        .map(|it| it.span)
        .collect();
    assert_eq!(spans, [Span::new(0, 3), Span::new(2, 4)]);
    assert_eq!(prepared.bounds.offsets, Bytes(12));
}

/// A worker that is started anew, and Back, read the table as it was said.
#[test]
fn the_answer_stays_with_the_file() {
    let mut browser = asked();
    browser.act(CaseAction::ReadAs(columns("weight")));
    browser.settle();
    browser.take(Event::WorkerDied(message!("out of memory")));
    browser.act(Action::Plan(conversation::Column::Strategy(
        planner::Strategy::Naive,
    )));
    browser.settle();
    let naive = conversation::Column::Strategy(planner::Strategy::Naive);
    let case = browser.ids()[0];
    assert_eq!(browser.arena(case, naive), Some(12));
    browser.give("first.csv", FIRST, Where::Instead);
    browser.settle();
    assert_eq!(browser.names(), ["first.csv"]);
    browser.back();
    browser.settle();
    assert_eq!(browser.names(), ["foreign.csv"]);
    assert_eq!(*browser.state.page.dialog, None);
}

/// A link can only name a file, but says what its columns mean to whoever opens it again.
#[test]
fn a_link_says_what_columns_mean() {
    let mut browser = asked();
    browser.act(CaseAction::ReadAs(columns("weight")));
    browser.settle();
    let link = browser.state.link();
    let said = "&columns=lower:first_use,end:last_use,size:weight&";
    assert!(link.contains(said), "{link}");
    let mut again = Browser::open(&link);
    assert_eq!(again.names(), ["First"]);
    again.give("foreign.csv", FOREIGN, Where::Instead);
    again.settle();
    assert_eq!(again.names(), ["foreign.csv"]);
    assert_eq!((again.notice(), again.state.link()), (None, link.clone()));
    // Another file is asked about, and so is this one where the link says nothing that is known.
    let vague = link.replace(said, "&columns=length:first_use&");
    for (link, name) in [(&link, "other.csv"), (&vague, "foreign.csv")] {
        let mut other = Browser::open(link);
        other.give(name, FOREIGN, Where::Instead);
        other.settle();
        assert_eq!(fault(&other), Some(Fault::Columns), "{name}");
    }
}

/// An answer that does not fit says where, keeps what was said, and can be changed.
#[test]
fn a_wrong_answer_can_be_changed() {
    let mut browser = asked();
    browser.act(CaseAction::ReadAs(columns("tensor")));
    browser.settle();
    let Some(Notice::Refused(_, error)) = browser.notice() else {
        panic!("{:?}", browser.notice());
    };
    let place = "line 2, column \"tensor\"";
    assert_eq!(
        (error.kind, error.place.to_string()),
        (Fault::Malformed, place.to_owned())
    );
    // The message is not hidden behind the dialog, and leads back to it.
    assert_eq!(*browser.state.page.dialog, None);
    let table = browser.state.page.table.clone().expect("a table");
    assert_eq!(table.guess, columns("tensor"));
    browser.act(PageAction::Dialog(Some(Dialog::Columns)));
    browser.act(CaseAction::ReadAs(columns("weight")));
    browser.settle();
    assert_eq!(browser.names(), ["foreign.csv"]);
}

#[test]
fn who_opens_something_else_is_asked_no_longer() {
    let mut browser = asked();
    browser.act(Action::Dismiss);
    assert!(browser.state.page.table.is_none() && browser.state.page.dialog.is_none());
    browser.act(CaseAction::ReadAs(columns("weight")));
    browser.settle();
    assert_eq!(browser.names(), ["First"]);
    let mut browser = asked();
    browser.give("first.csv", FIRST, Where::Instead);
    browser.settle();
    assert_eq!(browser.names(), ["first.csv"]);
    assert!(browser.state.page.table.is_none() && browser.state.page.dialog.is_none());
}
