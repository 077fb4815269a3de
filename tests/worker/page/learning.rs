//! Scenes of lessons: what is open for them, what is hidden, what is right, and the link.

use std::collections::BTreeSet;

use conversation::{
    Action, Answer, CaseAction, Column, Effect, Event, LessonAction, Notice, Panel, Shown, Tab,
    Where, update,
};
use lesson::{Hidden, Problem, Right};
use planner::{Strategy, message};
use tests::lessons::lessons;
use worker::Packed;

use super::browser::{Browser, FIRST};

const NAIVE: Column = Column::Strategy(Strategy::Naive);

/// A scene of three buffers: 100 and 80 meet, then 80 and 60.
fn shown(link: &str, at: &str, hidden: &[Hidden]) -> Action {
    let lines = FIRST.lines().map(str::to_owned).collect();
    Action::Lesson(LessonAction::Show(Box::new(Shown {
        link: link.to_owned(),
        name: "small.csv".to_owned(),
        problem: Problem::Csv(lines),
        at: at.to_owned(),
        hidden: hidden.iter().copied().collect(),
    })))
}

/// A page at such a scene.
fn at_scene(at: &str) -> Browser {
    let mut browser = Browser::open("");
    browser.act(shown("small:1.1", at, &[Hidden::Arena, Hidden::Bound]));
    browser.settle();
    browser
}

fn address(browser: &Browser) -> String {
    browser.history.last().expect("an entry").0.clone()
}

#[test]
fn a_scene_opens_its_problem_and_hides_what_it_hides() {
    let browser = at_scene("show=naive&select=b");
    let case = &browser.cases()[0];
    assert_eq!(browser.names(), ["small.csv"]);
    assert_eq!(*case.shown, [NAIVE]);
    assert_eq!(*case.selected, Some(1));
    assert_eq!(browser.arena(case.id, NAIVE), Some(240));
    let page = &browser.state.page;
    assert_eq!(*page.hidden, BTreeSet::from([Hidden::Arena, Hidden::Bound]));
    assert_eq!(page.scene.as_deref(), Some("small:1.1"));
    // The scene has the place of the panels; the tables are there where it asks for them.
    assert!(!page.frame.is_open(Panel::Document) && !page.frame.is_open(Panel::Sheet));
}

#[test]
fn tables_are_open_where_a_scene_wants_them_and_as_before_without_one() {
    let mut browser = Browser::open("");
    let before = browser.state.page.frame.is_open(Panel::Sheet);
    browser.act(shown("small:1.1", "show=naive&tab=waste", &[]));
    browser.settle();
    assert!(browser.state.page.frame.is_open(Panel::Sheet));
    assert_eq!(*browser.state.page.tab, Tab::WASTE);
    browser.act(Action::Lesson(LessonAction::Leave));
    assert_eq!(browser.state.page.frame.is_open(Panel::Sheet), before);
    assert!(browser.state.page.scene.is_none() && browser.state.page.hidden.is_empty());
}

#[test]
fn the_next_scene_of_a_problem_opens_nothing_anew() {
    let mut browser = at_scene("show=naive");
    let id = browser.ids()[0];
    browser.act(shown("small:1.2", "show=xnnpack", &[]));
    browser.settle();
    assert_eq!(browser.ids(), [id]);
    assert_eq!(
        *browser.cases()[0].shown,
        [Column::Strategy(Strategy::Xnnpack)]
    );
    assert!(browser.state.page.hidden.is_empty());
}

#[test]
fn another_moment_of_a_scene_is_shown_and_what_was_moved_comes_back() {
    let mut browser = at_scene("show=naive&edit=naive:a@300");
    let id = browser.ids()[0];
    assert_eq!(browser.arena(id, NAIVE), Some(400));
    browser.act(Action::Lesson(LessonAction::At("show=naive".to_owned())));
    browser.settle();
    assert_eq!(browser.arena(id, NAIVE), Some(240));
}

#[test]
fn a_link_leads_to_the_scene_and_the_player_is_told() {
    let mut browser = at_scene("show=naive");
    let written = address(&browser);
    assert!(
        written.starts_with("lesson=small%3A1.1&file=small.csv"),
        "{written}"
    );
    // The same scene again is shown by the reducer alone.
    let again = update(
        &mut browser.state,
        Event::Visited(format!("{written}&select=c"), Vec::new()),
    );
    let asks = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Learn { link, at } => Some((link.clone(), at.clone())),
            _ => None,
        })
    };
    assert_eq!(asks(&again), None);
    // Another one has to be fetched, and is shown at the moment of the link.
    let other = "lesson=other:2.1&file=x.csv&show=best&select=b".to_owned();
    let effects = update(&mut browser.state, Event::Visited(other, Vec::new()));
    let wanted = ("other:2.1".to_owned(), "show=best&select=b".to_owned());
    assert_eq!(asks(&effects), Some(wanted));
    // One without a moment begins at the beginning.
    let bare = "lesson=other:2.1".to_owned();
    let effects = update(&mut browser.state, Event::Visited(bare, Vec::new()));
    assert_eq!(
        asks(&effects),
        Some(("other:2.1".to_owned(), String::new()))
    );
}

