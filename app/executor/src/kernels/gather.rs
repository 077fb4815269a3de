//! y[i] = x[i·r + Σ_d index_d(i)·g_d]: what picks elements and rows by indices.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GatherParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of its dimensions, at least 1.
    pub rank: u32,
    /// Number of indices in a tuple.
    pub depth: u32,
    /// Distance of the indices of a tuple.
    pub step: u32,
    /// Dimensions of the output.
    pub dims: [u32; MAX_RANK],
    /// Strides of x over them.
    pub x: [u32; MAX_RANK],
    /// Strides of the tuples over them.
    pub index: [u32; MAX_RANK],
    /// Number of places that each index of a tuple chooses from.
    pub limit: [u32; MAX_RANK],
    /// Elements of x between neighbours of these places.
    pub stride: [u32; MAX_RANK],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        1 => pick::<u8>(dispatch, memory),
        2 => pick::<u16>(dispatch, memory),
        8 => pick::<[u32; 2]>(dispatch, memory),
        _ => pick::<u32>(dispatch, memory),
    }
}

/// Picks elements of one width.
fn pick<E: Pod>(dispatch: &Dispatch, memory: &mut Memory) {
    let params: GatherParams = dispatch.params();
    let x = memory.words(dispatch.inputs[0].region);
    let x: &[E] = bytemuck::cast_slice(&x);
    let indices = memory.ints(&dispatch.inputs[1]);
    let mut y = vec![0; dispatch.outputs[0].region.words as usize];
    let elements: &mut [E] = bytemuck::cast_slice_mut(&mut y);
    let rank = (params.rank as usize).min(MAX_RANK);
    let mut at = [0_u32; MAX_RANK];
    for element in elements.iter_mut().take(params.count as usize) {
        let dot = |strides: &[u32; MAX_RANK]| -> usize {
            let terms = at.iter().zip(strides);
            terms
                .map(|(&at, &stride)| at as usize * stride as usize)
                .sum()
        };
        let (mut from, tuple) = (dot(&params.x), dot(&params.index));
        for d in 0..(params.depth as usize).min(MAX_RANK) {
            let index = indices.get(tuple + d * params.step as usize);
            let index = index.copied().unwrap_or_default();
            let limit = i64::from(params.limit[d]);
            let index = if index < 0 { index + limit } else { index };
            let held = usize::try_from(index.min(limit - 1).max(0)).unwrap_or_default();
            from += held * params.stride[d] as usize;
        }
        *element = x.get(from).copied().unwrap_or_else(E::zeroed);
        // The next index, the innermost dimension first.
        for (at, &size) in at.iter_mut().zip(&params.dims).take(rank) {
            *at += 1;
            if *at < size {
                break;
            }
            *at = 0;
        }
    }
    memory.put_words(dispatch.outputs[0].region, &y);
}
