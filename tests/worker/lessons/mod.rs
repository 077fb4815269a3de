//! The lessons that come with the page: nothing in them is doubtful, and every figure that they
//! say is what planner, judge and search find.

mod brute_force;

use std::collections::BTreeSet;

use lesson::Doubt;
use tests::lessons::{lessons, measured};

#[test]
fn no_lesson_is_doubtful() {
    let mut all: Vec<String> = Vec::new();
    let mut names = BTreeSet::new();
    for (file, lesson) in lessons() {
        assert!(
            names.insert(lesson.lesson.clone()),
            "{file}: another lesson is called so"
        );
        let mut doubts: Vec<Doubt> = lesson::check(&lesson);
        for scene in &lesson.scenes {
            match measured(&lesson, scene) {
                Ok((_, more)) => doubts.extend(more),
                Err(why) => all.push(format!("{file}: {}: {why}", scene.id)),
            }
        }
        all.extend(doubts.iter().map(|doubt| format!("{file}: {doubt}")));
    }
    assert!(all.is_empty(), "\n{}\n", all.join("\n"));
}

/// Not only the arena in a text, but whatever a lesson leads to by name is there.
#[test]
fn what_scenes_show_is_there() {
    let mut missing = Vec::new();
    for (file, lesson) in lessons() {
        for scene in &lesson.scenes {
            for at in [&scene.at, &scene.then] {
                let (_, ignored) = conversation::Fragment::read(
                    at,
                    &[
                        conversation::Tab::COMPARE,
                        conversation::Tab::WASTE,
                        conversation::Tab::STAGES,
                        conversation::Tab::TRAINING,
                        conversation::Tab::GRAPH,
                        conversation::Tab::FILM,
                        conversation::Tab::RUN,
                        conversation::Tab("tensors"),
                        conversation::Tab("operators"),
                    ],
                );
                missing.extend(
                    ignored
                        .iter()
                        .map(|it| format!("{file}: {}: {}", scene.id, it.part)),
                );
            }
        }
    }
    assert!(missing.is_empty(), "\n{}\n", missing.join("\n"));
}

/// What is measured changes with the settings that a scene asks for.
#[test]
fn a_wrong_figure_is_doubtful() {
    let (_, mut lesson) = lessons().into_iter().next().expect("a lesson");
    let scene = lesson.scenes.iter_mut().find(|it| !it.figures.is_empty());
    let scene = scene.expect("a scene with figures");
    scene.figures[0].says.push('1');
    let scene = scene.clone();
    let (_, doubts) = measured(&lesson, &scene).expect("it is measured");
    let said = doubts
        .iter()
        .any(|doubt| doubt.what.to_string().contains("is measured"));
    assert!(said, "{doubts:?}");
}

/// Pictures count in KiB, MiB and GiB, and so do texts.
#[test]
fn a_unit_of_a_thousand_is_doubtful() {
    let (_, mut lesson) = lessons().into_iter().next().expect("a lesson");
    assert!(lesson::check(&lesson).is_empty());
    lesson.scenes[0].text.en = "It takes 3.13 GB.".to_owned();
    let doubts = lesson::check(&lesson);
    let [doubt] = &doubts[..] else {
        panic!("{doubts:?}");
    };
    assert!(doubt.what.to_string().contains("it says GB"), "{doubt:?}");
}

/// The puzzle of every day says that the largest first miss the bound: of two years of days they do.
#[test]
fn no_puzzle_of_the_day_is_solved_before_it_begins() {
    let all = lessons();
    let (_, lesson) = all.iter().find(|(_, it)| it.is_random()).expect("one");
    let problem = lesson.problems.values().next().expect("its problem");
    let mut seen = BTreeSet::new();
    for day in 0..730 {
        let (text, _) = problem
            .seeded(&format!("day {day}"))
            .file()
            .expect("a table");
        let (_, document, _) = planner::load::load(&text.clone().into_bytes()).expect("it is read");
        let settings = planner::Settings {
            alignment: planner::Bytes(1),
            ..planner::Settings::default()
        };
        let subject = planner::prepare(&document, &planner::graph::Bindings::new(), &settings);
        let lifetimes = subject.expect("it is small").lifetimes;
        let plan = planner::offsets_by_size(&lifetimes, settings.alignment).expect("a plan");
        let bound = planner::bounds::bounds(&lifetimes).offsets;
        assert!(plan.arena > bound, "day {day}: {text}");
        assert!(seen.insert(text), "day {day} is as an earlier one");
    }
}
