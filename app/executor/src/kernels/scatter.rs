//! y = x, and where tuples of indices lead, the updates.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of its dimensions.
    pub rank: u32,
    /// Number of tuples that each element looks at.
    pub tuples: u32,
    /// Number of indices in a tuple.
    pub depth: u32,
    /// Distance of tuples in the indices.
    pub tuple_step: u32,
    /// Distance of their updates.
    pub update_step: u32,
    /// Elements that one tuple stands for.
    pub run: u32,
    /// The dimension along which the indices count; beyond the rank: all of them.
    pub axis: u32,
    /// Dimensions of the output.
    pub dims: [u32; MAX_RANK],
    /// Strides of the indices and updates over them.
    pub base: [u32; MAX_RANK],
    /// Dimensions of the indices.
    pub part: [u32; MAX_RANK],
    /// Number of places that each index of a tuple chooses from.
    pub limit: [u32; MAX_RANK],
    /// Elements of the output between neighbours of these places.
    pub stride: [u32; MAX_RANK],
}

codes! {
    /// What happens where several updates meet: the `override` constant `REDUCE`.
    pub enum Reduce {
        /// The last one stays.
        Last,
        /// They are added.
        Add,
        /// They are multiplied.
        Mul,
        /// The largest stays.
        Max,
        /// The smallest stays.
        Min,
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        8 => scatter(dispatch, memory, |_: [u32; 2], update| update),
        _ => {
            let reduce = Reduce::read(dispatch, "REDUCE");
            scatter(dispatch, memory, |before: u32, update: u32| {
                let (a, b) = (f32::from_bits(before), f32::from_bits(update));
                match reduce {
                    Reduce::Add => (a + b).to_bits(),
                    Reduce::Mul => (a * b).to_bits(),
                    Reduce::Max => a.max(b).to_bits(),
                    Reduce::Min => a.min(b).to_bits(),
                    Reduce::Last => update,
                }
            });
        }
    }
}

/// Goes through the updates one by one, as the definition does.
fn scatter<E: Pod>(dispatch: &Dispatch, memory: &mut Memory, reduced: impl Fn(E, E) -> E) {
    let params: ScatterParams = dispatch.params();
    let mut y = memory.words(dispatch.inputs[0].region);
    let indices = memory.ints(&dispatch.inputs[1]);
    let updates = memory.words(dispatch.inputs[2].region);
    let updates: &[E] = bytemuck::cast_slice(&updates);
    let elements: &mut [E] = bytemuck::cast_slice_mut(&mut y);
    let rank = (params.rank as usize).min(MAX_RANK);
    let axis = params.axis as usize;
    let depth = (params.depth as usize).min(MAX_RANK);
    let run = (params.run as usize).max(1);
    for (number, &update) in updates.iter().enumerate() {
        let mut place = 0_usize;
        let tuple = if axis < rank {
            // The update's own index in its dimensions, but for the axis.
            let (mut rest, mut stride) = (number, 1);
            for d in 0..rank {
                let size = params.part[d].max(1) as usize;
                if d != axis {
                    place += rest % size * stride;
                }
                rest /= size;
                stride *= params.dims[d] as usize;
            }
            number
        } else {
            place = number % run;
            number / run * depth
        };
        let mut outside = false;
        for d in 0..depth {
            let limit = i64::from(params.limit[d]);
            let index = indices.get(tuple + d).copied().unwrap_or_default();
            let index = if index < 0 { index + limit } else { index };
            outside |= !(0..limit).contains(&index);
            // Along one dimension alone the shader counts places, not elements.
            let stride = if axis < rank {
                params.dims[..axis].iter().product()
            } else {
                params.stride[d]
            };
            place += usize::try_from(index).unwrap_or_default() * stride as usize;
        }
        if let Some(y) = elements.get_mut(place).filter(|_| !outside) {
            *y = reduced(*y, update);
        }
    }
    memory.put_words(dispatch.outputs[0].region, &y);
}
