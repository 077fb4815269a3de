//! The elements of small integer tensors: what shape arithmetic is made of.

use super::slices::{Pick, strided};
use super::{Call, ints};
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Elements, MAX_ELEMENTS, Value};
use crate::operators::Operator;

/// The elements of the only output, of dimensions `dims`, if they are few and known.
pub(super) fn value(call: &Call<'_>, dims: &[u64]) -> Option<Value> {
    let count = dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim))?;
    if count > MAX_ELEMENTS {
        return None;
    }
    let elements = elements(call, usize::try_from(count).ok()?)?;
    (elements.len() as u64 == count).then(|| Value {
        dims: dims.to_vec(),
        elements: Elements::Ints(elements),
    })
}

fn elements(call: &Call<'_>, count: usize) -> Option<Vec<i64>> {
    let known = |index| ints(call, index).ok();
    let dims = call
        .inputs
        .first()
        .copied()
        .flatten()
        .map(|input| input.dims);
    match call.op.operator {
        Operator::Shape => dims?.iter().map(|&dim| i64::try_from(dim).ok()).collect(),
        Operator::Rank => Some(vec![i64::try_from(dims?.len()).ok()?]),
        Operator::Reshape | Operator::Squeeze | Operator::Unsqueeze | Operator::Cast => {
            known(0).map(<[i64]>::to_vec)
        }
        Operator::Fill => Some(vec![*known(1)?.first()?; count]),
        Operator::Range => {
            let (start, delta) = (*known(0)?.first()?, *known(2)?.first()?);
            let at = |index| {
                delta
                    .checked_mul(i64::try_from(index).ok()?)?
                    .checked_add(start)
            };
            (0..count).map(at).collect()
        }
        // Scalars in a row and vectors end to end: elements keep the order of the operands.
        Operator::Pack if dims?.is_empty() => joined(call),
        Operator::Concat if dims?.len() == 1 => joined(call),
        Operator::StridedSlice if dims?.len() == 1 => take(known(0)?, &strided(call).ok()?),
        Operator::Slice if dims?.len() == 1 => {
            let begin = usize::try_from(*known(1)?.first()?).ok()?;
            let end = begin.checked_add(count)?;
            known(0)?.get(begin..end).map(<[i64]>::to_vec)
        }
        Operator::Gather if dims?.len() == 1 => {
            let table = known(0)?;
            let one = |&index: &i64| table.get(usize::try_from(index).ok()?).copied();
            known(1)?.iter().map(one).collect()
        }
        Operator::ReduceProd if count == 1 => {
            let product = known(0)?.iter().try_fold(1_i64, |n, &x| n.checked_mul(x));
            product.map(|product| vec![product])
        }
        Operator::ReduceSum if count == 1 => {
            let sum = known(0)?.iter().try_fold(0_i64, |n, &x| n.checked_add(x));
            sum.map(|sum| vec![sum])
        }
        Operator::Not => Some(known(0)?.iter().map(|&x| i64::from(x == 0)).collect()),
        Operator::BroadcastArgs => broadcast(known(0)?, known(1)?),
        operator => pairwise(operation(operator)?, known(0)?, known(1)?, count),
    }
}

fn joined(call: &Call<'_>) -> Option<Vec<i64>> {
    let mut all = Vec::new();
    for index in 0..call.inputs.len() {
        all.extend_from_slice(ints(call, index).ok()?);
    }
    Some(all)
}

type Operation = fn(i64, i64) -> Option<i64>;

fn operation(operator: Operator) -> Option<Operation> {
    Some(match operator {
        Operator::Add => i64::checked_add,
        Operator::Sub => i64::checked_sub,
        Operator::Mul => i64::checked_mul,
        // Integer division truncates, as the kernel's does.
        Operator::Div => i64::checked_div,
        Operator::FloorDiv => |x, y| {
            let (quotient, rest) = (x.checked_div(y)?, x.checked_rem(y)?);
            Some(if rest != 0 && (rest < 0) != (y < 0) {
                quotient - 1
            } else {
                quotient
            })
        },
        Operator::FloorMod => |x, y| {
            let rest = x.checked_rem(y)?;
            Some(if rest != 0 && (rest < 0) != (y < 0) {
                rest + y
            } else {
                rest
            })
        },
        Operator::Max => |x, y| Some(x.max(y)),
        Operator::Min => |x, y| Some(x.min(y)),
        Operator::Less => |x, y| Some(i64::from(x < y)),
        Operator::LessOrEqual => |x, y| Some(i64::from(x <= y)),
        Operator::Greater => |x, y| Some(i64::from(x > y)),
        Operator::GreaterOrEqual => |x, y| Some(i64::from(x >= y)),
        Operator::Equal => |x, y| Some(i64::from(x == y)),
        Operator::NotEqual => |x, y| Some(i64::from(x != y)),
        Operator::And => |x, y| Some(i64::from(x != 0 && y != 0)),
        Operator::Or => |x, y| Some(i64::from(x != 0 || y != 0)),
        _ => return None,
    })
}

/// Equally many elements, or one with many: broadcasting beyond that is no shape arithmetic.
fn pairwise(operation: Operation, x: &[i64], y: &[i64], count: usize) -> Option<Vec<i64>> {
    let at = |all: &[i64], index: usize| match all.len() {
        1 => all.first().copied(),
        len if len == count => all.get(index).copied(),
        _ => None,
    };
    let one = |index| operation(at(x, index)?, at(y, index)?);
    (0..count).map(one).collect()
}

/// The elements of a vector that a strided slice takes.
fn take(elements: &[i64], picks: &[Pick]) -> Option<Vec<i64>> {
    let mut picks = picks.iter().filter(|pick| !matches!(pick, Pick::New));
    let at = |index: i64| elements.get(usize::try_from(index).ok()?).copied();
    match *picks.next()? {
        Pick::One(index) => Some(vec![at(index)?]),
        Pick::Many {
            begin,
            stride,
            count,
        } => {
            let index = |n: u64| {
                stride
                    .checked_mul(i64::try_from(n).ok()?)?
                    .checked_add(begin)
            };
            (0..count).map(|n| at(index(n)?)).collect()
        }
        Pick::New => None,
    }
}
