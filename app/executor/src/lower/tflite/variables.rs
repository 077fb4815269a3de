//! Variables behind handles: state that a run begins with as the file has it, and changes.

use planner::graph::Content;
use planner::{Message, message};

use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::strided::copy;
use crate::recording::Operand;
use planner::operators::Operator;

/// The dispatches of a builtin on variables; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::VarHandle => Ok(Vec::new()),
        Operator::CallOnce => once(call),
        Operator::ReadVariable => moved(call.input(0), call.output(0)),
        Operator::AssignVariable => moved(call.input(1), call.input(0)),
        _ => return None,
    })
}

fn moved(x: Result<&Operand, Message>, y: Result<&Operand, Message>) -> Dispatches {
    Ok(vec![copy(x?, y?)?])
}

/// What the subgraph assigns is there before the run; it must have been constants.
fn once(call: &Call<'_>) -> Dispatches {
    let makers = call
        .graph
        .ops
        .iter()
        .filter(|op| op.is(Operator::VarHandle));
    let mut handles = makers.flat_map(|op| op.written());
    match handles.all(|handle| call.graph.tensor(handle).content != Content::None) {
        true => Ok(Vec::new()),
        false => Err(message!("it assigns more than constants to variables")),
    }
}
