//! Films: the tab, and what the pictures show of them.

use crate::state::film::{Still, follow};
use crate::state::session::Session;
use conversation::Column;
use leptos::html::Canvas;
use leptos::prelude::*;
use planner::bounds::Bounds;
use planner::{Lifetimes, Profile};
use timeline::overlay_film::FilmMarks;
use timeline::scene::{Fill, Scene};
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::film::{Caption, Film, scene};
use crate::picture::film_marks;
use crate::picture::stage::View;

/// Makes rectangles of a film's picture.
type Staged = fn(&Still, &Lifetimes, (&Bounds, &Profile), &dyn Fn(usize) -> Fill) -> Scene;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) tab: fn() -> AnyView,
    /// What is said over a film's picture.
    pub(crate) caption: fn(Column, Memo<Option<Still>>) -> AnyView,
    /// The picture of a column's film at the step where it stands.
    pub(crate) follow: fn(Session, Column) -> Memo<Option<Still>>,
    /// That picture as rectangles.
    pub(crate) scene: Staged,
    /// What a film marks on that picture.
    pub(crate) marks: fn(Session, Column, &Still) -> FilmMarks,
    /// Keeps drawn on a canvas what a film marks.
    pub(crate) keep_drawn: fn(View, NodeRef<Canvas>),
}

static FUNCTIONS: Functions = Functions {
    tab: || view! { <Film/> }.into_any(),
    caption: |column, still| view! { <Caption column still/> }.into_any(),
    follow,
    scene: scene::scene,
    marks: scene::marks,
    keep_drawn: film_marks::keep_drawn,
};

#[wasm_split(film, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
