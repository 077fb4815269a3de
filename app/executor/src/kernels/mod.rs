//! The closed list of kernels. Each is one WGSL file in `shaders/` and one Rust file here of
//! the same name: its parameters, and its twin, which computes the same on the CPU.

mod unary;
mod binary;
mod conv;
mod pool;
mod lrn;
mod planar;
mod integer;
mod compare;
mod power;
mod select;
mod cast;
mod pair;
mod copy;
mod fill;
mod strided_copy;
mod gather;

use crate::arena::Memory;
use crate::recording::{Dispatch, Operand};

/// What every shader begins with: the bindings and the access to operands.
const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");
/// Functions of f32, for the shaders that use them.
const FUNCTIONS: &str = include_str!("../../shaders/functions.wgsl");
/// Elements of every type, for the shaders that use them.
const TYPED: &str = include_str!("../../shaders/typed.wgsl");

/// What the shaders of kernels with a fused activation begin with, too.
const ACTIVATION: &str = include_str!("../../shaders/activation.wgsl");
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
    /// Convolutions, transposed ones too, of up to three spatial dimensions.
    Conv => conv,
    /// The largest, the mean or the norm under a window.
    Pool => pool,
    /// Division by the strength of neighbouring channels.
    Lrn => lrn,
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
    /// Words from one place to another.
    Copy => copy,
    /// One element everywhere.
    Fill => fill,
    /// Elements from one box of strides to another.
    StridedCopy => strided_copy,
    /// Elements that indices name.
    Gather => gather,
}

pub use binary::{Activation, BinaryOp};
pub use cast::Params as CastParams;
pub use compare::CompareOp;
pub use conv::Params as ConvParams;
pub use copy::Params as CopyParams;
pub use fill::Params as FillParams;
pub use gather::Params as GatherParams;
pub use integer::IntegerOp;
pub use lrn::Params as LrnParams;
pub use pair::Params as BinaryParams;
pub use pool::{Params as PoolParams, PoolOp};
pub use select::Params as SelectParams;
pub use strided_copy::{Outside, Params as StridedCopyParams};
pub use unary::{Params as UnaryParams, UnaryOp};

impl Kernel {
    /// The whole WGSL module.
    #[must_use]
    pub fn source(self) -> String {
        let activation = match self {
            Self::Conv | Self::Pool => ACTIVATION,
            _ => "",
        };
        let functions = match self {
            Self::Unary | Self::Binary | Self::Power => FUNCTIONS,
            _ => "",
        };
        let typed = if self.typed() { TYPED } else { "" };
        let elements = match self {
            Self::StridedCopy | Self::Gather => ELEMENTS,
            _ => "",
        };
        format!(
            "{OPERANDS}\n{elements}\n{activation}\n{functions}\n{typed}\n{}",
            self.shader()
        )
    }

    /// Whether its elements may be of any type, and each thread writes a word of them.
    fn typed(self) -> bool {
        matches!(
            self,
            Self::Integer | Self::Compare | Self::Power | Self::Select | Self::Cast
        )
    }

    /// Whether each element of the output depends on the element at the same place of an
    /// input alone, so that the two may share their words exactly.
    #[must_use]
    pub fn elementwise(self) -> bool {
        matches!(self, Self::Unary | Self::Binary) || self.typed()
    }
}

/// Most dimensions of a kernel that walks strides, after neighbours that behave alike are
/// merged.
pub const MAX_RANK: usize = 8;

/// Threads of a workgroup of every kernel with one thread per output element.
pub const GROUP: u32 = 64;

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
    const MOST: u32 = 32_768;
    let groups = threads.div_ceil(GROUP).max(1);
    [groups.min(MOST), groups.div_ceil(MOST), 1]
}
