//! What picks elements by indices, in both dialects.

use planner::graph::DType;
use planner::{Message, message};

use crate::kernels::{GatherParams, Kernel, MAX_RANK, OneHotParams, grid};
use crate::lower::Dispatches;
use crate::lower::strided::{strides, width};
use crate::recording::{Dispatch, Operand};

/// A dimension of the output with the strides of x and of the tuples of indices over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    size: u32,
    x: i64,
    index: i64,
}

/// y[i] = x[i·r + Σ_d index_d(i)·g_d].
#[derive(Clone, Debug, Default)]
struct Gather {
    /// Dimensions of the output, outermost first.
    axes: Vec<Axis>,
    /// Limit and stride of every index of a tuple.
    tuple: Vec<(u32, i64)>,
}

/// The dimension `axis` of x is replaced by those of the indices; the first `batch`
/// dimensions of both are the same.
///
/// # Errors
/// When shapes or types do not fit.
pub(crate) fn gather(
    x: &Operand,
    indices: &Operand,
    (axis, batch): (usize, usize),
    y: &Operand,
) -> Dispatches {
    if batch > axis || axis >= x.dims.len() || x.dims[..batch] != *prefix(indices, batch)? {
        return Err(message!("the axis does not fit the shapes"));
    }
    let (from, tuples) = (strides(x), strides(indices));
    let mut gather = Gather {
        axes: Vec::with_capacity(y.dims.len()),
        tuple: vec![(x.dims[axis], from[axis])],
    };
    gather.add(&x.dims[..batch], &from, &tuples);
    gather.add(&x.dims[batch..axis], &from[batch..], &[]);
    gather.add(&indices.dims[batch..], &[], &tuples[batch..]);
    gather.add(&x.dims[axis + 1..], &from[axis + 1..], &[]);
    gather.dispatches(x, indices, y)
}

/// Every element of y has an index of its own along `axis` of x.
///
/// # Errors
/// When shapes or types do not fit.
pub(crate) fn gather_elements(
    x: &Operand,
    indices: &Operand,
    axis: usize,
    y: &Operand,
) -> Dispatches {
    let mut from = strides(x);
    if indices.dims.len() != x.dims.len() || axis >= x.dims.len() {
        return Err(message!("the indices are of another rank"));
    }
    let tuple = vec![(x.dims[axis], std::mem::take(&mut from[axis]))];
    let axes = Vec::new();
    let mut gather = Gather { axes, tuple };
    gather.add(&indices.dims, &from, &strides(indices));
    gather.dispatches(x, indices, y)
}

/// The last dimension of the indices holds tuples that lead into x, after `batch` dimensions
/// that both have.
///
/// # Errors
/// When shapes or types do not fit.
pub(crate) fn gather_nd(x: &Operand, indices: &Operand, batch: usize, y: &Operand) -> Dispatches {
    let (&depth, outer) = indices
        .dims
        .split_last()
        .ok_or_else(|| message!("the indices are a scalar"))?;
    let depth = depth as usize;
    let used = batch.saturating_add(depth);
    if used > x.dims.len() || batch > outer.len() || x.dims[..batch] != outer[..batch] {
        return Err(message!("the indices do not fit the shape"));
    }
    let (from, tuples) = (strides(x), strides(indices));
    let limits = x.dims[batch..used].iter().copied();
    let mut gather = Gather {
        axes: Vec::with_capacity(y.dims.len()),
        tuple: limits.zip(from[batch..].iter().copied()).collect(),
    };
    gather.add(&outer[..batch], &from, &tuples);
    gather.add(&outer[batch..], &[], &tuples[batch..]);
    gather.add(&x.dims[used..], &from[used..], &[]);
    gather.dispatches(x, indices, y)
}

fn prefix(operand: &Operand, len: usize) -> Result<&[u32], Message> {
    let found = operand.dims.get(..len);
    found.ok_or_else(|| message!("{} has less than {} dimensions", operand.name, len))
}

