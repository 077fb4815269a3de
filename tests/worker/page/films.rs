//! Films: where they stand while people go back, and how two of them keep step.

use conversation::{Action, Event, FilmAction, Pace, Setting, Tab, Timer, Where};
use planner::Strategy;
use worker::CaseId;

use super::browser::{Browser, SECOND};

/// The page at a link, with the film of one strategy, or of two.
fn films(second: Option<Strategy>) -> Browser {
    let mut browser = Browser::open("");
    browser.act(Action::Turn(Tab::FILM));
    browser.act(Action::Film(FilmAction::Choose(0, Some(Strategy::Xnnpack))));
    browser.act(Action::Film(FilmAction::Choose(1, second)));
    browser.settle();
    browser
}

fn stands(browser: &Browser) -> (Tab, usize) {
    let id: CaseId = *browser.state.active;
    (
        *browser.state.page.tab,
        *browser.state.case(id).films.cursor,
    )
}

fn address(browser: &Browser) -> &str {
    &browser.history.last().expect("an entry").0
}

#[test]
fn an_entry_of_the_history_keeps_the_step_of_its_film() {
    let mut browser = films(None);
    browser.act(Action::Film(FilmAction::Go(3)));
    assert!(
        address(&browser).ends_with("film=3"),
        "{}",
        address(&browser)
    );
    // Another alignment is another entry, in which the film goes on to another step.
    browser.act(Setting::Align(64));
    browser.settle();
    browser.act(Action::Film(FilmAction::Go(1)));
    assert!(
        address(&browser).ends_with("film=1"),
        "{}",
        address(&browser)
    );
    browser.back();
    browser.settle();
    assert_eq!(stands(&browser), (Tab::FILM, 3));
}

#[test]
fn an_entry_without_a_film_shows_none_and_leaves_it_where_it_stands() {
    let mut browser = films(None);
    browser.act(Action::Turn(Tab::COMPARE));
    browser.act(Setting::Align(64));
    browser.settle();
    browser.act(Action::Turn(Tab::FILM));
    browser.settle();
    browser.act(Action::Film(FilmAction::Go(2)));
    browser.back();
    browser.settle();
    assert_eq!(stands(&browser), (Tab::COMPARE, 2));
    assert!(!address(&browser).contains("film="));
    browser.act(Action::Turn(Tab::FILM));
    browser.settle();
    assert_eq!(stands(&browser), (Tab::FILM, 2));
}

#[test]
fn another_document_begins_its_films_at_the_start() {
    let mut browser = films(None);
    browser.act(Action::Film(FilmAction::Go(3)));
    browser.give("second.csv", SECOND, Where::Instead);
    browser.settle();
    // Its plans are seen before its films.
    assert_eq!(stands(&browser), (Tab::COMPARE, 0));
    browser.act(Action::Turn(Tab::FILM));
    browser.settle();
    assert_eq!(stands(&browser), (Tab::FILM, 0));
    browser.act(Action::Film(FilmAction::Go(2)));
    browser.back();
    browser.settle();
    assert_eq!(browser.names(), ["First"]);
    assert_eq!(stands(&browser), (Tab::FILM, 3));
}

/// What plays while people go back stands still at the step of the entry.
#[test]
fn going_back_stops_a_film() {
    let mut browser = films(None);
    browser.act(Action::Film(FilmAction::Go(1)));
    browser.act(Setting::Align(64));
    browser.settle();
    browser.act(Action::Film(FilmAction::Play(true)));
    tick(&mut browser);
    assert_eq!(stands(&browser).1, 2);
    browser.back();
    browser.settle();
    assert_eq!(stands(&browser), (Tab::FILM, 1));
    assert!(!*browser.state.case(*browser.state.active).films.playing);
}

/// The latest tick that waits comes.
fn tick(browser: &mut Browser) {
    let timer = browser.timers.pop_back().expect("a tick");
    assert!(matches!(timer, Timer::Tick(..)), "{timer:?}");
    browser.take(Event::Elapsed(timer));
}

/// What begins another entry while a film plays leaves the one before at the step that was seen.
#[test]
fn an_entry_that_is_left_while_a_film_plays_keeps_the_step() {
    let mut browser = films(None);
    // Sixteen steps a second: less than a second has gone by after two.
    browser.act(Action::Film(FilmAction::Speed(16.0)));
    browser.act(Action::Film(FilmAction::Play(true)));
    let entries = browser.history.len();
    tick(&mut browser);
    tick(&mut browser);
    assert_eq!(stands(&browser), (Tab::FILM, 2));
    assert!(
        address(&browser).ends_with("film=0"),
        "{}",
        address(&browser)
    );
    browser.act(Setting::Align(64));
    browser.settle();
    assert_eq!(browser.history.len(), entries + 1);
    let left = &browser.history[entries - 1].0;
    assert!(left.ends_with("film=2"), "{left}");
    browser.back();
    browser.settle();
    assert_eq!(stands(&browser), (Tab::FILM, 2));
}

