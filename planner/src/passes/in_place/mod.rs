//! In-place operators: which tensor may be written over one that its operator reads.
//!
//! | rule | operators | the input | written over |
//! |---|---|---|---|
//! | `litert` | element-wise of two, softmax, reshapes | has one reader | the planner's choice, a handover |
//! | `mxnet` | element-wise, softmax, reshapes | is read for the last time | always, one storage |
//! | `onnxruntime` | element-wise of one, arithmetic, softmax, reshapes | the same; no output of the graph | always |
//! | `ggml` | element-wise, softmax, RMSNorm, rotary embeddings | has one reader, which reads it once, and no view; inputs, too | always |
//! | `aggressive` | all whose elements or rows depend on no others, updates | the same; views, too | always |
//!
//! Sources: LiteRT, `ArenaPlanner::IdentifyInPlaceTensors`; MXNet, `src/nnvm/plan_memory.cc`
//! with the operators' `FInplaceOption`; ONNX Runtime,
//! `allocation_planner.cc`, `FindReusableInput` with the kernels' `MayInplace` and `Alias`; ggml,
//! `src/ggml-alloc.c`, `ggml_gallocr_allocate_node` with `ggml_op_can_inplace`.

mod litert;
mod overwrites;

use super::{Pass, Report, Rule, Work};

pub(super) const PASS: Pass = Pass {
    name: "in_place",
    summary: "lets an operator write over an input that nobody reads after it",
    optional: true,
    keeps_graph: true,
    rules: &[
        Rule {
            name: "litert",
            summary: "as LiteRT: an input with one reader, where the plan finds it useful",
        },
        Rule {
            name: "mxnet",
            summary: "as MXNet: an input that is read for the last time",
        },
        Rule {
            name: "onnxruntime",
            summary: "as ONNX Runtime: an input that is read for the last time, outputs apart",
        },
        Rule {
            name: "ggml",
            summary: "as ggml: an input read for the last time without a view of it, inputs too",
        },
        Rule {
            name: "aggressive",
            summary: "wherever elements or rows depend on no others, over views as well",
        },
    ],
};

/// Finds the operators that may write an output over an input.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    match work.rule {
        0 => litert::run(work),
        1 => overwrites::run(work, &overwrites::MXNET),
        2 => overwrites::run(work, &overwrites::ONNX_RUNTIME),
        3 => overwrites::run(work, &overwrites::GGML),
        _ => overwrites::run(work, &overwrites::AGGRESSIVE),
    }
}
