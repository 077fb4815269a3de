//! y[row] = the largest or the smallest integer of a row of x, or its place.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use super::pair::{wide, wrapped};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `OP` is 0 for the largest and 1 for the smallest,
/// `PLACE` is 1 for the place of the first and 2 for that of the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// The rows of x; y has one element for each.
    pub rows: Rows,
    /// The words of what an empty row gives.
    pub empty: [u32; 2],
    /// Nothing.
    pub pad: [u32; 2],
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let smallest = dispatch.value_of("OP") == 1;
    let place = dispatch.value_of("PLACE");
    let x = wide(memory, &dispatch.inputs[0]);
    let empty = u64::from(params.empty[0]) | u64::from(params.empty[1]) << 32;
    let steps = params.rows.steps();
    let starts = params.rows.starts();
    let row = |start: usize| {
        let signed = |at: usize| {
            if smallest {
                -x[start + at]
            } else {
                x[start + at]
            }
        };
        let Some(best) = steps.iter().map(|&at| signed(at)).max() else {
            return empty.cast_signed();
        };
        let equal = |&at: &usize| signed(at) == best;
        let found = match place {
            0 => return wrapped(if smallest { -best } else { best }),
            1 => steps.iter().position(equal),
            _ => steps.iter().rposition(equal),
        };
        found
            .and_then(|at| i64::try_from(at).ok())
            .unwrap_or_default()
    };
    let y: Vec<i64> = if params.rows.len == 0 {
        starts.iter().map(|_start| empty.cast_signed()).collect()
    } else {
        starts.into_iter().map(row).collect()
    };
    memory.put_ints(&dispatch.outputs[0], &y);
}
