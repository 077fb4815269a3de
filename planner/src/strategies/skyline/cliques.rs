//! The largest sets of blocks that are live at once.

use super::blocks::Blocks;
use alloc::vec;
use alloc::vec::Vec;

/// The sums of sizes live at the moments before something ends and after something started
/// since the last end: at any other moment a subset is live. And for each block the row of
/// those during which it is live.
pub(super) fn cliques(blocks: &Blocks) -> (Vec<u64>, Vec<(u32, u32)>) {
    let moments = blocks.moments as usize;
    let mut starts = vec![false; moments];
    let mut ends = vec![false; moments + 1];
    for &(start, end) in &blocks.spans {
        starts[start as usize] = true;
        ends[end as usize] = true;
    }
    // Number of the clique at each moment, and whether a later start would make it larger.
    let mut number = vec![0_u32; moments];
    let mut count = 0_u32;
    let mut grown = false;
    for moment in 0..moments {
        grown |= starts[moment];
        number[moment] = count;
        if grown && ends[moment + 1] {
            count += 1;
            grown = false;
        }
    }
    let row = |&(start, end): &(u32, u32)| {
        // What is live just before an end is in that clique.
        let from = number[start as usize];
        (from, number[end as usize])
    };
    let rows: Vec<(u32, u32)> = blocks.spans.iter().map(row).collect();
    let mut sums = vec![0_u64; count as usize];
    for (record, &(from, to)) in blocks.records.iter().zip(&rows) {
        for sum in &mut sums[from as usize..to as usize] {
            *sum += record.size;
        }
    }
    (sums, rows)
}
