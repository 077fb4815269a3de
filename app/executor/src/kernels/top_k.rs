//! The k largest or smallest elements of each row in order, and their places.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use super::Rows;
use super::pair::wide;
use super::rows::{SIDE, places};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `OP` is 0 for the largest and 1 for the smallest,
/// `WORDS` is the size of an element of the places. `KIND` is the
/// type of integers, of which only the places are written, and 0 of floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TopKParams {
    /// The rows of x.
    pub rows: Rows,
    /// Strides of the outputs from row to row.
    pub outer_strides: [u32; SIDE],
    /// How many elements of each row.
    pub k: u32,
    /// Stride of the outputs along a row.
    pub along_stride: u32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let x = &dispatch.inputs[0];
    let smallest = dispatch.value_of("OP") == 1;
    let places = match dispatch.value_of("KIND") {
        // Adding 0 makes the two zeros equal.
        0 => order(dispatch, &memory.floats(x), |a, b| {
            in_order(smallest, (b + 0.0).total_cmp(&(a + 0.0)))
        }),
        _ => order(dispatch, &wide(memory, x), |a, b| {
            in_order(smallest, b.cmp(a))
        }),
    };
    if dispatch.value_of("KIND") == 0 {
        let x = memory.floats(x);
        let value = |&(from, _): &(usize, i64)| x[from];
        let values: Vec<f32> = places.iter().map(value).collect();
        memory.put_floats(&dispatch.outputs[0], &values);
    }
    let places: Vec<i64> = places.into_iter().map(|(_, place)| place).collect();
    memory.put_ints(&dispatch.outputs[1], &places);
}

fn in_order(smallest: bool, order: Ordering) -> Ordering {
    if smallest { order.reverse() } else { order }
}

/// For each element of the outputs where in x it comes from, and its place in the row.
fn order<T: Copy>(
    dispatch: &Dispatch,
    x: &[T],
    compare: impl Fn(&T, &T) -> Ordering,
) -> Vec<(usize, i64)> {
    let params: TopKParams = dispatch.params();
    let steps = params.rows.steps();
    let mut found = vec![(0, 0); dispatch.outputs[1].len() as usize];
    let outputs = places(params.rows.outer, params.outer_strides);
    for (start, output) in params.rows.starts().into_iter().zip(outputs) {
        let mut row: Vec<(i64, usize)> = (0..).zip(steps.iter().map(|s| start + s)).collect();
        // A stable sort keeps equal elements in the order of their places.
        row.sort_by(|(_, a), (_, b)| compare(&x[*a], &x[*b]));
        for (rank, (place, at)) in row.into_iter().take(params.k as usize).enumerate() {
            found[output + rank * params.along_stride as usize] = (at, place);
        }
    }
    found
}
