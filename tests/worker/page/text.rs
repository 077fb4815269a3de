//! The graph as text: written once its tab is open, planned a moment after it was typed.

use conversation::{
    Action, Answer, CaseAction, Column, Event, MOST_TEXT, Notice, RunAction, Tab, TextAction,
    TextFault, Timer, Where,
};
use conversation::{HandAction, Setting};
use planner::{Strategy, message};
use worker::Request;

use super::browser::Browser;

/// Of `x`, `a`, `b` and `y` the inputs and outputs are beside: 400 bytes of `a`, then of `b`.
const GRAPH: &str =
    "graph g onnx 17\ninput x: f32[100]\na = Relu(x)\nb = Exp(a)\ny = Relu(b)\noutput y\n";

const BEST: Column = Column::Strategy(Strategy::Best);

/// A page at a graph of 800 bytes, and at its text.
fn at_text() -> Browser {
    let mut browser = Browser::open("");
    browser.give("g.graph", GRAPH, Where::Instead);
    browser.settle();
    assert_eq!(*text(&browser).written.found, Answer::Unasked);
    browser.act(Action::Turn(Tab::GRAPH));
    browser.settle();
    assert_eq!(shown(&browser), GRAPH);
    assert_eq!(arena(&browser), Some(896));
    browser
}

fn text(browser: &Browser) -> &conversation::Text {
    &browser.state.case(*browser.state.active).text
}

/// What the editor has.
fn shown(browser: &Browser) -> String {
    text(browser).shown().expect("a text").to_string()
}

fn arena(browser: &Browser) -> Option<u64> {
    browser.arena(*browser.state.active, BEST)
}

fn fault(browser: &Browser) -> Option<(usize, usize)> {
    let fault: &Option<TextFault> = &text(browser).fault;
    fault.as_ref().map(|it| (it.line, it.column))
}

/// Types, and waits until it is planned.
fn typed(browser: &mut Browser, now: &str) {
    browser.act(Action::Text(TextAction::Type(now.into())));
    rest(browser);
}

/// Nothing is typed for a while.
fn rest(browser: &mut Browser) {
    let timers = std::mem::take(&mut browser.timers);
    for timer in timers {
        if matches!(timer, Timer::Typed(..)) {
            browser.take(Event::Elapsed(timer));
        }
    }
    browser.settle();
}

fn more() -> String {
    GRAPH.replace("y = Relu(b)", "c = Concat(b, b) axis=0\ny = Relu(c)")
}

/// At the alignment of models, 64, `a` and `b` take 448 each; `b` and then `c` 448 and 832.
#[test]
fn what_is_typed_is_planned() {
    let mut browser = at_text();
    browser.act(Setting::Align(1));
    browser.settle();
    assert_eq!(arena(&browser), Some(800));
    typed(&mut browser, &more());
    assert_eq!((arena(&browser), fault(&browser)), (Some(1200), None));
    // Figures of before are those under the same settings.
    let before = text(&browser).before.clone().expect("figures");
    assert_eq!((before.bound.0, before.peak.0), (800, 800));
    assert_eq!(before.arenas[&BEST].0, 800);
    assert_eq!(before.found_with.1, *browser.cases()[0].settings);
    assert_eq!(browser.names(), ["g.graph"]);
}

#[test]
fn a_fault_has_a_place_and_the_plan_stays() {
    let mut browser = at_text();
    let wrong = GRAPH.replace("Exp(a)", "Exp(nothing)");
    typed(&mut browser, &wrong);
    assert_eq!(fault(&browser), Some((4, 9)));
    assert_eq!((shown(&browser), arena(&browser)), (wrong, Some(896)));
    assert_eq!(browser.notice(), None);
    // Undo is for what cannot be read, too; Redo shows it again.
    browser.act(Action::Text(TextAction::Undo));
    browser.settle();
    assert_eq!((shown(&browser).as_str(), fault(&browser)), (GRAPH, None));
    browser.act(Action::Text(TextAction::Redo));
    browser.settle();
    assert_eq!(fault(&browser), Some((4, 9)));
}

/// The keys of Undo are the text's where no plan was changed by hand.
#[test]
fn edits_are_taken_back_and_done_again() {
    let mut browser = at_text();
    let undo = Action::Hand(HandAction::Undo);
    typed(&mut browser, &more());
    let larger = arena(&browser);
    assert_ne!(larger, Some(896));
    browser.act(undo.clone());
    browser.settle();
    assert_eq!(
        (shown(&browser).as_str(), arena(&browser)),
        (GRAPH, Some(896))
    );
    browser.act(Action::Hand(HandAction::Redo));
    browser.settle();
    assert_eq!((shown(&browser), arena(&browser)), (more(), larger));
    browser.act(Action::Text(TextAction::AsOpened));
    browser.settle();
    assert_eq!(
        (shown(&browser).as_str(), arena(&browser)),
        (GRAPH, Some(896))
    );
    // That is an edit, too.
    browser.act(undo);
    browser.settle();
    assert_eq!(shown(&browser), more());
}

