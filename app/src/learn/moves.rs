//! What is done in the picture as an answer: rectangles that are moved, places that are clicked,
//! operators that are put in order; and the answer, shown there.

use conversation::{Action, Case, Column, Fragment, InsightAction, LessonAction, Work, file_name};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use lesson::{Answer, PlacementTask, PointedAt, Predict, Problem, Right, Scene, changed_outputs};
use planner::{Judged, Step};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::ordered;
use super::player::{Player, Said};
use crate::state::driver::act;
use crate::state::session::to_f64;

/// Follows what is done in the picture.
pub(super) fn follow(player: Player) {
    follow_places(player);
    follow_order(player);
    EventListener::new(&document(), "click", move |event| {
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let in_picture = target.and_then(|it| it.closest(".stage").ok().flatten());
        if in_picture.is_some() && player.session.taught.scene.with_untracked(Option::is_some) {
            // What the click does in the picture comes first.
            Timeout::new(0, move || clicked(player)).forget();
        }
    })
    .forget();
}

/// The plan of this name as it is now, changed by hand or not. Follows it.
pub(super) fn plan(player: Player, name: &str) -> Option<Judged> {
    let column: Column = name.parse().ok()?;
    Some(player.session.planned(column)?.judged.clone())
}

/// Selects a buffer and gives the picture the focus: the keys that move it are the picture's.
pub(super) fn take(player: Player, name: &str) {
    player.select(name);
    let stage = document().query_selector(".stage").ok().flatten();
    if let Some(stage) = stage.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        let _ = stage.focus();
    }
}

/// The outputs that a plan changes, by name. Follows what is open.
pub(super) fn changed(player: Player, judged: &Judged) -> Vec<String> {
    player.session.prepared.with(|prepared| {
        let subject = prepared.as_ref().map(|it| &it.subject);
        subject.map_or_else(Vec::new, |subject| changed_outputs(subject, &judged.plan))
    })
}

/// Judges a plan that is changed by hand after every change. What counts begins once the scene
/// stands as it was shown first: what an earlier one has moved is still there for a moment.
fn follow_places(player: Player) {
    let begun = StoredValue::new(None::<u32>);
    Effect::new(move |_| {
        let Some(scene) = player.scene() else { return };
        let name = match &scene.predict {
            Predict::Place(place) => &place.plan,
            Predict::Corrupt(corrupt) => &corrupt.plan,
            _ => return,
        };
        let session = player.session;
        session.runs.edits.track();
        let Some(judged) = plan(player, name) else {
            return;
        };
        let own = player.from.with(|at| Fragment::read(at, &[]).0.handiwork);
        let now = session.case(Case::handiwork);
        let shown = player.shown.get();
        if now == own && is_of_scene(player) {
            begun.set_value(Some(shown));
            // What was said of a move is over once it is undone.
            if matches!(player.said.get_untracked(), Some(Said::NotYet(_))) {
                player.said.set(None);
            }
            return;
        }
        let is_begun = begun.with_value(|begun| *begun == Some(shown));
        if !is_begun || player.measured().is_none() {
            return;
        }
        player.answer(&match scene.predict {
            Predict::Corrupt(_) => Answer::Corrupted(changed(player, &judged).len()),
            _ => Answer::Placed {
                arena: to_f64(judged.metrics.taken().0),
                faults: judged.violations.len(),
            },
        });
    });
}

/// Whether what is open is the problem of the scene, and nothing is opened in its place.
fn is_of_scene(player: Player) -> bool {
    let session = player.session;
    let Some(lesson) = player.lesson.get_untracked() else {
        return false;
    };
    let scene = lesson.scenes.get(player.at.get_untracked());
    let name = scene.map(|scene| file_name(&lesson, &scene.problem));
    let sample = scene.and_then(|scene| match lesson.problems.get(&scene.problem)? {
        Problem::Sample(sample) => Some(sample.clone()),
        _ => None,
    });
    let busy = session.work.with(Work::is_busy);
    let opened = session.file.with(|file| {
        let file = file.as_ref();
        file.is_some_and(|file| match &sample {
            Some(sample) => file.sample.as_ref() == Some(sample),
            None => Some(&file.name) == name.as_ref(),
        })
    });
    opened && !busy
}

/// Judges an order of operators once it is planned.
fn follow_order(player: Player) {
    let judged = StoredValue::new(None::<(u32, Vec<String>)>);
    Effect::new(move |_| {
        let Some(scene) = player.scene() else { return };
        if !matches!(scene.predict, Predict::Operators(_)) {
            return;
        }
        let names = player.names.get();
        let (order, peak) = ordered::planned(player.session);
        if player.measured().is_none() || ordered::begins_with(player, &names) {
            return;
        }
        let answer = if ordered::is_early(player, &names) {
            Answer::Ordered(None)
        } else if order == names {
            Answer::Ordered(peak)
        } else {
            // Not planned yet.
            return;
        };
        let this = Some((player.shown.get_untracked(), names));
        if judged.with_value(|before| *before != this) {
            judged.set_value(this);
            player.answer(&answer);
        }
    });
}

/// Something in the picture was clicked.
fn clicked(player: Player) {
    let Some(scene) = untrack(|| player.scene()) else {
        return;
    };
    let Predict::Point(point) = &scene.predict else {
        return;
    };
    let session = player.session;
    let step = session.insight.pointed.get_untracked();
    let name = match point.at {
        PointedAt::Rectangle => selected(player),
        PointedAt::Step => step.map(|step| step.0.to_string()),
        PointedAt::Operator => step.and_then(|step| operator(player, step)),
    };
    if let Some(name) = name {
        pointed(player, &name);
    }
}

