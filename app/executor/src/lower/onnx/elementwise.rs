//! Functions of one or more elements at the same place.

use planner::graph::DType;
use planner::{Message, message};

pub(in crate::lower) use crate::lower::elementwise::{binary, unary};

use crate::elements::is_float;
use crate::kernels::{BinaryOp, CompareOp, IntegerOp, UnaryOp};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::elementwise::{activated, cast, compare, integer, power, rounded, select};
use crate::recording::{Dispatch, Operand};
use crate::small_floats::Rounding;
use planner::operators::Operator;

/// The dispatches of an element-wise operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    let of_integers = integer_op(call).filter(|_| !of_floats(call));
    if let Some(op) = of_integers {
        return Some(of_one_or_two(call, opset, op));
    }
    if let Some(op) = unary_op(call, call.op.operator) {
        return Some(unary_of(call, op));
    }
    if let Some(op) = binary_op(call) {
        let activation = match Activation::onnx(call) {
            Ok(activation) => activation,
            Err(reason) => return Some(Err(reason)),
        };
        return Some(two(call, opset, |a, b, y| {
            activated(op, activation, a, b, y)
        }));
    }
    if let Some(op) = compare_op(call) {
        return Some(comparison(call, opset, op));
    }
    Some(match call.op.operator {
        Operator::Pow => two(call, opset, power).map(|found| by_exponent(call, found)),
        Operator::Clip => clip(call, opset),
        Operator::Max => variadic(call, BinaryOp::Max, Some(IntegerOp::Max)),
        Operator::Min => variadic(call, BinaryOp::Min, Some(IntegerOp::Min)),
        Operator::Sum => variadic(call, BinaryOp::Add, None),
        Operator::Mean => mean(call),
        Operator::Where => chosen(call),
        Operator::Cast | Operator::CastLike => same(call),
        Operator::BiasGelu => biased(call, UnaryOp::Gelu),
        Operator::FastGelu => biased(call, UnaryOp::GeluTanh),
        _ => return None,
    })
}

/// Whether the first input holds floats, or there is none.
fn of_floats(call: &Call<'_>) -> bool {
    call.optional(0).is_none_or(|x| is_float(x.dtype))
}

/// The function of one f32 that operators of this kind are, with the parameters of this one.
pub(super) fn unary_op(call: &Call<'_>, operator: Operator) -> Option<(UnaryOp, f32, f32)> {
    let number = |name, default: f32| call.float_attribute(name).unwrap_or(default);
    let alpha = |default| number("alpha", default);
    let plain = |op| (op, 0.0, 0.0);
    Some(match operator {
        Operator::Relu => plain(UnaryOp::Relu),
        Operator::Sigmoid => plain(UnaryOp::Sigmoid),
        Operator::Tanh => plain(UnaryOp::Tanh),
        Operator::Exp => plain(UnaryOp::Exp),
        Operator::Log => plain(UnaryOp::Log),
        Operator::Sqrt => plain(UnaryOp::Sqrt),
        Operator::Reciprocal => plain(UnaryOp::Reciprocal),
        Operator::Abs => plain(UnaryOp::Abs),
        Operator::Neg => plain(UnaryOp::Neg),
        Operator::Floor => plain(UnaryOp::Floor),
        Operator::Ceil => plain(UnaryOp::Ceil),
        Operator::Erf => plain(UnaryOp::Erf),
        Operator::Gelu if call.op.text("approximate") == Some("tanh") => plain(UnaryOp::GeluTanh),
        Operator::Gelu => plain(UnaryOp::Gelu),
        Operator::QuickGelu => (UnaryOp::Swish, alpha(1.702), 0.0),
        Operator::LeakyRelu => (UnaryOp::LeakyRelu, alpha(0.01), 0.0),
        Operator::ThresholdedRelu => (UnaryOp::ThresholdedRelu, alpha(1.0), 0.0),
        Operator::Elu => (UnaryOp::Elu, alpha(1.0), 0.0),
        Operator::Celu => (UnaryOp::Celu, alpha(1.0), 0.0),
        Operator::Selu => (
            UnaryOp::Selu,
            alpha(1.673_263_2),
            number("gamma", 1.050_701),
        ),
        Operator::Shrink => (UnaryOp::Shrink, number("lambd", 0.5), number("bias", 0.0)),
        Operator::HardSigmoid => (UnaryOp::HardSigmoid, alpha(0.2), number("beta", 0.5)),
        Operator::HardSwish => plain(UnaryOp::HardSwish),
        Operator::Swish => (UnaryOp::Swish, alpha(1.0), 0.0),
        Operator::Softplus => plain(UnaryOp::Softplus),
        Operator::Softsign => plain(UnaryOp::Softsign),
        Operator::Sign => plain(UnaryOp::Sign),
        Operator::Round => plain(UnaryOp::Round),
        Operator::Sin => plain(UnaryOp::Sin),
        Operator::Cos => plain(UnaryOp::Cos),
        Operator::Tan => plain(UnaryOp::Tan),
        Operator::Mish => plain(UnaryOp::Mish),
        Operator::Asin => plain(UnaryOp::Asin),
        Operator::Acos => plain(UnaryOp::Acos),
        Operator::Atan => plain(UnaryOp::Atan),
        Operator::Sinh => plain(UnaryOp::Sinh),
        Operator::Cosh => plain(UnaryOp::Cosh),
        Operator::Asinh => plain(UnaryOp::Asinh),
        Operator::Acosh => plain(UnaryOp::Acosh),
        Operator::Atanh => plain(UnaryOp::Atanh),
        _ => return None,
    })
}

