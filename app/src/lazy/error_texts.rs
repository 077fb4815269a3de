//! What planner, executor and workers say of faults, in Chinese.

/// A text of theirs in Chinese.
pub(crate) type InChinese = fn(&str) -> String;
