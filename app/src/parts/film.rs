//! Films: the tab, and what the pictures show of them.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::film::{Caption, Film, scene};
use crate::lazy::film::Functions;
use crate::lazy::{Table, Unfetched};
use crate::picture::film_marks;
use crate::state::film::follow;

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
