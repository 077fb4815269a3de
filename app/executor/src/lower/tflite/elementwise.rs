//! Functions of one or more elements at the same place.

use planner::graph::DType;

use crate::elements::is_float;
use crate::kernels::{BinaryOp, CompareOp, IntegerOp, UnaryOp};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::elementwise::{activated, binary, cast, compare, integer, power, select, unary};
use crate::recording::{Dispatch, Operand};

/// The dispatches of an element-wise builtin; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    if let Some((op, alpha, beta)) = unary_op(call) {
        return Some(one(call, |x, y| match integer_of_one(call) {
            Some(whole) if !is_float(x.dtype) => integer(whole, x, x, y),
            _ => unary(op, alpha, beta, x, y),
        }));
    }
    if let Some((real, whole)) = arithmetic(call) {
        return Some(two(call, |a, b, y| fused(call, (real, whole), a, b, y)));
    }
    if let Some(op) = comparison(call) {
        return Some(two(call, |a, b, y| compare(op, a, b, y)));
    }
    Some(match call.op.kind.as_str() {
        "POW" => two(call, power),
        "PRELU" => two(call, |a, b, y| binary(BinaryOp::PRelu, a, b, y)),
        "LOGICAL_AND" => two(call, |a, b, y| integer(IntegerOp::And, a, b, y)),
        "LOGICAL_OR" => two(call, |a, b, y| integer(IntegerOp::Or, a, b, y)),
        "BITWISE_XOR" => two(call, |a, b, y| integer(IntegerOp::Xor, a, b, y)),
        "LOGICAL_NOT" => one(call, |x, y| integer(IntegerOp::Not, x, x, y)),
        "SELECT" | "SELECT_V2" => chosen(call),
        "CAST" => one(call, cast),
        "DEQUANTIZE" => one(call, |x, y| match x.dtype {
            DType::F16 => cast(x, y),
            _ => Err("quantised activations".into()),
        }),
        "DENSIFY" => Err("what is sparse is no constant of the file".into()),
        "ADD_N" => sum(call),
        _ => return None,
    })
}

fn unary_op(call: &Call<'_>) -> Option<(UnaryOp, f32, f32)> {
    let plain = |op| (op, 0.0, 0.0);
    Some(match call.op.kind.as_str() {
        "RELU" => plain(UnaryOp::Relu),
        "RELU6" => (UnaryOp::Clip, 0.0, 6.0),
        "RELU_N1_TO_1" => (UnaryOp::Clip, -1.0, 1.0),
        "RELU_0_TO_1" => (UnaryOp::Clip, 0.0, 1.0),
        "LEAKY_RELU" => {
            let alpha = call.float_attribute("alpha").unwrap_or_default();
            (UnaryOp::LeakyRelu, alpha, 0.0)
        }
        "ELU" => (UnaryOp::Elu, 1.0, 0.0),
        "LOGISTIC" => plain(UnaryOp::Sigmoid),
        "TANH" => plain(UnaryOp::Tanh),
        "HARD_SWISH" => plain(UnaryOp::HardSwish),
        "EXP" => plain(UnaryOp::Exp),
        "LOG" => plain(UnaryOp::Log),
        "SQRT" => plain(UnaryOp::Sqrt),
        "RSQRT" => plain(UnaryOp::Rsqrt),
        "ABS" => plain(UnaryOp::Abs),
        "NEG" => plain(UnaryOp::Neg),
        "SIGN" => plain(UnaryOp::Sign),
        "SQUARE" => plain(UnaryOp::Square),
        "SIN" => plain(UnaryOp::Sin),
        "COS" => plain(UnaryOp::Cos),
        "FLOOR" => plain(UnaryOp::Floor),
        "CEIL" => plain(UnaryOp::Ceil),
        "ROUND" => plain(UnaryOp::Round),
        "GELU" if call.op.int("approximate").unwrap_or_default() != 0 => plain(UnaryOp::GeluTanh),
        "GELU" => plain(UnaryOp::Gelu),
        _ => return None,
    })
}

