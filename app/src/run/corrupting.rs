//! Which tensor corrupting moves, and onto which other: any, or those that are chosen.

use crate::state::session::Session;
use conversation::RunAction;
use leptos::prelude::*;
use planner::what_if::{self, Target};
use planner::{Lifetimes, Offset, Options, Plan};

use super::controls::choice;
use crate::format;
use crate::strings::{Word, filled};

/// So many of the largest tensors are looked at for those that can be moved.
const LARGEST: usize = 64;

/// What can be chosen, and what is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Corrupting {
    /// What can be moved, the largest first.
    movable: Vec<usize>,
    /// What is moved, if that is not left open, and whether only because it is selected.
    moved: Option<(usize, bool)>,
    /// What it can be moved onto.
    targets: Vec<Target>,
    /// The one that is chosen.
    onto: Option<Target>,
}

/// Asks something of the plan that is corrupted: the one that the buttons are about, as it was made.
fn asked<T>(session: Session, ask: impl Fn(&Lifetimes, &Plan, &Options) -> T) -> Option<T> {
    session.runs.edits.track();
    let column = session.target()?;
    let made = session.case(|case| case.original(column))?;
    let options = session.options();
    session.with_lifetimes(|lifetimes| ask(lifetimes, &made.judged.plan, &options))
}

/// What can be moved of the plan that the buttons are about.
pub(super) fn movable(session: Session) -> Option<Vec<usize>> {
    asked(session, |lifetimes, plan, options| {
        what_if::movable(lifetimes, plan, options, LARGEST)
    })
}

impl Corrupting {
    /// What holds now.
    pub(super) fn of(session: Session, movable: &[usize]) -> Self {
        let targets = |moved: usize| {
            let found = asked(session, |lifetimes, plan, options| {
                what_if::targets(lifetimes, plan, options, moved)
            });
            found.filter(|found| !found.is_empty())
        };
        let chosen = session.runs.culprit.get().map(|moved| (moved, false));
        let selected = session.selected.get().map(|moved| (moved, true));
        let mut both = chosen.into_iter().chain(selected);
        let found = both.find_map(|(moved, open)| Some(((moved, open), targets(moved)?)));
        let (moved, targets) = found.unzip();
        let targets = targets.unwrap_or_default();
        let victim = session.runs.victim.get();
        let onto = targets.iter().find(|it| Some(it.buffer) == victim);
        Self {
            movable: movable.to_vec(),
            moved,
            onto: onto.copied(),
            targets,
        }
    }

    /// What a click moves, and where to; `None` leaves both open.
    pub(super) fn place(&self) -> Option<(usize, Offset)> {
        let onto = self.onto.as_ref().or(self.targets.first())?;
        Some((self.moved?.0, onto.at))
    }

    /// Both choices.
    pub(super) fn choices(&self, session: Session) -> [AnyView; 2] {
        let name = |index: usize| {
            let name = session.with_lifetimes(|l| Some(l.buffers.get(index)?.name.clone()));
            name.flatten().unwrap_or_default()
        };
        let any = || session.say(Word::CorruptAny).to_owned();
        let first = match self.moved {
            Some((moved, true)) => filled(session.say(Word::CorruptSelected), &[&name(moved)]),
            _ => any(),
        };
        let movable = self.movable.iter().map(|&it| (it.to_string(), name(it)));
        let targets = self.targets.iter().map(|it| {
            let shared = [name(it.buffer), format::bytes(it.bytes.0)];
            let shared = shared.each_ref().map(String::as_str);
            let text = filled(session.say(Word::CorruptShared), &shared);
            (it.buffer.to_string(), text)
        });
        let moved = self.moved.filter(|(_, selected)| !selected);
        let value = |index: Option<usize>| index.map(|it| it.to_string()).unwrap_or_default();
        [
            choice(
                "spoil-moved",
                (Word::CorruptMoves, Some(Word::CorruptMovesHint)),
                [(String::new(), first)]
                    .into_iter()
                    .chain(movable)
                    .collect(),
                value(moved.map(|(moved, _)| moved)),
                |index| Some(RunAction::Culprit(index.parse().ok())),
            ),
            choice(
                "spoil-onto",
                (Word::CorruptOnto, Some(Word::CorruptOntoHint)),
                [(String::new(), any())]
                    .into_iter()
                    .chain(targets)
                    .collect(),
                value(self.onto.map(|onto| onto.buffer)),
                |index| Some(RunAction::Victim(index.parse().ok())),
            ),
        ]
    }
}