/// The function of two f32.
fn binary_op(call: &Call<'_>) -> Option<BinaryOp> {
    Some(match call.op.operator {
        Operator::Add => BinaryOp::Add,
        Operator::Sub => BinaryOp::Sub,
        Operator::Mul => BinaryOp::Mul,
        Operator::Div => BinaryOp::Div,
        Operator::PRelu => BinaryOp::PRelu,
        Operator::Mod if call.op.int("fmod").unwrap_or_default() != 0 => BinaryOp::Fmod,
        Operator::Mod => BinaryOp::FloorMod,
        _ => return None,
    })
}

/// The function of one or two integers.
fn integer_op(call: &Call<'_>) -> Option<IntegerOp> {
    Some(match call.op.operator {
        Operator::Add => IntegerOp::Add,
        Operator::Sub => IntegerOp::Sub,
        Operator::Mul => IntegerOp::Mul,
        Operator::Div => IntegerOp::Div,
        Operator::Mod if call.op.int("fmod").unwrap_or_default() != 0 => IntegerOp::Fmod,
        Operator::Mod => IntegerOp::FloorMod,
        Operator::And | Operator::BitwiseAnd => IntegerOp::And,
        Operator::Or | Operator::BitwiseOr => IntegerOp::Or,
        Operator::Xor | Operator::BitwiseXor => IntegerOp::Xor,
        Operator::Neg => IntegerOp::Neg,
        Operator::Abs => IntegerOp::Abs,
        Operator::Sign => IntegerOp::Sign,
        Operator::Not => IntegerOp::Not,
        Operator::BitwiseNot => IntegerOp::BitwiseNot,
        Operator::BitShift if call.op.text("direction") == Some("LEFT") => IntegerOp::ShiftLeft,
        Operator::BitShift => IntegerOp::ShiftRight,
        _ => return None,
    })
}

fn compare_op(call: &Call<'_>) -> Option<CompareOp> {
    let detects = |name| call.op.int(name).unwrap_or(1) != 0;
    Some(match call.op.operator {
        Operator::Equal => CompareOp::Equal,
        Operator::Less => CompareOp::Less,
        Operator::LessOrEqual => CompareOp::LessOrEqual,
        Operator::Greater => CompareOp::Greater,
        Operator::GreaterOrEqual => CompareOp::GreaterOrEqual,
        Operator::IsNaN => CompareOp::IsNaN,
        Operator::IsInf => match (detects("detect_positive"), detects("detect_negative")) {
            (true, true) => CompareOp::IsInf,
            (true, false) => CompareOp::IsPositiveInf,
            (false, true) => CompareOp::IsNegativeInf,
            // Nothing is less than itself.
            (false, false) => CompareOp::Less,
        },
        _ => return None,
    })
}

fn unary_of(call: &Call<'_>, (op, alpha, beta): (UnaryOp, f32, f32)) -> Dispatches {
    let found = unary(op, alpha, beta, call.input(0)?, call.output(0)?)?;
    Ok(vec![found])
}

/// The only dispatch of an operator of two inputs. Before version 7, the second is stretched
/// from an axis on that the operator names; the slopes of PRelu from the channels on.
fn two(
    call: &Call<'_>,
    opset: u32,
    dispatch: impl Fn(&Operand, &Operand, &Operand) -> Result<Dispatch, Message>,
) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let named = match call.op.operator {
        Operator::PRelu if b.dims.len() == 1 && b.len() != 1 => Some(1),
        _ => call.op.int("axis"),
    };
    let Some(axis) = named.filter(|_| (1..7).contains(&opset)) else {
        return Ok(vec![dispatch(a, b, y)?]);
    };
    let rank = i64::try_from(a.dims.len()).unwrap_or_default();
    let axis = if axis < 0 {
        axis.saturating_add(rank)
    } else {
        axis
    };
    let trailing = usize::try_from(axis).ok();
    let trailing =
        trailing.and_then(|axis| a.dims.len().checked_sub(axis)?.checked_sub(b.dims.len()));
    let trailing = trailing.ok_or_else(|| {
        message!(
            "axis {} does not fit {}",
            axis,
            format_args!("{:?}", a.dims)
        )
    })?;
    let mut dims = b.dims.clone();
    dims.extend(std::iter::repeat_n(1, trailing));
    Ok(vec![dispatch(a, &b.viewed(dims), y)?])
}