fn integer_of_one(call: &Call<'_>) -> Option<IntegerOp> {
    Some(match call.op.kind.as_str() {
        "ABS" => IntegerOp::Abs,
        "NEG" => IntegerOp::Neg,
        "SIGN" => IntegerOp::Sign,
        _ => return None,
    })
}

/// The function of two floats, and the same of two integers.
fn arithmetic(call: &Call<'_>) -> Option<(BinaryOp, IntegerOp)> {
    Some(match call.op.kind.as_str() {
        "ADD" => (BinaryOp::Add, IntegerOp::Add),
        "SUB" => (BinaryOp::Sub, IntegerOp::Sub),
        "MUL" => (BinaryOp::Mul, IntegerOp::Mul),
        "DIV" => (BinaryOp::Div, IntegerOp::Div),
        "MAXIMUM" => (BinaryOp::Max, IntegerOp::Max),
        "MINIMUM" => (BinaryOp::Min, IntegerOp::Min),
        "SQUARED_DIFFERENCE" => (BinaryOp::SquaredDifference, IntegerOp::SquaredDifference),
        "FLOOR_DIV" => (BinaryOp::FloorDiv, IntegerOp::FloorDiv),
        "FLOOR_MOD" => (BinaryOp::FloorMod, IntegerOp::FloorMod),
        _ => return None,
    })
}

fn comparison(call: &Call<'_>) -> Option<CompareOp> {
    Some(match call.op.kind.as_str() {
        "EQUAL" => CompareOp::Equal,
        "NOT_EQUAL" => CompareOp::NotEqual,
        "LESS" => CompareOp::Less,
        "LESS_EQUAL" => CompareOp::LessOrEqual,
        "GREATER" => CompareOp::Greater,
        "GREATER_EQUAL" => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

fn fused(
    call: &Call<'_>,
    (real, whole): (BinaryOp, IntegerOp),
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, String> {
    let activation = Activation::tflite(call)?;
    if is_float(y.dtype) {
        return activated(real, activation, a, b, y);
    }
    if activation != Activation::NONE {
        return Err(format!("an activation on {}", y.dtype.name()));
    }
    integer(whole, a, b, y)
}

fn one(
    call: &Call<'_>,
    dispatch: impl Fn(&Operand, &Operand) -> Result<Dispatch, String>,
) -> Dispatches {
    Ok(vec![dispatch(call.input(0)?, call.output(0)?)?])
}

fn two(
    call: &Call<'_>,
    dispatch: impl Fn(&Operand, &Operand, &Operand) -> Result<Dispatch, String>,
) -> Dispatches {
    Ok(vec![dispatch(
        call.input(0)?,
        call.input(1)?,
        call.output(0)?,
    )?])
}

/// SELECT takes a condition of one element, or of one per row, for the whole row.
fn chosen(call: &Call<'_>) -> Dispatches {
    let (condition, y) = (call.input(0)?, call.output(0)?);
    let (a, b) = (call.input(1)?, call.input(2)?);
    let rows = call.op.kind == "SELECT" && condition.dims.len() == 1 && y.dims.len() > 1;
    let condition = if rows && condition.dims[0] == y.dims[0] {
        let mut dims = condition.dims.clone();
        dims.resize(y.dims.len(), 1);
        condition.viewed(dims)
    } else {
        condition.clone()
    };
    Ok(vec![select(&condition, a, b, y)?])
}

/// One input after the other into the output.
fn sum(call: &Call<'_>) -> Dispatches {
    let (first, y) = (call.input(0)?, call.output(0)?);
    let mut found = Vec::new();
    for position in 1..call.op.inputs.len() {
        let from = if found.is_empty() { first } else { y };
        let next = call.input(position)?;
        found.push(match y.dtype {
            DType::F32 => binary(BinaryOp::Add, from, next, y)?,
            _ => integer(IntegerOp::Add, from, next, y)?,
        });
    }
    if found.is_empty() {
        found.push(cast(first, y)?);
    }
    Ok(found)
}
