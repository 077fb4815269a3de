//! Why a plan is larger than a bound, by hand.

mod painted;
mod properties;

use planner::space::{Blocker, HOLES_LISTED, Hole, Loss, Why, loss};
use planner::{
    Bytes, Handover, Lifetimes, Offset, Options, Pause, Plan, Pools, Span, Step, Strategy, check,
};
use tests::judged::judged;
use tests::lifetimes::problem;

const ONE: Bytes = Bytes(1);

fn at(offsets: &[u64], arena: u64) -> Plan {
    Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(arena),
        ..Plan::default()
    }
}

fn found(lifetimes: &Lifetimes, plan: &Plan, bound: u64) -> Loss {
    assert_eq!(check(lifetimes, plan, &Options::aligned(ONE)), []);
    loss(lifetimes, plan, Bytes(bound), ONE).expect("larger than the bound")
}

fn range(hole: &Hole) -> (u64, u64) {
    (hole.low.0, hole.high.0)
}

fn blocker(buffer: usize, why: Why, start: u64, end: u64) -> Option<Blocker> {
    let span = Span::new(start, end);
    Some(Blocker { buffer, why, span })
}

/// 100, 80 and 60 bytes, each live with the next. XNNPACK never looks below the lowest block,
/// so the third goes onto the second: 240 B, while the first is gone and leaves 100 B.
#[test]
fn the_leading_gap() {
    let lifetimes = problem(&[(100, 0, 2), (80, 1, 3), (60, 2, 4)]);
    let plan = judged(Strategy::Xnnpack, &lifetimes, &Options::aligned(ONE));
    assert_eq!(plan.arena, Bytes(240));
    let loss = found(&lifetimes, &plan, 180);
    assert_eq!((loss.step, loss.bytes), (Step(2), Bytes(60)));
    assert_eq!((loss.top.as_slice(), loss.reaching), (&[2][..], 1));
    // The second and the third are live, and no plan has to fill the 40 B that are less than
    // the 180 B of step 1: 60 = 100 + 0 - 40.
    assert_eq!((loss.held, loss.live), (Bytes(140), Bytes(140)));
    assert_eq!(
        (loss.empty(), loss.apart(), loss.idle()),
        (Bytes(100), 0, 40)
    );
    let expected = Hole {
        low: Offset(0),
        high: Offset(100),
        span: Span::new(2, 4),
        below: None,
        above: Some(1),
        before: Some(0),
        after: None,
        because: blocker(0, Why::Under, 1, 2),
        fits: Some(2),
    };
    assert_eq!((loss.holes, loss.more), (vec![expected], 0));
}

/// 100 B may be written over by 80 B, which 60 B follow.
fn handed() -> Lifetimes {
    let mut made = problem(&[(100, 0, 2), (80, 1, 3), (60, 2, 4)]);
    made.handovers.push(Handover {
        before: 0,
        after: 1,
        shift: Bytes::ZERO,
    });
    made
}

#[test]
fn shared_bytes_count_once() {
    // Written over: at step 2 there are 80 B, a hole of 60 B for no reason, and 60 B.
    let loss = found(&handed(), &at(&[0, 0, 140], 200), 140);
    assert_eq!(
        (loss.step, loss.bytes, loss.held),
        (Step(2), Bytes(60), Bytes(140))
    );
    assert_eq!((loss.empty(), loss.apart(), loss.idle()), (Bytes(60), 0, 0));
    let hole = loss.holes[0];
    assert_eq!(
        (range(&hole), hole.below, hole.above),
        ((80, 140), Some(1), Some(2))
    );
    // Before it 100 B lay there; above them nothing keeps the 60 B up.
    assert_eq!(
        (hole.before, hole.because, hole.fits),
        (Some(0), None, Some(2))
    );
}

#[test]
fn bytes_that_could_be_shared_are_apart() {
    let mut made = handed();
    made.buffers.pop();
    made.horizon = Step(3);
    let loss = found(&made, &at(&[0, 100], 180), 100);
    assert_eq!(
        (loss.step, loss.bytes, loss.holes.len()),
        (Step(1), Bytes(80), 0)
    );
    assert_eq!((loss.empty(), loss.apart(), loss.idle()), (Bytes(0), 80, 0));
    // Both lie on air, and only together could they come down.
    let loss = found(&made, &at(&[50, 50], 150), 100);
    assert_eq!((loss.step, loss.top.as_slice()), (Step(0), &[0][..]));
    assert_eq!(loss.holes[0].because, blocker(1, Why::Shared, 1, 2));
}

