//! Cases side by side: two documents, one document in two ways, two dumps that are compared.

use conversation::{
    Action, Answer, Column, DifferenceAction, Grouping, InsightAction, Notice, PlanningAction,
    Progress, Tab, When, Where, Window,
};
use conversation::{CaseAction, Setting};
use planner::basis::{Basis, Figure};
use planner::load::Fault;
use planner::query::Field;
use planner::{Bytes, Parallel, Step, Strategy, message};

use super::browser::{Browser, FIRST, SECOND};

const BEST: Column = Column::Strategy(Strategy::Best);

#[test]
fn the_first_sample_opens_and_is_planned() {
    let browser = Browser::open("");
    assert_eq!(browser.names(), ["First"]);
    assert!(*browser.state.page.idle);
    let case = browser.cases()[0];
    // 100 and 80 bytes meet, and so do 80 and 60.
    assert_eq!(browser.arena(case.id, BEST), Some(180));
    assert!(case.plans.values().all(|plan| !plan.is_open()));
    assert!(browser.history[0].0.starts_with("sample=blazeface&show="));
}

/// A sample may name what it opens with; a link that shows something else is heard.
#[test]
fn a_sample_opens_with_the_columns_that_it_names() {
    let xnnpack = Column::Strategy(Strategy::Xnnpack);
    let size = Column::Strategy(Strategy::OffsetsBySize);
    for (address, shown) in [
        ("sample=third", [xnnpack, BEST]),
        ("sample=third&show=best,offsets_by_size", [BEST, size]),
        (
            "sample=blazeface",
            [Column::Strategy(Strategy::Naive), BEST],
        ),
    ] {
        let browser = Browser::open(address);
        assert_eq!(browser.cases()[0].shown[..], shown, "{address}");
    }
    let browser = Browser::open("sample=third");
    let case = browser.cases()[0].id;
    // XNNPACK lays the third block above the first, which is gone by then.
    assert_eq!(browser.arena(case, xnnpack), Some(240));
    assert_eq!(browser.arena(case, BEST), Some(180));
}

#[test]
fn what_was_open_stays_when_a_file_is_refused() {
    let mut browser = Browser::open("");
    let before = browser.ids();
    browser.give("bad.csv", "id,lower,upper,size\na,x,2,3\n", Where::Instead);
    browser.settle();
    assert_eq!(
        (browser.ids(), browser.names()),
        (before, vec!["First".to_owned()])
    );
    match browser.notice() {
        Some(Notice::Refused(name, error)) => {
            assert_eq!((name.as_str(), error.kind), ("bad.csv", Fault::Malformed));
        }
        other => panic!("{other:?}"),
    }
    assert!(*browser.state.page.idle);
}

/// A second document stands beside the first, on the same axes; what has the same name is
/// selected in both, and each keeps its own figures.
#[test]
fn two_documents_stand_side_by_side() {
    let mut browser = Browser::open("");
    browser.give("second.csv", SECOND, Where::Beside);
    browser.settle();
    assert_eq!(browser.names(), ["First", "second.csv"]);
    let [first, second] = browser.ids()[..] else {
        panic!("two cases");
    };
    assert_eq!(*browser.state.active, second);
    assert_eq!(browser.arena(first, BEST), Some(180));
    assert_eq!(browser.arena(second, Column::Deployed), Some(240));
    // `c` is the third of both, `d` is in the second alone.
    browser.act_in(first, Action::Select(Some(2)));
    let selected = |browser: &Browser| [first, second].map(|id| *browser.state.case(id).selected);
    assert_eq!(selected(&browser), [Some(2), Some(2)]);
    browser.act_in(second, Action::Hover(Some(3)));
    let hovered = [first, second].map(|id| *browser.state.case(id).hovered);
    assert_eq!(hovered, [None, Some(3)]);
    let window = Window {
        x: (0.0, 2.0),
        y: (0.0, 100.0),
    };
    browser.act_in(first, Action::Look(Some(window)));
    assert_eq!(*browser.state.case(second).window, Some(window));
    browser.act(CaseAction::LinkAxes(false));
    browser.act_in(first, Action::Look(None));
    assert_eq!(*browser.state.case(second).window, Some(window));
    // The one that is closed takes nothing with it.
    browser.act(CaseAction::Close(second));
    browser.settle();
    assert_eq!(
        (browser.names(), *browser.state.active),
        (vec!["First".to_owned()], first)
    );
    assert_eq!(browser.arena(first, BEST), Some(180));
}

