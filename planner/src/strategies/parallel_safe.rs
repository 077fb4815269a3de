//! GREEDY_IN_ORDER that stays right when independent operators run at the same time.
//!
//! Between operators that may overlap in time, "its last reader comes earlier in the file"
//! proves nothing. A tensor may take over another's memory only when every reader of that
//! other one must have finished before it is written, in whatever order the operators run.

use crate::sorting::Sorting as _;

use super::records::InUse;

/// The most tensors for which the relation is computed: it takes a bit for each pair.
pub const LIMIT: usize = 1 << 14;

/// A tensor to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes.
    pub size: u64,
    /// First operator that uses it.
    pub first: u64,
    /// Last operator that uses it.
    pub last: u64,
}

/// For each tensor the ones it may share memory with, in ascending order, under any order
/// of execution that respects `dependents` (which tensors are computed directly from each).
///
/// One tensor may follow another when it depends on all of the other's dependents without
/// being one of them; the relation holds both ways. `None` when a dependent does not exist,
/// when tensors depend on each other in a circle, or beyond [`LIMIT`].
#[must_use]
pub fn reallocation_graph(dependents: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
    let count = dependents.len();
    if count > LIMIT {
        return None;
    }
    let words = count.div_ceil(64);
    // Bit t of row s: t is computed from s, directly or not, and is not s.
    let mut below = vec![vec![0_u64; words]; count];
    for tensor in sources_last(dependents)? {
        let mut row = vec![0; words];
        for &next in &dependents[tensor] {
            row[next / 64] |= 1 << (next % 64);
            for (own, further) in row.iter_mut().zip(&below[next]) {
                *own |= further;
            }
        }
        below[tensor] = row;
    }
    let mut graph = vec![Vec::new(); count];
    for (tensor, next) in dependents.iter().enumerate() {
        if next.is_empty() {
            continue;
        }
        for later in 0..count {
            let bit = |row: &Vec<u64>| row[later / 64] >> (later % 64) & 1 == 1;
            if next.iter().all(|&dependent| bit(&below[dependent])) {
                graph[tensor].push(later);
                graph[later].push(tensor);
            }
        }
    }
    for row in &mut graph {
        row.order();
        row.dedup();
    }
    Some(graph)
}

/// The tensors such that each comes after all of its dependents.
fn sources_last(dependents: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut waiting: Vec<usize> = dependents.iter().map(Vec::len).collect();
    let mut sources = vec![Vec::new(); dependents.len()];
    for (tensor, next) in dependents.iter().enumerate() {
        for &dependent in next {
            sources.get_mut(dependent)?.push(tensor);
        }
    }
    let mut order: Vec<usize> = (0..waiting.len()).filter(|&t| waiting[t] == 0).collect();
    let mut at = 0;
    while let Some(&tensor) = order.get(at) {
        at += 1;
        for &source in &sources[tensor] {
            waiting[source] -= 1;
            if waiting[source] == 0 {
                order.push(source);
            }
        }
    }
    (order.len() == waiting.len()).then_some(order)
}

/// GREEDY_IN_ORDER restricted to `graph`: the object of each of `usages`, which stand in
/// order of first use, and the objects' sizes.
///
/// Of the free objects whose last holder the graph allows, each takes the one with the
/// closest size, on ties the smaller, then the lower index.
#[must_use]
pub fn greedy_in_order(usages: &[Usage], graph: &[Vec<usize>]) -> (Vec<usize>, Vec<u64>) {
    let mut objects: Vec<usize> = Vec::with_capacity(usages.len());
    let mut sizes: Vec<u64> = Vec::new();
    let mut holders: Vec<usize> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let mut in_use = InUse::default();
    for (tensor, usage) in usages.iter().enumerate() {
        // Closed intervals: a last use at step l ends the span before l + 1.
        while let Some(object) = in_use.release(usage.first) {
            free.push(object);
        }
        let allowed = |&at: &usize| {
            let partners = graph.get(holders[free[at]]);
            partners.is_some_and(|partners| partners.binary_search(&tensor).is_ok())
        };
        let closest = (0..free.len()).filter(allowed).min_by_key(|&at| {
            let object = free[at];
            (sizes[object].abs_diff(usage.size), sizes[object], object)
        });
        let object = match closest {
            Some(at) => free.swap_remove(at),
            None => sizes.len(),
        };
        if object == sizes.len() {
            sizes.push(usage.size);
            holders.push(tensor);
        }
        sizes[object] = sizes[object].max(usage.size);
        holders[object] = tensor;
        objects.push(object);
        in_use.add(usage.last.saturating_add(1), object);
    }
    (objects, sizes)
}
