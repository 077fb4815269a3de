//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its twin, which computes the same on the CPU.

mod unary;
mod binary;
mod copy;
mod fill;
mod strided_copy;
mod gather;
mod resize;

use crate::arena::Memory;
use crate::recording::Dispatch;

/// What every shader begins with: the bindings and the access to operands.
const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");
/// What shaders that move elements of any type have besides.
const ELEMENTS: &str = include_str!("../../shaders/elements.wgsl");

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
}

pub use binary::{BinaryOp, Params as BinaryParams};
pub use copy::Params as CopyParams;
pub use fill::Params as FillParams;
pub use gather::Params as GatherParams;
pub use resize::{Params as ResizeParams, ResizeMode, ResizeRound};
pub use strided_copy::{Outside, Params as StridedCopyParams};
pub use unary::{Params as UnaryParams, UnaryOp};

impl Kernel {
    /// The whole WGSL module.
    #[must_use]
    pub fn source(self) -> String {
        match self {
            Self::StridedCopy | Self::Gather => {
                format!("{OPERANDS}\n{ELEMENTS}\n{}", self.shader())
            }
            _ => format!("{OPERANDS}\n{}", self.shader()),
        }
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
