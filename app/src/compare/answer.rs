//! What the comparison answers first: what the smallest plan needs, and why another needs more.

use conversation::{Action, Column, Progress};
use leptos::prelude::*;
use planner::{Family, Strategy};

use super::table::arena;
use crate::format;
use crate::state::insight::SomeLoss;
use crate::state::session::{Session, session};
use crate::strings::{self, AnswerWord as W, filled};
use crate::text::linked::linked;
use crate::text::title::title;

/// A strategy that deployed runtimes use.
const KNOWN: Column = Column::Strategy(Strategy::GreedyBySize);

/// The sentences: about the column that was asked about, else about one that is in view, else
/// about the next larger plan.
#[component]
pub(super) fn Answer(asked: RwSignal<Option<Column>>) -> impl IntoView {
    let session = session();
    let says = Memo::new(move |_| {
        let plans = taken(session);
        let best = *plans
            .iter()
            .min_by_key(|(column, bytes)| (*bytes, place(*column)))?;
        let larger = |(_, bytes): &&(Column, u64)| *bytes > best.1;
        let shown = session.shown.get();
        let seen = plans.iter().filter(larger).find(|(column, _)| {
            shown.contains(column) && *column != Column::Strategy(Strategy::Naive)
        });
        // Of those that nobody looks at, one that most people know, or the next larger plan.
        let known = |(column, _): &&(Column, u64)| *column == KNOWN;
        let least = || plans.iter().filter(larger).min_by_key(|(_, bytes)| *bytes);
        // While plans come in, the next larger one is another every moment.
        let least = || least().filter(|_| !waits(session));
        let next = || plans.iter().filter(larger).find(known).or_else(least);
        let of = match asked.get() {
            Some(column) => Some(column),
            None => seen.or_else(next).map(|(column, _)| *column),
        };
        let mut says = invalid(session, &shown) + &smallest(session, best);
        if let Some(of) = of.filter(|column| *column != best.0) {
            let bytes = plans.iter().find(|(column, _)| *column == of);
            says += session.say(W::Then);
            says += &compared(session, best, of, bytes.map(|(_, bytes)| *bytes));
        }
        Some((says, best.0, of))
    });
    let about = move || asked.get().map(Column::name);
    let there = Memo::new(move |_| says.with(Option::is_some));
    let sentence = move |(says, best, of): (String, Column, Option<Column>)| {
        let columns = std::iter::once(best).chain(of);
        let plans = columns.map(|it| (title(session, it), Action::Show(it, true)));
        let top = of.and_then(|of| top(session, of));
        let top = top.map(|(index, name)| (name, Action::Select(Some(index))));
        linked(session, &says, plans.chain(top).collect())
    };
    // The paragraph stays; what it says is another, and nothing in it moves.
    view! {
        <Show when=move || there.get()>
            <p class="answer" role="status" data-about=about>
                <For each=move || says.get() key=|said| said.clone() let:said>
                    {sentence(said)}
                </For>
            </p>
        </Show>
    }
}

/// Whether plans are still to come.
fn waits(session: Session) -> bool {
    let comes = |it: &Progress| it.planned().is_none() && !matches!(it, Progress::Failed(_));
    session.plans.with(|plans| plans.values().any(comes))
}

/// The plans in view that break a rule: however small they are, they do not count.
fn invalid(session: Session, shown: &[Column]) -> String {
    let breaks = |column: &&Column| {
        let planned = session.planned(**column);
        planned.is_some_and(|it| !it.judged.violations.is_empty())
    };
    let says = |column: &Column| filled(session.say(W::Invalid), &[&title(session, *column)]);
    shown.iter().filter(breaks).map(says).collect()
}

/// Among plans of the same size the first that people look for.
fn place(column: Column) -> bool {
    column != Column::Strategy(Strategy::Best)
}

/// What each valid plan takes.
fn taken(session: Session) -> Vec<(Column, u64)> {
    session.plans.with(|plans| {
        let taken = |(column, progress): (&Column, &Progress)| Some((*column, arena(progress)?.0));
        plans.iter().filter_map(taken).collect()
    })
}

fn smallest(session: Session, (column, bytes): (Column, u64)) -> String {
    let name = title(session, column);
    let taken = format::bytes(bytes);
    let bound = session.planned(column).map(|it| it.judged.metrics.bound.0);
    match session.is_optimal(column) {
        true => filled(session.say(W::Least), &[&name, &taken]),
        false => {
            let bound = format::bytes(bound.unwrap_or_default());
            filled(session.say(W::Smallest), &[&name, &taken, &bound])
        }
    }
}

/// What a column needs beside the smallest plan, and why.
fn compared(session: Session, best: (Column, u64), column: Column, bytes: Option<u64>) -> String {
    let name = title(session, column);
    let Some(bytes) = bytes else {
        return filled(session.say(W::NoPlan), &[&name]);
    };
    let taken = format::bytes(bytes);
    let Some(more) = bytes.checked_sub(best.1).filter(|more| *more > 0) else {
        return filled(session.say(W::AsLittle), &[&name, &taken]);
    };
    let more = format::bytes(more);
    // Two figures that read the same would contradict the third.
    let taken = match taken == format::bytes(best.1) {
        true => format::exact(bytes),
        false => taken,
    };
    let says = filled(session.say(W::More), &[&name, &taken, &more]);
    says + &reason(session, column, &title(session, best.0)) + &decisive(session, column)
}

/// What the way in which a strategy decides costs; otherwise, what it does.
fn reason(session: Session, column: Column, best: &str) -> String {
    let Column::Strategy(strategy) = column else {
        return session.say(W::Given).to_owned();
    };
    let metrics = session.planned(column).map(|it| it.judged.metrics);
    let metrics = metrics.filter(|_| strategy != Strategy::Naive);
    if let Some((metrics, blocks)) = metrics.and_then(|it| Some((it, it.objects?))) {
        let word = match metrics.arena == metrics.model_bound {
            true => W::BlocksLeast,
            false => W::Blocks,
        };
        return filled(session.say(word), &[&format::grouped(blocks), best]);
    }
    match strategy.description().family {
        Family::Baseline => session.say(W::NoReuse).to_owned(),
        Family::Search => session.say(W::Order).to_owned(),
        Family::TfliteGpu
        | Family::Deployed
        | Family::Online
        | Family::Coloring
        | Family::Packing => {
            let does = strings::strategy(strategy, session.language.get());
            filled(session.say(W::Does), &[does])
        }
    }
}

/// What lies on top where the plan is decided, and how much is empty below it then, once that is
/// known.
fn decisive(session: Session, column: Column) -> String {
    let naive = column == Column::Strategy(Strategy::Naive);
    let Some(SomeLoss(loss)) = session.loss(column).filter(|_| !naive) else {
        return String::new();
    };
    let Some((_, name)) = top(session, column) else {
        return String::new();
    };
    let (step, empty) = (format::grouped(loss.step.0), format::bytes(loss.empty().0));
    filled(session.say(W::AtStep), &[&name, &step, &empty])
}

/// The tensor that lies on top where a column's plan is decided: which, and its name.
fn top(session: Session, column: Column) -> Option<(usize, String)> {
    let index = *session.loss(column)?.0.top.first()?;
    let name = session.with_lifetimes(|it| Some(it.buffers.get(index)?.name.clone()));
    Some((index, name.flatten()?))
}
