//! Eager runtimes that know addresses: small cases by hand, and what holds for any.

use std::collections::BTreeMap;

use planner::Bytes;
use planner::schedule::Phase;
use planner::training::dtr::decisions::{Why, decisions};
use planner::training::dtr::{
    Act, Call, Ended, Event, Evictor, Heuristic, Limits, Log, Made, Played, read, run,
};
use tests::random::Random;
use tests::shared::{files, unpacked};

use super::dtr::chain;
use super::properties::arbitrary;

const ADDRESSED: [Evictor; 3] = [Evictor::Megengine, Evictor::Dte, Evictor::Coop];

fn under(budget: u64) -> Limits {
    Limits {
        budget: Some(Bytes(budget)),
        ..Limits::default()
    }
}

/// Calls of one result each: its name, its bytes, what it costs, and what it reads.
fn log(calls: &[(&str, u64, u64, &[usize])]) -> Log {
    let call = |(tensor, (name, bytes, cost, reads)): (usize, &(&str, u64, u64, &[usize]))| Call {
        name: (*name).to_owned(),
        cost: *cost,
        reads: reads.to_vec(),
        makes: vec![Made {
            tensor,
            bytes: *bytes,
            alias: None,
        }],
        phase: Phase::Forward,
        constant: false,
    };
    Log {
        tensors: calls.iter().map(|it| it.0.to_owned()).collect(),
        calls: calls.iter().enumerate().map(call).collect(),
        events: (0..calls.len()).map(Event::Call).collect(),
    }
}

fn evicted(played: &Played) -> Vec<usize> {
    let evicted = played.acts.iter().filter_map(|act| match act {
        Act::Evict(storage) => Some(*storage),
        _ => None,
    });
    evicted.collect()
}