impl Gather {
    /// Adds dimensions with their strides, 0 where there are none.
    fn add(&mut self, dims: &[u32], x: &[i64], index: &[i64]) {
        let stride = |all: &[i64], d: usize| all.get(d).copied().unwrap_or_default();
        let axis = |(d, &size): (usize, &u32)| Axis {
            size,
            x: stride(x, d),
            index: stride(index, d),
        };
        self.axes.extend(dims.iter().enumerate().map(axis));
    }

    fn dispatches(mut self, x: &Operand, indices: &Operand, y: &Operand) -> Dispatches {
        let index_words: u32 = match indices.dtype {
            DType::I32 => 1,
            DType::I64 => 2,
            other => return Err(message!("indices of type {} are not read", other.name())),
        };
        if width(x)? != width(y)? {
            return Err(message!("{} has another type than {}", y.name, x.name));
        }
        if y.is_empty() {
            return Ok(Vec::new());
        }
        if x.is_empty() {
            return Err(message!("{} has no elements to pick", x.name));
        }
        let sizes = self.axes.iter().map(|axis| u64::from(axis.size));
        let count: u64 = sizes.product();
        if u64::from(y.len()) != count {
            return Err(message!("{} has not {} elements", y.name, count));
        }
        self.merge();
        let most = self.axes.len().max(self.tuple.len());
        if most > MAX_RANK {
            return Err(message!("it walks {} dimensions", most));
        }
        let params = self.params(y)?;
        let threads = params.count.div_ceil(4);
        Ok(vec![
            Dispatch::new(Kernel::Gather, &params, grid(threads))
                .reads([x, indices])
                .writes(y)
                .constant("WIDTH", width(x)?)
                .constant("INDEX_WORDS", index_words),
        ])
    }

    /// Drops dimensions of 1 and merges neighbours that both sides walk alike.
    fn merge(&mut self) {
        let mut merged: Vec<Axis> = Vec::new();
        for axis in std::mem::take(&mut self.axes).into_iter().rev() {
            match merged.last_mut() {
                _ if axis.size == 1 => {}
                Some(below)
                    if axis.x == below.x * i64::from(below.size)
                        && axis.index == below.index * i64::from(below.size) =>
                {
                    below.size *= axis.size;
                }
                _ => merged.push(axis),
            }
        }
        merged.reverse();
        self.axes = merged;
    }

    fn params(&self, y: &Operand) -> Result<GatherParams, Message> {
        let narrow = |value: i64| {
            let value = i32::try_from(value).map(i32::cast_unsigned);
            value.map_err(|_error| message!("it reaches beyond 2^31 elements"))
        };
        let mut params = GatherParams {
            count: y.len(),
            rank: planner::narrow(self.axes.len().max(1)),
            depth: planner::narrow(self.tuple.len()),
            step: 1,
            dims: [1; MAX_RANK],
            ..GatherParams::default()
        };
        for (d, axis) in self.axes.iter().rev().enumerate() {
            params.dims[d] = axis.size;
            params.x[d] = narrow(axis.x)?;
            params.index[d] = narrow(axis.index)?;
        }
        for (d, &(limit, stride)) in self.tuple.iter().enumerate() {
            params.limit[d] = narrow(limit.into())?;
            params.stride[d] = narrow(stride)?;
        }
        Ok(params)
    }
}

/// y = the second of `values` where the place along `axis` is the index, the first elsewhere.
///
/// # Errors
/// When the shapes do not fit, or the indices are of no type that is read.
pub(crate) fn one_hot(indices: &Operand, values: &Operand, axis: usize, y: &Operand) -> Dispatches {
    let index: u32 = match indices.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        DType::F32 => 3,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    let depth = y.dims[axis];
    if values.len() < 2 || u64::from(indices.len()) * u64::from(depth) != u64::from(y.len()) {
        return Err(message!("its shapes do not fit"));
    }
    let params = OneHotParams {
        count: y.len(),
        depth,
        inner: y.dims[axis + 1..].iter().product(),
    };
    Ok(vec![
        Dispatch::new(Kernel::OneHot, &params, grid(y.len().div_ceil(4)))
            .reads([values, indices])
            .writes(y)
            .constant("WIDTH", width(y)?)
            .constant("INDEX", index),
    ])
}
