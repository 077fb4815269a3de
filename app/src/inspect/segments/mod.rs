//! The segments of an allocator at one step: a table, each with a bar of the blocks in it.

mod bar;
mod row;

use std::cmp::Ordering;
use std::sync::Arc;

use conversation::{Action, Column, InsightAction};
use leptos::prelude::*;
use planner::query::Field;
use planner::space::{SegmentAt, segments_at};
use planner::waste::fullest;
use planner::{Segment, Segments, Sorting as _, Step};

use crate::drawing::beside::Beside;
use crate::format;
use crate::inspect::segments::bar::Here;
use crate::inspect::segments::row::Line;
use crate::lazy::tab;
use crate::state::driver::act;
use crate::state::insight::OnePlan;
use crate::state::session::{Session, session};
use crate::strings::{SegmentWord, filled};
use crate::tables::notes::{Head, PAGE, Pager, window};
use crate::text::quantity::size_text;

tab!(segments, SegmentWord::Tab, Table, |session| {
    let plan = plan_in_segments(session);
    Some(plan.map_or(0, |plan| segments(&plan).map_or(0, |it| it.list.len())))
});

/// The plan that views are about, else the deployed one, whichever lies in segments.
fn plan_in_segments(session: Session) -> Option<OnePlan> {
    let mut columns = [session.target(), Some(Column::Deployed)].into_iter();
    columns.find_map(|column| {
        let plan = session.one_plan(column);
        segments(&plan).is_some().then_some(plan)
    })
}

fn segments(plan: &OnePlan) -> Option<&Segments> {
    let (_, planned) = plan.0.as_ref()?;
    planned.judged.plan.segments.as_ref()
}

/// A column of the table, and so what it can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Address,
    Size,
    Stream,
    Pool,
    Kind,
    Used,
    Free,
    Largest,
}

const KEYS: [(Key, SegmentWord); 8] = [
    (Key::Address, SegmentWord::Address),
    (Key::Size, SegmentWord::Size),
    (Key::Stream, SegmentWord::Stream),
    (Key::Pool, SegmentWord::Pool),
    (Key::Kind, SegmentWord::Kind),
    (Key::Used, SegmentWord::Used),
    (Key::Free, SegmentWord::Free),
    (Key::Largest, SegmentWord::Largest),
];

/// What all rows have in common: what is under the pointer, where that is in the window, and which
/// blocks are pale.
#[derive(Clone, Copy)]
struct Pointed {
    here: RwSignal<Option<Here>>,
    at: RwSignal<(f64, f64)>,
    dim: Memo<Option<Arc<Vec<bool>>>>,
}

/// A plan in segments, at the step that is looked at, else at the one at which most is reserved.
#[derive(Clone, PartialEq)]
struct Moment {
    plan: OnePlan,
    step: Step,
    is_fullest: bool,
}

impl Moment {
    fn of(session: Session) -> Option<Self> {
        let plan = plan_in_segments(session)?;
        let segments = segments(&plan)?;
        let fullest = session.with_lifetimes(|lifetimes| fullest(lifetimes, segments))?;
        let step = session.insight.step.get().unwrap_or(fullest);
        Some(Self {
            step,
            is_fullest: step == fullest,
            plan,
        })
    }

    fn rows(&self, session: Session) -> Vec<SegmentAt> {
        let found = self.plan.0.as_ref().and_then(|(_, planned)| {
            let plan = &planned.judged.plan;
            session.with_lifetimes(|lifetimes| segments_at(lifetimes, plan, self.step))
        });
        found.unwrap_or_default()
    }

    fn segment(&self, row: &SegmentAt) -> Option<&Segment> {
        segments(&self.plan)?.list.get(row.segment as usize)
    }
}

fn compare(moment: &Moment, key: Key, a: &SegmentAt, b: &SegmentAt) -> Ordering {
    let pair = moment.segment(a).zip(moment.segment(b));
    let Some((one, other)) = pair else {
        return Ordering::Equal;
    };
    let by_address = a.address(one).cmp(&b.address(other));
    let order = match key {
        Key::Address => by_address,
        Key::Size => a.bytes.cmp(&b.bytes),
        Key::Stream => one.stream.cmp(&other.stream),
        Key::Pool => one.pool.cmp(&other.pool),
        Key::Kind => (one.small, one.expandable).cmp(&(other.small, other.expandable)),
        Key::Used => a.used().cmp(&b.used()),
        Key::Free => a.free.cmp(&b.free),
        Key::Largest => a.largest.cmp(&b.largest),
    };
    order.then(by_address)
}

