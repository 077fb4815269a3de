//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its twin, which computes the same on the CPU.

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
mod products;
mod sources;
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

use std::cmp::Ordering;
use std::fmt;

use crate::arena::Memory;
use crate::recording::{Dispatch, Operand};

/// A compute kernel: which one, and its code. The code lies with those who make dispatches of
/// it, so that a part of a program that is fetched later brings its kernels along.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub(crate) id: Id,
    shader: &'static str,
    twin: fn(&Dispatch, &mut Memory),
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $kernel:ident => $module:ident,)*) => {
        /// Which kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Id {
            $($kernel,)*
        }

        #[expect(non_upper_case_globals, reason = "they are matched on as variants of Id")]
        impl Kernel {
            $(
                $(#[$doc])*
                pub const $kernel: Self = Self {
                    id: Id::$kernel,
                    shader: include_str!(concat!(
                        "../../shaders/", stringify!($module), ".wgsl"
                    )),
                    twin: $module::twin,
                };
            )*

            /// Its name: that of its shader file and of its twin's module.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.id {
                    $(Id::$kernel => stringify!($module),)*
                }
            }
        }
    };
}

kernels! {
    /// One function of each element.
    Unary => unary,
    /// One function of two elements, with broadcasting.
    Binary => binary,
    /// One function of two integers or bools of the same type, with broadcasting.
    Integer => integer,
    /// Whether two elements compare as asked, with broadcasting.
    Compare => compare,
    /// Powers whose base and exponent differ in type, with broadcasting.
    Power => power,
    /// One of two elements, as a third says, with broadcasting.
    Select => select,
    /// Each element as another type.
    Cast => cast,
    /// Quantised integers as the floats that they stand for.
    Dequantize => dequantize,
    /// Floats as quantised integers.
    Quantize => quantize,
    /// Quantised elements by a table.
    QuantisedTable => quantised_table,
    /// Sums and products of two quantised elements, with broadcasting.
    QuantisedPair => quantised_pair,
    /// Convolutions and matrix products of quantised elements.
    QuantisedConv => quantised_conv,
    /// The largest or the mean of quantised elements under a window.
    QuantisedPool => quantised_pool,
    /// Softmax of rows of quantised elements.
    QuantisedSoftmax => quantised_softmax,
    /// Convolutions and matrix products of floats that become integers on the way.
    Hybrid => hybrid,
    /// Recurrent layers of floats that become integers on the way, a workgroup for each sequence.
    HybridLayer => hybrid_layer,
    /// The quantisation that elements ask for.
    DynamicRange => dynamic_range,
    /// Words from one place to another.
    Copy => copy,
    /// One element everywhere.
    Fill => fill,
    /// Elements from one box of strides to another.
    StridedCopy => strided_copy,
    /// Elements that indices name.
    Gather => gather,
    /// Elements between elements.
    Resize => resize,
    /// One side of a diagonal.
    Trilu => trilu,
    /// One place marked by an index.
    OneHot => one_hot,
    /// Elements put where indices lead.
    Scatter => scatter,
    /// Convolutions, transposed ones too, of up to three spatial dimensions.
    Conv => conv,
    /// Convolutions in two dimensions whose filters see one channel each.
    Depthwise => depthwise,
    /// The largest, the mean or the norm under a window.
    Pool => pool,
    /// The same over all pixels of a channel, by many threads.
    GlobalPool => global_pool,
    /// Division by the strength of neighbouring channels.
    Lrn => lrn,
    /// Products of matrices, one thread for each element.
    Matmul => matmul,
    /// Products of matrices, tile by tile.
    MatmulTiled => matmul_tiled,
    /// Sums of products over any dimensions.
    Contract => contract,
    /// One number of each row, one thread for each.
    Reduce => reduce,
    /// One number of each row, a workgroup for each.
    ReduceRows => reduce_rows,
    /// Softmax of each row, one thread for each.
    Softmax => softmax,
    /// Softmax of each row, a workgroup for each.
    SoftmaxRows => softmax_rows,
    /// Attention: a workgroup for each head and query.
    Attention => attention,
    /// The same on what weights make.
    PackedAttention => packed_attention,
    /// Attention by a state that each row changes.
    LinearAttention => linear_attention,
    /// Convolutions over what came before.
    CausalConv => causal_conv,
    /// New rows among those of a cache, turned by their positions.
    Cache => cache,
    /// Products with weights of few bits.
    MatmulBits => matmul_bits,
    /// Rows of embeddings, added up.
    Embed => embed,
    /// Normalizes each row, one thread for each.
    Normalize => normalize,
    /// Normalizes each row, a workgroup for each.
    NormalizeRows => normalize_rows,
    /// Normalizes each channel by given statistics.
    BatchNorm => batch_norm,
    /// The place of the largest or smallest element of each row.
    ArgReduce => arg_reduce,
    /// Running sums of each row.
    CumSum => cum_sum,
    /// The largest or smallest elements of each row and their places.
    TopK => top_k,
    /// Recurrent layers, a workgroup for each sequence of each direction.
    Recurrent => recurrent,
    /// The first steps of sequences in reverse order.
    ReverseSequence => reverse_sequence,
    /// The determinant of each matrix, a workgroup for each.
    Determinant => determinant,
    /// The inverse of each matrix, a workgroup for each.
    Inverse => inverse,
    /// LSTM of integers that states become on the way, a workgroup for each direction.
    DynamicLstm => dynamic_lstm,
    /// One step of an optimizer.
    TrainingStep => training_step,
    /// A filter over features of the last steps.
    Svdf => svdf,
    /// The same of quantised elements.
    QuantisedSvdf => quantised_svdf,
    /// An LSTM layer on quantised elements.
    QuantisedLstm => quantised_lstm,
    /// The largest or smallest integer of each row, or its place.
    IntegerReduce => integer_reduce,
    /// Quantised elements between elements.
    QuantisedResize => quantised_resize,
    /// How often n-grams are in rows.
    NGrams => n_grams,
    /// Marks the largest element of each row.
    Hardmax => hardmax,
    /// The loss of scores of classes, of each place or over all.
    ClassLoss => class_loss,
    /// Elements between elements, where a grid says.
    GridSample => grid_sample,
    /// Means or largest of samples in the bins of regions.
    RoiAlign => roi_align,
    /// Convolutions in two dimensions whose windows are shifted tap by tap.
    DeformConv => deform_conv,
    /// Sums of blocks that overlap.
    Col2im => col2im,
    /// Elements put back where indices say.
    Unpool => unpool,
    /// Weighted sums of neighbours by tables.
    Resample => resample,
    /// Fourier transforms by their definition.
    Fourier => fourier,
}

