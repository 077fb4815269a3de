//! On one device: the answer is never beaten by a single policy in the same memory, and what it says
//! is so.

use planner::load::load;
use planner::training::advisor::{Case, Kind, Kinds, Variant, advise, largest};
use planner::training::estimate::{Allocator, Asked, Scheduled, of_schedule, scheduled};
use planner::training::estimate::{replayed, requests};
use planner::training::judge::judge;
use planner::training::{Policy, Recipe, Rule, choice, stage, swap};
use planner::{AllocatorSettings, Bytes, Strategy, Training};
use tests::shared::files;

use super::{Subject, graphs, subjects};

/// Two steps of a schedule, with what is usual for memory.
fn asked(training: Training) -> Asked {
    Asked {
        training,
        steps: 2,
        workspace: None,
        context: None,
        by: Allocator::Caching(AllocatorSettings::default()),
    }
}

fn made(subject: &Subject, training: Training) -> Option<Scheduled> {
    scheduled(&subject.graphs[0].1, training, &mut |_, _| true).ok()
}

/// Where everything is kept: what is reserved, what stays beside the values, and what these take.
fn keep_all(subject: &Subject) -> (u64, u64, u64) {
    let training = choice::of(Policy::KeepAll, subject.batch, None, subject.recipe);
    let made = made(subject, training).expect("a step");
    let found = of_schedule(&made, &asked(training)).expect("an estimate");
    let problem = &made.step.problem;
    let peak = planner::training::cost::needs(problem, &made.walk).peak;
    (found.reserved.0, problem.fixed.0, peak.0)
}

/// What stays beside the values, the model's inputs too.
fn beside(subject: &Subject) -> u64 {
    let training = choice::of(Policy::KeepAll, subject.batch, None, subject.recipe);
    let made = made(subject, training).expect("a step");
    let inputs: u64 = made.inputs.iter().map(|it| it.1.0).sum();
    made.step.problem.fixed.0 + inputs
}

/// A memory in which what stays has room, and so many tenths of the values.
fn between(subject: &Subject, tenths: u64) -> u64 {
    let (.., peak) = keep_all(subject);
    beside(subject) + peak * tenths / 10
}

/// Every request of the answer's schedule is met, and its judge finds no fault.
fn is_sound(subject: &Subject, case: &Case, memory: u64) {
    let name = &subject.name;
    let graph = subject.graphs.iter().find(|it| it.0 == case.passes);
    let graph = &graph.expect("one of the variants").1;
    let training = case.training;
    let step = stage::step(graph, training.batch, training.recipe).expect("a step");
    let found = stage::found(&step.problem, training, &mut |_, _| true);
    let walk = found.walk.expect("a schedule");
    match &found.run {
        Some(run) => {
            let judged = swap::judge(&step.problem, &walk, run, training.budget);
            assert_eq!(judged, Ok(()), "{name}");
        }
        None => assert_eq!(
            judge(&step.problem, &walk, training.budget),
            Ok(()),
            "{name}"
        ),
    }
    assert_eq!(
        found.needs,
        case.needs,
        "{name}: {}",
        choice::text(training)
    );
    let made = scheduled(graph, training, &mut |_, _| true).expect("a step");
    match case.by {
        Allocator::Caching(settings) => {
            let requests = requests::requests(&made, &asked(training));
            let played = replayed::replay(&requests, settings, Some(Bytes(memory)));
            assert_eq!(played.failed, 0, "{name}");
            assert_eq!(played.reserved, case.reserved, "{name}");
        }
        by => {
            let asked = Asked {
                by,
                ..asked(training)
            };
            let planned = of_schedule(&made, &asked).expect("a plan");
            assert!(planned.reserved.0 <= memory, "{name}");
            assert_eq!(planned.reserved, case.reserved, "{name}");
        }
    }
}

