//! Films: the tab, and what the pictures show of them.

use conversation::Column;
use leptos::html::Canvas;
use leptos::prelude::*;
use planner::bounds::Bounds;
use planner::{Lifetimes, Profile};
use timeline::overlay_film::FilmMarks;
use timeline::scene::{Fill, Scene};

use crate::drawing::view::View;
use crate::state::film::Still;
use crate::state::session::Session;

/// Makes rectangles of a film's picture.
pub(crate) type Staged =
    fn(&Still, &Lifetimes, (&Bounds, &Profile), &dyn Fn(usize) -> Fill) -> Scene;

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
