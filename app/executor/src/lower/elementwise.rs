//! Dispatches of element-wise kernels, whatever the dialect.

use planner::graph::DType;
use planner::{Message, message};

use super::activation::Activation;
use super::broadcast::Broadcast;
use super::call::all_floats;
use super::strided;
use crate::elements;
use crate::kernels::{
    BinaryOp, BinaryParams, CastParams, CompareOp, IntegerOp, Kernel, QuantisedOp, SelectParams,
    UnaryOp, grid, typed_grid,
};
use crate::recording::{Dispatch, Operand};
use crate::small_floats::Rounding;

/// y = f(x), element by element.
///
/// # Errors
/// When an operand is no float.
pub(super) fn unary(
    op: UnaryOp,
    alpha: f32,
    beta: f32,
    x: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    all_floats([x, y])?;
    if x.len() != y.len() {
        return Err(message!(
            "{} has not as many elements as {}",
            x.name,
            y.name
        ));
    }
    let same = x.strides == y.strides && x.strides.is_empty();
    // Without strides only the number of elements counts, whatever the dimensions.
    let params = match same {
        true => BinaryParams {
            count: y.len(),
            ..BinaryParams::default()
        },
        false => broadcast([x, x], y)?,
    };
    let params = BinaryParams {
        alpha,
        beta,
        ..params
    };
    Ok(Dispatch::new(Kernel::Unary, &params, grid(y.len()))
        .reads([x])
        .writes(y)
        .constant("SAME", u32::from(same))
        .constant("OP", op.code()))
}

/// y = f(a, b) with broadcasting.
///
/// # Errors
/// When an operand is no float, or more than eight dimensions broadcast each its own way.
pub(super) fn binary(
    op: BinaryOp,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    activated(op, Activation::NONE, a, b, y)
}

/// y = activation(f(a, b)) with broadcasting.
///
/// # Errors
/// When an operand is no float, or more than eight dimensions broadcast each its own way.
pub(super) fn activated(
    op: BinaryOp,
    activation: Activation,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    all_floats([a, b, y])?;
    let mut params = broadcast([a, b], y)?;
    (params.alpha, params.beta) = (activation.alpha, activation.beta);
    Ok(pair(Kernel::Binary, &params, [a, b], y, grid(y.len()))
        .constant("OP", op.code())
        .constant("ACTIVATION", activation.code()))
}

/// y = f(a, b) on integers and bools of one type, with broadcasting.
///
/// # Errors
/// When the types differ or are no integers.
pub(super) fn integer(
    op: IntegerOp,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    if elements::is_float(y.dtype) {
        return Err(message!("{} is {}", y.name, y.dtype.name()));
    }
    alike(a, y)?;
    alike(b, y)?;
    Ok(typed(Kernel::Integer, [a, b], y)?
        .constant("OP", op.code())
        .constant("KIND", elements::code(y.dtype)))
}

/// y = f(a, b) of quantised elements, with broadcasting; `table` says how they are scaled.
///
/// # Errors
/// When shapes do not broadcast.
pub(super) fn quantised_pair(
    op: QuantisedOp,
    [a, b]: [&Operand; 2],
    table: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    Ok(typed(Kernel::QuantisedPair, [a, b], y)?
        .reads([table])
        .constant("OP", op.code())
        .constant("A", elements::code(a.dtype))
        .constant("B", elements::code(b.dtype))
        .constant("KIND", elements::code(y.dtype)))
}

/// y = whether a and b compare as asked, with broadcasting.
///
/// # Errors
/// When the inputs differ in type, or the output is not bool.
pub(super) fn compare(
    op: CompareOp,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    alike(a, b)?;
    if y.dtype != DType::Bool {
        return Err(message!("{} is {}, not bool", y.name, y.dtype.name()));
    }
    Ok(typed(Kernel::Compare, [a, b], y)?
        .constant("OP", op.code())
        .constant("KIND", elements::code(a.dtype)))
}

