//! Arbitrary lifetimes and the samples under several strategies: the bytes add up, and every hole
//! is what is painted.

use planner::load::load;
use planner::space::{HOLES_LISTED, loss};
use planner::{
    Buffer, Bytes, Effort, Offset, Options, Plan, Settings, Silent, Strategy, bounds, check, plan,
    prepare, profile,
};
use proptest::prelude::{ProptestConfig, any, proptest};
use tests::arbitrary::{Shape, lifetimes};
use tests::random::Random;
use tests::samples::samples;

use super::painted::Painted;

const STRATEGIES: [Strategy; 7] = [
    Strategy::Naive,
    Strategy::GreedyInOrder,
    Strategy::OffsetsInOrder,
    Strategy::OffsetsBySize,
    Strategy::Xnnpack,
    Strategy::TflmGreedy,
    Strategy::StripBestFit,
];

/// Judges what is lost by each strategy on arbitrary lifetimes of a kind, and counts it: how
/// often each reason is given, and in how many plans.
fn judged(random: &mut Random, kind: u64) -> (u64, [u64; 6]) {
    let some = |it| if kind == it { 40 } else { 0 };
    let shape = Shape {
        buffers: 1 + random.below(12),
        steps: 1 + random.below(10),
        size: 2 + random.below(40),
        alignments: random.below(2) * 5,
        pauses: some(1),
        handovers: some(2) * 2,
        fixed: some(3) / 4,
        ..Shape::default()
    };
    let made = lifetimes(random, shape);
    let alignment = [1, 1, 4, 12][random.index(4)];
    let options = Options::aligned(Bytes(alignment));
    let bounds = bounds::aligned(&made, options.alignment);
    let (mut plans, mut reasons) = (0, [0; 6]);
    for strategy in STRATEGIES {
        // Fixed addresses may be in each other's way.
        let Ok(plan) = plan(strategy, &made, &options, &mut Silent) else {
            continue;
        };
        assert_eq!(check(&made, &plan, &options), []);
        let found = loss(&made, &plan, bounds.offsets, options.alignment);
        // An arena of nothing but empty lives is not explained.
        let any = made.buffers.iter().any(Buffer::is_needed);
        assert_eq!(found.is_some(), any && plan.arena > bounds.offsets);
        let Some(loss) = found else { continue };
        Painted::new(&made, &plan, alignment).judge(&loss);
        plans += 1;
        for blocker in loss.holes.iter().filter_map(|hole| hole.because) {
            reasons[blocker.why as usize] += 1;
        }
    }
    (plans, reasons)
}

#[test]
fn every_reason_is_found() {
    let mut random = Random::new(0x1057);
    let (mut plans, mut reasons) = (0, [0; 6]);
    for round in 0..240 {
        let found = judged(&mut random, round % 4);
        plans += found.0;
        for (sum, more) in reasons.iter_mut().zip(found.1) {
            *sum += more;
        }
    }
    assert!(plans > 400, "{plans} plans");
    assert!(reasons.iter().all(|count| *count > 3), "{reasons:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn every_hole_is_what_is_painted(seed in any::<u64>(), kind in 0_u64..4) {
        judged(&mut Random::new(seed), kind);
    }

    /// The bytes add up for any offsets, buffers over each other among them, and any bound.
    #[test]
    fn bytes_add_up_whatever_the_plan(seed in any::<u64>(), kind in 0_u64..4) {
        let mut random = Random::new(seed);
        let made = lifetimes(&mut random, Shape {
            buffers: 1 + seed % 12,
            steps: 8,
            size: 40,
            pauses: 20 * (kind % 2),
            handovers: 40 * (kind / 2),
            ..Shape::default()
        });
        let offsets = made.buffers.iter().map(|_| Offset(random.below(90)));
        let plan = Plan {
            offsets: offsets.collect(),
            arena: Bytes(random.below(140)),
            ..Plan::default()
        };
        let bound = random.below(140);
        if let Some(loss) = loss(&made, &plan, Bytes(bound), Bytes(1)) {
            let holes: u64 = loss.holes.iter().map(|hole| hole.height().0).sum();
            assert_eq!((loss.empty().0, loss.more), (holes, 0));
            let sum = i128::from(holes) + loss.apart() - loss.idle();
            assert_eq!(sum, i128::from(plan.arena.0) - i128::from(bound));
        }
    }
}

#[test]
fn the_samples_add_up() {
    let strategies = [
        Strategy::Naive,
        Strategy::GreedyBySize,
        Strategy::OffsetsInOrder,
        Strategy::Xnnpack,
        Strategy::TflmGreedy,
    ];
    let mut explained = 0;
    for sample in samples() {
        let (_, document, _) = load(&sample.bytes).expect("a sample");
        let settings = Settings::default();
        let subject = prepare(&document, &Default::default(), &settings).expect("a sample");
        let lifetimes = &subject.lifetimes;
        let options = Options {
            effort: Effort { nodes: 0, moves: 0 },
            ..Options::aligned(settings.alignment)
        };
        let bounds = bounds::aligned(lifetimes, settings.alignment);
        let made = strategies.map(|it| plan(it, lifetimes, &options, &mut Silent).expect("a plan"));
        for plan in made.iter().chain(&subject.deployed) {
            let Some(loss) = loss(lifetimes, plan, bounds.offsets, settings.alignment) else {
                assert!(plan.arena <= bounds.offsets, "{}", sample.file);
                continue;
            };
            let holes: u64 = loss.holes.iter().map(|hole| hole.height().0).sum();
            let sum = i128::from(holes + loss.more_bytes.0) + loss.apart() - loss.idle();
            let bytes = i128::from(plan.arena.0) - i128::from(bounds.offsets.0);
            assert_eq!((sum, i128::from(loss.bytes.0)), (bytes, bytes));
            assert!(loss.apart() >= 0 && loss.idle() >= 0 && !loss.top.is_empty());
            assert_eq!(loss.live, profile(lifetimes).at(loss.step));
            assert!(
                loss.holes.len() <= HOLES_LISTED && (loss.more == 0) == (loss.more_bytes.0 == 0)
            );
            explained += 1;
        }
    }
    assert!(explained > 20, "{explained} plans");
}
