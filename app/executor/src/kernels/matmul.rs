//! y = activation(alpha a b + beta c), matrices of a batch.

use bytemuck::{Pod, Zeroable};

use super::{MAX_RANK, UnaryOp};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them; strides are counted in elements. `ACTIVATION` is
/// the code of a [`UnaryOp`]: Identity, Relu, Clip or Tanh; `BIAS` is 1 where there is a c.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MatmulParams {
    /// Rows of a and y.
    pub m: u32,
    /// Columns of b and y.
    pub n: u32,
    /// Columns of a, rows of b.
    pub k: u32,
    /// Number of matrices in y.
    pub batches: u32,
    /// Strides of a along m and k, of b along k and n.
    pub strides: [u32; 4],
    /// Strides of c along m and n, and nothing.
    pub c_strides: [u32; 4],
    /// What the product is multiplied by.
    pub alpha: f32,
    /// What c is multiplied by.
    pub beta: f32,
    /// First parameter of the activation.
    pub low: f32,
    /// Second parameter of the activation.
    pub high: f32,
    /// Batch dimensions, innermost first, 1 after the last.
    pub dims: [u32; MAX_RANK],
    /// Their strides in a, 0 where it is broadcast.
    pub a: [u32; MAX_RANK],
    /// Their strides in b.
    pub b: [u32; MAX_RANK],
}

/// The matrix of `rows` times `columns` elements with these strides, row by row.
fn gathered(x: &[f32], start: usize, [rows, columns, down, right]: [u32; 4]) -> Vec<f32> {
    let row = |i: u32| {
        let first = start + (i * down) as usize;
        (0..columns).map(move |j| x[first + (j * right) as usize])
    };
    (0..rows).flat_map(row).collect()
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: MatmulParams = dispatch.params();
    let activation = UnaryOp::read(dispatch, "ACTIVATION");
    let (m, n, k) = (params.m, params.n, params.k);
    let [a_m, a_k, b_k, b_n] = params.strides;
    let a = memory.floats(&dispatch.inputs[0]);
    let b = memory.floats(&dispatch.inputs[1]);
    let c = (dispatch.value_of("BIAS") == 1).then(|| memory.floats(&dispatch.inputs[2]));
    let mut y = Vec::with_capacity(dispatch.outputs[0].len() as usize);
    let mut right: (Option<usize>, Vec<f32>) = (None, Vec::new());
    for batch in 0..params.batches {
        let (a_start, b_start) = starts(&params, batch);
        let left = gathered(&a, a_start, [m, k, a_m, a_k]);
        if right.0 != Some(b_start) {
            right = (Some(b_start), gathered(&b, b_start, [k, n, b_k, b_n]));
        }
        for row in 0..m as usize {
            let mut sums = vec![0.0_f32; n as usize];
            for step in 0..k as usize {
                let factor = left[row * k as usize + step];
                let line = &right.1[step * n as usize..][..n as usize];
                for (sum, b) in sums.iter_mut().zip(line) {
                    *sum += factor * b;
                }
            }
            let [c_m, c_n, ..] = params.c_strides.map(|stride| stride as usize);
            y.extend(sums.into_iter().enumerate().map(|(column, sum)| {
                let c = c.as_ref().map_or(0.0, |c| c[row * c_m + column * c_n]);
                let sum = params.alpha * sum + params.beta * c;
                activation.apply(sum, params.low, params.high)
            }));
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}

fn starts(params: &MatmulParams, batch: u32) -> (usize, usize) {
    let (mut rest, mut a, mut b) = (batch, 0, 0);
    for d in 0..MAX_RANK {
        let at = rest % params.dims[d];
        rest /= params.dims[d];
        a += at * params.a[d];
        b += at * params.b[d];
    }
    (a as usize, b as usize)
}
