//! y[r, i] = softmax over the quantised elements of row r of x.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::fixed_point::{high_product, reciprocal, rounded_shift};
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements.
    pub count: u32,
    /// Elements of a row.
    pub size: u32,
    /// The least and the largest element of y.
    pub range: [i32; 2],
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let x = super::narrow(memory, &dispatch.inputs[0]);
    let exps = super::narrow(memory, &dispatch.inputs[1]);
    let [lowest, highest] = params.range;
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
        let sum = row.iter().map(|x| rounded_shift(exp(x), 12)).sum();
        let (scale, above) = reciprocal(sum);
        y.extend(row.iter().map(|x| {
            let share = rounded_shift(high_product(scale, exp(x)), above + 31 - 8);
            i64::from((share + lowest).clamp(lowest, highest))
        }));
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}
