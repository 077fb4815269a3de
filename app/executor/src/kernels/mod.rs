//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its twin, which computes the same on the CPU.

mod unary;
mod binary;
mod matmul;
mod matmul_tiled;
mod contract;
mod rows;
mod reduce;
mod reduce_rows;
mod softmax;
mod softmax_rows;
mod normalize;
mod normalize_rows;
mod batch_norm;
mod arg_reduce;
mod cum_sum;
mod top_k;

use crate::arena::Memory;
use crate::recording::Dispatch;

/// What every shader begins with: the bindings and the access to operands.
const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");
/// What shaders that work along axes begin with.
const ROWS: &str = include_str!("../../shaders/rows.wgsl");
/// What shaders with a workgroup on each row begin with, too.
const ROW_SUMS: &str = include_str!("../../shaders/row_sums.wgsl");

macro_rules! kernels {
    ($($(#[$doc:meta])* $kernel:ident => $module:ident,)*) => {
        /// A compute kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kernel {
            $($(#[$doc])* $kernel,)*
        }

        impl Kernel {
            /// Every kernel.
            pub const ALL: &[Self] = &[$(Self::$kernel),*];

            /// Its name: that of its shader file and of its twin's module.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kernel => stringify!($module),)*
                }
            }

            /// Its own WGSL, without the part that all share.
            #[must_use]
            pub fn shader(self) -> &'static str {
                match self {
                    $(Self::$kernel => include_str!(concat!(
                        "../../shaders/", stringify!($module), ".wgsl"
                    )),)*
                }
            }

            /// Computes a dispatch on the CPU.
            pub fn twin(self, dispatch: &Dispatch, memory: &mut Memory) {
                match self {
                    $(Self::$kernel => $module::twin(dispatch, memory),)*
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
}

pub use arg_reduce::Params as ArgReduceParams;
pub use batch_norm::Params as BatchNormParams;
pub use binary::{BinaryOp, Params as BinaryParams};
pub use contract::Params as ContractParams;
pub use cum_sum::Params as CumSumParams;
pub use matmul::Params as MatmulParams;
pub(crate) use matmul_tiled::TILE;
pub use normalize::{NormalizeOp, Params as NormalizeParams};
pub use reduce::{Params as ReduceParams, ReduceOp};
pub use rows::Rows;
pub(crate) use rows::SIDE;
pub use softmax::Params as SoftmaxParams;
pub use top_k::Params as TopKParams;
pub use unary::{Params as UnaryParams, UnaryOp};

impl Kernel {
    /// The whole WGSL module.
    #[must_use]
    pub fn source(self) -> String {
        let parts = [&[OPERANDS], self.shared(), &[self.shader()]].concat();
        parts.join("\n")
    }

    /// What several shaders begin with.
    fn shared(self) -> &'static [&'static str] {
        match self {
            Self::Reduce
            | Self::Softmax
            | Self::Normalize
            | Self::ArgReduce
            | Self::CumSum
            | Self::TopK => &[ROWS],
            Self::ReduceRows | Self::SoftmaxRows | Self::NormalizeRows => &[ROWS, ROW_SUMS],
            _ => &[],
        }
    }

    /// Whether each element of the output depends on the element at the same place of an
    /// input alone, so that the two may share their words exactly.
    #[must_use]
    pub fn elementwise(self) -> bool {
        matches!(self, Self::Unary | Self::Binary | Self::BatchNorm)
    }
}

/// Most dimensions of a kernel that walks strides, after neighbours that behave alike are
/// merged.
pub const MAX_RANK: usize = 8;

/// Threads of a workgroup of every kernel with one thread per output element.
pub const GROUP: u32 = 64;

/// Workgroups for `threads` threads of kernels that number them with `thread_index`: x grows
/// first, and y when x is at WebGPU's limit of 65,535.
#[must_use]
pub fn grid(threads: u32) -> [u32; 3] {
    const MOST: u32 = 32_768;
    let groups = threads.div_ceil(GROUP).max(1);
    [groups.min(MOST), groups.div_ceil(MOST), 1]
}
