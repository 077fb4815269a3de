//! One segment as a row: its figures, its bar, and the ways from there into the picture.

use std::sync::Arc;

use conversation::Action;
use leptos::prelude::*;
use planner::Segment;
use planner::attribution::stream;
use planner::space::SegmentAt;
use timeline::scene::Rect;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

use super::bar::{Bar, Here, share_of};
use super::{Moment, Pointed, length};
use crate::drawing::painter::theme;
use crate::format;
use crate::inspect::waste::bring_picture;
use crate::picture::look;
use crate::state::driver::act;
use crate::state::session::{Session, to_f64};
use crate::strings::{SegmentWord, filled};

/// A row of the table.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) session: Session,
    pub(super) moment: Moment,
    pub(super) row: Arc<SegmentAt>,
}

impl Line {
    fn with<T>(&self, ask: impl FnOnce(&Bar<'_>) -> T) -> Option<T> {
        let (_, planned) = self.moment.plan.0.as_ref()?;
        self.session.with_lifetimes(|lifetimes| {
            ask(&Bar {
                row: &self.row,
                lifetimes,
                plan: &planned.judged.plan,
            })
        })
    }

    /// Whether a block lies in it at this step.
    fn holds(&self, index: usize) -> bool {
        let plan = self.moment.plan.0.as_ref().map(|(_, it)| &it.judged.plan);
        let segments = plan.and_then(|plan| plan.segments.as_ref());
        // Most rows are others: their blocks need not be looked through.
        segments.is_some_and(|it| it.of_buffer.get(index) == Some(&self.row.segment))
            && self.row.blocks.contains(&index)
    }

    /// Shows it in the picture, where its plan is seen then.
    fn show(&self) -> Option<()> {
        let (session, column) = (self.session, self.moment.plan.0.as_ref()?.0);
        let segment = self.moment.segment(&self.row)?;
        if !session
            .shown
            .with_untracked(|shown| shown.contains(&column))
        {
            act(session, Action::Show(column, true));
        }
        let scale = untrack(|| session.scale_of(column));
        let (low, high) = self.row.reach();
        let rect = Rect {
            x0: to_f64(segment.span.start.0),
            x1: to_f64(segment.span.end.0),
            y0: to_f64(low.0) / scale,
            y1: to_f64(high.0) / scale,
        };
        act(session, look::on_rect(session, rect));
        bring_picture();
        Some(())
    }

    /// Arrow keys go from block to block.
    fn walk(&self, event: &KeyboardEvent) {
        let forward = match event.key().as_str() {
            "ArrowRight" => true,
            "ArrowLeft" => false,
            _ => return,
        };
        event.prevent_default();
        let selected = self.session.selected.get_untracked();
        let next = untrack(|| self.with(|bar| bar.next(selected, forward))).flatten();
        if next.is_some() {
            act(self.session, Action::Select(next));
        }
    }

    /// The row; `widest` is the length of the longest segment.
    pub(super) fn view(self, pointed: Pointed, widest: u64) -> Option<impl IntoView + use<>> {
        let (session, row) = (self.session, Arc::clone(&self.row));
        let segment = self.moment.segment(&row)?;
        let (low, high) = row.reach();
        let hint = [low, high].map(|it| format!("{:#x}", it.0));
        let hint = filled(
            session.say(SegmentWord::RowHint),
            &hint.each_ref().map(String::as_str),
        );
        let pool = match segment.pool {
            (0, 0) => String::new(),
            (one, other) => format!("({one}, {other})"),
        };
        let bytes = |bytes: u64| view! { <td class="number" title=format::exact(bytes)>{format::bytes(bytes)}</td> };
        let whole = row.free == row.bytes;
        let free =
            whole.then(|| view! { " " <small>{session.say(SegmentWord::WhollyFree)}</small> });
        let address = format!("{:#x}", row.address(segment));
        let (kind, stream) = (kind(session, segment), stream(segment.stream));
        let (shown, walked, holder) = (self.clone(), self.clone(), self.clone());
        let current = move || session.selected.get().is_some_and(|it| holder.holds(it));
        Some(view! {
            <tr
                class:free=whole
                aria-current=move || current().then_some("true")
                data-segment=row.segment.to_string()
                data-bytes=row.bytes.0.to_string()
                data-free=row.free.0.to_string()
                on:click=move |_| { shown.show(); }
                on:keydown=move |event| walked.walk(&event)
            >
                <th scope="row"><button class="link" title=hint>{address}</button></th>
                <td>{self.bar(pointed, widest)}</td>
                {bytes(row.bytes.0)}
                <td>{stream}</td>
                <td>{pool}</td>
                <td>{kind} {free}</td>
                {bytes(row.used().0)}
                {bytes(row.free.0)}
                {bytes(row.largest.0)}
            </tr>
        })
    }

    fn bar(self, pointed: Pointed, widest: u64) -> impl IntoView + use<> {
        let session = self.session;
        let count = format::grouped(self.row.blocks.len() as u64);
        let label = filled(session.say(SegmentWord::BarLabel), &[&count]);
        let width = 100.0 * to_f64(length(&self.row)) / to_f64(widest.max(1));
        let (drawn, outlined, under) = (self.clone(), self.clone(), self);
        let picture = move || {
            let (theme, dim) = (theme(session.is_dark()), pointed.dim.get());
            let dim = dim.as_ref().map(|dim| dim.as_slice());
            session
                .colors
                .with(|colors| drawn.with(|bar| bar.view(&theme, &colors.fills, dim)))
        };
        let outlines = move || {
            let marks = [
                (session.hovered.get(), "hovered"),
                (session.selected.get(), "selected"),
            ];
            marks.map(|(index, class)| {
                let index = index.filter(|it| outlined.holds(*it))?;
                outlined.with(|bar| bar.outline(index, class))?
            })
        };
        let find = StoredValue::new(move |event: &MouseEvent| {
            let share = share_of(event)?;
            untrack(|| under.with(|bar| bar.at(share))).flatten()
        });
        let point = move |event: PointerEvent| {
            let here = find.with_value(|find| find(&event));
            pointed
                .at
                .set((f64::from(event.client_x()), f64::from(event.client_y())));
            hover(session, pointed, here);
        };
        let choose = move |event: MouseEvent| {
            if let Some(Here::Block(index)) = find.with_value(|find| find(&event)) {
                event.stop_propagation();
                act(session, Action::Select(Some(index)));
            }
        };
        view! {
            <svg
                viewBox="0 0 1000 10"
                preserveAspectRatio="none"
                role="img"
                aria-label=label
                style:width=format!("{width:.3}%")
                on:pointermove=point
                on:pointerleave=move |_| hover(session, pointed, None)
                on:click=choose
            >
                {picture}
                {outlines}
            </svg>
        }
    }
}

/// Small or large, and whether it can grow.
fn kind(session: Session, segment: &Segment) -> String {
    let kind = session.say(match segment.small {
        true => SegmentWord::Small,
        false => SegmentWord::Large,
    });
    match segment.expandable {
        true => filled(session.say(SegmentWord::Expandable), &[kind]),
        false => kind.to_owned(),
    }
}

fn hover(session: Session, pointed: Pointed, here: Option<Here>) {
    if pointed.here.get_untracked() == here {
        return;
    }
    pointed.here.set(here);
    let block = match here {
        Some(Here::Block(index)) => Some(index),
        Some(Here::Free(_)) | None => None,
    };
    act(session, Action::Hover(block));
}
