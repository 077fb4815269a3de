//! The schedule as Checkmate draws it (Jain et al. 2020, figure 4): a column for each node, a
//! row for each stretch that ends with a node's first run; what is computed there, what again,
//! and what is kept meanwhile.

use leptos::prelude::*;
use planner::Program;
use planner::schedule::Action;

use crate::state::session::session;
use crate::strings::TrainingWord as W;

/// More nodes than this cannot be told apart.
const MOST_NODES: usize = 1200;

/// The picture.
#[component]
pub(super) fn Staircase() -> impl IntoView {
    let session = session();
    let drawn = move || {
        let trains = session.settings.get().training.is_some();
        let prepared = session.prepared.get().filter(|_| trains)?;
        let program = prepared.subject.program.as_ref()?;
        let count = program.graph.ops.len();
        if count == 0 {
            return None;
        }
        if count > MOST_NODES {
            return Some(view! { <p>{session.say(W::TooManyNodes)}</p> }.into_any());
        }
        let [kept, first, again] = paths(program);
        let size = format!("0 0 {count} {count}");
        let says = session.say(W::StaircaseTitle);
        let entries = [
            ("kept", W::Kept),
            ("first", W::First),
            ("again", W::Recomputed),
        ];
        let entries = entries.map(|(class, word)| {
            view! { <span class=class><i></i>{session.say(word)}</span> }
        });
        let picture = view! {
            <figure class="staircase">
                <svg viewBox=size role="img" aria-label=says preserveAspectRatio="none">
                    <path class="kept" d=kept/>
                    <path class="first" d=first/>
                    <path class="again" d=again/>
                </svg>
                <figcaption>{says} " " {entries.collect_view()}</figcaption>
            </figure>
        };
        Some(picture.into_any())
    };
    view! { {drawn} }
}

/// What is kept, computed first and computed again, as squares of one unit.
fn paths(program: &Program) -> [String; 3] {
    let count = program.graph.ops.len();
    let [mut kept, mut first, mut again] = [const { String::new() }; 3];
    // Since which row each value is there.
    let mut since: Vec<Option<usize>> = vec![None; count];
    let mut row = 0;
    let square = |path: &mut String, node: usize, row: usize| {
        *path += &format!("M{node} {row}h1v1h-1z");
    };
    for step in &program.schedule.steps {
        match step.action {
            Action::Compute(op) => {
                square(&mut first, op.index(), row);
                if let Some(it) = since.get_mut(op.index()) {
                    *it = Some(row);
                }
                row += 1;
            }
            Action::Recompute(op) => {
                square(&mut again, op.index(), row);
                if let Some(it) = since.get_mut(op.index()) {
                    *it = Some(row);
                }
            }
            Action::Free(storage) | Action::Evict(storage) => {
                let node = storage.index();
                let begun = since.get_mut(node).and_then(Option::take);
                if let Some(begun) = begun.filter(|begun| begun + 1 < row) {
                    let rows = row - begun - 1;
                    kept += &format!("M{node} {}h1v{rows}h-1z", begun + 1);
                }
            }
            _ => {}
        }
    }
    [kept, first, again]
}
