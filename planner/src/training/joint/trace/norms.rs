//! Normalisations and softmax, which come apart.

use super::tape::{Shape, Tape, Value};
use super::{Backward, Call, Made};
use crate::operators::Operator;
use crate::training::joint::Class;

/// The axis that the operator names, of so many, or the last one.
fn axis(call: &Call<'_>, rank: usize) -> Option<usize> {
    let axis = call.op.int("axis").unwrap_or(-1);
    let rank = i64::try_from(rank).ok()?;
    usize::try_from(if axis < 0 { axis + rank } else { axis }).ok()
}

/// The dimensions that the rows of `x` are reduced to, and `x` without the largest of each row.
fn below_largest(tape: &mut Tape, call: &Call<'_>, x: Value) -> Option<(Vec<u64>, Value)> {
    let axis = axis(call, tape.dims(x).len())?;
    let rows = tape.reduced(x, &[axis]);
    let largest = tape.reduce("amax", x, &rows);
    Some((rows, tape.each("sub", &[x, largest])))
}

pub(super) fn softmax(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let (rows, moved) = below_largest(tape, call, x)?;
    let exp = tape.each("exp", &[moved]);
    let sum = tape.reduce("sum", exp, &rows);
    let y = tape.each("div", &[exp, sum]);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let seen = tape.seen("alias", y);
            let seen = tape.seen("alias", seen);
            let product = tape.each("mul", &[gradient, seen]);
            let sum = tape.reduce("sum", product, &rows);
            let negated = tape.each("neg", &[seen]);
            tape.each("fma", &[negated, sum, product])
        });
        vec![gradient]
    });
    Some(Made::one(y, backward))
}

pub(super) fn log_softmax(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let (rows, moved) = below_largest(tape, call, x)?;
    let exp = tape.each("exp", &[moved]);
    let sum = tape.reduce("sum", exp, &rows);
    let log = tape.each("log", &[sum]);
    let y = tape.each("sub", &[moved, log]);
    let backward: Backward = Box::new(move |tape, given| {
        let gradient = given[0].map(|gradient| {
            let seen = tape.seen("alias", y);
            let seen = tape.seen("alias", seen);
            let exp = tape.each("exp", &[seen]);
            let sum = tape.reduce("sum", gradient, &rows);
            let product = tape.each("mul", &[exp, sum]);
            tape.each("sub", &[gradient, product])
        });
        vec![gradient]
    });
    Some(Made::one(y, backward))
}

/// Mean and deviation of what is normalised together: the mean, the reciprocal of the root.
fn statistics(tape: &mut Tape, x: Value, rows: &[u64], each_sample: bool) -> (Value, Value) {
    let shape = Shape {
        each_sample,
        ..tape.shapes[x].with(rows, tape.shapes[x].item)
    };
    let several = tape.node(Class::Recomputable, "var_mean", &[x], shape.clone());
    let items = tape.items(several, &[shape.clone(), shape]);
    let above = tape.each("add", &[items[0]]);
    (items[1], tape.each("rsqrt", &[above]))
}

/// What is normalised, times the scale, with the shift.
fn scaled(tape: &mut Tape, call: &Call<'_>, normal: Value) -> Value {
    let mut y = normal;
    for (name, place) in [("mul", 1), ("add", 2)] {
        if let Some(by) = call.input(place) {
            let by = by_channel(tape, call, by);
            y = tape.each(name, &[y, by]);
        }
    }
    y
}

/// Scales of channels stand in front of the sizes of a picture.
fn by_channel(tape: &mut Tape, call: &Call<'_>, scale: Value) -> Value {
    if matches!(
        call.op.operator,
        Operator::LayerNormalization | Operator::RMSNormalization
    ) {
        return scale;
    }
    let mut dims = tape.dims(scale);
    dims.resize(call.input_dims(0).len().saturating_sub(1).max(1), 1);
    tape.view("unsqueeze", scale, &dims)
}

