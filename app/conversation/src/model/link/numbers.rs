//! Numbers that a link may ask for.

use planner::Effort;

use crate::model::effort::MOST_EFFORT;

/// The largest alignment that a link may ask for, as on the command line.
const MOST_ALIGNMENT: u64 = 1 << 32;

/// An alignment in bytes.
pub(super) fn alignment(text: &str) -> Option<u64> {
    let bytes: u64 = text.parse().ok()?;
    (bytes.is_power_of_two() && bytes <= MOST_ALIGNMENT).then_some(bytes)
}

/// Nodes and moves.
pub(super) fn effort(text: &str) -> Option<Effort> {
    let (nodes, moves) = text.split_once(',')?;
    let number = |text: &str| {
        let number = text.parse().ok()?;
        (1..=MOST_EFFORT).contains(&number).then_some(number)
    };
    Some(Effort {
        nodes: number(nodes)?,
        moves: number(moves)?,
    })
}
