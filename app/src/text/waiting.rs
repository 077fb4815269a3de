//! What a tab says while the worker looks for what it shows, and when that was stopped.

use conversation::Action;
use leptos::prelude::*;

use crate::format;
use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::{Spoken, Word, filled};

/// How far it is, of how many parts in all: the first word before any is begun, else the second
/// with the part that is at work and the count. A button stops it.
pub(crate) fn working(
    session: Session,
    (done, total): (u64, u64),
    [begins, goes_on]: [impl Spoken; 2],
    stop: Action,
) -> AnyView {
    let says = match total {
        0 => session.say(begins).to_owned(),
        _ => {
            let at = format::grouped((done + 1).min(total));
            filled(session.say(goes_on), &[&at, &format::grouped(total)])
        }
    };
    view! {
        <p role="status" class="working">
            <progress max=total.max(1).to_string() value=done.to_string()></progress>
            {says}
            <button on:click=move |_| act(session, stop.clone())>{session.say(Word::Stop)}</button>
        </p>
    }
    .into_any()
}

/// It was stopped; a button begins anew.
pub(crate) fn stopped(session: Session, again: Action) -> AnyView {
    view! {
        <p role="status">
            {session.say(Word::StoppedHere)} " "
            <button on:click=move |_| act(session, again.clone())>{session.say(Word::TryAgain)}</button>
        </p>
    }
    .into_any()
}
