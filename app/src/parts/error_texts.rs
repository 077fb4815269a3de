//! What planner, executor and workers say of faults, in Chinese.

use wasm_split_helpers::wasm_split;

use crate::lazy::error_texts::InChinese;
use crate::lazy::{Table, Unfetched};

static IN_CHINESE: InChinese = error_texts::in_chinese;

#[wasm_split(error_texts, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&IN_CHINESE)
}
