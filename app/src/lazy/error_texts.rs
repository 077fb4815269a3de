//! What planner, executor and workers say of faults, in Chinese.

use planner::Message;

/// A message of theirs in Chinese.
pub(crate) type InChinese = fn(&Message) -> String;
