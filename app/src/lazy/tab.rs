//! What a view is: a tab of a task under the picture.

use conversation::{Language, Tab};
use leptos::prelude::*;

use crate::lazy::fetched::Source;
use crate::state::session::Session;

/// A view under the picture.
#[derive(Clone, Copy)]
pub(crate) struct TabEntry {
    /// Its name in links.
    pub(crate) tab: Tab,
    pub(crate) title: fn(Language) -> &'static str,
    pub(crate) show: fn() -> AnyView,
    /// How many things it lists, where they are counted; a view of none is not offered.
    pub(crate) count: fn(Session) -> Option<usize>,
    /// What is fetched for it, where that is not in the list of parts.
    pub(crate) source: Option<Source>,
}

/// Makes `TAB` of a component, as a part of its own: its name in links, what names it in the
/// words of the page, the component, how many things it lists.
macro_rules! tab {
    ($name:ident, $title:expr, $view:ident) => {
        $crate::lazy::tab!($name, $title, $view, |_| None);
    };
    ($name:ident, $title:expr, $view:ident, $count:expr) => {
        static VIEW: $crate::lazy::Show = || leptos::prelude::IntoAny::into_any($view());

        #[wasm_split_helpers::wasm_split($name, fallible)]
        fn fetch() -> Result<$crate::lazy::Table, $crate::lazy::Unfetched> {
            Ok(&VIEW)
        }

        const PART: $crate::lazy::Part<$crate::lazy::Show> =
            $crate::lazy::Part::own(stringify!($name), || Box::pin(fetch()));

        /// The tab.
        pub(crate) const TAB: $crate::lazy::TabEntry = $crate::lazy::TabEntry {
            tab: conversation::Tab(stringify!($name)),
            title: |language| $title.in_language(language),
            show: || PART.view(|show| show()),
            count: $count,
            source: Some(PART.source()),
        };
    };
}
pub(crate) use tab;
