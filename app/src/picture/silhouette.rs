//! What stands around the plan without reuse where it is narrow: how its scale differs, and which
//! part of it the other panes show.

use conversation::{Action, Column};
use leptos::prelude::*;

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{FrameWord, filled};
use crate::text::headline;

/// How many times as high its plan is as what the others show, where it is the silhouette.
fn ratio_of(session: Session, column: Column) -> Option<f64> {
    let is_silhouette = session.silhouette() == Some(column);
    session.silhouette_ratio().filter(|_| is_silhouette)
}

/// How the scale of the silhouette differs from that of the other panes; gives all the same.
#[component]
pub(crate) fn Ratio(column: Column) -> impl IntoView {
    let session = session();
    let ratio = Memo::new(move |_| ratio_of(session, column).map(headline::ratio));
    move || {
        let says = filled(session.say(FrameWord::ScalesDiffer), &[&ratio.get()?]);
        Some(view! {
            <button
                class="ratio link"
                title=session.say(FrameWord::EvenPanesHint)
                on:click=move |_| act(session, Action::OwnScale(Some(false)))
            >
                {says}
            </button>
        })
    }
}

/// The part of the silhouette that the other panes show in full.
#[component]
pub(crate) fn Reach(column: Column) -> impl IntoView {
    let session = session();
    let share = Memo::new(move |_| Some(format!("{:.2}%", 100.0 / ratio_of(session, column)?)));
    move || {
        let share = share.get()?;
        Some(view! { <div class="reach" aria-hidden="true" style:height=share></div> })
    }
}
