//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its CPU reference, which computes the same.

#[macro_use]
mod codes;
mod unary;
mod binary;
mod conv;
mod depthwise;
mod pool;
mod global_pool;
mod lrn;
mod planar;
mod copy;
mod fill;
mod strided_copy;
mod gather;
mod resize;
mod trilu;
mod one_hot;
mod scatter;
mod integer;
mod compare;
mod power;
mod select;
mod cast;
mod dequantize;
mod quantize;
mod quantised_table;
mod quantised_pair;
mod quantised_conv;
mod quantised_pool;
mod quantised_softmax;
mod dynamic_range;
mod hybrid;
mod hybrid_layer;
mod pair;
mod matmul;
mod matmul_tiled;
mod contract;
mod rows;
mod reduce;
mod reduce_rows;
mod softmax;
mod softmax_rows;
mod attention;
mod cache;
mod linear_attention;
mod causal_conv;
mod packed_attention;
mod embed;
mod matmul_bits;
mod normalize;
mod normalize_rows;
mod batch_norm;
mod arg_reduce;
mod cum_sum;
mod top_k;
mod recurrent;
mod reverse_sequence;
mod determinant;
mod inverse;
mod dynamic_lstm;
mod training_step;
mod svdf;
mod quantised_svdf;
mod quantised_lstm;
mod n_grams;
mod grouped_matmul;
mod hardmax;
mod class_loss;
mod integer_reduce;
mod quantised_resize;
mod grid_sample;
mod roi_align;
mod deform_conv;
mod col2im;
mod unpool;
mod resample;
mod fourier;
mod products;
mod sources;
mod table;

use crate::arena::Memory;
use crate::recording::Operand;

pub use arg_reduce::ArgReduceParams;
pub use attention::{AttentionParams, HeadSteps, MaskSteps};
pub use batch_norm::BatchNormParams;
pub use binary::BinaryOp;
pub use cache::{CacheParams, Positions};
pub use cast::CastParams;
pub use causal_conv::CausalConvParams;
pub use class_loss::{ClassLossParams, LossReduction};
pub use col2im::Col2imParams;
pub use compare::CompareOp;
pub use contract::ContractParams;
pub use conv::ConvParams;
pub use copy::CopyParams;
pub use cum_sum::CumSumParams;
pub use deform_conv::DeformConvParams;
pub use dequantize::DequantizeParams;
pub use determinant::{DeterminantParams, MOST_ROWS};
pub use dynamic_lstm::MOST_STATES;
pub use dynamic_range::DynamicRangeParams;
pub use embed::EmbedParams;
pub use fill::FillParams;
pub use fourier::FourierParams;
pub use gather::GatherParams;
pub use grid_sample::{GridPadding, GridSampleParams};
pub use grouped_matmul::GroupedMatmulParams;
pub use hardmax::HardmaxParams;
pub use hybrid::HybridParams;
pub use hybrid_layer::HybridLayerParams;
pub use integer::IntegerOp;
pub use integer_reduce::{IntegerReduceOp, IntegerReduceParams, Picked};
pub use linear_attention::LinearAttentionParams;
pub use lrn::LrnParams;
pub use matmul::MatmulParams;
pub use matmul_bits::MatmulBitsParams;
pub(crate) use matmul_tiled::TILE;
pub use n_grams::{NGramsMode, NGramsParams};
pub use normalize::{NormalizeOp, NormalizeParams};
pub use one_hot::OneHotParams;
pub use pair::BinaryParams;
pub use pool::{PoolOp, PoolParams};
pub use quantised_conv::{Depth, QuantisedConvParams, Scaling};
pub use quantised_lstm::QuantisedLstmParams;
pub use quantised_pair::{Facts as QuantisedFacts, QuantisedOp};
pub use quantised_pool::{QuantisedPoolOp, QuantisedPoolParams};
pub use quantised_resize::QuantisedResizeParams;
pub use quantised_softmax::{QuantisedSoftmaxMode, QuantisedSoftmaxParams};
pub use quantised_svdf::QuantisedSvdfParams;
pub use quantised_table::QuantisedTableParams;
pub use recurrent::{CellOp, MOST_UNITS, RecurrentParams};
pub use reduce::{ReduceOp, ReduceParams};
pub use resample::ResampleParams;
pub use resize::{ResizeMode, ResizeParams, ResizeRound};
pub use reverse_sequence::ReverseSequenceParams;
pub use roi_align::RoiAlignParams;
pub use rows::Rows;
pub(crate) use rows::SIDE;
pub use scatter::{Reduce, ScatterParams};
pub use select::SelectParams;
pub use softmax::SoftmaxParams;
pub use strided_copy::{Outside, StridedCopyParams};
pub use svdf::SvdfParams;
pub use table::Kernel;
pub use top_k::TopKParams;
pub use training_step::{OptimizerOp, TrainingStepParams};
pub use trilu::TriluParams;
pub use unary::UnaryOp;
pub use unpool::UnpoolParams;

/// The elements of an integer type of at most 32 bits.
fn narrow(memory: &Memory, operand: &Operand) -> Vec<i32> {
    let ints = memory.ints(operand).into_iter();
    ints.map(|x| i32::try_from(x).unwrap_or_default()).collect()
}

/// Most dimensions of a kernel that walks strides, after neighbours that behave alike are
/// merged.
pub const MAX_RANK: usize = 8;

/// Threads of a workgroup of every kernel with one thread per output element.
pub const GROUP: u32 = 64;

/// Most workgroups in x, below WebGPU's limit of 65,535.
const MOST_GROUPS: u32 = 32_768;

/// Workgroups for kernels that number workgroups themselves: x grows first.
#[must_use]
pub fn groups(count: u32) -> [u32; 3] {
    [
        count.clamp(1, MOST_GROUPS),
        count.div_ceil(MOST_GROUPS).max(1),
        1,
    ]
}

/// Workgroups for kernels of typed elements: one thread per word of the output `y`, or per
/// element where that takes two.
#[must_use]
pub fn typed_grid(y: &Operand) -> [u32; 3] {
    grid(y.len().min(y.region.words))
}

/// Workgroups for `threads` threads of kernels that number them with `thread_index`: x grows
/// first, and y when x is at WebGPU's limit of 65,535.
#[must_use]
pub fn grid(threads: u32) -> [u32; 3] {
    groups(threads.div_ceil(GROUP))
}
