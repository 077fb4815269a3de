//! Where the elements of a tensor lie in its storage, as PyTorch's strides have it: whether an
//! operator of shapes is a view, or copies.

use crate::graph::{Dialect, Graph, Op, TensorId};
use crate::operators::Operator;

/// How the elements of a tensor are walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::training) enum Layout {
    /// In their order, without gaps.
    #[default]
    InOrder,
    /// By so many elements from one to the next along each dimension.
    Strides(Vec<u64>),
    /// In another order, not known which.
    Other,
}

fn dims(graph: &Graph, id: TensorId) -> Option<&[u64]> {
    graph.tensor(id).dims.as_deref()
}

/// The strides of these dimensions in their order; `None` beyond 64 bits.
fn dense(dims: &[u64]) -> Option<Vec<u64>> {
    let mut strides = vec![1; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = dims[axis].checked_mul(strides[axis])?;
    }
    Some(strides)
}

impl Layout {
    /// Where single elements along a dimension say nothing.
    fn of(strides: Vec<u64>, dims: &[u64]) -> Self {
        let same = dense(dims).is_some_and(|dense| {
            let both = dense.iter().zip(&strides).zip(dims);
            dense.len() == strides.len()
                && both.into_iter().all(|((a, b), dim)| *dim == 1 || a == b)
        });
        if same {
            Self::InOrder
        } else {
            Self::Strides(strides)
        }
    }

    fn strides(&self, dims: &[u64]) -> Option<Vec<u64>> {
        match self {
            Self::InOrder => dense(dims),
            Self::Strides(strides) => (strides.len() == dims.len()).then(|| strides.clone()),
            Self::Other => None,
        }
    }

    /// The layout of the same elements in another shape; `None` where PyTorch copies.
    pub(in crate::training) fn reshaped(&self, from: &[u64], to: &[u64]) -> Option<Self> {
        if *self == Self::InOrder {
            return Some(Self::InOrder);
        }
        let strides = self.strides(from)?;
        // From the last dimension on: runs of dimensions that are walked as one.
        let (mut made, mut left) = (vec![1; to.len()], to.len());
        let mut axes = from.iter().zip(&strides).rev().peekable();
        while let Some((&dim, &base)) = axes.next() {
            let mut whole = dim;
            while let Some((next, _)) = axes
                .next_if(|(dim, stride)| **dim == 1 || base.checked_mul(whole) == Some(**stride))
            {
                whole = whole.checked_mul(*next)?;
            }
            let mut part = 1_u64;
            while left > 0 && (part < whole || to[left - 1] == 1) {
                left -= 1;
                made[left] = base.checked_mul(part)?;
                part = part.checked_mul(to[left])?;
            }
            if part != whole {
                return None;
            }
        }
        Some(Self::of(made, to))
    }

    /// Of what `op`, which is a view, writes of what lies so.
    pub(in crate::training) fn seen(
        &self,
        graph: &Graph,
        op: &Op,
        read: TensorId,
        written: TensorId,
    ) -> Self {
        let (Some(from), Some(to)) = (dims(graph, read), dims(graph, written)) else {
            return Self::Other;
        };
        let found = self.strides(from).and_then(|strides| match op.operator {
            // One of TFLite reads its order from an input.
            Operator::Transpose if graph.dialect != Dialect::Tflite => {
                let turned: Vec<i64> = (0..from.len() as i64).rev().collect();
                let perm = op.ints("perm").unwrap_or(&turned);
                let of = |axis: &i64| strides.get(usize::try_from(*axis).ok()?).copied();
                perm.iter().map(of).collect()
            }
            Operator::Expand => {
                let new = to.len().checked_sub(from.len())?;
                let own = from.iter().zip(&to[new..]).zip(&strides);
                let own = own.map(|((a, b), stride)| if a == b { *stride } else { 0 });
                Some(vec![0; new].into_iter().chain(own).collect())
            }
            Operator::Slice | Operator::Split | Operator::TfliteSplit => Some(strides),
            _ => None,
        });
        match found {
            Some(strides) if strides.len() == to.len() => Self::of(strides, to),
            _ => Self::Other,
        }
    }
}

/// Of what `op` computes. An attention writes in the order in which its queries lie.
pub(in crate::training) fn computed(graph: &Graph, op: &Op, first: &Layout) -> Layout {
    let turned = || {
        let (read, written) = (op.read().next()?, op.written().next()?);
        let (from, to) = (dims(graph, read)?, dims(graph, written)?);
        let strides = first.strides(from)?;
        let mut order: Vec<usize> = (0..to.len()).collect();
        // Single elements stay where they are, as the sort is stable.
        order.sort_by_key(|axis| std::cmp::Reverse(strides.get(*axis).copied()));
        let mut made = vec![1; to.len()];
        let mut next = 1_u64;
        for axis in order.into_iter().rev() {
            made[axis] = next;
            next = next.checked_mul(to[axis])?;
        }
        Some(Layout::of(made, to))
    };
    match op.is(Operator::ScaledDotProductAttention) {
        true => turned().unwrap_or(Layout::Other),
        false => Layout::InOrder,
    }
}

/// Whether `op` copies what it reads as input `index` and lies so: a recurrent layer what is not in
/// order, a product of matrices where PyTorch cannot join the batch dimensions, or all rows where
/// the other operand is one matrix.
pub(super) fn copies(graph: &Graph, op: &Op, index: usize, layout: &Layout) -> bool {
    match op.operator {
        Operator::Lstm | Operator::Gru | Operator::Rnn => {
            return index == 0 && *layout != Layout::InOrder;
        }
        Operator::MatMul => {}
        _ => return false,
    }
    let of = |index: usize| {
        op.inputs
            .get(index)
            .copied()
            .flatten()
            .and_then(|id| dims(graph, id))
    };
    let (Some(own), Some(other)) = (of(index), of(1 - index.min(1))) else {
        return false;
    };
    let [batch @ .., rows, columns] = own else {
        return false;
    };
    let all = batch
        .iter()
        .try_fold(1_u64, |all, dim| all.checked_mul(*dim));
    let Some(all) = all else {
        return true;
    };
    let joined = match (own.len(), other.len()) {
        (3.., 2) if index == 0 => all.checked_mul(*rows).map(|rows| vec![rows, *columns]),
        (4.., _) | (_, 4..) => Some(vec![all, *rows, *columns]),
        _ => return false,
    };
    joined.is_none_or(|to| layout.reshaped(own, &to).is_none())
}
