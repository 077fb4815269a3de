//! Why a tensor has no size, in words.

use planner::graph::UnsizedReason;

/// Why a tensor has no size, in words.
pub(super) fn reason(reason: UnsizedReason) -> &'static str {
    match reason {
        UnsizedReason::UnknownOperator => "shapes of this operator are unknown",
        UnsizedReason::DataDependent => "depends on values of the run",
        UnsizedReason::UnsizedInput => "made from a tensor without a size",
        UnsizedReason::InvalidOperator => "the operator contradicts its operands",
        UnsizedReason::Undeclared => "neither a shape nor an operator gives it",
        UnsizedReason::DType => "elements of no fixed size",
        UnsizedReason::TooLarge => "larger than what can be planned",
        UnsizedReason::ControlFlow => "made by control flow",
    }
}
