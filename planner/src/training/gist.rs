//! Values that are packed between the forward and the backward pass: Jain et al., "Gist: Efficient
//! Data Encoding for Deep Neural Network Training", ISCA 2018, section IV.
//!
//! ```text
//! relu      ████████▌                                  ▐████████   unpacked for the backward pass
//! packed            ▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂
//! ```
//!
//! | value | packed | bytes of n elements |
//! |---|---|---|
//! | a ReLU's that max pools alone read | the sign of each element, and where each pool found its largest | n / 8, and half a byte for each element of a pool |
//! | a ReLU's that convolutions or products read | the elements that are not zero, row by row of 256 | 8 or 5 for each, and 4 for each row and one more |
//! | any other | fewer bits for each element | n · bits / 8 |
//!
//! Signs serve the backward pass as they are; all else is unpacked before it is read first. What
//! would not get smaller stays as it is, and so does what the loss reads. Packing and unpacking
//! cost an operation for each 4 bytes that are read or written.

use super::costs::is_convolution;
use super::{Node, Problem};
use crate::operators::{Cost, Operator};
use crate::schedule::Phase;
use crate::settings::{Gist, Precision, Sparse};
use crate::units::Bytes;

/// Elements of a row of sparse values: places in it take a byte.
const ROW: u64 = 256;

/// Bytes of an element whose zeros are left out, with its place, and of the start of each row: as
/// MONeT has it (`monet/lm_ops/compress.cpp`), and with places of one byte as the paper has it.
const WIDE: u64 = 8;
const NARROW: u64 = 5;
const START: u64 = 4;

/// Bits of the place of the largest element in a window of a pool.
const PLACE: u64 = 4;
/// Bytes of such a place as PyTorch keeps it.
const INDEX: u64 = 8;

/// How a value is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A bit for each element.
    Signs,
    /// Places in windows of pools, which PyTorch keeps in 64 bits each.
    Places,
    /// What is not zero.
    Sparse,
    /// So many bits for each element.
    Bits(u8),
}

/// What a value of `elements` takes where of a thousand elements so many are zero.
#[must_use]
pub fn sparse(elements: u64, zeros: u16, form: Sparse) -> Bytes {
    let zero = u128::from(elements) * u128::from(zeros.min(1000)) / 1000;
    let left = elements - u64::try_from(zero).unwrap_or(elements);
    let each = match form {
        Sparse::Wide => WIDE,
        Sparse::Narrow => NARROW,
    };
    let rows = elements.div_ceil(ROW).saturating_add(1);
    let starts = rows.saturating_mul(START);
    Bytes(left.saturating_mul(each).saturating_add(starts))
}

/// What `elements` take of so many bits each.
#[must_use]
pub fn bits(elements: u64, bits: u64) -> Bytes {
    let all = u128::from(elements) * u128::from(bits);
    Bytes(u64::try_from(all.div_ceil(8)).unwrap_or(u64::MAX))
}

/// How the value of each node of the forward pass is packed, and what it takes then; `None` where
/// it stays as it is. `measured` has of some nodes by name how many of a thousand elements are
/// zero; it is looked at where the recipe says so.
#[must_use]
pub fn packings(
    problem: &Problem,
    gist: Gist,
    precision: Precision,
    measured: &[(String, u16)],
) -> Vec<Option<(Packing, Bytes)>> {
    let readers = problem.readers();
    let forward = problem.forward();
    let phase = |node: usize| problem.nodes[node].phase;
    let packed = |value: usize| {
        let own = &problem.nodes[value];
        let (before, after): (Vec<usize>, Vec<usize>) = readers[value]
            .iter()
            .partition(|reader| phase(**reader) == Phase::Forward);
        let gap = !after.is_empty() && after.iter().all(|it| phase(*it) == Phase::Backward);
        if !gap {
            return None;
        }
        let elements = own.bytes.0 / precision.bytes();
        let read_by = |of: fn(Operator) -> bool| {
            !before.is_empty() && before.iter().all(|it| of(problem.nodes[*it].operator))
        };
        let relu = own.operator == Operator::Relu;
        let places = own.operator == Operator::Unknown && own.name.ends_with(".indices");
        let found = if places {
            gist.signs
                .then(|| (Packing::Places, bits(own.bytes.0 / INDEX, PLACE)))
        } else if relu && read_by(is_pool) && gist.signs {
            // Where the pools' places are no values of the step, they are packed with the signs.
            let beside = before.iter().any(|it| problem.nodes[*it].reads.len() > 1);
            let pools = before
                .iter()
                .map(|it| problem.nodes[*it].bytes.0 / precision.bytes());
            let windows = if beside {
                0
            } else {
                pools.fold(0, u64::saturating_add)
            };
            let signs = bits(elements, 1).0.saturating_add(bits(windows, PLACE).0);
            Some((Packing::Signs, Bytes(signs)))
        } else if let Some(form) = gist.sparse.filter(|_| relu && read_by(is_product)) {
            let at = measured.binary_search_by(|it| it.0.cmp(&own.name)).ok();
            let counted = at.filter(|_| gist.measured).map(|at| measured[at].1);
            let zeros = counted.unwrap_or(gist.zeros);
            Some((Packing::Sparse, sparse(elements, zeros, form)))
        } else {
            None
        };
        let fewer = gist
            .bits
            .filter(|bits| u64::from(*bits) < 8 * precision.bytes());
        let fewer = fewer
            .filter(|_| !places)
            .map(|it| (Packing::Bits(it), bits(elements, it.into())));
        let smaller = |it: &(Packing, Bytes)| it.1 < own.bytes;
        found.filter(smaller).or(fewer.filter(smaller))
    };
    (0..forward).map(packed).collect()
}

