//! The largest of something that fits.

/// The largest number up to `most` that fits, where smaller ones do too; 0 where none does.
pub fn largest(most: u64, fits: &mut dyn FnMut(u64) -> bool) -> u64 {
    let (mut below, mut above) = (0, 1);
    while above <= most && fits(above) {
        below = above;
        above = above.saturating_mul(2);
    }
    let mut above = above.min(most.saturating_add(1));
    while above.saturating_sub(below) > 1 {
        let middle = below.midpoint(above);
        match fits(middle) {
            true => below = middle,
            false => above = middle,
        }
    }
    below
}