#[test]
fn whoever_opens_something_else_has_left_the_lesson() {
    for open in [true, false] {
        let mut browser = at_scene("show=naive");
        if open {
            browser.give("other.csv", FIRST, Where::Instead);
        } else {
            let sample = CaseAction::OpenSample("second".to_owned(), Where::Instead);
            browser.act(sample);
        }
        browser.settle();
        assert!(browser.state.page.scene.is_none());
        assert!(browser.state.page.hidden.is_empty());
        assert!(
            !address(&browser).contains("lesson="),
            "{}",
            address(&browser)
        );
    }
}

#[test]
fn a_lesson_that_is_left_leaves_no_link_that_leads_nowhere() {
    let mut browser = at_scene("show=naive");
    browser.act(Action::Lesson(LessonAction::Leave));
    browser.settle();
    assert_eq!(browser.names(), ["First"]);
    let of_lesson = |address: &str| address.contains("file=") && !address.contains("lesson=");
    let lost = browser
        .history
        .iter()
        .find(|(address, _)| of_lesson(address));
    assert_eq!(lost, None);
    // Nor does opening something else, while that is fetched.
    let mut browser = at_scene("show=naive");
    let sample = CaseAction::OpenSample("second".to_owned(), Where::Instead);
    browser.act(sample);
    browser.settle();
    assert_eq!(browser.names(), ["Second"]);
    assert_eq!(
        browser
            .history
            .iter()
            .find(|(address, _)| of_lesson(address)),
        None
    );
    browser.back();
    let scene = Effect::Learn {
        link: "small:1.1".to_owned(),
        at: "show=naive".to_owned(),
    };
    let (address, visits) = browser.history.last().cloned().expect("an entry");
    let effects = update(&mut browser.state, Event::Visited(address, visits));
    assert!(effects.contains(&scene), "{effects:?}");
}

#[test]
fn back_leads_out_of_a_lesson_and_to_the_scene_before() {
    let mut browser = at_scene("show=naive");
    browser.act(shown("small:1.2", "show=naive", &[]));
    browser.settle();
    assert!(address(&browser).contains("lesson=small%3A1.2"));
    browser.back();
    browser.settle();
    assert!(address(&browser).contains("lesson=small%3A1.1"));
    browser.back();
    browser.settle();
    assert!(browser.state.page.scene.is_none());
}

#[test]
fn a_lesson_that_cannot_be_had_is_said_and_something_is_open() {
    let mut browser = Browser::at("lesson=none:1.1");
    let failed = LessonAction::Fail("none".to_owned(), message!("there is none"));
    browser.act(Action::Lesson(failed));
    browser.settle();
    assert!(matches!(browser.notice(), Some(Notice::NoLesson(name, _)) if name == "none"));
    assert_eq!(browser.names(), ["First"]);
}

#[test]
fn what_is_right_is_measured_by_the_worker_that_has_the_case() {
    let (_, lesson) = lessons().into_iter().next().expect("a lesson");
    let scene = lesson.scenes.first().expect("a scene");
    let asked = Packed::new(&conversation::asked(&lesson, scene)).expect("it is packed");
    let mut browser = at_scene("show=naive");
    browser.act(Action::Lesson(LessonAction::Measure(Box::new(
        asked.clone(),
    ))));
    assert!(browser.state.page.measured.found.is_working());
    browser.settle();
    let Answer::There(found) = &*browser.state.page.measured.found else {
        panic!("{:?}", browser.state.page.measured);
    };
    let (measured, doubts) = found
        .open()
        .expect("it is unpacked")
        .expect("it is measured");
    assert!(matches!(measured.right, Right::Number(is, _) if (is - 128.0).abs() < 0.5));
    assert_eq!(doubts, []);
    // A worker that was lost meanwhile is asked again once it has the case.
    browser.act(Action::Lesson(LessonAction::Measure(Box::new(asked))));
    browser.take(Event::WorkerDied(message!("gone")));
    browser.settle();
    assert_eq!(*browser.state.page.measured.found, Answer::Stopped);
}
