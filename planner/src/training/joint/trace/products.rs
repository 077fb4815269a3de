//! Matrix products, convolutions and attention.

use super::tape::{Shape, Tape, Value};
use super::{Backward, Call, Made};
use crate::training::costs::flops;
use crate::training::joint::Class;

/// A product of two matrices, or of many pairs of them, with a bias.
pub(super) fn product(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    let weight = tape.graph.nodes[b].class == Class::Parameter && tape.dims(b).len() == 2;
    match weight {
        true => linear(tape, call, (a, b)),
        false => batched(tape, call, (a, b)),
    }
}

/// Rows times a matrix of weights, as `torch.nn.Linear` has it.
fn linear(tape: &mut Tape, call: &Call<'_>, (x, weight): (Value, Value)) -> Option<Made> {
    let (dims, shape) = (tape.dims(x), call.shape());
    let (wide, narrow) = (*dims.last()?, *shape.dims.last()?);
    let rows = |dims: &[u64]| {
        dims.iter()
            .rev()
            .skip(1)
            .try_fold(1_u64, |all, dim| all.checked_mul(*dim))
    };
    let flat = |dims: &[u64], last: u64| rows(dims).map(|rows| [rows, last]);
    let (before, after) = (flat(&dims, wide)?, flat(&shape.dims, narrow)?);
    let many = dims.len() > 2;
    let turned: Vec<u64> = tape.dims(weight).into_iter().rev().collect();
    let turned = tape.view("permute", weight, &turned);
    let seen = if many {
        tape.reshape("view", x, &before)
    } else {
        x
    };
    let bias = call.input(2);
    let mut read: Vec<Value> = bias.into_iter().collect();
    read.extend([seen, turned]);
    let cost = flops(call.graph, call.op);
    let flat = Shape {
        dims: after.to_vec(),
        ..shape.clone()
    };
    let name = if bias.is_some() { "addmm" } else { "mm" };
    let product = tape.intensive(name, &read, flat, cost);
    let y = if many {
        tape.view("view", product, &shape.dims)
    } else {
        product
    };
    let wants = [0, 1, 2].map(|place| call.wants(place));
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let gradient = if many {
            tape.view("view", gradient, &after)
        } else {
            gradient
        };
        let of_x = wants[0].then(|| {
            let back = tape.seen("permute", turned);
            let shape = tape.shapes[seen].clone();
            let found = tape.intensive("mm", &[gradient, back], shape, cost);
            if many {
                tape.view("view", found, &dims)
            } else {
                found
            }
        });
        let of_weight = wants[1].then(|| {
            let turned = tape.view("permute", gradient, &[after[1], after[0]]);
            let shape = tape.shapes[weight].clone();
            let found = tape.intensive("mm", &[turned, seen], shape, cost);
            tape.seen("permute", found)
        });
        let of_bias = bias.filter(|_| wants[2]).map(|bias| {
            let shape = tape.shapes[bias].clone();
            tape.node(Class::Recomputable, "sum", &[gradient], shape)
        });
        vec![of_x, of_weight, of_bias]
    });
    Some(Made::one(y, backward))
}

/// The last two dimensions of `x` turned.
fn turned(tape: &mut Tape, x: Value) -> Value {
    let mut dims = tape.dims(x);
    let rank = dims.len();
    if rank > 1 {
        dims.swap(rank - 2, rank - 1);
    }
    tape.view("permute", x, &dims)
}

