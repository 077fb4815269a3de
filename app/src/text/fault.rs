//! What planner, executor and workers say, in the language of the page.

use conversation::Language;
use leptos::prelude::Get;
use planner::Message;

use crate::lazy::ERROR_TEXTS;
use crate::state::session::Session;

/// A message of theirs: in English until its Chinese is there. Follows that.
pub(crate) fn said(session: Session, message: &Message) -> String {
    let in_chinese = match session.language.get() {
        Language::En => None,
        Language::Zh => {
            ERROR_TEXTS.fetch();
            ERROR_TEXTS.get()
        }
    };
    in_chinese.map_or_else(|| message.to_string(), |in_chinese| in_chinese(message))
}
