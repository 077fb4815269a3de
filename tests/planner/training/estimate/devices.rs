//! Which devices a step fits into: what is said to fit is met request by request, and what is
//! missing is missing.

use crate::training::autograd::AUTOGRAD;
use planner::training::estimate::replayed::replay;
use planner::training::estimate::requests::requests;
use planner::training::estimate::{
    Allocator, Asked, Estimate, Fit, Remedy, Verdict, answer, estimate,
};
use planner::training::{Policy, Recipe, choice};
use planner::{AllocatorSettings, Bytes, Strategy};
use tests::networks;

use super::{asked, graph, schedule};

const MIB: u64 = 1 << 20;

fn one(graph: &planner::graph::Graph, asked: &Asked, bytes: u64) -> Verdict {
    let device = [("it".to_owned(), Bytes(bytes))];
    let found = answer(graph, asked, &device, &mut |_, _| true);
    let found = found.expect("a verdict").fits;
    let [
        Fit {
            verdict, memory, ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!(memory.0, bytes);
    verdict.clone()
}

/// What comes of a remedy in so many bytes.
fn under(
    graph: &planner::graph::Graph,
    asked: &Asked,
    remedy: Option<Remedy>,
    bytes: u64,
) -> Estimate {
    let mut asked = *asked;
    let mut settings = AllocatorSettings::DEFAULT;
    if let Some(remedy) = remedy {
        asked.training.recipe.set_to_none |= remedy.set_to_none;
        settings = remedy.settings.unwrap_or(settings);
    }
    let requests = requests(&schedule(graph, &asked), &asked);
    replay(&requests, settings, Some(Bytes(bytes)))
}

/// Everything there is for a batch of 8 by PyTorch's rule.
#[test]
fn verdicts_are_met_request_by_request() {
    let graph = graph(&networks::mobilenet_v2(), &[]);
    let mut asked = asked(Policy::KeepAll, AUTOGRAD);
    asked.training = choice::of(Policy::KeepAll, 8, None, AUTOGRAD);
    asked.context = Some(Bytes(10 * MIB));
    let free = estimate(&graph, &asked, &mut |_, _| true).expect("an estimate");
    assert_eq!(one(&graph, &asked, free.total().0), Verdict::Fits);
    let (mut with, mut missing) = (0, 0);
    // From what is allocated at most down, and up to what is reserved.
    let low = free.peak.allocated.0 * 9 / 10;
    for part in 0..=12 {
        let memory = low + (free.total().0 - low) * part / 12;
        let room = memory - 10 * MIB;
        let case = format!("{memory} of {}", free.total().0);
        let own = under(&graph, &asked, None, room).failed;
        match one(&graph, &asked, memory) {
            Verdict::Fits => assert_eq!(own, 0, "{case}"),
            Verdict::FitsWith(remedies) => {
                assert_ne!(own, 0, "{case}");
                for remedy in remedies {
                    let found = under(&graph, &asked, Some(remedy), room);
                    assert_eq!(found.failed, 0, "{case}: {remedy:?}");
                    assert!(found.reserved.0 <= room);
                }
                with += 1;
            }
            Verdict::TooSmall { missing: by, with } => {
                assert_ne!(own, 0, "{case}");
                let enough = under(&graph, &asked, with, room + by.0);
                assert_eq!(enough.failed, 0, "{case}: {by:?} {with:?}");
                // With a segment less it is not met, but where no less can be allocated.
                let bound = under(&graph, &asked, with, u64::MAX).peak.allocated.0;
                if room + by.0 > bound {
                    let less = under(&graph, &asked, with, room + by.0 - 2 * MIB);
                    assert_ne!(less.failed, 0, "{case}: {by:?} {with:?}");
                }
                missing += 1;
            }
        }
    }
    assert!(with > 0 && missing > 0, "{with} {missing}");
}

/// All but w is small: 2 MiB. Of w there are five in the update, 8 MiB each: itself, its gradient, two
/// moments, and the root of one. A segment of 20 MiB has two of them, so that it takes three; an
/// expandable one has all five in two pages of 20 MiB.
const WIDE: &str = "\
graph wide onnx 17
input x: f32[2, 1024]
const w: f32[1024, 2048]
y = MatMul(x, w)
output y
";

#[test]
fn expandable_segments_make_room() {
    let graph = graph(WIDE.as_bytes(), &[]);
    let adam = Recipe {
        optimizer: planner::training::Optimizer::Adam,
        ..AUTOGRAD
    };
    let asked = asked(Policy::KeepAll, adam);
    assert_eq!(one(&graph, &asked, 62 * MIB), Verdict::Fits);
    let expandable = |set_to_none| Remedy {
        settings: Some(AllocatorSettings {
            expandable: true,
            ..AllocatorSettings::DEFAULT
        }),
        set_to_none,
    };
    let with = Verdict::FitsWith([false, true].map(expandable).into());
    for memory in [61, 42] {
        assert_eq!(one(&graph, &asked, memory * MIB), with);
    }
    let missing = |missing: u64| Verdict::TooSmall {
        missing: Bytes(missing * MIB),
        with: Some(expandable(false)),
    };
    assert_eq!(one(&graph, &asked, 41 * MIB), missing(1));
    assert_eq!(one(&graph, &asked, 10 * MIB), missing(32));
    // A driver that takes more than there is.
    let context = Asked {
        context: Some(Bytes(30 * MIB)),
        ..asked
    };
    assert_eq!(one(&graph, &context, 10 * MIB), missing(62));
    assert_eq!(one(&graph, &context, 72 * MIB), with);
    assert_eq!(one(&graph, &context, 92 * MIB), Verdict::Fits);
}

/// Devices together have the verdicts that each has alone, but that what is found for one may be
/// less than what was found for another: the room that would be enough is then the same.
#[test]
fn what_is_missing_of_several_devices_leads_to_one_room() {
    let graph = graph(&networks::mobilenet_v2(), &[]);
    let mut asked = asked(Policy::KeepAll, AUTOGRAD);
    asked.training = choice::of(Policy::KeepAll, 8, None, AUTOGRAD);
    let free = estimate(&graph, &asked, &mut |_, _| true).expect("an estimate");
    let sizes = [1, 3, 2].map(|parts| free.peak.allocated.0 * parts / 4);
    let devices = sizes.map(|bytes| (bytes.to_string(), Bytes(bytes)));
    let found = answer(&graph, &asked, &devices, &mut |_, _| true).expect("an answer");
    let rooms = found.fits.iter().map(|it| match it.verdict {
        Verdict::TooSmall { missing, .. } => it.memory.0 + missing.0,
        _ => panic!("{it:?}"),
    });
    let rooms: Vec<u64> = rooms.collect();
    assert_eq!(rooms, [rooms[0]; 3]);
    assert!((free.peak.allocated.0 * 9 / 10..=free.reserved.0).contains(&rooms[0]));
}

/// What is planned in advance has no settings: the sum is there, or what is missing of it.
#[test]
fn a_plan_fits_or_does_not() {
    let graph = graph(super::by_hand::HAND.as_bytes(), &[]);
    let asked = Asked {
        by: Allocator::Planned(Strategy::OffsetsBySize),
        ..asked(Policy::KeepAll, AUTOGRAD)
    };
    let taken = estimate(&graph, &asked, &mut |_, _| true).expect("an estimate");
    let taken = taken.reserved.0;
    assert_eq!(one(&graph, &asked, taken), Verdict::Fits);
    let small = Verdict::TooSmall {
        missing: Bytes(7),
        with: None,
    };
    assert_eq!(one(&graph, &asked, taken - 7), small);
}
