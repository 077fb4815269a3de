//! What operators give at most of which only a run finds how much it is.

use super::{Call, count, dims, input, invalid};
use crate::graph::infer::counted::{Form, of};
use crate::graph::infer::{InferredOutput, Unsized};
use crate::message;
use crate::operators::Operator;

/// What the operator gives at most; `None` for one that is not counted.
pub(in crate::graph::infer) fn form(call: &Call<'_>) -> Result<Option<Form>, Unsized> {
    let made = |dims: Vec<u64>| InferredOutput::new(None, dims);
    let form = match call.op.operator {
        // The places of what is not zero: a row of as many indices as there are dimensions.
        Operator::TfliteWhere => {
            let x = dims(call, 0)?;
            let most = count(call, x)?;
            of(most, [made(vec![most, x.len() as u64])], 0)
        }
        // The elements of a vector, each once, and which of them each element is.
        Operator::TfliteUnique => {
            let &[most] = dims(call, 0)? else {
                return Err(invalid(call, message!("what it reads is no vector")));
            };
            Form {
                most: Some(most),
                outputs: vec![made(vec![most]), made(vec![most])],
                places: vec![(0, 0)],
            }
        }
        // A sum of rows for each segment: their numbers count up from 0.
        Operator::SegmentSum => {
            let rows = dims(call, 0)?;
            let Some(&most) = rows.first() else {
                return Err(invalid(call, message!("the operand is a scalar")));
            };
            of(most, [made(rows.to_vec())], 0)
        }
        Operator::TopK => {
            let x = dims(call, 0)?;
            let last = x.len().checked_sub(1);
            let last = last.ok_or_else(|| invalid(call, message!("the operand is a scalar")))?;
            of(x[last], [made(x.to_vec()), made(x.to_vec())], last)
        }
        Operator::NonMaxSuppressionV4 => suppressed(call, 1)?,
        Operator::NonMaxSuppressionV5 => suppressed(call, 2)?,
        _ => return Ok(None),
    };
    Ok(Some(form))
}

/// As many lists as `lists` of a length that is computed, and how many of their elements are
/// boxes: behind them are zeros. The length may be more than there are boxes.
fn suppressed(call: &Call<'_>, lists: usize) -> Result<Form, Unsized> {
    input(call, 0)?;
    let mut outputs = vec![InferredOutput::new(None, vec![0]); lists];
    outputs.push(InferredOutput::new(None, Vec::new()));
    Ok(Form {
        most: None,
        outputs,
        places: (0..lists).map(|list| (list, 0)).collect(),
    })
}
