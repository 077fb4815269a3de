//! y[r, i] = softmax over the quantised elements of row r of x, its logarithm, or x over their norm.

use bytemuck::{Pod, Zeroable};
use planner::graph::DType;

use super::quantised_pair::element;
use crate::arena::Memory;
use crate::fixed_point::{
    Factor, high_product, inverse_root, logarithm, reciprocal, rounded_shift,
};
use crate::recording::Dispatch;

codes! {
    /// What is made of a row: the `override` constant `MODE`.
    pub enum QuantisedSoftmaxMode {
        /// Softmax.
        Softmax,
        /// Its logarithm.
        Logarithm,
        /// The row over its norm.
        Norm,
    }
}

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedSoftmaxParams {
    /// Number of elements.
    pub count: u32,
    /// Elements of a row.
    pub size: u32,
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// Of a table of floats: what the whole is in steps of y.
    pub whole: f32,
    /// And the zero point of y.
    pub zero: i32,
    /// The zero point of x, where it counts.
    pub x_zero: i32,
    /// Of a logarithm: mantissa and shift of what makes it steps of x.
    pub back: [i32; 2],
    /// And the least difference to the largest element that counts in sums.
    pub least: i32,
    /// Of a norm: how many of 7 places are added before the division.
    pub places: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedSoftmaxParams = dispatch.params();
    let x = super::narrow(memory, &dispatch.inputs[0]);
    match QuantisedSoftmaxMode::read(dispatch, "MODE") {
        QuantisedSoftmaxMode::Logarithm => logarithms(dispatch, &params, &x, memory),
        QuantisedSoftmaxMode::Norm => normalized(dispatch, &params, &x, memory),
        QuantisedSoftmaxMode::Softmax if dispatch.value_of("REAL") == 1 => {
            of_floats(dispatch, &params, &x, memory);
        }
        QuantisedSoftmaxMode::Softmax => of_integers(dispatch, &params, &x, memory),
    }
}

/// With e^-d as integers.
fn of_integers(
    dispatch: &Dispatch,
    params: &QuantisedSoftmaxParams,
    x: &[i32],
    memory: &mut Memory,
) {
    let exps = super::narrow(memory, &dispatch.inputs[1]);
    let [lowest, highest] = params.range;
    let bits = if dispatch.outputs[0].dtype == DType::I16 {
        16
    } else {
        8
    };
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(params.size.max(1) as usize) {
        let largest = row.iter().copied().max().unwrap_or_default();
        let exp = |x: &i32| {
            let place = usize::try_from(largest - x).ok();
            place
                .and_then(|at| exps.get(at))
                .copied()
                .unwrap_or_default()
        };
        if dispatch.inputs[0].dtype == DType::I16 {
            let sum = row.iter().fold(0_i32, |sum, x| sum.wrapping_add(exp(x)));
            let (scale, places) = share(sum, &super::narrow(memory, &dispatch.inputs[2]));
            let half = 1 << (places - 1);
            let shares = row
                .iter()
                .map(|x| i64::from((exp(x) * scale + half) >> places));
            y.extend(shares.map(|share| share.clamp(lowest.into(), highest.into())));
            continue;
        }
        let sum = row.iter().map(|x| rounded_shift(exp(x), 12)).sum();
        let (scale, above) = reciprocal(sum);
        y.extend(row.iter().map(|x| {
            let share = rounded_shift(high_product(scale, exp(x)), above + 31 - bits);
            i64::from((share + lowest).clamp(lowest, highest))
        }));
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// With e^-d as floats, summed from the first element on.
fn of_floats(dispatch: &Dispatch, params: &QuantisedSoftmaxParams, x: &[i32], memory: &mut Memory) {
    let exps = memory.floats(&dispatch.inputs[1]);
    let [lowest, highest] = params.range;
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(params.size.max(1) as usize) {
        let largest = row.iter().copied().max().unwrap_or_default();
        let exp = |x: &i32| {
            let place = usize::try_from(largest - x).ok();
            let found = place.and_then(|at| exps.get(at));
            found.copied().unwrap_or_default()
        };
        let sum = row.iter().map(exp).fold(0.0, |sum: f32, x| sum + x);
        y.extend(row.iter().map(|x| {
            let share = element(exp(x) * params.whole / sum);
            i64::from(share.wrapping_add(params.zero).clamp(lowest, highest))
        }));
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// 1 / sum of 15 binary places and how many places a product with it has too many; `ends` are
/// those of stretches of 1 / (1 + x).
fn share(sum: i32, ends: &[i32]) -> (i32, u32) {
    let zeros = sum.cast_unsigned().leading_zeros().clamp(1, 30);
    let fraction = ((sum.cast_unsigned() << (zeros - 1)) + (1 << 13)) >> 14;
    let x = (fraction.cast_signed() - 98_304).clamp(-32_768, 32_767);
    let stretch = usize::try_from(256 + (x >> 7)).unwrap_or_default();
    let end = |at: usize| ends.get(at).copied().unwrap_or_default();
    let (low, high) = (end(stretch), end(stretch + 1));
    (low + (((high - low) * (x & 0x7f) + 64) >> 7), 31 - zeros)
}

/// With e^-d and d in 26 binary places from tables.
fn logarithms(
    dispatch: &Dispatch,
    params: &QuantisedSoftmaxParams,
    x: &[i32],
    memory: &mut Memory,
) {
    let [exps, distances] = [1, 2].map(|at| super::narrow(memory, &dispatch.inputs[at]));
    let [mantissa, shift] = params.back;
    let [lowest, highest] = params.range;
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(params.size.max(1) as usize) {
        let largest = row.iter().copied().max().unwrap_or_default();
        let at = |table: &[i32], x: i32| {
            let place = usize::try_from(largest - x).ok();
            let found = place.and_then(|at| table.get(at));
            found.copied().unwrap_or_default()
        };
        let exps = row.iter().map(|x| rounded_shift(at(&exps, *x), 12));
        let whole = logarithm(exps.fold(0, i32::wrapping_add));
        let reach = whole.wrapping_add(i32::MIN);
        let nearest = Factor { mantissa, shift }.times(reach);
        let nearest = nearest.max(params.least - 1);
        y.extend(row.iter().map(|&x| {
            if x - largest <= nearest {
                return i64::from(lowest);
            }
            let real = at(&distances, x).wrapping_sub(whole);
            let y = rounded_shift(real, 22) + highest;
            i64::from(y.clamp(lowest, highest))
        }));
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}

fn normalized(
    dispatch: &Dispatch,
    params: &QuantisedSoftmaxParams,
    x: &[i32],
    memory: &mut Memory,
) {
    let [lowest, highest] = params.range;
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(params.size.max(1) as usize) {
        let distance = |x: &i32| x - params.x_zero;
        let squares = row.iter().map(|x| distance(x).wrapping_mul(distance(x)));
        let (mantissa, shift) = inverse_root(squares.fold(0, i32::wrapping_add));
        let shift = shift + 7 - params.places.cast_signed();
        let factor = Factor { mantissa, shift };
        y.extend(row.iter().map(|x| {
            let y = factor.times(distance(x) << params.places) + params.zero;
            i64::from(y.clamp(lowest, highest))
        }));
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}
