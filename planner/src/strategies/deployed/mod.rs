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
pub(super) mod xla_spatial;
pub(super) mod xla_temporal;
pub(super) mod xla_best;
pub(super) mod usmp_by_size;
pub(super) mod usmp_by_conflicts;
pub(super) mod usmp_hill_climb;
pub(super) mod nnvm_tokens;
pub(super) mod nnvm_auto;
pub(super) mod nnvm_colors;
pub(super) mod megengine_pushdown;
pub(super) mod megengine_interval_move;
pub(super) mod megengine_best_fit;
