//! Two sums over a range that change with any word and with its place.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let range = params.first as usize..(params.first + params.words) as usize;
    let slot = params.slot as usize;
    for (i, &word) in (0_u32..).zip(&sight.arena[range]) {
        let place = i.wrapping_mul(0x9e37_79b9);
        let salted = word
            .wrapping_add(0x7f4a_7c15)
            .wrapping_add(place ^ (place >> 15));
        let sums = [mixed(word ^ place), mixed(salted)];
        for (result, sum) in sight.results[slot..].iter_mut().zip(sums) {
            *result = result.wrapping_add(sum);
        }
    }
}

/// `MurmurHash3`'s 32-bit finalizer (Appleby, public domain).
fn mixed(word: u32) -> u32 {
    let x = (word ^ (word >> 16)).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}