/// Whether a schedule fits into so much memory: as the allocator usually is, with expandable segments,
/// or planned in advance.
fn fits(made: &Scheduled, training: Training, memory: u64) -> bool {
    let asked = asked(training);
    let requests = requests::requests(made, &asked);
    let caching = [false, true].into_iter().any(|expandable| {
        let settings = AllocatorSettings {
            expandable,
            ..AllocatorSettings::default()
        };
        replayed::replay(&requests, settings, Some(Bytes(memory))).failed == 0
    });
    let by = Allocator::Planned(Strategy::OffsetsBySize);
    caching || of_schedule(made, &Asked { by, ..asked }).is_ok_and(|it| it.reserved.0 <= memory)
}

/// Policies that search have as much time as in a table, of larger steps.
fn is_short(subject: &Subject, policy: Policy) -> bool {
    let searches = [
        Policy::Exact,
        Policy::LpRounding,
        Policy::LocalSearch,
        Policy::Poet,
    ];
    subject.recipe.rule == Rule::Checkmate || !searches.contains(&policy)
}

#[test]
fn no_single_policy_beats_the_answer_in_the_same_memory() {
    let subjects = subjects();
    assert_eq!(subjects.len(), 20);
    let (mut changed, mut compared, mut quicker) = (0, 0, 0);
    // Micro-batches take no time by the model: without them policies are what is left.
    let all = Kinds::lossless();
    let policies = all.without(Kind::Micro).without(Kind::Offload);
    for (index, subject) in subjects.iter().enumerate() {
        for (tenths, kinds) in [(5 + index as u64 % 4, policies), (6, all)] {
            let memory = between(subject, tenths);
            let wanted = subject.wanted(memory, kinds.without(Kind::Swap));
            let found = subject.advice(&wanted);
            let answer = found.answer.as_ref().expect("a case");
            if !found.fits() {
                continue;
            }
            changed += usize::from(answer.changes != Kinds::NONE);
            is_sound(subject, answer, memory);
            let fixed = beside(subject);
            let step = stage::step(&subject.graphs[0].1, subject.batch, subject.recipe);
            let problem = step.expect("a step").problem;
            let own = Policy::ALL.into_iter().filter(|it| is_short(subject, *it));
            for (policy, notch) in own.flat_map(|it| (0..4).map(move |notch| (it, notch))) {
                let budget = Bytes((memory - fixed) / 16 * (16 - notch));
                let one = policy.run(&problem, Some(budget), &mut |_, _| true);
                if one.walk.is_none() {
                    continue;
                }
                compared += 1;
                let time = one.needs.time();
                if time < answer.time.sum() {
                    // It is quicker, but too large.
                    quicker += 1;
                    let training = choice::of(policy, subject.batch, Some(budget), subject.recipe);
                    let made = made(subject, training).expect("a step");
                    assert!(
                        !fits(&made, training, memory),
                        "{}, {memory}: {} takes {time}, the answer {} takes {}",
                        subject.name,
                        policy.name(),
                        choice::text(answer.training),
                        answer.time.sum()
                    );
                }
            }
            if kinds == all {
                assert_eq!(found, subject.advice(&wanted), "the same again");
            }
        }
    }
    assert!(
        changed > 20 && compared > 900 && quicker > 0,
        "{changed} {compared} {quicker}"
    );
}

/// Models of Python packages, where there is little memory: what is said is so.
#[test]
fn answers_about_real_models_are_sound() {
    let names = ["squeezenet1_1", "mobilenet_v2", "llama_like"];
    let files = files("models", ".sim.noweights.onnx").into_iter();
    let named = files.filter(|(file, _)| names.iter().any(|it| file.starts_with(it)));
    for (file, bytes) in named {
        let (_, document, _) = load(&bytes).expect("a model");
        let subject = Subject {
            name: file,
            graphs: graphs(&document),
            recipe: Recipe::parse("autograd+adam").expect("a recipe"),
            batch: 8,
        };
        let memory = between(&subject, 6);
        let kinds = Kinds::lossless().without(Kind::Micro);
        let found = subject.advice(&subject.wanted(memory, kinds));
        let answer = found.answer.as_ref().expect("a case");
        assert!(found.fits(), "{}", subject.name);
        is_sound(&subject, answer, memory);
        assert!(answer.changes != Kinds::NONE && !found.cheaper.is_empty());
    }
}

