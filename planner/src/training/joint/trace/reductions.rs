//! Sums, extremes and pooling.

use super::tape::{Shape, Tape};
use super::{Backward, Call, Made};
use crate::operators::Operator;
use crate::training::joint::Class;

/// A sum or a mean of rows.
pub(super) fn sum(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let (wide, shape) = (tape.dims(x), call.shape());
    let divided = !call.op.is(Operator::ReduceSum);
    let y = tape.reduce(if divided { "mean" } else { "sum" }, x, &shape.dims);
    // The reduced dimensions stand there as 1 again.
    let narrow = kept(&wide, &shape.dims);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let mut seen = gradient;
            if tape.dims(gradient) != narrow {
                seen = tape.view("unsqueeze", gradient, &narrow);
            }
            let seen = tape.view("expand", seen, &wide);
            if divided {
                tape.each("div", &[seen])
            } else {
                seen
            }
        });
        vec![gradient]
    });
    Some(Made::one(y, backward))
}

/// The dimensions of what is reduced with 1 where it was: those that `narrow` has in order.
fn kept(wide: &[u64], narrow: &[u64]) -> Vec<u64> {
    if wide.len() == narrow.len() {
        return narrow.to_vec();
    }
    let mut rest = narrow.iter().peekable();
    let dims = wide.iter().map(|dim| match rest.next_if_eq(&dim) {
        Some(dim) => *dim,
        None => 1,
    });
    dims.collect()
}

/// The largest or smallest of rows: the gradient is shared out among those that are it.
pub(super) fn extreme(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let narrow = kept(&tape.dims(x), &call.shape().dims);
    let y = tape.reduce("amax", x, &call.shape().dims);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let seen = tape.seen("alias", y);
            let seen = tape.view("view", seen, &narrow);
            let gradient = tape.view("view", gradient, &narrow);
            let equal = tape.mask("eq", &[seen, x]);
            let many = Shape {
                item: 8,
                ..tape.shapes[gradient].clone()
            };
            let count = tape.node(Class::Recomputable, "sum", &[equal], many);
            let share = tape.each("div", &[gradient, count]);
            tape.each("mul", &[share, equal])
        });
        vec![gradient]
    });
    Some(Made::one(y, backward))
}

/// The largest of a row and where it was; for one of each `max`, else `topk`.
pub(super) fn top(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let shape = tape.shapes[x].clone();
    let one = call.shape().dims.contains(&1);
    let (class, name) = match one {
        true => (Class::Recomputable, "max"),
        false => (Class::Other, "topk"),
    };
    let several = tape.node(class, name, &[x], call.shape());
    let indices = Shape {
        item: 8,
        ..call.shape()
    };
    let items = tape.items(several, &[call.shape(), indices]);
    let at = items[1];
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let zeros = tape.full("full", &shape);
            tape.node(Class::Other, "scatter", &[zeros, at, gradient], shape)
        });
        vec![gradient]
    });
    Some(Made {
        outputs: items,
        backward: Some(backward),
    })
}

/// A pooling keeps where its largest elements were, a byte each.
pub(super) fn max_pool(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let shape = tape.shapes[x].clone();
    let several = tape.node(Class::Other, "max_pool", &[x], call.shape());
    let places = Shape {
        item: 1,
        ..call.shape()
    };
    let items = tape.items(several, &[call.shape(), places]);
    let (y, at) = (items[0], items[1]);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let wide = Shape {
                item: 8,
                ..tape.shapes[at].clone()
            };
            let indices = tape.node(Class::Recomputable, "offsets_to_indices", &[at], wide);
            let zeros = tape.full("full", &shape);
            let gradient = tape.seen("view", gradient);
            let indices = tape.seen("view", indices);
            let sum = tape.node(
                Class::Other,
                "scatter_add",
                &[zeros, indices, gradient],
                shape.clone(),
            );
            tape.seen("view", sum)
        });
        vec![gradient]
    });
    Some(Made {
        outputs: if call.shapes.len() > 1 {
            items
        } else {
            vec![y]
        },
        backward: Some(backward),
    })
}
