//! Differences: the tab, and what the pictures show of them.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::difference::Differences;
use crate::lazy::differences::Functions;
use crate::lazy::{Table, Unfetched};
use crate::picture::difference_marks;
use crate::state::session::Session;

static FUNCTIONS: Functions = Functions {
    tab: || view! { <Differences/> }.into_any(),
    compare: Session::compare_plans,
    keep_drawn: difference_marks::keep_drawn,
};

#[wasm_split(differences, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