#[test]
fn alignment_leaves_holes() {
    let lifetimes = problem(&[(100, 0, 2), (60, 1, 3)]);
    let plan = at(&[0, 128], 188);
    let loss = loss(&lifetimes, &plan, Bytes(160), Bytes(64)).expect("larger");
    assert_eq!(
        (loss.step, loss.bytes, loss.idle()),
        (Step(1), Bytes(28), 0)
    );
    let hole = loss.holes[0];
    assert_eq!(
        (range(&hole), hole.below, hole.above),
        ((100, 128), Some(0), Some(1))
    );
    assert_eq!(hole.because, blocker(0, Why::Alignment, 1, 2));
    // At any address it could lie lower, and at a step where the first is gone at the floor.
    let free = found(&lifetimes, &plan, 160);
    assert_eq!(free.holes[0].because, None);
}

#[test]
fn pauses_fixed_addresses_and_objects() {
    let options = Options::aligned(ONE);
    // It needs its upper half alone at step 1, at which 50 B lie on it.
    let mut paused = problem(&[(100, 0, 3), (50, 1, 2)]);
    paused.buffers[0].pauses.push(Pause {
        span: Span::new(1, 2),
        window: Some((Bytes(50), Bytes(100))),
    });
    let loss = found(&paused, &at(&[0, 100], 150), 100);
    assert_eq!((loss.step, range(&loss.holes[0])), (Step(1), (0, 50)));
    assert_eq!(loss.holes[0].because, blocker(0, Why::Itself, 0, 3));
    assert_eq!(
        (loss.empty(), loss.idle(), loss.holes[0].fits),
        (Bytes(50), 0, Some(1))
    );
    let mut fixed = problem(&[(100, 0, 2)]);
    fixed.buffers[0].fixed = Some(Offset(30));
    let loss = found(&fixed, &at(&[30], 130), 100);
    assert_eq!(loss.holes[0].because, blocker(0, Why::Fixed, 0, 2));
    assert_eq!(loss.holes[0].fits, None);
    // The object of 100 B takes 10 B at step 1, so that 80 B need an object of their own.
    let shared = problem(&[(100, 0, 1), (10, 1, 2), (80, 1, 2)]);
    for (strategy, arena, holes, low) in [
        (Strategy::GreedyInOrder, 180, 90, 10),
        (Strategy::Naive, 190, 100, 0),
    ] {
        let plan = judged(strategy, &shared, &options);
        assert_eq!(plan.arena, Bytes(arena));
        let loss = found(&shared, &plan, 100);
        assert_eq!((loss.empty(), loss.idle()), (Bytes(holes), 10));
        assert_eq!(range(&loss.holes[0]), (low, 100));
        assert_eq!(loss.holes[0].because, blocker(0, Why::Object, 0, 1));
    }
}

#[test]
fn nothing_is_lost() {
    let lifetimes = problem(&[(100, 0, 2), (80, 1, 3)]);
    let plan = at(&[0, 100], 180);
    let of = |plan: &Plan, bound| loss(&lifetimes, plan, Bytes(bound), ONE);
    assert!(of(&plan, 180).is_none() && of(&plan, 181).is_none());
    assert!(of(&plan, 179).is_some());
    let pools = |bases: &[u64]| Plan {
        pools: Some(Pools {
            bases: bases.iter().copied().map(Offset).collect(),
            ..Pools::default()
        }),
        ..plan.clone()
    };
    assert!(of(&pools(&[0]), 179).is_some());
    assert!(of(&pools(&[0, 100]), 179).is_none());
    assert!(loss(&Lifetimes::default(), &at(&[], 9), Bytes(1), ONE).is_none());
}

/// 100 buffers live together, the one with number n on a hole of n bytes but for the first.
#[test]
fn the_largest_holes_are_listed() {
    let made = problem(&[(1, 0, 1); 100]);
    let mut offsets = vec![0];
    for hole in 1..100 {
        offsets.push(offsets[offsets.len() - 1] + 1 + hole);
    }
    let loss = found(&made, &at(&offsets, offsets[99] + 1), 100);
    assert_eq!(loss.bytes, Bytes(99 * 100 / 2));
    assert_eq!((loss.holes.len(), loss.more), (HOLES_LISTED, 35));
    assert_eq!(loss.more_bytes, Bytes(35 * 36 / 2));
    assert_eq!(loss.holes[0].height(), Bytes(36));
    assert!(loss.holes.is_sorted_by_key(|hole| hole.low));
    assert_eq!(loss.largest_first()[0].height(), Bytes(99));
    let listed: u64 = loss.holes.iter().map(|hole| hole.height().0).sum();
    assert_eq!(Bytes(listed + loss.more_bytes.0), loss.empty());
}
