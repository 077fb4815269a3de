//! What colours mean: the choice, and what each colour and pattern of the picture means.

use conversation::{Action, Coloring, Mode};
use leptos::prelude::*;
use planner::Residencies;
use timeline::palette::{PATTERNS, Theme};
use timeline::scene::{AGAIN, Fill, HATCH, VIEW};
use web_sys::Event;

use crate::drawing::painter::theme;
use crate::format;
use crate::state::coloring::{Entry, Label, effective, is_known};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{QueryWord, Word, filled};

/// What can be coloured by, and its word.
#[derive(Clone, Copy)]
enum Named {
    Word(Word),
    Query(QueryWord),
}

const CHOICES: [(Coloring, Named); 9] = [
    (Coloring::Operator, Named::Word(Word::ColorOperator)),
    (Coloring::Role, Named::Query(QueryWord::ColorRole)),
    (Coloring::Size, Named::Word(Word::ColorSize)),
    (Coloring::Age, Named::Word(Word::ColorAge)),
    (Coloring::Caller, Named::Query(QueryWord::ColorCaller)),
    (Coloring::Module, Named::Query(QueryWord::ColorModule)),
    (Coloring::Phase, Named::Query(QueryWord::ColorPhase)),
    (Coloring::Stream, Named::Query(QueryWord::ColorStream)),
    (Coloring::Waste, Named::Query(QueryWord::ColorWaste)),
];

/// The choice of what colours mean. What the file does not say cannot be chosen, and says so.
#[component]
fn ColoringChoice() -> impl IntoView {
    let session = session();
    let choose = move |event: Event| {
        if let Some(coloring) = Coloring::named(&event_target_value(&event)) {
            act(session, Action::Color(coloring));
        }
    };
    let chosen = Memo::new(move |_| {
        let coloring = session.coloring.get();
        session.lookup.texts.with(|texts| match texts {
            Some(texts) => effective(coloring, &texts.0),
            None => coloring.unwrap_or_default(),
        })
    });
    let option = move |(coloring, named): (Coloring, Named)| {
        let known = Memo::new(move |_| {
            let texts = session.lookup.texts.get();
            texts.is_none_or(|texts| is_known(coloring, &texts.0))
        });
        let label = move || {
            let name = match named {
                Named::Word(word) => session.say(word),
                Named::Query(word) => session.say(word),
            };
            match known.get() {
                true => name.to_owned(),
                false => filled(session.say(QueryWord::NotSaid), &[name]),
            }
        };
        view! {
            <option
                value=coloring.name()
                disabled=move || !known.get()
                selected=move || chosen.get() == coloring
            >
                {label}
            </option>
        }
    };
    view! {
        <select id="coloring" prop:value=move || chosen.get().name() on:change=choose>
            {CHOICES.map(option).collect_view()}
        </select>
    }
}

/// The legend. A line of it is a query: it shows what has its colour.
#[component]
pub(crate) fn LegendView() -> impl IntoView {
    let session = session();
    let colors = session.colors;
    let entries = Memo::new(move |_| colors.with(|colors| colors.legend.clone()));
    let lines = move || {
        let theme = theme(session.is_dark());
        let entries = entries.get().into_iter();
        entries
            .map(|entry| line(session, &theme, entry))
            .collect_view()
    };
    view! {
        <fieldset class="colors">
            <legend>{move || session.say(QueryWord::Colors)}</legend>
            <label>
                <span>{move || session.say(Word::ColorBy)}</span>
                <ColoringChoice/>
            </label>
            <ul class="legend">{lines}</ul>
            <Marks/>
        </fieldset>
    }
}

/// The legend in a row, before an audience.
#[component]
pub(crate) fn LegendLine() -> impl IntoView {
    let session = session();
    let presented = move || session.frame.with(|frame| frame.mode == Mode::Presenter);
    let lines = move || {
        let theme = theme(session.is_dark());
        let entries = session.colors.get().legend.into_iter();
        let line = |entry: Entry| {
            let kind = label(session, &entry.label);
            view! { <li>{swatch(&theme, entry.fill)} " " {kind}</li> }
        };
        entries.map(line).collect_view()
    };
    move || presented().then(|| view! { <ul class="legend line">{lines}</ul> })
}

