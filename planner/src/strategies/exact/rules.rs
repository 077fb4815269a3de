//! The rules of the search, each with a switch.

/// Which rules the search uses. Without any it still finds the optimum, in more nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Buffers are placed by ascending address, ties by preorder, so that each plan is found
    /// in one order only.
    pub canonical: bool,
    /// No place is tried below which another unplaced buffer would fit wholly.
    pub dominance: bool,
    /// A section in which what is still to be placed does not fit above its floor ends the
    /// branch.
    pub section_inference: bool,
    /// The floor of a section is the lowest address left to its unplaced buffers, not the
    /// top of its placed ones.
    pub unallocated_floor: bool,
    /// No floor is below the last placed buffer. Needs `canonical`.
    pub monotonic_floor: bool,
    /// A buffer that was tried at its lowest address without success is postponed until
    /// another is placed below it; its sections count it from the least address that this can
    /// give it. Where that exceeds the capacity, or nothing unplaced can lie below it, no
    /// other branch of the node is tried. Needs `canonical` and `dynamic_order`.
    pub postponed_floor: bool,
    /// Groups of buffers that no unplaced buffer ties together are searched one by one, at
    /// the root and below.
    pub decomposition: bool,
    /// The buffer with the lowest place goes first; else the first of the preorder.
    pub dynamic_order: bool,
    /// Several preorders take turns, with node limits that double and with orders that change
    /// from restart to restart; else the first one has all nodes.
    pub round_robin: bool,
}

impl Rules {
    /// All rules.
    pub const ALL: Self = Self {
        canonical: true,
        dominance: true,
        section_inference: true,
        unallocated_floor: true,
        monotonic_floor: true,
        postponed_floor: true,
        decomposition: true,
        dynamic_order: true,
        round_robin: true,
    };
}

impl Default for Rules {
    fn default() -> Self {
        Self::ALL
    }
}

impl Rules {
    /// Whether no floor is below the last placed buffer.
    pub(super) fn monotonic(self) -> bool {
        self.monotonic_floor && self.canonical
    }

    /// Whether buffers that were tried without success are postponed.
    pub(super) fn postpones(self) -> bool {
        self.postponed_floor && self.canonical && self.dynamic_order
    }
}
