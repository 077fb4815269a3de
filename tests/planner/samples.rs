//! The committed samples are what their generator writes, and small enough to come with the
//! page.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use conversation::Column;
use planner::{Bytes, Family, Lifetimes, Options, Plan, Silent, Strategy, bounds, plan};
use tests::samples::{
    above_the_peak, index, leading_free_range, one_pass_misses, samples, search_stops,
};

const LARGEST: usize = 100_000;
const REMEDY: &str = "run `cargo run -p tests --bin samples` and commit what it writes";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public/samples")
}

#[test]
fn committed_samples_are_what_the_generator_writes() {
    for sample in samples() {
        let committed = fs::read(folder().join(sample.file)).unwrap();
        assert!(committed == sample.bytes, "{}: {REMEDY}", sample.file);
        assert!(committed.len() < LARGEST, "{} is too large", sample.file);
    }
    let committed = fs::read_to_string(folder().join("index.json")).unwrap();
    assert!(committed == index(), "index.json: {REMEDY}");
}

#[test]
fn every_file_is_listed_once() {
    let listed: Vec<String> = samples().iter().map(|s| s.file.to_owned()).collect();
    let mut expected: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(expected.len(), listed.len());
    expected.insert("index.json".to_owned());
    let files = fs::read_dir(folder()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), expected);
}

/// Columns are named as links name them, and every sentence is in both languages.
#[test]
fn what_a_sample_opens_with_is_there() {
    for sample in samples() {
        for name in sample.show {
            assert!(name.parse::<Column>().is_ok(), "{}: {name}", sample.id);
        }
        assert!(!sample.about.zh.is_ascii(), "{}", sample.id);
    }
}

fn made(strategy: Strategy, lifetimes: &Lifetimes) -> Plan {
    let options = Options::aligned(Bytes(1));
    plan(strategy, lifetimes, &options, &mut Silent).expect("a plan")
}

/// Places the blocks in the order that `left` is taken in, each as low as those before let it,
/// in every order: sorted by address, the blocks of the smallest plan are among these, and none
/// lies higher there. The least arena.
fn least(lifetimes: &Lifetimes, placed: &mut Vec<(usize, u64)>, arena: u64, known: u64) -> u64 {
    if arena >= known {
        return known;
    }
    let buffers = &lifetimes.buffers;
    let mut known = known;
    let mut left = false;
    for (index, buffer) in buffers.iter().enumerate() {
        if placed.iter().any(|it| it.0 == index) {
            continue;
        }
        left = true;
        let under = placed
            .iter()
            .filter(|it| buffers[it.0].span.overlaps(buffer.span));
        let at = under
            .map(|it| it.1 + buffers[it.0].size.0)
            .max()
            .unwrap_or(0);
        placed.push((index, at));
        known = least(lifetimes, placed, arena.max(at + buffer.size.0), known);
        placed.pop();
    }
    if left { known } else { arena }
}

#[test]
fn eight_blocks_need_more_than_is_live_at_once() {
    let lifetimes = above_the_peak();
    assert_eq!(lifetimes.buffers.len(), 8);
    let live = |step: u64| {
        let all = lifetimes.buffers.iter();
        let here = all.filter(|it| it.span.start.0 <= step && step < it.span.end.0);
        here.map(|it| it.size.0).sum::<u64>()
    };
    assert_eq!((0..8).map(live).max(), Some(16 << 10));
    assert_eq!(bounds::bounds(&lifetimes).offsets, Bytes(16 << 10));
    assert_eq!(least(&lifetimes, &mut Vec::new(), 0, u64::MAX), 18 << 10);
    let exact = made(Strategy::Exact, &lifetimes);
    assert_eq!(
        (exact.arena, exact.proved),
        (Bytes(18 << 10), Some(Bytes(18 << 10)))
    );
    // Where the optimum is known because there is no room for anything else.
    assert_eq!(
        least(&leading_free_range(), &mut Vec::new(), 0, u64::MAX),
        180
    );
}

/// Every strategy but those that search the order of all, exact and best.
#[test]
fn twelve_pieces_are_put_together_by_search_alone() {
    let lifetimes = one_pass_misses();
    assert_eq!(lifetimes.buffers.len(), 12);
    // A full rectangle of 10 steps: every step needs all of it.
    let area = lifetimes.buffers.iter().map(|it| it.size.0 * it.span.len());
    assert_eq!(area.sum::<u64>(), 4_096 * 10);
    let others = Strategy::ALL.into_iter();
    let others = others.filter(|it| it.description().family != Family::Search);
    let arenas = others.map(|strategy| made(strategy, &lifetimes).arena);
    assert_eq!(arenas.min(), Some(Bytes(4_352)));
    assert_eq!(made(Strategy::Exact, &lifetimes).arena, Bytes(4_096));
}

#[test]
fn fifty_pieces_are_left_apart_by_best_and_not_by_exact() {
    let lifetimes = search_stops();
    assert_eq!(lifetimes.buffers.len(), 50);
    let area = lifetimes.buffers.iter().map(|it| it.size.0 * it.span.len());
    assert_eq!(area.sum::<u64>(), 65_536 * 200);
    assert_eq!(made(Strategy::Best, &lifetimes).arena, Bytes(65_984));
    assert_eq!(made(Strategy::Exact, &lifetimes).arena, Bytes(65_536));
}

#[test]
fn the_gap_at_the_bottom_opens_on_the_planner_that_overlooks_it() {
    let all = samples();
    let sample = all.iter().find(|it| it.id == "leading_gap");
    let sample = sample.expect("a sample of this name");
    assert_eq!(sample.show, ["xnnpack", "best"]);
    // XNNPACK issue 10800, as the sentence has it.
    let arenas =
        [Strategy::Xnnpack, Strategy::Best].map(|it| made(it, &leading_free_range()).arena);
    assert_eq!(arenas, [240, 180].map(Bytes));
    for said in [sample.about.en, sample.about.zh] {
        assert!(said.contains("240") && said.contains("180"), "{said}");
    }
}
