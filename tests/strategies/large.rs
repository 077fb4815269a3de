//! Best and Skyline on problems of thousands of buffers: what they report of themselves, and how
//! soon. Counted in events, never in seconds.

use std::ops::ControlFlow;

use planner::trace::{Event, SearchStage};
use planner::{
    Bytes, Effort, Lifetimes, Observer, Offset, Options, Pause, Span, Strategy, check, plan,
};
use tests::lifetimes::of;
use tests::problems::cut_rectangle;
use tests::random::Random;

/// As many steps as buffers, each live for up to a share of them, so that no order meets the
/// bound.
fn crowd(count: u64, share: u64, pauses: bool) -> Lifetimes {
    let mut random = Random::new(1);
    let mut lifetimes = of((0..count).map(|_| {
        let (start, steps) = (random.below(count), 3 + random.below(count / share));
        (1 + random.below(100_000), Span::new(start, start + steps))
    }));
    let wide = lifetimes.buffers.iter_mut().step_by(3);
    for buffer in wide.filter(|_| pauses) {
        let start = buffer.span.start.0;
        buffer.pauses = vec![Pause {
            span: Span::new(start + 1, start + 2),
            window: None,
        }];
    }
    lifetimes
}

fn options(nodes: u64, moves: u64) -> Options {
    let effort = Effort { nodes, moves };
    Options {
        effort,
        ..Options::aligned(Bytes(1))
    }
}

/// What was reported, and the number of events before the first whole plan.
#[derive(Default)]
struct Observed {
    events: u64,
    first: Option<u64>,
    attempts: u64,
    /// Each stage with what was reported of its progress.
    stages: Vec<(SearchStage, Vec<(u64, u64)>)>,
    left: Option<u64>,
    incumbent: Option<(Vec<Offset>, Bytes)>,
}

impl Observer for Observed {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::SearchStage { stage } => self.stages.push((stage, Vec::new())),
            Event::Progress { done, total } => {
                let stage = self
                    .stages
                    .last_mut()
                    .expect("a stage begins before it goes on");
                stage.1.push((done, total));
            }
            Event::Attempt { .. } => self.attempts += 1,
            Event::Incumbent { .. } => self.first = self.first.or(Some(self.attempts)),
            _ => {}
        }
        self.events += 1;
        match self.left {
            Some(left) if self.events > left => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        self.incumbent = Some((offsets.to_vec(), arena));
    }
}

fn observed_in(lifetimes: &Lifetimes, options: &Options) -> Observed {
    let mut observed = Observed::default();
    let made = plan(Strategy::Best, lifetimes, options, &mut observed).expect("a plan");
    assert_eq!(check(lifetimes, &made, options), []);
    assert_eq!(observed.incumbent, Some((made.offsets, made.arena)));
    observed
}

#[test]
fn the_first_order_already_gives_a_plan() {
    for pauses in [false, true] {
        let observed = observed_in(&crowd(1_200, 10, pauses), &options(0, 0));
        assert_eq!(observed.first, Some(1), "told within the first attempt");
        assert!(observed.attempts > 13, "{}", observed.attempts);
    }
}

/// Every stage begins at nothing, never goes back, never says it is done while it goes on, and
/// its total stays what it is.
#[test]
fn progress_is_that_of_the_stage() {
    let lifetimes = cut_rectangle(300, 300, 1_200, 1_024, 1_024).lifetimes;
    let observed = observed_in(&lifetimes, &options(32_000, 2_000));
    let stages: Vec<SearchStage> = observed.stages.iter().map(|it| it.0).collect();
    let all = [
        SearchStage::Orders,
        SearchStage::Passes,
        SearchStage::Proof,
        SearchStage::Moves,
        SearchStage::Proof,
    ];
    assert_eq!(stages, all);
    for (stage, reports) in &observed.stages {
        let (first, last) = (reports[0], reports[reports.len() - 1]);
        // A proof begins with its first node.
        assert!(first.0 <= 1, "{stage:?} begins with {first:?}");
        assert!(reports.is_sorted(), "{stage:?}: {reports:?}");
        let same = |it: &(u64, u64)| it.1 == first.1 && it.0 <= it.1;
        assert!(reports.iter().all(same), "{stage:?}: {reports:?}");
        assert!(
            reports[reports.len() / 2].0 < first.1,
            "{stage:?}: {reports:?}"
        );
        if matches!(stage, SearchStage::Passes | SearchStage::Moves) {
            assert!(last.0 * 10 >= last.1 * 8, "{stage:?} ends with {last:?}");
        }
    }
    let totals = observed.stages.iter().map(|it| it.1[0].1);
    let totals: Vec<u64> = totals.collect();
    // Every buffer in 13 orders and by 6 strategies; a share of the nodes; the moves; of so few
    // nodes all that are left.
    let count = lifetimes.buffers.len() as u64;
    assert_eq!(totals, [13 * count, 6 * count, 2_000, 2_000, 30_000]);
}

/// Between two words there is little work: some hundred buffers by the index, a share of one
/// order by pairs, some dozen moves.
#[test]
fn somebody_who_says_stop_is_soon_heard() {
    for pauses in [false, true] {
        let observed = observed_in(&crowd(1_200, 10, pauses), &options(0, 2_000));
        for (stage, reports) in &observed.stages {
            let most = match stage {
                SearchStage::Orders => 1_200,
                SearchStage::Passes => 64,
                SearchStage::Proof => continue,
                SearchStage::Moves => 80,
            };
            let steps = reports.windows(2).map(|pair| pair[1].0 - pair[0].0);
            let widest = steps.max().expect("more than one");
            // Attempts that are given up count as made.
            let ends = u64::from(*stage == SearchStage::Passes) * 64;
            assert!(widest <= most + ends, "{stage:?}: {widest}");
        }
    }
    let count = 20_000;
    let mut observed = Observed {
        left: Some(30),
        ..Observed::default()
    };
    let lifetimes = crowd(count, 10, false);
    plan(Strategy::Best, &lifetimes, &options(0, 0), &mut observed).expect("a plan");
    let orders = &observed.stages[0].1;
    let first = orders.iter().filter(|it| it.0 < count).count();
    assert!(first >= 18, "{first} words while the first order is placed");
}

/// Stopped at any of some moments, it has the best plan that it has reported.
#[test]
fn stopped_anywhere_it_has_the_best_so_far() {
    let lifetimes = crowd(200, 3, true);
    let options = options(0, 200);
    let events = observed_in(&lifetimes, &options).events;
    for left in (0..events).step_by(usize::try_from(events / 9).expect("few")) {
        let mut observed = Observed {
            left: Some(left),
            ..Observed::default()
        };
        let made = plan(Strategy::Best, &lifetimes, &options, &mut observed).ok();
        let made = made.map(|made| (made.offsets, made.arena));
        assert_eq!(made, observed.incumbent, "after {left} of {events}");
    }
}

/// A search that could make a few moves only is not begun: one order alone would take longer
/// than all that was asked for.
#[test]
fn a_search_beyond_its_budget_is_not_begun() {
    let lifetimes = crowd(3_000, 10, false);
    let searched = |moves| {
        let observed = observed_in(&lifetimes, &options(0, moves));
        observed.stages.iter().any(|it| it.0 == SearchStage::Moves)
    };
    // 3,000 blocks × (47 chunks + about 300 conflicts), and 16 times that, in units of 2^15:
    // some 500.
    assert!(!searched(300));
    assert!(searched(900));
}
