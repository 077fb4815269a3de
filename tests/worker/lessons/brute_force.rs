//! The figures of the lessons once more, by code that has nothing in common with the planner: own
//! sums over lifetimes, the smallest arena by exhaustion, the simple strategies written down again.
//! Of the planner only the lifetimes of graphs are taken over; tables are read here.

mod problem;
mod smallest;
mod tokens;
mod plans;
mod figures;
mod orders;
mod copies;
mod tally;

use std::collections::BTreeSet;

use lesson::{Instance, Lesson, Measure, Measured, Predict, Problem as Given, Right, Scene};
use planner::training::Policy;
use tests::lessons::{lessons, measured};

use figures::{World, float, is_same, seen};
use orders::{Chain, is_by_branch, operators, orders, peak};
use plans::RULES;
use problem::Problem;
use smallest::MOST;
use tally::Tally;

#[test]
fn figures_and_answers_are_right() {
    let mut tally = Tally::default();
    for (file, lesson) in lessons() {
        for scene in &lesson.scenes {
            let Some(world) = World::of(&lesson, scene) else {
                let problem = &lesson.problems[&scene.problem];
                let is_sample = matches!(problem, Given::Sample(_));
                assert!(is_sample, "{file}: {}: only samples are left out", scene.id);
                continue;
            };
            let (found, _) = measured(&lesson, scene).expect("it is measured");
            tally.scene(scene, &world, &found);
        }
    }
    assert!(tally.wrong.is_empty(), "\n{}\n", tally.wrong.join("\n"));
    assert!(tally.missed.is_empty(), "\n{}\n", tally.missed.join("\n"));
    // Most of what the lessons say is of a kind that can be followed here.
    assert!(
        10 * tally.figures_followed >= 9 * tally.figures,
        "{tally:?}"
    );
    assert!(5 * tally.answers_followed >= 4 * tally.answers, "{tally:?}");
    let all = lessons().into_iter().flat_map(|(_, it)| it.scenes).count();
    assert!(10 * tally.scenes >= 9 * all && all > 0, "{tally:?}");
}

/// What is drawn from a date is as right as what is written.
#[test]
fn puzzles_of_any_day_are_right() {
    let mut tally = Tally::default();
    for (_, lesson) in lessons().into_iter().filter(|it| it.1.is_random()) {
        for day in 1..=28 {
            let lesson = lesson.seeded(&format!("2026-02-{day:02}"));
            for scene in &lesson.scenes {
                let world = World::of(&lesson, scene).expect("a table was drawn");
                let (found, _) = measured(&lesson, scene).expect("it is measured");
                tally.scene(scene, &world, &found);
            }
        }
    }
    assert!(tally.wrong.is_empty(), "\n{}\n", tally.wrong.join("\n"));
    assert!(tally.missed.is_empty(), "\n{}\n", tally.missed.join("\n"));
    assert!(tally.answers_followed >= 28, "{tally:?}");
}

/// Every way in which the lessons prepare a problem that is written out in them.
fn poses(lesson: &Lesson) -> Vec<(&Given, Instance)> {
    let mut all: Vec<(&Given, Instance)> = Vec::new();
    for scene in &lesson.scenes {
        let asked = conversation::asked(lesson, scene);
        let own = (scene.problem.clone(), asked.own);
        let setups = asked.setups.into_iter();
        let setups = setups.map(|(name, pose)| (lesson.setups[&name].problem.clone(), pose));
        for (problem, pose) in setups.chain([own]) {
            let given = &lesson.problems[&problem];
            let is_new = all.iter().all(|(_, known)| *known != pose);
            if is_new && given.file().is_some() {
                all.push((given, pose));
            }
        }
    }
    all
}

/// What is asked of a problem, whatever its lesson says of it.
fn questions(problem: &Problem) -> Vec<Measure> {
    let mut all = vec![
        Measure::Proved,
        Measure::Bound,
        Measure::ObjectBound,
        Measure::Total,
        Measure::Largest,
        Measure::Buffers,
        Measure::Steps,
    ];
    all.extend((0..problem.steps).map(Measure::Live));
    for buffer in &problem.buffers {
        let name = || buffer.name.clone();
        all.extend([
            Measure::Size(name()),
            Measure::First(name()),
            Measure::Last(name()),
        ]);
    }
    for rule in RULES {
        all.push(Measure::Arena(rule.to_owned()));
        // Every offset is planned for anew: in long training steps the arenas are enough.
        let is_short = problem.buffers.len() <= 2 * MOST + 1;
        let some = problem.buffers.iter().filter(|_| is_short);
        let some = some.map(|it| it.name.clone());
        all.extend(some.map(|name| Measure::Offset(rule.to_owned(), name)));
    }
    all
}

