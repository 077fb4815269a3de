//! The dialog about a file that cannot be opened as it is: it asks what the columns of a table mean
//! that does not say it itself, or which events of a recording to hold that has too many, or shows
//! what a text says of memory that has no plan in it.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::{CaseAction, Dialog, Notice, PageAction};
use leptos::html::{Dialog as DialogElement, Input};
use leptos::prelude::*;
use planner::Span;
use planner::load::{Columns, Excerpt, Fault, LoadError, Meaning, Table};

use super::figures::said;
use crate::drawing::modal::keep_open;
use crate::format::all_grouped;
use crate::strings::{GivenWord as W, Word};
use crate::text::fault;

/// What is asked, in this order; `Upper` stands for either end.
const ASKED: [(Meaning, W, W); 7] = [
    (Meaning::Lower, W::ColumnLower, W::ColumnChoose),
    (Meaning::Upper, W::ColumnEnd, W::ColumnChoose),
    (Meaning::Size, W::ColumnSize, W::ColumnChoose),
    (Meaning::Id, W::ColumnId, W::ColumnNumber),
    (Meaning::Name, W::ColumnName, W::ColumnNone),
    (Meaning::Offset, W::ColumnOffset, W::ColumnNone),
    (Meaning::Alignment, W::ColumnAlignment, W::ColumnNone),
];

/// The dialog.
#[component]
pub(crate) fn ColumnsDialog() -> impl IntoView {
    let session = session();
    let dialog = NodeRef::<DialogElement>::new();
    let open = Memo::new(move |_| session.dialog.get() == Some(Dialog::Columns));
    keep_open(dialog, move || open.get());
    let close = move || {
        // A table that is opened has closed it already.
        if open.get_untracked() {
            act(session, PageAction::Dialog(None));
        }
    };
    let many = move || match session.notice.get() {
        Some(Notice::Refused(_, error)) => match error.kind {
            Fault::Range(excerpt) => Some((error, excerpt)),
            _ => None,
        },
        _ => None,
    };
    let many = Memo::new(move |_| many().filter(|_| session.table.with(Option::is_none)));
    let body = move || {
        if !open.get() {
            return None;
        }
        if let Some(figures) = session.figures.get() {
            return Some(said(session, &figures).into_any());
        }
        if let Some((error, excerpt)) = many.get() {
            return Some(range(session, &error, excerpt).into_any());
        }
        let table = session.table.get()?;
        Some(view! { {form(session, &table)} {rows(&table)} }.into_any())
    };
    let words = move || match (
        session.figures.with(Option::is_some),
        many.with(Option::is_some),
    ) {
        (true, _) => (W::FiguresTitle, W::FiguresSay),
        (_, true) => (W::RangeTitle, W::RangeSay),
        _ => (W::ColumnsTitle, W::ColumnsSay),
    };
    view! {
        <dialog class="meanings" node_ref=dialog aria-labelledby="meanings-title" on:close=move |_| close()>
            <header>
                <h2 id="meanings-title">{move || session.say(words().0)}</h2>
                <button class="quiet" on:click=move |_| close() aria-label=move || session.say(Word::Close)>"×"</button>
            </header>
            <p>{move || session.say(words().1)}</p>
            {body}
        </dialog>
    }
}

/// Which events to hold: the range that is proposed, to be changed.
fn range(session: Session, error: &LoadError, excerpt: Excerpt) -> impl IntoView + use<> {
    let span = RwSignal::new((excerpt.span.start.0, excerpt.span.end.0));
    // The dialog may open before this field is in it: the focus would be on its close button.
    let begin = NodeRef::<Input>::new();
    begin.on_load(|input| {
        let _ = input.focus();
    });
    let number = move |word: W, name: &'static str, is_end: bool| {
        let node = if is_end { NodeRef::new() } else { begin };
        let value = move || {
            let (first, end) = span.get();
            if is_end { end } else { first }.to_string()
        };
        let change = move |event| {
            let number = event_target_value(&event)
                .trim()
                .parse()
                .unwrap_or(u64::MAX);
            span.update(|(first, end)| *(if is_end { end } else { first }) = number);
        };
        view! {
            <label>
                <span>{session.say(word)}</span>
                <input type="number" min="0" max=excerpt.events data-range=name autofocus=!is_end node_ref=node prop:value=value on:change=change/>
            </label>
        }
    };
    let chosen = move || {
        let (first, end) = span.get();
        let fits = first < end && end <= excerpt.events && end - first <= excerpt.most;
        fits.then(|| Span::new(first, end))
    };
    let read = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if let Some(span) = chosen() {
            act(session, CaseAction::ReadRange(span));
        }
    };
    view! {
        <form on:submit=read>
            <p>{all_grouped(&fault::said(session, &error.message))}</p>
            <div class="asked">
                {number(W::RangeFirst, "first", false)}
                {number(W::RangeEnd, "end", true)}
            </div>
            <button type="submit" class="primary" disabled=move || chosen().is_none()>
                {session.say(W::ColumnsOpen)}
            </button>
        </form>
    }
}

