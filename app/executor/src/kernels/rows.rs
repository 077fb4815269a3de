//! The rows of a tensor, as kernels that work along some of its axes see them.

use bytemuck::{Pod, Zeroable};

/// Most dimensions that number the rows, and most that a row runs along, after neighbours are
/// merged: the two take turns, so together they make [`MAX_RANK`](super::MAX_RANK).
pub(crate) const SIDE: usize = 4;

/// Parameters, as the shaders declare them. Dimensions lie innermost first, 1 after the last;
/// strides are counted in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Rows {
    /// Dimensions that number the rows.
    pub outer: [u32; SIDE],
    /// Their strides.
    pub outer_strides: [u32; SIDE],
    /// Dimensions that a row runs along.
    pub along: [u32; SIDE],
    /// Their strides.
    pub along_strides: [u32; SIDE],
    /// Number of rows.
    pub count: u32,
    /// Elements of a row.
    pub len: u32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
    /// The strides of an output of the same shape: along the dimensions that number the rows.
    pub out_outer: [u32; SIDE],
    /// And along those that a row runs along.
    pub out_along: [u32; SIDE],
}

impl Rows {
    /// The first element of each row.
    pub(super) fn starts(&self) -> Vec<usize> {
        places(self.outer, self.outer_strides)
    }

    /// The first element of each row, in the input and in an output of the same shape.
    pub(super) fn both_starts(&self) -> impl Iterator<Item = (usize, usize)> {
        let out = places(self.outer, self.out_outer);
        self.starts().into_iter().zip(out)
    }

    /// How far from its first each element of a row lies, in both.
    pub(super) fn both_steps(&self) -> Vec<(usize, usize)> {
        let out = places(self.along, self.out_along);
        self.steps().into_iter().zip(out).collect()
    }

    /// How far from its first each element of a row lies.
    pub(super) fn steps(&self) -> Vec<usize> {
        places(self.along, self.along_strides)
    }
}

/// The places of all indices, the first dimension running fastest.
pub(super) fn places(dims: [u32; SIDE], strides: [u32; SIDE]) -> Vec<usize> {
    let mut places = vec![0];
    for (size, stride) in dims.into_iter().zip(strides) {
        let next = (0..size as usize).map(|i| i * stride as usize);
        places = next
            .flat_map(|step| places.iter().map(move |place| place + step))
            .collect();
    }
    places
}
