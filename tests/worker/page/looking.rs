//! What is seen of the page, and of memory × time: panels, rows of panes, views that come back.

use conversation::{
    Action, Column, Effect, Event, Frame, Grouping, InsightAction, Layout, Message, Mode, Notice,
    PageAction, Panel, Remembered, Tab, Tiling, Timer, Turn, When, Where, Window, limits, update,
};
use planner::save::packed;
use planner::{Bytes, Options, Step, Strategy};
use tests::snapshot::Made;

use super::browser::Browser;

const PANELS: [Panel; 3] = [Panel::Document, Panel::Inspector, Panel::Sheet];

fn sized(width: f64, height: f64) -> Frame {
    let mut frame = Frame::default();
    frame.window = (width, height);
    frame
}

fn open(frame: &Frame) -> [bool; 3] {
    PANELS.map(|panel| frame.is_open(panel))
}

/// The picture comes first: what is beside it is open where there is room for both.
#[test]
fn a_window_opens_the_panels_that_it_has_room_for() {
    assert_eq!(open(&sized(1440.0, 900.0)), [true, true, false]);
    assert_eq!(open(&sized(1366.0, 768.0)), [true, false, false]);
    assert_eq!(open(&sized(1024.0, 768.0)), [false, false, false]);
    assert_eq!(open(&sized(1920.0, 1200.0)), [true, true, true]);
    // In one column nothing has to make room.
    assert_eq!(open(&sized(390.0, 844.0)), [true, true, true]);
}

/// What an action has remembered of the panels.
fn remembered(browser: &mut Browser, action: PageAction) -> Option<Layout> {
    let effects = update(&mut browser.state, Event::Act(None, action.into()));
    effects.into_iter().find_map(|effect| match effect {
        Effect::Remember(Remembered::Layout(layout)) => Some(layout),
        _ => None,
    })
}

#[test]
fn what_is_chosen_of_a_panel_is_remembered() {
    let mut browser = Browser::open("");
    browser.act(PageAction::Resize((1440.0, 900.0)));
    let layout = remembered(&mut browser, PageAction::Open(Panel::Sheet, true));
    assert_eq!(layout.map(|it| it.sheet.open), Some(Some(true)));
    assert_eq!(open(&browser.state.page.frame), [true, true, true]);
    let layout = remembered(
        &mut browser,
        PageAction::Stretch(Panel::Document, Some(300)),
    );
    assert_eq!(layout.map(|it| it.document.size), Some(Some(300)));
    assert!((browser.state.page.frame.size(Panel::Document) - 300.0).abs() < 1e-9);
    // Nothing has changed: nothing is written.
    assert_eq!(
        remembered(&mut browser, PageAction::Open(Panel::Sheet, true)),
        None
    );
    // Before an audience all are closed, what is opened then is opened for then.
    browser.act(PageAction::Enter(Mode::Presenter));
    assert_eq!(open(&browser.state.page.frame), [false; 3]);
    // A quarter of the window, where people chose nothing else.
    assert!(browser.state.page.frame.size(Panel::Sheet) < 0.3 * 900.0);
    assert_eq!(
        remembered(&mut browser, PageAction::Open(Panel::Inspector, true)),
        None
    );
    assert_eq!(open(&browser.state.page.frame), [false, true, false]);
    browser.act(PageAction::Enter(Mode::Work));
    assert_eq!(open(&browser.state.page.frame), [true, true, true]);
    // Alone is alone, and a tab that is asked for ends that.
    browser.act(PageAction::Focus(true));
    assert_eq!(open(&browser.state.page.frame), [false; 3]);
    browser.act(Action::Turn(Tab::WASTE));
    assert!(!browser.state.page.frame.focus);
    assert_eq!(open(&browser.state.page.frame), [true, true, true]);
    // Before an audience it ends there.
    browser.act(PageAction::Enter(Mode::Presenter));
    browser.act(PageAction::Focus(true));
    browser.act(PageAction::Open(Panel::Sheet, true));
    assert_eq!(browser.state.page.frame.mode, Mode::Presenter);
    assert_eq!(open(&browser.state.page.frame), [false, false, true]);
}

