//! Steps as long as they took: which cases can show that, and what is in view meanwhile.

use conversation::{Action, CaseAction, Where, Window};

use super::browser::{Browser, SECOND};

/// Steps 0 to 3 begin after 0, 2, 2 and 10 microseconds.
fn plan(view: &str) -> String {
    let buffer = |name: &str, lower: u64, upper: u64| {
        format!(
            "{{\"name\":\"{name}\",\"size\":8,\"lower\":{lower},\"upper\":{upper},\"offset\":{}}}",
            8 * lower
        )
    };
    let buffers = [buffer("a", 0, 2), buffer("b", 2, 4)].join(",");
    format!(
        "{{\"arenascope_plan\":1,\"arena\":24,\"view\":\"{view}\",\"clock\":[0,2,2,10],\"buffers\":[{buffers}]}}"
    )
}

fn opened(view: &str) -> Browser {
    let mut browser = Browser::open("");
    browser.give("timed.json", plan(view), Where::Instead);
    browser.settle();
    browser
}

fn window(x: (f64, f64)) -> Option<Window> {
    Some(Window { x, y: (0.0, 16.0) })
}

/// Whether times are across, and what is in view, in every case.
fn seen(browser: &Browser) -> Vec<(bool, Option<Window>)> {
    let cases = browser.cases().into_iter();
    cases.map(|case| (*case.timed, *case.window)).collect()
}

#[test]
fn what_is_in_view_stays_in_view() {
    let mut browser = opened("");
    let id = browser.ids()[0];
    assert!(browser.state.can_be_timed(id));
    // The second half of step 0, and of step 2 the first quarter.
    browser.act(Action::Look(window((0.5, 2.25))));
    browser.act(Action::TimeAxis(true));
    assert_eq!(seen(&browser), [(true, window((1.0, 4.0)))]);
    let clock = browser
        .state
        .case(id)
        .clock()
        .map(|clock| clock.times().to_vec());
    assert_eq!(clock, Some(vec![0, 2, 2, 10]));
    let link = browser.state.link();
    assert!(link.contains("axis=time"), "{link}");
    assert!(link.contains("view=1.000,4.000,0,16"), "{link}");
    browser.act(Action::TimeAxis(false));
    assert_eq!(seen(&browser), [(false, window((0.5, 2.25)))]);
    assert!(!browser.state.link().contains("axis"));
    assert!(browser.state.case(id).clock().is_none());
}

#[test]
fn a_view_with_times_opens_as_it_was_saved() {
    let browser = opened("axis=time&view=1.000,4.000,0,16");
    assert_eq!(seen(&browser), [(true, window((1.0, 4.0)))]);
    assert_eq!(browser.notice(), None);
}

#[test]
fn without_a_clock_steps_are_across() {
    let mut browser = Browser::open("sample=blazeface&axis=time&view=1,4,0,16");
    // The link was of another file: what it had in view means nothing here.
    assert_eq!(seen(&browser), [(false, None)]);
    assert!(!browser.state.can_be_timed(browser.ids()[0]));
    browser.act(Action::TimeAxis(true));
    assert_eq!(seen(&browser), [(false, None)]);
}

/// Axes that are linked are the same in all cases.
#[test]
fn linked_cases_have_times_together_or_not_at_all() {
    let mut browser = opened("");
    browser.act(CaseAction::Duplicate);
    browser.settle();
    let first = browser.ids()[0];
    browser.act_in(first, Action::TimeAxis(true));
    browser.act_in(first, Action::Look(window((1.0, 4.0))));
    assert_eq!(seen(&browser), vec![(true, window((1.0, 4.0))); 2]);
    // A case beside them that has no clock; all of all is in view then.
    browser.give("second.csv", SECOND, Where::Beside);
    browser.settle();
    assert_eq!(seen(&browser), [(false, None); 3]);
    assert!(!browser.state.can_be_timed(first));
    // Each on its own, those that have a clock can have times.
    browser.act(CaseAction::LinkAxes(false));
    browser.act_in(first, Action::TimeAxis(true));
    browser.act_in(first, Action::Look(window((1.0, 4.0))));
    let expected = [(true, window((1.0, 4.0))), (false, None), (false, None)];
    assert_eq!(seen(&browser), expected);
    // Linked again, all look at what the active one does, in steps.
    browser.act_in(first, CaseAction::LinkAxes(true));
    assert_eq!(seen(&browser), vec![(false, window((0.5, 2.25))); 3]);
}
