//! Operators that compute.

use super::{broadcast_index, coordinates, strides};
use crate::graph::DType;
use crate::graph::infer::onnx::reduced_axes;
use crate::graph::infer::value::float;
use crate::graph::infer::{Call, Elements, Value, call};
use crate::operators::Operator;

/// One element: an integer or a float.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    Int(i64),
    Float(f64),
}

impl Value {
    fn get(&self, index: usize) -> Option<Scalar> {
        match &self.elements {
            Elements::Ints(x) => x.get(index).copied().map(Scalar::Int),
            Elements::Floats(x) => x.get(index).copied().map(Scalar::Float),
        }
    }
}

/// All of one operator, or nothing.
fn collect(scalars: impl Iterator<Item = Option<Scalar>>) -> Option<Elements> {
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    for scalar in scalars {
        match scalar? {
            Scalar::Int(x) => ints.push(x),
            Scalar::Float(x) => floats.push(x),
        }
    }
    match (ints.is_empty(), floats.is_empty()) {
        (_, true) => Some(Elements::Ints(ints)),
        (true, false) => Some(Elements::Floats(floats)),
        (false, false) => None,
    }
}

/// Operators of one input.
pub(super) fn unary(operator: Operator, x: &Value) -> Option<Elements> {
    let apply = |scalar| {
        Some(match (operator, scalar) {
            (Operator::Neg, Scalar::Int(x)) => Scalar::Int(x.checked_neg()?),
            (Operator::Neg, Scalar::Float(x)) => Scalar::Float(-x),
            (Operator::Abs, Scalar::Int(x)) => Scalar::Int(x.checked_abs()?),
            (Operator::Abs, Scalar::Float(x)) => Scalar::Float(x.abs()),
            (Operator::Sign, Scalar::Int(x)) => Scalar::Int(x.signum()),
            (Operator::Not, Scalar::Int(x)) => Scalar::Int(i64::from(x == 0)),
            (Operator::Floor, Scalar::Float(x)) => Scalar::Float(x.floor()),
            (Operator::Ceil, Scalar::Float(x)) => Scalar::Float(x.ceil()),
            // Halves go to the even neighbour.
            (Operator::Round, Scalar::Float(x)) => Scalar::Float(x.round_ties_even()),
            (Operator::Sqrt, Scalar::Float(x)) => Scalar::Float(x.sqrt()),
            (Operator::Reciprocal, Scalar::Float(x)) => Scalar::Float(1.0 / x),
            (Operator::Relu, Scalar::Int(x)) => Scalar::Int(x.max(0)),
            (Operator::Relu, Scalar::Float(x)) => Scalar::Float(x.max(0.0)),
            // One input: nothing to combine.
            (Operator::Sum | Operator::Max | Operator::Min, scalar) => scalar,
            _ => return None,
        })
    };
    collect((0..x.len()).map(|index| apply(x.get(index)?)))
}

/// Operators of two or more inputs of one element type, from left to right.
pub(super) fn fold(operator: Operator, call: &Call<'_>, dims: &[u64]) -> Option<Elements> {
    let variadic = matches!(operator, Operator::Sum | Operator::Max | Operator::Min);
    if !variadic && call.inputs.len() != 2 {
        return None;
    }
    let element = |flat| {
        let at = coordinates(flat, dims);
        let mut inputs = call.inputs.iter().map(|input| {
            let value = input.as_ref()?.value?;
            value.get(broadcast_index(&at, &value.dims)?)
        });
        let first = inputs.next()??;
        let fmod = call.flag("fmod");
        inputs.try_fold(first, |a, b| binary(operator, a, b?, fmod))
    };
    collect((0..call::count(dims)?).map(element))
}

fn binary(operator: Operator, a: Scalar, b: Scalar, fmod: bool) -> Option<Scalar> {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => int_binary(operator, a, b, fmod).map(Scalar::Int),
        (Scalar::Float(a), Scalar::Float(b)) => float_binary(operator, a, b),
        // Only the exponent may be of another type than the base.
        (Scalar::Float(a), Scalar::Int(b)) if operator == Operator::Pow => {
            float_binary(operator, a, float(b))
        }
        _ => None,
    }
}

/// Division truncates towards zero; the remainder has the sign of the divisor, or of the
/// dividend with `fmod`.
fn int_binary(operator: Operator, a: i64, b: i64, fmod: bool) -> Option<i64> {
    Some(match operator {
        Operator::Add | Operator::Sum => a.checked_add(b)?,
        Operator::Sub => a.checked_sub(b)?,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Mod => {
            let rest = a.checked_rem(b)?;
            let crossed = rest != 0 && (rest < 0) != (b < 0);
            if crossed && !fmod {
                rest.checked_add(b)?
            } else {
                rest
            }
        }
        Operator::Pow => a.checked_pow(u32::try_from(b).ok()?)?,
        Operator::Max => a.max(b),
        Operator::Min => a.min(b),
        Operator::Equal => i64::from(a == b),
        Operator::Greater => i64::from(a > b),
        Operator::GreaterOrEqual => i64::from(a >= b),
        Operator::Less => i64::from(a < b),
        Operator::LessOrEqual => i64::from(a <= b),
        Operator::And => i64::from(a != 0 && b != 0),
        Operator::Or => i64::from(a != 0 || b != 0),
        Operator::Xor => i64::from((a != 0) != (b != 0)),
        _ => return None,
    })
}

