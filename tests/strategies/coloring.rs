//! The five colourings of the interference graph.

use planner::bounds::bounds;
use planner::trace::{Reason, Refusal};
use planner::{Bytes, Lifetimes, Options, Plan, PlanError, Silent, Span, Strategy, plan};
use tests::judged::{self, judged};
use tests::lifetimes::{layered, of, problem, scattered, skips, tight};

const OPTIONS: Options = Options::aligned(Bytes(1));

const ALL: [Strategy; 5] = [
    Strategy::ColoringFirstUse,
    Strategy::ColoringBySize,
    Strategy::ColoringWelshPowell,
    Strategy::ColoringDsatur,
    Strategy::ColoringLeftEdge,
];

fn planned(strategy: Strategy, lifetimes: &Lifetimes) -> Plan {
    judged(strategy, lifetimes, &OPTIONS)
}

/// Object of each buffer, and size of each object.
fn objects(strategy: Strategy, lifetimes: &Lifetimes) -> (Vec<u32>, Vec<u64>) {
    judged::objects(&planned(strategy, lifetimes))
}

/// Steps 0 to 7, seven buffers:
///
/// ```text
/// b0 10 [0,2)   **......
/// b1 40 [0,4)   ****....
/// b2 20 [2,5)   ..***...
/// b3 40 [4,6)   ....**..
/// b4 30 [5,8)   .....***
/// b5  5 [6,8)   ......**
/// b6 50 [1,2)   .*......
/// ```
///
/// Conflicts: b0 b1 b6 · b1 b0 b2 b6 · b2 b1 b3 · b3 b2 b4 · b4 b3 b5 · b5 b4 · b6 b0 b1.
fn seven() -> Lifetimes {
    problem(&[
        (10, 0, 2),
        (40, 0, 4),
        (20, 2, 5),
        (40, 4, 6),
        (30, 5, 8),
        (5, 6, 8),
        (50, 1, 2),
    ])
}

/// Worked out by hand; numbers of objects below are written A B C.
#[test]
fn each_order_gives_its_own_objects() {
    // By start: b0 A, b1 B, b6 (A and B taken) C, b2 A, b3 B (A is b2's), b4 A, b5 B.
    let by_start = (vec![0, 1, 0, 1, 0, 1, 2], vec![30, 40, 50]);
    assert_eq!(objects(Strategy::ColoringFirstUse, &seven()), by_start);
    // One object after the other: A takes b0, b2, b4; B takes b1, b3, b5; C takes b6.
    assert_eq!(objects(Strategy::ColoringLeftEdge, &seven()), by_start);
    // By size: b6 A, b1 B, b3 A, b4 B, b2 C (b1 has B, b3 A), b0 C, b5 A.
    let by_size = (vec![2, 1, 2, 0, 1, 0, 0], vec![50, 40, 20]);
    assert_eq!(objects(Strategy::ColoringBySize, &seven()), by_size);
    // By conflicts: b1 (3) A; then those with 2: b0 B, b2 B, b3 A, b4 B, b6 C; b5 (1) A.
    let by_degree = (vec![1, 0, 1, 0, 1, 0, 2], vec![40, 30, 50]);
    assert_eq!(objects(Strategy::ColoringWelshPowell, &seven()), by_degree);
    // b1 (no colours around any, most conflicts) A. Around b0, b2, b6 is A now; two of
    // them keep one conflict without a colour, b0 (b6), b2 (b3) and b6 (b0): b0 first, B.
    // b6 sees A and B: C. b2 sees A: B. b3 sees B: A. b4 sees A: B. b5 sees B: A.
    let saturated = (vec![1, 0, 1, 0, 1, 0, 2], vec![40, 30, 50]);
    assert_eq!(objects(Strategy::ColoringDsatur, &seven()), saturated);
}

/// Where DSATUR needs fewer objects than Welsh and Powell, by hand: a path of conflicts,
/// b0 – b2 – b4 – b5 – b1 – b3, of which two are ever live at once.
///
/// ```text
/// b0 [0,1)  *.......
/// b1 [4,7)  ....***.
/// b2 [0,2)  **......
/// b3 [5,8)  .....***
/// b4 [1,3)  .**.....
/// b5 [2,5)  ..***...
/// ```
#[test]
fn dsatur_follows_the_colours_around() {
    let path = problem(&[
        (1, 0, 1),
        (1, 4, 7),
        (1, 0, 2),
        (1, 5, 8),
        (1, 1, 3),
        (1, 2, 5),
    ]);
    // Two conflicts each: b1 A, b2 A, b4 (b2 has A) B, b5 (b1 has A, b4 has B) C; then b0 and
    // b3 with one each: B.
    let by_degree = objects(Strategy::ColoringWelshPowell, &path);
    assert_eq!(by_degree.0, [1, 0, 0, 1, 1, 2]);
    // b1, the lowest index of most conflicts: A. b3 and b5 see A, and only b5 still has a
    // conflict without a colour: B. So on along the path: b4 A, b2 B; then b0 A and b3 B.
    let saturated = objects(Strategy::ColoringDsatur, &path);
    assert_eq!(saturated.0, [0, 0, 1, 1, 0, 1]);
}

/// The largest number of buffers that are live at one step.
fn most_live(lifetimes: &Lifetimes) -> usize {
    let live = |step| {
        let buffers = lifetimes.buffers.iter();
        buffers.filter(|b| b.span.contains(step)).count()
    };
    let starts = lifetimes.buffers.iter().map(|buffer| buffer.span.start);
    starts.map(live).max().unwrap_or(0)
}