fn is_pool(operator: Operator) -> bool {
    operator == Operator::MaxPool
}

fn is_product(operator: Operator) -> bool {
    is_convolution(operator) || operator.facts().cost == Cost::Product
}

/// The step with values packed: a node that packs follows the last that reads the value in the
/// forward pass, one that unpacks comes before the first that reads it in the backward pass.
#[must_use]
pub fn packed(problem: &Problem, packings: &[Option<(Packing, Bytes)>]) -> Problem {
    let forward = problem.forward();
    let readers = problem.readers();
    // The values that are packed behind each node, and unpacked before each.
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); forward];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); problem.nodes.len()];
    for value in (0..forward).filter(|value| packings[*value].is_some()) {
        let last = readers[value].iter().rfind(|reader| **reader < forward);
        behind[*last.unwrap_or(&value)].push(value);
        if let Some(first) = readers[value].iter().find(|reader| **reader >= forward) {
            before[*first].push(value);
        }
    }
    let mut place: Vec<usize> = vec![0; problem.nodes.len()];
    // Where the backward pass finds each value.
    let mut seen: Vec<usize> = vec![0; forward];
    let mut nodes: Vec<Node> = Vec::new();
    for (index, node) in problem.nodes.iter().enumerate() {
        for &value in &before[index] {
            if packings[value].is_some_and(|it| it.0 != Packing::Signs) {
                let name = format!("{}.unpacked", problem.nodes[value].name);
                nodes.push(copy(problem, value, (name, seen[value]), Phase::Backward));
                seen[value] = nodes.len() - 1;
            }
        }
        let reads = node.reads.iter().map(|read| match packings.get(*read) {
            Some(Some(_)) if index >= forward => seen[*read],
            _ => place[*read],
        });
        let mut reads: Vec<usize> = reads.collect();
        reads.sort_unstable();
        reads.dedup();
        place[index] = nodes.len();
        nodes.push(Node {
            reads,
            gradient_of: node.gradient_of.map(|of| place[of]),
            ..node.clone()
        });
        for &value in behind.get(index).into_iter().flatten() {
            let name = format!("{}.packed", problem.nodes[value].name);
            let mut node = copy(problem, value, (name, place[value]), Phase::Forward);
            node.bytes = packings[value].map_or(node.bytes, |it| it.1);
            seen[value] = nodes.len();
            nodes.push(node);
        }
    }
    // Both copies move the value and what it is packed into.
    for index in 0..nodes.len() {
        if nodes[index].packs {
            let read = words(nodes[nodes[index].reads[0]].bytes);
            nodes[index].cost = read.saturating_add(words(nodes[index].bytes));
        }
    }
    Problem {
        nodes,
        joint: None,
        ..problem.clone()
    }
}

/// A node that packs or unpacks `value`, which it finds in the value of the node `from`.
fn copy(problem: &Problem, value: usize, (name, from): (String, usize), phase: Phase) -> Node {
    Node {
        name,
        phase,
        reads: vec![from],
        bytes: problem.nodes[value].bytes,
        packs: true,
        part: problem.nodes[value].part,
        ..Node::default()
    }
}

fn words(bytes: Bytes) -> u64 {
    bytes.0.div_ceil(4)
}
