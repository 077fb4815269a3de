//! Where the time of the run that is shown goes.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use conversation::Action;
use executor::verify::report::{Report, Roofline, Stopwatch};
use leptos::prelude::*;
use runner::profile::{By, Row, roofline, rows};

use crate::format;
use crate::strings::{ValueWord as Word, filled};

/// Rows that are shown; the copy has all.
const SHOWN: usize = 40;
/// Bars of the picture: more would be thinner than a pixel.
const BARS: usize = 600;

const HEADS: [Word; 9] = [
    Word::Kind,
    Word::Steps,
    Word::Time,
    Word::Share,
    Word::Moved,
    Word::Work,
    Word::Bandwidth,
    Word::Rate,
    Word::OfRoof,
];

#[component]
pub(super) fn Profile() -> impl IntoView {
    let session = session();
    let by = RwSignal::new(By::Kind);
    move || {
        let (_, outcome) = session.runs.outcome()?;
        let report = outcome.result.as_ref().ok()?;
        let Some(rows) = rows(report, by.get()) else {
            return Some(section(
                session,
                view! { <p>{session.say(Word::ProfileNone)}</p> },
            ));
        };
        let roof = roofline(report);
        let total: f64 = rows.iter().map(|row| row.time).sum();
        let says = said(session, report, (total, roof));
        let choose = [By::Kind, By::Layer, By::Step].map(|one| {
            let word = word_of(one);
            view! {
                <button aria-pressed=(by.get() == one).to_string() on:click=move |_| by.set(one)>
                    {session.say(word)}
                </button>
            }
        });
        let text = text(session, &rows, (by.get(), total, roof));
        let heads = heads(session, by.get());
        let heads = heads.into_iter().enumerate();
        let heads = heads.map(|(place, head)| {
            view! { <th scope="col" class:number={place > 0}>{head}</th> }
        });
        let body = rows.iter().take(SHOWN);
        let body = body.map(|row| {
            let cells =
                cells(row, total, roof).map(|cell| view! { <td class="number">{cell}</td> });
            view! { <tr><th scope="row">{row.name.clone()}</th>{cells.collect_view()}</tr> }
        });
        Some(section(
            session,
            view! {
                <p class="size">{says}</p>
                {bars(session, report)}
                <div class="controls">
                    {choose.collect_view()}
                    <button data-profile="copy" on:click=move |_| act(session, Action::Copy(text.clone()))>
                        {session.say(Word::Copy)}
                    </button>
                </div>
                <table>
                    <caption class="unseen">{session.say(Word::ProfileTitle)}</caption>
                    <thead><tr>{heads.collect_view()}</tr></thead>
                    <tbody>{body.collect_view()}</tbody>
                </table>
            },
        ))
    }
}

/// What was measured, and how.
fn said(session: Session, report: &Report, (total, roof): (f64, Roofline)) -> String {
    let by = report.step_times.as_ref().map(|times| times.by);
    let times = match by {
        Some(Stopwatch::Submissions) => Word::BySubmissions,
        Some(Stopwatch::Timestamps) | None => Word::ByTimestamps,
    };
    let limits = match report.roofline {
        Some(_) => Word::RoofApart,
        None => Word::RoofSeen,
    };
    let (bandwidth, flops) = (rate(roof.bandwidth, "B/s"), rate(roof.flops, "FLOP/s"));
    format!(
        "{} {}",
        filled(session.say(times), &[&format::duration(total)]),
        filled(session.say(limits), &[&bandwidth, &flops])
    )
}

fn section(session: Session, inner: impl IntoView + 'static) -> AnyView {
    view! {
        <section class="profile results" aria-label=session.say(Word::ProfileTitle)>
            <header><h3>{session.say(Word::ProfileTitle)}</h3></header>
            {inner}
        </section>
    }
    .into_any()
}

fn word_of(by: By) -> Word {
    match by {
        By::Kind => Word::ByKind,
        By::Layer => Word::ByLayer,
        By::Step => Word::ByStep,
    }
}

fn heads(session: Session, by: By) -> [&'static str; 9] {
    let first = match by {
        By::Kind => Word::Kind,
        By::Layer => Word::Layer,
        By::Step => Word::Step,
    };
    let mut heads = HEADS.map(|word| session.say(word));
    heads[0] = session.say(first);
    heads
}

/// All but the name.
fn cells(row: &Row, total: f64, roof: Roofline) -> [String; 8] {
    let share = if total > 0.0 { row.time / total } else { 0.0 };
    [
        format::grouped(row.steps),
        format::duration(row.time),
        format::percent(share),
        format::bytes(row.moved),
        scaled(to_f64(row.flops)),
        rate(row.bandwidth(), "B/s"),
        rate(row.flop_rate(), "FLOP/s"),
        format::percent(row.of_roofline(roof)),
    ]
}

/// A table for a spreadsheet, with plain numbers.
fn text(session: Session, rows: &[Row], (by, total, roof): (By, f64, Roofline)) -> String {
    let mut text = heads(session, by).join("\t");
    for row in rows {
        let share = if total > 0.0 { row.time / total } else { 0.0 };
        text.push_str(&format!(
            "\n{}\t{}\t{}\t{share}\t{}\t{}\t{}\t{}\t{}",
            row.name,
            row.steps,
            row.time,
            row.moved,
            row.flops,
            row.bandwidth(),
            row.flop_rate(),
            row.of_roofline(roof),
        ));
    }
    text
}

/// A number with a decimal prefix.
fn scaled(number: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let mut rest = number;
    let mut prefix = 0;
    while rest >= 1000.0 && prefix + 1 < prefixes.len() {
        rest /= 1000.0;
        prefix += 1;
    }
    match rest >= 100.0 || prefix == 0 {
        true => format!("{rest:.0} {}", prefixes[prefix]),
        false => format!("{rest:.1} {}", prefixes[prefix]),
    }
}

fn rate(number: f64, unit: &str) -> String {
    format!("{}{unit}", scaled(number))
}

/// The time of every step as a bar, in the order of the run.
fn bars(session: Session, report: &Report) -> AnyView {
    let times = report.step_times.as_ref();
    let times = times.map_or(&[][..], |times| &times.milliseconds);
    // Of many steps the longest of neighbours stands for them.
    let together = times.len().div_ceil(BARS).max(1);
    let longest: Vec<f64> = times
        .chunks(together)
        .map(|chunk| chunk.iter().copied().fold(0.0, f64::max))
        .collect();
    let most = longest.iter().copied().fold(0.0, f64::max);
    let count = to_f64(longest.len() as u64);
    let bars = longest.iter().enumerate().map(|(index, time)| {
        let height = if most > 0.0 { time / most * 60.0 } else { 0.0 };
        let first = index * together;
        let step = report.steps.get(first);
        let name = step.map(|step| format!("{first} {}: ", step.name));
        let title = format!("{}{}", name.unwrap_or_default(), format::duration(*time));
        view! {
            <rect
                x=format!("{}", index) y=format!("{:.2}", 60.0 - height)
                width="0.9" height=format!("{height:.2}")
            ><title>{title}</title></rect>
        }
    });
    view! {
        <svg
            class="profile-bars" role="img" aria-label=session.say(Word::Bar)
            viewBox=format!("0 0 {count} 60") preserveAspectRatio="none"
        >
            {bars.collect_view()}
        </svg>
    }
    .into_any()
}