/// What a link or a tab opened is open for now; what people choose beside it is remembered alone.
#[test]
fn what_is_only_revealed_is_not_remembered() {
    let mut browser = Browser::open("");
    browser.act(PageAction::Resize((1440.0, 900.0)));
    browser.act(Action::Turn(Tab::WASTE));
    assert_eq!(open(&browser.state.page.frame), [true, true, true]);
    let layout = remembered(&mut browser, PageAction::Open(Panel::Inspector, false));
    assert_eq!(layout.map(|it| it.sheet.open), Some(None));
    assert_eq!(open(&browser.state.page.frame), [true, false, true]);
    // Closed by hand it is closed, and that is remembered.
    let layout = remembered(&mut browser, PageAction::Open(Panel::Sheet, false));
    assert_eq!(layout.map(|it| it.sheet.open), Some(Some(false)));
    assert_eq!(open(&browser.state.page.frame), [true, false, false]);
}

/// In the frame of another page nothing but the pictures opens, and Back stays the other page's.
#[test]
fn what_is_embedded_stays_so() {
    let mut browser = Browser::open("#sample=jigsaw");
    browser.settle();
    browser.act(PageAction::Enter(Mode::Embedded));
    let entries = browser.history.len();
    browser.act(PageAction::Enter(Mode::Presenter));
    assert_eq!(
        remembered(&mut browser, PageAction::Open(Panel::Sheet, true)),
        None
    );
    browser.act(Action::Turn(Tab::WASTE));
    assert_eq!(browser.state.page.frame.mode, Mode::Embedded);
    assert_eq!(open(&browser.state.page.frame), [false; 3]);
    // On the whole page this would be an entry of its own.
    browser.act(Action::Show(Column::Strategy(Strategy::Skyline), true));
    assert_eq!(browser.history.len(), entries);
    let last = browser.history.last().map(|entry| entry.0.clone());
    assert!(last.is_some_and(|address| address.contains("skyline")));
}

/// Whatever was stored, a panel leaves the pictures most of the window.
#[test]
fn a_panel_is_never_larger_than_the_window_allows() {
    let mut layout = Layout::default();
    layout.document.size = Some(u32::MAX);
    layout.inspector.size = Some(0);
    for window in [(320.0, 480.0), (1024.0, 768.0), (3840.0, 2160.0)] {
        for panel in PANELS {
            let (least, most, _) = limits(panel, window);
            let size = layout.size(panel, window);
            assert!(
                (least..=most.round().max(least)).contains(&size),
                "{panel:?} {window:?} {size}"
            );
        }
    }
}

/// No row has an empty place, and none of the other ways has larger plots that fill their rows.
#[test]
fn panes_tile_without_an_empty_place() {
    let rooms = [
        (740.0, 560.0),
        (1070.0, 520.0),
        (868.0, 690.0),
        (1350.0, 900.0),
        (390.0, 900.0),
        (0.0, 0.0),
    ];
    for room in rooms {
        for count in 1..=8 {
            let tiling = Tiling::of(count, room);
            let rows = count.div_ceil(tiling.columns);
            assert_eq!(
                (rows - 1) * tiling.columns + tiling.last,
                count,
                "{count} in {room:?}"
            );
            assert_eq!(12 % tiling.columns, 0, "twelve tracks are shared evenly");
            assert_eq!(12 % tiling.last, 0);
        }
    }
    let tiled = |count, room| {
        let tiling = Tiling::of(count, room);
        (tiling.columns, tiling.last)
    };
    // Two side by side show how high either is; three do not leave a hole.
    assert_eq!(tiled(2, (868.0, 690.0)), (2, 2));
    assert_eq!(tiled(3, (1070.0, 520.0)), (3, 3));
    assert_eq!(tiled(4, (868.0, 690.0)), (2, 2));
    assert_eq!(tiled(8, (1350.0, 900.0)), (4, 4));
    assert_eq!(tiled(2, (390.0, 900.0)), (1, 1));
}

