//! Losses of scores of classes: `NegativeLogLikelihoodLoss` and `SoftmaxCrossEntropyLoss`.

use planner::graph::DType;
use planner::{Message, message};

use crate::kernels::{ClassLossParams, Kernel, LossReduction, grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::rows::softmax;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of a loss; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::NegativeLogLikelihoodLoss => {
            call.unless_empty(|call| loss(call, call.input(0)?, false, call.output(0)?))
        }
        Operator::SoftmaxCrossEntropyLoss => cross_entropy(call),
        _ => return None,
    })
}

/// The logarithms of probabilities are an output of their own, where one asks for them.
fn cross_entropy(call: &Call<'_>) -> Dispatches {
    let x = call.input(0)?;
    let mut found = Vec::new();
    let logs = call.outputs.get(1).and_then(Option::as_ref);
    if let Some(logs) = logs.filter(|it| !it.is_empty()) {
        let along: Vec<bool> = (0..x.dims.len()).map(|axis| axis == 1).collect();
        found.push(softmax(true, 1.0, x, &along, logs)?);
    }
    if let Some(y) = call.outputs.first().and_then(Option::as_ref) {
        // Narrow floats would be rounded twice.
        let ready = logs.filter(|it| it.dtype == DType::F32 && it.dims == x.dims);
        found.push(match ready {
            Some(logs) => loss(call, logs, false, y)?,
            None => loss(call, x, true, y)?,
        });
    }
    Ok(found)
}

/// The loss of scores x, which are logarithms of probabilities before or after a softmax.
fn loss(call: &Call<'_>, x: &Operand, softmax: bool, y: &Operand) -> Result<Dispatch, Message> {
    let (targets, weights) = (call.input(1)?, call.optional(2));
    all_floats([x, y].into_iter().chain(weights))?;
    let index_words: u32 = match targets.dtype {
        DType::I32 => 1,
        DType::I64 => 2,
        other => return Err(message!("indices of type {} are not read", other.name())),
    };
    let reduce = match call.op.text("reduction").unwrap_or("mean") {
        "none" => LossReduction::None,
        "mean" => LossReduction::Mean,
        "sum" => LossReduction::Sum,
        other => return Err(message!("there is no kernel for its reduction {}", other)),
    };
    let [batch, classes, spatial @ ..] = x.dims.as_slice() else {
        return Err(message!("its shapes do not fit"));
    };
    let each = reduce == LossReduction::None;
    let fits = targets.dims.split_first() == Some((batch, spatial))
        && *classes > 0
        && y.len() == if each { targets.len() } else { 1 }
        && weights.is_none_or(|it| it.len() == *classes);
    if !fits {
        return Err(message!("its shapes do not fit"));
    }
    let ignored = call.op.int("ignore_index");
    let params = ClassLossParams {
        count: targets.len(),
        classes: *classes,
        inner: spatial.iter().product(),
        ignored: i32::try_from(ignored.unwrap_or_default()).unwrap_or(i32::MIN),
    };
    let threads = if each { grid(targets.len()) } else { [1; 3] };
    // Where there are no weights another stands, which is not read.
    Ok(Dispatch::new(Kernel::ClassLoss, &params, threads)
        .reads([x, targets, weights.unwrap_or(x)])
        .writes(y)
        .constant("INDEX_WORDS", index_words)
        .constant("IGNORE", u32::from(ignored.is_some()))
        .constant("WEIGHTS", u32::from(weights.is_some()))
        .constant("SOFTMAX", u32::from(softmax))
        .constant("REDUCE", reduce.code()))
}
