//! Variables behind handles: state that a run begins with as the file has it, and changes.

use planner::graph::Content;

use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::strided::copy;
use crate::recording::Operand;

/// The dispatches of a builtin on variables; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.kind.as_str() {
        "VAR_HANDLE" => Ok(Vec::new()),
        "CALL_ONCE" => once(call),
        "READ_VARIABLE" => moved(call.input(0), call.output(0)),
        "ASSIGN_VARIABLE" => moved(call.input(1), call.input(0)),
        _ => return None,
    })
}

fn moved(x: Result<&Operand, String>, y: Result<&Operand, String>) -> Dispatches {
    Ok(vec![copy(x?, y?)?])
}

/// What the subgraph assigns is there before the run; it must have been constants.
fn once(call: &Call<'_>) -> Dispatches {
    let makers = call.graph.ops.iter().filter(|op| op.kind == "VAR_HANDLE");
    let mut handles = makers.flat_map(|op| op.written());
    match handles.all(|handle| call.graph.tensor(handle).content != Content::None) {
        true => Ok(Vec::new()),
        false => Err("it assigns more than constants to variables".into()),
    }
}