#[expect(clippy::float_cmp, reason = "the operator Equal compares exactly")]
fn float_binary(operator: Operator, a: f64, b: f64) -> Option<Scalar> {
    let number = match operator {
        Operator::Add | Operator::Sum => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        Operator::Max => a.max(b),
        Operator::Min => a.min(b),
        // Only whole exponents: they are multiplied out the same way everywhere.
        Operator::Pow if b.fract() == 0.0 && b.abs() <= 64.0 => {
            #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
            let exponent = b as i32;
            a.powi(exponent)
        }
        _ => {
            let truth = match operator {
                Operator::Equal => a == b,
                Operator::Greater => a > b,
                Operator::GreaterOrEqual => a >= b,
                Operator::Less => a < b,
                Operator::LessOrEqual => a <= b,
                _ => return None,
            };
            return Some(Scalar::Int(i64::from(truth)));
        }
    };
    Some(Scalar::Float(number))
}

/// Where: the second input where the first is true, else the third.
pub(super) fn choose(call: &Call<'_>, dims: &[u64]) -> Option<Elements> {
    let element = |flat| {
        let at = coordinates(flat, dims);
        let get = |index: usize| {
            let value = call.input(index)?.value?;
            value.get(broadcast_index(&at, &value.dims)?)
        };
        match get(0)? {
            Scalar::Int(0) => get(2),
            Scalar::Int(_) => get(1),
            Scalar::Float(_) => None,
        }
    };
    collect((0..call::count(dims)?).map(element))
}

/// Floats lose their fraction; integers must fit.
pub(in crate::graph::infer) fn cast(x: &Value, to: DType) -> Option<Elements> {
    let range: (i64, i64) = match to {
        DType::F64 | DType::F32 => return Some(Elements::Floats(x.to_floats())),
        DType::Bool => {
            let truth = |index| match x.get(index)? {
                Scalar::Int(x) => Some(Scalar::Int(i64::from(x != 0))),
                Scalar::Float(x) => Some(Scalar::Int(i64::from(x != 0.0))),
            };
            return collect((0..x.len()).map(truth));
        }
        DType::I64 => (i64::MIN, i64::MAX),
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::U64 => (0, i64::MAX),
        DType::U32 => (0, u32::MAX.into()),
        DType::U16 => (0, u16::MAX.into()),
        DType::U8 => (0, u8::MAX.into()),
        _ => return None,
    };
    let fits = |x: i64| (range.0..=range.1).contains(&x).then_some(Scalar::Int(x));
    let element = |index| match x.get(index)? {
        Scalar::Int(x) => fits(x),
        Scalar::Float(x) if x.abs() < 9e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
            let whole = x.trunc() as i64;
            fits(whole)
        }
        Scalar::Float(_) => None,
    };
    collect((0..x.len()).map(element))
}

/// Sums, products, extremes and means over axes.
pub(super) fn reduce(call: &Call<'_>, x: &Value, dims: &[u64]) -> Option<Elements> {
    let axes = reduced_axes(call).ok()?;
    let operator = match call.op.operator {
        Operator::ReduceSum | Operator::ReduceMean => Operator::Add,
        Operator::ReduceProd => Operator::Mul,
        Operator::ReduceMax => Operator::Max,
        Operator::ReduceMin => Operator::Min,
        _ => return None,
    };
    // Distances in the output, with the reduced axes kept as 1.
    let kept = |(axis, &dim): (usize, &u64)| if axes.contains(&axis) { 1 } else { dim };
    let kept: Vec<u64> = x.dims.iter().enumerate().map(kept).collect();
    let steps = strides(&kept);
    let count = usize::try_from(call::count(dims)?).ok()?;
    let mut sums: Vec<Option<Scalar>> = vec![None; count];
    for index in 0..x.len() {
        let at = coordinates(index as u64, &x.dims);
        let places = at.iter().zip(&kept).zip(&steps);
        let place: u64 = places.map(|((at, dim), step)| (at % dim) * step).sum();
        let sum = sums.get_mut(usize::try_from(place).ok()?)?;
        let next = x.get(index)?;
        *sum = Some(match *sum {
            Some(sum) => binary(operator, sum, next, false)?,
            None => next,
        });
    }
    if call.op.is(Operator::ReduceMean) {
        let each = i64::try_from(x.len().checked_div(count)?).ok()?;
        let mean = |sum: Option<Scalar>| match sum? {
            Scalar::Int(sum) => Some(Scalar::Int(sum.checked_div(each)?)),
            Scalar::Float(sum) => Some(Scalar::Float(sum / float(each))),
        };
        return collect(sums.into_iter().map(mean));
    }
    collect(sums.into_iter())
}

/// CumSum of a vector, in its plain form.
pub(super) fn running_sum(call: &Call<'_>, x: &Value) -> Option<Elements> {
    if x.dims.len() != 1 || call.flag("exclusive") || call.flag("reverse") {
        return None;
    }
    let mut sum = 0_i64;
    let next = |&x: &i64| {
        sum = sum.checked_add(x)?;
        Some(sum)
    };
    let sums: Option<Vec<i64>> = x.as_ints()?.iter().map(next).collect();
    sums.map(Elements::Ints)
}
