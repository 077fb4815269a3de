//! What planner, executor and workers say of faults, in Chinese.

use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};

/// A text of theirs in Chinese.
pub(crate) type InChinese = fn(&str) -> String;

static IN_CHINESE: InChinese = faults::in_chinese;

#[wasm_split(faults, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&IN_CHINESE)
}