/// What each takes on one basis comes with what was prepared, whether it was looked at or not, and
/// again after a reload. LiteRT's rows say which tensors are inputs and outputs: the arena of 384 B
/// holds them all, and at step 1 the other two, of 128 and 192 B, are both there.
#[test]
fn cases_have_their_figures_on_one_basis() {
    let rows = "id,lower,upper,size,offset,role,op,name\n\
                0,0,4,64,0,input,,x\n1,0,2,128,64,intermediate,A,a\n\
                2,1,3,192,192,intermediate,B,b\n3,2,4,64,64,output,C,y\n";
    let figures = |browser: &Browser| -> Vec<Basis> {
        let prepared = browser.cases().into_iter().map(|it| it.prepared.as_ref());
        prepared.map(|it| it.expect("prepared").basis).collect()
    };
    let litert = Basis {
        arenas: Figure::Exact(Bytes(384)),
        temporary: Figure::AtLeast(Bytes(320)),
        handed: Figure::Exact(Bytes(384)),
        whole: Figure::Unsaid,
    };
    // A table of offsets says nothing of what its buffers are for.
    let second = Basis {
        arenas: Figure::Exact(Bytes(240)),
        ..Basis::default()
    };
    let mut browser = Browser::open("sample=second");
    browser.give("litert.csv", rows, Where::Beside);
    browser.settle();
    assert_eq!(figures(&browser), [second, litert]);
    browser.act(CaseAction::OpenSample("second".to_owned(), Where::Beside));
    browser.settle();
    assert_eq!(figures(&browser), [second, litert, second]);
    browser.act(CaseAction::Close(browser.ids()[1]));
    browser.settle();
    let (address, _) = browser.history.last().expect("an address");
    let again = Browser::open(address);
    assert_eq!(figures(&again), [second, second]);
}

/// One document in two ways: with an alignment of 1,024, the 80 bytes lie at 1,024.
#[test]
fn two_settings_of_one_document_stand_side_by_side() {
    let mut browser = Browser::open("");
    browser.act(CaseAction::Duplicate);
    browser.settle();
    let [first, second] = browser.ids()[..] else {
        panic!("two cases");
    };
    browser.act_in(second, Setting::Align(1024));
    browser.settle();
    assert_eq!(browser.arena(first, BEST), Some(180));
    assert_eq!(browser.arena(second, BEST), Some(1104));
    // The link brings both back.
    let (address, _) = browser.history.last().cloned().expect("an entry");
    assert!(address.contains("&beside&"), "{address}");
    let again = Browser::open(&address);
    assert_eq!(again.names(), ["First", "First"]);
    let [first, second] = again.ids()[..] else {
        panic!("two cases");
    };
    assert_eq!(again.arena(first, BEST), Some(180));
    assert_eq!(again.arena(second, BEST), Some(1104));
    assert_eq!(again.history.last().map(|entry| &entry.0), Some(&address));
}

/// The other dump of a comparison is a case; the worker compares both as they are prepared.
#[test]
fn two_dumps_are_compared() {
    let mut browser = Browser::open("sample=second");
    let opened = browser.ids()[0];
    let other = browser.file("before.csv", "id,lower,upper,size,offset\na,0,2,90,0\n");
    browser.act(Action::Differ(DifferenceAction::Dump(vec![other])));
    browser.settle();
    assert_eq!(browser.names(), ["Second", "before.csv"]);
    assert_eq!(*browser.state.active, opened);
    let pair = browser.state.page.pair.clone().expect("they are compared");
    assert_eq!(pair.after, opened);
    let Answer::There(dumps) = &pair.found else {
        panic!("{pair:?}");
    };
    assert_eq!(dumps.changed[0].growth(), 10);
    assert_eq!(dumps.only.len(), 3);
    browser.act(Action::Differ(DifferenceAction::Turn));
    browser.settle();
    match &browser.state.page.pair.as_ref().expect("a pair").found {
        Answer::There(dumps) => assert_eq!(dumps.changed[0].growth(), -10),
        other => panic!("{other:?}"),
    }
    browser.act(Action::Differ(DifferenceAction::Close));
    browser.settle();
    assert_eq!(browser.names(), ["Second"]);
    assert!(browser.state.page.pair.is_none());
}