/// The gradients of scale and shift.
fn of_scales(
    tape: &mut Tape,
    (gradient, normal): (Value, Value),
    scales: [Option<Value>; 2],
) -> [Option<Value>; 2] {
    let [scale, shift] = scales;
    let sum = |tape: &mut Tape, of: Value, like: Value| {
        let shape = tape.shapes[like].clone();
        tape.node(Class::Recomputable, "sum", &[of], shape)
    };
    let of_scale = scale.map(|scale| {
        let product = tape.each("mul", &[gradient, normal]);
        sum(tape, product, scale)
    });
    [of_scale, shift.map(|shift| sum(tape, gradient, shift))]
}

/// The gradient of rows of which each was normalised.
fn of_rows(tape: &mut Tape, (scaled, normal, root): (Value, Value, Value), rows: &[u64]) -> Value {
    let large = tape.each("mul", &[scaled]);
    let sum = tape.reduce("sum", scaled, rows);
    let product = tape.each("mul", &[scaled, normal]);
    let other = tape.reduce("sum", product, rows);
    let along = tape.each("mul", &[normal, other]);
    let rest = tape.each("sub", &[large, sum]);
    let rest = tape.each("sub", &[rest, along]);
    let root = tape.each("div", &[root]);
    tape.each("mul", &[root, rest])
}

pub(super) fn layer_norm(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let dims = tape.dims(x);
    // Groups of channels, of which each is a row.
    let (seen, rows) = match call.op.operator {
        Operator::LayerNormalization => {
            let first = axis(call, dims.len())?;
            let axes: Vec<usize> = (first..dims.len()).collect();
            (x, tape.reduced(x, &axes))
        }
        operator => {
            let channels = *dims.get(1)?;
            let groups = match operator {
                Operator::GroupNormalization => u64::try_from(call.op.int("num_groups")?).ok()?,
                _ => channels,
            };
            let rest = tape.shapes[x]
                .elements()?
                .checked_div(dims[0].checked_mul(groups)?)?;
            let seen = tape.view("view", x, &[dims[0], groups, rest]);
            (seen, vec![dims[0], groups, 1])
        }
    };
    let (mean, root) = statistics(tape, seen, &rows, true);
    let normal = |tape: &mut Tape| {
        let moved = tape.each("sub", &[seen, mean]);
        let normal = tape.each("mul", &[moved, root]);
        match seen == x {
            true => normal,
            false => tape.view("view", normal, &dims),
        }
    };
    let first = normal(tape);
    let y = scaled(tape, call, first);
    let scale = call.input(1).map(|scale| by_channel(tape, call, scale));
    let wants = call.wants.clone();
    let scales = [1, 2].map(|place| call.input(place).filter(|_| call.wants(place)));
    let dims = tape.dims(x);
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let moved = tape.each("sub", &[seen, mean]);
        let mut normal = tape.each("mul", &[moved, root]);
        if seen != x {
            normal = tape.view("view", normal, &dims);
        }
        let of_x = wants[0].then(|| {
            let scaled = scale.map_or(gradient, |scale| tape.each("mul", &[gradient, scale]));
            if seen == x {
                return of_rows(tape, (scaled, normal, root), &rows);
            }
            let grouped = tape.dims(seen);
            let [scaled, normal] = [scaled, normal].map(|it| tape.view("view", it, &grouped));
            let found = of_rows(tape, (scaled, normal, root), &rows);
            tape.view("view", found, &dims)
        });
        let [of_scale, of_shift] = of_scales(tape, (gradient, normal), scales);
        vec![of_x, of_scale, of_shift]
    });
    Some(Made::one(y, backward))
}

