//! A sweep: one question a value, everything else in between, and forgotten with what it holds
//! for.

use conversation::{
    Action, Column, Range, Setting, Sweep, SweepAction, Tab, Where, suggested, uses_effort,
};
use planner::sweep::Over;
use planner::{Strategy, message};
use worker::{Reply, Request, SweepQuestion};

use super::browser::{Browser, FIRST};

/// Each tensor has 64 × N bytes; x and d lie beside the arena, two of a, b and c meet.
const CHAIN: &str = "let N = 1\ninput x: f32[N, 16]\na = Relu(x)\nb = Exp(a)\nc = Relu(b)\n\
                     d = Exp(c)\noutput d\n";

const STRATEGIES: [Strategy; 2] = [Strategy::Best, Strategy::OffsetsBySize];

fn over(over: Over, values: &str) -> Action {
    let range = Range::read(over, values, STRATEGIES.to_vec());
    Action::Sweep(SweepAction::Start(range.expect("values")))
}

fn over_n(values: &str) -> Action {
    over(Over::Dimension("N".into()), values)
}

fn at_chain() -> Browser {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    browser.settle();
    browser.act(Action::Turn(Tab::SWEEP));
    browser.settle();
    browser
}

fn sweep(browser: &Browser) -> Option<Sweep> {
    let case = browser.state.case(*browser.state.active);
    case.sweep.clone()
}

/// Value, naive, bound and arenas of every point.
fn figures(browser: &Browser) -> Vec<(u64, u64, u64, Vec<u64>)> {
    let sweep = sweep(browser).expect("a sweep");
    let figures = sweep.points.iter().map(|point| {
        let found = point.found.as_ref().expect("figures");
        let arenas = found.arenas.iter();
        let arenas = arenas.map(|it| it.as_ref().expect("a plan").0);
        (point.value, found.naive.0, found.bound.0, arenas.collect())
    });
    figures.collect()
}

/// Takes replies until so many points are there.
fn until(browser: &mut Browser, points: usize) {
    while sweep(browser).expect("a sweep").points.len() < points {
        let event = browser.reply().expect("a reply");
        browser.take(event);
    }
}

/// The value that a question of a sweep is about.
fn swept(request: &Request) -> Option<u64> {
    match request {
        Request::Ask { ask, .. } => ask.open::<SweepQuestion>().map(|it| it.value),
        _ => None,
    }
}

fn asked(browser: &Browser) -> usize {
    let sweeps = |it: &&Request| swept(it).is_some();
    browser.asked.iter().filter(sweeps).count()
}

#[test]
fn what_takes_a_moment_is_swept_once_its_tab_is_open() {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    browser.settle();
    assert_eq!((sweep(&browser), asked(&browser)), (None, 0));
    browser.act(Action::Turn(Tab::SWEEP));
    browser.settle();
    let usual = sweep(&browser).expect("a sweep").range;
    assert_eq!((usual.over.name(), usual.text.as_str()), ("N", "1..16"));
    // Naive, which is in view too, is a figure of every point.
    assert_eq!(usual.strategies, [Strategy::Best]);
    let expected: Vec<_> = (1..=16)
        .map(|n| (n, 192 * n, 128 * n, vec![128 * n]))
        .collect();
    assert_eq!(figures(&browser), expected);
    // Other settings are swept anew.
    browser.act(Setting::Align(1024));
    browser.settle();
    assert_eq!(figures(&browser)[0], (1, 3072, 2048, vec![2048]));
    // What somebody asked for stays what is asked for.
    browser.act(over(Over::Alignment, "1,2"));
    browser.act(Action::Bind("N".into(), Some(1000)));
    browser.settle();
    assert_eq!(
        figures(&browser)[1],
        (2, 192_000, 128_000, vec![128_000; 2])
    );
}