#[test]
fn typing_on_is_waited_for() {
    let mut browser = at_text();
    let asked = browser.asked.len();
    for end in ["# 1\n", "# 2\n", "# 3\n"] {
        let now = format!("{GRAPH}{end}");
        browser.act(Action::Text(TextAction::Type(now.as_str().into())));
    }
    rest(&mut browser);
    let later = browser.asked[asked..].iter();
    let read: Vec<_> = later
        .filter_map(|request| match request {
            Request::Rewrite { text, .. } => text.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(read, [format!("{GRAPH}# 3\n")]);
    // Typed back to what was opened, it is what was opened.
    typed(&mut browser, GRAPH);
    assert_eq!(*text(&browser).planned, None);
}

/// A worker that is started anew is given the text again.
#[test]
fn a_lost_worker_is_told_the_text() {
    let mut browser = at_text();
    typed(&mut browser, &more());
    let larger = arena(&browser);
    browser.take(Event::WorkerDied(message!("gone")));
    browser.act(Action::Dismiss);
    browser.act(Setting::Align(1));
    browser.settle();
    assert_eq!(arena(&browser), Some(1200));
    browser.act(Setting::Align(64));
    browser.settle();
    assert_eq!((shown(&browser), arena(&browser)), (more(), larger));
    // And so is a case beside.
    browser.act(CaseAction::Duplicate);
    browser.settle();
    assert_eq!((shown(&browser), arena(&browser)), (more(), larger));
}

/// The address of a short text has it, and shows it again.
#[test]
fn a_link_says_a_short_text() {
    let mut browser = at_text();
    let before = browser.state.link();
    typed(&mut browser, &more());
    let larger = arena(&browser);
    let link = browser.state.link();
    assert!(link.contains("graph=1."), "{link}");
    let visits = browser.history.last().expect("an entry").1.clone();
    browser.take(Event::Visited(before, visits.clone()));
    browser.settle();
    assert_eq!(
        (shown(&browser).as_str(), arena(&browser)),
        (GRAPH, Some(896))
    );
    browser.take(Event::Visited(link.clone(), visits));
    browser.settle();
    assert_eq!((shown(&browser), arena(&browser)), (more(), larger));
    // On another page the file is asked for, and then shown as the link has it.
    let mut other = Browser::open(&link);
    other.give("g.graph", GRAPH, Where::Instead);
    other.settle();
    assert_eq!((shown(&other), arena(&other)), (more(), larger));
}

/// A long one is not in it, and that is said.
#[test]
fn a_link_without_its_text_says_so() {
    let mut browser = at_text();
    typed(
        &mut browser,
        &format!("{}#{}\n", more(), "long ".repeat(1_000)),
    );
    let link = browser.state.link();
    assert!(link.contains("graph=left_out"), "{link}");
    let mut other = Browser::open(&link);
    other.give("g.graph", GRAPH, Where::Instead);
    other.settle();
    assert_eq!(arena(&other), Some(896));
    match other.notice() {
        Some(Notice::Ignored(ignored)) => assert_eq!(ignored[0].part, "graph=left_out"),
        notice => panic!("{notice:?}"),
    }
}

/// The selected tensor stays selected by its name, and what is in view in view.
#[test]
fn selection_and_camera_stay() {
    let mut browser = at_text();
    let named = |browser: &Browser| {
        let case = browser.state.active();
        let lifetimes = case.lifetimes()?;
        Some(lifetimes.buffers[(*case.selected)?].name.clone())
    };
    let window = conversation::Window {
        x: (0.0, 2.0),
        y: (0.0, 100.0),
    };
    browser.act(Action::Look(Some(window)));
    browser.act(Action::Select(Some(1)));
    let before = named(&browser).expect("a buffer");
    typed(
        &mut browser,
        &GRAPH.replace("a = Relu(x)", "n = Neg(x)\na = Relu(n)"),
    );
    assert_eq!(named(&browser), Some(before));
    assert_eq!(*browser.state.active().window, Some(window));
}

/// The runner is given the edited graph, with the file whose constants it has.
#[test]
fn a_run_is_of_the_edited_graph() {
    let mut browser = at_text();
    typed(&mut browser, &more());
    browser.act(Action::Run(RunAction::Start));
    let Some((runner::Request::Confirm { run, .. }, files)) = browser.runs.pop() else {
        panic!("{:?}", browser.runs);
    };
    let kinds = run.program.graph.ops.iter().map(|op| op.kind.as_str());
    assert_eq!(kinds.collect::<Vec<_>>(), ["Relu", "Exp", "Concat", "Relu"]);
    assert_eq!(files.len(), 1);
}

/// What was asked for is asked for again where the runner is ended and started anew.
#[test]
fn the_first_steps_alone_are_run_and_run_anew() {
    let mut browser = at_text();
    let mut until = |action: RunAction| {
        browser.act(Action::Run(action));
        match browser.runs.pop() {
            Some((runner::Request::Confirm { run, .. }, _)) => run.until,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(until(RunAction::StartUntil(2)), Some(2));
    assert_eq!(until(RunAction::Anew), Some(2));
    assert_eq!(until(RunAction::Start), None);
    assert_eq!(until(RunAction::Anew), None);
}

#[test]
fn lifetimes_alone_have_no_text() {
    let mut browser = Browser::open("");
    browser.act(Action::Turn(Tab::GRAPH));
    browser.settle();
    assert_eq!(*text(&browser).written.found, Answer::Nothing);
}

/// A text that is too long is kept as it was typed, not planned, and can be taken back; letters
/// of several bytes count as their bytes.
#[test]
fn a_text_that_is_too_long_is_kept_and_not_planned() {
    let mut browser = at_text();
    let long = format!("{GRAPH}# {}\n", "中".repeat(MOST_TEXT / 3));
    assert!(long.chars().count() < MOST_TEXT);
    let asked = browser.asked.len();
    typed(&mut browser, &long);
    assert_eq!(shown(&browser), long);
    assert_eq!((browser.asked.len(), fault(&browser)), (asked, None));
    browser.act(Action::Text(TextAction::Undo));
    rest(&mut browser);
    assert_eq!(shown(&browser), GRAPH);
}
