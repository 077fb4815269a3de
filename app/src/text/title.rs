//! What plans are called.

use conversation::Column;
use leptos::prelude::*;

use crate::state::session::Session;
use crate::strings::{DeployedWord, Word, filled};

/// A column's name for people, with a mark while its plan is an edited one.
pub(crate) fn title(session: Session, column: Column) -> String {
    let name = plain_title(session, column);
    if session.runs.edits.with(|edits| edits.contains_key(&column)) {
        format!("{name} ({})", session.say(Word::EditedPlan))
    } else {
        name
    }
}

/// A column's name for people.
pub(crate) fn plain_title(session: Session, column: Column) -> String {
    match column {
        Column::Deployed => shipped_title(session),
        Column::Strategy(strategy) => strategy.name().to_owned(),
    }
}

/// What the plan is called that came with what is open.
fn shipped_title(session: Session) -> String {
    let word = match session.came_by_link() {
        true => DeployedWord::FromLink,
        false => DeployedWord::InFile,
    };
    match session.shipped.strategy.get() {
        None => session.say(word).to_owned(),
        Some(origin) => filled(
            session.say(DeployedWord::MadeBy),
            &[session.say(word), &origin],
        ),
    }
}
