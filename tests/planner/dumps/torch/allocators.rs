//! What other allocators would reserve for the requests of a snapshot, side by side.

use planner::advice::{AllocatorKind, AllocatorRow, Allocators, Change, Wish, allocators};
use planner::attribution::Attribution;
use planner::internals::probe::{Deed, held};
use planner::{
    AllocatorSettings, Buffer, Bytes, Lifetimes, Options, Silent, Strategy, Subject, bounds, plan,
};
use tests::lifetimes::{problem, scattered, skips};

use super::advised::{made, subject};

const SEEDS: [u64; 6] = [3, 8, 21, 34, 55, 89];
const MIB: u64 = 1 << 20;

fn row(all: &Allocators, kind: AllocatorKind) -> &AllocatorRow {
    let mut rows = all.rows.iter();
    rows.find(|row| row.kind == kind).expect("a row for each")
}

fn reserved(all: &Allocators, kind: AllocatorKind) -> Bytes {
    row(all, kind).reserved.expect("few requests")
}

/// The most bytes asked for at a step, by adding up all.
fn needed(lifetimes: &Lifetimes) -> u64 {
    let sums = (0..lifetimes.horizon.0).map(|step| {
        let live = lifetimes.buffers.iter();
        let live = live.filter(|it| it.span.start.0 <= step && step < it.span.end.0);
        live.map(|it| it.payload.0).sum::<u64>()
    });
    sums.max().unwrap_or_default()
}

/// PyTorch's own figure is that of the file, which is what the generator's books say; expandable
/// segments are what the advice says of them; no plan is below the bound, and STAlloc's is
/// none of fewer bytes than the best.
#[test]
fn a_snapshot_has_all_of_them() {
    for seed in SEEDS {
        let made = made(seed);
        let subject = subject(&made);
        let all = subject.allocators(&mut |_, _| {});
        let kinds: Vec<AllocatorKind> = all.rows.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, AllocatorKind::ALL);
        let books = &made.allocators[0].books;
        let most = books.lines.iter().map(|line| line.reserved).max();
        assert_eq!(Some(reserved(&all, AllocatorKind::AsItWas).0), most);
        assert_eq!(reserved(&all, AllocatorKind::Caching).0, most.unwrap_or(0));
        let advice = subject.advise(Bytes(1), &Wish::default(), &mut |_, _| {});
        let advice = advice.expect("a trace");
        let expandable = AllocatorSettings {
            expandable: true,
            ..AllocatorSettings::DEFAULT
        };
        let mut proposals = advice.proposals.iter();
        let found = proposals.find(|it| it.change == Change::Settings(expandable));
        let taken = found.expect("it is tried").outcome.taken;
        assert_eq!(reserved(&all, AllocatorKind::Expandable), taken);
        let needed = needed(&subject.lifetimes);
        let bound = reserved(&all, AllocatorKind::Bound);
        let best = reserved(&all, AllocatorKind::Best);
        assert!(bound <= best && best <= reserved(&all, AllocatorKind::Stalloc));
        for row in &all.rows {
            assert_eq!(row.needed.0, needed);
            let reserved = row.reserved.expect("few requests");
            assert!(reserved >= bound, "{row:?}");
            assert_eq!(row.utilisation(), Some(needed * 1000 / reserved.0));
        }
    }
}

/// STAlloc knows of the phases what the stacks and scopes tell, and never reserves more for it.
#[test]
fn phases_of_a_snapshot_are_for_stalloc() {
    let mut several = 0;
    for seed in SEEDS {
        let subject = subject(&made(seed));
        let Subject {
            lifetimes, notes, ..
        } = &subject;
        let said = Attribution::of(lifetimes, notes, &subject.stacks, &subject.scopes);
        let asked = lifetimes.buffers.iter().filter(|it| it.payload.0 > 0);
        let asked = asked.map(|it| Buffer::new(it.name.clone(), it.payload.0, it.span));
        let mut requests = Lifetimes::of(asked);
        requests.horizon = lifetimes.horizon;
        let arena = |requests: &Lifetimes| {
            let made = plan(
                Strategy::Stalloc,
                requests,
                &Options::aligned(Bytes(1)),
                &mut Silent,
            );
            Bytes(made.expect("a plan").arena.0.next_multiple_of(512))
        };
        let without = arena(&requests);
        requests.phases = said.phase_starts(lifetimes);
        several += u32::from(requests.phases.len() > 2);
        let row = reserved(&subject.allocators(&mut |_, _| {}), AllocatorKind::Stalloc);
        assert_eq!(row, arena(&requests));
        assert!(row <= without, "seed {seed}");
    }
    assert!(several > 0, "no snapshot shows its phases");
}

/// The requests of a snapshot on one stream: those that end at a step before those that start.
fn deeds(subject: &Subject, times: u64) -> Vec<Deed> {
    let buffers = subject.lifetimes.buffers.iter().enumerate();
    let asked = buffers.filter(|(_, it)| !it.span.is_empty());
    let mut events: Vec<(u64, bool, usize)> = asked
        .flat_map(|(index, it)| {
            [
                (it.span.start.0, true, index),
                (it.span.end.0, false, index),
            ]
        })
        .collect();
    events.sort_unstable();
    let mut numbers = vec![0; subject.lifetimes.buffers.len()];
    let mut count = 0;
    let deed = |(_, begins, index): (u64, bool, usize)| {
        if !begins {
            return Deed::GiveBack(numbers[index]);
        }
        numbers[index] = count;
        count += 1;
        // As GMLake rounds them.
        let bytes = subject.lifetimes.buffers[index].payload.0 * times;
        Deed::Ask(match bytes > MIB {
            true => bytes.next_multiple_of(2 * MIB),
            false => bytes,
        })
    };
    events.into_iter().map(deed).collect()
}

