//! Axes → rows: how a kernel that works along some axes of a tensor walks it, and whether a
//! thread or a workgroup takes each row.

use planner::{Message, message};

use super::integer_rows::{integer_reduce, integer_total};
use super::scans::Order;
use crate::elements::is_float;
use crate::kernels::{
    HardmaxParams, Kernel, NormalizeOp, NormalizeParams, Picked, ReduceOp, ReduceParams, Rows,
    SIDE, SoftmaxParams, grid,
};
use crate::lower::call::all_floats;
use crate::recording::{Dispatch, Operand};

/// The axis that `axis` means; negative ones count from the end.
///
/// # Errors
/// When there is none.
pub(crate) fn axis(axis: i64, rank: usize) -> Result<usize, Message> {
    let len = i64::try_from(rank).unwrap_or(i64::MAX);
    let at = if axis < 0 {
        axis.saturating_add(len)
    } else {
        axis
    };
    let found = usize::try_from(at).ok().filter(|&at| at < rank);
    found.ok_or_else(|| message!("there is no axis {} of {}", axis, rank))
}

/// Which of `rank` axes are in `list`.
///
/// # Errors
/// When one is not there.
pub(crate) fn axes(list: &[i64], rank: usize) -> Result<Vec<bool>, Message> {
    let mut along = vec![false; rank];
    for &one in list {
        along[axis(one, rank)?] = true;
    }
    Ok(along)
}

/// The product of dimensions, of which a 0 may stand beside sizes that have none.
pub(crate) fn elements(dims: &[u32]) -> u32 {
    dims.iter().copied().fold(1, u32::saturating_mul)
}

/// The rows of a tensor of `dims`, outermost first, that run along the axes so marked.
///
/// # Errors
/// When the two kinds of axes take turns too often.
pub(crate) fn rows(x: &Operand, along: &[bool]) -> Result<Rows, Message> {
    rows_onto(x, along, &x.steps())
}

/// These rows with the strides of an output of the same dimensions.
///
/// # Errors
/// When the two kinds of axes take turns too often.
fn rows_onto(x: &Operand, along: &[bool], onto: &[u32]) -> Result<Rows, Message> {
    let dims = &x.dims;
    // Innermost first: whether a row runs along it, its size, its stride in x and in y.
    let mut groups: Vec<(bool, u32, [u32; 2])> = Vec::new();
    let steps = x.steps().into_iter().zip(onto);
    for ((&size, &along), (step, &out)) in dims.iter().zip(along).zip(steps).rev() {
        match groups.last_mut() {
            _ if size == 1 => {}
            Some((same, group, strides))
                if *same == along
                    && [step, out] == strides.map(|stride| stride.saturating_mul(*group)) =>
            {
                *group = group.saturating_mul(size);
            }
            _ => groups.push((along, size, [step, out])),
        }
    }
    let side = |wanted: bool| {
        let (mut sizes, mut strides) = ([1; SIDE], [[0; SIDE]; 2]);
        let found: Vec<_> = groups
            .iter()
            .filter(|(along, ..)| *along == wanted)
            .collect();
        if found.len() > SIDE {
            return Err(message!(
                "the axes of {} take turns too often",
                format_args!("{dims:?}")
            ));
        }
        for (index, (_, size, stride)) in found.into_iter().enumerate() {
            sizes[index] = *size;
            (strides[0][index], strides[1][index]) = (stride[0], stride[1]);
        }
        Ok((sizes, strides))
    };
    let (outer, [outer_strides, out_outer]) = side(false)?;
    let (along, [along_strides, out_along]) = side(true)?;
    Ok(Rows {
        outer,
        outer_strides,
        along,
        along_strides,
        count: elements(&outer),
        len: elements(&along),
        pad: [0; 2],
        out_outer,
        out_along,
    })
}

/// The strides of y along the dimensions of x, which has as many elements.
fn steps_like(x: &Operand, y: &Operand) -> Vec<u32> {
    match y.strides.is_empty() {
        true => Operand {
            strides: Vec::new(),
            ..x.clone()
        }
        .steps(),
        false => y.steps(),
    }
}

/// A dispatch with a thread for each row.
pub(crate) fn by_thread<P: bytemuck::Pod>(kernel: Kernel, params: &P, rows: &Rows) -> Dispatch {
    let flat = rows.along[1..] == [1; SIDE - 1];
    Dispatch::new(kernel, params, grid(rows.count)).constant("FLAT", u32::from(flat))
}

/// A dispatch with a thread (the first kernel) or a workgroup (the second) for each row.
fn by_row<P: bytemuck::Pod>(kernels: [Kernel; 2], params: &P, rows: &Rows) -> Dispatch {
    // Threads that share a row must wait for each other, which costs most where a CPU plays
    // the GPU; many rows of moderate length keep a GPU busy with a thread each. Where
    // neighbouring words belong to neighbouring rows, so had better neighbouring threads.
    const LONG: u32 = 512;
    const SHORT: u32 = 128;
    const FEW: u32 = 256;
    const MANY: u32 = 4096;
    let long = rows.len >= LONG || rows.len >= SHORT && rows.count < FEW;
    let apart = rows.along_strides[0] != 1 && rows.count >= MANY;
    if !long || apart {
        return by_thread(kernels[0], params, rows);
    }
    const MOST: u32 = 32_768;
    Dispatch {
        grid: [
            rows.count.clamp(1, MOST),
            rows.count.div_ceil(MOST).max(1),
            1,
        ],
        ..by_thread(kernels[1], params, rows)
    }
}

