//! The determinant of each matrix.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Most rows of a matrix: it lies in the memory of one workgroup.
pub const MOST_ROWS: u32 = 60;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DeterminantParams {
    /// Number of matrices.
    pub count: u32,
    /// Rows and columns of each.
    pub size: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: DeterminantParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let size = params.size as usize;
    let y: Vec<f32> = (0..params.count as usize)
        .map(|which| {
            let start = which * size * size;
            let rows = x[start..start + size * size].chunks(size.max(1));
            let rows = rows.map(|row| row.iter().copied().map(f64::from).collect());
            determinant(rows.collect()) as f32
        })
        .collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// By elimination in 64 bits.
fn determinant(mut rows: Vec<Vec<f64>>) -> f64 {
    let mut product = 1.0;
    while let Some(first) = rows.first() {
        let column = first.len().saturating_sub(rows.len());
        let best = (0..rows.len()).max_by(|&a, &b| {
            let size = |row: usize| rows[row][column].abs();
            size(a).total_cmp(&size(b))
        });
        let best = best.unwrap_or_default();
        rows.swap(0, best);
        let sign = if best == 0 { 1.0 } else { -1.0 };
        let head = rows.remove(0);
        if head[column] == 0.0 {
            return 0.0;
        }
        product *= sign * head[column];
        for row in &mut rows {
            let factor = row[column] / head[column];
            for (x, head) in row.iter_mut().zip(&head).skip(column) {
                *x -= factor * head;
            }
        }
    }
    product
}
