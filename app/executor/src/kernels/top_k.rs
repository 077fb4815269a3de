//! The k largest or smallest elements of each row in order, and their places.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use super::rows::{SIDE, places};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `OP` is 0 for the largest and 1 for the smallest,
/// `WORDS` is the size of an element of the places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// The rows of x.
    pub rows: Rows,
    /// Strides of the outputs from row to row.
    pub outer_strides: [u32; SIDE],
    /// How many elements of each row.
    pub k: u32,
    /// Stride of the outputs along a row.
    pub along_stride: u32,
    /// Nothing.
    pub pad: [u32; 2],
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let smallest = dispatch.value_of("OP") == 1;
    let x = memory.floats(&dispatch.inputs[0]);
    let steps = params.rows.steps();
    let count = dispatch.outputs[0].len() as usize;
    let (mut values, mut order) = (vec![0.0; count], vec![0; count]);
    let outputs = places(params.rows.outer, params.outer_strides);
    for (start, output) in params.rows.starts().into_iter().zip(outputs) {
        let mut row: Vec<(usize, f32)> = steps.iter().map(|s| x[start + s]).enumerate().collect();
        // A stable sort keeps equal elements in the order of their places; adding 0 makes the
        // two zeros equal.
        row.sort_by(|(_, a), (_, b)| {
            let order = (b + 0.0).total_cmp(&(a + 0.0));
            if smallest { order.reverse() } else { order }
        });
        for (rank, (place, value)) in row.into_iter().take(params.k as usize).enumerate() {
            let at = output + rank * params.along_stride as usize;
            values[at] = value;
            order[at] = i64::try_from(place).unwrap_or_default();
        }
    }
    memory.put_floats(&dispatch.outputs[0], &values);
    memory.put_ints(&dispatch.outputs[1], &order);
}