/// y = one number for each row of x.
///
/// # Errors
/// When an operand is no float, or y has not one element for each row.
pub(crate) fn reduce(
    op: ReduceOp,
    epsilon: f32,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    let order = match op {
        ReduceOp::Max => Some(Order::Largest),
        ReduceOp::Min => Some(Order::Smallest),
        _ => None,
    };
    if let Some(order) = order.filter(|_| !is_float(x.dtype)) {
        return integer_reduce(order, Picked::Value, x, along, y);
    }
    if !is_float(x.dtype) {
        return integer_total(op, x, along, y);
    }
    all_floats([x, y])?;
    let rows = rows(x, along)?;
    if rows.count != y.len() {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let params = ReduceParams {
        rows,
        empty: op.empty(),
        epsilon,
        pad: [0; 2],
    };
    // The factors of a product keep their order: another could overflow on the way.
    let dispatch = if op == ReduceOp::Prod {
        by_thread(Kernel::Reduce, &params, &rows)
    } else {
        by_row([Kernel::Reduce, Kernel::ReduceRows], &params, &rows)
    };
    Ok(dispatch.reads([x]).writes(y).constant("OP", op.code()))
}

/// y = the softmax of beta x along the axes so marked, or its logarithm.
///
/// # Errors
/// When an operand is no float.
pub(crate) fn softmax(
    log: bool,
    beta: f32,
    x: &Operand,
    along: &[bool],
    y: &Operand,
) -> Result<Dispatch, Message> {
    all_floats([x, y])?;
    let rows = rows_onto(x, along, &steps_like(x, y))?;
    let params = SoftmaxParams {
        rows,
        beta,
        pad: [0; 3],
    };
    let dispatch = by_row([Kernel::Softmax, Kernel::SoftmaxRows], &params, &rows);
    let dispatch = dispatch.reads([x]).writes(y);
    Ok(dispatch.constant("LOG", u32::from(log)))
}

/// y = 1 at the first largest element of each row of x, 0 elsewhere.
///
/// # Errors
/// When an operand is no float.
pub(crate) fn hardmax(x: &Operand, along: &[bool], y: &Operand) -> Result<Dispatch, Message> {
    all_floats([x, y])?;
    let rows = rows(x, along)?;
    let params = HardmaxParams { rows };
    let dispatch = by_thread(Kernel::Hardmax, &params, &rows);
    Ok(dispatch.reads([x]).writes(y))
}

/// What scales and shifts what is normalized: for element `i` of a row the number
/// `row % row_period * row_stride + i / repeat % period`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine<'a> {
    pub(crate) scale: Option<&'a Operand>,
    pub(crate) bias: Option<&'a Operand>,
    pub(crate) row_period: u32,
    pub(crate) row_stride: u32,
    pub(crate) repeat: u32,
    pub(crate) period: u32,
}

impl Affine<'_> {
    /// Neither.
    pub(crate) const NONE: Self = Self {
        scale: None,
        bias: None,
        row_period: 1,
        row_stride: 0,
        repeat: 1,
        period: 1,
    };
}

/// y = x normalized along the axes so marked.
///
/// # Errors
/// When an operand is no float, there is a bias without a scale, or one of them has not as many
/// elements as are read.
pub(crate) fn normalize(
    op: NormalizeOp,
    epsilon: f32,
    x: &Operand,
    along: &[bool],
    affine: &Affine<'_>,
    y: &Operand,
) -> Result<Dispatch, Message> {
    let given = [affine.scale, affine.bias];
    all_floats([x, y].into_iter().chain(given.into_iter().flatten()))?;
    if affine.bias.is_some() && affine.scale.is_none() {
        return Err(message!("there is a bias without a scale"));
    }
    let last = u64::from(affine.row_period - 1) * u64::from(affine.row_stride);
    let needed = last + u64::from(affine.period);
    if let Some(short) = given
        .into_iter()
        .flatten()
        .find(|x| u64::from(x.len()) != needed)
    {
        let (name, len) = (&short.name, short.len());
        return Err(message!(
            "{} has {} elements, {} are needed",
            name,
            len,
            needed
        ));
    }
    let rows = rows_onto(x, along, &steps_like(x, y))?;
    let params = NormalizeParams {
        rows,
        epsilon,
        row_period: affine.row_period,
        row_stride: affine.row_stride,
        repeat: affine.repeat,
        period: affine.period,
        pad: [0; 3],
    };
    let dispatch = by_row([Kernel::Normalize, Kernel::NormalizeRows], &params, &rows);
    Ok(dispatch
        .reads([x].into_iter().chain(given.into_iter().flatten()))
        .writes(y)
        .constant("OP", op.code())
        .constant("SCALE", u32::from(affine.scale.is_some()))
        .constant("BIAS", u32::from(affine.bias.is_some())))
}
