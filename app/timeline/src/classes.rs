//! Classes of whole numbers by powers of two: a logarithmic scale whose limits can be said.

/// At most this many classes.
pub const MOST: usize = 8;

/// Classes that cover a range of numbers, each as many doublings wide as the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Binary digits of the least number.
    first: u32,
    /// Doublings per class, at least 1.
    width: u32,
    /// How many classes there are, at least 1.
    count: usize,
}

impl Classes {
    /// The classes for numbers from `least` to `most`.
    #[must_use]
    pub fn new(least: u64, most: u64) -> Self {
        let (first, last) = (digits(least), digits(most.max(least)));
        let doublings = last - first + 1;
        let most_classes = u32::try_from(MOST).unwrap_or(1);
        let width = doublings.div_ceil(most_classes);
        Self {
            first,
            width,
            count: usize::try_from(doublings.div_ceil(width)).unwrap_or(1),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The class of a number; one outside the range belongs to the nearest.
    #[must_use]
    pub fn of(&self, number: u64) -> usize {
        let class = digits(number).saturating_sub(self.first) / self.width;
        usize::try_from(class).map_or(0, |class| class.min(self.count - 1))
    }

    /// The least number of a class, and the end, exclusive; `None` beyond 64 bits.
    #[must_use]
    pub fn limits(&self, class: usize) -> (u64, Option<u64>) {
        let class = u32::try_from(class).unwrap_or(u32::MAX);
        let start = |class: u32| match self.first.saturating_add(class.saturating_mul(self.width)) {
            0 => Some(0),
            digits => 1_u64.checked_shl(digits - 1),
        };
        (
            start(class).unwrap_or(u64::MAX),
            start(class.saturating_add(1)),
        )
    }
}

/// Binary digits of a number: 0 has none.
fn digits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}
