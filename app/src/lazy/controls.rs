//! What people do, and everything around the picture.

use conversation::{Column, Progress};
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::motion::Motion;
use timeline::scene::Scene;
use web_sys::{ClipboardEvent, DragEvent, KeyboardEvent};
use worker::Prepared;

use crate::drawing::painter::Picture;
use crate::drawing::pointed::Pointed;
use crate::drawing::view::View;
use crate::lazy::Source;
use crate::state::film::Still;
use crate::state::lookup::Seeking;
use crate::state::session::Session;

/// Makes what stands in the head of a column's pane: its plan as far as it is, and its film.
pub(crate) type Head = fn(Column, Memo<Option<Progress>>, Memo<Option<Still>>) -> AnyView;

/// What follows from what happens on a picture.
pub(crate) type Pointing = Box<dyn Fn(Pointed)>;

/// The part's functions.
pub(crate) struct Functions {
    /// Begins to follow what only people change.
    pub(crate) start: fn(Session),
    /// Opens what was open before the page was loaded anew.
    pub(crate) bring_back: fn(Session, String),
    pub(crate) pressed: fn(Session, &KeyboardEvent),
    pub(crate) pasted: fn(Session, &ClipboardEvent),
    pub(crate) dropped: fn(Session, &DragEvent),
    /// What files can be dropped for.
    pub(crate) dropping: fn() -> AnyView,
    pub(crate) bar: fn() -> AnyView,
    /// What stands above the panes.
    pub(crate) above: fn() -> AnyView,
    pub(crate) document: fn() -> AnyView,
    /// What stands under the panes.
    pub(crate) under: fn() -> AnyView,
    /// What stands beside and under the pictures.
    pub(crate) beside: fn() -> AnyView,
    /// What stands over a pane's picture.
    pub(crate) graph: fn() -> AnyView,
    /// What stands in a pane's head.
    pub(crate) head: Head,
    /// What stands between a pane's head and its picture.
    pub(crate) why: fn(Column) -> AnyView,
    /// What the judge says of a pane's plan, and of what is held.
    pub(crate) says: fn(Column, Memo<Option<Progress>>) -> AnyView,
    /// What stands under a pane's picture.
    pub(crate) foot: fn(Column, Memo<Option<Progress>>) -> AnyView,
    /// What is said of what is under the pointer.
    pub(crate) cards: fn(View, Column, [NodeRef<Canvas>; 2]) -> AnyView,
    /// Does what is pointed at on a picture.
    pub(crate) pointing: fn(View) -> Pointing,
    /// The way from one stage of a model to another.
    pub(crate) motion: fn(Seen<'_>, Seen<'_>) -> Option<Motion>,
    /// What a picture comes out of that is the first which somebody sees.
    pub(crate) introduction: fn(View, &Picture) -> Option<Picture>,
    /// How queries are answered.
    pub(crate) seeking: Seeking,
    /// Where tabs come from that are parts.
    pub(crate) tabs: fn() -> Vec<Source>,
}

/// A plan as rectangles, and what it is a plan of.
pub(crate) type Seen<'a> = (&'a Prepared, &'a Scene);
