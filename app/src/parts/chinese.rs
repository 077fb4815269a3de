//! The page's words in Chinese.

use wasm_split_helpers::wasm_split;

use crate::lazy::{Table, Unfetched};
use crate::strings::{CHINESE, load};

#[wasm_split(chinese, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    load(&CHINESE);
    Ok(&CHINESE)
}
