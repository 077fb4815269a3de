//! Views and what is joined.

use super::tape::{Tape, Value};
use super::{Backward, Call, Made};
use crate::operators::{Operator, View};
use crate::training::joint::Class;

/// Elements of an input, in another shape or walked otherwise.
pub(super) fn view(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let place = call.op.facts().source;
    let x = call.input(place)?;
    let name = match call.op.operator {
        Operator::Transpose => "permute",
        Operator::Slice | Operator::StridedSlice => "slice",
        Operator::Split | Operator::TfliteSplit | Operator::Unpack => "split",
        Operator::Expand => "expand",
        Operator::Squeeze => "squeeze",
        Operator::Unsqueeze => "unsqueeze",
        _ => "view",
    };
    let read = call.op.inputs.get(place).copied().flatten()?;
    let mut outputs = Vec::new();
    for (id, shape) in call.op.outputs.iter().zip(&call.shapes) {
        outputs.push(match (call.op.facts().view, id) {
            (Some(View::Strided), Some(id)) => {
                let lies = tape.layouts[x].seen(call.graph, call.op, read, *id);
                let view = tape.view(name, x, &shape.dims);
                tape.layouts[view] = lies;
                view
            }
            _ => tape.reshape(name, x, &shape.dims),
        });
    }
    let shape = tape.shapes[x].clone();
    let inputs = call.inputs.len();
    let backward: Backward = Box::new(move |tape, given| {
        let mut found = vec![None; inputs];
        let parts: Vec<Value> = given.iter().copied().flatten().collect();
        found[place] = Some(match (name, &parts[..]) {
            ("slice", _) => {
                let zeros = tape.full("full", &shape);
                let read = [&[zeros], &parts[..]].concat();
                tape.node(Class::Other, "slice_scatter", &read, shape.clone())
            }
            ("expand", [gradient]) => tape.summed_to(*gradient, x),
            ("split", _) => {
                let joined = tape.node(Class::Concatenation, "cat", &[], shape.clone());
                tape.graph.nodes[joined].listed = parts;
                joined
            }
            (_, [gradient, ..]) => tape.view(name, *gradient, &shape.dims),
            _ => return found,
        });
        found
    });
    Some(Made {
        outputs,
        backward: Some(backward),
    })
}

/// What is joined is written where the whole lies.
pub(super) fn concat(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let inputs = call.inputs.clone();
    let parts: Vec<Value> = inputs.iter().copied().flatten().collect();
    let y = tape.node(Class::Concatenation, "cat", &[], call.shape());
    tape.costs[y] = tape.elements(y);
    tape.graph.nodes[y].listed = parts;
    let wants = call.wants.clone();
    let backward: Backward = Box::new(move |tape, given| {
        let each = inputs.iter().enumerate().map(|(place, input)| {
            let (input, gradient) = (input.filter(|_| wants[place])?, given[0]?);
            let dims = tape.dims(input);
            Some(tape.view("slice", gradient, &dims))
        });
        each.collect()
    });
    Some(Made::one(y, backward))
}
