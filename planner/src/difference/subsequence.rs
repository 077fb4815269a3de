//! The longest common subsequence of two rows of numbers (Myers 1986: O(rows × differences)), and
//! a shorter one of rows of any length.

use std::collections::BTreeMap;

use crate::sorting::Sorting as _;

/// The most rows of one side.
const ROWS: usize = 20_000;

/// The most rows that only one side has; what is stored grows with its square.
const DIFFERENCES: usize = 2_000;

/// A diagonal that nothing reaches.
const NOWHERE: usize = usize::MAX;

/// The places of a longest common subsequence in both, ascending; `None` where the rows are
/// too many or too different. Turned sides give the same places, turned.
pub(super) fn longest(one: &[usize], other: &[usize]) -> Option<Vec<(usize, usize)>> {
    if one.len().max(other.len()) > ROWS {
        return None;
    }
    // Of several that are as long always the same one, whichever side is named first.
    if (one.len(), one) > (other.len(), other) {
        let turned = longest(other, one)?;
        return Some(turned.into_iter().map(|(a, b)| (b, a)).collect());
    }
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=DIFFERENCES {
        let mut reached = Vec::with_capacity(differences + 1);
        for diagonal in 0..=differences {
            let Some((mut x, _)) = entered(&trace, differences, diagonal, one, other) else {
                reached.push(NOWHERE);
                continue;
            };
            let mut y = x + differences - 2 * diagonal;
            while x < one.len() && y < other.len() && one[x] == other[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached.push(x);
            if x == one.len() && y == other.len() {
                trace.push(reached);
                return Some(walked(&trace, diagonal, one, other));
            }
        }
        trace.push(reached);
    }
    None
}

/// Where the path of so many differences enters a diagonal, as rows of `one` after it, and
/// the diagonal that it comes from. On diagonal `d` of `n` differences `x - y = 2 d - n`.
fn entered(
    trace: &[Vec<usize>],
    differences: usize,
    diagonal: usize,
    one: &[usize],
    other: &[usize],
) -> Option<(usize, usize)> {
    let Some(last) = differences.checked_sub(1) else {
        return Some((0, 0));
    };
    let reached = |diagonal: usize| {
        let x = *trace.get(last)?.get(diagonal)?;
        (x != NOWHERE).then_some((x, diagonal))
    };
    // A row of `one` is left out, or a row of `other`.
    let across = diagonal.checked_sub(1).and_then(reached);
    let across = across.filter(|&(x, _)| x < one.len());
    let across = across.map(|(x, from)| (x + 1, from));
    let down = reached(diagonal);
    let down = down.filter(|&(x, _)| x + differences <= other.len() + 2 * diagonal);
    across.max(down)
}

/// The places that the path to the end has in common.
fn walked(
    trace: &[Vec<usize>],
    mut diagonal: usize,
    one: &[usize],
    other: &[usize],
) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (differences, reached) in trace.iter().enumerate().rev() {
        let Some((from, before)) = entered(trace, differences, diagonal, one, other) else {
            break;
        };
        let slid = (from..reached[diagonal]).rev();
        places.extend(slid.map(|x| (x, x + differences - 2 * diagonal)));
        diagonal = before;
    }
    places.reverse();
    places
}

/// The places of a common subsequence in both, ascending, in O(n log n): of numbers that both
/// rows have as often, the first with the first, as many as keep their order.
pub(super) fn ascending(one: &[usize], other: &[usize]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (place, &number) in one.iter().enumerate() {
        places.entry(number).or_default().0.push(place);
    }
    for (place, &number) in other.iter().enumerate() {
        places.entry(number).or_default().1.push(place);
    }
    let even = places.into_values().filter(|it| it.0.len() == it.1.len());
    let mut pairs: Vec<(usize, usize)> = even.flat_map(|it| it.0.into_iter().zip(it.1)).collect();
    pairs.order();
    // The pair that ends the best run of every length, and what each pair follows in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut follows: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        follows.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let run = std::iter::successors(ends.last().copied(), |&index| follows[index]);
    let mut run: Vec<(usize, usize)> = run.map(|index| pairs[index]).collect();
    run.reverse();
    run
}
