//! Steps of optimizers: operators of the domain ai.onnx.preview.training.

use planner::graph::DType;
use planner::{Message, message};

use crate::kernels::{Kernel, OptimizerOp, TrainingStepParams, grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// What is trained, and its first and its second moment, as the shader numbers them.
const TRAINED: u32 = 1;
const FIRST: u32 = 2;
const SECOND: u32 = 3;

/// The dispatches of an optimizer; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let nesterov = call.op.text("mode") == Some("nesterov");
    Some(match call.op.operator {
        Operator::Adam => step(call, OptimizerOp::Adam, &[FIRST, SECOND]),
        Operator::Adagrad => step(call, OptimizerOp::Adagrad, &[SECOND]),
        Operator::Momentum if nesterov => step(call, OptimizerOp::Nesterov, &[FIRST]),
        Operator::Momentum => step(call, OptimizerOp::Momentum, &[FIRST]),
        _ => return None,
    })
}

/// Rate and number of steps come first, then all that is trained, all gradients, and all moments
/// of each kind; the outputs are all that is trained, and all moments.
fn step(call: &Call<'_>, op: OptimizerOp, moments: &[u32]) -> Dispatches {
    let (rate, before) = (call.input(0)?, call.input(1)?);
    if before.dtype != DType::I64 {
        return Err(message!("{} is {}", before.name, before.dtype.name()));
    }
    all_floats([rate])?;
    let count = (call.op.inputs.len() - 2) / (2 + moments.len());
    let mut found = Vec::new();
    for at in 0..count {
        let x = call.input(2 + at)?;
        let mut inputs = [rate, before, x, call.input(2 + count + at)?, x, x];
        let mut outputs = vec![(TRAINED, call.outputs.get(at))];
        for (kind, &moment) in moments.iter().enumerate() {
            inputs[2 + moment as usize] = call.input(2 + count * (2 + kind) + at)?;
            outputs.push((moment, call.outputs.get(count * (1 + kind) + at)));
        }
        let wanted = outputs.into_iter();
        let wanted = wanted.filter_map(|(role, y)| Some((role, y?.as_ref()?)));
        let wanted: Vec<(u32, &Operand)> = wanted.collect();
        // A dispatch writes two outputs.
        for pair in wanted.chunks(2) {
            found.push(dispatch(call, op, inputs, pair)?);
        }
    }
    Ok(found)
}

fn dispatch(
    call: &Call<'_>,
    op: OptimizerOp,
    inputs: [&Operand; 6],
    outputs: &[(u32, &Operand)],
) -> Result<Dispatch, Message> {
    let x = inputs[2];
    let number = |name, usual| call.float_attribute(name).unwrap_or(usual);
    let params = TrainingStepParams {
        count: x.len(),
        alpha: match op {
            OptimizerOp::Adagrad => number("decay_factor", 0.0),
            _ => number("alpha", 0.9),
        },
        beta: number("beta", 0.999),
        epsilon: number("epsilon", 1e-6),
        norm: number("norm_coefficient", 0.0),
        norm_after: number("norm_coefficient_post", 0.0),
    };
    let written = outputs.iter().map(|(_, y)| *y);
    for other in inputs[2..].iter().copied().chain(written) {
        all_floats([other])?;
        if other.len() != x.len() {
            return Err(message!(
                "{} has not as many elements as {}",
                other.name,
                x.name
            ));
        }
    }
    let mut made = Dispatch::new(Kernel::TrainingStep, &params, grid(x.len()))
        .reads(inputs)
        .constant("OP", op.code());
    for ((role, y), name) in outputs.iter().zip(["ROLE0", "ROLE1"]) {
        made = made.writes(y).constant(name, *role);
    }
    Ok(made)
}
