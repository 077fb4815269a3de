//! Planners of deployed toolchains, followed down to their ties.

mod chains;
mod rounded;
mod walk;
pub(super) mod litert_arena;
pub(super) mod tflm_greedy;
pub(super) mod xnnpack;
pub(super) mod iree_slices;
pub(super) mod executorch_greedy;
pub(super) mod onnxruntime_pattern;
mod xla_heap;
pub(super) mod xla_spatial;
pub(super) mod xla_temporal;
pub(super) mod xla_best;
mod usmp_stack;
mod usmp_neighbours;
pub(super) mod usmp_by_size;
pub(super) mod usmp_by_conflicts;
pub(super) mod usmp_hill_climb;
pub(super) mod nnvm_tokens;
pub(super) mod nnvm_auto;
pub(super) mod nnvm_colors;
mod megengine;
mod block_list;
pub(super) mod megengine_pushdown;
mod stacked;
pub(super) mod megengine_interval_move;
pub(super) mod megengine_best_fit;
pub(super) mod ggml_gallocr;
pub(super) mod stalloc;

use super::alignment;
use crate::liveness::{Handover, Lifetimes};
use crate::plan::Options;

/// Whether `after` is aligned as it asks wherever `before` is.
fn stays_aligned(lifetimes: &Lifetimes, options: &Options, handover: &Handover) -> bool {
    let before = alignment(&lifetimes.buffers[handover.before], options).0;
    let after = alignment(&lifetimes.buffers[handover.after], options).0;
    before.is_multiple_of(after) && handover.shift.0.is_multiple_of(after)
}