#[test]
fn problems_are_what_they_are_measured_to_be() {
    let (mut tables, mut proved) = (BTreeSet::new(), 0);
    let mut wrong = Vec::new();
    for (file, lesson) in lessons() {
        for (given, pose) in poses(&lesson) {
            let place = format!("{file}: {}", pose.name);
            let world = lesson::Instances::new(&pose, &[], None).expect("it can be prepared");
            let own = World::alone(seen(given, &pose).expect("it is written out"));
            let questions = questions(&own.own);
            let answers = questions.iter().map(|it| (it, own.number(it)));
            for (question, number) in answers {
                let Some(number) = number else {
                    // In a table all of this is known, but for the proof of a large one.
                    let is_graph = matches!(given, Given::Graph(_));
                    let is_large = own.own.buffers.len() > MOST && *question == Measure::Proved;
                    assert!(is_graph || is_large, "{place}: {question:?}");
                    continue;
                };
                proved += usize::from(*question == Measure::Proved);
                let is = world.number(question).expect("it is measured");
                if !is_same(is, number) {
                    wrong.push(format!(
                        "{place}: {question:?}: {number} by brute force, {is} measured"
                    ));
                }
            }
            if let Given::Csv(_) = given {
                tables.insert((file.clone(), pose.name.clone()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    let mut written = BTreeSet::new();
    for (file, lesson) in lessons() {
        let given = lesson.problems.into_iter();
        let given = given.filter(|(_, it)| matches!(it, Given::Csv(_)));
        written.extend(given.map(|(name, _)| (file.clone(), name)));
    }
    assert!(!written.is_empty(), "some lesson has a table");
    assert_eq!(tables, written, "every table is looked at");
    assert!(proved >= tables.len(), "{proved} proved");
}

/// Right answers count as such only as long as they are right.
#[test]
fn planted_faults_are_found() {
    let mut planted = 0;
    for (_, lesson) in lessons() {
        for scene in &lesson.scenes {
            let (Some(world), Predict::Place(_)) = (World::of(&lesson, scene), &scene.predict)
            else {
                continue;
            };
            let (found, _) = measured(&lesson, scene).expect("it is measured");
            let wrong = |found: &Measured, scene: &Scene| {
                let mut tally = Tally::default();
                tally.scene(scene, &world, found);
                tally.wrong.len()
            };
            assert_eq!(wrong(&found, scene), 0, "{}", scene.id);
            let mut raised = found.clone();
            raised.solution[0].1 += 10_000;
            assert_eq!(wrong(&raised, scene), 1, "{}: a plan", scene.id);
            let mut overlapping = found.clone();
            for (_, offset) in &mut overlapping.solution {
                *offset = 0;
            }
            assert_eq!(wrong(&overlapping, scene), 1, "{}: bytes twice", scene.id);
            let mut other = found.clone();
            if let Right::Bytes { least, .. } = &mut other.right {
                *least -= 1.0;
            }
            assert_eq!(wrong(&other, scene), 1, "{}: the least", scene.id);
            let mut said = scene.clone();
            for figure in &mut said.figures {
                figure.says.push('1');
            }
            // Every figure that can be followed is compared with what is said of it.
            let followed = scene.figures.iter().filter_map(|it| world.number(&it.is));
            assert_eq!(
                wrong(&found, &said),
                followed.count(),
                "{}: figures",
                scene.id
            );
            planted += 1;
        }
    }
    assert!(planted > 3, "{planted} scenes");
}

/// Steps that swap are followed, all answers and nearly all figures, and wrong figures are found.
#[test]
fn copies_are_followed() {
    let (mut tally, mut planted) = (Tally::default(), 0);
    for (_, lesson) in lessons() {
        for scene in &lesson.scenes {
            let Some(world) = World::of(&lesson, scene).filter(|it| it.own.copies.is_some()) else {
                continue;
            };
            let (found, _) = measured(&lesson, scene).expect("it is measured");
            tally.scene(scene, &world, &found);
            let mut said = scene.clone();
            for figure in &mut said.figures {
                figure.says.push('1');
            }
            let followed = scene.figures.iter().filter_map(|it| world.number(&it.is));
            let mut wrong = Tally::default();
            wrong.scene(&said, &world, &found);
            assert_eq!(wrong.wrong.len(), followed.count(), "{}", scene.id);
            planted += wrong.wrong.len();
        }
    }
    assert!(tally.scenes >= 6 && planted >= 50, "{planted}: {tally:?}");
    assert!(tally.wrong.is_empty(), "\n{}\n", tally.wrong.join("\n"));
    assert_eq!(tally.answers_followed, tally.answers, "{tally:?}");
    // What vDNN waits for in the backward pass is not.
    assert!(tally.figures_followed + 1 >= tally.figures, "{tally:?}");
}

/// The best order of operators is the goal of the puzzle: all orders are looked at.
#[test]
fn no_order_has_a_lower_peak_than_the_goal() {
    let mut puzzles = 0;
    for (_, lesson) in lessons() {
        for scene in &lesson.scenes {
            let given = lesson.problems.get(&scene.problem);
            let (Predict::Operators(asked), Some(Given::Graph(lines))) = (&scene.predict, given)
            else {
                continue;
            };
            let ops = operators(lines);
            let all = orders(&ops);
            let least = |orders: &mut dyn Iterator<Item = &Vec<usize>>| {
                float(orders.map(|it| peak(&ops, it)).min().expect("an order"))
            };
            let (found, _) = measured(&lesson, scene).expect("it is measured");
            let Right::Bytes { goal, stars, .. } = found.right else {
                panic!("{}: no bytes", scene.id);
            };
            assert!(is_same(least(&mut all.iter()), goal), "{}", scene.id);
            let by_branch = least(&mut all.iter().filter(|it| is_by_branch(&ops, it)));
            let most_stars = stars.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(is_same(by_branch, most_stars), "{}: {by_branch}", scene.id);
            // The order of the file.
            let file: Vec<usize> = (0..ops.len()).collect();
            let world = World::of(&lesson, scene).expect("it is a graph");
            let bound = world.number(&Measure::Bound).expect("it has a peak");
            assert!(is_same(float(peak(&ops, &file)), bound), "{}", scene.id);
            assert!(
                asked.stars.len() == stars.len() && all.len() > 50,
                "{}",
                all.len()
            );
            puzzles += 1;
        }
    }
    assert!(puzzles > 0, "a puzzle asks for an order");
}

/// No schedule under the budget of an exact policy computes less again, and none fits below what
/// its largest node needs.
#[test]
fn no_schedule_computes_less_again() {
    let mut budgets = 0;
    for (file, lesson) in lessons() {
        for (given, pose) in poses(&lesson) {
            let Some(training) = pose.settings.training else {
                continue;
            };
            let policy = Policy::ALL.get(usize::from(training.policy));
            let is_exact = policy.is_some_and(|it| it.name() == "exact");
            let (true, Some(budget)) = (is_exact, training.budget) else {
                continue;
            };
            let problem = seen(given, &pose).expect("it is written out");
            let chain = Chain::of(&problem).expect("layers and a loss");
            let world = lesson::Instances::new(&pose, &[], None).expect("it can be prepared");
            let again = world
                .number(&Measure::Recomputations)
                .expect("it is measured");
            let own = chain.fewest_again(budget.0).expect("a schedule fits");
            assert!(
                is_same(float(own), again),
                "{file}: {budget:?}: {own}, not {again}"
            );
            assert!(problem.peak() <= budget.0, "{file}: {budget:?}");
            let least = chain.least_budget();
            assert!(chain.fewest_again(least).is_some(), "{file}: {least}");
            assert!(chain.fewest_again(least - 1).is_none(), "{file}: {least}");
            // A set of activations to give up is a schedule too, and a plain one.
            let sets = (0..1 << chain.layers).map(|set| chain.given_up(set));
            let fitting = sets.filter(|it| it.0 <= budget.0);
            assert!(fitting.map(|it| it.1).min().is_none_or(|it| it >= own));
            budgets += 1;
        }
    }
    assert!(budgets >= 4, "{budgets} budgets");
}
