//! What the colours and patterns of the picture mean.

use leptos::prelude::*;
use timeline::palette::{PATTERNS, RAMP, RAMP_START, Theme};
use timeline::scene::Fill;

use super::painter::theme;
use crate::coloring::Legend;
use crate::format;
use crate::state::session::session;
use crate::words::{Word, filled};

/// The legend.
#[component]
pub(crate) fn LegendView() -> impl IntoView {
    let session = session();
    let colors = crate::colors();
    move || {
        let theme = theme(session.is_dark());
        Some(match colors.with(|colors| colors.legend.clone()) {
            Legend::None => return None,
            Legend::Sizes(least, most) => ramp(&theme, format::bytes(least), format::bytes(most)),
            Legend::Ages(least, most) => {
                let steps =
                    |count| filled(session.say(Word::StepCount), &[&format::grouped(count)]);
                ramp(&theme, steps(least), steps(most))
            }
            Legend::Operators(kinds, more) => {
                let entry = |(kind, fill): (String, Fill)| {
                    view! { <li>{swatch(&theme, fill)} {kind}</li> }
                };
                let more = (more > 0).then(|| view! { <li>{format!("+{more}")}</li> });
                view! {
                    <ul class="legend">{kinds.into_iter().map(entry).collect_view()} {more}</ul>
                }
                .into_any()
            }
        })
    }
}

/// A ramp between two figures.
fn ramp(theme: &Theme, least: String, most: String) -> AnyView {
    let color = |level| css(theme.fill(RAMP_START + level));
    let swatches = (0..RAMP).map(|level| view! { <i style:background-color=color(level)></i> });
    view! {
        <p class="ramp">
            <span>{least}</span>
            <b>{swatches.collect_view()}</b>
            <span>{most}</span>
        </p>
    }
    .into_any()
}

/// A square of a fill, with its pattern as the picture draws it.
fn swatch(theme: &Theme, fill: Fill) -> impl IntoView + use<> {
    let ink = css(theme.ink(fill.color));
    let rows = PATTERNS[usize::from(fill.pattern) % PATTERNS.len()];
    let dots = rows.into_iter().enumerate().flat_map(|(y, row)| {
        let set = (0..8_usize).filter(move |x| row >> x & 1 == 1);
        set.map(move |x| format!("M{x} {y}h1v1h-1z"))
    });
    let dots: String = dots.collect();
    view! {
        <svg viewBox="0 0 8 8" aria-hidden="true">
            <rect width="8" height="8" fill=css(theme.fill(fill.color))></rect>
            <path d=dots fill=ink></path>
        </svg>
    }
}

fn css([r, g, b]: [u8; 3]) -> String {
    format!("rgb({r} {g} {b})")
}
