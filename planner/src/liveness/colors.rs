//! Colours of operators by longest paths. Source: MXNet/nnvm, `ColorNodeGroup`, as the
//! storage tokens of its memory planner use it (Chen et al. 2015).
//!
//! The operators of a path cannot run at the same time. So the longest path gets the first
//! colour, the path with the most operators that have none yet the next, and so on; what is
//! left when the last colour is reached shares it, path or not.

use super::dependencies::Dependencies;

/// Number of colours. MXNet reads it from `NNVM_EXEC_NUM_TEMP`, whose default of 1 turns
/// colours off; 8 is enough for all branches of the usual networks.
const COLORS: u32 = 8;

/// The colour of each step, from 0 up.
pub(super) fn colors(dependencies: &Dependencies) -> Vec<u32> {
    let mut colors: Vec<Option<u32>> = vec![None; dependencies.steps()];
    let mut next = 0;
    while next < COLORS - 1 {
        let path = best_path(dependencies, &colors);
        if path.is_empty() {
            break;
        }
        for step in path {
            colors[step].get_or_insert(next);
        }
        next += 1;
    }
    let color = |color: Option<u32>| color.unwrap_or(next);
    colors.into_iter().map(color).collect()
}

/// A path with the most uncoloured steps, coloured ones possibly between them; empty when
/// all are coloured. Of equal paths the one that starts latest wins, and of equal
/// continuations of a step the latest.
fn best_path(dependencies: &Dependencies, colors: &[Option<u32>]) -> Vec<usize> {
    let steps = dependencies.steps();
    let mut longest = vec![0_usize; steps];
    let mut follower: Vec<Option<usize>> = vec![None; steps];
    let mut best = (0, None);
    for step in (0..steps).rev() {
        longest[step] += usize::from(colors[step].is_none());
        if longest[step] > best.0 {
            best = (longest[step], Some(step));
        }
        for &before in dependencies.before(step) {
            if longest[step] > longest[before] {
                longest[before] = longest[step];
                follower[before] = Some(step);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = best.1;
    while let Some(step) = at {
        path.push(step);
        at = follower[step];
    }
    path
}
