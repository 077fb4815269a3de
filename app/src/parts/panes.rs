//! What is opened beside the picture: tables, films, comparisons, the help, and what is taken away.

use crate::state::difference::Compared;
use crate::state::film::{Still, follow};
use crate::state::session::Session;
use conversation::Column;
use std::sync::Arc;

use leptos::html::Canvas;
use leptos::prelude::*;
use planner::bounds::Bounds;
use planner::{Lifetimes, Profile};
use timeline::scene::{Fill, Scene};
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::difference::Differences;
use crate::drawing::coloring::Colors;
use crate::film::{Caption, Film, scene};
use crate::frame::help::Help;
use crate::inspect::waste::Waste;
use crate::picture::stage::View;
use crate::picture::{difference_marks, film_marks};
use crate::tables::notes::Notes;
use crate::tables::operators::Operators;
use crate::tables::tensors::Tensors;
use crate::take_home::export::export;
use crate::take_home::share::ShareDialog;

/// Makes rectangles of a film's picture.
type Staged = fn(&Still, &Lifetimes, (&Bounds, &Profile), &dyn Fn(usize) -> Fill) -> Scene;

/// The part's functions.
pub(crate) struct Panes {
    pub(crate) waste: fn() -> AnyView,
    pub(crate) film: fn() -> AnyView,
    pub(crate) differences: fn() -> AnyView,
    pub(crate) operators: fn() -> AnyView,
    pub(crate) tensors: fn() -> AnyView,
    pub(crate) notes: fn() -> AnyView,
    pub(crate) help: fn() -> AnyView,
    pub(crate) share: fn() -> AnyView,
    /// Takes a plan away as a file of this kind.
    pub(crate) export: fn(Session, Column, Memo<Colors>, &str),
    /// What differs between the compared plans.
    pub(crate) compare: fn(Session) -> Option<Arc<Compared>>,
    /// What is said over a film's picture.
    pub(crate) caption: fn(Column, Memo<Option<Still>>) -> AnyView,
    /// The picture of a column's film at the step where it stands.
    pub(crate) follow: fn(Session, Column) -> Memo<Option<Still>>,
    /// That picture as rectangles.
    pub(crate) scene: Staged,
    /// Keeps drawn on their canvases what a film marks, and what differs.
    pub(crate) keep_drawn: fn(View, [NodeRef<Canvas>; 2]),
}

static PANES: Panes = Panes {
    waste: || view! { <Waste/> }.into_any(),
    film: || view! { <Film/> }.into_any(),
    differences: || view! { <Differences/> }.into_any(),
    operators: || view! { <Operators/> }.into_any(),
    tensors: || view! { <Tensors/> }.into_any(),
    notes: || view! { <Notes/> }.into_any(),
    help: || view! { <Help/> }.into_any(),
    share: || view! { <ShareDialog/> }.into_any(),
    export,
    compare: Session::compare_plans,
    caption: |column, still| view! { <Caption column still/> }.into_any(),
    follow,
    scene: scene::scene,
    keep_drawn: |here, [film, differences]| {
        film_marks::keep_drawn(here, film);
        difference_marks::keep_drawn(here, differences);
    },
};

#[wasm_split(panes, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&PANES)
}
