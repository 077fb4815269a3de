//! Pseudo-random numbers that are the same in every run and on every machine.

/// `SplitMix64` (Steele, Lea and Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An index below `len`; 0 if that is 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        let high = self.bits() >> 32;
        // A product of two numbers below 2^32, of which the upper half is below `len`.
        usize::try_from((high * len as u64) >> 32).unwrap_or(0)
    }
}
