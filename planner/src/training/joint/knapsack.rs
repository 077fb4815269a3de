//! Which of the costly values are kept, so that they fit into a share of the memory and as little
//! as can be is computed again.

use crate::sorting::Sorting as _;

/// Into how many parts the memory between the least and the most is divided.
const PARTS: f64 = 10_000.0;

/// What may be kept: its share of the memory, and what it costs to compute again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item {
    /// Of the memory between the least and the most.
    pub(super) share: f64,
    pub(super) runtime: u64,
}

/// Whether each item is kept, by dynamic programming over memory in 10,000 parts. Costs are
/// added in 32-bit numbers, as PyTorch adds them, so that small ones can vanish beside large ones.
pub(super) fn by_table(items: &[Item], budget: f64) -> Vec<bool> {
    let parts = |share: f64| whole((share * PARTS).round_ties_even());
    let capacity = parts(budget);
    let mut best = vec![0_f32; capacity + 1];
    let mut taken: Vec<Vec<u64>> = Vec::with_capacity(items.len());
    for item in items {
        let (weight, runtime) = (parts(item.share), item.runtime as f32);
        let mut row = vec![0_u64; capacity / 64 + 1];
        for size in (weight..=capacity).rev() {
            let with = best[size - weight] + runtime;
            // What costs nothing beside the others is not seen to be taken.
            if with > best[size] {
                best[size] = with;
                row[size / 64] |= 1 << (size % 64);
            }
        }
        taken.push(row);
    }
    let mut kept = vec![false; items.len()];
    let mut size = capacity;
    for (item, row) in taken.iter().enumerate().rev() {
        if row[size / 64] >> (size % 64) & 1 == 1 {
            kept[item] = true;
            size -= parts(items[item].share);
        }
    }
    kept
}

/// Whether each item is kept, those first that cost most for their memory, as long as they fit.
pub(super) fn by_density(items: &[Item], budget: f64) -> Vec<bool> {
    let density = |at: &usize| items[*at].runtime as f64 / items[*at].share;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.order_by(|one, other| density(other).total_cmp(&density(one)));
    let mut kept = vec![false; items.len()];
    let mut total = 0.0;
    for at in order {
        if total + items[at].share <= budget {
            total += items[at].share;
            kept[at] = true;
        }
    }
    kept
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares are not negative; what is too large stays the largest number"
)]
fn whole(number: f64) -> usize {
    number as usize
}
