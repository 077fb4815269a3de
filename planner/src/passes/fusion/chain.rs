//! Chains: operators of which each works in place on what the one before it wrote, so that all
//! of them can run in the bytes of the last result.

use super::{Group, Matcher, activation};
use crate::graph::{DType, OpId, TensorId};
use crate::operators::Operator;
use crate::passes::Finding;
use crate::passes::operators::{Family, family};
use crate::{Message, message};

/// Most operators of a group: a kernel reads at most so many tensors.
const MOST: usize = 24;

/// Convolutions that a chain may begin with.
const WINDOWS: [Operator; 3] = [
    Operator::Conv,
    Operator::ConvTranspose,
    Operator::DepthwiseConv2d,
];

/// The longest chain that ends with `last`.
pub(super) fn group(matcher: &mut Matcher<'_>, last: OpId) -> Option<Group> {
    let y = matcher.result(last)?;
    if !goes_on(matcher, last) {
        return None;
    }
    let mut ops = vec![last];
    let mut first = last;
    let mut anchored = false;
    while !anchored && ops.len() < MOST {
        let Some((writers, begins)) = before(matcher, first, y) else {
            break;
        };
        ops.extend(writers.iter().copied());
        first = *writers.last()?;
        anchored = begins;
    }
    ops.sort_unstable();
    (ops.len() > 1).then(|| Group {
        pattern: name(matcher, &ops, anchored),
        ops,
    })
}

/// Whether `op` can go on where another stopped: in the bytes of its input.
fn goes_on(matcher: &Matcher<'_>, op: OpId) -> bool {
    if matcher.only_activations {
        return matcher.is(op, &[Operator::Relu, Operator::Clip]);
    }
    let known = matcher.graph.op(op);
    let floats = matcher.result(op).map(|y| matcher.graph.tensor(y).dtype) == Some(DType::F32);
    let in_place = match family(known) {
        Family::ElementWise(_) => true,
        Family::Rows => is_softmax(matcher, op),
        _ => false,
    };
    floats && in_place && known.fused.is_none()
}

/// Whether a chain may begin with `op`, an operator that does not work in place.
fn begins(matcher: &Matcher<'_>, op: OpId, next: OpId) -> bool {
    if matcher.only_activations {
        return activation::attributes(matcher.graph, (op, next), matcher.values).is_some();
    }
    let products = [Operator::Gemm, Operator::MatMul, Operator::FullyConnected];
    matcher.is(op, &WINDOWS) || matcher.is(op, &products)
}

/// Whether it is a softmax, of ONNX also its logarithm.
fn is_softmax(matcher: &Matcher<'_>, op: OpId) -> bool {
    matcher.is(op, &[Operator::Softmax]) || matcher.is_onnx(op, &[Operator::LogSoftmax])
}

/// The operators that write what `op` goes on with, the earliest last, and whether the chain
/// begins there.
fn before(matcher: &mut Matcher<'_>, op: OpId, y: TensorId) -> Option<(Vec<OpId>, bool)> {
    if let Some(found) = before_swish(matcher, op, y) {
        return Some(found);
    }
    let mut candidates: Vec<(OpId, bool)> = Vec::new();
    let mut refused: Vec<(OpId, TensorId, crate::passes::Reason)> = Vec::new();
    let inputs: Vec<TensorId> = carried(matcher, op);
    for &t in &inputs {
        if !alike(matcher, t, y) {
            continue;
        }
        let fits = |writer: OpId| {
            let anchor = begins(matcher, writer, op);
            (anchor || !matcher.only_activations && goes_on(matcher, writer)).then_some(anchor)
        };
        match matcher.writer(t, &[op]) {
            Ok(writer) => candidates.extend(fits(writer).map(|anchor| (writer, anchor))),
            Err(Some(reason)) => {
                let writer = matcher.producers[t.index()];
                let writer = writer.filter(|writer| fits(*writer).is_some());
                refused.extend(writer.map(|writer| (writer, t, reason)));
            }
            Err(None) => {}
        }
    }
    // Of several the last one: what the others write is there already.
    let best = candidates.into_iter().max_by_key(|(writer, _)| *writer);
    if best.is_none() {
        for (writer, tensor, reason) in refused {
            matcher.refused.push(Finding {
                what: name(matcher, &[writer, op], begins(matcher, writer, op)),
                ops: vec![writer, op],
                tensors: vec![tensor],
                refused: Some(reason),
            });
        }
    }
    best.map(|(writer, anchor)| (vec![writer], anchor))
}