#[test]
fn views_come_back() {
    let mut browser = Browser::open("");
    let id = browser.ids()[0];
    let look = |from: f64| {
        Some(Window {
            x: (from, from + 1.0),
            y: (0.0, 100.0),
        })
    };
    let rests = |browser: &mut Browser| {
        while let Some(timer) = browser.timers.pop_front() {
            browser.take(Event::Elapsed(timer));
        }
    };
    rests(&mut browser);
    // A turn of the wheel is many looks, and one view.
    for step in 1..=5 {
        browser.act(Action::Look(look(f64::from(step))));
    }
    rests(&mut browser);
    browser.act(Action::Look(look(9.0)));
    let seen = |browser: &Browser| *browser.state.case(id).window;
    // Going back does not wait for the rest.
    browser.act(Action::LookAgain(Turn::Back));
    assert_eq!(seen(&browser), look(5.0));
    browser.act(Action::LookAgain(Turn::Back));
    assert_eq!(seen(&browser), None);
    browser.act(Action::LookAgain(Turn::Back));
    assert_eq!(seen(&browser), None, "there is nothing before");
    for _ in 0..3 {
        browser.act(Action::LookAgain(Turn::Forth));
    }
    assert_eq!(seen(&browser), look(9.0));
    // Another look ends what was after.
    browser.act(Action::LookAgain(Turn::Back));
    browser.act(Action::Look(look(3.0)));
    rests(&mut browser);
    browser.act(Action::LookAgain(Turn::Forth));
    assert_eq!(seen(&browser), look(3.0));
    // Plans know nothing of it.
    assert!(
        browser
            .state
            .case(id)
            .planned(Column::Strategy(Strategy::Best))
            .is_some()
    );
}

/// "Copied." goes by itself; what says that something failed stays until it was read.
#[test]
fn confirmations_fade_and_faults_stay() {
    let mut browser = Browser::open("");
    let fades = |browser: &mut Browser| {
        let fade = |timer: &Timer| matches!(timer, Timer::Fade(_));
        let at = browser.timers.iter().position(fade);
        at.and_then(|at| browser.timers.remove(at))
    };
    browser.take(Event::Copied(true));
    let first = fades(&mut browser).expect("it fades");
    browser.take(Event::Copied(true));
    let second = fades(&mut browser).expect("so does the next");
    browser.take(Event::Elapsed(first));
    assert_eq!(
        browser.notice(),
        Some(Notice::Said(Message::Copied)),
        "the next is young"
    );
    browser.take(Event::Elapsed(second));
    assert_eq!(browser.notice(), None);
    browser.take(Event::Copied(false));
    assert_eq!(fades(&mut browser), None);
    assert_eq!(browser.notice(), Some(Notice::Said(Message::NotCopied)));
}

/// A naive plan is seen first and is no plan to run: the buttons are about the one beside it.
#[test]
fn what_opens_is_the_plan_without_reuse_beside_the_best() {
    let browser = Browser::open("");
    let case = browser.cases()[0];
    let [naive, best] = [Strategy::Naive, Strategy::Best].map(Column::Strategy);
    // 100 + 80 + 60 bytes, of which at most 180 are live: the bound is met.
    assert_eq!(*case.shown, [naive, best]);
    assert_eq!(
        (browser.arena(case.id, naive), browser.arena(case.id, best)),
        (Some(240), Some(180))
    );
    assert_eq!(case.target(), Some(best));
    // What the page has found itself is no step that Back leads to.
    assert_eq!(browser.history.len(), 1);
    // A link says what is shown.
    let browser = Browser::open("sample=blazeface&show=offsets_by_size");
    assert_eq!(
        *browser.cases()[0].shown,
        [Column::Strategy(Strategy::OffsetsBySize)]
    );
}

