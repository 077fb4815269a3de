//! Functions of one or two elements.

use crate::kernels::{BinaryOp, BinaryParams, Kernel, UnaryOp, UnaryParams, grid};
use crate::lower::Dispatches;
use crate::lower::broadcast::Broadcast;
use crate::lower::call::{Call, all_f32};
use crate::recording::{Dispatch, Operand};

/// The dispatches of an element-wise operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    if let Some(op) = unary_op(call) {
        return Some(unary_of(call, op));
    }
    let op = match call.op.kind.as_str() {
        "Add" => BinaryOp::Add,
        "Sub" => BinaryOp::Sub,
        "Mul" => BinaryOp::Mul,
        "Div" => BinaryOp::Div,
        "Pow" => BinaryOp::Pow,
        "PRelu" => BinaryOp::PRelu,
        _ => return None,
    };
    let both = call
        .input(0)
        .and_then(|a| Ok((a, call.input(1)?, call.output(0)?)));
    Some(both.and_then(|(a, b, y)| Ok(vec![binary(op, a, b, y)?])))
}

/// The function of one element with its parameters.
fn unary_op(call: &Call<'_>) -> Option<(UnaryOp, f32, f32)> {
    let alpha = |default: f32| call.float_attribute("alpha").unwrap_or(default);
    let beta = |default: f32| call.float_attribute("beta").unwrap_or(default);
    Some(match call.op.kind.as_str() {
        "Relu" => (UnaryOp::Relu, 0.0, 0.0),
        "Sigmoid" => (UnaryOp::Sigmoid, 0.0, 0.0),
        "Tanh" => (UnaryOp::Tanh, 0.0, 0.0),
        "Exp" => (UnaryOp::Exp, 0.0, 0.0),
        "Log" => (UnaryOp::Log, 0.0, 0.0),
        "Sqrt" => (UnaryOp::Sqrt, 0.0, 0.0),
        "Reciprocal" => (UnaryOp::Reciprocal, 0.0, 0.0),
        "Abs" => (UnaryOp::Abs, 0.0, 0.0),
        "Neg" => (UnaryOp::Neg, 0.0, 0.0),
        "Floor" => (UnaryOp::Floor, 0.0, 0.0),
        "Ceil" => (UnaryOp::Ceil, 0.0, 0.0),
        "Erf" => (UnaryOp::Erf, 0.0, 0.0),
        "Gelu" if call.op.text("approximate") == Some("tanh") => (UnaryOp::GeluTanh, 0.0, 0.0),
        "Gelu" => (UnaryOp::Gelu, 0.0, 0.0),
        "LeakyRelu" => (UnaryOp::LeakyRelu, alpha(0.01), 0.0),
        "Elu" => (UnaryOp::Elu, alpha(1.0), 0.0),
        "Selu" => (
            UnaryOp::Selu,
            alpha(1.673_263_2),
            call.float_attribute("gamma").unwrap_or(1.050_701),
        ),
        "HardSigmoid" => (UnaryOp::HardSigmoid, alpha(0.2), beta(0.5)),
        "HardSwish" => (UnaryOp::HardSwish, 0.0, 0.0),
        "Softplus" => (UnaryOp::Softplus, 0.0, 0.0),
        "Softsign" => (UnaryOp::Softsign, 0.0, 0.0),
        "Sign" => (UnaryOp::Sign, 0.0, 0.0),
        "Round" => (UnaryOp::Round, 0.0, 0.0),
        "Sin" => (UnaryOp::Sin, 0.0, 0.0),
        "Cos" => (UnaryOp::Cos, 0.0, 0.0),
        "Mish" => (UnaryOp::Mish, 0.0, 0.0),
        _ => return None,
    })
}

fn unary_of(call: &Call<'_>, (op, alpha, beta): (UnaryOp, f32, f32)) -> Dispatches {
    Ok(vec![unary(
        op,
        alpha,
        beta,
        call.input(0)?,
        call.output(0)?,
    )?])
}

/// y = f(x), element by element.
///
/// # Errors
/// When an operand is not f32.
pub(in crate::lower) fn unary(
    op: UnaryOp,
    alpha: f32,
    beta: f32,
    x: &Operand,
    y: &Operand,
) -> Result<Dispatch, String> {
    all_f32([x, y])?;
    let params = UnaryParams {
        count: y.len(),
        alpha,
        beta,
    };
    Ok(Dispatch::new(Kernel::Unary, &params, grid(y.len()))
        .reads([x])
        .writes(y)
        .constant("OP", op.code()))
}

/// y = f(a, b) with broadcasting.
///
/// # Errors
/// When an operand is not f32, or more than eight dimensions broadcast each its own way.
pub(in crate::lower) fn binary(
    op: BinaryOp,
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, String> {
    all_f32([a, b, y])?;
    let shape = Broadcast::of(&y.dims, &[&a.dims, &b.dims])?;
    let params = BinaryParams {
        count: y.len(),
        rank: shape.rank,
        pad: [0; 2],
        dims: shape.dims,
        a: shape.strides[0],
        b: shape.strides[1],
    };
    let same = a.dims == y.dims && b.dims == y.dims;
    Ok(Dispatch::new(Kernel::Binary, &params, grid(y.len()))
        .reads([a, b])
        .writes(y)
        .constant("OP", op.code())
        .constant("SAME", u32::from(same)))
}
