//! y[i] = x[i] / scale[c], to nearest with ties to even or away from zero, plus zero[c], within
//! the range of the type of y.

use planner::graph::DType;

use super::dequantize::{step_of, steps};
use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let output = &dispatch.outputs[0];
    let x = memory.floats(&dispatch.inputs[0]);
    if elements::is_float(output.dtype) {
        let scales = memory.floats(&dispatch.inputs[1]);
        let y = x.iter().enumerate();
        // A zero has no sign after its zero point is added.
        let y = y.map(|(index, &x)| x / scales[step_of(dispatch, index)] + 0.0);
        let y: Vec<f32> = y.collect();
        return memory.put_floats(output, &y);
    }
    let steps = steps(dispatch, memory);
    let (lowest, highest) = match output.dtype {
        DType::I16 => (-32_768, 32_767),
        DType::U16 => (0, 65_535),
        DType::I8 => (-128, 127),
        DType::I4 => (-8, 7),
        DType::U4 => (0, 15),
        DType::I2 => (-2, 1),
        DType::U2 => (0, 3),
        _ => (0, 255),
    };
    let value = |(index, &x): (usize, &f32)| {
        let (scale, zero) = steps[step_of(dispatch, index)];
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