pub use arg_reduce::Params as ArgReduceParams;
pub use attention::{HeadSteps, MaskSteps, Params as AttentionParams};
pub use batch_norm::Params as BatchNormParams;
pub use binary::BinaryOp;
pub use cache::{Params as CacheParams, Positions};
pub use cast::Params as CastParams;
pub use causal_conv::Params as CausalConvParams;
pub use class_loss::Params as ClassLossParams;
pub use col2im::Params as Col2imParams;
pub use compare::CompareOp;
pub use contract::Params as ContractParams;
pub use conv::Params as ConvParams;
pub use copy::Params as CopyParams;
pub use cum_sum::Params as CumSumParams;
pub use deform_conv::Params as DeformConvParams;
pub use dequantize::Params as DequantizeParams;
pub use determinant::{MOST_ROWS, Params as DeterminantParams};
pub use dynamic_lstm::MOST_STATES;
pub use dynamic_range::Params as DynamicRangeParams;
pub use embed::Params as EmbedParams;
pub use fill::Params as FillParams;
pub use fourier::Params as FourierParams;
pub use gather::Params as GatherParams;
pub use grid_sample::Params as GridSampleParams;
pub use hardmax::Params as HardmaxParams;
pub use hybrid::Params as HybridParams;
pub use hybrid_layer::Params as HybridLayerParams;
pub use integer::IntegerOp;
pub use integer_reduce::Params as IntegerReduceParams;
pub use linear_attention::Params as LinearAttentionParams;
pub use lrn::Params as LrnParams;
pub use matmul::Params as MatmulParams;
pub use matmul_bits::Params as MatmulBitsParams;
pub(crate) use matmul_tiled::TILE;
pub use n_grams::Params as NGramsParams;
pub use normalize::{NormalizeOp, Params as NormalizeParams};
pub use one_hot::Params as OneHotParams;
pub use pair::Params as BinaryParams;
pub use pool::{Params as PoolParams, PoolOp};
pub use quantised_conv::{Depth, Params as QuantisedConvParams, Scaling};
pub use quantised_lstm::Params as QuantisedLstmParams;
pub use quantised_pair::{Facts as QuantisedFacts, QuantisedOp};
pub use quantised_pool::{Params as QuantisedPoolParams, QuantisedPoolOp};
pub use quantised_resize::Params as QuantisedResizeParams;
pub use quantised_softmax::Params as QuantisedSoftmaxParams;
pub use quantised_svdf::Params as QuantisedSvdfParams;
pub use quantised_table::Params as QuantisedTableParams;
pub use recurrent::{CellOp, MOST_UNITS, Params as RecurrentParams};
pub use reduce::{Params as ReduceParams, ReduceOp};
pub use resample::Params as ResampleParams;
pub use resize::{Params as ResizeParams, ResizeMode, ResizeRound};
pub use reverse_sequence::Params as ReverseSequenceParams;
pub use roi_align::Params as RoiAlignParams;
pub use rows::Rows;
pub(crate) use rows::SIDE;
pub use scatter::{Params as ScatterParams, Reduce};
pub use select::Params as SelectParams;
pub use softmax::Params as SoftmaxParams;
pub use strided_copy::{Outside, Params as StridedCopyParams};
pub use svdf::Params as SvdfParams;
pub use top_k::Params as TopKParams;
pub use training_step::{OptimizerOp, Params as TrainingStepParams};
pub use trilu::Params as TriluParams;
pub use unary::UnaryOp;
pub use unpool::Params as UnpoolParams;

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Kernel {}

