//! Packed files are opened as what is inside.

use conversation::{CaseAction, Column, Notice, Tab, Where};
use planner::load::Fault;

use planner::message;

use super::browser::Browser;

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!("../../data/packed/", $name))
    };
}

const HALVES: [&str; 2] = ["train-buffer-assignment.txt", "train-live-range.txt"];

#[test]
fn a_packed_plan_is_the_plan() {
    for (name, bytes, inside) in [
        ("x.csv.gz", packed!("plan.csv.gz").as_slice(), "x.csv"),
        ("x.zip", packed!("stored.zip"), "plan.csv"),
    ] {
        let mut browser = Browser::open("");
        browser.give(name, bytes, Where::Instead);
        browser.settle();
        assert_eq!(
            (browser.names(), browser.notice()),
            (vec![inside.to_owned()], None)
        );
        let case = browser.ids()[0];
        assert_eq!(browser.arena(case, Column::Deployed), Some(240));
        // What reads the file later, such as a run, reads what is inside.
        let file = &browser.state.case(case).file;
        assert_eq!(file.as_ref().map(|file| file.bytes), Some(65));
        // And so does a worker that is started anew.
        browser.take(conversation::Event::WorkerDied(message!("out of memory")));
        browser.act(conversation::Action::Plan(Column::Strategy(
            planner::Strategy::Naive,
        )));
        browser.settle();
        let naive = Column::Strategy(planner::Strategy::Naive);
        assert_eq!(browser.arena(case, naive), Some(240));
    }
}

/// The halves of a dump in one archive; each packed by itself and given together, or one after the other.
#[test]
fn halves_of_a_dump_find_each_other() {
    let archive = [("dump.tar.gz", packed!("pax.tar.gz").as_slice())];
    let halves = [
        (
            "train-buffer-assignment.txt.gz",
            packed!("train-buffer-assignment.txt.gz").as_slice(),
        ),
        (
            "train-live-range.txt.gz",
            packed!("train-live-range.txt.gz"),
        ),
    ];
    for gifts in [
        vec![&archive[..]],
        vec![&halves[..]],
        vec![&halves[..1], &halves[1..]],
    ] {
        let mut browser = Browser::open("");
        for gift in gifts {
            let files = gift
                .iter()
                .map(|(name, bytes)| browser.file(name, bytes))
                .collect();
            browser.act(CaseAction::OpenFiles(files, Where::Instead));
            browser.settle();
        }
        assert_eq!(browser.notice(), None);
        let [name] = &browser.names()[..] else {
            panic!("one case")
        };
        assert!(HALVES.iter().all(|half| name.contains(half)), "{name}");
        assert!(!name.contains(".gz"), "{name}");
    }
}

/// Two snapshots in one archive are compared, the older first by their times in it, as two that are
/// dropped together.
#[test]
fn two_snapshots_in_an_archive_are_compared() {
    let mut browser = Browser::open("");
    browser.give("x.zip", packed!("snapshots.zip"), Where::Instead);
    browser.settle();
    assert_eq!(browser.notice(), None);
    assert_eq!(browser.names(), ["after.pickle", "before.pickle"]);
    assert_eq!(*browser.state.page.tab, Tab::DIFFERENCES);
    let pair = browser.state.page.pair.clone().expect("they are compared");
    assert_eq!(pair.after, *browser.state.active);
}

#[test]
fn what_cannot_be_unpacked_is_refused() {
    let mut browser = Browser::open("");
    for (bytes, fault) in [
        (packed!("two.zip").as_slice(), Fault::Apart),
        (&packed!("plan.csv.gz")[..40], Fault::Truncated),
        (b"(\xb5\x2f\xfd and more", Fault::Packed),
    ] {
        browser.give("x", bytes, Where::Instead);
        browser.settle();
        let Some(Notice::Refused(_, error)) = browser.notice() else {
            panic!("{:?}", browser.notice());
        };
        assert_eq!(error.kind, fault, "{error}");
        assert_eq!(browser.names(), ["First"]);
    }
}