/// What stands for parts of buffers, of those that there are.
#[component]
fn Marks() -> impl IntoView {
    let session = session();
    let there = Memo::new(move |_| {
        let there = session.with_lifetimes(|lifetimes| {
            let pauses = lifetimes.buffers.iter().any(|it| !it.pauses.is_empty());
            let views = !lifetimes.views.is_empty();
            let again = Residencies::of(lifetimes).returns().next().is_some();
            [
                views,
                pauses || again,
                again,
                !lifetimes.handovers.is_empty(),
            ]
        });
        there.unwrap_or_default()
    });
    let marks = move || {
        let theme = theme(session.is_dark());
        let pattern = |pattern| swatch(&theme, Fill { color: 0, pattern }).into_any();
        let seam = view! {
            <svg viewBox="0 0 8 8" aria-hidden="true">
                <path d="M4 0v8" stroke="currentColor" stroke-dasharray="2"></path>
            </svg>
        };
        let all = [
            (pattern(VIEW), QueryWord::MarkView),
            (pattern(HATCH), QueryWord::MarkPause),
            (pattern(AGAIN), QueryWord::MarkAgain),
            (seam.into_any(), QueryWord::MarkSeam),
        ];
        let all = all.into_iter().zip(there.get());
        let shown = all.filter(|(_, there)| *there).map(|((sign, word), _)| {
            view! { <li>{sign} <span>{session.say(word)}</span></li> }
        });
        shown.collect_view()
    };
    let any = move || there.get().contains(&true);
    view! { <ul class="legend marks" hidden=move || !any()>{marks}</ul> }
}

fn line(session: Session, theme: &Theme, entry: Entry) -> impl IntoView + use<> {
    let label = label(session, &entry.label);
    let hint = filled(session.say(QueryWord::LegendHint), &[&entry.query]);
    let figures = figures(&entry);
    let query = StoredValue::new(entry.query);
    let on = move || query.with_value(|query| session.is_sought(query));
    let press = move |_| query.with_value(|query| session.seek(query));
    view! {
        <li>
            <button aria-pressed=move || on().to_string() title=hint on:click=press>
                {swatch(theme, entry.fill)}
                <span class="kind">{label}</span>
                <span class="figures">{figures}</span>
            </button>
        </li>
    }
}

/// How many tensors it is about, and their bytes.
fn figures(entry: &Entry) -> String {
    let count = format::grouped(entry.buffers as u64);
    format!("{count} · {}", format::bytes(entry.bytes))
}

/// What a fill means, with its figures.
pub(crate) fn meaning(session: Session, entry: &Entry) -> String {
    format!("{} {}", label(session, &entry.label), figures(entry))
}

fn label(session: Session, label: &Label) -> String {
    let say = |word: QueryWord, values: &[&str]| filled(session.say(word), values);
    match label {
        Label::Text(text) => text.clone(),
        Label::Word(word) => session.say(*word).to_owned(),
        Label::Others(count) => say(QueryWord::Others, &[&format::grouped(*count as u64)]),
        Label::Bytes(low, None) => say(QueryWord::FromBytes, &[&format::bytes(*low)]),
        Label::Bytes(low, Some(high)) => {
            let (low, high) = (format::bytes(*low), format::bytes(*high));
            say(QueryWord::BelowBytes, &[&low, &high])
        }
        Label::Steps(low, None) => say(QueryWord::FromSteps, &[&format::grouped(*low)]),
        Label::Steps(low, Some(high)) if low + 1 == *high => {
            say(QueryWord::OneStep, &[&format::grouped(*low)])
        }
        Label::Steps(low, Some(high)) => {
            let (low, last) = (format::grouped(*low), format::grouped(high - 1));
            say(QueryWord::FewerSteps, &[&low, &last])
        }
    }
}

/// A square of a fill, with its pattern as the picture draws it.
pub(crate) fn swatch(theme: &Theme, fill: Fill) -> impl IntoView + use<> {
    let ink = css(theme.ink(fill.color));
    view! {
        <svg viewBox="0 0 8 8" aria-hidden="true">
            <rect width="8" height="8" fill=css(theme.fill(fill.color))></rect>
            <path d=dots(fill) fill=ink></path>
        </svg>
    }
}

/// The pattern of a fill as a path in a square of 8.
pub(crate) fn dots(fill: Fill) -> String {
    let rows = PATTERNS[usize::from(fill.pattern) % PATTERNS.len()];
    let dots = rows.into_iter().enumerate().flat_map(|(y, row)| {
        let set = (0..8_usize).filter(move |x| row >> x & 1 == 1);
        set.map(move |x| format!("M{x} {y}h1v1h-1z"))
    });
    dots.collect()
}

/// A colour for a style sheet.
pub(crate) fn css([r, g, b]: [u8; 3]) -> String {
    format!("rgb({r} {g} {b})")
}
