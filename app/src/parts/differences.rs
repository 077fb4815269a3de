//! Differences: the tab, and what the pictures show of them.

use std::sync::Arc;

use crate::state::difference::Compared;
use crate::state::session::Session;
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::difference::Differences;
use crate::picture::difference_marks;
use crate::picture::stage::View;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) tab: fn() -> AnyView,
    /// What differs between the compared plans.
    pub(crate) compare: fn(Session) -> Option<Arc<Compared>>,
    /// Keeps drawn on a canvas what differs.
    pub(crate) keep_drawn: fn(View, NodeRef<Canvas>),
}

static FUNCTIONS: Functions = Functions {
    tab: || view! { <Differences/> }.into_any(),
    compare: Session::compare_plans,
    keep_drawn: difference_marks::keep_drawn,
};

#[wasm_split(differences, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
