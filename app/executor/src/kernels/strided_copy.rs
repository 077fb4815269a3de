//! y[b + i·s] = x[a + i·r] over a box of indices i: what transposes, slices, splits, joins,
//! repeats and pads.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first; strides are
/// counted in elements, negative ones as two's complements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StridedCopyParams {
    /// Number of indices in the box.
    pub count: u32,
    /// Number of dimensions, at least 1.
    pub rank: u32,
    /// The element of x that the index 0 reads.
    pub a: u32,
    /// The element of y that the index 0 writes.
    pub b: u32,
    /// One element, for what lies outside of x.
    pub fill: [u32; 2],
    /// Unused, for the alignment.
    pub pad: [u32; 2],
    /// The box.
    pub dims: [u32; MAX_RANK],
    /// Strides of x.
    pub x: [u32; MAX_RANK],
    /// Strides of y.
    pub y: [u32; MAX_RANK],
    /// First index along each dimension that x has; may be negative.
    pub low: [u32; MAX_RANK],
    /// Number of indices that x has.
    pub size: [u32; MAX_RANK],
}

codes! {
    /// What y gets where x has nothing: the `override` constant `OUTSIDE`.
    #[derive(Default)]
    pub enum Outside {
        /// There is no such place.
        #[default]
        Nowhere,
        /// The fill.
        Fill,
        /// What it holds already: other dispatches write there.
        Keep,
        /// The nearest element of x.
        Edge,
        /// The mirror image, the edge not repeated.
        Reflect,
        /// The mirror image, the edge repeated.
        Symmetric,
        /// The other end of x.
        Wrap,
    }
}

impl Outside {
    /// The index of x, of which there are `size`, that belongs to `t`, any integer.
    fn mapped(self, mut t: i64, size: i64) -> Option<i64> {
        if self == Self::Nowhere || (0..size).contains(&t) {
            return Some(t);
        }
        match self {
            Self::Edge => Some(t.max(0).min(size - 1)),
            Self::Wrap => Some(t.rem_euclid(size.max(1))),
            Self::Reflect if size == 1 => Some(0),
            // Walks back and forth between the ends until it is in between.
            Self::Reflect | Self::Symmetric if size > 0 => {
                let twice = i64::from(self == Self::Symmetric);
                while !(0..size).contains(&t) {
                    t = if t < 0 {
                        -t - twice
                    } else {
                        2 * size - 2 - t + twice
                    };
                }
                Some(t)
            }
            _ => None,
        }
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    match dispatch.value_of("WIDTH") {
        1 => copy::<u8>(dispatch, memory),
        2 => copy::<u16>(dispatch, memory),
        8 => copy::<[u32; 2]>(dispatch, memory),
        _ => copy::<u32>(dispatch, memory),
    }
}

/// Copies elements of one width.
fn copy<E: Pod>(dispatch: &Dispatch, memory: &mut Memory) {
    let params: StridedCopyParams = dispatch.params();
    let x = memory.words(dispatch.inputs[0].region);
    let mut y = memory.words(dispatch.outputs[0].region);
    let x: &[E] = bytemuck::cast_slice(&x);
    let len = dispatch.outputs[0].len() as usize;
    let elements: &mut [E] = bytemuck::cast_slice_mut(&mut y);
    let fill = bytemuck::cast_slice::<u32, u8>(&params.fill);
    let fill = bytemuck::pod_read_unaligned(&fill[..size_of::<E>()]);
    if let Some(rest) = elements.get_mut(len..) {
        rest.fill(E::zeroed());
    }
    let mut walk = Walk {
        params: &params,
        outside: Outside::read(dispatch, "OUTSIDE"),
        x,
        y: elements,
        fill,
    };
    let outermost = (params.rank as usize).clamp(1, MAX_RANK) - 1;
    let (a, b) = (params.a.cast_signed(), params.b.cast_signed());
    walk.along(outermost, Some(a.into()), b.into());
    memory.put_words(dispatch.outputs[0].region, &y);
}

struct Walk<'a, E> {
    params: &'a StridedCopyParams,
    outside: Outside,
    x: &'a [E],
    y: &'a mut [E],
    fill: E,
}

impl<E: Pod> Walk<'_, E> {
    /// Copies along dimension `d` and all further in, from element `from` of x (none outside
    /// of it) to element `to` of y.
    fn along(&mut self, d: usize, from: Option<i64>, to: i64) {
        let signed = |values: &[u32; MAX_RANK]| i64::from(values[d].cast_signed());
        let params = self.params;
        let (x, y) = (signed(&params.x), signed(&params.y));
        let low = signed(&params.low);
        for i in 0..i64::from(params.dims[d]) {
            let t = if self.outside == Outside::Nowhere {
                Some(i)
            } else {
                self.outside.mapped(i - low, params.size[d].into())
            };
            let from = from.zip(t).map(|(from, t)| from + t * x);
            let to = to + i * y;
            if d == 0 {
                self.one(from, to);
            } else {
                self.along(d - 1, from, to);
            }
        }
    }

    fn one(&mut self, from: Option<i64>, to: i64) {
        let found = from.map(|from| usize::try_from(from).ok().and_then(|i| self.x.get(i)));
        let value = match found {
            Some(value) => value.copied().unwrap_or_else(E::zeroed),
            None if self.outside == Outside::Keep => return,
            None => self.fill,
        };
        if let Some(y) = usize::try_from(to).ok().and_then(|i| self.y.get_mut(i)) {
            *y = value;
        }
    }
}
