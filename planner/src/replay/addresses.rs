//! Device addresses without the gaps between them.

/// Ranges of addresses, put together in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    /// First byte, first byte behind, and the offset of the first byte.
    ranges: Vec<(u64, u64, u64)>,
    size: u64,
}

impl Addresses {
    /// The union of `ranges`, each of first byte and first byte behind.
    pub(super) fn of(mut ranges: Vec<(u64, u64)>) -> Self {
        ranges.retain(|range| range.0 < range.1);
        ranges.sort_unstable();
        let mut found = Self::default();
        for (from, to) in ranges {
            match found.ranges.last_mut() {
                Some(last) if from <= last.1 => {
                    let more = to.saturating_sub(last.1);
                    last.1 += more;
                    found.size += more;
                }
                _ => {
                    found.ranges.push((from, to, found.size));
                    found.size += to - from;
                }
            }
        }
        found
    }

    /// Bytes of all ranges.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes of the ranges lie below `address`.
    pub(super) fn offset(&self, address: u64) -> u64 {
        let behind = self.ranges.partition_point(|range| range.0 <= address);
        let range = behind.checked_sub(1).and_then(|at| self.ranges.get(at));
        range.map_or(0, |&(from, to, offset)| offset + address.min(to) - from)
    }
}