/// The inputs of `op` in whose bytes it could work.
fn carried(matcher: &Matcher<'_>, op: OpId) -> Vec<TensorId> {
    let known = matcher.graph.op(op);
    let count = match family(known) {
        Family::ElementWise(count) => count,
        _ => 1,
    };
    let mut inputs: Vec<TensorId> = known.inputs.iter().take(count).copied().flatten().collect();
    inputs.retain(|id| !matcher.is_constant(*id));
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// x · sigmoid(x) with an x that nobody else reads: it is one function, so that x may be what
/// the chain carries although two operators read it.
fn before_swish(matcher: &Matcher<'_>, op: OpId, y: TensorId) -> Option<(Vec<OpId>, bool)> {
    if matcher.only_activations {
        return None;
    }
    let (x, sigmoid) = swish(matcher, op)?;
    let writer = matcher.writer(x, &[op, sigmoid]).ok()?;
    let anchor = begins(matcher, writer, sigmoid);
    let fits = alike(matcher, x, y) && (anchor || goes_on(matcher, writer));
    fits.then(|| (vec![sigmoid, writer], anchor))
}

/// The x and the sigmoid of `op`, if that is x · sigmoid(x).
pub(super) fn swish(matcher: &Matcher<'_>, op: OpId) -> Option<(TensorId, OpId)> {
    if !matcher.is_onnx(op, &[Operator::Mul]) {
        return None;
    }
    let (a, b) = matcher.pair(op)?;
    [(a, b), (b, a)].into_iter().find_map(|(x, s)| {
        let sigmoid = matcher.only(s, op)?;
        let reads = matcher.graph.op(sigmoid).read().next()? == x;
        (reads && matcher.is(sigmoid, &[Operator::Sigmoid])).then_some((x, sigmoid))
    })
}

/// Whether the two tensors can lie in the same bytes, element by element.
fn alike(matcher: &Matcher<'_>, t: TensorId, y: TensorId) -> bool {
    let (t, y) = (matcher.graph.tensor(t), matcher.graph.tensor(y));
    t.dtype == y.dtype && t.dims.is_some() && t.dims == y.dims
}

/// What people call the pattern.
fn name(matcher: &Matcher<'_>, ops: &[OpId], anchored: bool) -> Message {
    let is = |operator| ops.iter().any(|op| matcher.is_onnx(*op, &[operator]));
    let window = ops.iter().any(|op| matcher.is(*op, &WINDOWS));
    let softmax = ops.iter().any(|op| is_softmax(matcher, *op));
    let between = super::group::between(matcher.graph, ops);
    let brought = |id: &TensorId| !matcher.is_constant(*id) && !between.contains(id);
    let later = ops
        .iter()
        .skip(1)
        .flat_map(|op| matcher.graph.op(*op).read());
    // Something else that is computed, as the shortcut of a residual block.
    let joined = later.into_iter().any(|id| brought(&id));
    match (anchored, ops.len()) {
        (true, _) if softmax => message!("matmul + scale, mask, softmax"),
        (true, _) if window && joined => message!("conv + element-wise"),
        (true, _) if window && is(Operator::BatchNormalization) => {
            message!("conv + batch norm + activation")
        }
        (true, _) if window => message!("conv + activation"),
        (true, _) if joined => message!("matmul + element-wise"),
        (true, _) => message!("matmul + bias + activation"),
        (false, _) if softmax => message!("scale, mask, softmax"),
        (false, _) if is(Operator::Erf) || is(Operator::Tanh) && is(Operator::Pow) => {
            Message::verbatim("gelu")
        }
        (false, 2) if is(Operator::Sigmoid) => Message::verbatim("swish"),
        (false, _) => message!("element-wise chain"),
    }
}