/// Back and Reload leave an entry unasked: it keeps up with the film, and holds the step where it
/// was stopped or ended.
#[test]
fn the_entry_keeps_up_with_a_film() {
    let mut browser = films(None);
    browser.act(Action::Film(FilmAction::Play(true)));
    let entries = browser.history.len();
    for step in 1..=2 {
        // One step a second.
        tick(&mut browser);
        let expected = format!("film={step}");
        assert!(
            address(&browser).ends_with(&expected),
            "{}",
            address(&browser)
        );
    }
    browser.act(Action::Film(FilmAction::Speed(16.0)));
    tick(&mut browser);
    browser.act(Action::Film(FilmAction::Play(false)));
    assert!(
        address(&browser).ends_with("film=3"),
        "{}",
        address(&browser)
    );
    browser.act(Action::Film(FilmAction::Play(true)));
    while *browser.state.case(*browser.state.active).films.playing {
        tick(&mut browser);
    }
    let end = browser.state.case(*browser.state.active).film_len();
    assert!(
        address(&browser).ends_with(&format!("film={end}")),
        "{}",
        address(&browser)
    );
    assert_eq!(
        browser.history.len(),
        entries,
        "it is one entry all the time"
    );
}

/// Two films that play side by side come both to their ends, however they keep step, and stop.
#[test]
fn two_films_that_play_end_together() {
    for pace in [Pace::Decision, Pace::Share, Pace::Tensor] {
        let mut browser = films(Some(Strategy::Best));
        let id = *browser.state.active;
        browser.act(Action::Film(FilmAction::Keep(pace)));
        browser.act(Action::Film(FilmAction::Play(true)));
        let end = browser.state.case(id).film_len();
        for _ in 0..end {
            assert!(*browser.state.case(id).films.playing, "{pace:?}");
            tick(&mut browser);
        }
        let case = browser.state.case(id);
        assert!(!*case.films.playing, "{pace:?}");
        let films = case.recordings();
        assert_ne!(films[0].len(), films[1].len(), "of different lengths");
        for (index, film) in films.iter().enumerate() {
            let step = pace.step(&films, index, *case.films.cursor);
            assert_eq!(step, film.len(), "{pace:?}, film {index}");
        }
    }
}

/// 100 and 80 meet, then 80 and 60. In the order of the file a, b, c are placed; by size too. By
/// lifetime c, b, a would be: the second film stands where the tensor of the first one is placed.
#[test]
fn two_films_keep_step_by_tensor() {
    let mut browser = films(Some(Strategy::Best));
    let id = *browser.state.active;
    browser.act(Action::Film(FilmAction::Keep(Pace::Tensor)));
    let case = browser.state.case(id);
    let films = case.recordings();
    assert_eq!(films.len(), 2);
    let last = films[0].len();
    assert_eq!(case.film_len(), last, "it counts steps of the first film");
    assert_eq!(Pace::Tensor.step(&films, 1, 0), 0);
    assert_eq!(Pace::Tensor.step(&films, 1, last), films[1].len());
    for cursor in 1..last {
        let placed = |film: usize, step: usize| {
            let frames = &films[film].trace.frames()[..step];
            frames.iter().rev().find_map(|frame| frame.outcome.buffer())
        };
        let other = Pace::Tensor.step(&films, 1, cursor);
        assert_eq!(placed(0, cursor), placed(1, other), "{cursor} {other}");
        // It is the last decision about that tensor.
        let after = &films[1].trace.frames()[other..];
        let about = |frame: &planner::trace::Frame| frame.outcome.buffer() == placed(0, cursor);
        assert!(!after.iter().any(about));
        assert_eq!(Pace::Tensor.cursor(&films, 1, other), cursor);
    }
    // Another pace leaves the first film where it stands.
    browser.act(Action::Film(FilmAction::Go(2)));
    for pace in [Pace::Share, Pace::Decision, Pace::Tensor] {
        browser.act(Action::Film(FilmAction::Keep(pace)));
        let cursor = *browser.state.case(id).films.cursor;
        assert_eq!(pace.step(&films, 0, cursor), 2, "{pace:?}");
    }
}
