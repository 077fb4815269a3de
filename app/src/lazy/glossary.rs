//! What terms mean.

use leptos::prelude::*;

/// The part's functions.
pub(crate) struct Functions {
    /// The card of the term with this name, if it is one.
    pub(crate) card: fn(&str) -> Option<AnyView>,
    /// The term with this name, or with this alias, as a button that shows its card.
    #[allow(dead_code, reason = "lessons are the first to call it")]
    pub(crate) term: fn(&str) -> Option<AnyView>,
    /// All terms.
    pub(crate) list: fn() -> AnyView,
}
