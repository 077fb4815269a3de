//! What each pass rewrote and what it refused, each leading to its rectangles.

use std::sync::Arc;

use conversation::{Action, StagesAction};
use leptos::prelude::*;
use planner::passes::Reason;
use planner::stages::{FoundByName, StageRow, Staged};

use super::name;
use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{self, StageWord as W, filled};
use crate::text::fault::said;

/// So many rows are shown before somebody asks for more.
const FIRST: usize = 100;

/// A list for each pass that looked at anything.
#[component]
pub(super) fn Findings(found: Memo<Option<Arc<Staged>>>) -> impl IntoView {
    let session = session();
    let lists = move || {
        let staged = found.get()?;
        let pairs = staged.rows.windows(2);
        let lists = pairs.map(|pair| of_pass(session, &pair[0], &pair[1]));
        Some(view! { {blocked(session, &staged)} {lists.collect_view()} })
    };
    view! { <div class="findings">{lists}</div> }
}

/// That fewer passes end smaller.
fn blocked(session: Session, staged: &Staged) -> Option<impl IntoView + use<>> {
    let found = staged.blocked.as_ref()?;
    let arena = staged.rows.last()?.arena.as_ref().ok()?.0;
    let called = found.passes.iter().map(|name| match strings::pass(name) {
        Some((called, _)) => session.say(called),
        None => name.as_str(),
    });
    let called = called.collect::<Vec<_>>().join(", ");
    let less = format::bytes(arena.saturating_sub(found.arena.0));
    let own = format::bytes(found.arena.0);
    let says = filled(session.say(W::Blocked), &[&called, &own, &less]);
    Some(view! { <p class="blocked">{says}</p> })
}

fn of_pass(session: Session, before: &StageRow, row: &StageRow) -> AnyView {
    let called = name(session, row);
    if let Some(why) = row.left_alone {
        let why = said(session, &why.message());
        let says = filled(session.say(W::Unchanged), &[&called, &why]);
        return view! { <p data-pass=row.name()>{says}</p> }.into_any();
    }
    let order = row.order.map(|found| {
        let figures = [found.before, found.peak, found.bound].map(|it| format::bytes(it.0));
        let [before, peak, bound] = &figures;
        let says = filled(session.say(W::Ordered), &[&called, before, peak, bound]);
        let proven = found.proven.then(|| session.say(W::Optimal));
        let kinds = row.in_order.join(", ");
        let kept = (!kinds.is_empty()).then(|| filled(session.say(W::InOrder), &[&kinds]));
        view! { <p data-pass=row.name()>{says} " " {proven} " " {kept}</p> }
    });
    let listed = (!row.found.is_empty()).then(|| list(session, &called, before.until(), row));
    view! { {order} {listed} }.into_any()
}

fn list(session: Session, called: &str, before: u8, row: &StageRow) -> impl IntoView + use<> {
    let found: Arc<Vec<FoundByName>> = Arc::new(row.found.clone());
    let refused = found.iter().filter(|it| it.refused.is_some()).count();
    let count = |count: usize| format::grouped(count as u64);
    let summary = [
        filled(session.say(W::Made), &[&count(found.len() - refused)]),
        filled(session.say(W::Refused), &[&count(refused)]),
    ];
    let summary = format!("{called}: {}", summary.join(" · "));
    let only_refused = RwSignal::new(false);
    let most = RwSignal::new(FIRST);
    let open = RwSignal::new(false);
    let kept = Memo::new({
        let found = Arc::clone(&found);
        move |_| {
            let only = only_refused.get();
            let places = 0..found.len();
            let kept = places.filter(|&at| !only || found[at].refused.is_some());
            kept.collect::<Vec<usize>>()
        }
    });
    let rows = move || {
        let shown = kept.get().into_iter().take(most.get());
        let rows = shown.map(|at| one(session, before, &found[at]));
        open.get().then(|| rows.collect_view())
    };
    let rest = move || kept.with(Vec::len).saturating_sub(most.get());
    view! {
        <details data-pass=row.name() on:toggle=move |_| open.set(true)>
            <summary>{summary}</summary>
            <label class="check" hidden=refused == 0>
                <input
                    type="checkbox"
                    prop:checked=move || only_refused.get()
                    on:change=move |event| only_refused.set(event_target_checked(&event))
                />
                <span>{session.say(W::OnlyRefused)}</span>
            </label>
            <div class="wide">
                <table class="proposals">
                    <thead>
                        <tr>
                            <th scope="col">{session.say(W::What)}</th>
                            <th scope="col">{session.say(W::Tensors)}</th>
                            <th scope="col">{session.say(W::Operators)}</th>
                            <th scope="col">{session.say(W::Why)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <button hidden=move || rest() == 0 on:click=move |_| most.update(|most| *most *= 4)>
                {move || filled(session.say(W::Rest), &[&format::grouped(rest() as u64)])}
            </button>
        </details>
    }
}

fn one(session: Session, before: u8, found: &FoundByName) -> impl IntoView + use<> {
    let tensor = |name: &String| {
        let (tensor, label) = (name.clone(), name.clone());
        let lead = move |_| {
            let action = StagesAction::Lead(tensor.clone(), before);
            act(session, Action::Stages(action));
        };
        view! {
            <button class="link" title=session.say(W::Lead) on:click=lead>{label}</button>
            " "
        }
    };
    let why = match &found.refused {
        None => session.say(W::Done).to_owned(),
        Some((reason, op)) => {
            let why = match reason {
                Reason::RaisesPeak { from, to } => {
                    let bytes = [from, to].map(|it| format::bytes(it.0));
                    filled(session.say(W::Raises), &[&bytes[0], &bytes[1]])
                }
                _ => said(session, &reason.message()),
            };
            match op {
                Some(op) => format!("{why} ({op})"),
                None => why,
            }
        }
    };
    view! {
        <tr class:refused=found.refused.is_some()>
            <th scope="row"><code>{said(session, &found.what)}</code></th>
            <td>{found.tensors.iter().map(tensor).collect_view()}</td>
            <td>{found.ops.join(", ")}</td>
            <td>{why}</td>
        </tr>
    }
}