/// What is chosen so far: the column of each meaning that is asked for, empty for none; and
/// whether the end is the last step.
#[derive(Clone, PartialEq)]
struct Choice {
    columns: [String; ASKED.len()],
    inclusive: bool,
}

impl Choice {
    fn guessed(guess: &Columns) -> Self {
        let column = |(meaning, ..): (Meaning, W, W)| {
            let means = |it: Meaning| it == meaning || ends(it) && ends(meaning);
            let mut pairs = guess.0.iter();
            let pair = pairs.find(|(other, _)| means(*other));
            pair.map(|(_, column)| column.clone()).unwrap_or_default()
        };
        Self {
            columns: ASKED.map(column),
            inclusive: guess.0.iter().any(|(meaning, _)| *meaning == Meaning::End),
        }
    }

    /// Whether a meaning is missing that is needed.
    fn lacks(&self) -> bool {
        let needed = ASKED.iter().zip(&self.columns);
        let mut needed = needed.filter(|((.., none), _)| *none == W::ColumnChoose);
        needed.any(|(_, column)| column.is_empty())
    }

    fn is_twice(&self) -> bool {
        let columns = self.columns.iter().enumerate();
        let mut chosen = columns.filter(|(_, column)| !column.is_empty());
        chosen.any(|(at, column)| self.columns[..at].contains(column))
    }

    /// What was chosen, and what was guessed of columns that nobody asks for.
    fn columns(&self, guess: &Columns) -> Columns {
        let asked = ASKED.iter().zip(&self.columns);
        let asked = asked.map(|((meaning, ..), column)| match meaning {
            Meaning::Upper if self.inclusive => (Meaning::End, column.clone()),
            meaning => (*meaning, column.clone()),
        });
        let is_asked = |it: Meaning| ends(it) || ASKED.iter().any(|(asked, ..)| *asked == it);
        let others = guess
            .0
            .iter()
            .filter(|(meaning, column)| !is_asked(*meaning) && !self.columns.contains(column));
        Columns(asked.chain(others.cloned()).collect())
    }
}

fn ends(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Upper | Meaning::End)
}

fn form(session: Session, table: &Table) -> impl IntoView + use<> {
    let choice = RwSignal::new(Choice::guessed(&table.guess));
    let mut names: Vec<String> = Vec::new();
    for name in table.names.iter().filter(|name| !name.is_empty()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let selects = ASKED
        .into_iter()
        .enumerate()
        .map(|(place, (meaning, word, none))| {
            let value = move || choice.with(|choice| choice.columns[place].clone());
            let change = move |event| {
                choice.update(|choice| choice.columns[place] = event_target_value(&event));
            };
            let options = names.iter().cloned().map(|name| {
                let (text, is) = (name.clone(), name.clone());
                view! { <option value=name selected=move || value() == is>{text}</option> }
            });
            let options = options.collect_view();
            view! {
                <label>
                    <span>{session.say(word)}</span>
                    <select data-meaning=meaning.name() prop:value=value on:change=change>
                        <option value="">{session.say(none)}</option>
                        {options}
                    </select>
                </label>
            }
        });
    let selects = selects.collect_view();
    let end = [(false, W::EndExclusive), (true, W::EndInclusive)].map(|(inclusive, word)| {
        view! {
            <label class="check">
                <input
                    type="radio"
                    name="end-is"
                    value=if inclusive { "inclusive" } else { "exclusive" }
                    prop:checked=move || choice.with(|choice| choice.inclusive == inclusive)
                    on:change=move |_| choice.update(|choice| choice.inclusive = inclusive)
                />
                <span>{session.say(word)}</span>
            </label>
        }
    });
    let guess = table.guess.clone();
    let read = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let columns = choice.with_untracked(|choice| choice.columns(&guess));
        act(session, CaseAction::ReadAs(columns));
    };
    let twice = move || choice.with(Choice::is_twice);
    view! {
        <form on:submit=read>
            <div class="asked">{selects}</div>
            <fieldset>
                <legend>{session.say(W::EndIs)}</legend>
                {end}
            </fieldset>
            <p role="status">{move || twice().then(|| session.say(W::ColumnTwice))}</p>
            <button
                type="submit"
                class="primary"
                disabled=move || twice() || choice.with(Choice::lacks)
            >
                {session.say(W::ColumnsOpen)}
            </button>
        </form>
    }
}

/// The first rows, to see what is in the columns.
fn rows(table: &Table) -> impl IntoView + use<> {
    let names = table.names.iter().cloned();
    let head = names.map(|name| view! { <th scope="col">{name}</th> });
    let head = head.collect_view();
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().cloned().map(|cell| view! { <td>{cell}</td> });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="rows" tabindex="0">
            <table>
                <thead><tr>{head}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
