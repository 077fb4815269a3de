//! What terms mean.

use wasm_split_helpers::wasm_split;

use crate::frame::glossary;
use crate::lazy::glossary::Functions;
use crate::lazy::{Table, Unfetched};

static FUNCTIONS: Functions = Functions {
    card: glossary::card,
    term: glossary::term,
    list: glossary::list,
};

#[wasm_split(glossary, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
