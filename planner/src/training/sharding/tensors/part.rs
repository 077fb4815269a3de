//! Along which dimension a tensor is divided, and where that is when its elements are seen in another shape.
//!
//! ```text
//! 12 columns among 2 devices     one block     0 0 0 0 0 0 1 1 1 1 1 1
//!                                three blocks  0 0 1 1 0 0 1 1 0 0 1 1     queries, keys, values
//! ```

/// A tensor is divided along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The dimension.
    pub(super) axis: usize,
    /// It is so many blocks one after the other, of each of which every device has a run. `None` of
    /// columns of weights, which can be put in any order: whoever looks at them says how many.
    pub(super) blocks: Option<u64>,
}

/// Among how many devices a tensor is divided, and which of several dimensions is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Among {
    pub(super) devices: u64,
    /// Where columns in any order are seen in several dimensions: so many of those that can be divided
    /// are passed over.
    pub(super) skip: usize,
}

impl Part {
    /// In one block.
    pub(super) const fn along(axis: usize) -> Self {
        Self {
            axis,
            blocks: Some(1),
        }
    }

    /// In any order.
    pub(super) const fn any(axis: usize) -> Self {
        Self { axis, blocks: None }
    }

    /// The same along another dimension.
    pub(super) const fn at(self, axis: usize) -> Self {
        Self { axis, ..self }
    }

    /// Whether devices have equal runs of a tensor of these sizes.
    pub(super) fn divides(self, dims: &[u64], devices: u64) -> bool {
        let runs = self.blocks.unwrap_or(1).checked_mul(devices);
        let dim = dims.get(self.axis).copied().unwrap_or_default();
        dim > 0 && runs.is_some_and(|runs| dim.is_multiple_of(runs))
    }

    /// What both say; `None` where they do not go together.
    pub(super) fn joined(self, other: Self) -> Option<Self> {
        let blocks = match (self.blocks, other.blocks) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        let same = self.axis == other.axis;
        same.then_some(Self { blocks, ..self })
    }

    /// Where the same elements are in another shape; `None` where it has no dimension that is divided
    /// evenly.
    pub(super) fn reshaped(self, from: &[u64], to: &[u64], among: Among) -> Option<Self> {
        if from == to {
            return Some(self);
        }
        let before = product(from.get(..self.axis)?)?;
        match self.blocks {
            Some(blocks) => run(before.checked_mul(blocks)?, to, among),
            None => {
                let end = before.checked_mul(*from.get(self.axis)?)?;
                in_any_order((before, end), to, among)
            }
        }
    }
}

fn product(dims: &[u64]) -> Option<u64> {
    let mut dims = dims.iter();
    dims.try_fold(1_u64, |all, dim| all.checked_mul(*dim))
}

/// All elements are so many blocks, of each of which every device has a run: the dimension where a
/// block begins.
fn run(blocks: u64, to: &[u64], among: Among) -> Option<Part> {
    let mut passed = 1_u64;
    for (axis, dim) in to.iter().enumerate() {
        let next = passed.checked_mul(*dim)?;
        if next > blocks {
            let part = Part {
                axis,
                blocks: blocks
                    .is_multiple_of(passed)
                    .then(|| blocks / passed.max(1)),
            };
            let fits = part.blocks.is_some() && part.divides(to, among.devices);
            return fits.then_some(part);
        }
        passed = next;
    }
    None
}

/// The dimension between these products of sizes, in any order: one of those that it is seen in.
fn in_any_order((before, end): (u64, u64), to: &[u64], among: Among) -> Option<Part> {
    let mut passed = 1_u64;
    let mut found = None;
    let mut skip = among.skip;
    for (axis, dim) in to.iter().enumerate() {
        let next = passed.checked_mul(*dim)?;
        let part = Part::any(axis);
        let divides = part.divides(to, among.devices);
        if passed < before && next > before {
            // It stands together with those before it.
            return run(before, to, among);
        }
        if passed == before && next >= end && *dim > 1 {
            return divides.then_some(part);
        }
        if passed >= before && next <= end && *dim > 1 && divides {
            found = Some(part);
            if skip == 0 {
                return found;
            }
            skip -= 1;
        }
        passed = next;
    }
    found
}
