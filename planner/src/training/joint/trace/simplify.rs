//! What tracing leaves to be tidied up, as PyTorch does before it cuts: nodes that nobody needs,
//! and nodes that compute the same.

use std::collections::BTreeMap;

use super::super::{Class, JointNode};
use super::Traced;
use super::tape::{Shape, Tape};

/// What makes two nodes compute the same: class, operator, operands in order, those in lists,
/// result, and whether the backward pass needs it.
type Key = (u8, String, Vec<usize>, Vec<usize>, Vec<u64>, u64, bool);

/// The graph without what neither pass needs, and each expression once. What only the forward pass
/// needs is not made one with what the backward pass needs, for then it would have to be kept.
pub(super) fn simplified(tape: Tape) -> Traced {
    let nodes = &tape.graph.nodes;
    let needed_by = |outputs: &[usize]| {
        let mut needed = vec![false; nodes.len()];
        outputs.iter().for_each(|node| needed[*node] = true);
        for node in (0..nodes.len())
            .rev()
            .filter(|node| !nodes[*node].class.is_placeholder())
        {
            if needed[node] {
                nodes[node].reads().for_each(|read| needed[read] = true);
            }
        }
        needed
    };
    let [forward, backward] = [&tape.graph.forward, &tape.graph.backward].map(|it| needed_by(it));
    let mut after: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut made = Traced::default();
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        let placeholder = node.class.is_placeholder();
        if !forward[index] && !backward[index] && !placeholder {
            continue;
        }
        let mut node = node.clone();
        for read in node.operands.iter_mut().chain(&mut node.listed) {
            *read = after[*read].unwrap_or_default();
        }
        let key = key(&node.name, &node, &tape.shapes[index], backward[index]);
        let same = known
            .get(&key)
            .filter(|_| !placeholder && node.class != Class::Random);
        if let Some(&same) = same {
            after[index] = Some(same);
            continue;
        }
        let place = made.graph.nodes.len();
        after[index] = Some(place);
        known.insert(key, place);
        made.graph.nodes.push(node);
        made.costs.push(tape.costs[index]);
        made.gradient_of.push(tape.gradient_of[index]);
    }
    let moved = |list: &[usize]| list.iter().filter_map(|node| after[*node]).collect();
    made.graph.forward = moved(&tape.graph.forward);
    made.graph.backward = moved(&tape.graph.backward);
    for of in &mut made.gradient_of {
        *of = of.and_then(|of| after[of]);
    }
    made
}

fn key(name: &str, node: &JointNode, shape: &Shape, backward: bool) -> Key {
    let operator = node.operator.clone();
    // Items of one node differ by their place, which their name ends with.
    let name = if node.class == Class::Item {
        name.to_owned()
    } else {
        operator
    };
    (
        node.class as u8,
        name,
        node.operands.clone(),
        node.listed.clone(),
        shape.dims.clone(),
        shape.item,
        backward,
    )
}