fn problems() -> impl Iterator<Item = Lifetimes> {
    (0..12).flat_map(|seed| {
        [
            scattered(seed, 150, 60, 5000),
            skips(seed, 120, 3, 20, 1000),
            layered(seed, 8, 4, 4096),
            tight(seed, 100, 50, 4096),
        ]
    })
}

#[test]
fn numbers_of_objects_are_what_theory_says() {
    let mut more = 0;
    for lifetimes in problems() {
        let live = most_live(&lifetimes);
        for strategy in ALL {
            let made = planned(strategy, &lifetimes);
            assert!(made.arena >= bounds(&lifetimes).objects, "{strategy}");
            let count = made.objects.map_or(0, |objects| objects.sizes.len());
            match strategy {
                // By left ends an interval graph gets as few colours as there are.
                Strategy::ColoringFirstUse | Strategy::ColoringLeftEdge => {
                    assert_eq!(count, live, "{strategy}");
                }
                _ => assert!(count >= live, "{strategy}"),
            }
            more += usize::from(count > live);
        }
        assert_eq!(
            planned(Strategy::ColoringFirstUse, &lifetimes).offsets,
            planned(Strategy::ColoringLeftEdge, &lifetimes).offsets
        );
    }
    assert!(more > 0, "other orders do need more now and then");
}

/// The colour of each buffer as the definitions say, over materialised pairs.
fn slow_reference(strategy: Strategy, lifetimes: &Lifetimes) -> Vec<u32> {
    let buffers = &lifetimes.buffers;
    let all = 0..buffers.len();
    let conflicts: Vec<Vec<usize>> = all
        .clone()
        .map(|one| {
            let meets =
                |&other: &usize| other != one && buffers[one].span.overlaps(buffers[other].span);
            all.clone().filter(meets).collect()
        })
        .collect();
    let mut colors: Vec<Option<u32>> = vec![None; buffers.len()];
    for _ in all.clone() {
        let around = |one: usize| {
            let mut around: Vec<u32> = conflicts[one].iter().filter_map(|&o| colors[o]).collect();
            around.sort_unstable();
            around.dedup();
            around
        };
        let waiting = all.clone().rev().filter(|&one| colors[one].is_none());
        // The last of equals wins, and indices descend.
        let next = waiting.max_by_key(|&one| match strategy {
            Strategy::ColoringBySize => (buffers[one].size.0, 0),
            Strategy::ColoringWelshPowell => (conflicts[one].len() as u64, 0),
            _ => {
                let left = conflicts[one].iter().filter(|&&o| colors[o].is_none());
                (around(one).len() as u64, left.count())
            }
        });
        let one = next.expect("one is waiting");
        let around = around(one);
        colors[one] = (0..).find(|color| !around.contains(color));
    }
    colors.into_iter().flatten().collect()
}

#[test]
fn colours_are_those_over_materialised_pairs() {
    for lifetimes in problems() {
        for strategy in [
            Strategy::ColoringBySize,
            Strategy::ColoringWelshPowell,
            Strategy::ColoringDsatur,
        ] {
            let found = objects(strategy, &lifetimes).0;
            assert_eq!(found, slow_reference(strategy, &lifetimes), "{strategy}");
        }
    }
}

/// Every object below the one that a buffer gets is passed over first, because of a member
/// that is live at the same time.
#[test]
fn every_lower_object_is_busy() {
    for lifetimes in problems() {
        for strategy in ALL {
            let (made, trace) = judged::traced(strategy, &lifetimes, &OPTIONS);
            let (of_buffer, _) = judged::objects(&made);
            for (index, frame) in trace.frames().iter().enumerate() {
                let Some(buffer) = frame.outcome.buffer() else {
                    continue;
                };
                let passed = trace.reasons(index);
                for (lower, reason) in passed.iter().enumerate() {
                    let &Reason::Object {
                        object,
                        why: Refusal::Busy { by },
                    } = reason
                    else {
                        panic!("{strategy}: {reason:?}");
                    };
                    assert_eq!(object, lower, "{strategy}");
                    assert_eq!(of_buffer[by] as usize, object, "{strategy}");
                    let spans = [buffer, by].map(|index| lifetimes.buffers[index].span);
                    assert!(spans[0].overlaps(spans[1]), "{strategy}");
                }
                let all = passed.len() + frame.unlisted as usize;
                assert_eq!(of_buffer[buffer] as usize, all, "{strategy}");
            }
        }
    }
}

/// 30,000 buffers, each live with some ten others; and 40,000 that are all live at once,
/// which are 8 · 10^8 pairs: too many where pairs are looked at, easy where they are not.
#[test]
fn size_is_limited_by_conflicts() {
    let long = skips(1, 30_000, 3, 50, 1000);
    for strategy in ALL {
        planned(strategy, &long);
    }
    let crowd = of((0..40_000).map(|size| (size + 1, Span::new(0, 1))));
    for strategy in ALL {
        let made = plan(strategy, &crowd, &OPTIONS, &mut Silent);
        match strategy {
            Strategy::ColoringFirstUse | Strategy::ColoringLeftEdge => {
                assert_eq!(made.expect("a plan").arena, Bytes(40_000 * 40_001 / 2));
            }
            _ => {
                let refused = made.expect_err("too many pairs");
                tests::chinese::assert_told(&refused);
                assert!(
                    matches!(refused, PlanError::Unsupported { .. }),
                    "{refused}"
                );
            }
        }
    }
}
