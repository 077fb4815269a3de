//! y = x between its elements along rows and columns: quantised elements and weights of 10 binary
//! places, as LiteRT's reference kernels have them.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. The table has three numbers for each row of y, then
/// for each column: the element of x before it, the one after it and the weight of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements of y.
    pub count: u32,
    /// Height and width of x.
    pub x: [u32; 2],
    /// Channels.
    pub channels: u32,
    /// Height and width of y.
    pub y: [u32; 2],
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
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
                    let sum: i64 = ends(row)
                        .iter()
                        .flat_map(|&down| ends(column).map(|right| (down, right)))
                        .map(|((r, down), (s, right))| {
                            image[(r * width + s) * channels + c] * down * right
                        })
                        .sum();
                    let half = if sum > 0 { 1 << 19 } else { -(1 << 19) };
                    y.push((sum + half) / (1 << 20));
                }
            }
        }
    }
    memory.put_ints(&dispatch.outputs[0], &y);
}

/// Both elements with their weights.
fn ends(entry: &[i64]) -> [(usize, i64); 2] {
    let place = |at: usize| usize::try_from(entry[at]).unwrap_or_default();
    [(place(0), 1024 - entry[2]), (place(1), entry[2])]
}
