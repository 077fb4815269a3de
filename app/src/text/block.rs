//! What a rectangle is called: a tensor, or in the trace of an allocator, which does not know what
//! lies in them, a block.

use std::borrow::Cow;
use std::sync::Arc;

use conversation::Language;
use leptos::prelude::Get as _;
use worker::Prepared;

use crate::state::session::Session;
use crate::strings::Spoken;

/// Whether the file is the trace of an allocator; follows it.
pub(crate) fn is_trace(session: Session) -> bool {
    let is_trace = |it: &Arc<Prepared>| it.subject.is_trace();
    session
        .prepared
        .with(|it| it.as_ref().is_some_and(is_trace))
}

/// A sentence about tensors; of a trace it is about blocks.
pub(crate) fn say(session: Session, word: impl Spoken) -> Cow<'static, str> {
    let text = session.say(word);
    if !is_trace(session) {
        return text.into();
    }
    match session.language.get() {
        Language::En => text.replace("tensor", "block").replace("Tensor", "Block"),
        Language::Zh => text.replace("张量", "内存块"),
    }
    .into()
}
