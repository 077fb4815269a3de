//! y[row, c] = how often the n-grams of column c are in a row of x, whatever lies between their
//! items, if all of these distances are alike.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// What stands for a number of n-grams: the `override` constant `MODE`.
    pub enum NGramsMode {
        /// The number itself: term frequency.
        Tf,
        /// The weight of the column, where there is one at all: inverse document frequency.
        Idf,
        /// Both multiplied.
        TfIdf,
    }
}

/// Parameters, as the shader declares them. The table says where the n-grams of each column
/// begin and, last, where all end; then for each the number of its items and where the first of
/// them is; then the items, two words each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NGramsParams {
    /// Number of elements of y.
    pub count: u32,
    /// Items of a row of x.
    pub len: u32,
    /// Columns of y.
    pub columns: u32,
    /// Largest distance of neighbouring items.
    pub reach: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: NGramsParams = dispatch.params();
    let x = memory.ints(&dispatch.inputs[0]);
    let table = memory.words(dispatch.inputs[1].region);
    let weights = memory.floats(&dispatch.inputs[2]);
    let (len, columns) = (params.len as usize, params.columns as usize);
    let mut y = Vec::with_capacity(params.count as usize);
    for row in x.chunks_exact(len.max(1)) {
        for column in 0..columns {
            let own = table[column] as usize..table[column + 1] as usize;
            let found: u32 = own
                .map(|gram| {
                    let at = columns + 1 + 2 * gram;
                    let first = table[at + 1] as usize;
                    let items = table[first..][..2 * table[at] as usize].chunks_exact(2);
                    let item = |both: &[u32]| {
                        (u64::from(both[0]) | u64::from(both[1]) << 32).cast_signed()
                    };
                    let items: Vec<i64> = items.map(item).collect();
                    times(row, &items, params.reach as usize)
                })
                .sum();
            #[expect(clippy::cast_precision_loss, reason = "there are not that many")]
            let number = found as f32;
            y.push(match NGramsMode::read(dispatch, "MODE") {
                NGramsMode::Tf => number,
                NGramsMode::Idf if found == 0 => 0.0,
                NGramsMode::Idf => weights[column],
                NGramsMode::TfIdf => number * weights[column],
            });
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// How often the items are in a row at distances of 1 up to `reach`.
fn times(row: &[i64], items: &[i64], reach: usize) -> u32 {
    let reach = if items.len() == 1 { 1 } else { reach };
    let mut found = 0;
    for step in 1..=reach {
        for start in 0..row.len() {
            let mut along = row[start..].iter().step_by(step);
            if items.iter().all(|item| along.next() == Some(item)) {
                found += 1;
            }
        }
    }
    found
}
