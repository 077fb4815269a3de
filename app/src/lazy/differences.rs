//! Differences: the tab, and what the pictures show of them.

use std::sync::Arc;

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::drawing::view::View;
use crate::state::difference::Compared;
use crate::state::session::Session;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) tab: fn() -> AnyView,
    /// What differs between the compared plans.
    pub(crate) compare: fn(Session) -> Option<Arc<Compared>>,
    /// Keeps drawn on a canvas what differs.
    pub(crate) keep_drawn: fn(View, NodeRef<Canvas>),
}