/// The tab.
#[component]
fn Table() -> impl IntoView {
    let session = session();
    let moment = Memo::new(move |_| Moment::of(session));
    let sort = RwSignal::new((Key::Address, false));
    let page = RwSignal::new(0);
    let rows = Memo::new(move |_| {
        let moment = moment.get();
        moment.map_or_else(Vec::new, |it| it.rows(session))
    });
    let sorted = Memo::new(move |_| {
        let (mut rows, (key, falling)) = (rows.get(), sort.get());
        if let Some(moment) = moment.get() {
            rows.order_by(|a, b| {
                let order = compare(&moment, key, a, b);
                if falling { order.reverse() } else { order }
            });
        }
        rows
    });
    // The segment of what is selected elsewhere is on the page that shows.
    Effect::new(move |_| {
        let selected = session.selected.get();
        let holds = |row: &SegmentAt| selected.is_some_and(|it| row.blocks.contains(&it));
        if let Some(place) = sorted.with_untracked(|rows| rows.iter().position(holds)) {
            page.set(place / PAGE);
        }
    });
    let total = Signal::derive(move || rows.with(Vec::len));
    let pointed = Pointed {
        here: RwSignal::new(None),
        at: RwSignal::new((0.0, 0.0)),
        dim: Memo::new(move |_| session.dimmed()),
    };
    let body = move || {
        let moment = moment.get()?;
        let widest = rows.with(|rows| rows.iter().map(length).max())?;
        sorted.with(|rows| {
            let (from, to) = window(page.get(), rows.len());
            let rows = rows.get(from..to)?.iter().cloned().map(|row| Line {
                session,
                moment: moment.clone(),
                row: Arc::new(row),
            });
            Some(
                rows.filter_map(|it| it.view(pointed, widest))
                    .collect_view(),
            )
        })
    };
    let head = move |(key, word): (Key, SegmentWord)| {
        let define = match key {
            Key::Address => Some("segment"),
            Key::Stream => Some("stream"),
            _ => None,
        };
        view! { <Head key label=move || session.say(word).to_owned() sort page define/> }
    };
    let heads = move || {
        let [first, rest @ ..] = KEYS;
        let blocks = move || session.say(SegmentWord::Blocks);
        view! { {head(first)} <th scope="col" data-define="block">{blocks}</th> {rest.map(head).collect_view()} }
    };
    view! {
        <Show
            when=move || moment.with(Option::is_some)
            fallback=move || view! { <p class="empty">{move || session.say(SegmentWord::None)}</p> }
        >
            <div class="segments">
                <header>
                    <p class="sum">{move || title(session, &moment.get()?, &rows.get())}</p>
                    {move || back(session, &moment.get()?)}
                    <p class="hint">{move || session.say(SegmentWord::Hint)}</p>
                    <Pager page total/>
                </header>
                <table>
                    <thead>
                        <tr>{heads}</tr>
                    </thead>
                    <tbody>{body}</tbody>
                    <tfoot>{move || rows.with(|rows| sums(session, rows))}</tfoot>
                </table>
                <Card pointed/>
            </div>
        </Show>
    }
}

/// Bytes from the first that is there to the last.
fn length(row: &SegmentAt) -> u64 {
    let (low, high) = row.reach();
    high.0.saturating_sub(low.0)
}

fn title(session: Session, moment: &Moment, rows: &[SegmentAt]) -> Option<String> {
    let word = match moment.is_fullest {
        true => SegmentWord::AtPeak,
        false => SegmentWord::AtStep,
    };
    let bytes: u64 = rows.iter().map(|row| row.bytes.0).sum();
    let step = format::grouped(moment.step.0);
    let count = format::grouped(rows.len() as u64);
    let says = filled(session.say(word), &[&step, &format::bytes(bytes), &count]);
    Some(says)
}

/// Back to where most is reserved, from another step.
fn back(session: Session, moment: &Moment) -> Option<impl IntoView + use<>> {
    let back = move |_| act(session, Action::Insight(InsightAction::Step(None)));
    let says = session.say(SegmentWord::ToPeak);
    (!moment.is_fullest).then(|| view! { <button on:click=back>{says}</button> })
}

/// What all rows have together: the parts of what was reserved.
fn sums(session: Session, rows: &[SegmentAt]) -> impl IntoView + use<> {
    let sum = |of: fn(&SegmentAt) -> u64| rows.iter().map(of).sum::<u64>();
    let (bytes, free) = (sum(|row| row.bytes.0), sum(|row| row.free.0));
    let (used, unused) = (sum(|row| row.used().0), sum(|row| row.unused.0));
    let inside = free.saturating_sub(unused);
    let number = |bytes: u64| view! { <td class="number" title=format::exact(bytes)>{format::bytes(bytes)}</td> };
    let parts = filled(
        session.say(SegmentWord::SumFree),
        &[&format::bytes(unused), &format::bytes(inside)],
    );
    view! {
        <tr data-bytes=bytes.to_string() data-used=used.to_string() data-unused=unused.to_string() data-inside=inside.to_string()>
            <th scope="row">{session.say(SegmentWord::Sum)}</th>
            <td>{parts}</td>
            {number(bytes)}
            <td colspan="3"></td>
            {number(used)}
            {number(free)}
            <td></td>
        </tr>
    }
}

/// What is under the pointer, beside it.
#[component]
fn Card(pointed: Pointed) -> impl IntoView {
    let session = session();
    let free = move |bytes: u64| {
        let says = filled(session.say(SegmentWord::FreeHere), &[&size_text(bytes)]);
        view! { <Beside at=pointed.at><b>{says}</b></Beside> }.into_any()
    };
    let block = move |index: usize| {
        let (name, payload, size) = session.with_lifetimes(|lifetimes| {
            let it = lifetimes.buffers.get(index)?;
            Some((it.name.clone(), it.payload.0, it.size.0))
        })??;
        let caller = session.lookup.texts.get();
        let caller = caller.map(|it| it.0.first(Field::Caller, index).to_owned());
        let caller = caller.filter(|it| !it.is_empty()).map(|it| {
            view! { <dt>{session.say(SegmentWord::Caller)}</dt> <dd>{it}</dd> }
        });
        Some(
            view! {
                <Beside at=pointed.at>
                    <b>{name}</b>
                    <dl>
                        <dt>{session.say(SegmentWord::Asked)}</dt>
                        <dd>{size_text(payload)}</dd>
                        <dt data-define="block">{session.say(SegmentWord::Block)}</dt>
                        <dd>{size_text(size)}</dd>
                        {caller}
                    </dl>
                </Beside>
            }
            .into_any(),
        )
    };
    move || match pointed.here.get()? {
        Here::Block(index) => block(index),
        Here::Free(bytes) => Some(free(bytes)),
    }
}
