//! y = x between its elements along rows and columns: quantised elements and weights of 10 binary
//! places, or floats, as LiteRT's reference kernels have them.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. The table has three numbers for each row of y, then
/// for each column: the element of x before it, the one after it and the weight of that, which is
/// a float if `REAL` is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedResizeParams {
    /// Number of elements of y.
    pub count: u32,
    /// Height and width of x.
    pub x: [u32; 2],
    /// Channels.
    pub channels: u32,
    /// Height and width of y.
    pub y: [u32; 2],
    /// 0.
    pub none: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedResizeParams = dispatch.params();
    let x = memory.ints(&dispatch.inputs[0]);
    let table = memory.ints(&dispatch.inputs[1]);
    let [height, width] = params.x.map(|side| side as usize);
    let channels = params.channels as usize;
    let (rows, columns) = table.split_at(3 * params.y[0] as usize);
    let mut y = Vec::with_capacity(params.count as usize);
    for image in x.chunks_exact(height * width * channels) {
        for row in rows.chunks_exact(3) {
            for column in columns.chunks_exact(3) {
                for c in 0..channels {
                    let at = |r: usize, s: usize| image[(r * width + s) * channels + c];
                    if dispatch.value_of("REAL") == 1 {
                        y.push(real(row, column, at));
                        continue;
                    }
                    let sum: i64 = ends(row)
                        .iter()
                        .flat_map(|&down| ends(column).map(|right| (down, right)))
                        .map(|((r, down), (s, right))| at(r, s) * down * right)
                        .sum();
                    let half = if sum > 0 { 1 << 19 } else { -(1 << 19) };
                    y.push((sum + half) / (1 << 20));
                }
            }
        }
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// In floats that are rounded after every step.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "elements have 8 bits"
)]
fn real(row: &[i64], column: &[i64], at: impl Fn(usize, usize) -> i64) -> i64 {
    let place = |entry: &[i64], side: usize| usize::try_from(entry[side]).unwrap_or_default();
    let weight = |entry: &[i64]| {
        let bits = u32::try_from(entry[2] & 0xffff_ffff).unwrap_or_default();
        f32::from_bits(bits)
    };
    let (down, right) = (weight(row), weight(column));
    let product = |v: usize, h: usize| {
        let shares = [1.0 - down, down];
        let element = at(place(row, v), place(column, h)) as f32;
        element * shares[v] * [1.0 - right, right][h]
    };
    let sum = product(0, 0) + product(1, 0) + product(0, 1) + product(1, 1);
    (sum + 0.5) as i64
}

/// Both elements with their weights.
fn ends(entry: &[i64]) -> [(usize, i64); 2] {
    let place = |at: usize| usize::try_from(entry[at]).unwrap_or_default();
    [(place(0), 1024 - entry[2]), (place(1), entry[2])]
}
