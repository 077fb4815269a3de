//! Walks that keep some values, against those of Checkmate's matrices, which have a bit for every value
//! in every stage.

use planner::training::policies::keeping;
use planner::training::{Policy, Recipe, Walk, matrices};
use planner::training::{Problem, Rule};
use tests::random::Random;

use super::autograd::step;
use super::properties::arbitrary;

/// The walk that keeps some values, by matrices.
fn by_matrices(problem: &Problem, kept: &[usize]) -> Walk {
    let kept = matrices::with_checkpoints(problem, kept);
    matrices::walk(problem, &matrices::least_runs(problem, &kept), &kept)
}

/// Of every hundred values of the forward pass so many are kept.
fn some(random: &mut Random, problem: &Problem, density: u64) -> Vec<usize> {
    let all = 0..problem.forward();
    all.filter(|_| random.below(100) < density).collect()
}

#[test]
fn walks_that_keep_values_are_those_of_matrices() {
    let mut random = Random::new(45);
    let recipes = [
        "autograd",
        "autograd+set_to_none",
        "autograd+in_place",
        "autograd+signs+sparse",
        "autograd+bits=8",
        "autograd+frozen=2",
        "compile",
        "signs+bits=8",
        "checkmate",
    ];
    let mut again = 0;
    for network in ["cnn", "mlp", "transformer", "activations"] {
        for words in recipes {
            let recipe = Recipe::parse(words).expect(words);
            let problem = step(network, recipe).problem;
            for density in [0, 3, 10, 40, 80, 100] {
                let kept = some(&mut random, &problem, density);
                let made = keeping(&problem, &kept);
                assert_eq!(made, by_matrices(&problem, &kept), "{network}, {words}");
                again += usize::from(made.len() > 2 * problem.nodes.len());
            }
        }
    }
    // With few or no values kept something is computed again.
    assert!(again > 72, "{again}");
}

#[test]
fn layers_with_skips_are_kept_as_by_matrices() {
    let mut random = Random::new(46);
    for _ in 0..300 {
        let mut problem = arbitrary(&mut random, 12);
        problem.rule = Rule::Autograd;
        let density = random.below(101);
        let kept = some(&mut random, &problem, density);
        assert_eq!(keeping(&problem, &kept), by_matrices(&problem, &kept));
        let all: Vec<usize> = (0..problem.forward()).collect();
        let keep_all = Policy::KeepAll.run(&problem, None, &mut |_, _| true);
        assert_eq!(keep_all.walk, Some(by_matrices(&problem, &all)));
    }
}
