//! Best where its own orders leave something: the exact search before and after the local one.

use std::ops::ControlFlow;

use planner::trace::{Event, SearchStage};
use planner::{Bytes, Effort, Observer, Options, Strategy, check, plan};
use tests::judged::judged as planned;
use tests::problems::cut_rectangle;
use tests::shared;

/// What a search on the order does not find, a short exact search does, and proves it.
#[test]
fn a_short_exact_search_settles_what_is_left() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..12 {
        let known = cut_rectangle(seed, 40, 100, 100, 64);
        let searched = |nodes| {
            let effort = Effort { nodes, moves: 0 };
            let options = Options {
                effort,
                ..Options::aligned(Bytes(1))
            };
            let made = planned(Strategy::Best, &known.lifetimes, &options);
            assert!(made.proved.unwrap_or_default() <= made.arena);
            u32::from(made.arena.0 == known.capacity)
        };
        before += searched(0);
        after += searched(200_000);
    }
    assert!(after > before && after >= 9, "{before}, {after} of 12");
}

/// Arenas as they get smaller, each in the stage that found it.
#[derive(Default)]
struct Staged {
    stages: Vec<SearchStage>,
    arenas: Vec<(usize, u64)>,
}

impl Observer for Staged {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::SearchStage { stage } => self.stages.push(stage),
            Event::Incumbent { arena } => self.arenas.push((self.stages.len(), arena.0)),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Rectangles on which all else ends above the optimum, which is known because they are full: a
/// second, longer exact search meets it.
#[test]
fn a_longer_exact_search_settles_what_all_else_leaves() {
    for (seed, pieces) in [(17, 100), (0, 150), (7, 150)] {
        let known = cut_rectangle(seed, pieces, 4 * pieces as u64, 1024, 1024);
        let mut staged = Staged::default();
        let options = Options::aligned(Bytes(1));
        let made = plan(Strategy::Best, &known.lifetimes, &options, &mut staged);
        let made = made.expect("it can be planned");
        assert_eq!(check(&known.lifetimes, &made, &options), []);
        assert_eq!(made.arena, Bytes(known.capacity), "seed {seed}");
        let last = [SearchStage::Proof, SearchStage::Moves, SearchStage::Proof];
        assert!(staged.stages.ends_with(&last), "{:?}", staged.stages);
        let before = staged.arenas.iter().filter(|it| it.0 < staged.stages.len());
        let before = before.map(|it| it.1).min().expect("a plan of an order");
        assert!(before > known.capacity, "seed {seed}: {before}");
    }
}

/// Whatever the effort: the search that `exact` meets the optimum with is not left out.
#[test]
fn best_meets_the_bound_of_a_public_problem_wherever_exact_does() {
    for (name, lifetimes) in shared::problems().into_iter().filter(|it| it.0 == "A") {
        for nodes in [150_000, 1_000_000, Effort::DEFAULT.nodes] {
            let effort = Effort {
                nodes,
                ..Effort::DEFAULT
            };
            let options = Options {
                effort,
                ..Options::aligned(Bytes(1))
            };
            for strategy in [Strategy::Exact, Strategy::Best] {
                let made = planned(strategy, &lifetimes, &options);
                assert_eq!(made.arena, Bytes(1 << 20), "{name}, {strategy}, {nodes}");
            }
        }
    }
}
