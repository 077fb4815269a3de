//! The sum of a * b over some dimensions, each with its own strides.

use bytemuck::{Pod, Zeroable};

use super::MAX_RANK;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first; strides are counted
/// in elements, 0 where the operand does not have the dimension. `PAIR` is 1 where there is a b.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ContractParams {
    /// Number of elements of y.
    pub count: u32,
    /// Number of products that are summed for each.
    pub terms: u32,
    /// Number of dimensions of y.
    pub rank: u32,
    /// Number of dimensions that are summed.
    pub sum_rank: u32,
    /// Dimensions of y.
    pub dims: [u32; MAX_RANK],
    /// Their strides in a.
    pub a: [u32; MAX_RANK],
    /// Their strides in b.
    pub b: [u32; MAX_RANK],
    /// Dimensions that are summed.
    pub sum_dims: [u32; MAX_RANK],
    /// Their strides in a.
    pub sum_a: [u32; MAX_RANK],
    /// Their strides in b.
    pub sum_b: [u32; MAX_RANK],
}

/// The places in a and b of every index of `dims`, the first dimension running fastest.
fn places(rank: u32, dims: &[u32], a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let mut places = vec![(0, 0)];
    for d in 0..rank as usize {
        let (a, b) = (a[d] as usize, b[d] as usize);
        let before = std::mem::take(&mut places);
        for i in 0..dims[d] as usize {
            places.extend(before.iter().map(|&(x, y)| (x + i * a, y + i * b)));
        }
    }
    places
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let p: ContractParams = dispatch.params();
    let a = memory.floats(&dispatch.inputs[0]);
    let b = (dispatch.value_of("PAIR") == 1).then(|| memory.floats(&dispatch.inputs[1]));
    let terms = places(p.sum_rank, &p.sum_dims, &p.sum_a, &p.sum_b);
    let element = |(x, y): (usize, usize)| {
        let product = |&(i, j): &(usize, usize)| match &b {
            Some(b) => a[x + i] * b[y + j],
            None => a[x + i],
        };
        terms.iter().map(product).sum::<f32>()
    };
    let y = places(p.rank, &p.dims, &p.a, &p.b);
    let y: Vec<f32> = y.into_iter().map(element).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
