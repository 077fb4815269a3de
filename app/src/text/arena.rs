//! What an arena is called.

use planner::Message;

use super::fault::said;
use crate::state::session::Session;
use crate::strings::{DeployedWord, filled};

/// The name in the file; its number where the file gives none.
pub(crate) fn named(session: Session, name: &Message, index: u32) -> String {
    if name.is_empty() {
        let number = (u64::from(index) + 1).to_string();
        filled(session.say(DeployedWord::Unnamed), &[&number])
    } else {
        said(session, name)
    }
}

/// The name of the arena that is looked at, where the file has several.
pub(crate) fn of_several(session: Session) -> Option<String> {
    let index = session.settings.with(|settings| settings.arena);
    let name = session.file.with(|file| {
        let arena = file.as_ref()?.opened.arenas.get(index as usize)?;
        Some(arena.name.clone())
    });
    Some(named(session, &name?, index))
}
