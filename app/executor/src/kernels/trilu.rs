//! y = x on one side of a diagonal of every matrix, 0 on the other.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TriluParams {
    /// Number of elements.
    pub count: u32,
    /// Rows of a matrix.
    pub rows: u32,
    /// Columns of a matrix.
    pub columns: u32,
    /// Column of the first row where the diagonal begins.
    pub k: i32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        1 => keep::<u8>(dispatch, memory),
        2 => keep::<u16>(dispatch, memory),
        8 => keep::<[u32; 2]>(dispatch, memory),
        _ => keep::<u32>(dispatch, memory),
    }
}

/// Keeps one side, elements of one width.
fn keep<E: Pod>(dispatch: &Dispatch, memory: &mut Memory) {
    let params: TriluParams = dispatch.params();
    let upper = dispatch.value_of("UPPER") == 1;
    let mut words = memory.words(dispatch.inputs[0].region);
    let all: &mut [E] = bytemuck::cast_slice_mut(&mut words);
    let (elements, rest) = all.split_at_mut((params.count as usize).min(all.len()));
    rest.fill(E::zeroed());
    let columns = (params.columns as usize).max(1);
    let matrix = columns * (params.rows as usize).max(1);
    for matrix in elements.chunks_mut(matrix) {
        for (row, elements) in (0_i64..).zip(matrix.chunks_mut(columns)) {
            let diagonal = row + i64::from(params.k);
            for (column, element) in (0_i64..).zip(elements) {
                let keeps = if upper {
                    column >= diagonal
                } else {
                    column <= diagonal
                };
                if !keeps {
                    *element = E::zeroed();
                }
            }
        }
    }
    memory.put_words(dispatch.outputs[0].region, &words);
}