/// GMLake against the caching allocator that is asked for as many bytes as GMLake makes of them: on
/// snapshots it is never worse, and where requests are 64 times as large, so that some reach its
/// limit, it is better.
#[test]
fn stitching_reserves_no_more_on_snapshots() {
    let most = |least, deeds: &[Deed]| {
        let after = held(least, deeds);
        after.iter().map(|it| it.reserved).max().unwrap_or(0)
    };
    let mut better = 0;
    for seed in SEEDS {
        let subject = subject(&made(seed));
        for times in [1, 16, 64, 256] {
            let deeds = deeds(&subject, times);
            let stitched = most(Some(512 * MIB), &deeds);
            let plain = most(None, &deeds);
            assert!(
                stitched <= plain,
                "seed {seed}, {times} times: {stitched} > {plain}"
            );
            better += u32::from(stitched < plain);
        }
    }
    assert!(better > 0, "nothing was ever stitched");
}

/// Without a trace each is what the strategy of its name has.
#[test]
fn lifetimes_alone_are_served_as_by_the_strategies() {
    for seed in 0..6 {
        for lifetimes in [
            scattered(seed, 120, 60, 3 * MIB),
            scattered(seed, 80, 40, 1500 * MIB),
            skips(seed, 100, 3, 20, 30 * MIB),
        ] {
            let mut told = Vec::new();
            let all = allocators(&lifetimes, None, &mut |done, total| {
                told.push((done, total));
            });
            assert_eq!(all.requests, lifetimes.buffers.len() as u64);
            assert_eq!(all.rows.len(), AllocatorKind::ALL.len() - 1);
            let total = all.rows.len() as u64;
            assert_eq!(told, (0..=total).map(|it| (it, total)).collect::<Vec<_>>());
            let made = |strategy| {
                let options = Options::aligned(Bytes(1));
                plan(strategy, &lifetimes, &options, &mut Silent).expect("a plan")
            };
            for (kind, strategy) in [
                (AllocatorKind::Caching, Strategy::PytorchCaching),
                (AllocatorKind::Gmlake, Strategy::Gmlake),
            ] {
                assert_eq!(
                    row(&all, kind).reserved,
                    made(strategy).reserved,
                    "{strategy}"
                );
            }
            for (kind, strategy, block) in [
                (AllocatorKind::Tlsf, Strategy::Tlsf, 256),
                (AllocatorKind::Stalloc, Strategy::Stalloc, 512),
            ] {
                let arena = made(strategy).arena.0.next_multiple_of(block);
                assert_eq!(reserved(&all, kind), Bytes(arena), "{strategy}");
            }
            let bound = bounds::bounds(&lifetimes).offsets;
            assert_eq!(reserved(&all, AllocatorKind::Bound), bound);
        }
    }
}

/// By hand, in MiB: 6 and 8 are there, then 8 and 12, which are 20 at most.
#[test]
fn a_few_requests_by_hand() {
    let sizes = [(6 * MIB, 0, 1), (8 * MIB, 0, 2), (12 * MIB, 1, 2)];
    let all = allocators(&problem(&sizes), None, &mut |_, _| {});
    let figures: Vec<(AllocatorKind, u64, Option<u64>)> = all
        .rows
        .iter()
        .map(|it| (it.kind, it.reserved.expect("few").0 / MIB, it.utilisation()))
        .collect();
    let expected = [
        // 20 MiB for both of the first; 6 + 6 lie apart when 12 are asked for.
        (AllocatorKind::Caching, 32, Some(625)),
        // 14 to 26 in pages of 20 MiB.
        (AllocatorKind::Expandable, 40, Some(500)),
        (AllocatorKind::Gmlake, 32, Some(625)),
        (AllocatorKind::Tlsf, 26, Some(769)),
        // 12 has a layer, 8 another; 6 ends right before 12 is asked for, which is in its way.
        (AllocatorKind::Stalloc, 26, Some(769)),
        (AllocatorKind::Best, 20, Some(1000)),
        (AllocatorKind::Bound, 20, Some(1000)),
    ];
    assert_eq!(figures, expected);
}

/// Too many to search are said to be.
#[test]
fn what_takes_too_long_is_said() {
    let many = scattered(1, 2001, 900, 5000);
    let all = allocators(&many, None, &mut |_, _| {});
    let best = row(&all, AllocatorKind::Best);
    assert_eq!((best.reserved, best.utilisation()), (None, None));
    let why = best.unknown.as_ref().expect("a sentence").to_string();
    assert_eq!(
        why,
        "more than 2000 requests are too many to search for a plan"
    );
    let others = all.rows.iter().filter(|it| it.kind != AllocatorKind::Best);
    assert!(
        others
            .clone()
            .all(|it| it.reserved.is_some() && it.unknown.is_none())
    );
}