fn of_one_or_two(call: &Call<'_>, opset: u32, op: IntegerOp) -> Dispatches {
    if call.op.inputs.len() == 1 {
        let x = call.input(0)?;
        return Ok(vec![integer(op, x, x, call.output(0)?)?]);
    }
    two(call, opset, |a, b, y| integer(op, a, b, y))
}

fn comparison(call: &Call<'_>, opset: u32, op: CompareOp) -> Dispatches {
    if call.op.inputs.len() == 1 {
        let x = call.input(0)?;
        return Ok(vec![compare(op, x, x, call.output(0)?)?]);
    }
    two(call, opset, |a, b, y| compare(op, a, b, y))
}

/// Powers with an exponent that is one known number are cheaper as what they are.
fn by_exponent(call: &Call<'_>, found: Vec<Dispatch>) -> Vec<Dispatch> {
    let (Ok(x), Ok(y)) = (call.input(0), call.output(0)) else {
        return found;
    };
    let op = match call.float(1) {
        Some(1.0) => UnaryOp::Identity,
        Some(2.0) => UnaryOp::Square,
        Some(0.5) => UnaryOp::Sqrt,
        Some(-1.0) => UnaryOp::Reciprocal,
        _ => return found,
    };
    match unary(op, 0.0, 0.0, x, y) {
        Ok(cheaper) if x.len() == y.len() => vec![cheaper],
        _ => found,
    }
}

/// Between two bounds, each of which may be left out. Those that are not known before the
/// run are operands.
fn clip(call: &Call<'_>, opset: u32) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let attributes = (1..11).contains(&opset);
    let known = |position: usize, name, open| match call.optional(position) {
        _ if attributes => Some(call.float_attribute(name).unwrap_or(open)),
        None => Some(open),
        Some(_) => call.float(position),
    };
    if let (Some(low), Some(high), DType::F32) = (
        known(1, "min", f32::MIN),
        known(2, "max", f32::MAX),
        x.dtype,
    ) {
        return Ok(vec![unary(UnaryOp::Clip, low, high, x, y)?]);
    }
    let bounds = [
        (1, BinaryOp::Max, IntegerOp::Max),
        (2, BinaryOp::Min, IntegerOp::Min),
    ];
    let mut found: Vec<Dispatch> = Vec::new();
    for (position, real, whole) in bounds {
        if let Some(bound) = call.optional(position) {
            let from = if found.is_empty() { x } else { y };
            found.push(match is_float(x.dtype) {
                true => binary(real, from, bound, y)?,
                false => integer(whole, from, bound, y)?,
            });
        }
    }
    if found.is_empty() {
        found.push(cast(x, y)?);
    }
    Ok(found)
}

/// One input after the other into the output, which has its full shape from the first
/// dispatch on; `whole` for integers, where they have a function of their own.
fn variadic(call: &Call<'_>, real: BinaryOp, whole: Option<IntegerOp>) -> Dispatches {
    let (first, y) = (call.input(0)?, call.output(0)?);
    let count = call.op.inputs.len();
    if count == 1 {
        return Ok(vec![cast(first, y)?]);
    }
    let mut found = Vec::with_capacity(count);
    for position in 1..count {
        let from = if found.is_empty() { first } else { y };
        let next = call.input(position)?;
        found.push(match whole.filter(|_| !is_float(y.dtype)) {
            Some(whole) => integer(whole, from, next, y)?,
            None => binary(real, from, next, y)?,
        });
    }
    Ok(found)
}

fn mean(call: &Call<'_>) -> Dispatches {
    let mut found = variadic(call, BinaryOp::Add, None)?;
    let y = call.output(0)?;
    if call.op.inputs.len() > 1 {
        #[expect(clippy::cast_precision_loss, reason = "there are not that many inputs")]
        let share = 1.0 / call.op.inputs.len() as f32;
        found.push(unary(UnaryOp::Affine, share, 0.0, y, y)?);
    }
    Ok(found)
}

fn chosen(call: &Call<'_>) -> Dispatches {
    let (condition, y) = (call.input(0)?, call.output(0)?);
    Ok(vec![select(condition, call.input(1)?, call.input(2)?, y)?])
}

fn same(call: &Call<'_>) -> Dispatches {
    let rounding = Rounding {
        saturate: call.op.int("saturate").unwrap_or(1) != 0,
        powers: match call.op.text("round_mode") {
            Some("nearest") => 0,
            Some("down") => 2,
            _ => 1,
        },
    };
    Ok(vec![rounded(call.input(0)?, call.output(0)?, rounding)?])
}

/// f(x + bias), where the bias may be left out.
fn biased(call: &Call<'_>, op: UnaryOp) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let Some(bias) = call.optional(1) else {
        return Ok(vec![unary(op, 0.0, 0.0, x, y)?]);
    };
    let sum = binary(BinaryOp::Add, x, bias, y)?;
    Ok(vec![sum, unary(op, 0.0, 0.0, y, y)?])
}
