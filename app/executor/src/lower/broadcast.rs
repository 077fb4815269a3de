//! Broadcasting as strides: how an index of the output leads to one of each input.

use planner::{Message, message};

use crate::kernels::MAX_RANK;

/// Dimensions of an output, innermost first, with the strides of each input in elements, 0
/// where it is broadcast. Neighbouring dimensions in which every input behaves alike are
/// merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Broadcast {
    /// Number of dimensions.
    pub(crate) rank: u32,
    /// Dimensions, innermost first, 1 after the last.
    pub(crate) dims: [u32; MAX_RANK],
    /// Strides of every input.
    pub(crate) strides: Vec<[u32; MAX_RANK]>,
}

/// Dimensions and the elements from one index of each to the next, outermost first.
pub(crate) type Strided<'a> = (&'a [u32], Vec<u32>);

impl Broadcast {
    /// The strides of `inputs` broadcast to `output`, all dimensions outermost first.
    ///
    /// # Errors
    /// When more than eight dimensions are left after merging, or shapes do not broadcast.
    pub(crate) fn of(output: &[u32], inputs: &[Strided<'_>]) -> Result<Self, Message> {
        let mut dims: Vec<u32> = Vec::new();
        let mut strides: Vec<Vec<u32>> = vec![Vec::new(); inputs.len()];
        for (back, &size) in output.iter().rev().enumerate() {
            let mut here = Vec::with_capacity(inputs.len());
            for (input, steps) in inputs {
                let own = input.iter().rev().nth(back).copied().unwrap_or(1);
                if own != size && own != 1 {
                    return Err(message!(
                        "{} does not broadcast to {}",
                        format_args!("{input:?}"),
                        format_args!("{output:?}")
                    ));
                }
                let step = steps.iter().rev().nth(back).copied().unwrap_or(0);
                here.push(if own == 1 { 0 } else { step });
            }
            if size == 1 {
                continue;
            }
            let merges = dims.last().is_some_and(|&below| {
                let alike = |(stride, all): (&u32, &Vec<u32>)| {
                    let last = all.last().copied().unwrap_or_default();
                    *stride == last.saturating_mul(below)
                };
                here.iter().zip(&strides).all(alike)
            });
            if merges {
                if let Some(below) = dims.last_mut() {
                    *below *= size;
                }
            } else {
                dims.push(size);
                for (all, stride) in strides.iter_mut().zip(here) {
                    all.push(stride);
                }
            }
        }
        if dims.len() > MAX_RANK {
            return Err(message!(
                "{} dimensions broadcast each its own way",
                dims.len()
            ));
        }
        let mut padded = [1; MAX_RANK];
        padded[..dims.len()].copy_from_slice(&dims);
        let pad = |all: Vec<u32>| {
            let mut padded = [0; MAX_RANK];
            padded[..all.len()].copy_from_slice(&all);
            padded
        };
        Ok(Self {
            rank: planner::narrow(dims.len()),
            dims: padded,
            strides: strides.into_iter().map(pad).collect(),
        })
    }
}
