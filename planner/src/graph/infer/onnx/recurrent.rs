//! Recurrent layers.

use crate::graph::infer::{Call, InferredOutput, Outputs};
use crate::message;
use crate::operators::Operator;

/// All hidden states, the last hidden state, and for LSTM the last cell state. With layout 0
/// the input is (length, batch, size), with layout 1 (batch, length, size).
pub(super) fn layer(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let &[first, second, _] = x.dims else {
        return Err(call.invalid(message!("an input of {}", format_args!("{:?}", x.dims))));
    };
    let &[directions, _, hidden] = call.dims(2)? else {
        return Err(call.invalid(message!("recurrent weights without three dimensions")));
    };
    let [all, last] = if call.flag("layout") {
        let all = vec![first, second, directions, hidden];
        [all, vec![first, directions, hidden]]
    } else {
        let all = vec![first, directions, second, hidden];
        [all, vec![directions, second, hidden]]
    };
    let mut made = vec![
        InferredOutput::new(x.dtype, all),
        InferredOutput::new(x.dtype, last),
    ];
    if call.op.is(Operator::Lstm) {
        made.push(made[1].clone());
    }
    Ok(made)
}
