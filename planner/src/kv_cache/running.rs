//! A request while it waits and while it runs.

/// A request that is not running.
pub(super) struct Waiting {
    pub(super) index: usize,
    /// Tokens that it has generated.
    pub(super) generated: u64,
    /// Its stays in the host's memory.
    pub(super) swapped: Vec<usize>,
}

/// A request that is running.
pub(super) struct Running {
    pub(super) index: usize,
    /// Tokens at a step less the step, so that one figure says both.
    pub(super) lead: i128,
    /// The first step, and that after the last.
    pub(super) steps: (u64, u64),
    /// Its stays, the oldest first.
    pub(super) stays: Vec<usize>,
    /// Whole pages that it shares with others.
    pub(super) shared: u64,
    /// The first token of its own blocks, and one behind the last.
    pub(super) room: (u64, u64),
    /// The step from which on its figures are not added up yet.
    pub(super) since: u64,
    /// Its event.
    pub(super) next: (u64, bool),
}

/// Tokens of `running` at `step`.
pub(super) fn tokens_at(running: &Running, step: u64) -> u64 {
    u64::try_from(running.lead + i128::from(step)).unwrap_or_default()
}
