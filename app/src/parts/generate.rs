//! Transformers without a file.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::generate::Generate;
use crate::lazy::generate::Functions;
use crate::lazy::{Table, Unfetched};

static FUNCTIONS: Functions = Functions {
    form: || view! { <Generate/> }.into_any(),
};

#[wasm_split(generate, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