/// y = a to the power of b, for any types; y has the type of a.
///
/// # Errors
/// When the output has another type than the base.
pub(super) fn power(a: &Operand, b: &Operand, y: &Operand) -> Result<Dispatch, Message> {
    alike(a, y)?;
    if b.dtype == y.dtype && b.dtype == DType::F32 {
        return binary(BinaryOp::Pow, a, b, y);
    }
    if b.dtype == y.dtype && !elements::is_float(y.dtype) {
        return integer(IntegerOp::Pow, a, b, y);
    }
    Ok(typed(Kernel::Power, [a, b], y)?
        .constant("A", elements::code(a.dtype))
        .constant("B", elements::code(b.dtype)))
}

/// y = condition ? a : b with broadcasting.
///
/// # Errors
/// When the data differ in type, or the condition is not bool.
pub(super) fn select(
    condition: &Operand,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    alike(a, y)?;
    alike(b, y)?;
    if condition.dtype != DType::Bool {
        let (name, dtype) = (&condition.name, condition.dtype.name());
        return Err(message!("{} is {}, not bool", name, dtype));
    }
    let inputs = [condition, a, b];
    let shape = Broadcast::of(&y.dims, &inputs.map(|input| (&*input.dims, input.steps())))?;
    let params = SelectParams {
        count: y.len(),
        rank: shape.rank,
        pad: [0; 2],
        dims: shape.dims,
        c: shape.strides[0],
        a: shape.strides[1],
        b: shape.strides[2],
    };
    let same = inputs.iter().all(|input| input.dims == y.dims);
    Ok(Dispatch::new(Kernel::Select, &params, typed_grid(y))
        .reads(inputs)
        .writes(y)
        .constant("KIND", elements::code(y.dtype))
        .constant("SAME", u32::from(same)))
}

/// y = x as the type of y.
///
/// # Errors
/// When their sizes differ.
pub(super) fn cast(x: &Operand, y: &Operand) -> Result<Dispatch, Message> {
    rounded(x, y, Rounding::default())
}

/// y = x as the type of y, with another rounding to small floats.
///
/// # Errors
/// When their sizes differ.
pub(super) fn rounded(x: &Operand, y: &Operand, rounding: Rounding) -> Result<Dispatch, Message> {
    if x.len() != y.len() {
        return Err(message!(
            "{} has not as many elements as {}",
            x.name,
            y.name
        ));
    }
    if x.dtype == y.dtype {
        return strided::copy(x, y);
    }
    let params = CastParams { count: y.len() };
    Ok(Dispatch::new(Kernel::Cast, &params, typed_grid(y))
        .reads([x])
        .writes(y)
        .constant("FROM", elements::code(x.dtype))
        .constant("TO", elements::code(y.dtype))
        .constant("SATURATE", u32::from(rounding.saturate))
        .constant("POWERS", rounding.powers))
}

/// A dispatch of a kernel of two inputs of any type with broadcasting.
fn typed(kernel: Kernel, inputs: [&Operand; 2], y: &Operand) -> Result<Dispatch, Message> {
    let params = broadcast(inputs, y)?;
    Ok(pair(kernel, &params, inputs, y, typed_grid(y)))
}

fn broadcast(inputs: [&Operand; 2], y: &Operand) -> Result<BinaryParams, Message> {
    let [a, b] = inputs;
    let shape = Broadcast::of(&y.dims, &[a, b, y].map(|x| (&*x.dims, x.steps())))?;
    Ok(BinaryParams {
        count: y.len(),
        rank: shape.rank,
        dims: shape.dims,
        a: shape.strides[0],
        b: shape.strides[1],
        y: shape.strides[2],
        ..BinaryParams::default()
    })
}

fn pair(
    kernel: Kernel,
    params: &BinaryParams,
    inputs: [&Operand; 2],
    y: &Operand,
    grid: [u32; 3],
) -> Dispatch {
    let plain = |x: &&Operand| x.dims == y.dims && x.strides.is_empty();
    let same = inputs.iter().all(plain) && y.strides.is_empty();
    Dispatch::new(kernel, params, grid)
        .reads(inputs)
        .writes(y)
        .constant("SAME", u32::from(same))
}

fn alike(x: &Operand, y: &Operand) -> Result<(), Message> {
    if x.dtype == y.dtype {
        return Ok(());
    }
    let (x_type, y_type) = (x.dtype.name(), y.dtype.name());
    Err(message!(
        "{} is {}, {} is {}",
        x.name,
        x_type,
        y.name,
        y_type
    ))
}
