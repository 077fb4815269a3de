//! What the page waits for.

use worker::CaseId;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The question of this number has become outdated: it is cut off if it still stands.
    Timeout(u32),
    /// The question of this number stands for long: the worker is asked whether it is there.
    Ping(u32),
    /// The next step of the films of a case, by the number of the tick.
    Tick(CaseId, u32),
    /// The next eviction in the film of a case, likewise.
    Eviction(CaseId, u32),
    /// What is in view of a case has stayed the same since the look of this number.
    Rest(CaseId, u32),
    /// The message of this number has been read.
    Fade(u64),
    /// Nothing was typed into the text of a case since the typing of this number.
    Typed(CaseId, u32),
}
