//! The figures of a sweep as a table; a value there plans at it.

use std::sync::Arc;

use leptos::prelude::*;
use planner::Strategy;
use planner::sweep::{Over, Point};

use super::Swept;
use super::curves::{Curves, name, now, plan};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{SweepWord as W, Word, filled};
use crate::text::fault::said;

/// The table.
#[component]
pub(super) fn Rows(sweep: Swept, curves: Memo<Option<Arc<Curves>>>) -> impl IntoView {
    let session = session();
    let over = Memo::new(move |_| curves.with(|it| it.as_ref().map(|it| it.over.clone())));
    let strategies = Memo::new(move |_| {
        let of = sweep.with(|it| it.as_ref().map(|it| it.range.strategies.clone()));
        of.unwrap_or_default()
    });
    let current = Memo::new(move |_| over.get().map(|over| now(session, &over)));
    let points = move || {
        let points = sweep.with(|it| it.as_ref().map(|it| it.points.clone()));
        points.unwrap_or_default().into_iter().enumerate()
    };
    let shown = Shown {
        over,
        strategies,
        current,
    };
    let number = |text: String| view! { <th scope="col" class="number">{text}</th> };
    let head = move || {
        let over = over
            .get()
            .map(|over| name(session, &over))
            .unwrap_or_default();
        let fixed = [session.say(Word::Bound), session.say(W::Naive)].map(str::to_owned);
        let names = strategies.get().into_iter().map(|it| it.name().to_owned());
        let columns = fixed.into_iter().chain(names).map(number).collect_view();
        view! { <tr><th scope="col">{over}</th> {columns} <th scope="col">{session.say(W::Note)}</th></tr> }
    };
    // What is told apart by its place, and by the sweep that it is of.
    let key = |(place, point): &(usize, Arc<Point>)| (*place, Arc::as_ptr(point) as usize);
    view! {
        <div class="wide">
            <table class="points" aria-label=move || session.say(W::Table)>
                <thead>{head}</thead>
                <tbody>
                    <For each=points key=key let:row>
                        {one(session, shown, row.1)}
                    </For>
                </tbody>
            </table>
        </div>
    }
}

/// What every row is about.
#[derive(Clone, Copy)]
struct Shown {
    over: Memo<Option<Over>>,
    strategies: Memo<Vec<Strategy>>,
    /// The value that is planned.
    current: Memo<Option<u64>>,
}

fn one(session: Session, shown: Shown, point: Arc<Point>) -> impl IntoView {
    let Shown {
        over,
        strategies,
        current,
    } = shown;
    let value = point.value;
    // No dimension of the model is to be bound.
    let choosable = move || over.with_untracked(|over| *over != Some(Over::Batch));
    let press = move |_| {
        if let Some(over) = over.get_untracked() {
            plan(session, &over, value);
        }
    };
    let hint = move || {
        let name = over.get().map(|over| name(session, &over));
        let texts = [name.unwrap_or_default(), format::grouped(value)];
        filled(
            session.say(W::PlanAt),
            &texts.each_ref().map(String::as_str),
        )
    };
    let is_current = move || (current.get() == Some(value)).then_some("true");
    let cells = figures(&point, strategies.get_untracked().len());
    let labels = move |place: usize| match place {
        0 => session.say(Word::Bound),
        1 => session.say(W::Naive),
        _ => strategies.with(|all| all.get(place - 2).map_or("", |it| it.name())),
    };
    let cells = cells.into_iter().enumerate().map(|(place, bytes)| {
        let text = bytes.map_or_else(|| "–".to_owned(), format::exact);
        view! { <td class="number" data-label=move || labels(place)>{text}</td> }
    });
    let cells: Vec<_> = cells.collect();
    let note = move || note(session, &point, &strategies.get());
    view! {
        <tr data-value=value.to_string() aria-current=is_current>
            <th scope="row">
                {match choosable() {
                    true => view! { <button class="link" title=hint on:click=press>{format::grouped(value)}</button> }.into_any(),
                    false => format::grouped(value).into_any(),
                }}
            </th>
            {cells}
            <td class="note">{note}</td>
        </tr>
    }
}

/// Bound, naive, and the arena of each strategy.
fn figures(point: &Point, strategies: usize) -> Vec<Option<u64>> {
    match &point.found {
        Ok(found) => {
            let arenas = found.arenas.iter();
            let arenas = arenas.map(|it| it.as_ref().ok().map(|it| it.0));
            let fixed = [Some(found.bound.0), Some(found.naive.0)];
            fixed.into_iter().chain(arenas).collect()
        }
        Err(_) => vec![None; 2 + strategies],
    }
}

/// Why figures are not there, and what they leave out.
fn note(session: Session, point: &Point, strategies: &[Strategy]) -> String {
    let found = match &point.found {
        Ok(found) => found,
        Err(error) => return said(session, error),
    };
    let left_out = (found.unsized_tensors > 0).then(|| {
        let count = format::grouped(found.unsized_tensors);
        filled(session.say(W::Unsized), &[&count])
    });
    let failed = strategies.iter().zip(&found.arenas);
    let failed = failed.filter_map(|(strategy, arena)| {
        let error = said(session, arena.as_ref().err()?);
        Some(format!("{}: {error}", strategy.name()))
    });
    let all: Vec<String> = left_out.into_iter().chain(failed).collect();
    all.join("; ")
}
