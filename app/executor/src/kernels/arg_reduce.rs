//! The place in each row of its largest or smallest element.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `OP` is 0 for the largest and 1 for the smallest,
/// `LAST` = 1 takes the last of equal ones, `WORDS` is the size of an element of y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ArgReduceParams {
    /// The rows of x; y has one element for each.
    pub rows: Rows,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ArgReduceParams = dispatch.params();
    let smallest = dispatch.value_of("OP") == 1;
    let last = dispatch.value_of("LAST") == 1;
    let x = memory.floats(&dispatch.inputs[0]);
    let steps = params.rows.steps();
    let place = |start: usize| {
        let mut best = 0;
        for (i, step) in steps.iter().enumerate() {
            let (own, other) = (x[start + step], x[start + steps[best]]);
            let order = if smallest {
                other.partial_cmp(&own)
            } else {
                own.partial_cmp(&other)
            };
            if order == Some(Ordering::Greater) || last && order == Some(Ordering::Equal) {
                best = i;
            }
        }
        i64::try_from(best).unwrap_or_default()
    };
    let starts = params.rows.starts();
    let y: Vec<i64> = starts.into_iter().map(place).collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}
