//! The operator of a stack.
//!
//! Operators of PyTorch call each other: `linear` calls `addmm`, which calls `empty`. The one
//! that Python called is what people know, so the outermost counts. A node of the backward pass
//! calls operators, too, and is what people know then.

use super::{Owner, function};
use crate::deployed::Frame;

/// The node of the backward pass that runs, "AddmmBackward0"; else the operator that the innermost
/// Python frame called, "linear"; else that frame's function. Empty for none of these.
pub(super) fn operator(lines: &[(&Frame, Owner)]) -> String {
    let runtime = lines
        .iter()
        .take_while(|(_, owner)| *owner == Owner::Runtime);
    let below: Vec<&str> = runtime.map(|(frame, _)| frame.function.as_str()).collect();
    let node = below.iter().find_map(|name| node(name));
    let called = || below.iter().rev().find_map(|name| dispatched(name));
    let python = || {
        let (frame, _) = lines.get(below.len())?;
        Some(function(frame))
    };
    node.or_else(called)
        .or_else(python)
        .unwrap_or_default()
        .to_owned()
}

/// "addmm" of `at::_ops::addmm::call(at::Tensor const&, …)`.
fn dispatched(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once("at::_ops::")?;
    let (operator, call) = rest.split_once("::")?;
    call.starts_with("call").then_some(operator)
}

/// "AddmmBackward0" of `torch::autograd::generated::AddmmBackward0::apply(…)`.
fn node(name: &str) -> Option<&str> {
    let (before, _) = name.split_once("::apply(").or(name.split_once("::apply"))?;
    let node = before.rsplit("::").next()?;
    (node.contains("Backward") || node == "AccumulateGrad").then_some(node)
}
