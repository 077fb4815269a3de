//! When everything in a walk happens.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// The way that a value is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the host.
    Out,
    /// From the host.
    Back,
}

/// How long computing waits, by what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// For copies that a layer has to end with.
    pub layer: u64,
    /// For a value that is read and has not arrived.
    pub arrival: u64,
    /// For bytes that have to leave first.
    pub room: u64,
}

/// A node that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The move of the walk.
    pub at: usize,
    /// The node.
    pub node: usize,
    /// When it starts.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// How long it waited once the node before had ended.
    pub stall: Stall,
}

/// A value that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// The node whose value it is.
    pub node: usize,
    /// Where to.
    pub direction: Direction,
    /// When the copy starts.
    pub start: u64,
    /// When it ends.
    pub end: u64,
}

/// The times of a walk, in units of cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The nodes in the order in which they run.
    pub ran: Vec<Ran>,
    /// The copies in the order in which they were asked for: those of one direction one after
    /// another.
    pub transfers: Vec<Transfer>,
    /// When each move of the walk takes effect: bytes are taken when a node or a copy back
    /// starts, and given back when a copy out, or the last node that reads them, has ended.
    pub times: Vec<u64>,
    /// All waits together.
    pub stall: Stall,
    /// The most bytes at once.
    pub peak: Bytes,
    /// When the last node ends.
    pub time: u64,
}

impl Stall {
    /// All of it.
    #[must_use]
    pub const fn sum(self) -> u64 {
        self.layer
            .saturating_add(self.arrival)
            .saturating_add(self.room)
    }
}

impl std::ops::AddAssign for Stall {
    fn add_assign(&mut self, other: Self) {
        self.layer = self.layer.saturating_add(other.layer);
        self.arrival = self.arrival.saturating_add(other.arrival);
        self.room = self.room.saturating_add(other.room);
    }
}
