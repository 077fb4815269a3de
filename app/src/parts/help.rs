//! The help, and the question what the columns of a table mean.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use super::{Show, Table, Unfetched};
use crate::frame::columns::ColumnsDialog;
use crate::frame::help::Help;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) help: Show,
    pub(crate) columns: Show,
}

static FUNCTIONS: Functions = Functions {
    help: || view! { <Help/> }.into_any(),
    columns: || view! { <ColumnsDialog/> }.into_any(),
};

#[wasm_split(help, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
