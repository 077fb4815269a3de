//! y[i] = x[i] / scale[c], to nearest with ties to even or away from zero, plus zero[c], within
//! the range of the type of y.

use planner::graph::DType;

use super::dequantize::{Params, steps};
use crate::arena::Memory;
use crate::recording::Dispatch;

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let steps = steps(dispatch, memory);
    let output = &dispatch.outputs[0];
    let (lowest, highest) = match output.dtype {
        DType::I16 => (-32_768, 32_767),
        DType::U16 => (0, 65_535),
        DType::I8 => (-128, 127),
        _ => (0, 255),
    };
    let x = memory.floats(&dispatch.inputs[0]);
    let value = |(index, &x): (usize, &f32)| {
        let (scale, zero) = steps[index / params.inner as usize % steps.len()];
        let nearest = match dispatch.value_of("AWAY") {
            0 => (x / scale).round_ties_even(),
            _ => (x / scale).round(),
        };
        #[expect(clippy::cast_possible_truncation, reason = "it is brought into range")]
        let nearest = nearest as i64;
        let zero = i64::try_from(zero).unwrap_or_default();
        nearest.saturating_add(zero).clamp(lowest, highest)
    };
    let y: Vec<i64> = x.iter().enumerate().map(value).collect();
    memory.put_ints(output, &y);
}