#[test]
fn what_fits_is_not_changed() {
    for subject in subjects() {
        let (most, ..) = keep_all(&subject);
        let found = subject.advice(&subject.wanted(most, Kinds::lossless()));
        let answer = found.answer.as_ref().expect("a case");
        assert!(found.fits(), "{}", subject.name);
        assert_eq!(answer.changes, Kinds::NONE, "{}", subject.name);
        assert_eq!(answer.reserved, Bytes(most), "{}", subject.name);
        assert_eq!(choice::policy(answer.training), Policy::KeepAll);
        assert_eq!(answer.passes, planner::PassSet::NONE);
        is_sound(&subject, answer, most);
        // With one byte less it is so only where the allocator gives back what it has cached.
        let less = subject.advice(&subject.wanted(most - 1, Kinds::lossless()));
        let answer = less.answer.expect("a case");
        if answer.fits() {
            is_sound(&subject, &answer, most - 1);
        }
    }
}

/// What is not allowed is not changed, and what cannot be told why it does not fit.
#[test]
fn nothing_else_is_changed_than_what_may_be() {
    let subjects = subjects();
    for subject in &subjects[..6] {
        let memory = between(subject, 6);
        for kind in Kind::ALL {
            let kinds = Kinds::NONE.with(kind);
            let found = subject.advice(&subject.wanted(memory, kinds));
            assert!(
                found.cases.iter().all(|it| it.changes.within(kinds)),
                "{kind:?}"
            );
            let answer = found.answer.as_ref().expect("a case");
            assert_eq!(found.fits(), answer.missing == Bytes::ZERO);
            let lacks = answer.reserved.0.saturating_sub(memory);
            assert!(found.fits() || answer.missing.0 == lacks, "{kind:?}");
        }
    }
}

/// The front has a case for each that takes less time or less memory than all others.
#[test]
fn the_front_is_of_cases_that_no_other_dominates() {
    let subjects = subjects();
    let subject = &subjects[2];
    let kinds = Kinds::lossless().without(Kind::Micro);
    let wanted = subject.wanted(between(subject, 5), kinds);
    let found = subject.advice(&wanted);
    assert!(found.cases.len() > 20 && found.front.len() > 1);
    for (index, case) in found.cases.iter().enumerate() {
        let dominated = found.cases.iter().any(|it| it.dominates(case));
        let twin = found.front.iter().any(|at| {
            let other = &found.cases[*at];
            (other.time.sum(), other.reserved) == (case.time.sum(), case.reserved)
        });
        assert_eq!(twin, !dominated, "{index}");
    }
    let cheaper = found.cheaper.iter();
    let answer = found.answer.as_ref().expect("a case");
    assert!(
        cheaper
            .clone()
            .all(|it| !it.fits() && it.compare(answer).is_lt())
    );
    assert!(cheaper.count() > 0);
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let subjects = subjects();
    let subject = &subjects[2];
    let wanted = subject.wanted(between(subject, 5), Kinds::lossless());
    let variants = subject.graphs.iter().map(|(passes, graph)| Variant {
        passes: *passes,
        graph,
    });
    let variants: Vec<Variant<'_>> = variants.collect();
    let mut before = 0;
    let found = advise(&variants, &wanted, &mut |done, of| {
        assert!(before <= done && done <= of, "{before} {done} {of}");
        before = done;
        done < 1
    });
    assert!(found.expect("a step").stopped);
}

#[test]
fn the_largest_number_is_found_where_smaller_ones_fit() {
    for most in [0, 1, 2, 7, 100] {
        for limit in 0..=most {
            let mut asked = 0;
            let found = largest(most, &mut |number| {
                asked += 1;
                assert!((1..=most).contains(&number));
                number <= limit
            });
            assert_eq!(found, limit, "{most}");
            assert!(asked <= 25);
        }
    }
    // Searches find more at some numbers than at smaller ones.
    let most = |fits: fn(u64) -> bool| largest(1_000, &mut |number| fits(number));
    assert_eq!(most(|it| it <= 100 || it == 102), 102);
    assert_eq!(most(|it| it <= 640 || (644..=656).contains(&it)), 656);
    assert_eq!(most(|_| false), 0);
}
