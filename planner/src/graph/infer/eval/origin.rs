//! Where elements come from, for operators that only move them: so that the judge of schedules
//! can ask, and need not believe who made a view.

use std::collections::BTreeMap;

use super::{coordinates, movement, strides};
use crate::graph::infer::{Call, Elements, KnownInput, Value, call};
use crate::graph::{Content, Dialect, Graph, Op, Role, TensorId};
use crate::operators::Operator;

/// Most elements of an output that are asked for.
const ASKED: u64 = 64;

/// Coordinates of an element in an output, and in the first input.
pub(crate) type Moved = (Vec<u64>, Vec<u64>);

/// Some elements of output `number` of `op`, each with the element of the first input that it
/// is; `None` where that is not known.
pub(crate) fn origins(graph: &Graph, op: &Op, number: usize) -> Option<Vec<Moved>> {
    if !matches!(graph.dialect, Dialect::Onnx { .. }) || !op.domain.is_empty() {
        return None;
    }
    let values = inline(graph, op);
    let inputs = KnownInput::inputs(graph, &values, op);
    let call = Call {
        op,
        inputs: &inputs,
        graph,
        follow: false,
    };
    let x = call.input(0)?.dims;
    let dims = graph.tensor((*op.outputs.get(number)?)?).dims.as_deref()?;
    let count = call::count(dims)?;
    let asked = (0..count.min(ASKED)).map(|index| match count <= ASKED {
        true => index,
        // The first, the last, and others between.
        false if index == ASKED - 1 => count - 1,
        false => count / ASKED * index,
    });
    let places = asked.map(|flat| (flat, coordinates(flat, dims)));
    let origin = origin(&call, x, number)?;
    places
        .map(|(flat, at)| {
            let from = origin(flat, &at)?;
            Some((at, coordinates(from, x)))
        })
        .collect()
}

type Origin<'a> = Box<dyn Fn(u64, &[u64]) -> Option<u64> + 'a>;

fn origin<'a>(call: &'a Call<'a>, x: &'a [u64], number: usize) -> Option<Origin<'a>> {
    Some(match call.op.operator {
        Operator::Flatten
        | Operator::Identity
        | Operator::Reshape
        | Operator::Squeeze
        | Operator::Unsqueeze => Box::new(|flat, _| Some(flat)),
        Operator::Split => {
            let axis = call::resolve(call.int("axis", 0), x.len())?;
            let before = call.op.outputs[..number].iter().flatten();
            let size = |id: &TensorId| call.graph.tensor(*id).dims.as_ref()?.get(axis).copied();
            let sizes = before.map(size).collect::<Option<Vec<u64>>>()?;
            let begin: u64 = sizes.iter().sum();
            let steps = strides(x);
            Box::new(move |_, at| {
                let pairs = at.iter().zip(&steps);
                Some(pairs.map(|(at, step)| at * step).sum::<u64>() + begin * steps[axis])
            })
        }
        _ => {
            let shape = Value {
                dims: x.to_vec(),
                elements: Elements::Ints(Vec::new()),
            };
            Box::new(move |_, at| {
                let from = movement::source(call, &shape)?(at)?;
                u64::try_from(from).ok()
            })
        }
    })
}

/// The elements of the inputs that the graph holds itself.
fn inline(graph: &Graph, op: &Op) -> BTreeMap<TensorId, Value> {
    let inputs = op.inputs.iter().copied().flatten();
    let value = |id: TensorId| {
        let tensor = graph.tensor(id);
        let Content::Inline(bytes) = &tensor.content else {
            return None;
        };
        if tensor.role == Role::State {
            return None;
        }
        let value = Value::from_bytes(tensor.dtype, tensor.dims.as_deref()?, bytes)?;
        Some((id, value))
    };
    inputs.filter_map(value).collect()
}
