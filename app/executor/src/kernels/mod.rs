//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its twin, which computes the same on the CPU.

mod unary;
mod binary;
mod conv;
mod pool;
mod lrn;
mod planar;

use crate::arena::Memory;
use crate::recording::Dispatch;

/// What every shader begins with: the bindings and the access to operands.
const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");

/// What the shaders of kernels with a fused activation begin with, too.
const ACTIVATION: &str = include_str!("../../shaders/activation.wgsl");

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
    /// Convolutions, transposed ones too, of up to three spatial dimensions.
    Conv => conv,
    /// The largest, the mean or the norm under a window.
    Pool => pool,
    /// Division by the strength of neighbouring channels.
    Lrn => lrn,
}

pub use binary::{BinaryOp, Params as BinaryParams};
pub use conv::Params as ConvParams;
pub use lrn::Params as LrnParams;
pub use pool::{Params as PoolParams, PoolOp};
pub use unary::{Params as UnaryParams, UnaryOp};

impl Kernel {
    /// The whole WGSL module.
    #[must_use]
    pub fn source(self) -> String {
        let activation = match self {
            Self::Conv | Self::Pool => ACTIVATION,
            _ => "",
        };
        format!("{OPERANDS}\n{activation}\n{}", self.shader())
    }

    /// Whether each element of the output depends on the element at the same place of an
    /// input alone, so that the two may share their words exactly.
    #[must_use]
    pub fn elementwise(self) -> bool {
        matches!(self, Self::Unary | Self::Binary)
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
