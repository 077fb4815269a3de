//! Which rule traces an operator, and the one for all that no other knows.

use super::tape::{Shape, Tape, Value};
use super::{Call, Made, elements, norms, products, reductions, views};
use crate::operators::{Family, Operator, Saves};
use crate::training::backward::saves::Operand;
use crate::training::joint::Class;

/// Traces `call`.
pub(super) fn rule(tape: &mut Tape, call: &Call<'_>) -> Made {
    let mut made = by_operator(tape, call).unwrap_or_else(|| opaque(tape, call));
    // What follows in the same operator of TFLite.
    let fused = |name: &str| call.op.text(name).is_some_and(|it| it != "NONE");
    if fused("fused_activation_function") || fused("fused_activation") {
        let output = made.outputs[0];
        let (after, onward) = elements::rectified(tape, output);
        made.outputs[0] = after;
        made.backward = made.backward.map(|before| -> super::Backward {
            Box::new(move |tape, given| {
                let mut given = given.to_vec();
                given[0] = given[0].map(|gradient| onward(tape, gradient));
                before(tape, &given)
            })
        });
    }
    made
}

fn by_operator(tape: &mut Tape, call: &Call<'_>) -> Option<Made> {
    let facts = call.op.facts();
    if !call.op.captures.is_empty() {
        return None;
    }
    match call.op.operator {
        Operator::MatMul | Operator::Gemm | Operator::FullyConnected | Operator::FusedMatMul => {
            products::product(tape, call)
        }
        Operator::Conv
        | Operator::ConvTranspose
        | Operator::DepthwiseConv2d
        | Operator::TransposeConv => products::convolution(tape, call),
        Operator::ScaledDotProductAttention | Operator::Attention => {
            products::attention(tape, call)
        }
        Operator::Softmax => norms::softmax(tape, call),
        Operator::LogSoftmax => norms::log_softmax(tape, call),
        Operator::LayerNormalization
        | Operator::GroupNormalization
        | Operator::InstanceNormalization => norms::layer_norm(tape, call),
        Operator::RMSNormalization => norms::rms_norm(tape, call),
        Operator::BatchNormalization => norms::batch_norm(tape, call),
        Operator::Dropout => elements::dropout(tape, call),
        Operator::ReduceMean | Operator::ReduceSum | Operator::GlobalAveragePool => {
            reductions::sum(tape, call)
        }
        Operator::ReduceMax | Operator::ReduceMin => reductions::extreme(tape, call),
        Operator::TopK => reductions::top(tape, call),
        Operator::MaxPool => reductions::max_pool(tape, call),
        Operator::Concat => views::concat(tape, call),
        _ if facts.view.is_some() => views::view(tape, call),
        _ if matches!(facts.family, Family::ElementWise(_)) => elements::element_wise(tape, call),
        _ => None,
    }
}

/// One node for what the operator computes and one for each gradient, which reads what autograd
/// saves of it.
fn opaque(tape: &mut Tape, call: &Call<'_>) -> Made {
    let facts = call.op.facts();
    let read: Vec<Value> = call.inputs.iter().copied().flatten().collect();
    let beside = facts.saves.beside();
    let bytes = beside.and_then(|it| it.bytes(call.graph, call.op, 1));
    let written = beside.is_some_and(|it| it.is_written()) && call.shapes.len() > 1;
    let beside = bytes.filter(|_| !written).map(|bytes| Shape {
        dims: vec![bytes],
        item: 1,
        each_sample: true,
    });
    let mut shapes = call.shapes.clone();
    shapes.extend(beside);
    let count = shapes.len();
    let outputs = match &shapes[..] {
        [only] => vec![tape.node(Class::Other, "result", &read, only.clone())],
        _ => {
            let several = tape.node(Class::Other, "results", &read, call.shape());
            tape.items(several, &shapes)
        }
    };
    tape.costs[outputs[0]] =
        crate::training::costs::flops(call.graph, call.op).saturating_mul(tape.batch);
    let after = match written {
        true => outputs[1..].to_vec(),
        false => outputs[call.shapes.len()..count].to_vec(),
    };
    let (inputs, wants, saves) = (call.inputs.clone(), call.wants.clone(), facts.saves);
    let operands: Vec<Vec<Operand>> = (0..inputs.len())
        .map(|place| match saves {
            // PyTorch reads all of what it does not know.
            Saves::Everything => {
                let all = (0..inputs.len()).map(Operand::Input);
                all.chain([Operand::Output]).collect()
            }
            _ => saves.reads(call.op, place),
        })
        .collect();
    let made = outputs.clone();
    let backward: super::Backward = Box::new(move |tape, given| {
        let mut found = vec![None; inputs.len()];
        for (place, input) in inputs.iter().enumerate() {
            let Some(input) = input.filter(|_| wants[place]) else {
                continue;
            };
            let mut read: Vec<Value> = given.iter().copied().flatten().collect();
            for operand in &operands[place] {
                match operand {
                    Operand::Input(at) => read.extend(inputs.get(*at).copied().flatten()),
                    Operand::Output => read.push(outputs[0]),
                    Operand::Beside => read.extend(&after),
                }
            }
            let shape = tape.shapes[input].clone();
            found[place] = Some(tape.node(Class::Other, "backward", &read, shape));
        }
        found
    });
    Made {
        outputs: made,
        backward: Some(backward),
    }
}
