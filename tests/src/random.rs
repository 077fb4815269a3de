//! Pseudo-random numbers that are the same in every run and on every machine.

/// `SplitMix64` (Steele, Lea and Flood 2014): one addition and three mixing steps a number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `[low, high)`; `low` when that is empty. The low numbers are favoured by
    /// less than one in 2^64 / (high − low), which no test here can detect.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        match high.saturating_sub(low) {
            0 => low,
            width => low + self.bits() % width,
        }
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.within(0, end)
    }

    /// An index below `len`; 0 if that is 0.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or_default()
    }
}
