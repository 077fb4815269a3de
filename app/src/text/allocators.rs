//! What allocators reserve for the same requests, as a table.

use leptos::prelude::*;
use planner::advice::{AllocatorKind, AllocatorRow, Allocators};

use crate::format;
use crate::state::session::{Session, to_f64};
use crate::strings::AdviceWord as W;
use crate::text::fault::said;

/// The table: a row for each.
pub(crate) fn table(session: Session, found: &Allocators) -> impl IntoView + use<> {
    let most = found.rows.iter().filter_map(|row| row.reserved).max();
    let most = to_f64(most.map_or(1, |most| most.0.max(1)));
    let rows = found.rows.iter().map(|it| row(session, it, most));
    view! {
        <div class="wide">
            <table class="proposals allocators">
                <thead>
                    <tr>
                        <th scope="col">{session.say(W::Allocator)}</th>
                        <th scope="col" class="number">{session.say(W::Reserved)}</th>
                        <th scope="col" class="number">{session.say(W::Used)}</th>
                        <th scope="col"></th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

fn row(session: Session, it: &AllocatorRow, most: f64) -> impl IntoView + use<> {
    let name = session.say(match it.kind {
        AllocatorKind::AsItWas => W::AsItWas,
        AllocatorKind::Caching => W::CachingAllocator,
        AllocatorKind::Expandable => W::Expandable,
        AllocatorKind::Gmlake => W::Gmlake,
        AllocatorKind::Tlsf => W::Tlsf,
        AllocatorKind::Stalloc => W::Stalloc,
        AllocatorKind::Best => W::BestPlan,
        AllocatorKind::Bound => W::LowerBound,
    });
    let Some(reserved) = it.reserved else {
        let why = it.unknown.as_ref().map(|why| said(session, why));
        return view! {
            <tr data-allocator=it.kind.name()>
                <th scope="row">{name}</th>
                <td colspan="3" class="hint">{why}</td>
            </tr>
        }
        .into_any();
    };
    let used = it.utilisation().map(|share| {
        let (whole, tenth) = (share / 10, share % 10);
        format!("{whole}.{tenth} %")
    });
    let width = format!("{:.1}", 100.0 * to_f64(reserved.0) / most);
    view! {
        <tr data-allocator=it.kind.name()>
            <th scope="row">{name}</th>
            <td class="number" data-label=session.say(W::Reserved) title=format::exact(reserved.0)>
                {format::bytes(reserved.0)}
            </td>
            <td class="number" data-label=session.say(W::Used)>{used}</td>
            <td class="bars">
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect width=width height="10"/>
                </svg>
            </td>
        </tr>
    }
    .into_any()
}
