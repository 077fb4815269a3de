//! The inverse of each matrix.

use super::DeterminantParams;
use crate::arena::Memory;
use crate::recording::Dispatch;

#[expect(clippy::cast_possible_truncation, reason = "the result is of f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: DeterminantParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let size = params.size as usize;
    let mut y = Vec::with_capacity(x.len());
    for matrix in x.chunks_exact((size * size).max(1)) {
        let rows = matrix.chunks(size).enumerate().map(|(at, row)| {
            let unit = (0..size).map(|column| f64::from(u8::from(column == at)));
            row.iter().copied().map(f64::from).chain(unit).collect()
        });
        let solved = solved(rows.collect());
        y.extend(
            solved
                .iter()
                .flat_map(|row| &row[size..])
                .map(|&x| x as f32),
        );
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// The rows of a matrix with the unit matrix behind it, once the unit matrix is in front: by
/// elimination in 64 bits.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for column in 0..rows.len() {
        let best = (column..rows.len()).max_by(|&a, &b| {
            let size = |row: usize| rows[row][column].abs();
            size(a).total_cmp(&size(b))
        });
        rows.swap(column, best.unwrap_or(column));
        let head = rows[column][column];
        let pivot: Vec<f64> = rows[column].iter().map(|x| x / head).collect();
        for row in &mut rows {
            let factor = row[column];
            for (x, pivot) in row.iter_mut().zip(&pivot) {
                *x -= factor * pivot;
            }
        }
        rows[column] = pivot;
    }
    rows
}
