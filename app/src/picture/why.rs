//! Why a plan is larger than the bound, in one sentence in its pane: what is empty at the
//! decisive step, and what keeps it empty.

use std::sync::Arc;

use conversation::{Action, Column};
use leptos::prelude::*;

use crate::document::cases::pane_count;
use crate::state::driver::act;
use crate::state::insight::SomeLoss;
use crate::state::session::{Session, session};
use crate::strings::WhyWord;
use crate::text::why::{Piece, said_of};

/// What is said, and of which lifetimes: their address.
#[derive(Clone, PartialEq)]
struct Said {
    of: usize,
    loss: SomeLoss,
}

/// Up to so many panes say it unasked.
const SAID_UP_TO: usize = 4;

/// The sentence; nothing where the bound is met, or it is not known why it is not.
#[component]
pub(crate) fn WhyLarger(column: Column) -> impl IntoView {
    let session = session();
    // What is said stays until there is something else to say: while a change is judged and
    // explained, and while a plan breaks rules, no picture is to move.
    let said = Memo::new(move |before: Option<&Option<Said>>| {
        let of = session
            .prepared
            .get()
            .map(|prepared| Arc::as_ptr(&prepared) as usize);
        let before = before.cloned().flatten().filter(|said| Some(said.of) == of);
        let loss = session.loss(column).zip(of);
        let loss = loss.map(|(loss, of)| Said { of, loss });
        loss.or_else(|| before.filter(|_| !session.is_optimal(column)))
    });
    let count = pane_count(session);
    // Among many panes a sentence would take the pictures' room: it is there when asked for.
    let asked = RwSignal::new(false);
    let open = Memo::new(move |_| asked.get() || count.get() <= SAID_UP_TO);
    move || {
        let loss = said.get()?.loss.0;
        let above = loss.bytes.0;
        if !open.get() {
            let ask = move |_| asked.set(true);
            return Some(
                view! {
                    <p class="why-larger short">
                        <button class="link" on:click=ask>{session.say(WhyWord::Label)}</button>
                    </p>
                }
                .into_any(),
            );
        }
        Some(view! {
            <p class="why-larger" aria-label=session.say(WhyWord::Label) data-above=above.to_string()>
                {said_of(session, column, &loss).iter().map(|piece| view(session, piece)).collect_view()}
            </p>
        }.into_any())
    }
}

/// A part of the sentence, a tensor as a button that selects it.
fn view(session: Session, piece: &Piece) -> AnyView {
    let text = piece.text(session);
    let Piece::Tensor(index) = *piece else {
        return text.into_any();
    };
    let choose = move |_| act(session, Action::Select(Some(index)));
    view! { <button class="link" on:click=choose>{text}</button> }.into_any()
}
