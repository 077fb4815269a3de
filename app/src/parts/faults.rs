//! What planner, executor and workers say of faults, in Chinese.

use wasm_split_helpers::wasm_split;

use crate::lazy::faults::InChinese;
use crate::lazy::{Table, Unfetched};

static IN_CHINESE: InChinese = faults::in_chinese;

#[wasm_split(faults, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&IN_CHINESE)
}
