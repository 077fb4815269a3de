//! What other allocators would reserve for the same requests.

use std::sync::Arc;

use leptos::prelude::*;
use planner::advice::Advice;

use super::repeats;
use super::wishes::wish;
use crate::state::session::Session;
use crate::strings::AdviceWord as W;
use crate::text::allocators::table;

/// The table, or the button that asks for it.
pub(super) fn section(session: Session, advice: &Arc<Advice>) -> impl IntoView + use<> {
    let body = match &advice.others {
        Some(found) => table(session, found).into_any(),
        None => {
            let ask = move |_| wish(session, |it| it.others = true);
            view! {
                <p>
                    <button data-do="allocators" on:click=ask>{session.say(W::OthersAsk)}</button>
                </p>
            }
            .into_any()
        }
    };
    view! {
        <section class="others">
            <h4>{session.say(W::Others)}</h4>
            <p class="hint">{session.say(W::OthersHint)}</p>
            {body}
            <repeats::Repeats/>
        </section>
    }
}
