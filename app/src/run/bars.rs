//! Promised, allocated and touched bytes as bars of one scale, with the arena without reuse
//! as a dimmed fourth.

use crate::state::session::{Session, to_f64};
use executor::verify::report::Report;
use leptos::prelude::*;
use planner::Bytes;

use crate::format;
use crate::strings::{ValueWord, Word};

pub(super) fn bars(session: Session, report: &Report) -> impl IntoView + use<> {
    let touched = report.audit.as_ref().ok().map(|audit| audit.touched);
    let naive = report.naive.as_ref().ok().map(|naive| naive.arena);
    let rows = [
        (
            "promised",
            Word::Promised,
            Word::PromisedHint,
            Some(report.promised),
        ),
        (
            "allocated",
            Word::Allocated,
            Word::AllocatedHint,
            Some(report.allocated),
        ),
        ("touched", Word::Touched, Word::TouchedHint, touched),
        ("naive", Word::NaiveArena, Word::NaiveArenaHint, naive),
    ];
    let most = rows.iter().filter_map(|row| row.3).max();
    let most = to_f64(most.unwrap_or(Bytes(1)).0.max(1));
    let rows = rows.into_iter().filter_map(|(class, word, hint, bytes)| {
        let bytes = bytes?;
        let width = format!("{:.3}%", to_f64(bytes.0) / most * 100.0);
        Some(view! {
            <div class=format!("figure {class}") data-figure=class data-bytes=bytes.0.to_string()>
                <dt title=session.say(hint) data-define=class tabindex="0">{session.say(word)}</dt>
                <dd>
                    <span class="bar-of" aria-hidden="true">
                        <span class="level" style:width=width></span>
                    </span>
                    <b>{format::bytes(bytes.0)}</b>
                    " "
                    <span class="size">{format::exact(bytes.0)}</span>
                </dd>
            </div>
        })
    });
    view! {
        <dl class="bytes">{rows.collect_view()}</dl>
        <p class="size">{session.say(ValueWord::ByConstruction)}</p>
    }
}
