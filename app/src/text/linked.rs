//! A sentence in which some words lead on.

use conversation::Action;
use leptos::prelude::*;

use crate::state::driver::act;
use crate::state::session::Session;

/// The sentence. Each of the words is a button where it first stands, and does what stands beside
/// it; one that is not said, or stands within another, is left out.
pub(crate) fn linked(session: Session, says: &str, words: Vec<(String, Action)>) -> AnyView {
    let found = words.into_iter().filter_map(|(word, action)| {
        let at = says.find(&word).filter(|_| !word.is_empty())?;
        Some((at, word, action))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(at, word, _)| (*at, usize::MAX - word.len()));
    let mut views = Vec::new();
    let mut told = 0;
    for (at, word, action) in found {
        let Some(before) = says.get(told..at) else {
            continue;
        };
        told = at + word.len();
        let lead = move |_| act(session, action.clone());
        views.push(
            view! { {before.to_owned()} <button class="link" on:click=lead>{word}</button> }
                .into_any(),
        );
    }
    let rest = says.get(told..).unwrap_or_default().to_owned();
    view! { {views} {rest} }.into_any()
}
