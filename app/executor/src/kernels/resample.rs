//! y = the weighted sum of the elements of x around each place, along some of its dimensions:
//! tables say where they start and what they weigh.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first; one that has no taps
/// keeps its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ResampleParams {
    /// Dimensions of y.
    pub dims: [u32; MAX_RANK],
    /// Strides of x in elements.
    pub stride: [u32; MAX_RANK],
    /// Elements of x for one of y; 0 for a dimension that is not resampled.
    pub taps: [u32; MAX_RANK],
    /// Where its part of the table of first elements begins.
    pub starts: [u32; MAX_RANK],
    /// Where its part of the table of weights begins.
    pub weights: [u32; MAX_RANK],
    /// Number of elements of y.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
}

/// Collects, dimension by dimension, the places that make an element and their weights.
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ResampleParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let starts = memory.ints(&dispatch.inputs[1]);
    let weights = memory.floats(&dispatch.inputs[2]);
    let y: Vec<f32> = (0..params.count as usize)
        .map(|i| {
            let mut rest = i;
            let mut terms: Vec<(usize, f64)> = vec![(0, 1.0)];
            for d in 0..params.rank as usize {
                let (size, stride) = (params.dims[d] as usize, params.stride[d] as usize);
                let index = rest % size;
                rest /= size;
                let taps = params.taps[d] as usize;
                if taps == 0 {
                    terms.iter_mut().for_each(|(at, _)| *at += index * stride);
                    continue;
                }
                let start = starts[params.starts[d] as usize + index];
                let start = usize::try_from(start).unwrap_or_default();
                let row = &weights[params.weights[d] as usize + index * taps..][..taps];
                let along = row.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
                terms = along
                    .flat_map(|(tap, &weight)| {
                        let step = (start + tap) * stride;
                        let further =
                            move |&(at, own): &(usize, f64)| (at + step, own * f64::from(weight));
                        terms.iter().map(further)
                    })
                    .collect();
            }
            let sum: f64 = terms
                .iter()
                .map(|&(at, weight)| weight * f64::from(x[at]))
                .sum();
            #[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
            let y = sum as f32;
            y
        })
        .collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
