//! What the worker reports while a search or a trace is still being made.

use planner::graph::Bindings;
use planner::trace::{Picture, SearchStage};
use planner::{Bytes, Effort, Settings, Strategy, passes};
use tests::lifetimes::{scattered, tight};
use tests::networks::blazeface;
use worker::{CaseId, Reply, Request};

use super::talk::{Talk, options, plan_with, trace_with};

#[test]
fn progress_is_told_at_most_every_tenth_of_a_second() {
    for (tick, reported) in [(0.0, false), (30.0, true)] {
        let mut talk = Talk::new(tick);
        talk.open(1, &blazeface());
        talk.prepared(2, Bindings::new());
        for strategy in Strategy::ALL {
            let before = talk.page.clock.get();
            let mut replies = talk.ask(&plan_with(3, strategy), &[]);
            let elapsed = talk.page.clock.get() - before;
            let last = replies.pop();
            assert!(matches!(last, Some(Reply::Planned { id: 3, .. })));
            assert_eq!(!replies.is_empty(), reported, "{strategy}");
            assert!(replies.len() as f64 * 100.0 <= elapsed, "{strategy}");
            for reply in replies {
                match reply {
                    Reply::Progress {
                        id: 3, done, total, ..
                    } => {
                        assert!(done <= total, "{strategy}: {done} of {total}");
                    }
                    Reply::Incumbent { id: 3, .. } => {}
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

/// The clock goes on by 1 ms whenever it is read: with each plan, and from time to time.
#[test]
fn a_search_shows_its_first_plan_at_once_and_names_its_stages() {
    let mut talk = Talk::new(1.0);
    let buffers = scattered(3, 900, 900, 1_000).buffers;
    let rows = buffers.iter().map(|it| {
        let (lower, upper) = (it.span.start.0, it.span.end.0);
        format!("{},{lower},{upper},{}\n", it.name, it.size.0)
    });
    let csv = format!("id,lower,upper,size\n{}", rows.collect::<String>());
    talk.open(1, &csv.into_bytes());
    talk.prepared(2, Bindings::new());
    let replies = talk.ask(&plan_with(3, Strategy::Best), &[]);
    let shown = replies.iter().filter_map(|reply| match reply {
        Reply::Incumbent { planned, .. } => Some(planned.ms),
        _ => None,
    });
    let shown: Vec<f64> = shown.collect();
    assert!(shown[0] <= 40.0, "{shown:?}");
    assert!(shown.windows(2).all(|two| two[1] - two[0] >= 200.0));
    let stages = replies.iter().filter_map(|reply| match reply {
        Reply::Progress { stage, .. } => Some(stage.expect("best has stages")),
        _ => None,
    });
    let mut stages: Vec<SearchStage> = stages.collect();
    stages.dedup();
    assert!(stages.contains(&SearchStage::Moves), "{stages:?}");
    // The exact search and other strategies come a second time; what is over at once is not reported.
    let mut all = [
        SearchStage::Orders,
        SearchStage::Passes,
        SearchStage::Proof,
        SearchStage::Moves,
        SearchStage::Proof,
        SearchStage::Passes,
    ]
    .into_iter();
    assert!(
        stages.iter().all(|it| all.any(|known| known == *it)),
        "{stages:?}"
    );
    let other = talk.ask(&plan_with(4, Strategy::OffsetsBySize), &[]);
    let unnamed = |reply: &Reply| matches!(reply, Reply::Progress { stage: None, .. });
    assert!(other.iter().any(unnamed));
}

#[test]
fn a_film_ends_with_the_plan() {
    let mut talk = Talk::new(30.0);
    talk.open(1, &blazeface());
    let prepared = talk.prepared(2, Bindings::new());
    let lifetimes = &prepared.subject.lifetimes;
    for strategy in [Strategy::OffsetsBySize, Strategy::GreedyByBreadth] {
        let plan = talk.planned(3, strategy).judged.plan;
        let mut replies = talk.ask(&trace_with(4, strategy), &[]);
        let Some(Reply::Trace {
            id: 4,
            trace: Ok(trace),
        }) = replies.pop()
        else {
            panic!("{strategy}: no film");
        };
        let trace = trace.open().expect("packed");
        let mut picture = Picture::new(lifetimes.buffers.len());
        picture.show(&trace, trace.frames().len());
        let layout = picture.layout(lifetimes, options().alignment);
        let offsets: Option<Vec<_>> = layout.offsets.into_iter().collect();
        assert_eq!(offsets, Some(plan.offsets), "{strategy}");
        let reported = |reply: &Reply| matches!(reply, Reply::Progress { id: 4, .. });
        assert!(
            !replies.is_empty() && replies.iter().all(reported),
            "{strategy}"
        );
        let reasons = (0..trace.frames().len()).map(|frame| trace.reasons(frame).len());
        assert!(
            reasons.sum::<usize>() > 0,
            "{strategy}: nothing was ever refused"
        );
    }
}

/// A rectangle cut into pieces is packed by search only, and better and better.
#[test]
fn plans_on_the_way_are_told_at_most_five_times_a_second() {
    let lifetimes = tight(3, 150, 120, 1 << 16);
    let rows = lifetimes.buffers.iter().map(|it| {
        let (start, end, size) = (it.span.start.0, it.span.end.0, it.size.0);
        format!("{},{start},{end},{size}\n", it.name)
    });
    let file = format!("id,lower,upper,size\n{}", rows.collect::<String>()).into_bytes();
    let mut reported = 0;
    for tick in [0.001, 5.0] {
        let mut talk = Talk::new(tick);
        talk.open(1, &file);
        talk.prepared(2, Bindings::new());
        let effort = Effort {
            nodes: 20_000,
            moves: 500,
        };
        for strategy in [Strategy::Best, Strategy::Exact] {
            let request = Request::Plan {
                case: CaseId(0),
                id: 3,
                strategy,
                pools: Vec::new(),
                effort,
            };
            let before = talk.page.clock.get();
            let mut replies = talk.ask(&request, &[]);
            let elapsed = talk.page.clock.get() - before;
            let Some(Reply::Planned { planned, .. }) = replies.pop() else {
                panic!("{strategy} ends with something else");
            };
            let last = planned.unwrap().judged.plan.arena;
            let on_the_way = replies.into_iter().filter_map(|reply| match reply {
                Reply::Incumbent { id: 3, planned } => Some(planned.judged),
                _ => None,
            });
            let judged: Vec<_> = on_the_way.collect();
            // The first is shown as soon as the strategy has taken 30 ms.
            let later = judged.len().saturating_sub(1);
            assert!(later as f64 * 200.0 <= elapsed, "{strategy}");
            assert!(elapsed > 30.0 || judged.is_empty(), "{strategy}");
            assert!(judged.iter().all(|judged| judged.violations.is_empty()));
            let arenas: Vec<Bytes> = judged.iter().map(|judged| judged.plan.arena).collect();
            assert!(arenas.is_sorted_by(|a, b| a > b), "{strategy}: {arenas:?}");
            assert!(arenas.iter().all(|arena| *arena >= last), "{strategy}");
            reported += arenas.len();
        }
    }
    assert!(reported > 0, "nothing was told on the way");
}

/// Branches that may run in any order: more orders than are all looked at.
fn branches() -> String {
    let branch = |index: usize| {
        let (b, s) = (index + 2, index % 5 + 1);
        format!("b{index} = Expand(x, [{b}, 4])\ns{index} = Slice(b{index}, [0], [{s}], [0])\n")
    };
    let branches: String = (0..14).map(branch).collect();
    let all: Vec<String> = (0..14).map(|index| format!("s{index}")).collect();
    let all = all.join(", ");
    format!(
        "graph branches onnx 17\ninput x: f32[1, 4]\n{branches}y = Concat({all}) axis=0\noutput y\n"
    )
}

#[test]
fn a_search_for_an_order_says_how_far_it_is() {
    let mut talk = Talk::new(30.0);
    talk.open(1, &branches().into_bytes());
    let prepare = |names: &str| Request::Prepare {
        id: 2,
        case: CaseId(0),
        bindings: Bindings::new(),
        settings: Settings {
            passes: passes::parse(names).expect("passes"),
            ..Settings::default()
        },
    };
    let mut replies = talk.ask(&prepare("order"), &[]);
    let last = replies.pop();
    let Some(Reply::Prepared {
        prepared: Ok(prepared),
        ..
    }) = last
    else {
        panic!("{last:?}");
    };
    let order = prepared
        .subject
        .reports
        .iter()
        .find_map(|report| report.order);
    let order = order.expect("an order was looked for");
    assert!(order.peak < order.before, "{order:?}");
    let told = replies.iter().map(|reply| match reply {
        Reply::Progress {
            id: 2, done, total, ..
        } => (*done, *total),
        other => panic!("{other:?}"),
    });
    let told: Vec<(u64, u64)> = told.collect();
    assert!(told.len() > 3, "{told:?}");
    assert!(told.iter().all(|(done, total)| done <= total), "{told:?}");
    assert!(told.windows(2).all(|two| two[0].0 <= two[1].0), "{told:?}");
    // Without an order there is nothing to wait for.
    assert_eq!(talk.ask(&prepare("fusion"), &[]).len(), 1);
}