impl PartialOrd for Kernel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kernel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kernel {
    /// Computes a dispatch on the CPU.
    pub fn twin(self, dispatch: &Dispatch, memory: &mut Memory) {
        (self.twin)(dispatch, memory);
    }

    /// Whether each element of the output depends on the element at the same place of an
    /// input alone, so that the two may share their words exactly.
    #[must_use]
    pub fn elementwise(self) -> bool {
        match self.id {
            Id::Unary | Id::Binary | Id::Integer | Id::Compare => true,
            Id::Power | Id::Select | Id::Cast | Id::BatchNorm => true,
            Id::Dequantize | Id::Quantize => true,
            Id::QuantisedTable | Id::QuantisedPair => true,
            Id::QuantisedConv | Id::QuantisedPool | Id::QuantisedSoftmax => false,
            Id::DynamicRange | Id::Hybrid | Id::HybridLayer => false,
            Id::Copy | Id::Fill | Id::StridedCopy => false,
            Id::Conv | Id::Depthwise | Id::Pool | Id::GlobalPool | Id::Lrn => false,
            Id::Matmul | Id::MatmulTiled | Id::Contract => false,
            Id::Reduce | Id::ReduceRows => false,
            Id::Softmax | Id::SoftmaxRows | Id::Normalize | Id::NormalizeRows => false,
            Id::ArgReduce | Id::CumSum | Id::TopK | Id::Recurrent => false,
            Id::ReverseSequence | Id::Determinant | Id::TrainingStep => false,
            Id::Inverse | Id::DynamicLstm => false,
            Id::Svdf | Id::QuantisedSvdf | Id::QuantisedLstm => false,
            Id::Attention | Id::PackedAttention | Id::Cache => false,
            Id::LinearAttention | Id::CausalConv => false,
            Id::MatmulBits | Id::Embed => false,
            Id::Gather | Id::Resize | Id::Trilu => false,
            Id::OneHot | Id::Scatter => false,
            Id::IntegerReduce | Id::QuantisedResize => false,
            Id::Hardmax | Id::NGrams => false,
            Id::ClassLoss | Id::Fourier | Id::GridSample | Id::RoiAlign => false,
            Id::DeformConv | Id::Col2im | Id::Unpool | Id::Resample => false,
        }
    }

    /// Whether an output may lie exactly where an input does: element by element, or row by
    /// row where every thread writes only what no other reads any more.
    #[must_use]
    pub fn in_place(self) -> bool {
        let rows = [
            Id::Softmax,
            Id::SoftmaxRows,
            Id::Normalize,
            Id::NormalizeRows,
        ];
        self.elementwise() || rows.contains(&self.id)
    }

    /// Whether it walks the strides of its operands.
    #[must_use]
    pub fn walks_strides(self) -> bool {
        let walks = [
            Id::Unary,
            Id::Binary,
            Id::Reduce,
            Id::ReduceRows,
            Id::Matmul,
            Id::MatmulTiled,
            Id::Copy,
            Id::StridedCopy,
        ];
        self.in_place() && !self.elementwise() || walks.contains(&self.id)
    }
}

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
