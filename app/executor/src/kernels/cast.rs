//! y[i] = x[i] as another type: floats towards zero into integers, integers by their low bits
//! into narrower ones and to nearest into floats, anything but 0 into true.

use bytemuck::{Pod, Zeroable};
use planner::graph::DType;

use super::pair::{wide, wrapped};
use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;
use crate::small_floats::Rounding;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CastParams {
    /// Number of elements.
    pub count: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let [x, y] = [&dispatch.inputs[0], &dispatch.outputs[0]];
    if x.dtype == y.dtype {
        let words = memory.words(x.region);
        memory.put_words(y.region, &words);
        return;
    }
    let to_float = elements::is_float(y.dtype);
    if elements::is_float(x.dtype) {
        let values = memory.floats(x);
        if y.dtype == DType::Bool {
            let values: Vec<i64> = values.iter().map(|&x| i64::from(x != 0.0)).collect();
            memory.put_ints(y, &values);
        } else {
            let rounding = Rounding {
                saturate: dispatch.value_of("SATURATE") == 1,
                powers: dispatch.value_of("POWERS"),
            };
            let words = elements::words_of_rounded(y.dtype, &values, rounding);
            memory.put_words(y.region, &words);
        }
        return;
    }
    let values = wide(memory, x);
    if to_float {
        #[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
        let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        memory.put_floats(y, &values);
    } else {
        let narrow = |&x: &i128| match y.dtype {
            DType::Bool => i64::from(x != 0),
            _ => wrapped(x),
        };
        let values: Vec<i64> = values.iter().map(narrow).collect();
        memory.put_ints(y, &values);
    }
}
