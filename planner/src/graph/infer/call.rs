//! What shape functions ask of an operator, with the error each missing answer means.

use super::{Call, KnownInput, MAX_RANK, Unsized, UnsizedReason};
use crate::graph::{Attribute, Dialect, Inside, TensorId};
use crate::{Message, message};

impl<'a> Call<'a> {
    /// The input at `index`, unless it is left out.
    pub(super) fn input(&self, index: usize) -> Option<KnownInput<'a>> {
        self.inputs.get(index).copied().flatten()
    }

    /// The input at `index`, which must be there.
    pub(super) fn need(&self, index: usize) -> Result<KnownInput<'a>, Unsized> {
        self.input(index)
            .ok_or_else(|| self.invalid(message!("input {} is missing", index)))
    }

    /// Dimensions of the input at `index`, which must be there.
    pub(super) fn dims(&self, index: usize) -> Result<&'a [u64], Unsized> {
        self.need(index).map(|known| known.dims)
    }

    /// Integer elements of the input at `index`, which must be there and known.
    pub(super) fn elements(&self, index: usize) -> Result<&'a [i64], Unsized> {
        let value = self.need(index)?.value.and_then(super::Value::as_ints);
        value.ok_or_else(|| self.data_dependent(index))
    }

    /// The output depends on the elements of the input at `index`.
    pub(super) fn data_dependent(&self, index: usize) -> Unsized {
        let id = self.op.inputs.get(index).copied().flatten();
        let name = id.map_or("", |id: TensorId| self.graph.tensor(id).name.as_str());
        let detail = message!("{} depends on the elements of \"{}\"", self.op.kind, name);
        Unsized::new(UnsizedReason::DataDependent, detail)
    }

    /// The operator contradicts its definition.
    pub(super) fn invalid(&self, what: Message) -> Unsized {
        let detail = message!("{}: {}", self.op.kind, what);
        Unsized::new(UnsizedReason::InvalidOperator, detail)
    }

    /// A size goes beyond 64 bits.
    pub(super) fn too_large(&self) -> Unsized {
        let detail = message!("{}: a dimension beyond 64 bits", self.op.kind);
        Unsized::new(UnsizedReason::TooLarge, detail)
    }

    /// The operator runs subgraphs that are no part of the graph.
    pub(super) fn control(&self) -> Unsized {
        let op = self.op;
        let detail = match &op.inside {
            Inside::Kept(why) => message!("{}: {}", op.kind, why),
            _ => message!("{} \"{}\"", op.kind, op.name),
        };
        Unsized::new(UnsizedReason::ControlFlow, detail)
    }

    /// The operator is of a kind that we do not know.
    pub(super) fn unknown(&self) -> Unsized {
        let op = self.op;
        let detail = match op.domain.is_empty() {
            true => op.kind.clone(),
            false => format!("{}.{}", op.domain, op.kind),
        };
        Unsized::new(UnsizedReason::UnknownOperator, Message::verbatim(detail))
    }

    /// The version of ONNX's operator set, the newest where the file names none.
    pub(super) fn opset(&self) -> u32 {
        match self.graph.dialect {
            Dialect::Onnx { opset } if opset > 0 => opset,
            _ => u32::MAX,
        }
    }

    /// The integer attribute `name`, or `default`.
    pub(super) fn int(&self, name: &str, default: i64) -> i64 {
        self.op.int(name).unwrap_or(default)
    }

    /// The float attribute `name`.
    pub(super) fn float(&self, name: &str) -> Option<f32> {
        match self.op.attribute(name)? {
            Attribute::Float(x) => Some(*x),
            _ => None,
        }
    }

    /// Whether the integer attribute `name` is set and not zero.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.int(name, 0) != 0
    }

    /// The integer list attribute `name`, or, in newer operator sets, the elements of the
    /// input at `index`; `None` when both are left out.
    pub(super) fn list(&self, name: &str, index: usize) -> Result<Option<&'a [i64]>, Unsized> {
        match self.op.ints(name) {
            Some(list) => Ok(Some(list)),
            None if self.input(index).is_some() => self.elements(index).map(Some),
            None => Ok(None),
        }
    }

    /// The axis of a tensor of `rank` dimensions that `axis` means; negative axes count from
    /// the end.
    pub(super) fn axis(&self, axis: i64, rank: usize) -> Result<usize, Unsized> {
        resolve(axis, rank).ok_or_else(|| self.invalid(message!("axis {} of rank {}", axis, rank)))
    }

    /// Like [`axis`](Self::axis), for each of `axes`.
    pub(super) fn axes(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>, Unsized> {
        if axes.len() > rank {
            return Err(self.invalid(message!("{} axes of rank {}", axes.len(), rank)));
        }
        axes.iter().map(|&axis| self.axis(axis, rank)).collect()
    }

    /// The product of dimensions.
    pub(super) fn product(&self, dims: &[u64]) -> Result<u64, Unsized> {
        count(dims).ok_or_else(|| self.too_large())
    }

    /// Dimensions, none of them negative and not more than a tensor may have.
    pub(super) fn sizes(&self, sizes: &[i64]) -> Result<Vec<u64>, Unsized> {
        if sizes.len() > MAX_RANK {
            return Err(self.invalid(message!("{} dimensions", sizes.len())));
        }
        sizes.iter().map(|&size| self.size(size)).collect()
    }

    /// An integer that must not be negative.
    pub(super) fn size(&self, value: i64) -> Result<u64, Unsized> {
        u64::try_from(value).map_err(|_error| self.invalid(message!("size {}", value)))
    }
}

/// The index below `len` that `index` means: negative ones count from the end.
pub(super) fn resolve(index: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).ok()?;
    let index = if index < 0 {
        index.checked_add(len)?
    } else {
        index
    };
    usize::try_from(index).ok().filter(|_| index < len)
}

/// The number of elements; `None` beyond 64 bits.
pub(super) fn count(dims: &[u64]) -> Option<u64> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim))
}

/// The dimensions that both broadcast to, by the rules that NumPy set: aligned at the last
/// dimension, a 1 stretches. `None` when they do not fit.
pub(super) fn broadcast<D: Copy + PartialEq + From<u8>>(a: &[D], b: &[D]) -> Option<Vec<D>> {
    let one = D::from(1);
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut dims = long.to_vec();
    let offset = long.len() - short.len();
    for (dim, &other) in dims[offset..].iter_mut().zip(short) {
        *dim = match (*dim, other) {
            (x, y) if x == y => x,
            (x, y) if x == one => y,
            (x, y) if y == one => x,
            _ => return None,
        };
    }
    Some(dims)
}
