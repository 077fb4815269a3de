//! The exact search where it leaves plans out: what it proves then, what it says, and that
//! its plan is no worse than what there is without it.

use planner::bounds::bounds;
use planner::internals::exact::Rules;
use planner::{
    Buffer, Bytes, Effort, Handover, Lifetimes, Options, Plan, Silent, Span, Strategy, Unsearched,
    plan,
};
use tests::arbitrary;
use tests::random::Random;

use super::exact::{optimum, options, paused, searched};

/// Far beyond what is searched: the plan of a heuristic, and the live bytes as its bound.
#[test]
fn what_is_too_large_is_not_searched() {
    let all = Span::new(0, 2);
    let buffers = (0..3_000).map(|index| Buffer::new(format!("b{index}"), 8, all));
    let lifetimes = Lifetimes::of(buffers);
    let outcome = searched(&lifetimes, &options(1, 1_000), Rules::ALL);
    assert_eq!((outcome.nodes, outcome.plan.arena), (0, Bytes(24_000)));
    assert_eq!(outcome.plan.proved, Some(Bytes(24_000)));
    assert_eq!(outcome.plan.unsearched, None, "optimal all the same");
    // Three buffers in a ring need the sum of all, and each step only two thirds of it.
    let ring = ring(4).buffers.into_iter();
    let lifetimes = Lifetimes::of(lifetimes.buffers.into_iter().chain(ring));
    let outcome = searched(&lifetimes, &options(1, 1_000), Rules::ALL);
    assert_eq!(outcome.plan.unsearched, Some(Unsearched::Large));
}

/// Three buffers of `size` in a ring of three steps: every two meet, so that they need three
/// times their size, and at each step only two are there.
fn ring(size: u64) -> Lifetimes {
    Lifetimes::of([
        paused("a", size, Span::new(0, 2), None),
        paused("b", size, Span::new(1, 3), None),
        paused("c", size, Span::new(0, 3), Some(Span::new(1, 2))),
    ])
}

/// The plan that best has before it searches: no nodes, no moves.
fn before_any_search(lifetimes: &Lifetimes, options: &Options) -> Plan {
    let options = Options {
        effort: Effort { nodes: 0, moves: 0 },
        ..options.clone()
    };
    plan(Strategy::Best, lifetimes, &options, &mut Silent).expect("a plan")
}

/// With handovers and with windows, too, the search goes down from the best plan that is
/// there without it, is never below what a search by hand finds, and where it claims an
/// optimum, that is it.
#[test]
fn what_is_not_searched_whole_is_planned_no_worse_than_by_best() {
    let shape = arbitrary::Shape {
        buffers: 4,
        steps: 5,
        size: 5,
        alignments: 2,
        pauses: 40,
        fixed: 10,
        ..arbitrary::Shape::default()
    };
    let mut random = Random::new(7);
    let (mut proved, mut handed, mut windowed) = (0, 0, 0);
    for turn in 0..400 {
        let handovers = if turn % 2 == 0 { 60 } else { 0 };
        let shape = arbitrary::Shape { handovers, ..shape };
        let lifetimes = arbitrary::lifetimes(&mut random, shape);
        let options = options(1, 100_000);
        let Some(least) = arbitrary::least_arena(&lifetimes, 1, 40) else {
            continue;
        };
        // What needs no memory lies in the arena all the same, at its address or at 0.
        let idle = lifetimes.buffers.iter().filter(|it| !it.is_needed());
        let ends = idle.map(|it| it.fixed.unwrap_or_default().0 + it.size.0);
        let least = ends.fold(least, u64::max);
        let plan = searched(&lifetimes, &options, Rules::ALL).plan;
        let best = before_any_search(&lifetimes, &options);
        assert!(plan.arena <= best.arena, "{lifetimes:?}");
        assert!(plan.arena.0 >= least, "{lifetimes:?}");
        match plan.unsearched {
            None => assert_eq!(plan.arena.0, least, "{lifetimes:?}"),
            Some(Unsearched::Handovers) => handed += 1,
            Some(Unsearched::Windows) => windowed += 1,
            Some(Unsearched::Large | Unsearched::Pools) => panic!("small, and one pool"),
        }
        let inside = |it: &Buffer| it.pauses.iter().any(|pause| pause.window.is_some());
        let settled = plan.unsearched.is_none() && plan.arena > bounds(&lifetimes).offsets;
        proved += u32::from(settled && lifetimes.buffers.iter().any(inside));
    }
    assert!(
        handed > 2 && windowed > 2 && proved > 2,
        "{handed} {windowed} {proved}"
    );
}

/// The ring of three needs 12 where 8 are live. A handover elsewhere leaves plans that the
/// search does not look at, so that it can no longer say so, and says why.
#[test]
fn with_hand_overs_only_the_bound_is_proved() {
    let options = options(1, 1_000_000);
    assert_eq!(optimum(&ring(4), &options, Rules::ALL), Bytes(12));
    let mut lifetimes = ring(4);
    let one = |name, start| Buffer::new(name, 1, Span::new(start, start + 2));
    lifetimes = Lifetimes::of(
        lifetimes
            .buffers
            .into_iter()
            .chain([one("d", 4), one("e", 5)]),
    );
    lifetimes.handovers.push(Handover {
        before: 3,
        after: 4,
        shift: Bytes::ZERO,
    });
    let plan = searched(&lifetimes, &options, Rules::ALL).plan;
    assert_eq!((plan.arena, plan.proved), (Bytes(12), Some(Bytes(8))));
    assert_eq!(plan.unsearched, Some(Unsearched::Handovers));
}
