//! The largest of something that fits.

/// So many numbers are tried above the largest one that halving finds.
const MORE: u32 = 48;

/// The largest number up to `most` that is found to fit; 0 where 1 does not. Searches find more at
/// some numbers than at smaller ones: from the one that halving finds, those up to a 32nd above are
/// tried in steps that double, until none of them fits.
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
    let mut left = if below > 0 { MORE } else { 0 };
    loop {
        let mut step = 1;
        let mut found = None;
        while left > 0 && step <= (below / 32).max(1) && step <= most.saturating_sub(below) {
            left -= 1;
            found = fits(below + step).then_some(below + step).or(found);
            step *= 2;
        }
        match found {
            Some(more) => below = more,
            None => return below,
        }
    }
}