/// A reply is lost, and so is the sign of life that is asked for then: the page asks again.
#[test]
fn a_lost_sign_is_asked_for_again() {
    let mut browser = Browser::at("");
    browser.fetch();
    assert!(browser.state.page.work.is_busy());
    for _ in 0..2 {
        // First what was asked for, then that the worker is there.
        assert!(browser.reply().is_some());
        let sign = |timer: &Timer| matches!(timer, Timer::Ping(_));
        let at = browser.timers.iter().rposition(sign).expect("a timer");
        let timer = browser.timers.remove(at).expect("it is there");
        browser.take(Event::Elapsed(timer));
    }
    browser.settle();
    assert!(!browser.state.page.work.is_busy());
    assert!(matches!(browser.notice(), Some(Notice::Crashed(_))));
}

/// What a link says of the scale of addresses is read, as it is written.
#[test]
fn a_link_says_whose_scale_a_pane_has() {
    for (said, own) in [("own", true), ("same", false)] {
        let address = format!("sample=blazeface&scale={said}");
        let browser = Browser::open(&address);
        assert_eq!(*browser.cases()[0].own_scale, Some(own));
        assert_eq!(browser.notice(), None);
        let link = browser.state.link();
        assert!(link.contains(&format!("scale={said}")), "{link}");
    }
}

/// A link that holds the plan opens at the failure as the file does, with the same of it.
#[test]
fn a_link_of_a_failure_opens_at_it() {
    let mut sent = Browser::open("");
    sent.give("o.pickle", Made::split_segment().bytes(4), Where::Instead);
    sent.settle();
    let prepared = sent.state.active().prepared.clone().unwrap();
    let plan = prepared.subject.deployed.as_ref().unwrap();
    let plan = prepared
        .subject
        .plan_json(plan, &Options::aligned(Bytes(1)), "");
    let link = format!("#file=o.pickle&plan={}", packed(&plan));
    let mut browser = Browser::open(&link);
    browser.settle();
    let case = browser.state.active();
    assert_eq!(*case.insight.step, Some(Step(35)));
    let subject = &case.prepared.as_ref().unwrap().subject;
    assert_eq!(
        subject.failure().unwrap(),
        prepared.subject.failure().unwrap()
    );
    assert_eq!(subject.refused.len(), 1);
}

/// The request that fails is the event after a segment, its block, two events that give it back
/// and thirty blocks more, counted from 1: 35. Most is needed at step 2, where the block is there.
#[test]
fn who_holds_bytes_is_first_said_of_the_failure() {
    let opened = |link: &str| {
        let mut browser = Browser::open(link);
        browser.give("o.pickle", Made::split_segment().bytes(4), Where::Instead);
        browser.settle();
        browser
    };
    let looked = |browser: &Browser| {
        let case = browser.state.active();
        let prepared = case.prepared.as_ref().unwrap();
        assert_eq!(prepared.bounds.peak, Step(2));
        let insight = &case.insight;
        (insight.grouping.when(&prepared.subject), *insight.step)
    };
    let mut browser = opened("");
    assert_eq!(looked(&browser), (When::Looked, Some(Step(35))));
    assert!(!browser.state.link().contains("when"));
    // Another step that is looked at is kept, and so is the peak where somebody chose it.
    browser.act(Action::Insight(InsightAction::Step(Some(Step(7)))));
    let link = browser.state.link();
    assert!(link.contains("when=7"), "{link}");
    assert_eq!(looked(&opened(&link)), (When::Looked, Some(Step(7))));
    let peak = Grouping {
        when: Some(When::Peak),
        ..Grouping::default()
    };
    browser.act(Action::Insight(InsightAction::Group(peak)));
    let again = opened(&browser.state.link());
    assert_eq!(looked(&again).0, When::Peak);
}
