//! Things that are put in order: sentences, or the operators of a graph as text.

use std::sync::Arc;

use conversation::{Action, TextAction};
use leptos::prelude::*;
use lesson::{Answer, Predict, Problem};

use super::player::Player;
use crate::state::driver::act;
use crate::state::session::{Session, to_f64};

/// The operators of a problem, by what each makes first, in the order of its text.
pub(super) fn operators(problem: &Problem) -> Vec<String> {
    let Problem::Graph(lines) = problem else {
        return Vec::new();
    };
    lines
        .iter()
        .filter_map(|line| made(line))
        .map(str::to_owned)
        .collect()
}

/// What the operator of a line makes first; `None` for a line of anything else.
fn made(line: &str) -> Option<&str> {
    let (made, call) = line.split('#').next()?.split_once('=')?;
    let made = made.split(',').next()?.split(':').next()?.trim();
    let is_call = call.contains('(');
    (is_call && !made.is_empty() && !made.contains(char::is_whitespace)).then_some(made)
}

/// Whether this is the order that the scene begins with.
pub(super) fn begins_with(player: Player, names: &[String]) -> bool {
    let problem = problem(player);
    problem.is_some_and(|problem| operators(&problem) == names)
}

/// Whether an operator stands before one that makes what it reads.
pub(super) fn is_early(player: Player, names: &[String]) -> bool {
    let Some(Problem::Graph(lines)) = problem(player) else {
        return false;
    };
    names.iter().enumerate().any(|(at, name)| {
        let line = lines.iter().find(|line| made(line) == Some(name.as_str()));
        let later = names.get(at + 1..).unwrap_or_default();
        line.is_some_and(|line| read(line).any(|it| later.iter().any(|name| name == it)))
    })
}

/// What the operator of a line reads.
fn read(line: &str) -> impl Iterator<Item = &str> {
    let call = line
        .split_once('(')
        .and_then(|(_, inside)| inside.split_once(')'));
    let inside = call.map_or("", |(inside, _)| inside);
    inside.split(',').map(str::trim)
}

fn problem(player: Player) -> Option<Problem> {
    let lesson = player.lesson.get_untracked()?;
    let scene = lesson.scenes.get(player.at.get_untracked())?;
    lesson.problems.get(&scene.problem).cloned()
}

/// The order that is planned, by what each operator makes first, and its peak. Follows it.
pub(super) fn planned(session: Session) -> (Vec<String>, Option<f64>) {
    session.prepared.with(|prepared| {
        let Some(prepared) = prepared.as_ref() else {
            return (Vec::new(), None);
        };
        let subject = &prepared.subject;
        let Some(program) = &subject.program else {
            return (Vec::new(), None);
        };
        let steps = 0..program.schedule.len();
        let made = steps.filter_map(|step| {
            let op = program.graph.op(program.schedule.op(step)?);
            let first = op.written().next()?;
            Some(program.graph.tensor(first).name.clone())
        });
        (made.collect(), Some(to_f64(prepared.bounds.offsets.0)))
    })
}

/// Moves a thing one place earlier or later.
pub(super) fn shift(player: Player, index: usize, later: bool) {
    let other = if later {
        index.checked_add(1)
    } else {
        index.checked_sub(1)
    };
    let count = player.names.with_untracked(Vec::len);
    let Some(other) = other.filter(|other| *other < count && index < count) else {
        return;
    };
    put(player, index, other);
}

/// Moves a thing to another place.
pub(super) fn put(player: Player, from: usize, to: usize) {
    let mut names = player.names.get_untracked();
    if from >= names.len() || to >= names.len() || player.done.get_untracked() {
        return;
    }
    let name = names.remove(from);
    names.insert(to, name);
    player.names.set(names);
    player.said.set(None);
    let operators = untrack(|| player.scene())
        .is_some_and(|scene| matches!(scene.predict, Predict::Operators(_)));
    if operators && !is_early(player, &player.names.get_untracked()) {
        plan(player);
    }
}

/// Plans the graph in the order that is seen.
fn plan(player: Player) {
    let Some(Problem::Graph(lines)) = problem(player) else {
        return;
    };
    let names = player.names.get_untracked();
    let of = |name: &String| lines.iter().find(|line| made(line) == Some(name.as_str()));
    let mut calls = names.iter().filter_map(of);
    // Every line that is an operator's has the next operator in its place.
    let text: String = lines
        .iter()
        .map(|line| match made(line) {
            Some(_) => calls.next().unwrap_or(line),
            None => line,
        })
        .map(|line| format!("{line}\n"))
        .collect();
    act(
        player.session,
        Action::Text(TextAction::Type(Arc::from(text))),
    );
}

/// Judges a list as it is.
pub(super) fn check(player: Player) {
    player.answer(&Answer::Listed(player.names.get_untracked()));
}