fn selected(player: Player) -> Option<String> {
    let index = player.session.selected.get_untracked()?;
    let name = untrack(|| {
        player.session.with_lifetimes(|lifetimes| {
            let buffer = lifetimes.buffers.get(index);
            buffer.map(|buffer| buffer.name.clone())
        })
    });
    name.flatten()
}

/// The name of the operator that runs at a step.
pub(super) fn operator(player: Player, step: Step) -> Option<String> {
    let name =
        |it: &std::sync::Arc<worker::Prepared>| it.subject.step_name(step).map(str::to_owned);
    player
        .session
        .prepared
        .with_untracked(|it| name(it.as_ref()?))
}

/// Something is pointed at: with what was before, where more is asked for.
pub(super) fn pointed(player: Player, name: &str) {
    if player.done.get_untracked() {
        return;
    }
    let mut names = player.names.get_untracked();
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
    let right = match untrack(|| player.measured()) {
        Some(Ok((measured, _))) => match measured.right {
            Right::Names(right) => right,
            _ => return,
        },
        _ => return,
    };
    player.answer(&Answer::Pointed(names.clone()));
    // A wrong one is not pointed at any longer.
    names.retain(|name| right.contains(name));
    player.names.set(names);
}

/// Shows the answer in the picture.
pub(super) fn show_answer(player: Player, scene: &Scene) {
    let Some(Ok((measured, _))) = untrack(|| player.measured()) else {
        return;
    };
    match (&scene.predict, &measured.right) {
        (Predict::Point(point), Right::Names(names)) => {
            player.names.set(names.clone());
            let first = names.first().map_or("", String::as_str);
            match point.at {
                PointedAt::Rectangle => player.select(first),
                PointedAt::Step => {
                    if let Ok(step) = first.parse() {
                        let look = InsightAction::Step(Some(Step(step)));
                        act(player.session, Action::Insight(look));
                    }
                }
                PointedAt::Operator => {}
            }
        }
        (Predict::List(_), Right::Names(names)) => {
            let own = player.names.get_untracked();
            let right = names.iter().filter(|name| own.contains(name));
            player.names.set(right.cloned().collect());
        }
        (Predict::Corrupt(corrupt), Right::OneOutput) => {
            if let Some((name, offset)) = corrupting(player, &corrupt.plan) {
                let at = format!("{}&edit={}:{name}@{offset}", scene.at, corrupt.plan);
                act(player.session, Action::Lesson(LessonAction::At(at)));
            }
        }
        (Predict::GiveUp(_), Right::Drops { sets, .. }) => {
            let best = sets.iter().map(|it| it.set);
            let best = best
                .filter(|set| measured.right.stars_of(*set) == Some(3))
                .min();
            player.dropped.set(best.unwrap_or_default());
        }
        (Predict::Place(place), Right::Bytes { goal, least, .. }) if goal >= least => {
            show_places(player, scene, place, &measured.solution);
        }
        _ => {}
    }
}

/// The first move of one buffer onto another by which one output changes; `None` where there is
/// none.
fn corrupting(player: Player, name: &str) -> Option<(String, u64)> {
    let judged = untrack(|| plan(player, name))?;
    let offsets = judged.plan.offsets.clone();
    let pairs = (0..offsets.len()).flat_map(|moved| offsets.iter().map(move |to| (moved, *to)));
    let mut pairs = pairs.filter(|(moved, to)| offsets.get(*moved) != Some(to));
    let (moved, to) = pairs.find(|(moved, to)| {
        let mut other = judged.clone();
        if let Some(offset) = other.plan.offsets.get_mut(*moved) {
            *offset = *to;
        }
        untrack(|| changed(player, &other)).len() == 1
    })?;
    let name = |lifetimes: &planner::Lifetimes| {
        let buffer = lifetimes.buffers.get(moved);
        buffer.map(|buffer| buffer.name.clone())
    };
    let name = untrack(|| player.session.with_lifetimes(name))??;
    Some((name, to.0))
}

/// Puts the rectangles where the exact search has them.
fn show_places(player: Player, scene: &Scene, place: &PlacementTask, solution: &[(String, u64)]) {
    if solution.is_empty() || !scene.then.is_empty() {
        return;
    }
    if scene.at.contains("edit=") {
        // The plan before anything was moved.
        let parts = scene.at.split('&').filter(|it| !it.starts_with("edit="));
        let at = parts.collect::<Vec<_>>().join("&");
        act(player.session, Action::Lesson(LessonAction::At(at)));
        return;
    }
    let put = solution.iter().map(|(name, at)| format!("{name}@{at}"));
    let put = put.collect::<Vec<_>>().join(",");
    let at = format!("{}&edit={}:{put}", scene.at, place.plan);
    act(player.session, Action::Lesson(LessonAction::At(at)));
}

/// What can be pointed at, by name. Follows what is open.
pub(super) fn pointable(player: Player, at: PointedAt) -> Vec<String> {
    let session = player.session;
    session.prepared.with(|prepared| {
        let Some(prepared) = prepared.as_ref() else {
            return Vec::new();
        };
        let subject = &prepared.subject;
        let steps = || (0..subject.lifetimes.horizon.0).map(Step);
        match at {
            PointedAt::Rectangle => {
                let buffers = subject.lifetimes.buffers.iter();
                let mut names: Vec<String> = buffers.map(|it| it.name.clone()).collect();
                names.dedup();
                names
            }
            PointedAt::Step => steps().map(|step| step.0.to_string()).collect(),
            PointedAt::Operator => {
                let names = steps().filter_map(|step| subject.step_name(step));
                names.map(str::to_owned).collect()
            }
        }
    })
}

/// Whether what is planned is what is seen.
pub(super) fn is_there(player: Player) -> bool {
    player.session.is_open() && player.session.idle.get()
}
