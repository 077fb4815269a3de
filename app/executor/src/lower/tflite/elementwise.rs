//! Functions of one or more elements at the same place.

use planner::graph::DType;
use planner::{Message, message};

use crate::elements::is_float;
use crate::kernels::{BinaryOp, CompareOp, IntegerOp, UnaryOp};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::elementwise::{activated, binary, cast, compare, integer, power, select, unary};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

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
    Some(match call.op.operator {
        Operator::Pow => two(call, power),
        Operator::PRelu => two(call, |a, b, y| binary(BinaryOp::PRelu, a, b, y)),
        Operator::And => two(call, |a, b, y| integer(IntegerOp::And, a, b, y)),
        Operator::Or => two(call, |a, b, y| integer(IntegerOp::Or, a, b, y)),
        Operator::TfliteBitwiseXor => two(call, |a, b, y| integer(IntegerOp::Xor, a, b, y)),
        Operator::Not => one(call, |x, y| integer(IntegerOp::Not, x, x, y)),
        Operator::Select | Operator::Where => chosen(call),
        Operator::Cast => one(call, cast),
        Operator::Dequantize => one(call, |x, y| match x.dtype {
            DType::F16 => cast(x, y),
            _ => Err(message!("quantised activations")),
        }),
        Operator::Densify => Err(message!("what is sparse is no constant of the file")),
        Operator::AddN => sum(call),
        _ => return None,
    })
}

fn unary_op(call: &Call<'_>) -> Option<(UnaryOp, f32, f32)> {
    let plain = |op| (op, 0.0, 0.0);
    Some(match call.op.operator {
        Operator::Relu => plain(UnaryOp::Relu),
        Operator::Relu6 => (UnaryOp::Clip, 0.0, 6.0),
        Operator::ReluN1To1 => (UnaryOp::Clip, -1.0, 1.0),
        Operator::Relu0To1 => (UnaryOp::Clip, 0.0, 1.0),
        Operator::LeakyRelu => {
            let alpha = call.float_attribute("alpha").unwrap_or_default();
            (UnaryOp::LeakyRelu, alpha, 0.0)
        }
        Operator::Elu => (UnaryOp::Elu, 1.0, 0.0),
        Operator::Sigmoid => plain(UnaryOp::Sigmoid),
        Operator::Tanh => plain(UnaryOp::Tanh),
        Operator::HardSwish => plain(UnaryOp::HardSwish),
        Operator::Exp => plain(UnaryOp::Exp),
        Operator::Log => plain(UnaryOp::Log),
        Operator::Sqrt => plain(UnaryOp::Sqrt),
        Operator::Rsqrt => plain(UnaryOp::Rsqrt),
        Operator::Abs => plain(UnaryOp::Abs),
        Operator::Neg => plain(UnaryOp::Neg),
        Operator::Sign => plain(UnaryOp::Sign),
        Operator::Square => plain(UnaryOp::Square),
        Operator::Sin => plain(UnaryOp::Sin),
        Operator::Cos => plain(UnaryOp::Cos),
        Operator::Floor => plain(UnaryOp::Floor),
        Operator::Ceil => plain(UnaryOp::Ceil),
        Operator::Round => plain(UnaryOp::Round),
        Operator::Gelu if call.op.int("approximate").unwrap_or_default() != 0 => {
            plain(UnaryOp::GeluTanh)
        }
        Operator::Gelu => plain(UnaryOp::Gelu),
        _ => return None,
    })
}

fn integer_of_one(call: &Call<'_>) -> Option<IntegerOp> {
    Some(match call.op.operator {
        Operator::Abs => IntegerOp::Abs,
        Operator::Neg => IntegerOp::Neg,
        Operator::Sign => IntegerOp::Sign,
        _ => return None,
    })
}

/// The function of two floats, and the same of two integers.
fn arithmetic(call: &Call<'_>) -> Option<(BinaryOp, IntegerOp)> {
    Some(match call.op.operator {
        Operator::Add => (BinaryOp::Add, IntegerOp::Add),
        Operator::Sub => (BinaryOp::Sub, IntegerOp::Sub),
        Operator::Mul => (BinaryOp::Mul, IntegerOp::Mul),
        Operator::Div => (BinaryOp::Div, IntegerOp::Div),
        Operator::Max => (BinaryOp::Max, IntegerOp::Max),
        Operator::Min => (BinaryOp::Min, IntegerOp::Min),
        Operator::SquaredDifference => (BinaryOp::SquaredDifference, IntegerOp::SquaredDifference),
        Operator::FloorDiv => (BinaryOp::FloorDiv, IntegerOp::FloorDiv),
        Operator::FloorMod => (BinaryOp::FloorMod, IntegerOp::FloorMod),
        _ => return None,
    })
}

fn comparison(call: &Call<'_>) -> Option<CompareOp> {
    Some(match call.op.operator {
        Operator::Equal => CompareOp::Equal,
        Operator::NotEqual => CompareOp::NotEqual,
        Operator::Less => CompareOp::Less,
        Operator::LessOrEqual => CompareOp::LessOrEqual,
        Operator::Greater => CompareOp::Greater,
        Operator::GreaterOrEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

fn fused(
    call: &Call<'_>,
    (real, whole): (BinaryOp, IntegerOp),
    a: &Operand,
    b: &Operand,
    y: &Operand,
) -> Result<Dispatch, Message> {
    let activation = Activation::tflite(call)?;
    if is_float(y.dtype) {
        return activated(real, activation, a, b, y);
    }
    if activation != Activation::NONE {
        return Err(message!("an activation on {}", y.dtype.name()));
    }
    integer(whole, a, b, y)
}

fn one(
    call: &Call<'_>,
    dispatch: impl Fn(&Operand, &Operand) -> Result<Dispatch, Message>,
) -> Dispatches {
    Ok(vec![dispatch(call.input(0)?, call.output(0)?)?])
}

fn two(
    call: &Call<'_>,
    dispatch: impl Fn(&Operand, &Operand, &Operand) -> Result<Dispatch, Message>,
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
    let rows = call.op.is(Operator::Select) && condition.dims.len() == 1 && y.dims.len() > 1;
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