pub(super) fn rms_norm(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let (x, scale) = (call.input(0)?, call.input(1));
    let dims = tape.dims(x);
    let first = axis(call, dims.len())?;
    let axes: Vec<usize> = (first..dims.len()).collect();
    let rows = tape.reduced(x, &axes);
    let square = tape.each("pow", &[x]);
    let mean = tape.reduce("mean", square, &rows);
    let above = tape.each("add", &[mean]);
    let root = tape.each("rsqrt", &[above]);
    let normal = tape.each("mul", &[x, root]);
    let y = scale.map_or(normal, |scale| tape.each("mul", &[normal, scale]));
    let wants = [call.wants(0), call.wants(1)];
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let of_scale = scale.filter(|_| wants[1]).map(|scale| {
            let product = tape.each("mul", &[gradient, normal]);
            tape.summed_to(product, scale)
        });
        let of_x = wants[0].then(|| {
            let scaled = scale.map_or(gradient, |scale| tape.each("mul", &[gradient, scale]));
            let along = tape.each("mul", &[scaled, x]);
            let across = tape.each("mul", &[scaled, root]);
            let sum = tape.reduce("sum", along, &rows);
            let cube = tape.seen("alias", root);
            let cube = tape.each("pow", &[cube]);
            let factor = tape.each("mul", &[sum]);
            let factor = tape.each("mul", &[factor, cube]);
            let wide = tape.view("expand", factor, &dims);
            let wide = tape.each("div", &[wide]);
            let twice = tape.each("pow", &[x]);
            let twice = tape.each("mul", &[twice]);
            let back = tape.each("mul", &[wide, twice]);
            tape.each("add", &[across, back])
        });
        vec![of_x, of_scale]
    });
    Some(Made::one(y, backward))
}

/// Of each channel of a batch; statistics do not grow with it.
pub(super) fn batch_norm(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let x = call.input(0)?;
    let channels = *tape.dims(x).get(1)?;
    let mut rows = vec![1; tape.dims(x).len()];
    rows[1] = channels;
    let (mean, root) = statistics(tape, x, &rows, false);
    let moved = tape.each("sub", &[x, mean]);
    let normal = tape.each("mul", &[moved, root]);
    let y = scaled(tape, call, normal);
    let scale = call.input(1);
    let wants = call.wants(0);
    let scales = [1, 2].map(|place| call.input(place).filter(|_| call.wants(place)));
    let backward: Backward = Box::new(move |tape, given| {
        let Some(gradient) = given[0] else {
            return Vec::new();
        };
        let small = Shape {
            each_sample: false,
            ..tape.shapes[x].with(&[channels], tape.shapes[x].item)
        };
        let one = |tape: &mut Tape, of: Value| tape.view("squeeze", of, &[channels]);
        let (mean, root) = (one(tape, mean), one(tape, root));
        let wide = |tape: &mut Tape, of: Value| tape.view("unsqueeze", of, &rows);
        let centre = wide(tape, mean);
        let sum = tape.node(Class::Recomputable, "sum", &[gradient], small.clone());
        let moved = tape.each("sub", &[x, centre]);
        let product = tape.each("mul", &[gradient, moved]);
        let along = tape.node(Class::Recomputable, "sum", &[product], small);
        let of_x = wants.then(|| {
            let average = tape.each("mul", &[sum]);
            let average = wide(tape, average);
            let square = tape.each("mul", &[root, root]);
            let share = tape.each("mul", &[along]);
            let share = tape.each("mul", &[share, square]);
            let share = wide(tape, share);
            let factor = scale.map_or(root, |scale| tape.each("mul", &[root, scale]));
            let factor = wide(tape, factor);
            let moved = tape.each("sub", &[x, centre]);
            let away = tape.each("mul", &[moved, share]);
            let rest = tape.each("sub", &[gradient, away]);
            let rest = tape.each("sub", &[rest, average]);
            tape.each("mul", &[rest, factor])
        });
        let of_scale = scales[0].map(|_| tape.each("mul", &[along, root]));
        vec![of_x, of_scale, scales[1].map(|_| sum)]
    });
    Some(Made::one(y, backward))
}