#[test]
fn values_are_suggested_around_the_one_that_is_planned() {
    let n = Over::Dimension("N".into());
    for (now, expected) in [
        (1, "1..16"),
        (16, "1..16"),
        (17, "3..33:2"),
        (1000, "125..2000:125"),
        (
            u64::MAX,
            "2305843009213693958..18446744073709551615:2305843009213693951",
        ),
    ] {
        let text = suggested(&n, now);
        assert_eq!(text, expected);
        let values = n.values(&text).expect("values");
        assert!(values.contains(&now) && values.len() <= 16, "{values:?}");
    }
    let alignments = Over::Alignment.values(&suggested(&Over::Alignment, 64));
    assert_eq!(alignments.map(|it| it.len()), Ok(13));
}

#[test]
fn every_value_is_planned_as_if_it_was_chosen() {
    let mut browser = at_chain();
    browser.act(over_n("1,2,5"));
    browser.settle();
    let expected = [1, 2, 5].map(|n| (n, 192 * n, 128 * n, vec![128 * n, 128 * n]));
    assert_eq!(figures(&browser), expected);
    assert!(*browser.state.page.idle);
    for (value, _, _, arenas) in expected {
        browser.act(Action::Bind("N".into(), Some(value)));
        browser.settle();
        let case = browser.ids()[0];
        let arena = |strategy| browser.arena(case, Column::Strategy(strategy));
        assert_eq!(STRATEGIES.map(arena), [Some(arenas[0]), Some(arenas[1])]);
    }
    // What was chosen is what is swept: the points still hold, and after Back, too.
    assert_eq!(figures(&browser).len(), 3);
    browser.back();
    browser.settle();
    assert_eq!(browser.cases()[0].bindings["N"], 2);
    assert_eq!(figures(&browser).len(), 3);
}

#[test]
fn points_are_there_as_they_come_and_what_was_stopped_goes_on() {
    let mut browser = at_chain();
    let before = asked(&browser);
    browser.act(over_n("1..4"));
    until(&mut browser, 2);
    assert!(!*browser.state.page.idle);
    // One of two plans of the third value is made.
    let told = browser.reply().expect("progress");
    let is_told =
        matches!(&told, conversation::Event::Worker(it) if matches!(**it, Reply::Progress { .. }));
    assert!(is_told, "{told:?}");
    browser.take(told);
    assert_eq!(sweep(&browser).map(|it| it.part), Some((1, 2)));
    browser.act(Action::Sweep(SweepAction::Stop));
    browser.settle();
    let stopped = sweep(&browser).expect("a sweep");
    assert!(stopped.stopped && !stopped.is_working());
    assert_eq!((stopped.points.len(), asked(&browser) - before), (2, 3));
    assert!(*browser.state.page.idle);
    browser.act(Action::Sweep(SweepAction::GoOn));
    browser.settle();
    let values: Vec<u64> = figures(&browser).iter().map(|it| it.0).collect();
    assert_eq!(
        (values.as_slice(), asked(&browser) - before),
        (&[1, 2, 3, 4][..], 5)
    );
}

#[test]
fn what_is_looked_at_is_asked_before_the_next_value() {
    let mut browser = at_chain();
    browser.act(over_n("1..4"));
    until(&mut browser, 1);
    let (before, shown) = (browser.asked.len(), browser.ids()[0]);
    let column = Column::Strategy(Strategy::Best);
    browser.act(Action::Bind("N".into(), Some(3)));
    browser.act(Action::Show(column, true));
    browser.settle();
    let kinds = browser.asked[before..].iter().map(|it| match it {
        Request::Ask { .. } => swept(it).map(|value| value.to_string()).unwrap_or_default(),
        // The price of running in parallel is measured last, of a case of its own.
        Request::Prepare { case, .. } if *case == shown => "prepare".to_owned(),
        Request::Plan { case, strategy, .. } if (*case, *strategy) == (shown, Strategy::Best) => {
            "best".to_owned()
        }
        _ => String::new(),
    });
    let kinds: Vec<String> = kinds.filter(|it| !it.is_empty()).collect();
    // The second value was asked for already.
    assert_eq!(kinds, ["prepare", "best", "3", "4"]);
    assert_eq!(figures(&browser).len(), 4);
}

