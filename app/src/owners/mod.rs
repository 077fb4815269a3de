//! Who holds the bytes: over time as bands, at a moment as a table of groups and as a flame graph
//! of stacks.

mod area;
mod bands;
mod flame;
mod groups;
mod moment;

use std::sync::Arc;

use conversation::{Grouping, When};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use planner::grouping::{FIELDS, Moment, held};
use planner::query::{Field, Query};
use planner::{Bytes, Step};
use worker::Prepared;

use crate::format;
use crate::lazy::tab;
use crate::state::session::{Session, session};
use crate::strings::{HeldWord, filled};
use crate::text::block;

tab!(held, HeldWord::Tab, Held);

/// Bands of so many buffers are drawn with the table.
const AT_ONCE: usize = 20_000;

/// How long those of more wait, so that the table is seen before.
const A_FRAME_MS: u32 = 20;

/// What one of [`FIELDS`] is called; of categories whether the file says them.
fn word(session: Session, field: Field) -> HeldWord {
    match field {
        Field::Caller => HeldWord::Caller,
        Field::Source => HeldWord::Source,
        Field::Phase => HeldWord::Phase,
        Field::Category if says_categories(session) => HeldWord::Category,
        Field::Category => HeldWord::Inferred,
        Field::Module => HeldWord::Module,
        Field::Op => HeldWord::Operator,
        Field::Stream => HeldWord::Stream,
        Field::Frame => HeldWord::Frame,
        Field::Role => HeldWord::Role,
        _ => HeldWord::Name,
    }
}

/// Whether the file says what each buffer holds, as torch's timeline does.
fn says_categories(session: Session) -> bool {
    let says = |it: &Arc<Prepared>| it.subject.notes.iter().any(|note| note.category.is_some());
    session
        .prepared
        .with(|prepared| prepared.as_ref().is_some_and(says))
}

/// The buffers of the moment, each with the bytes that it needs then.
#[derive(Clone, Debug, PartialEq)]
struct Holders {
    when: When,
    moment: Moment,
    /// The step at which they need these bytes.
    step: Step,
    held: Arc<Vec<(usize, Bytes)>>,
}

impl Holders {
    fn bytes(&self) -> u64 {
        let bytes = self.held.iter().map(|it| it.1.0);
        bytes.fold(0, u64::saturating_add)
    }
}

fn holders(session: Session) -> Option<Holders> {
    let grouping = session.insight.grouping.get();
    let looked = session.insight.step.get();
    session.prepared.with(|prepared| {
        let prepared = prepared.as_ref()?;
        let lifetimes = &prepared.subject.lifetimes;
        let peak = prepared.bounds.peak;
        let last = Step(lifetimes.horizon.0.saturating_sub(1));
        let when = grouping.when(&prepared.subject);
        let (moment, step) = match when {
            When::Peak => (Moment::At(peak), peak),
            When::Looked => {
                let step = looked.unwrap_or(peak);
                (Moment::At(step), step)
            }
            When::End => (Moment::End, last),
            // Whichever of both was typed first.
            When::Between(one, other) => {
                let (from, to) = (one.min(other), one.max(other));
                (Moment::Between(from, to), to)
            }
        };
        Some(Holders {
            when,
            moment,
            step,
            held: Arc::new(held(lifetimes, moment)),
        })
    })
}

/// What is grouped by: what was chosen, else the first that the file says something of.
fn field(session: Session) -> Field {
    let grouping = session.insight.grouping.get();
    session.lookup.texts.with(|texts| {
        let knows = |field: &Field| texts.as_ref().is_some_and(|it| it.0.knows(*field));
        let first = || FIELDS.into_iter().find(knows);
        let listed = |field: &Field| FIELDS.contains(field);
        let chosen = grouping.field.filter(|it| listed(it) && knows(it));
        chosen.or_else(first).unwrap_or(Field::Name)
    })
}

/// What finds the group of a moment.
fn query(field: Field, text: &str, moment: Moment) -> String {
    let group = Query::equal(field, text);
    match moment {
        Moment::At(step) => format!("{group} and live at {}", step.0),
        Moment::Between(..) | Moment::End => group.to_string(),
    }
}

/// What bands are of: what is grouped by, of many buffers a moment later, for bands look at all of
/// them, and the table only at those of a moment.
fn banded(session: Session) -> RwSignal<Option<Field>> {
    let banded = RwSignal::new(None);
    let timer = StoredValue::new_local(None::<Timeout>);
    let by = Memo::new(move |_| field(session));
    Effect::new(move |_| {
        let field = Some(by.get());
        let buffers = session.with_lifetimes(|lifetimes| lifetimes.buffers.len());
        if buffers.is_none_or(|buffers| buffers <= AT_ONCE) {
            banded.set(field);
        } else {
            let later = Timeout::new(A_FRAME_MS, move || banded.set(field));
            timer.set_value(Some(later));
        }
    });
    banded
}

/// The tab.
#[component]
fn Held() -> impl IntoView {
    let session = session();
    let holders = Memo::new(move |_| holders(session));
    let has_stacks = Memo::new(move |_| {
        session.prepared.with(|prepared| {
            let prepared = prepared.as_ref();
            prepared.is_some_and(|it| !it.subject.stacks.frames.is_empty())
        })
    });
    let width = RwSignal::new(0.0);
    let banded = banded(session);
    let chart = Memo::new(move |_| {
        let chart = area::Chart::new(session, banded.get()?, width.get());
        chart.map(Arc::new)
    });
    let summary = move || {
        let holders = holders.get()?;
        let tensors = format::grouped(holders.held.len() as u64);
        let step = format::grouped(holders.step.0);
        let bytes = format::bytes(holders.bytes());
        let said = |word, from: &str| {
            let parts = [bytes.as_str(), tensors.as_str(), step.as_str(), from];
            filled(&block::say(session, word), &parts)
        };
        Some(match (holders.when, holders.moment) {
            (When::End, _) => said(HeldWord::AtEnd, ""),
            (_, Moment::Between(from, _)) => said(HeldWord::Added, &format::grouped(from.0)),
            _ => said(HeldWord::AtStep, ""),
        })
    };
    view! {
        <div class="held">
            <header>
                <p class="sum" data-bytes=move || holders.get().map(|it| it.bytes().to_string())>{summary}</p>
                <moment::Choice/>
            </header>
            <section>
                <groups::Groups holders chart/>
            </section>
            <section class="over-time">
                <bands::Bands holders chart width/>
            </section>
            <Show when=move || has_stacks.get()>
                <section>
                    <flame::Flame holders/>
                </section>
            </Show>
        </div>
    }
}

/// Changes what is grouped.
fn set(session: Session, change: impl FnOnce(&mut Grouping)) {
    use conversation::{Action, InsightAction};
    let mut grouping = session.insight.grouping.get_untracked();
    change(&mut grouping);
    let action = Action::Insight(InsightAction::Group(grouping));
    crate::state::driver::act(session, action);
}
