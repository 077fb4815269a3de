//! What comes to a pane after its first picture.

use conversation::{Column, Progress};
use leptos::html::Canvas;
use leptos::prelude::*;

use crate::drawing::view::View;
use crate::export::menu::ExportMenu;
use crate::picture::hover_card::HoverCard;
use crate::picture::lanes::Lanes;
use crate::picture::nothing_here::NothingHere;
use crate::picture::outlook::Outlook;
use crate::picture::pane::{Figures, Status};
use crate::picture::silhouette::Reach;
use crate::picture::spot::SpotHover;
use crate::picture::violations::Violations;
use crate::picture::{run_marks, spot};
use crate::state::film::Still;

/// What stands in the head: figures, and what can be taken away.
pub(crate) fn head(
    column: Column,
    progress: Memo<Option<Progress>>,
    still: Memo<Option<Still>>,
) -> AnyView {
    view! {
        <Figures column progress still/>
        <ExportMenu column/>
    }
    .into_any()
}

/// What the judge says of the plan, and of what is held.
pub(crate) fn says(column: Column, progress: Memo<Option<Progress>>) -> AnyView {
    view! {
        <Outlook column/>
        <Violations progress/>
    }
    .into_any()
}

/// What stands under the picture.
pub(crate) fn foot(column: Column, progress: Memo<Option<Progress>>) -> AnyView {
    view! {
        <Lanes column/>
        <Status column progress/>
    }
    .into_any()
}

/// The cards of what is under the pointer; keeps what runs and questions mark drawn on their
/// canvases.
pub(crate) fn cards(here: View, column: Column, [run, spots]: [NodeRef<Canvas>; 2]) -> AnyView {
    run_marks::keep_drawn(here, run);
    spot::keep_drawn(here, spots);
    view! {
        <HoverCard here column/>
        <SpotHover here/>
        <NothingHere here/>
        <Reach column/>
    }
    .into_any()
}
