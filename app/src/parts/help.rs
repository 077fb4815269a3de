//! The help, and the question what the columns of a table mean.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::frame::columns::ColumnsDialog;
use crate::frame::help::Help;
use crate::lazy::help::Functions;
use crate::lazy::{Table, Unfetched};

static FUNCTIONS: Functions = Functions {
    help: || view! { <Help/> }.into_any(),
    columns: || view! { <ColumnsDialog/> }.into_any(),
};

#[wasm_split(help, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