/// Two dumps that are dropped together, the older first: the newer one is open, and what it is
/// compared with is the older one, whatever their names are. What else does not belong together is
/// still refused.
#[test]
fn two_dumps_that_are_dropped_together_are_compared() {
    let log = |size: u64| {
        format!(
            "0 (id=0): size={size}, offset=0, first_used=0 last_used=1\n\
             1 (id=1): size=16, offset=64, first_used=0 last_used=1\n"
        )
    };
    let mut browser = Browser::open("");
    let older = browser.file("z_before.log", log(32));
    let newer = browser.file("after.log", log(48));
    let model = browser.file("table.csv", SECOND);
    let together = vec![older.clone(), newer.clone()];
    browser.act(CaseAction::OpenFiles(together, Where::Instead));
    browser.settle();
    assert_eq!(browser.names(), ["after.log", "z_before.log"]);
    let pair = browser.state.page.pair.clone().expect("they are compared");
    assert_eq!(pair.after, *browser.state.active);
    let Answer::There(dumps) = &pair.found else {
        panic!("{pair:?}");
    };
    assert_eq!(dumps.changed[0].growth(), 16);
    assert_eq!(*browser.state.page.tab, Tab::DIFFERENCES);
    // Of three nobody says which two.
    let third = browser.file("third.log", log(64));
    let three = vec![older.clone(), newer, third];
    browser.act(CaseAction::OpenFiles(three, Where::Instead));
    browser.settle();
    match browser.notice() {
        Some(Notice::Refused(_, error)) => assert_eq!(error.kind, Fault::Dumps),
        other => panic!("{other:?}"),
    }
    browser.act(CaseAction::OpenFiles(vec![older, model], Where::Instead));
    browser.settle();
    match browser.notice() {
        Some(Notice::Refused(_, error)) => assert_eq!(error.kind, Fault::Apart),
        other => panic!("{other:?}"),
    }
}

/// Back leads to the settings, and to the file, that were there before.
#[test]
fn back_leads_to_what_was_there() {
    let mut browser = Browser::open("");
    browser.act(Setting::Align(1024));
    browser.settle();
    browser.give("second.csv", SECOND, Where::Instead);
    browser.settle();
    assert_eq!(browser.names(), ["second.csv"]);
    browser.back();
    browser.settle();
    let case = browser.ids()[0];
    assert_eq!(
        (browser.names(), browser.arena(case, BEST)),
        (vec!["First".to_owned()], Some(1104))
    );
    browser.back();
    browser.settle();
    let case = browser.ids()[0];
    assert_eq!(browser.arena(case, BEST), Some(180));
}

/// What the worker was told by number is sent along only to a worker that does not know it.
#[test]
fn a_worker_that_was_started_anew_knows_the_document_again() {
    let mut browser = Browser::open("");
    browser.take(conversation::Event::WorkerDied(message!("it was killed")));
    assert!(matches!(browser.notice(), Some(Notice::Crashed(_))));
    let case = browser.ids()[0];
    browser.act(Action::Dismiss);
    browser.act(Action::Planning(PlanningAction::Again(BEST)));
    browser.settle();
    assert_eq!(browser.arena(case, BEST), Some(180));
    let plans = &browser.state.case(case).plans;
    assert!(
        plans
            .values()
            .all(|plan| matches!(plan, Progress::Done(_) | Progress::Failed(_)))
    );
}

/// A problem has no operators: asked for the price of running in parallel, the page says so.
#[test]
fn a_problem_has_no_price() {
    let mut browser = Browser::open("");
    browser.act(Action::Planning(PlanningAction::MeasurePrice));
    browser.settle();
    let case = browser.cases()[0];
    assert_eq!(*case.planning.price, conversation::Pricing::Failed);
    assert_eq!(case.settings.parallel, Parallel::Serial);
    assert_eq!(FIRST.lines().count(), 4);
}

/// A file that is opened before the first sample is there takes its place.
#[test]
fn what_is_opened_early_is_alone() {
    for heard in 0..6 {
        let mut browser = Browser::at("");
        browser.fetch();
        browser.give("second.csv", SECOND, Where::Instead);
        for _ in 0..heard {
            if let Some(event) = browser.reply() {
                browser.take(event);
            }
        }
        browser.settle();
        assert_eq!(browser.names(), ["second.csv"], "{heard}");
    }
}

/// What the first picture needs leads to the same page as the whole reducer: every event that
/// it does not know waits for that one.
#[test]
fn the_first_picture_leads_to_the_same_page() {
    for address in [
        "",
        "sample=second",
        "sample=blazeface&show=naive&align=1024",
        "edit=x",
    ] {
        let mut early = Browser::early(address);
        early.settle();
        let seen = early.cases().iter().all(|case| {
            let mut shown = case.shown.iter();
            shown.all(|column| case.planned(*column).is_some())
        });
        assert!(seen, "{address}");
        early.complete();
        early.settle();
        let whole = Browser::open(address);
        assert_eq!(early.names(), whole.names());
        let plans = |browser: &Browser| {
            let case = browser.cases()[0];
            let plans = case.plans.iter();
            plans
                .map(|(column, plan)| (*column, plan.planned().map(|it| it.judged.clone())))
                .collect::<Vec<_>>()
        };
        assert_eq!(plans(&early), plans(&whole), "{address}");
        let written = |browser: &Browser| browser.history.last().cloned();
        assert_eq!(written(&early), written(&whole), "{address}");
        assert!(*early.state.page.idle);
    }
}