/// Pairs of matrices.
fn batched(tape: &mut Tape, call: &Call<'_>, (a, b): (Value, Value)) -> Option<Made> {
    let shape = call.shape();
    let pairs = |dims: &[u64]| {
        let (rest, last) = dims.split_at(dims.len().checked_sub(2)?);
        let count = rest
            .iter()
            .try_fold(1_u64, |all, dim| all.checked_mul(*dim))?;
        Some([count, last[0], last[1]])
    };
    let many = shape.dims.len() > 3;
    let cost = flops(call.graph, call.op);
    let flat = |tape: &mut Tape, x: Value| {
        if !many {
            return Some(x);
        }
        let dims = pairs(&tape.dims(x))?;
        let expanded = tape.seen("expand", x);
        Some(tape.reshape("view", expanded, &dims))
    };
    let (left, right) = (flat(tape, a)?, flat(tape, b)?);
    let whole = match many {
        true => pairs(&shape.dims)?.to_vec(),
        false => shape.dims.clone(),
    };
    let product = Shape {
        dims: whole.clone(),
        ..shape.clone()
    };
    let product = tape.intensive("bmm", &[left, right], product, cost);
    let y = if many {
        tape.view("view", product, &shape.dims)
    } else {
        product
    };
    let wants = [call.wants(0), call.wants(1)];
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let gradient = if many {
            tape.view("view", gradient, &whole)
        } else {
            gradient
        };
        let mut found = [None, None];
        if wants[1] {
            let left = turned(tape, left);
            let shape = tape.shapes[right].clone();
            found[1] = Some(tape.intensive("bmm", &[left, gradient], shape, cost));
        }
        if wants[0] {
            let right = turned(tape, right);
            let shape = tape.shapes[left].clone();
            found[0] = Some(tape.intensive("bmm", &[gradient, right], shape, cost));
        }
        let mut back = |found: Option<Value>, of: Value| {
            let found = found?;
            let dims = tape.dims(of);
            let found = if many {
                tape.view("view", found, &dims)
            } else {
                found
            };
            Some(tape.summed_to(found, of))
        };
        vec![back(found[0], a), back(found[1], b)]
    });
    Some(Made::one(y, backward))
}

/// A convolution: its gradients are one node.
pub(super) fn convolution(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let inputs = call.inputs.clone();
    let read: Vec<Value> = inputs.iter().copied().flatten().collect();
    let cost = flops(call.graph, call.op);
    let y = tape.intensive("convolution", &read, call.shape(), cost);
    let wants = call.wants.clone();
    let saves = call.op.facts().saves;
    // The bias is added.
    let bias = match saves {
        crate::operators::Saves::Product { bias } => bias,
        _ => 2,
    };
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let mut read = vec![gradient];
        let operands = inputs
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != bias);
        read.extend(operands.filter_map(|(_, input)| *input));
        let wanted: Vec<usize> = (0..inputs.len()).filter(|place| wants[*place]).collect();
        let shapes: Vec<Shape> = wanted
            .iter()
            .filter_map(|place| inputs[*place].map(|it| tape.shapes[it].clone()))
            .collect();
        let products = cost.saturating_mul(wanted.iter().filter(|it| **it != bias).count() as u64);
        let whole = shapes.first().cloned().unwrap_or_default();
        let several = tape.intensive("convolution_backward", &read, whole, products);
        let mut found = vec![None; inputs.len()];
        for (place, item) in wanted.into_iter().zip(tape.items(several, &shapes)) {
            found[place] = Some(item);
        }
        found
    });
    Some(Made::one(y, backward))
}

/// Attention as one operator, on a GPU: the result and a number for each query are kept.
pub(super) fn attention(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let inputs = call.inputs.clone();
    let read: Vec<Value> = inputs.iter().copied().flatten().collect();
    let beside = call.op.facts().saves.beside()?;
    let rows = Shape {
        dims: vec![beside.bytes(call.graph, call.op, 1)?],
        item: 1,
        each_sample: true,
    };
    let cost = flops(call.graph, call.op);
    let several = tape.intensive("attention", &read, call.shape(), cost);
    let mut shapes = call.shapes.clone();
    shapes.push(rows);
    let items = tape.items(several, &shapes);
    let (y, rows) = (items[0], items[shapes.len() - 1]);
    let wants = call.wants.clone();
    let outputs = items[..items.len() - 1].to_vec();
    let backward: Backward = Box::new(move |tape, given| {
        let seen = tape.seen("alias", y);
        let mut read: Vec<Value> = given.iter().copied().flatten().collect();
        read.extend(inputs.iter().copied().flatten());
        read.extend([seen, rows]);
        let wanted: Vec<usize> = (0..inputs.len()).filter(|place| wants[*place]).collect();
        let shape = |place: &usize| inputs[*place].map(|it| tape.shapes[it].clone());
        let shapes: Vec<Shape> = wanted.iter().filter_map(shape).collect();
        let whole = shapes.first().cloned().unwrap_or_default();
        // The scores are computed again.
        let products = cost.saturating_mul(5) / 2;
        let several = tape.intensive("attention_backward", &read, whole, products);
        let mut found = vec![None; inputs.len()];
        for (place, item) in wanted.into_iter().zip(tape.items(several, &shapes)) {
            found[place] = Some(item);
        }
        found
    });
    Some(Made {
        outputs,
        backward: Some(backward),
    })
}