#[test]
fn a_search_that_nobody_looks_at_waits_for_the_sweep() {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    let searches = |request: Option<&Request>| match request {
        Some(Request::Plan { strategy, .. }) => {
            uses_effort(*strategy) && *strategy != Strategy::Best
        }
        _ => false,
    };
    while !searches(browser.asked.last()) {
        let event = browser.reply().expect("a reply");
        browser.take(event);
    }
    let (before, column) = (browser.asked.len(), browser.asked.last().cloned());
    let Some(Request::Plan { strategy, .. }) = column else {
        panic!("a search: {column:?}");
    };
    browser.act(over_n("1,2"));
    assert_eq!(browser.asked.len(), before);
    browser.act(Action::Turn(Tab::SWEEP));
    browser.settle();
    let kinds = browser.asked[before..].iter().filter_map(|it| match it {
        Request::Ask { .. } => swept(it).map(Ok),
        Request::Plan { strategy, .. } => Some(Err(*strategy)),
        _ => None,
    });
    let kinds: Vec<Result<u64, Strategy>> = kinds.take(3).collect();
    assert_eq!(kinds, [Ok(1), Ok(2), Err(strategy)]);
    assert!(browser.cases()[0].plans.values().all(|it| !it.is_open()));
}

#[test]
fn other_settings_are_another_sweep() {
    let mut browser = at_chain();
    browser.act(over_n("1,2"));
    browser.settle();
    browser.act(Setting::Align(16));
    assert_eq!(sweep(&browser), None);
    browser.settle();
    // Over the alignment it is the dimension that must stay.
    browser.act(over(Over::Alignment, "1,128"));
    browser.settle();
    browser.act(Setting::Align(128));
    browser.settle();
    let expected = [(1, 192, 128, vec![128; 2]), (128, 384, 256, vec![256; 2])];
    assert_eq!(figures(&browser), expected);
    browser.act(over(Over::Alignment, "1,2,4,8"));
    until(&mut browser, 1);
    browser.act(Action::Bind("N".into(), Some(7)));
    assert_eq!(sweep(&browser), None);
    browser.settle();
    assert!(*browser.state.page.idle);
}

/// 100, 80 and 60 bytes, of which the first two meet; 80 lie from 128 on where addresses are
/// aligned to 64. Shared objects cannot start where a buffer
/// has to.
#[test]
fn a_table_is_swept_over_the_alignment_and_a_failed_plan_says_why() {
    let mut browser = Browser::open("");
    browser.give("first.csv", FIRST, Where::Instead);
    browser.settle();
    browser.act(over(Over::Alignment, "1,64"));
    browser.settle();
    let expected = [(1, 240, 180, vec![180; 2]), (64, 316, 208, vec![208; 2])];
    assert_eq!(figures(&browser), expected);
    let fixed = "id,lower,upper,size,fixed\na,0,2,100,0\nb,1,3,80,\n";
    browser.give("fixed.csv", fixed, Where::Instead);
    browser.settle();
    assert_eq!(sweep(&browser), None);
    let mut range = over(Over::Alignment, "1");
    if let Action::Sweep(SweepAction::Start(range)) = &mut range {
        range.strategies.push(Strategy::GreedyInOrder);
    }
    browser.act(range);
    browser.settle();
    let sweep = sweep(&browser).expect("a sweep");
    let found = sweep.points[0].found.as_ref().expect("figures");
    let made: Vec<bool> = found.arenas.iter().map(Result::is_ok).collect();
    assert_eq!(made, [true, true, false]);
}

#[test]
fn a_worker_that_is_lost_stops_it_with_its_points() {
    let mut browser = at_chain();
    browser.act(over_n("1..3"));
    until(&mut browser, 1);
    browser.take(conversation::Event::WorkerDied(message!("gone")));
    browser.settle();
    let lost = sweep(&browser).expect("a sweep");
    assert!(lost.stopped);
    assert_eq!(lost.points.len(), 1);
    browser.act(Action::Sweep(SweepAction::GoOn));
    browser.settle();
    assert_eq!(figures(&browser).len(), 3);
}
