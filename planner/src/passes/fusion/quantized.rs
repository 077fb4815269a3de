//! QDQ groups: what a quantised model computes between `DequantizeLinear` and `QuantizeLinear`
//! runs on integers, so that no tensor of floats is ever written.

use super::{Group, Matcher};
use crate::graph::{OpId, TensorId};
use crate::passes::operators::{Family, family};

/// The group that ends with `last`, a `QuantizeLinear`.
pub(super) fn group(matcher: &mut Matcher<'_>, last: OpId) -> Option<Group> {
    if matcher.only_activations || !matcher.is(last, &["QuantizeLinear"]) {
        return None;
    }
    let mut ops = vec![last];
    let mut computing = matcher.only(matcher.first(last)?, last)?;
    ops.push(computing);
    // An activation between the two is a bound of the integers.
    if matcher.is(computing, &["Relu", "Clip"]) {
        let before = matcher.only(matcher.first(computing)?, computing);
        if let Some(before) = before.filter(|op| computes(matcher, *op)) {
            computing = before;
            ops.push(computing);
        }
    }
    if !computes(matcher, computing) {
        return None;
    }
    let computed: Vec<TensorId> = matcher.graph.op(computing).read().collect();
    let mut dequantized = 0;
    for x in computed.into_iter().filter(|id| !matcher.is_constant(*id)) {
        let writer = matcher.only(x, computing)?;
        if !matcher.is(writer, &["DequantizeLinear"]) {
            return None;
        }
        if !ops.contains(&writer) {
            ops.push(writer);
            dequantized += 1;
        }
    }
    ops.sort_unstable();
    (dequantized > 0).then_some(Group {
        pattern: "qdq",
        ops,
    })
}

fn computes(matcher: &Matcher<'_>, op: OpId) -> bool {
    let known = matcher.graph.op(op);
    let family = family(matcher.graph.dialect, known);
    known.fused.is_none()
        && matcher.result(op).is_some()
        && !matches!(family, Family::Other | Family::Updates)
        && !matcher.is(op, &["DequantizeLinear", "QuantizeLinear"])
}