/// A link says what each case looks at, and which one tabs and inspector are about.
#[test]
fn a_link_brings_back_the_active_case_and_what_is_in_view() {
    let second = "sample=second&show=best";
    let window = |browser: &Browser| -> Vec<bool> {
        let cases = browser.cases().into_iter();
        cases.map(|case| case.window.is_some()).collect()
    };
    let first = "sample=blazeface&show=best&view=0,1,0,100";
    let own = Browser::open(&format!(
        "{first}&case=active&axes=own&beside&{second}&axes=own"
    ));
    assert_eq!(own.names(), ["First", "Second"]);
    assert_eq!(*own.state.active, own.ids()[0]);
    assert!(!*own.state.page.linked);
    assert_eq!(window(&own), [true, false]);
    // What it writes leads to the same.
    let again = Browser::open(&own.state.link());
    assert_eq!(*again.state.active, again.ids()[0]);
    assert_eq!(
        (window(&again), *again.state.page.linked),
        (window(&own), false)
    );
    // Axes that are linked have one view, and the last case is active.
    let view = "view=0,1,0,100";
    let linked = Browser::open(&format!("{first}&beside&{second}&{view}"));
    assert_eq!(*linked.state.active, linked.ids()[1]);
    assert_eq!(
        (window(&linked), *linked.state.page.linked),
        (vec![true; 2], true)
    );
}

/// A sample that is open is called as the language has it.
#[test]
fn samples_follow_the_language() {
    let mut browser = Browser::open("");
    browser.act(conversation::PageAction::Speak(conversation::Language::Zh));
    assert_eq!(browser.names(), ["一"]);
    browser.give("own.csv", FIRST, Where::Instead);
    browser.settle();
    browser.act(conversation::PageAction::Speak(conversation::Language::En));
    assert_eq!(browser.names(), ["own.csv"]);
}

/// A link says what is grouped in the tab that tells who holds bytes, and what it writes leads to
/// the same.
#[test]
fn a_link_brings_back_what_is_grouped() {
    let all = [
        ("", Grouping::default(), None),
        (
            "&when=end&by=caller&frames=runtime",
            grouping(When::End, Some(Field::Caller), true),
            None,
        ),
        (
            "&when=1..3&by=phase",
            grouping(When::Between(Step(1), Step(3)), Some(Field::Phase), false),
            None,
        ),
        ("&when=peak", grouping(When::Peak, None, false), None),
        ("&when=step", grouping(When::Looked, None, false), None),
        (
            "&when=2",
            grouping(When::Looked, None, false),
            Some(Step(2)),
        ),
    ];
    for (said, meant, step) in all {
        let mut address = format!("sample=blazeface{said}&scale=own");
        for _ in 0..2 {
            let browser = Browser::open(&address);
            let [case] = browser.cases()[..] else {
                panic!("{address}")
            };
            assert_eq!(*case.insight.grouping, meant, "{address}");
            assert_eq!(*case.insight.step, step, "{address}");
            assert_eq!(*case.own_scale, Some(true), "{address}");
            assert!(browser.state.page.notice.is_none(), "{address}");
            address = browser.state.link();
            assert!(address.contains(said), "{address}");
        }
    }
    // What is chosen is written; what cannot be read is left out, and said.
    let mut browser = Browser::open("sample=blazeface");
    let end = grouping(When::End, Some(Field::Name), false);
    browser.act(Action::Insight(InsightAction::Group(end)));
    browser.settle();
    assert!(browser.state.link().ends_with("&when=end&by=name"));
    for said in ["when=1..", "when=never", "by=nobody", "frames=all"] {
        let browser = Browser::open(&format!("sample=blazeface&{said}"));
        assert_eq!(*browser.cases()[0].insight.grouping, Grouping::default());
        assert!(browser.state.page.notice.is_some(), "{said}");
    }
}

fn grouping(when: When, field: Option<Field>, runtime: bool) -> Grouping {
    Grouping {
        when: Some(when),
        field,
        runtime,
    }
}
