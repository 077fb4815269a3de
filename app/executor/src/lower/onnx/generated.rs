//! Operators whose outputs are known before the run: ranges, windows, filter banks, diagonals.

use planner::graph::DType;
use planner::{Message, message};

use crate::elements;
use crate::kernels::{Kernel, OneHotParams, grid};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::strided::{copy, fill, width};
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator that makes its output of nothing; `None` when it is of another
/// family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Range => range(call),
        Operator::HannWindow => window(call, [0.5, 0.5, 0.0]),
        Operator::HammingWindow => window(call, [25.0 / 46.0, 21.0 / 46.0, 0.0]),
        Operator::BlackmanWindow => window(call, [0.42, 0.5, 0.08]),
        Operator::MelWeightMatrix => mel(call),
        Operator::EyeLike => diagonal(call),
        Operator::OptionalHasElement => has_element(call),
        _ => return None,
    })
}

/// y = these numbers, rounded to its type.
fn given(y: &Operand, values: &[f64]) -> Dispatches {
    if y.is_empty() {
        return Ok(Vec::new());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a run computes with f32 and with integers of 64 bits"
    )]
    let words = match elements::is_float(y.dtype) {
        true => {
            let floats: Vec<f32> = values.iter().map(|&it| it as f32).collect();
            elements::words_of_floats(y.dtype, &floats)
        }
        false => {
            let ints: Vec<i64> = values.iter().map(|&it| it as i64).collect();
            elements::words_of_ints(y.dtype, &ints)
        }
    };
    let known = Operand {
        dims: y.dims.clone(),
        ..table(y, y.dtype, words)
    };
    Ok(vec![copy(&known, y)?])
}

/// The only number of the input at `position`.
fn number(call: &Call<'_>, position: usize) -> Result<f64, Message> {
    let value = call.value(position).map(|value| value.to_floats());
    match value.as_deref() {
        Some(&[number]) => Ok(number),
        _ => Err(message!("input {} is not known before the run", position)),
    }
}

/// Numbers at the same distance.
fn range(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let (start, delta) = (number(call, 0)?, number(call, 2)?);
    let values = (0..y.len()).map(|i| start + f64::from(i) * delta);
    given(y, &values.collect::<Vec<f64>>())
}

/// A sum of cosines: of none, one and two waves over the window.
fn window(call: &Call<'_>, [level, one, two]: [f64; 3]) -> Dispatches {
    let y = call.output(0)?;
    let whole = call.op.int("periodic").unwrap_or(1) != 0;
    let length = f64::from(y.len()) - if whole { 0.0 } else { 1.0 };
    let value = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / length;
        // A symmetric window of one element has no waves.
        match length == 0.0 {
            true => level - one + two,
            false => level - one * angle.cos() + two * (2.0 * angle).cos(),
        }
    };
    given(y, &(0..y.len()).map(value).collect::<Vec<f64>>())
}

/// Triangles whose corners are at the same distance on the mel scale, over the bins of a
/// spectrum.
fn mel(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let &[bins, bands] = &*y.dims else {
        return Err(message!("its shapes do not fit"));
    };
    let numbers = [1, 2, 3, 4].map(|position| number(call, position));
    let [length, rate, low, high] = numbers;
    let (length, rate) = (length?, rate?);
    let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
    let hertz = |mel: f64| 700.0 * (10_f64.powf(mel / 2595.0) - 1.0);
    let (low, high) = (mel(low?), mel(high?));
    let step = (high - low) / (f64::from(bands) + 2.0);
    let corner = |band: u32| {
        let hertz = hertz(low + step * f64::from(band));
        #[expect(clippy::cast_possible_truncation, reason = "bins are whole numbers")]
        let bin = ((length + 1.0) * hertz / rate).floor() as i64;
        bin
    };
    let mut values = Vec::with_capacity(y.len() as usize);
    for bin in 0..bins {
        let at = i64::from(bin);
        for band in 0..bands {
            let [left, centre, right] = [0, 1, 2].map(|of| corner(band + of));
            #[expect(clippy::cast_precision_loss, reason = "there are not that many bins")]
            let share = |part: i64, whole: i64| part as f64 / whole as f64;
            values.push(if at >= centre && at < right {
                share(right - at, right - centre)
            } else if at == centre {
                1.0
            } else if at >= left && at < centre {
                share(at - left, centre - left)
            } else {
                0.0
            });
        }
    }
    given(y, &values)
}

/// 1 along a diagonal, 0 elsewhere.
fn diagonal(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let &[rows, columns] = &*y.dims else {
        return Err(message!("its shapes do not fit"));
    };
    let k = call.op.int("k").unwrap_or_default();
    let column = |row: u32| {
        let column = i64::from(row).saturating_add(k);
        let inside = u32::try_from(column).ok().filter(|&at| at < columns);
        // No row has an element there.
        inside.unwrap_or(i32::MAX.cast_unsigned())
    };
    let places = table(y, DType::I32, (0..rows).map(column).collect());
    let values = table(y, y.dtype, elements::words_of_ints(y.dtype, &[0, 1]));
    let params = OneHotParams {
        count: y.len(),
        depth: columns,
        inner: 1,
    };
    Ok(vec![
        Dispatch::new(Kernel::OneHot, &params, grid(y.len().div_ceil(4)))
            .reads([&values, &places])
            .writes(y)
            .constant("WIDTH", width(y)?)
            .constant("INDEX", 1),
    ])
}

/// A tensor is an element; what is left out is none.
fn has_element(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    Ok(vec![fill(y, [u32::from(call.optional(0).is_some()), 0])?])
}