/// Where each storage lay last.
fn at(played: &Played) -> Vec<u64> {
    let places = played.places.iter().map(|it| (it.storage, it.from.0));
    places.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// A device of 4 bytes holds a, b, c and d, of which a and c are cheap, and 2 bytes are wanted. By
/// hand, with the clock at 12 and a, b, c and d read at 2, 7, 8 and 12: their prices by bytes are
/// 1/10, 1, 1/4 and 4 at least.
///
/// - By bytes, a and c go: two holes of 1 byte.
/// - DTE: a, then c (1/4 against 5/10 for b beside the hole), then b (5/15 against 4/2): [0, 3).
/// - Coop has a and c side by side at the upper end, b and d at the lower: of the windows b d, d c
///   and c a the last is the cheapest.
/// - `MegEngine` takes the longest unread, a, and then b, for the hole beside it counts.
#[test]
fn what_is_evicted_is_scattered_or_a_window() {
    let log = log(&[
        ("a", 1, 1, &[]),
        ("b", 1, 5, &[]),
        ("c", 1, 1, &[]),
        ("d", 1, 4, &[]),
        ("e", 2, 1, &[]),
    ]);
    let played = |evictor: Evictor| run(&log, evictor, under(4), None);
    assert_eq!(evicted(&played(Heuristic::DtrLocal.into())), [0, 2]);
    let dte = played(Evictor::Dte);
    assert_eq!(
        (evicted(&dte), at(&dte)),
        (vec![0, 2, 1], vec![0, 1, 2, 3, 0])
    );
    let coop = played(Evictor::Coop);
    assert_eq!(
        (evicted(&coop), at(&coop)),
        (vec![2, 0], vec![3, 0, 2, 1, 2])
    );
    let megengine = played(Evictor::Megengine);
    assert_eq!(
        (evicted(&megengine), at(&megengine)),
        (vec![0, 1], vec![0, 1, 2, 3, 0])
    );
    for played in [dte, coop, megengine] {
        let figures = (played.ended, played.top, played.moved);
        assert_eq!(figures, (Ended::Well, Some(Bytes(4)), Bytes(0)));
    }
    let told = decisions(&log, Evictor::Coop, under(4)).list;
    assert!(
        told.iter()
            .all(|it| it.why == Why::Window && it.pool[0].name == "c")
    );
}

/// b and d are read and have to stay; between them are holes of 1 byte each.
#[test]
fn megengine_moves_what_has_to_stay() {
    let mut log = log(&[
        ("a", 1, 1, &[]),
        ("b", 1, 1, &[]),
        ("c", 1, 1, &[]),
        ("d", 1, 1, &[]),
        ("e", 2, 1, &[1, 3]),
    ]);
    log.events
        .splice(4..4, [Event::Release(0), Event::Release(2)]);
    let played = run(&log, Evictor::Megengine, under(4), None);
    assert_eq!((played.ended, played.moved), (Ended::Well, Bytes(2)));
    assert_eq!(at(&played), [0, 0, 2, 1, 2]);
    let played = run(&log, Evictor::Dte, under(4), None);
    assert_eq!(played.ended, Ended::OutOfMemory { call: 4 });
}

/// x is let go of while y may need it, so that it is only dropped. It is computed again for y,
/// and goes for good when z, which alone needs y, does.
#[test]
fn megengine_frees_what_nothing_needs_any_more() {
    let mut log = log(&[
        ("x", 1, 1, &[]),
        ("y", 1, 1, &[0]),
        ("w", 3, 1, &[]),
        ("z", 1, 1, &[1]),
    ]);
    log.events = vec![
        Event::Call(0),
        Event::Call(1),
        Event::Release(0),
        Event::Call(2),
        Event::Release(2),
        Event::Call(3),
        Event::Release(1),
        Event::Release(3),
    ];
    let compute = |call, again| Act::Compute { call, again };
    let mut acts = vec![
        compute(0, false),
        compute(1, false),
        Act::Free(0),
        Act::Evict(1),
        compute(2, false),
        Act::Free(2),
        compute(0, true),
        compute(1, true),
        compute(3, false),
        Act::Free(1),
        Act::Free(3),
        Act::Free(0),
    ];
    let played = run(&log, Evictor::Megengine, under(3), None);
    assert_eq!(played.acts, acts);
    acts.pop();
    assert_eq!(run(&log, Evictor::Dte, under(3), None).acts, acts);
}

/// No two storages that are there overlap, and none goes beyond the device. What Coop evicts at
/// once has nothing in between that stays.
fn nothing_overlaps(evictor: Evictor, played: &Played, device: Option<u64>) {
    let mut there: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    let mut places = played.places.iter().peekable();
    let mut window: Vec<(u64, u64)> = Vec::new();
    let mut top = None;
    for (index, act) in played.acts.iter().enumerate() {
        let mut moved = false;
        while let Some(place) = places.next_if(|it| it.act == index) {
            let end = place.from.0 + played.storages[place.storage].0.0;
            top = top.max(Some(Bytes(end)));
            there.insert(place.storage, (place.from.0, end));
            moved = true;
        }
        let mut taken: Vec<_> = there.values().copied().collect();
        taken.sort_unstable();
        assert!(
            taken.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "{evictor:?}"
        );
        assert!(device.is_none_or(|end| taken.iter().all(|it| it.1 <= end)));
        let is_eviction = matches!(act, Act::Evict(_));
        if evictor == Evictor::Coop && (moved || !is_eviction) {
            let low = window.iter().map(|it| it.0).min().unwrap_or(0);
            let high = window.iter().map(|it| it.1).max().unwrap_or(0);
            let before = |it: &&(u64, u64)| it.0 < high && it.1 > low;
            // What has just been placed there is what it was evicted for.
            let stays = there.values().filter(before).count();
            assert!(window.is_empty() || stays <= 1, "{window:?} {there:?}");
            window.clear();
        }
        match act {
            Act::Evict(storage) | Act::Free(storage) => {
                let gone = there.remove(storage);
                window.extend(gone.filter(|_| is_eviction));
            }
            Act::Compute { .. } => {}
        }
    }
    assert_eq!(top, played.top);
}

#[test]
fn no_two_storages_overlap_at_any_time() {
    let mut random = Random::new(3);
    let mut ran = 0;
    for _ in 0..150 {
        let log = Log::from(&arbitrary(&mut random, 12));
        let least = log.minimum().0;
        for evictor in ADDRESSED {
            let played = run(&log, evictor, Limits::default(), None);
            assert_eq!((played.ended, played.again), (Ended::Well, 0));
            nothing_overlaps(evictor, &played, None);
            let most = played.peak.0;
            for budget in least..=most {
                let played = run(&log, evictor, under(budget), None);
                nothing_overlaps(evictor, &played, Some(budget));
                assert!(played.peak.0 <= budget);
                ran += u32::from(played.ended == Ended::Well);
            }
        }
    }
    for evictor in ADDRESSED {
        let played = run(&chain(60), evictor, under(20), None);
        assert_eq!(played.ended, Ended::Well);
        nothing_overlaps(evictor, &played, Some(20));
    }
    assert!(ran > 1000, "{ran}");
}

/// Real logs: of their memory without a budget nine tenths suffice, holes and all.
#[test]
fn real_logs_run_in_a_part_of_their_memory() {
    for (name, whole) in [
        ("unet.log.gz", 8_415_764_640),
        ("resnet32.log.gz", 10_061_179_152),
    ] {
        let Some((_, packed)) = files("data/dtr", name).into_iter().next() else {
            return;
        };
        let text = String::from_utf8(unpacked(&packed)).expect("text");
        let log = read(&text).expect("a log");
        for (evictor, tenths) in ADDRESSED.into_iter().flat_map(|it| [(it, 5), (it, 9)]) {
            let device = whole * tenths / 10;
            let limits = Limits {
                recompute: Some(log.base_cost()),
                ..under(device)
            };
            let played = run(&log, evictor, limits, None);
            nothing_overlaps(evictor, &played, Some(device));
            assert!(
                tenths == 5 || played.ended == Ended::Well,
                "{name} {evictor:?}"
            );
        }
    }
}
